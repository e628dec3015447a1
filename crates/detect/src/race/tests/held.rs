//! Where more is held, at least the same races are to come.

use super::digest::{later, neighbours, until};
use super::traces::{Mock, Trace};
use crate::RaceDetector;
use selvedge_model::{CoveringClock, Detector, Held, Places, RaceCandidate};
use std::rc::Rc;

/// What is held for some places after a trace.
fn held(trace: &Trace, places: &Places) -> Held {
    let (mut detector, mut machine) = (RaceDetector::new(), Mock::new(trace));
    for at in 0..trace.events.len() {
        machine.at = at;
        detector.event(&machine, &trace.events[at].event, &mut Vec::new());
    }
    machine.look();
    detector
        .held(&machine, places)
        .expect("a race detector holds something")
}

/// The same without a part of each candidate.
fn without(held: &Held, part: fn(&mut RaceCandidate)) -> Held {
    let mut candidates = held.candidates().to_vec();
    candidates.iter_mut().for_each(part);
    Held::new(candidates)
}

#[test]
fn more_that_is_held_means_at_least_the_races_to_come() {
    let (mut more, mut same, mut neither, mut told) = (0, 0, 0, 0);
    for seed in 0..20_000 {
        let Some((trace, other, past)) = neighbours(seed) else {
            continue;
        };
        let mine = held(&until(&trace, past), &Places::All);
        let theirs = held(&until(&other, past), &Places::All);
        let (races, others) = (later(&trace, past), later(&other, past));
        let includes = (mine.includes(&theirs), theirs.includes(&mine));
        if includes.0 {
            assert!(races.is_superset(&others), "seed {seed}\n{trace}\n{other}");
        }
        if includes.1 {
            assert!(others.is_superset(&races), "seed {seed}\n{trace}\n{other}");
        }
        match includes {
            (true, true) => same += 1,
            (false, false) => neither += 1,
            _ => {
                more += 1;
                told += u32::from(races != others);
            }
        }
    }
    let counts = format!("{more} more, {told} of them seen, {same} the same, {neither} neither");
    assert!(more > 300 && told > 50 && same > 2000, "{counts}");
}

/// Of some places it is what is held of all, less what lies elsewhere: races there are the same.
#[test]
fn what_is_held_for_a_place_tells_of_the_races_there() {
    let (mut more, mut told) = (0, 0);
    for seed in 0..6_000 {
        let Some((trace, other, past)) = neighbours(seed) else {
            continue;
        };
        let all: Vec<_> = later(&other, past).into_iter().collect();
        let Some(&(_, byte)) = all.get(seed as usize % all.len().max(1)) else {
            continue;
        };
        let mut places = Places::default();
        places.add(byte..byte + 1);
        let mine = held(&until(&trace, past), &places);
        let theirs = held(&until(&other, past), &places);
        let there = |trace: &Trace| -> Vec<_> {
            let races = later(trace, past).into_iter();
            races.filter(|race| race.1 == byte).collect()
        };
        let (races, others) = (there(&trace), there(&other));
        if mine.includes(&theirs) {
            let all = others.iter().all(|race| races.contains(race));
            assert!(all, "seed {seed}, byte {byte:#x}\n{trace}\n{other}");
            more += 1;
        } else {
            told += u32::from(races != others);
        }
    }
    assert!(more > 1000 && told > 5, "{more}, {told}");
}

/// A part that is left out.
type Part = (&'static str, fn(&mut RaceCandidate));

/// An oracle counts only once it was seen to fail.
#[test]
fn every_part_of_a_race_candidate_left_out_is_noticed() {
    let parts: [Part; 3] = [
        ("who knows of it", |candidate| candidate.covered_by = Rc::from([])),
        ("where it was", |candidate| candidate.what = Default::default()),
        ("which clock it is", |candidate| {
            let clocks = candidate.covered_by.iter().map(|clock| CoveringClock {
                name: Default::default(),
                beyond: Some(clock.name),
            });
            candidate.covered_by = clocks.collect();
        }),
    ];
    let mut left = parts.to_vec();
    for seed in 0..400_000 {
        let Some((trace, other, past)) = neighbours(seed) else {
            continue;
        };
        let (races, others) = (later(&trace, past), later(&other, past));
        if races.is_superset(&others) {
            continue;
        }
        let mine = held(&until(&trace, past), &Places::All);
        let theirs = held(&until(&other, past), &Places::All);
        left.retain(|&(_, part)| !without(&mine, part).includes(&without(&theirs, part)));
        if left.is_empty() {
            return;
        }
    }
    let left: Vec<&str> = left.into_iter().map(|(name, _)| name).collect();
    panic!("nobody notices that {left:?} is left out");
}
