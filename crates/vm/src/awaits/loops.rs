//! Where rounds of waiting loops may begin and end, by the code; and what all machines of a program
//! have used, which says whether awaits would hide a race.

use crate::code::{Code, Op as Inst};
use rangemap::RangeSet;
use rustc_hash::FxHashSet;
use selvedge_base::Id;
use selvedge_ir::{Callee, InstKind};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// How bytes are used, as far as that may show a race that would be lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Use {
    /// An atomic variable, read where a round may be.
    Awaited,
    /// The same, by a read-modify-write.
    Exchanged,
    /// Read by a plain access.
    Read,
    /// Written by a plain access.
    Written,
    /// Written by an atomic access, where that counts.
    Changed,
}

/// The bytes that all machines of a program have used, undone or not.
#[derive(Default)]
pub(super) struct Used {
    awaited: RangeSet<u64>,
    exchanged: RangeSet<u64>,
    read: RangeSet<u64>,
    written: RangeSet<u64>,
    /// The places that are awaited or exchanged, and those that are changed.
    places: [FxHashSet<Range<u64>>; 2],
}

impl Used {
    /// Adds bytes. Returns true if a race on them may be lost, or if an awaited place is changed by
    /// accesses to other bytes.
    pub(super) fn add(&mut self, bytes: Range<u64>, how: Use) -> bool {
        let (own, other) = match how {
            Use::Awaited | Use::Exchanged => (0, Some(1)),
            Use::Changed => (1, Some(0)),
            Use::Read | Use::Written => (0, None),
        };
        let mut meets = false;
        if let Some(other) = other {
            let overlaps =
                |place: &Range<u64>| place.start < bytes.end && bytes.start < place.end && *place != bytes;
            meets = self.places[other].iter().any(overlaps);
            self.places[own].insert(bytes.clone());
        }
        meets |= match how {
            Use::Awaited => self.written.overlaps(&bytes),
            Use::Exchanged => self.written.overlaps(&bytes) || self.read.overlaps(&bytes),
            Use::Read => self.exchanged.overlaps(&bytes),
            Use::Written => self.awaited.overlaps(&bytes) || self.exchanged.overlaps(&bytes),
            Use::Changed => false,
        };
        match how {
            Use::Awaited => self.awaited.insert(bytes),
            Use::Exchanged => self.exchanged.insert(bytes),
            Use::Read => self.read.insert(bytes),
            Use::Written => self.written.insert(bytes),
            Use::Changed => {}
        }
        meets
    }
}

/// What the machines of a program know together.
pub(crate) struct Awaits {
    /// By function: the instructions at which a round may begin.
    pub(super) begins: Vec<BTreeSet<u32>>,
    /// By function: the atomic accesses after which a round may end, without another one between.
    ends: Vec<BTreeSet<u32>>,
    pub(super) used: Mutex<Used>,
    pub(super) refused: AtomicBool,
}

/// What one machine knows.
#[derive(Default)]
pub(crate) struct Awaiting {
    /// What it has told the others.
    pub(super) told: FxHashSet<(u64, u32, Use)>,
    /// True while a step is taken to find out whether it completes a round.
    pub(super) tries: bool,
    /// True if that step did.
    pub(super) completes: bool,
    /// True if no thread is held until a step is undone.
    pub(crate) suspended: bool,
    /// True if all changes of what a thread may wait for have to be in one order.
    pub(super) ordered: bool,
}

impl Awaits {
    pub(crate) fn of(code: &[Code]) -> Awaits {
        let begins = begins(code);
        Awaits {
            ends: ends(code, &begins),
            begins,
            used: Mutex::default(),
            refused: AtomicBool::new(false),
        }
    }

    pub(super) fn begins_round(&self, function: u32, ip: u32) -> bool {
        self.begins[function as usize].contains(&ip)
    }

    pub(super) fn ends_round(&self, function: u32, ip: u32) -> bool {
        self.ends[function as usize].contains(&ip)
    }
}

/// By function, the instructions at which a round may begin: the atomic accesses that come first
/// after the head of a loop. Each set would be right; a smaller one holds fewer threads, a larger
/// one makes more states differ.
fn begins(code: &[Code]) -> Vec<BTreeSet<u32>> {
    let mut begins = vec![BTreeSet::new(); code.len()];
    // Where to look from: the heads of loops, and the functions that are called on the way.
    let mut open: Vec<(usize, u32)> = Vec::new();
    for (function, code) in code.iter().enumerate() {
        for (ip, inst) in code.insts.iter().enumerate() {
            let back = targets(code, *inst)
                .into_iter()
                .filter(|&target| target <= ip as u32);
            open.extend(back.map(|target| (function, target)));
        }
    }
    walk(code, open, |function, ip| _ = begins[function].insert(ip));
    begins
}

/// By function, the atomic accesses after which a round may end without another access between.
fn ends(code: &[Code], begins: &[BTreeSet<u32>]) -> Vec<BTreeSet<u32>> {
    let of = |(function, body): (usize, &Code)| {
        let accesses =
            (0..body.insts.len() as u32).filter(|&ip| is_atomic_read(body, body.insts[ip as usize]));
        let ends = accesses.filter(|&ip| {
            let mut found = false;
            let returns = walk(code, vec![(function, ip + 1)], |function, ip| {
                found |= begins[function].contains(&ip);
            });
            // What a caller does after that is not looked at.
            found || returns
        });
        ends.collect()
    };
    code.iter().enumerate().map(of).collect()
}

/// Follows the code from places on, up to atomic accesses, and says which are met. Returns whether
/// the end of one of the functions is reached.
fn walk(code: &[Code], mut open: Vec<(usize, u32)>, mut meets: impl FnMut(usize, u32)) -> bool {
    let mut seen: FxHashSet<(usize, u32)> = open.iter().copied().collect();
    let mut returns = false;
    while let Some((function, ip)) = open.pop() {
        let body = &code[function];
        let Some(&inst) = body.insts.get(ip as usize) else {
            continue;
        };
        let mut next: Vec<(usize, u32)> = Vec::new();
        match inst.op {
            Inst::Complex if is_atomic_read(body, inst) => meets(function, ip),
            Inst::Jump | Inst::Switch => next.extend(targets(body, inst).into_iter().map(|t| (function, t))),
            Inst::Branch => {
                next.extend(targets(body, inst).into_iter().map(|t| (function, t)));
                next.push((function, ip + 1));
            }
            Inst::Return => returns = true,
            Inst::Unreachable | Inst::Trap => {}
            Inst::Call => {
                if let Some(Callee::Direct(callee)) = body.calls[inst.long() as usize].callee {
                    next.push((callee.index(), 0));
                }
                next.push((function, ip + 1));
            }
            _ => next.push((function, ip + 1)),
        }
        open.extend(next.into_iter().filter(|&place| seen.insert(place)));
    }
    returns
}

/// Where a jump may go, without the next instruction.
fn targets(code: &Code, inst: crate::code::Inst) -> Vec<u32> {
    match inst.op {
        Inst::Jump | Inst::Branch => vec![inst.long()],
        Inst::Switch if inst.w == 0 => {
            let table = &code.switches[usize::from(inst.b)];
            let cases = table.cases.iter().map(|&(_, target)| target);
            cases.chain([table.default]).collect()
        }
        _ => Vec::new(),
    }
}

fn is_atomic_read(code: &Code, inst: crate::code::Inst) -> bool {
    if inst.op != Inst::Complex {
        return false;
    }
    let kind = &code.complex[inst.long() as usize];
    matches!(
        kind,
        InstKind::Load { order: Some(_), .. } | InstKind::CompareExchange { .. } | InstKind::Rmw { .. }
    )
}
