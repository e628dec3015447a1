//! The allocated memory, and the blocks that are lost: no pointer leads to them.
//!
//! Pointers are searched for in everything that the program can still read: globals; thread-local
//! variables and thread-specific data of threads that have not ended; live stack objects; registers
//! (variables in their scopes, and temporaries that will be read); results of threads that were not
//! joined; data of models (arguments of exit handlers, contents of files and pipes, streams). From
//! there the search follows heap blocks. Any eight bytes count, at any alignment, whose address
//! lies in the slot of a block: its beginning, its inside (so low bits may be used as tags), the
//! place after its end. An address that was computed out of its block counts for the block. The
//! variables of functions that had not returned when the process exited count, too
//! ([`keep_at_exit`](State::keep_at_exit)).
//!
//! So a lost block stays lost whatever the program does, unless it hides addresses (by exclusive
//! or, in the highest bits, in a text file). What is lost follows from the contents of
//! fingerprints: with `Options::leaks` these include variables, frames of parked threads and the
//! places where blocks were allocated.
//!
//! The target of a symbolic value may depend on inputs. If the value was computed from an address,
//! its object is known. Otherwise, if its expression contains the address of a block, it is open
//! whether that block is lost ([`Program::leave_open`]).

use crate::addresses::{Expressions, certain_address, each_register};
use crate::libc::files;
use crate::memory::{Kind, Life, Object, Parts, Word};
use crate::phase::Phase;
use crate::program::Program;
use crate::state::State;
use crate::thread::{Stage, Thread};
use crate::value::{Tag, Value};
use crate::vm::Vm;
use crate::word::{MAX_AT_EXIT, RecordField, WordKey, WordOwner};
use rustc_hash::FxHashSet;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Allocated, Allocates, Blocks, Op, Pending, Property, Status, Unsupported};
use std::collections::BTreeMap;

/// Marks an address in a `WordKey::AtExit` that a value may or may not be.
const POSSIBLE: u64 = 1 << 63;

impl Allocates for Vm {
    fn allocated(&self) -> Allocated {
        let state = &self.state;
        let blocks: Vec<(u64, &Object)> = state
            .memory
            .live_objects()
            .filter(|(_, object)| object.kind == Kind::Heap)
            .collect();
        let at_end = is_at_end(state);
        if let Some(ending) = ends_beside_frees(state) {
            let what = "whether memory is freed by the time the process ends, which does not wait for a thread that frees some";
            self.leave_open(Property::Cleanup, what, state.pending()[ending].action.stmt);
        }
        if blocks.is_empty() {
            return Allocated::default();
        }
        let found = Search::of(&self.program, state);
        let lost = blocks
            .iter()
            .copied()
            .filter(|(base, _)| !found.certain.contains(base));
        let (open, lost): (Vec<_>, Vec<_>) = lost.partition(|(base, _)| found.possible.contains(base));
        for (_, object) in open {
            let what = "whether memory is lost to which only a value that depends on inputs may point";
            self.leave_open(Property::Leak, what, object.made.stmt);
        }
        let streams: Vec<u64> = files::stream_objects(state).collect();
        let left = blocks
            .iter()
            .copied()
            .filter(|(base, _)| at_end && !streams.contains(base));
        Allocated {
            lost: self.by_place(lost.into_iter()),
            left: self.by_place(left),
        }
    }
}

impl Vm {
    fn leave_open(&self, property: Property, what: &str, stmt: StmtId) {
        let what = what.to_owned();
        self.program.leave_open(property, Unsupported { what, stmt });
    }

    /// Blocks by the statement that reports show.
    fn by_place<'a>(&self, blocks: impl Iterator<Item = (u64, &'a Object)>) -> Vec<Blocks> {
        let state = &self.state;
        let mut places: BTreeMap<StmtId, Blocks> = BTreeMap::new();
        for (base, object) in blocks {
            let (stmt, context) =
                crate::describe::outside_library(&self.program, state, object.made.stmt, object.made.context);
            let place = places.entry(stmt).or_insert_with(|| Blocks {
                stmt,
                context,
                thread: owner(state, base).unwrap_or(ThreadId(0)),
                bytes: 0,
                blocks: 0,
            });
            place.bytes += object.size;
            place.blocks += 1;
        }
        places.into_values().collect()
    }
}

impl State {
    /// Stores the targets of the variables of a thread that ends the process. Its frames are gone
    /// from then on, although its functions have not returned.
    pub(crate) fn keep_at_exit(&mut self, program: &Program, thread: ThreadId) {
        let (mut certain, mut possible) = (Vec::new(), Vec::new());
        let mut expressions = Expressions::default();
        each_register(program, self.thread(thread), &mut |value| {
            match certain_address(self, value) {
                Some(address) => certain.push(address),
                None => possible.extend(expressions.addresses(self, value)),
            };
        });
        let possible = possible.into_iter().map(|address| address | POSSIBLE);
        let mut addresses: Vec<u64> = certain.into_iter().chain(possible).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let region = self.thread(thread).region;
        for (i, address) in (0..MAX_AT_EXIT).zip(addresses) {
            self.set_word(WordKey::AtExit(region, i), address);
        }
    }

    /// Records that a thread has freed memory.
    pub(crate) fn note_free(&mut self, thread: ThreadId) {
        let word = WordKey::Freed(self.thread(thread).region);
        if self.word(word) == 0 {
            self.set_word(word, 1);
        }
    }

    fn has_freed(&self, thread: &Thread) -> bool {
        self.word(WordKey::Freed(thread.region)) != 0
    }
}

/// True if a thread has ended, but not by ending the process.
fn is_gone(state: &State, thread: usize) -> bool {
    state.threads()[thread].core.stage == Stage::Finished
        && state.pending()[thread].action.op != Op::ProcessExit
}

/// The thread that made an object.
fn owner(state: &State, base: u64) -> Option<ThreadId> {
    let region = Parts::of(base)?.owner;
    let thread = state.threads().iter().position(|t| t.region == region)?;
    Some(ThreadId::from_index(thread))
}

/// The thread that has ended the process, or may do so whatever other threads do.
fn ends_process(state: &State) -> Option<usize> {
    let ends = |p: &Pending| p.action.op == Op::ProcessExit && p.status != Status::Parked;
    state.pending().iter().position(ends)
}

/// True if the process has ended or may end now.
fn is_at_end(state: &State) -> bool {
    ends_process(state).is_some() || (0..state.threads().len()).all(|t| is_gone(state, t))
}

/// The thread that ends the process, if it might have done so before memory was freed by a thread
/// for which it need not have waited. If all threads were joined, the threads that joined them were
/// joined, too.
fn ends_beside_frees(state: &State) -> Option<usize> {
    let ending = ends_process(state)?;
    let mut others = state.threads().iter().enumerate().filter(|&(t, _)| t != ending);
    let frees = others.clone().any(|(_, t)| state.has_freed(t));
    (frees && others.any(|(_, t)| !t.core.joined)).then_some(ending)
}

/// The blocks to which pointers lead.
#[derive(Default)]
struct Search {
    /// Blocks to which a pointer certainly leads.
    certain: FxHashSet<u64>,
    /// Blocks to which a pointer may lead.
    possible: FxHashSet<u64>,
    /// Certain blocks whose contents were not searched yet.
    left: Vec<(u64, Object)>,
    /// Addresses that a value may be.
    open: Vec<u64>,
    expressions: Expressions,
}

impl Search {
    /// The search in a state.
    fn of(program: &Program, state: &State) -> Search {
        let mut search = Search::default();
        search.threads(program, state);
        search.words(state);
        for (base, object) in state.memory.live_objects() {
            let gone = |owner: ThreadId| is_gone(state, owner.index());
            let is_root = match object.kind {
                Kind::Heap => false,
                Kind::ThreadLocal => !owner(state, base).is_some_and(gone),
                _ => true,
            };
            if is_root {
                search.look_into(state, base, object);
            }
        }
        while let Some((base, object)) = search.left.pop() {
            search.look_into(state, base, &object);
        }
        // The blocks to which these lead are as uncertain as they are.
        let mut further = Search {
            certain: std::mem::take(&mut search.certain),
            ..Search::default()
        };
        let certain = further.certain.clone();
        let mut open = std::mem::take(&mut search.open);
        loop {
            for address in std::mem::take(&mut open) {
                further.reach(state, address);
            }
            let Some((base, object)) = further.left.pop() else {
                break;
            };
            further.look_into(state, base, &object);
            open.append(&mut further.open);
        }
        search.possible = further.certain.difference(&certain).copied().collect();
        search.certain = certain;
        search
    }

    /// Searches the data of threads outside of memory.
    fn threads(&mut self, program: &Program, state: &State) {
        let joins = |t: &Thread| t.core.phase == Phase::Joined && t.core.stage != Stage::Finished;
        let joining = state.threads().iter().any(joins);
        for (number, thread) in state.threads().iter().enumerate() {
            let core = &thread.core;
            let gone = is_gone(state, number);
            if !gone || joining || !core.joined && !core.detached {
                self.value(state, core.result);
            }
            if gone {
                continue;
            }
            each_register(program, thread, &mut |value| self.value(state, value));
            if core.stage == Stage::Created {
                self.value(state, thread.start.1);
            }
            for number in [core.note, core.wait[0].0, core.wait[1].0] {
                self.value(state, Value::new(number));
            }
        }
    }

    /// Searches the data of models.
    fn words(&mut self, state: &State) {
        for (key, word) in state.words() {
            let readable = match key.owner() {
                WordOwner::Thread(t) => t.index() < state.threads().len() && !is_gone(state, t.index()),
                WordOwner::Process | WordOwner::Region(_) => true,
            };
            if !readable || crate::sync::is_of_deleted_key(state, key) {
                continue;
            }
            match key {
                WordKey::Record(region, access, RecordField::Tag) => {
                    let tag = Tag(word as u32);
                    let bits = state.word(WordKey::Record(region, access, RecordField::Bits));
                    self.value(state, Value { bits, tag });
                }
                WordKey::AtExit(..) if word & POSSIBLE != 0 => self.open.push(word & !POSSIBLE),
                _ => self.value(state, Value::new(word)),
            }
        }
    }

    fn look_into(&mut self, state: &State, base: u64, object: &Object) {
        state.memory.each_word(base, object, &mut |word| match word {
            Word::Value(value) => self.value(state, value),
            Word::Byte(expr, 0) => self.open.extend(self.expressions.constants(state, expr)),
            Word::Byte(_, home) => self.reach(state, home),
        });
    }

    fn value(&mut self, state: &State, value: Value) {
        match certain_address(state, value) {
            Some(address) => self.reach(state, address),
            None if value.is_symbolic() => self.open.extend(self.expressions.addresses(state, value)),
            None => {}
        }
    }

    fn reach(&mut self, state: &State, address: u64) {
        if let Some((base, object)) = state.memory.object_at(address)
            && object.kind == Kind::Heap
            && object.life == Life::Live
            && self.certain.insert(base)
        {
            self.left.push((base, object));
        }
    }
}
