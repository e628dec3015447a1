//! Which objects threads reach: those to which pointers lead from what they can read.
//!
//! Pointers are searched for in all global variables, in hidden words and results of threads, which
//! count for each thread; and in a thread's registers that it may still read, its stack objects and
//! its thread-local variables. From there the search follows objects. As in the search for lost
//! memory (`allocated.rs`), any eight bytes that have the form of an address count, at any
//! alignment, and so do all addresses in a symbolic value.
//!
//! *Invariant* on which `--visibility reachable` rests: a step lets its thread reach only what it
//! reached before, and new objects. A thread that hides an address in numbers (byte by byte, by
//! exclusive or) and computes it again violates this. Each step is checked, and a violation is
//! reported as unsupported: no verdict is `true` then. Why it is enough to check the steps that are
//! explored: let a thread go first with an access to an object that no other thread reaches, and
//! let the others get hold of that object afterwards. Up to the first step that violates the
//! invariant they do not access the object. So the access commutes with their steps, and that step
//! is explored after it.

use crate::addresses::{Expressions, certain_address, each_register};
use crate::memory::{Kind, Life, Object, Word};
use crate::program::Program;
use crate::state::State;
use crate::thread::{Stage, Thread};
use crate::value::{Tag, Value};
use crate::word::{RecordField, WordKey};
use rustc_hash::FxHashSet;
use selvedge_base::{Id, ThreadId};

/// The live objects that some threads reach.
#[derive(Debug)]
pub(crate) struct Reached {
    bases: FxHashSet<u64>,
}

impl Reached {
    /// The objects that the threads of which `is_one` holds reach.
    pub(crate) fn by(program: &Program, state: &State, is_one: impl Fn(ThreadId) -> bool) -> Reached {
        let mut search = Search {
            program,
            state,
            bases: FxHashSet::default(),
            left: Vec::new(),
            expressions: Expressions::default(),
        };
        search.shared();
        for (number, thread) in state.threads().iter().enumerate() {
            if is_one(ThreadId::from_index(number)) {
                search.thread(thread);
            }
        }
        while let Some((base, object)) = search.left.pop() {
            search.look_into(base, &object);
        }
        Reached { bases: search.bases }
    }

    /// True if the object at an address is among them. Global variables always are.
    pub(crate) fn has(&self, state: &State, address: u64) -> bool {
        state.memory.object_at(address).is_none_or(|(base, object)| {
            object.life != Life::Live || is_global(object.kind) || self.bases.contains(&base)
        })
    }

    /// True if each of them is among `others`, or is none of the objects `existed`.
    pub(crate) fn is_within(&self, others: &Reached, existed: &FxHashSet<u64>) -> bool {
        let mut bases = self.bases.iter();
        bases.all(|base| others.bases.contains(base) || !existed.contains(base))
    }
}

/// The addresses of all live objects.
pub(crate) fn live(state: &State) -> FxHashSet<u64> {
    state.memory.live_objects().map(|(base, _)| base).collect()
}

const fn is_global(kind: Kind) -> bool {
    matches!(kind, Kind::Global | Kind::Constant | Kind::Missing)
}

struct Search<'a> {
    program: &'a Program,
    state: &'a State,
    /// What is reached, without global variables.
    bases: FxHashSet<u64>,
    /// Reached objects whose contents were not searched yet.
    left: Vec<(u64, Object)>,
    expressions: Expressions,
}

impl Search<'_> {
    /// What every thread reads.
    fn shared(&mut self) {
        let state = self.state;
        for (base, object) in state.memory.live_objects() {
            if is_global(object.kind) {
                self.look_into(base, object);
            }
        }
        for (key, word) in state.words() {
            match key {
                WordKey::Record(region, access, RecordField::Tag) => {
                    let bits = state.word(WordKey::Record(region, access, RecordField::Bits));
                    self.value(Value {
                        bits,
                        tag: Tag(word as u32),
                    });
                }
                _ => self.value(Value::new(word)),
            }
        }
        for thread in state.threads() {
            self.value(thread.core.result);
        }
    }

    fn thread(&mut self, thread: &Thread) {
        if matches!(thread.core.stage, Stage::Finished | Stage::Parked) {
            return;
        }
        each_register(self.program, thread, &mut |value| self.value(value));
        self.value(thread.start.1);
        let core = &thread.core;
        for number in [core.note, core.wait[0].0, core.wait[1].0, core.errno] {
            self.value(Value::new(number));
        }
        for &base in thread.locals.iter().chain(&thread.tls) {
            self.reach(base);
        }
        for index in 0..core.depth as usize {
            self.reach(thread.frame(index).varargs);
        }
    }

    fn look_into(&mut self, base: u64, object: &Object) {
        let state = self.state;
        state.memory.each_word(base, object, &mut |word| match word {
            Word::Value(value) => self.value(value),
            Word::Byte(expr, 0) => {
                for address in self.expressions.constants(state, expr) {
                    self.reach(address);
                }
            }
            Word::Byte(_, home) => self.reach(home),
        });
    }

    fn value(&mut self, value: Value) {
        if let Some(address) = certain_address(self.state, value) {
            self.reach(address);
        } else if value.is_symbolic() {
            for address in self.expressions.addresses(self.state, value) {
                self.reach(address);
            }
        }
    }

    fn reach(&mut self, address: u64) {
        if let Some((base, object)) = self.state.memory.object_at(address)
            && !is_global(object.kind)
            && object.life == Life::Live
            && self.bases.insert(base)
        {
            self.left.push((base, object));
        }
    }
}
