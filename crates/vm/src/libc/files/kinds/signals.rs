//! Files that signals are read from: `signalfd`.
//!
//! As with `sigwait`, any signal of the set may come from outside at any moment, and one comes in
//! the end; what threads of the program send each other comes to the same. Whether one has come can
//! be observed by operations on the file only, so each of them decides it (`ripe.rs`), by an input.
//! A thread that waits for nothing else goes on. Which signal a read gives is an input, too.
//!
//! `FileField::Content` is the set, and `Counter` is 1 if a signal is known to have come.
//!
//! A read gives one signal: with room for several it is unsupported. The sender is said to be
//! process 1 of the same user, by `kill`.

use crate::hidden::HiddenObject;
use crate::libc::files::action::hidden;
use crate::libc::files::content::{self, NONBLOCK, too_many};
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::errno::{EAGAIN, EINVAL};
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::libc::limited;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::state::State;
use crate::symbolic::Source;
use crate::value::{Symbol, Value};
use crate::word::FileField;
use selvedge_model::{InputKind, ObjectId, Outcome};

/// The models of this file: `__selvedge_signal_file(set, flags)`.
pub(in crate::libc::files) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__selvedge_signal_file" => operation!(create_part, create),
        _ => return None,
    })
}

/// Files of signals; see the documentation of the module.
pub(in crate::libc::files) const SIGNALS: Signals = Signals;

/// Files of signals; see the documentation of the module.
pub(in crate::libc::files) struct Signals;

/// The size of a `struct signalfd_siginfo`, and what is in it: the number, how it was sent, and who
/// sent it.
const SIZE: u64 = 128;
const SENDER: u64 = 12;
const USER: u64 = 16;
const OUR_USER: u64 = 1000;

/// Which signal has come, as its place in the set.
const WHICH: Source<'static> = Source {
    name: "which signal has come",
    kind: InputKind::Scalar {
        bits: 64,
        signed: false,
    },
    size: 8,
};

fn create_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    open::install_part(cx)
}

fn create(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) != Phase::First {
        let fd = open::install(cx, false)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let (set, flags) = (cx.word(0)?, u64::from(cx.int(1)? as u32));
    if flags & !(content::CLOSE_ON_EXEC | NONBLOCK) != 0 {
        return refused(cx, EINVAL);
    }
    let file = table::new_file(cx.state, Kind::Signals, 0o600).ok_or_else(too_many)?;
    table::set_field(cx.state, file, FileField::Content, set);
    match open::reserve(cx, file, How::unnamed(flags))? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

fn set(state: &State, file: u32) -> u64 {
    table::field(state, file, FileField::Content)
}

fn has_come(state: &State, file: u32) -> bool {
    table::field(state, file, FileField::Counter) != 0
}

/// The number of a signal of the set: an input, unless there is one only.
fn number(cx: &mut Cx<'_>, set: u64) -> Value {
    let numbers: Vec<u64> = (1..=64).filter(|n| set >> (n - 1) & 1 != 0).collect();
    let [first, _, ..] = numbers[..] else {
        return Value::new(numbers.first().copied().unwrap_or(0));
    };
    let which = cx.input(&WHICH)[0];
    limited::within(cx, which, 0, numbers.len() as u64 - 1);
    let tags = &cx.state.memory.tags;
    if which.is_concrete() {
        return Value::new(numbers.get(which.bits as usize).copied().unwrap_or(first));
    }
    let place = tags.expr(which, 64);
    let arena = &tags.arena;
    let constants = numbers
        .iter()
        .map(|&number| arena.constant(32, u128::from(number)));
    let table: Vec<_> = constants.collect();
    tags.symbolic(Symbol {
        expr: arena.select(&table, place),
        undefined: 0,
        home: 0,
    })
}

impl FileDescription for Signals {
    fn what(&self) -> &'static str {
        "a file of signals"
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status::ANONYMOUS)
    }

    fn woken_by(&self, file: u32) -> Option<ObjectId> {
        Some(HiddenObject::File(file).id())
    }

    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        Ok(Readiness {
            readable: has_come(state, open.file),
            ..Readiness::default()
        })
    }

    fn ripens(&self, state: &State, open: &OpenFile) -> bool {
        set(state, open.file) != 0 && !has_come(state, open.file)
    }

    fn ripen(&self, state: &mut State, open: &OpenFile) {
        table::set_field(state, open.file, FileField::Counter, 1);
    }

    fn refuses(&self, count: u64) -> Option<i32> {
        (count < SIZE).then_some(EINVAL)
    }

    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        set(state, open.file) != 0
    }

    fn waits_to_read(&self) -> &'static str {
        "waits for a signal of an empty set"
    }

    fn available(&self, state: &State, open: &OpenFile, count: u64, _: Option<u64>) -> Answer<u64> {
        if count >= 2 * SIZE {
            return Err(Flow::Unsupported("reading several signals at once".into()));
        }
        Ok(if has_come(state, open.file) {
            Ok(SIZE)
        } else {
            Err(EAGAIN)
        })
    }

    fn read(&self, cx: &mut Cx<'_>, open: &OpenFile, to: u64, _: u64, _: Option<u64>) -> Result<(), Stop> {
        let set = set(cx.state, open.file);
        let number = number(cx, set);
        for at in (to..to + SIZE).step_by(8) {
            cx.state.memory.poke_checked(at, 8, Value::new(0));
        }
        cx.state.memory.poke_checked(to, 4, number);
        cx.state.memory.poke_checked(to + SENDER, 4, Value::new(1));
        cx.state.memory.poke_checked(to + USER, 4, Value::new(OUR_USER));
        table::set_field(cx.state, open.file, FileField::Counter, 0);
        Ok(())
    }

    fn write(&self, _: &mut Cx<'_>, _: &OpenFile, _: Bytes, _: Option<u64>) -> Answer<Written> {
        Ok(Err(EINVAL))
    }
}
