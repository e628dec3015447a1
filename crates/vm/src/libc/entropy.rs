//! Random bytes from the system, and `syscall`.
//!
//! Each thread has its own sequence of bytes, the same in every execution. Like clocks, the bytes
//! are not an input. `syscall` supports the few calls that have no other effect.

use super::{Answer, by_element, stepped};
use crate::native::{Cx, Flow, Native, Stop};
use crate::value::Value;
use crate::word::WordKey;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "getrandom" => by_element!(|cx: &mut Cx<'_>| getrandom(cx, 0)),
        "getentropy" => by_element!(getentropy),
        "syscall" => by_element!(syscall),
        _ => return None,
    })
}

/// The maximum number of bytes in one call.
const MOST: u64 = 256;
const EIO: i32 = 5;
const EINVAL: i32 = 22;

/// The finaliser of SplitMix64.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Where the next bytes of the thread begin in its sequence.
fn next_seed(cx: &mut Cx<'_>) -> u64 {
    let region = cx.state.thread(cx.thread).region;
    let asked = cx.state.word(WordKey::EntropyCount(region));
    cx.state.set_word(WordKey::EntropyCount(region), asked + 1);
    u64::from(region) << 48 | asked << 16
}

fn fill(cx: &mut Cx<'_>, at: u64, count: u64) -> Result<(), Stop> {
    let seed = next_seed(cx);
    for done in (0..count).step_by(8) {
        let size = (count - done).min(8);
        let random = mix(seed + done) >> (64 - 8 * size);
        stepped::store(cx, at + done, size, Value::new(random))?;
    }
    Ok(())
}

/// Random bytes for checked memory.
pub(super) fn poke(cx: &mut Cx<'_>, at: u64, count: u64) {
    let seed = next_seed(cx);
    for done in (0..count).step_by(8) {
        let size = (count - done).min(8);
        let random = mix(seed + done) >> (64 - 8 * size);
        for byte in 0..size {
            let value = Value::new(random >> (8 * byte) & 0xff);
            cx.state.memory.poke_checked(at + done + byte, 1, value);
        }
    }
}

/// Stores `count` random bytes at the address in argument `first`; never fewer.
fn getrandom(cx: &mut Cx<'_>, first: usize) -> Answer {
    let (at, count) = (cx.word(first)?, cx.word(first + 1)?);
    if count > MOST {
        return Err(Flow::Unsupported(format!("getrandom of {count} bytes")));
    }
    fill(cx, at, count)?;
    Ok(Flow::word(count))
}

fn getentropy(cx: &mut Cx<'_>) -> Answer {
    let (at, count) = (cx.word(0)?, cx.word(1)?);
    if count > MOST {
        cx.set_errno(EIO)?;
        return Ok(Flow::int(-1));
    }
    fill(cx, at, count)?;
    Ok(Flow::int(0))
}

fn syscall(cx: &mut Cx<'_>) -> Answer {
    match cx.word(0)? {
        186 => super::process::gettid(cx),
        202 => Err(Flow::Unsupported("system call futex".into())),
        318 => getrandom(cx, 1),
        324 => membarrier(cx),
        number => Err(Flow::Unsupported(format!("system call {number}"))),
    }
}

/// A system without `membarrier`: a query names no command, and each command fails.
fn membarrier(cx: &mut Cx<'_>) -> Answer {
    if cx.int(1)? == 0 {
        return Ok(Flow::word(0));
    }
    cx.set_errno(EINVAL)?;
    Ok(Flow::word(u64::MAX))
}
