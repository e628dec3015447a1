//! Thread-specific data: keys, values, destructors.
//!
//! Key numbers are shared hidden state, so creating and deleting a key is visible. Reading and
//! writing a thread's own value is not; the order of that against the deletion of the key by
//! another thread is not explored, so deleting a key that was used while other threads were not
//! joined is unsupported. The number of a deleted key may be used again ([`next_key`]).

use super::errno::{EAGAIN, EINVAL};
use super::operation::{Answer, SUCCESS, done, failed, plain};
use crate::hidden::HiddenObject;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use crate::value::Value;
use crate::word::{MAX_KEYS, WordKey};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, Op};

/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS: u32 = 4;

/// What the lowest bits of `WordKey::KeyDestructor` say beside the function, whose address is a
/// multiple of 16: the key exists; some thread has used it.
const EXISTS: u64 = 1;
const USED: u64 = 2;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "pthread_key_create" | "__pthread_key_create" => Native::Visible(Visible {
            prepare: hidden_prepare,
            perform: |cx, _| done(create(cx)),
            numbers: ALL_ARGUMENTS,
        }),
        "pthread_key_delete" => Native::Visible(Visible {
            prepare: hidden_prepare,
            perform: delete,
            numbers: ALL_ARGUMENTS,
        }),
        "pthread_setspecific" => Native::Plain(|cx| plain(set(cx))),
        "pthread_getspecific" | "tss_get" => Native::Plain(get),
        _ => return None,
    })
}

pub(super) fn hidden_prepare(cx: &mut Cx<'_>) -> Prepared {
    Prepared::Visible(Action {
        object: HiddenObject::Keys.id(),
        ..cx.action(Op::Hidden, 0)
    })
}

pub(super) fn create(cx: &mut Cx<'_>) -> Answer {
    let (out, destructor) = (cx.word(0)?, cx.word(1)?);
    let Some(key) = next_key(cx)? else {
        return Ok(failed(EAGAIN));
    };
    cx.store(out, 4, Value::new(u64::from(key)))?;
    let count = cx.state.word(WordKey::KeyCount).max(u64::from(key) + 1);
    cx.state.set_word(WordKey::KeyCount, count);
    // What threads made of a deleted key of this number is gone.
    for thread in (0..cx.state.threads().len()).map(ThreadId::from_index) {
        let value = WordKey::KeyValue(thread, key);
        if cx.state.word(value) != 0 {
            cx.state.set_word(value, 0);
        }
    }
    cx.state
        .set_word(WordKey::KeyDestructor(key), destructor | EXISTS);
    Ok(SUCCESS)
}

/// The number of the next key; none if all are taken.
///
/// That of a deleted key is used again where dead memory is reused, and where there is no other. It
/// must be main that creates the key, and the only thread: in another order, another thread could
/// have used the deleted key, which is an error. 0 is given only once, since a program that starts
/// with a key has none of that number ([`create_key`]).
fn next_key(cx: &Cx<'_>) -> Result<Option<u32>, Stop> {
    let state = &*cx.state;
    let count = state.word(WordKey::KeyCount) as u32;
    let new = Some(count).filter(|&next| next < MAX_KEYS);
    if new.is_some() && state.modes().quarantine.is_none() {
        return Ok(new);
    }
    let deleted = (1..count).find(|&key| state.word(WordKey::KeyDestructor(key)) == 0);
    match deleted.filter(|_| !has_others(cx)) {
        None if new.is_none() && deleted.is_some() => Err(Flow::Unsupported(
            "more keys than 1024, of which some were deleted, while there are threads that were not joined"
                .into(),
        )),
        again => Ok(again.or(new)),
    }
}

/// Whether there are other threads that were not joined.
fn has_others(cx: &Cx<'_>) -> bool {
    let me = cx.thread.index();
    let mut threads = cx.state.threads().iter().enumerate();
    threads.any(|(i, t)| i != me && !t.core.joined)
}

/// Creates a key before the program starts, which counts as used. Its number is not 0, which some
/// programs take for no key.
pub(crate) fn create_key(state: &mut State, destructor: u64) -> u64 {
    const KEY: u32 = 1;
    state.set_word(WordKey::KeyCount, u64::from(KEY) + 1);
    state.set_word(WordKey::KeyDestructor(KEY), destructor | EXISTS | USED);
    u64::from(KEY)
}

fn live(cx: &Cx<'_>, key: u32) -> bool {
    key < MAX_KEYS && cx.state.word(WordKey::KeyDestructor(key)) != 0
}

/// A thread uses a live key; in whatever order they do, the key then counts as used.
fn used(cx: &mut Cx<'_>, key: u32) {
    let word = WordKey::KeyDestructor(key);
    let before = cx.state.word(word);
    if before & USED == 0 {
        cx.state.set_word(word, before | USED);
    }
}

pub(super) fn delete(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(delete_key(cx))
}

fn delete_key(cx: &mut Cx<'_>) -> Answer {
    let key = cx.word(0)? as u32;
    if !live(cx, key) {
        return Ok(failed(EINVAL));
    }
    let is_used = cx.state.word(WordKey::KeyDestructor(key)) & USED != 0;
    if is_used && has_others(cx) {
        return Err(Flow::Unsupported(
            "pthread_key_delete of a used key while there are threads that were not joined".into(),
        ));
    }
    cx.state.set_word(WordKey::KeyDestructor(key), 0);
    Ok(SUCCESS)
}

/// Values belong to the thread in whose place a handler runs.
fn own_values(cx: &Cx<'_>) -> Result<(), Stop> {
    match crate::arrived::acts_for(cx.state, cx.thread) == cx.thread {
        true => Ok(()),
        false => Err(Flow::Unsupported(
            "thread-specific data in a handler that runs while its thread waits".into(),
        )),
    }
}

pub(super) fn set(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    own_values(cx)?;
    let (key, value) = (cx.word(0)? as u32, cx.word(1)?);
    if !live(cx, key) {
        return Err(no_key(cx, key));
    }
    used(cx, key);
    cx.state.set_word(WordKey::KeyValue(cx.thread, key), value);
    Ok(0)
}

/// POSIX leaves the use of what is no key, or no longer one, undefined.
fn no_key(cx: &Cx<'_>, key: u32) -> Flow {
    cx.fault(
        FaultKind::KeyInvalid,
        format!("{key} is no key of thread-specific data"),
    )
}

fn get(cx: &mut Cx<'_>) -> Flow {
    if let Err(flow) = own_values(cx) {
        return flow;
    }
    let key = match cx.word(0) {
        Ok(key) => key as u32,
        Err(flow) => return flow,
    };
    if !live(cx, key) {
        return no_key(cx, key);
    }
    used(cx, key);
    Flow::word(cx.state.word(WordKey::KeyValue(cx.thread, key)))
}

/// Whether a hidden word is a thread's value of a key that was deleted.
pub(crate) fn is_of_deleted_key(state: &State, word: WordKey) -> bool {
    matches!(word, WordKey::KeyValue(_, key) if state.word(WordKey::KeyDestructor(key)) == 0)
}

/// The next destructor to run for the ending thread: function and value. `position` counts keys
/// over all rounds.
pub(super) fn next_destructor(cx: &mut Cx<'_>, position: &mut u32) -> Option<(u64, u64)> {
    let keys = cx.state.word(WordKey::KeyCount) as u32;
    if keys == 0 {
        return None;
    }
    while *position < keys * ROUNDS {
        let key = *position % keys;
        *position += 1;
        let word = WordKey::KeyValue(cx.thread, key);
        let (value, destructor) = (
            cx.state.word(word),
            cx.state.word(WordKey::KeyDestructor(key)) & !(EXISTS | USED),
        );
        if value != 0 && destructor != 0 {
            cx.state.set_word(word, 0);
            return Some((destructor, value));
        }
    }
    None
}
