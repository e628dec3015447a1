//! What is a deadlock, which kind, and what is none.

use selvedge_base::{ContextId, Id, Location, StmtId, ThreadId};
use selvedge_detect::DeadlockDetector;
use selvedge_model::{
    Access, Action, Choice, Describe, Detector, Event, FaultKind, Machine, Notice, ObjectId, Op, Outcome,
    Pending, Silent, Status, Waiters, WaitsFor,
};

const CONDITION: ObjectId = ObjectId(0x40);

/// A machine that stands still: (operation, status, whom it waits for) of each thread.
struct Still {
    pending: Vec<Pending>,
    waits: Vec<Option<usize>>,
}

fn still(threads: &[(Op, Status, Option<usize>)]) -> Still {
    let pending = |(i, &(op, status, _)): (usize, &(Op, Status, _))| Pending {
        action: Action {
            stmt: StmtId(i as u32),
            ..Action::on(ThreadId::from_index(i), op, CONDITION)
        },
        status,
        alternatives: 1,
    };
    Still {
        pending: threads.iter().enumerate().map(pending).collect(),
        waits: threads.iter().map(|t| t.2).collect(),
    }
}

impl Machine for Still {
    fn pending(&self) -> &[Pending] {
        &self.pending
    }
    fn step(&mut self, _: Choice) -> Event {
        unreachable!("it stands still")
    }
    fn accesses(&self) -> &[Access] {
        &[]
    }
    fn notices(&self) -> &[Notice] {
        &[]
    }
    fn waiters(&self, _: Waiters) -> &[ThreadId] {
        &[]
    }
    fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        let waits = self.waits[thread.index()].into_iter();
        waits.map(ThreadId::from_index).collect()
    }
}

impl Describe for Still {
    fn location(&self, _: StmtId) -> Location {
        Location::default()
    }
    fn stack(&self, _: ContextId) -> Vec<Location> {
        Vec::new()
    }
    fn thread_name(&self, thread: ThreadId) -> String {
        if thread.index() == 0 {
            "0".into()
        } else {
            format!("0.{}", thread.index())
        }
    }
    fn object_name(&self, _: ObjectId) -> String {
        "object".into()
    }
    fn action_text(&self, _: &Action) -> String {
        String::new()
    }
    fn locks_held(&self, thread: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)> {
        vec![(ObjectId(8), StmtId(100 + thread.index() as u32), ContextId(0))]
    }
    fn blocked_on(&self, _: ThreadId) -> String {
        "waits".into()
    }
    fn pending_context(&self, _: ThreadId) -> ContextId {
        ContextId(0)
    }
    fn output(&self) -> Vec<u8> {
        Vec::new()
    }
}

fn event(thread: usize, op: Op, outcome: Outcome) -> Event {
    let action = Action::on(ThreadId::from_index(thread), op, CONDITION);
    Event {
        action,
        context: ContextId(0),
        alternative: 0,
        alternatives: 1,
        outcome,
        completes: false,
        silent: Silent::No,
    }
}

/// The same on an object.
fn on(object: u64, event: Event) -> Event {
    let object = ObjectId(object);
    let action = Action {
        object,
        ..event.action
    };
    Event { action, ..event }
}

fn kinds(machine: &Still, events: &[Event]) -> Vec<FaultKind> {
    let mut detector = DeadlockDetector::new();
    let mut faults = Vec::new();
    for event in events {
        detector.event(machine, event, &mut faults);
    }
    detector.end(machine, &mut faults);
    faults.iter().map(|f| f.kind).collect()
}

use Status::{Blocked, Enabled, Finished, Parked};

#[test]
fn cycles() {
    let cycle = [(Op::Lock, Blocked, Some(1)), (Op::Lock, Blocked, Some(0))];
    assert_eq!(kinds(&still(&cycle), &[]), [FaultKind::Deadlock]);
    let parked = [cycle[0], cycle[1], (Op::Assume, Parked, None)];
    assert_eq!(kinds(&still(&parked), &[]), [FaultKind::PartialDeadlock]);
    let main_left = [
        (Op::ProcessExit, Finished, None),
        (Op::Lock, Blocked, Some(2)),
        (Op::Lock, Blocked, Some(1)),
    ];
    let exit = event(0, Op::ProcessExit, Outcome::Done);
    assert_eq!(kinds(&still(&main_left), &[exit]), [FaultKind::PartialDeadlock]);
    let joined = [
        (Op::Join, Blocked, Some(1)),
        (Op::Lock, Blocked, Some(2)),
        (Op::Lock, Blocked, Some(1)),
    ];
    assert_eq!(kinds(&still(&joined), &[]), [FaultKind::Deadlock]);
    let two = [
        cycle[0],
        cycle[1],
        (Op::Lock, Blocked, Some(3)),
        (Op::Lock, Blocked, Some(2)),
    ];
    assert_eq!(kinds(&still(&two), &[]), [FaultKind::Deadlock; 2]);
    let relock = [(Op::Lock, Blocked, Some(0))];
    assert_eq!(kinds(&still(&relock), &[]), [FaultKind::Deadlock]);
}

#[test]
fn a_cycle_names_its_members_and_their_locks() {
    let machine = still(&[
        (Op::Join, Blocked, Some(1)),
        (Op::Lock, Blocked, Some(2)),
        (Op::Lock, Blocked, Some(1)),
    ]);
    let mut faults = Vec::new();
    DeadlockDetector::new().end(&machine, &mut faults);
    assert_eq!(
        faults[0].message,
        "deadlock: threads 0.1 and 0.2 wait for each other"
    );
    assert_eq!(faults[0].stmt, StmtId(1));
    let places: Vec<u32> = faults[0].related.iter().map(|r| r.1.0).collect();
    assert_eq!(places, [1, 101, 2, 102, 0, 100]);
}

#[test]
fn what_is_none() {
    let waits_for_parked = [(Op::Lock, Blocked, Some(1)), (Op::Assume, Parked, None)];
    assert_eq!(kinds(&still(&waits_for_parked), &[]), []);
    let left_alone = [
        (Op::ProcessExit, Finished, None),
        (Op::WaitAcquire, Blocked, None),
    ];
    assert_eq!(
        kinds(&still(&left_alone), &[event(0, Op::ProcessExit, Outcome::Done)]),
        []
    );
    assert_eq!(
        kinds(
            &still(&[(Op::Lock, Enabled, None), (Op::Lock, Blocked, Some(1))]),
            &[]
        ),
        []
    );
    assert_eq!(kinds(&still(&[(Op::Exit, Finished, None)]), &[]), []);
}

#[test]
fn waiting_for_ever() {
    let machine = still(&[(Op::Join, Blocked, Some(1)), (Op::WaitAcquire, Blocked, None)]);
    assert_eq!(kinds(&machine, &[]), [FaultKind::Deadlock]);
    assert_eq!(
        kinds(&machine, &[event(0, Op::Signal, Outcome::Failed)]),
        [FaultKind::LostWakeup]
    );
    let woke = event(0, Op::Signal, Outcome::Thread(ThreadId(1)));
    assert_eq!(kinds(&machine, &[woke]), [FaultKind::Deadlock]);
    let mixed = still(&[(Op::SemWait, Blocked, None), (Op::WaitAcquire, Blocked, None)]);
    assert_eq!(
        kinds(&mixed, &[event(0, Op::Broadcast, Outcome::Failed)]),
        [FaultKind::Deadlock]
    );
}

#[test]
fn a_place_that_lost_many_wakeups_is_named_once() {
    let machine = still(&[(Op::WaitAcquire, Blocked, None)]);
    let (mut detector, mut faults) = (DeadlockDetector::new(), Vec::new());
    for _ in 0..100 {
        detector.event(&machine, &event(0, Op::Signal, Outcome::Failed), &mut faults);
    }
    detector.end(&machine, &mut faults);
    let signals: Vec<_> = faults[0].related.iter().map(|r| &r.0).collect();
    assert_eq!(
        signals.iter().filter(|text| text.contains("signalled")).count(),
        1
    );
    assert!(
        signals.iter().any(|text| text.ends_with("(100 times)")),
        "{signals:?}"
    );
}

/// Two threads that wait with claims for two words, and what is said of them after some events.
fn claimants(events: &[Event]) -> String {
    let mut machine = still(&[(Op::Claim, Blocked, None); 2]);
    for (pending, object) in machine.pending.iter_mut().zip([0x80, 0x84]) {
        pending.action.object = ObjectId(object);
    }
    let (mut detector, mut faults) = (DeadlockDetector::new(), Vec::new());
    for event in events {
        detector.event(&machine, event, &mut faults);
    }
    detector.end(&machine, &mut faults);
    let [fault] = &faults[..] else {
        panic!("{faults:?}")
    };
    assert_eq!(fault.kind, FaultKind::Deadlock);
    fault.message.clone()
}

#[test]
fn who_has_taken_a_lock_without_owner_is_known_from_its_claim() {
    let takes = |thread, object| on(object, event(thread, Op::Claim, Outcome::Done));
    let each_other = "deadlock: threads 0 and 0.1 wait for each other";
    let for_ever = "deadlock: threads 0 and 0.1 wait for ever, and no other thread can move";
    assert_eq!(claimants(&[takes(0, 0x84), takes(1, 0x80)]), each_other);
    assert_eq!(claimants(&[takes(0, 0x84)]), for_ever);
    // The word was changed since then: it was given back, and nobody knows who has it now.
    let gives_back = |object| on(object, event(1, Op::Rmw, Outcome::Done));
    let given_back = [takes(0, 0x84), takes(1, 0x80), gives_back(0x80)];
    assert_eq!(claimants(&given_back), for_ever);
    // A claim that only says that it waits, and an exchange that fails, take and give nothing.
    let announces = on(0x84, event(1, Op::Claim, Outcome::Value(1)));
    let fails = on(0x84, event(1, Op::Rmw, Outcome::Failed));
    let others = [takes(0, 0x84), takes(1, 0x80), announces, fails];
    assert_eq!(claimants(&others), each_other);
    assert_eq!(
        claimants(&[takes(0, 0x80)]),
        "deadlock: thread 0 waits for itself"
    );
}

#[test]
fn going_back_forgets_who_has_taken_a_lock() {
    let mut machine = still(&[(Op::Claim, Blocked, None)]);
    machine.pending[0].action.object = CONDITION;
    let (mut detector, mut faults) = (DeadlockDetector::new(), Vec::new());
    let mark = Detector::<Still>::mark(&mut detector);
    detector.event(&machine, &event(0, Op::Claim, Outcome::Done), &mut faults);
    detector.event(&machine, &event(0, Op::Rmw, Outcome::Done), &mut faults);
    Detector::<Still>::undo(&mut detector, mark);
    detector.end(&machine, &mut faults);
    assert_eq!(
        faults[0].message,
        "deadlock: thread 0 waits for ever, and no other thread can move"
    );
}

#[test]
fn going_back_forgets() {
    let machine = still(&[(Op::WaitAcquire, Blocked, None)]);
    let (mut detector, mut faults) = (DeadlockDetector::new(), Vec::new());
    let mark = Detector::<Still>::mark(&mut detector);
    detector.event(&machine, &event(0, Op::Signal, Outcome::Failed), &mut faults);
    detector.event(&machine, &event(0, Op::ProcessExit, Outcome::Done), &mut faults);
    Detector::<Still>::undo(&mut detector, mark);
    detector.end(&machine, &mut faults);
    assert_eq!(
        faults.iter().map(|f| f.kind).collect::<Vec<_>>(),
        [FaultKind::Deadlock]
    );
}

#[test]
fn others_that_run_for_ever_do_not_hide_a_cycle() {
    let machine = still(&[
        (Op::Yield, Enabled, None),
        (Op::Lock, Blocked, Some(2)),
        (Op::Lock, Blocked, Some(1)),
    ]);
    let (mut detector, mut faults) = (DeadlockDetector::new(), Vec::new());
    detector.event(&machine, &event(2, Op::Lock, Outcome::Done), &mut faults);
    for _ in 0..500 {
        detector.event(&machine, &event(0, Op::Yield, Outcome::Done), &mut faults);
    }
    assert_eq!(
        faults.iter().map(|f| f.kind).collect::<Vec<_>>(),
        [FaultKind::PartialDeadlock]
    );
    let ended = still(&[
        (Op::Exit, Finished, None),
        (Op::Lock, Blocked, Some(2)),
        (Op::Lock, Blocked, Some(1)),
    ]);
    detector.end(&ended, &mut faults);
    assert_eq!(faults.len(), 1, "the same cycle is reported once");
}
