//! Claims of a read-write lock that is a word of memory.
//!
//! The word has the form of Rust's: the low 30 bits count the readers, and are all set while a
//! writer has the lock; one bit says that a writer waits, and one that readers wait.
//! `crates/analysis/src/rust_rwlocks.rs` puts these claims in the place of the library's code, and
//! says why they do what they do. There are two sorts. Where nobody asks for the lock without
//! waiting for it, a writer announces itself only to readers that have the lock, and readers never
//! do. Where somebody does, both announce themselves to whoever has it.
//!
//! A thread that announces itself has not got the lock: the claim goes on as the next action of its
//! thread.

use super::lock_word::{WORD, prepare_at, read, write};
use super::operation::done;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use selvedge_ir::{CLAIM_EXCLUSIVE, CLAIM_SHARED, CLEAR_WAITING};
use selvedge_model::{Action, MemoryOrder, Outcome};

/// The bits that count readers.
const COUNT: u32 = (1 << 30) - 1;
/// What they are while a writer has the lock.
const WRITER: u32 = COUNT;
/// The greatest number of readers.
const MOST: u32 = COUNT - 1;
const READERS_WAIT: u32 = 1 << 30;
const WRITERS_WAIT: u32 = 1 << 31;
const BOTH_WAIT: u32 = READERS_WAIT | WRITERS_WAIT;

/// The outcomes of actions that do not take the lock, as values.
const ANNOUNCED: u16 = 1;
const CLEARED: u16 = 2;

/// What a thread wants of the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Read,
    Write,
    /// `Read` and `Write` where both announce themselves to whoever has the lock.
    ReadAnnounced,
    WriteAnnounced,
    /// To remove the bits of those that wait, after it has given the lock back.
    Clear,
}

/// What comes of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comes {
    /// It is not possible.
    Blocked,
    /// It ends the claim. The word after it.
    Ends(u32),
    /// The thread announces itself. The word after it.
    Announces(u32),
    /// The greatest number of readers is reached, which is a panic in the library.
    TooMany,
}

/// [`Kind`]s in `Core::note` are above all values that a claim waits for, and below all bits.
const KINDS: [Kind; 5] = [
    Kind::Read,
    Kind::Write,
    Kind::ReadAnnounced,
    Kind::WriteAnnounced,
    Kind::Clear,
];

impl Kind {
    /// The kind that a thread has noted; `None` if it waits for a value.
    pub(super) fn of(note: u64) -> Option<Kind> {
        let number = (note >> 32).checked_sub(1)?;
        KINDS.get(number as usize).copied()
    }

    fn note(self) -> u64 {
        (self as u64 + 1) << 32
    }

    pub(super) fn is_shared(self) -> bool {
        matches!(self, Kind::Read | Kind::ReadAnnounced)
    }

    /// In how many ways a step is possible.
    pub(super) fn alternatives(self, word: u32) -> u16 {
        match self {
            Kind::Clear => 1 + u16::from(word == BOTH_WAIT),
            _ => u16::from(self.comes(word) != Comes::Blocked),
        }
    }

    fn comes(self, word: u32) -> Comes {
        let count = word & COUNT;
        match self {
            Kind::Read if count == 0 => Comes::Ends(1),
            Kind::ReadAnnounced if word & READERS_WAIT != 0 => Comes::Blocked,
            Kind::Read | Kind::ReadAnnounced if word < MOST => Comes::Ends(word + 1),
            Kind::Read | Kind::ReadAnnounced if count == MOST => Comes::TooMany,
            Kind::Read => Comes::Blocked,
            Kind::ReadAnnounced => Comes::Announces(word | READERS_WAIT),

            Kind::Write | Kind::WriteAnnounced if count == 0 => Comes::Ends(word & READERS_WAIT | WRITER),
            Kind::Write | Kind::WriteAnnounced if word & WRITERS_WAIT != 0 => Comes::Blocked,
            Kind::Write if count == WRITER => Comes::Blocked,
            Kind::Write | Kind::WriteAnnounced => Comes::Announces(word | WRITERS_WAIT),

            Kind::Clear => Comes::Ends(word),
        }
    }
}

/// The models of this file: `__selvedge_claim_shared(word, announces)`,
/// `__selvedge_claim_exclusive(word, announces)` and `__selvedge_clear_waiting(word, found)`.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(Native::Visible(match name {
        CLAIM_SHARED => Visible {
            prepare: |cx| prepare(cx, [Kind::Read, Kind::ReadAnnounced]),
            perform: claim,
            numbers: ALL_ARGUMENTS,
        },
        CLAIM_EXCLUSIVE => Visible {
            prepare: |cx| prepare(cx, [Kind::Write, Kind::WriteAnnounced]),
            perform: claim,
            numbers: ALL_ARGUMENTS,
        },
        CLEAR_WAITING => Visible {
            prepare: |cx| prepare(cx, [Kind::Clear; 2]),
            perform: clear,
            numbers: ALL_ARGUMENTS,
        },
        _ => return None,
    }))
}

/// `kinds`: by whether the second argument is 0.
fn prepare(cx: &mut Cx<'_>, kinds: [Kind; 2]) -> Prepared {
    let (address, kind) = match (cx.word(0), cx.word(1)) {
        (Ok(address), Ok(number)) => (address, kinds[usize::from(number != 0)]),
        (Err(flow), _) | (_, Err(flow)) => return Prepared::Immediate(flow),
    };
    match prepare_at(cx, (address, WORD), kind.note()) {
        // Who has given a lock back learns nothing from those who take it now.
        Prepared::Visible(action) if kind == Kind::Clear => Prepared::Visible(Action {
            order: MemoryOrder::Relaxed,
            ..action
        }),
        prepared => prepared,
    }
}

fn claim(cx: &mut Cx<'_>, _: u16) -> Performed {
    match take(cx) {
        Ok(true) => done(Ok((0, Outcome::Done))),
        Ok(false) => Performed::Again(Outcome::Value(ANNOUNCED)),
        Err(flow) => done(Err(flow)),
    }
}

/// Whether the thread has got the lock.
fn take(cx: &mut Cx<'_>) -> Result<bool, Stop> {
    let address = cx.word(0)?;
    let note = std::mem::take(&mut cx.state.own_core(cx.thread).note);
    let word = read(cx, (address, WORD))? as u32;
    let comes = Kind::of(note).map_or(Comes::Blocked, |kind| kind.comes(word));
    match comes {
        Comes::Ends(word) | Comes::Announces(word) => write(cx, (address, WORD), word.into()),
        Comes::TooMany => return Err(Flow::Unsupported("too many active read locks".into())),
        Comes::Blocked => {
            let text = "a claim of a read-write lock that is not free";
            return Err(Flow::Unsupported(text.into()));
        }
    }
    Ok(matches!(comes, Comes::Ends(_)))
}

/// `alternative`: a writer slept, and was woken, where both sorts of threads wait.
fn clear(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    done(cleared(cx, alternative != 0).map(|()| (0, Outcome::Value(CLEARED))))
}

fn cleared(cx: &mut Cx<'_>, woke: bool) -> Result<(), Stop> {
    let (address, state) = (cx.word(0)?, cx.word(1)? as u32);
    cx.state.own_core(cx.thread).note = 0;
    let word = read(cx, (address, WORD))? as u32;
    write(cx, (address, WORD), after_clearing(word, state, woke).into());
    Ok(())
}

/// The word after it was free and was `found`, and is `word` now.
fn after_clearing(word: u32, found: u32, woke: bool) -> u32 {
    let exchanges = match found {
        // Only writers waited: if readers have come since then, go on as if they had been there.
        WRITERS_WAIT => matches!(word, WRITERS_WAIT | READERS_WAIT | BOTH_WAIT),
        _ => word == found,
    };
    match word {
        _ if !exchanges => word,
        BOTH_WAIT if woke => READERS_WAIT,
        WRITERS_WAIT | READERS_WAIT | BOTH_WAIT => 0,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_AND_WRITERS: u32 = 1 | WRITERS_WAIT;

    #[test]
    fn a_reader_waits_for_a_writer_that_has_the_lock_or_waits_for_readers() {
        let comes = |word| Kind::Read.comes(word);
        assert_eq!(comes(0), Comes::Ends(1));
        assert_eq!(comes(1), Comes::Ends(2));
        assert_eq!(comes(WRITERS_WAIT), Comes::Ends(1));
        assert_eq!(comes(MOST), Comes::TooMany);
        for word in [ONE_AND_WRITERS, WRITER, WRITER | WRITERS_WAIT] {
            assert_eq!(comes(word), Comes::Blocked, "{word:x}");
        }
    }

    #[test]
    fn a_writer_waits_for_all_and_announces_itself_to_readers() {
        let comes = |word| Kind::Write.comes(word);
        assert_eq!(comes(0), Comes::Ends(WRITER));
        assert_eq!(comes(WRITERS_WAIT), Comes::Ends(WRITER));
        assert_eq!(comes(1), Comes::Announces(ONE_AND_WRITERS));
        for word in [ONE_AND_WRITERS, WRITER, WRITER | WRITERS_WAIT] {
            assert_eq!(comes(word), Comes::Blocked, "{word:x}");
        }
    }

    #[test]
    fn all_announce_themselves_where_somebody_only_tries() {
        let reads = |word| Kind::ReadAnnounced.comes(word);
        assert_eq!(reads(1), Comes::Ends(2));
        for word in [WRITER, WRITERS_WAIT, ONE_AND_WRITERS] {
            assert_eq!(reads(word), Comes::Announces(word | READERS_WAIT), "{word:x}");
            assert_eq!(reads(word | READERS_WAIT), Comes::Blocked, "{word:x}");
        }
        assert_eq!(reads(READERS_WAIT), Comes::Blocked);
        let writes = |word| Kind::WriteAnnounced.comes(word);
        assert_eq!(writes(WRITER), Comes::Announces(WRITER | WRITERS_WAIT));
        assert_eq!(writes(WRITER | WRITERS_WAIT), Comes::Blocked);
        assert_eq!(writes(READERS_WAIT), Comes::Ends(WRITER | READERS_WAIT));
        assert_eq!(writes(BOTH_WAIT), Comes::Ends(WRITER | READERS_WAIT));
    }

    #[test]
    fn the_bits_are_removed_as_they_were_found() {
        for word in [WRITERS_WAIT, READERS_WAIT, BOTH_WAIT] {
            assert_eq!(after_clearing(word, word, false), 0);
            assert_eq!(after_clearing(word, WRITERS_WAIT, false), 0);
            for taken in [1, WRITER, word | WRITER] {
                assert_eq!(after_clearing(taken, word, false), taken);
            }
        }
        assert_eq!(after_clearing(BOTH_WAIT, BOTH_WAIT, true), READERS_WAIT);
        assert_eq!(after_clearing(BOTH_WAIT, WRITERS_WAIT, true), READERS_WAIT);
        assert_eq!(after_clearing(READERS_WAIT, BOTH_WAIT, true), READERS_WAIT);
        assert_eq!(after_clearing(BOTH_WAIT, READERS_WAIT, true), BOTH_WAIT);
    }

    #[test]
    fn a_kind_is_no_value() {
        for kind in KINDS {
            assert_eq!(Kind::of(kind.note()), Some(kind));
        }
        assert_eq!(Kind::of(u64::from(u32::MAX)), None);
    }
}
