//! `rand`, `random` and their seeding: glibc's additive generator (TYPE_3), so sequences equal
//! native ones.
//!
//! All threads share the state of the generator. So each use is a visible action on a hidden object
//! when there are several threads: the schedule determines which thread gets which number. It is
//! never a data race, since glibc takes a lock.

use super::Answer;
use crate::hidden::HiddenObject;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Visible};
use crate::word::WordKey;
use selvedge_model::{Op, Outcome};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "rand" => Native::Visible(Visible {
            prepare: |cx| prepare(cx, rand),
            perform: |cx, _| perform(cx, rand),
            numbers: ALL_ARGUMENTS,
        }),
        "random" => Native::Visible(Visible {
            prepare: |cx| prepare(cx, random),
            perform: |cx, _| perform(cx, random),
            numbers: ALL_ARGUMENTS,
        }),
        "srand" | "srandom" => Native::Visible(Visible {
            prepare: |cx| prepare(cx, srand),
            perform: |cx, _| perform(cx, srand),
            numbers: ALL_ARGUMENTS,
        }),
        _ => return None,
    })
}

/// Degree and separation of the generator's polynomial.
const SIZE: usize = 31;
const SEPARATION: usize = 3;

fn prepare(cx: &mut Cx<'_>, model: fn(&mut Cx<'_>) -> Answer) -> Prepared {
    if cx.state.unjoined() == 0 {
        return Prepared::Immediate(model(cx).unwrap_or_else(|stop| stop));
    }
    Prepared::Visible(cx.action(Op::Hidden, HiddenObject::Random.id().0))
}

fn perform(cx: &mut Cx<'_>, model: fn(&mut Cx<'_>) -> Answer) -> Performed {
    Performed::Done(model(cx).unwrap_or_else(|stop| stop), Outcome::Done)
}

fn rand(cx: &mut Cx<'_>) -> Answer {
    Ok(Flow::int(next(cx) as i32))
}

fn random(cx: &mut Cx<'_>) -> Answer {
    Ok(Flow::word(u64::from(next(cx))))
}

fn srand(cx: &mut Cx<'_>) -> Answer {
    let seed = cx.int(0)? as u32;
    store(cx, seed);
    Ok(Flow::void())
}

/// Stores a seeded generator.
fn store(cx: &mut Cx<'_>, seed: u32) {
    let (table, place) = seeded(seed);
    for (i, &word) in table.iter().enumerate() {
        cx.state.set_word(WordKey::RandomTable(i as u32), u64::from(word));
    }
    cx.state.set_word(WordKey::RandomPlace, place as u64 + 1);
}

/// The next number (31 bits).
fn next(cx: &mut Cx<'_>) -> u32 {
    if cx.state.word(WordKey::RandomPlace) == 0 {
        store(cx, 1);
    }
    let place = (cx.state.word(WordKey::RandomPlace) - 1) as usize % SIZE;
    let other = (place + SIZE - SEPARATION) % SIZE;
    let sum = (cx.state.word(WordKey::RandomTable(place as u32)) as u32)
        .wrapping_add(cx.state.word(WordKey::RandomTable(other as u32)) as u32);
    cx.state
        .set_word(WordKey::RandomTable(place as u32), u64::from(sum));
    cx.state
        .set_word(WordKey::RandomPlace, ((place + 1) % SIZE) as u64 + 1);
    sum >> 1
}

/// The table and the position after seeding.
fn seeded(seed: u32) -> ([u32; SIZE], usize) {
    let mut table = [0u32; SIZE];
    let mut word = if seed == 0 { 1 } else { seed as i32 };
    table[0] = word as u32;
    for entry in &mut table[1..] {
        // Schrage's method with signed words, as in glibc: 16807 · word mod 2^31 - 1.
        let (high, low) = (word / 127_773, word % 127_773);
        word = 16_807 * low - 2_836 * high;
        if word < 0 {
            word += i32::MAX;
        }
        *entry = word as u32;
    }
    let mut place = SEPARATION;
    for _ in 0..10 * SIZE {
        table[place] = table[place].wrapping_add(table[(place + SIZE - SEPARATION) % SIZE]);
        place = (place + 1) % SIZE;
    }
    (table, place)
}
