//! Times as expressions, so that states are the same whatever the time is.
//!
//! A loop that waits until a time from now on reads its thread's clock in each round. Its states
//! differ only in the time: what the clock says next, and the times that the program holds. So in a
//! machine [with relative clocks](crate::Vm::with_relative_clocks), a clock says an expression: an
//! unknown of its thread, plus a number of seconds. The unknown stands for the time from which the
//! clock counts. Its value is always the same ([`MIDDLE`]), so the machine does what it does with
//! numbers. But a program that only adds numbers to times, and compares times of one clock with
//! each other, would do the same with any other value ([`resolve`]). States are therefore compared
//! with each time less the present time of its clock ([`relative`]).
//!
//! Anything else that depends on a time is an *absolute use*: to compare it with a number or with
//! another thread's time, to print it, to take its remainder. It is recorded
//! ([`Program::refuse_relative_clocks`]), and the exploration has to be made again with numbers.
//! Nothing that was found until then is used.
//!
//! *Why the same key means the same future.* Let two states be equal but for a shift of each
//! thread's clock, and of all times of it, by the same number of seconds. Each step from them that
//! is no absolute use has the same outcome, and leads to such states again: clocks and deadlines
//! are only compared with each other (`libc/deadline.rs`), and expressions by [`resolve`], whose
//! result holds for every shift of less than [`MIDDLE`] seconds. No clock goes further, or that is
//! an absolute use, too ([`State::reaches`]). Where the clocks of two threads meet, at a join, the
//! one that goes on is not used again, or its use is an absolute one (`Core::clock_joined`).

use crate::clocks::{MIDDLE, UNKNOWN_BITS as BITS, is_near};
use crate::program::Program;
use crate::state::State;
use crate::value::Value;
use crate::word::WordKey;
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Expr, InputId, InputKey, Node, UnOp, eval};
use std::sync::atomic::Ordering;

/// The number of the input that is a thread's unknown. No thread has so many inputs.
const UNKNOWN: u32 = u32::MAX;
/// How deep sums of times may be.
const DEPTH: u32 = 32;

static OF_CLOCKS: Domain = Domain::new("times");

impl Program {
    /// Whether the program has used a time in another way than to compare it with other times of
    /// the same clock. What was explored with relative clocks is then worth nothing.
    pub fn refuses_relative_clocks(&self) -> bool {
        self.absolute_times.load(Ordering::Relaxed)
    }

    #[cold]
    pub(crate) fn refuse_relative_clocks(&self) {
        self.absolute_times.store(true, Ordering::Relaxed);
    }
}

/// The name of a thread's unknown. `region`: the thread's.
fn name(region: u32) -> InputKey {
    InputKey {
        thread: region,
        ordinal: UNKNOWN,
        byte: 0,
    }
}

/// Whether an input is the unknown of a clock.
fn is_unknown(arena: &Arena, input: InputId) -> bool {
    arena.input_key(input).ordinal == UNKNOWN
}

/// Whether an expression depends on a clock.
pub(crate) fn is_time(arena: &Arena, e: Expr) -> bool {
    arena.inputs_of(e).iter().any(|&input| is_unknown(arena, input))
}

impl State {
    /// What a thread's clock says, which says `seconds` as a number.
    pub(crate) fn says(&self, thread: ThreadId, seconds: u64) -> Value {
        if !self.modes().relative_clocks {
            return Value::new(seconds);
        }
        let tags = &self.memory.tags;
        let unknown = tags.arena.input(name(self.thread(thread).region), BITS);
        let rest = tags.arena.constant(64, u128::from(seconds.wrapping_sub(MIDDLE)));
        tags.of(tags.arena.binary(BinOp::Add, tags.arena.zext(unknown, 64), rest))
    }

    /// Records a use of a time that is not relative.
    pub(crate) fn use_absolute_time(&self) {
        self.absolute_time.set(self.modes().relative_clocks);
    }

    /// Whether a clock was read.
    pub(crate) fn has_read_clock(&self) -> bool {
        self.modes().relative_clocks
            && (0..self.threads().len())
                .any(|thread| self.word(WordKey::Clock(ThreadId::from_index(thread))) > 0)
    }

    /// The value of an expression that depends on clocks; `None` if it does not, or on other
    /// inputs, too.
    pub(crate) fn of_clocks(&self, e: Expr) -> Option<u128> {
        let arena = &self.memory.tags.arena;
        if !self.modes().relative_clocks || !is_time(arena, e) {
            return None;
        }
        let resolved = resolve(arena, e, DEPTH);
        if let Some(value) = arena.as_const(resolved) {
            return Some(value);
        }
        self.use_absolute_time();
        number(arena, e)
    }

    /// A number that a call was given: a length of time (`false`), or the seconds of a point in
    /// time of the thread's clock (`true`). `None` if inputs decide it.
    pub(crate) fn seconds(&self, thread: ThreadId, value: Value, is_point: bool) -> Option<u64> {
        let arena = &self.memory.tags.arena;
        let symbol = self.memory.tags.symbol(value.tag);
        let Some(symbol) =
            symbol.filter(|symbol| self.modes().relative_clocks && is_time(arena, symbol.expr))
        else {
            if is_point && value.is_concrete() && is_near(value.bits) {
                self.use_absolute_time();
            }
            return value.is_concrete().then_some(value.bits);
        };
        if !is_point {
            return self.of_clocks(symbol.expr).map(|seconds| seconds as u64);
        }
        let own = arena.find_input(name(self.thread(thread).region));
        let time = linear(arena, symbol.expr, DEPTH);
        // A point before 0 is refused or past.
        if !time.is_some_and(|time| time.factor == 1 && time.of == own && time.least() >= 0) {
            self.use_absolute_time();
        }
        number(arena, symbol.expr).map(|seconds| seconds as u64)
    }

    /// Looks whether a clock has gone further than its unknown allows.
    pub(crate) fn reaches(&self, seconds: u64) {
        if seconds >= MIDDLE {
            self.use_absolute_time();
        }
    }
}

/// The value of an expression that depends on clocks and on nothing else.
fn number(arena: &Arena, e: Expr) -> Option<u128> {
    let mut values = Assignment::new();
    for &input in arena.inputs_of(e).iter() {
        if !is_unknown(arena, input) {
            return None;
        }
        values.set(input, u128::from(MIDDLE));
    }
    Some(eval(arena, e, &values))
}

/// A number that is a multiple of a clock's unknown plus a constant, and fits 64 bits whatever the
/// unknown is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Linear {
    /// The unknown; `None` if the factor is 0.
    of: Option<InputId>,
    factor: i128,
    offset: i128,
}

impl Linear {
    fn constant(offset: i128) -> Option<Linear> {
        Linear::new(None, 0, offset)
    }

    fn new(of: Option<InputId>, factor: i128, offset: i128) -> Option<Linear> {
        let linear = Linear {
            of: of.filter(|_| factor != 0),
            factor,
            offset,
        };
        let fits = |n: i128| i64::try_from(n).is_ok();
        (fits(factor) && fits(offset) && fits(linear.least()) && fits(linear.most())).then_some(linear)
    }

    fn ends(self) -> (i128, i128) {
        let other = self.offset + self.factor * ((1 << BITS) - 1);
        (self.offset.min(other), self.offset.max(other))
    }

    fn least(self) -> i128 {
        self.ends().0
    }

    fn most(self) -> i128 {
        self.ends().1
    }

    fn plus(self, other: Linear, sign: i128) -> Option<Linear> {
        if self.of.is_some() && other.of.is_some() && self.of != other.of {
            return None;
        }
        let factor = self.factor + sign * other.factor;
        Linear::new(self.of.or(other.of), factor, self.offset + sign * other.offset)
    }

    fn times(self, by: i128) -> Option<Linear> {
        let factor = self.factor.checked_mul(by)?;
        Linear::new(self.of, factor, self.offset.checked_mul(by)?)
    }

    /// How it compares with another one, if that is the same whatever the unknowns are.
    fn compare(self, other: Linear) -> Option<std::cmp::Ordering> {
        if self.of == other.of && self.factor == other.factor {
            Some(self.offset.cmp(&other.offset))
        } else if self.most() < other.least() {
            Some(std::cmp::Ordering::Less)
        } else if self.least() > other.most() {
            Some(std::cmp::Ordering::Greater)
        } else {
            None
        }
    }
}

/// An expression as a linear one: of 64 bits as a signed number, of fewer as an unsigned one.
fn linear(arena: &Arena, e: Expr, depth: u32) -> Option<Linear> {
    let width = arena.width(e);
    let depth = depth.checked_sub(1).filter(|_| width <= 64)?;
    let of = |e| linear(arena, e, depth);
    let linear = match arena.node(e) {
        Node::Const(value) if width == 64 => Linear::constant(i128::from(value as u64 as i64)),
        Node::Const(value) => Linear::constant(value as i128),
        Node::Input(input) if is_unknown(arena, input) => Linear::new(Some(input), 1, 0),
        Node::Zext(a) => of(a),
        Node::Extract(a, 0) => of(a),
        Node::Sext(a) => of(a).filter(|linear| linear.most() < 1 << (arena.width(a) - 1)),
        Node::Unary(UnOp::Neg, a) => of(a)?.times(-1),
        Node::Binary(BinOp::Add, a, b) => of(a)?.plus(of(b)?, 1),
        Node::Binary(BinOp::Sub, a, b) => of(a)?.plus(of(b)?, -1),
        Node::Binary(BinOp::Mul, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match (a.of, b.of) {
                (_, None) => a.times(b.offset),
                (None, _) => b.times(a.offset),
                _ => None,
            }
        }
        Node::Binary(op @ (BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem), a, b) => {
            let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
            let (a, b) = (of(a)?, of(b)?);
            let by = Some(b.offset).filter(|&by| b.of.is_none() && by > 0)?;
            let end = 1 << (width - 1);
            if a.least() < 0 || a.factor % by != 0 || signed && (a.most() >= end || by >= end) {
                return None;
            }
            match op {
                BinOp::SDiv | BinOp::UDiv => Linear::new(a.of, a.factor / by, a.offset.div_euclid(by)),
                _ => Linear::constant(a.offset.rem_euclid(by)),
            }
        }
        Node::Ite(condition, a, b) => match arena.as_const(resolve(arena, condition, depth))? {
            0 => of(b),
            _ => of(a),
        },
        _ => None,
    }?;
    let fits = width == 64 || linear.least() >= 0 && linear.most() < 1 << width;
    fits.then_some(linear)
}

/// The expression with each part replaced by a constant that is that constant whatever the unknowns
/// are: differences of times, and comparisons of times.
fn resolve(arena: &Arena, e: Expr, depth: u32) -> Expr {
    let Some(depth) = depth.checked_sub(1) else {
        return e;
    };
    arena.rewrite(e, |part| {
        if !is_time(arena, part) {
            return Some(part);
        }
        if let Node::Compare(op, a, b) = arena.node(part)
            && let width = arena.width(a)
            && let (Some(a), Some(b)) = (linear(arena, a, depth), linear(arena, b, depth))
            && let Some(order) = a.compare(b)
        {
            // As unsigned numbers, or as signed ones of fewer bits, they have the same order if
            // they are small.
            let (signed, wide) = (matches!(op, CmpOp::Slt | CmpOp::Sle), width == 64);
            let end = 1 << (width - 1);
            let small = |a: Linear| a.least() >= 0 && a.most() < end;
            let natural = op == CmpOp::Eq || signed == wide || small(a) && small(b);
            let holds = match op {
                CmpOp::Eq => order.is_eq(),
                CmpOp::Slt | CmpOp::Ult => order.is_lt(),
                CmpOp::Sle | CmpOp::Ule => order.is_le(),
                _ => return None,
            };
            return natural.then(|| arena.truth(holds));
        }
        let time = linear(arena, part, depth)?;
        let constant = |width| arena.constant(width, u128::from(time.offset as i64 as u64));
        (time.factor == 0).then(|| constant(arena.width(part)))
    })
}

/// The name of an expression that depends on clocks, in a key of a state: with times less the
/// present time of their clocks. `now`: what the clock of the thread in a region says next, as
/// a number. `others`: the name of an expression that depends on other inputs, too.
pub(crate) fn relative(
    arena: &Arena,
    e: Expr,
    now: &dyn Fn(u32) -> u64,
    others: &mut dyn FnMut(Expr) -> Digest,
) -> Digest {
    let mut is_relative = true;
    let relative = arena.rewrite(resolve(arena, e, DEPTH), |part| {
        if !is_time(arena, part) {
            return Some(part);
        }
        if let Node::Input(_) = arena.node(part) {
            is_relative = false;
            return None;
        }
        let time = linear(arena, part, DEPTH).filter(|_| arena.width(part) == 64)?;
        let key = arena.input_key(time.of?);
        let key = InputKey { byte: 1, ..key };
        let offset = time.offset - time.factor * i128::from(now(key.thread));
        let unknown = arena.zext(arena.input(key, BITS), 64);
        let multiple = arena.binary(
            BinOp::Mul,
            unknown,
            arena.constant(64, u128::from(time.factor as i64 as u64)),
        );
        let offset = arena.constant(64, u128::from(offset as u64));
        Some(arena.binary(BinOp::Add, multiple, offset))
    });
    let only_times = arena
        .inputs_of(relative)
        .iter()
        .all(|&input| is_unknown(arena, input));
    if is_relative && only_times {
        return Digest::of_words(&OF_CLOCKS, &arena.hash(relative).words());
    }
    // As it is, with the present time of each clock.
    let [low, high] = others(e).words();
    let mut words = vec![low, high];
    for &input in arena.inputs_of(e).iter() {
        if is_unknown(arena, input) {
            let region = arena.input_key(input).thread;
            words.extend([u64::from(region), now(region)]);
        }
    }
    Digest::of_words(&OF_CLOCKS, &words)
}
