//! Where a variable that is raced for is used, and under which locks.

use crate::trace::{MOST_WITH_LOCKS, Made, Trace};
use selvedge_detect::Detectors;
use selvedge_model::{Access, Describe, Fault, FaultKind, Op};
use selvedge_report::AccessSite;
use selvedge_vm::Vm;

/// The bytes that a race is about; `None` for other findings.
fn bytes(trace: &Trace<Vm, Detectors>, fault: &Fault) -> Option<std::ops::Range<u64>> {
    if fault.kind != FaultKind::DataRace || trace.made.len() > MOST_WITH_LOCKS {
        return None;
    }
    let size = trace.made.iter().flat_map(|made| &made.accesses);
    let size = size
        .filter(|access| access.stmt == fault.stmt && access.address == fault.object.0)
        .map(|access| u64::from(access.size));
    let first = fault.object.0;
    Some(first..first + size.max().unwrap_or(1))
}

/// The places at which an execution uses what a fault races for, since it has more than one thread.
/// Empty where nothing can be told: for other findings, and of very long executions.
pub(crate) fn sites(trace: &Trace<Vm, Detectors>, fault: &Fault) -> Vec<AccessSite> {
    let mut sites: Vec<AccessSite> = Vec::new();
    let Some(bytes) = bytes(trace, fault) else {
        return sites;
    };
    let begin = trace.made.iter().position(|made| made.created.is_some());
    for made in trace.made.iter().skip(begin.unwrap_or(0)) {
        let found = made.accesses.iter().filter(|access| {
            access.address < bytes.end && bytes.start < access.address + u64::from(access.size)
        });
        for access in found {
            let site = AccessSite {
                write: access.write,
                location: trace.machine.own_location(access.stmt, access.context),
                thread: made.step.thread.clone(),
                held: made.held.clone(),
            };
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
    }
    sites.sort_by(|a, b| {
        let place = |site: &AccessSite| {
            (
                site.location.file.clone(),
                site.location.line,
                site.thread.clone(),
            )
        };
        place(a).cmp(&place(b))
    });
    sites
}

/// The lock that most places are under, if more than two places are known, and of how many.
pub(crate) fn usual_lock(sites: &[AccessSite]) -> Option<(String, usize, usize)> {
    let place = |site: &AccessSite| {
        (
            site.location.file.clone(),
            site.location.line,
            site.location.column,
        )
    };
    let mut places: Vec<(_, Vec<&String>)> = Vec::new();
    for site in sites {
        match places.iter_mut().find(|(known, _)| *known == place(site)) {
            // A place counts as guarded if each use there is.
            Some((_, locks)) => locks.retain(|lock| site.held.contains(lock)),
            None => places.push((place(site), site.held.iter().collect())),
        }
    }
    let mut locks: Vec<(&String, usize)> = Vec::new();
    for lock in places.iter().flat_map(|(_, locks)| locks) {
        match locks.iter_mut().find(|(known, _)| known == lock) {
            Some((_, count)) => *count += 1,
            None => locks.push((lock, 1)),
        }
    }
    let (lock, count) = locks.into_iter().max_by_key(|&(_, count)| count)?;
    (places.len() > 2 && count > 1).then(|| (lock.clone(), count, places.len()))
}

/// The access that an action is, beside those of its step: with visibility `memory`.
pub(crate) fn own_access(made: &Made) -> Option<Access> {
    let action = &made.action;
    let write = match action.op {
        Op::Read => false,
        Op::Write | Op::Rmw | Op::Claim => true,
        _ => return None,
    };
    action.object.is_address().then_some(Access {
        address: action.object.0,
        context: made.context,
        stmt: action.stmt,
        size: action.size,
        write,
        order: action.order,
    })
}
