//! The state without its numbers: what two states have to agree in before one state can stand for
//! both (`crate::generalise`).
//!
//! Left out are the bytes of memory, the registers, and the path. All else counts: which objects
//! there are, where threads stand, and what synchronisation objects, hidden words and dead slots
//! say.

use super::key::{FragmentKind, Keys};
use super::threads::{self, Style};
use super::{each_dead, sync};
use crate::program::Program;
use crate::state::State;
use crate::vm::Vm;
use selvedge_base::Digest;
use std::collections::BTreeSet;

impl Vm {
    /// The hash of the state without its numbers.
    pub(crate) fn shape(&self) -> Digest {
        let none = BTreeSet::new();
        let users = self
            .fingerprints
            .as_ref()
            .map_or(&none, |prints| &prints.cache.users);
        let mut total = Digest::EMPTY;
        each_fragment(&self.program, &self.state, users, &mut |kind, words| {
            total = total.with(Keys::SOUND.words(kind, words));
        });
        total
    }
}

fn each_fragment(
    program: &Program,
    state: &State,
    users: &BTreeSet<(u64, u32)>,
    f: &mut dyn FnMut(FragmentKind, &[u64]),
) {
    state.memory.each_fragment(&mut |kind, words| {
        if kind != FragmentKind::Byte {
            f(kind, words);
        }
    });
    let mut words = Vec::new();
    let style = Style {
        counts_inputs: false,
        ..Style::exact(false)
    };
    for (number, thread) in state.threads().iter().enumerate() {
        threads::birth(state, number, style, &mut words);
        f(FragmentKind::Birth, &words);
        threads::core(state, thread, style, &mut words);
        f(FragmentKind::Core, &words);
        for (region, flag) in threads::flags(thread) {
            f(FragmentKind::Flag, &[region, flag]);
        }
        threads::held(thread, &mut words);
        if !words.is_empty() {
            f(FragmentKind::Held, &words);
        }
        for index in 0..threads::depth(program, thread) {
            threads::frame_without_registers(thread, index, &mut words);
            f(FragmentKind::Frame, &words);
        }
    }
    for (address, object) in state.syncs() {
        if let Some(words) = sync::words(state, address, object) {
            f(FragmentKind::Sync, &words);
        }
        let count = sync::count(Some(object));
        if count > 0 {
            f(FragmentKind::Count, &[address, count]);
        }
    }
    for &(object, region) in users {
        f(FragmentKind::User, &[object, u64::from(region)]);
    }
    for (place, slots) in state.all_dead() {
        each_dead(place, slots, f);
    }
    for (key, value) in state.words().filter(|word| word.1 != 0) {
        f(FragmentKind::Word, &sync::word(state, key, value, style));
    }
}
