//! The state without the names of its inputs, for the comparison of cutoffs.
//!
//! Two states have the same future, except for the names of inputs, if a one-to-one renaming of
//! inputs makes three things equal:
//!
//! 1. *What later steps read*: registers, bytes and hidden words that are live and symbolic. The
//!    inputs on which one of them depends are *live*.
//! 2. *What can be satisfied with them*: the constraints of the path that are linked to live
//!    inputs, also through other inputs. A later condition has only live inputs and new ones. The
//!    other constraints share no input with it, nor with a linked constraint. The path is feasible,
//!    so some inputs satisfy them, and the same inputs satisfy them whatever is decided later. So
//!    they can be dropped, together with the inputs on which nothing depends any more.
//! 3. *Which thread knows which outcome*, for conditions on live inputs. If a thread knows the
//!    outcome, its decision is no event.
//!
//! A byte of memory that was never written may be an input (`memory/unwritten.rs`). A later step
//! may read it as long as it is not written. So then it is a live value, if anything depends on the
//! input: another live value, a constraint or an outcome that is known. If nothing does, it is like
//! an input that nobody has requested yet, and the byte counts as undefined only.
//!
//! The names of inputs are replaced by numbers, in the order in which a traversal of the live
//! values finds them, and then of the linked constraints. The number of inputs that a thread has
//! requested is left out: it only names later ones.
//!
//! This is not a sum of the contributions of events: an input dies with its last use, whichever
//! thread has that. So it is computed from the whole state, as the difference between the fragments
//! under new names and the same fragments as they are in the fingerprint.

use super::key::{FragmentKind, Keys};
use super::threads::{self, Names, Style};
use super::{decision, sync};
use crate::memory::address_of;
use crate::program::Program;
use crate::state::State;
use crate::symbolic::{is_time, relative};
use crate::word::WordKey;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, Domain, ForTests, Id, ThreadId};
use selvedge_expr::{Arena, Expr, InputId, Renaming};
use std::cell::{Cell, RefCell};

static CONSTRAINT: Domain = Domain::new("constraint");
static KNOWN: Domain = Domain::new("known outcome");
static UNWRITTEN: Domain = Domain::new("unwritten byte");

/// A deliberate mistake, to show that tests find it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Forget {
    /// None.
    #[default]
    Nothing,
    /// The constraints.
    Constraints,
    /// Constraints that are linked only through other inputs.
    Links,
    /// Which thread knows which outcome.
    Knowledge,
    /// Which inputs are equal.
    Identity,
    /// Symbolic values.
    Values,
    /// How far times are from now.
    Times,
    /// That bytes of memory are inputs that are known already.
    Unwritten,
}

/// The value to add to the fingerprint so that names of inputs, and inputs that are not live, do
/// not count.
pub(super) fn without_names(program: &Program, state: &State, forget: ForTests<Forget>) -> Digest {
    let (keys, path, arena) = (Keys::SOUND, &state.path(), &state.memory.tags.arena);
    let renaming = RefCell::new(Renaming::new(arena));
    let live = RefCell::new(FxHashSet::default());
    let mut sum = Digest::EMPTY;
    // The fragments as they are. This traversal finds the live inputs.
    let exact = |e: Expr| {
        if is_time(arena, e) && arena.inputs_of(e).len() == 1 {
            return arena.hash(e);
        }
        live.borrow_mut().extend(arena.inputs_of(e).iter().copied());
        if !forget.is(Forget::Identity) {
            renaming.borrow_mut().meet(e);
        }
        arena.hash(e)
    };
    each_fragment(program, state, (&exact, true), &mut |kind, words| {
        sum = sum.without(keys.words(kind, words));
    });
    for (region, name) in path.decided() {
        sum = sum.without(keys.words(FragmentKind::Decision, &decision(region, name)));
    }
    let mut live = live.into_inner();
    let unwritten = match forget.is(Forget::Unwritten) {
        true => Vec::new(),
        false => unwritten(state, &live),
    };
    for &(_, input) in &unwritten {
        live.insert(input);
        if !forget.is(Forget::Identity) {
            renaming.borrow_mut().meet(arena.input_expr(input));
        }
    }
    let mut linked = match forget.is(Forget::Constraints) {
        true => Vec::new(),
        false => linked(arena, path.constraints(), &live, forget),
    };
    linked.sort_by_cached_key(|&e| (renaming.borrow_mut().hash(e), arena.hash(e)));
    let mut renaming = renaming.into_inner();
    if !forget.is(Forget::Identity) {
        linked.iter().for_each(|&e| renaming.meet(e));
    }
    for (address, input) in unwritten {
        let [low, high] = renaming.hash(arena.input_expr(input)).words();
        sum = sum.with(Digest::of_words(&UNWRITTEN, &[address, low, high]));
    }
    for e in linked {
        let name = renaming.hash(e);
        sum = sum.with(Digest::of_words(&CONSTRAINT, &name.words()));
    }
    for ((who, e), value) in path.all_known() {
        if !forget.is(Forget::Knowledge) && arena.inputs_of(e).iter().all(|input| live.contains(input)) {
            let who = match who.checked_sub(1) {
                Some(thread) => u64::from(state.thread(ThreadId::from_index(thread as usize)).region),
                None => 0,
            };
            let [low, high] = renaming.hash(e).words();
            let words = [who, low, high, value as u64, (value >> 64) as u64];
            sum = sum.with(Digest::of_words(&KNOWN, &words));
        }
    }
    if forget.is(Forget::Values) {
        return sum;
    }
    // The fragments under new names.
    let renaming = RefCell::new(renaming);
    let now = |region: u32| {
        let thread = state.threads().iter().position(|thread| thread.region == region);
        thread.map_or(0, |thread| {
            state.word(WordKey::Clock(ThreadId::from_index(thread)))
        })
    };
    let renamed = |e: Expr| match is_time(arena, e) {
        true if forget.is(Forget::Times) => Digest::EMPTY,
        true => relative(arena, e, &now, &mut |e| renaming.borrow_mut().hash(e)),
        false => renaming.borrow_mut().hash(e),
    };
    each_fragment(program, state, (&renamed, false), &mut |kind, words| {
        sum = sum.with(keys.words(kind, words));
    });
    sum
}

/// The bytes of memory that may still be read as inputs on which something depends, by address.
/// `live`: the inputs in registers, memory and hidden words.
fn unwritten(state: &State, live: &FxHashSet<InputId>) -> Vec<(u64, InputId)> {
    let arena = &state.memory.tags.arena;
    let path = state.path();
    let known = path.all_known().map(|((_, e), _)| e);
    let used = path.constraints().iter().copied().chain(known);
    let mut inputs = live.clone();
    used.for_each(|e| inputs.extend(arena.inputs_of(e).iter().copied()));
    let place = |input: InputId| {
        let address = address_of(arena.input_key(input))?;
        state.memory.name_of(address).map(|_| (address, input))
    };
    let mut found: Vec<(u64, InputId)> = inputs.into_iter().filter_map(place).collect();
    found.sort_unstable();
    found
}

/// The constraints that share inputs with live ones, also through other constraints; each once.
fn linked(
    arena: &Arena,
    constraints: &[Expr],
    live: &FxHashSet<InputId>,
    forget: ForTests<Forget>,
) -> Vec<Expr> {
    let mut by_input: FxHashMap<InputId, Vec<Expr>> = FxHashMap::default();
    for &e in constraints {
        for &input in arena.inputs_of(e).iter() {
            by_input.entry(input).or_default().push(e);
        }
    }
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut next: Vec<InputId> = live.iter().copied().collect();
    next.sort_unstable();
    while let Some(input) = next.pop() {
        for e in by_input.remove(&input).unwrap_or_default() {
            if seen.insert(e) {
                found.push(e);
                if !forget.is(Forget::Links) {
                    next.extend(arena.inputs_of(e).iter().copied());
                }
            }
        }
    }
    found
}

/// Calls `f` with the fragments that have symbolic values or count inputs, in an order that does
/// not depend on the interleaving. `names`: the names of expressions. `counts_inputs`: whether the
/// number of inputs that a thread has requested counts.
fn each_fragment(
    program: &Program,
    state: &State,
    (names, counts_inputs): (Names<'_>, bool),
    f: &mut dyn FnMut(FragmentKind, &[u64]),
) {
    let met = Cell::new(false);
    let name = |e: Expr| {
        met.set(true);
        names(e)
    };
    let mut threads: Vec<usize> = (0..state.threads().len()).collect();
    threads.sort_unstable_by_key(|&t| state.threads()[t].region);
    let mut words = Vec::new();
    for number in threads {
        let thread = &state.threads()[number];
        let clock = WordKey::Clock(ThreadId::from_index(number));
        let now = state.word(clock);
        let uses_clock = state.modes().relative_clocks && now > 0;
        let style = Style {
            named: false,
            counts_inputs,
            now: (uses_clock && !counts_inputs).then_some(now),
            renamed: Some(&name),
        };
        if uses_clock {
            let now = style.now.map_or(now, |_| 1);
            f(FragmentKind::Word, &sync::word(state, clock, now, style));
        }
        threads::birth(state, number, style, &mut words);
        if met.take() {
            f(FragmentKind::Birth, &words);
        }
        threads::core(state, thread, style, &mut words);
        if met.take() || thread.core.inputs > 0 || uses_clock {
            f(FragmentKind::Core, &words);
        }
        for index in 0..threads::depth(program, thread) {
            if threads::has_symbolic(program, state, thread, index) {
                threads::frame(program, state, (thread, index), style, &mut words);
                f(FragmentKind::Frame, &words);
            }
        }
        met.set(false);
    }
    state.memory.each_symbolic_byte(names, f);
    let style = Style {
        named: false,
        counts_inputs,
        now: None,
        renamed: Some(&name),
    };
    let mut hidden: Vec<(WordKey, u64)> = state.tag_words().collect();
    hidden.sort_unstable_by_key(|&(key, _)| sync::word_name(state, key));
    for (key, value) in hidden {
        let words = sync::word(state, key, value, style);
        if met.take() {
            f(FragmentKind::Word, &words);
        }
    }
}
