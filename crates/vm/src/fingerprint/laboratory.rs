//! Slow oracles of fingerprints, and deliberate mistakes in them: what only tests use.

use super::inputs::Forget;
use super::key::{Damage, FragmentKind, Keys};
use super::threads::Style;
use super::{Fingerprints, each_fragment, threads};
use crate::vm::Vm;
use selvedge_base::{Digest, ForTests};
use std::collections::BTreeSet;

impl Vm {
    /// What has to be added to the fingerprint so that it does not count what keeps executions
    /// short ([`Vm::bounded`]): where two machines are compared of which one is not bounded.
    pub fn without_bounds(&self) -> Digest {
        let Some(prints) = &self.fingerprints else {
            return Digest::EMPTY;
        };
        let (mut words, mut sum) = (Vec::new(), Digest::EMPTY);
        for thread in self.state.threads() {
            let style = Style::exact(prints.keys.named);
            threads::core(&self.state, thread, style, &mut words);
            let with = prints.keys.words(FragmentKind::Core, &words);
            threads::core_without_idle(&self.state, thread, style, &mut words);
            sum = sum
                .with(prints.keys.words(FragmentKind::Core, &words))
                .without(with);
        }
        sum
    }

    /// What has to be added to the fingerprint so that it is that of a machine without counters
    /// ([`Vm::with_counters`]).
    pub fn without_counters(&self) -> Digest {
        let prints = self.fingerprints.as_ref();
        prints.map_or(Digest::EMPTY, |prints| {
            self.state.memory.without_counters(&prints.keys)
        })
    }

    /// All fragments of the present state in a canonical order: what the fingerprint stands for.
    /// Slow; an oracle for tests.
    pub fn fragments(&self) -> Vec<(FragmentKind, Vec<u64>)> {
        let none = BTreeSet::new();
        let users = self.fingerprints.as_ref().map_or(&none, |f| &f.cache.users);
        let mut all = Vec::new();
        let named = self.fingerprints.as_ref().is_some_and(|f| f.keys.named);
        each_fragment(&self.program, &self.state, users, named, &mut |kind, words| {
            all.push((kind, words.to_vec()))
        });
        all.sort_unstable();
        all
    }

    /// Makes a mistake in
    /// [`without_names`](selvedge_model::Fingerprint::without_names), to show that checks notice.
    pub fn forget_inputs(&mut self, forget: Forget) {
        self.forgets = ForTests::new(forget);
    }

    /// Replaces the hash by a damaged one, to show that checks notice. Nothing can be undone across
    /// it.
    pub fn damage_fingerprints(&mut self, damage: Damage) {
        if self.fingerprints.is_some() {
            let prints = Fingerprints::new(&self.program, &self.state, Keys::damaged(damage));
            self.fingerprints = Some(Box::new(prints));
        }
    }
}
