//! Races in words.

use super::RaceDetector;
use super::shadow::{Entry, Kind};
use crate::text::locks;
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use selvedge_model::{Describe, Fault, FaultKind, ObjectId};

/// Two accesses that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    pub(crate) old: Entry,
    pub(crate) new: Entry,
    pub(crate) address: u64,
    pub(crate) size: u64,
}

impl RaceDetector {
    /// Turns the races of an event into faults, each pair of statements once.
    #[cold]
    pub(super) fn report<M: Describe + ?Sized>(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        let mut races = std::mem::take(&mut self.races);
        let mut seen = Vec::new();
        for race in &races {
            let pair = (
                race.new.stmt,
                race.new.kind.is_write(),
                race.old.stmt,
                race.old.kind.is_write(),
            );
            if !seen.contains(&pair) {
                seen.push(pair);
                faults.push(self.fault(machine, race));
            }
        }
        races.clear();
        self.races = races;
    }

    fn fault<M: Describe + ?Sized>(&self, machine: &M, race: &Race) -> Fault {
        let Race {
            old,
            new,
            address,
            size,
        } = race;
        let thread = ThreadId::from_index(new.thread);
        let object = ObjectId(*address);
        let other = machine.thread_name(ThreadId::from_index(old.thread));
        let held = |entry: &Entry| locks(machine, &self.locksets.list(entry.locks));
        let bytes = if *size == 1 {
            "1 byte".to_owned()
        } else {
            format!("{size} bytes")
        };
        Fault {
            kind: FaultKind::DataRace,
            message: format!(
                "data race: {} of {bytes} of {} by thread {} is not ordered with the {} by thread {other}; thread {} holds {}",
                verb(new.kind),
                machine.bytes_name(object, *size),
                machine.thread_name(thread),
                verb(old.kind),
                machine.thread_name(thread),
                held(new),
            ),
            stmt: StmtId(new.stmt),
            context: ContextId(new.context),
            related: vec![(
                format!(
                    "thread {other}: the other access: {}, holding {}",
                    verb(old.kind),
                    held(old)
                ),
                StmtId(old.stmt),
                ContextId(old.context),
            )],
            object,
        }
    }
}

fn verb(kind: Kind) -> &'static str {
    match (kind.is_atomic(), kind.is_write()) {
        (false, false) => "read",
        (false, true) => "write",
        (true, false) => "atomic read",
        (true, true) => "atomic write",
    }
}
