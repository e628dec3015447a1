//! From an execution to a schedule: its operations, and for each operation the operations of other
//! threads that it has to wait for, reduced transitively.
//!
//! [`model::dependence`](selvedge_model::Conflict) defines which actions are dependent, as for
//! exploration. The operations of a thread follow each other, and its first one follows its
//! creation. The native program does not order actions that are not operations of a schedule
//! (atomics, output, pipes). An execution may contain them only where its operations order the
//! dependent ones among them. Where they do not, the program is explored again with the places of
//! these actions as operations ([`Operation::At`]): what a thread does there belongs to it.

use rustc_hash::FxHashMap;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Action, Conflict, Dependence, Event, ObjectId, Op};
use selvedge_schedule::cover::{Operation, Outcome};
use std::collections::BTreeSet;
use std::rc::Rc;

/// An event, with data that only the machine can give.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub event: Event,
    /// The threads that the event released from a barrier or woke.
    pub released: Vec<ThreadId>,
    /// How much the program has printed, up to and including this step.
    pub printed: usize,
    /// Whether this step printed something, or came to a place at which the native program may:
    /// that one has buffers, and the machine has none.
    pub prints: bool,
    /// The program's own statement that led to the event.
    pub own: StmtId,
    /// Whether the event is the first one on an object outside of global variables, and the memory
    /// of an earlier such object is no longer alive.
    pub may_reuse: bool,
}

/// How a schedule treats an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Ignored: no other thread can observe it.
    Nothing,
    /// An operation that the schedule orders.
    Ordered(Operation),
    /// Not an operation. The operations around it must order it with the actions that depend on it.
    Beside,
    /// Not possible in a schedule: it has no native form yet.
    Refused,
}

/// How a schedule treats an action.
pub(crate) fn kind(action: &Action) -> Kind {
    use Operation as O;
    Kind::Ordered(match action.op {
        Op::Yield if action.object.as_place().is_some() => O::At,
        Op::Start | Op::Choose | Op::Assume | Op::Yield => return Kind::Nothing,
        // The model library has claims (tables of names, signals), and programs in C have none.
        Op::Read | Op::Write | Op::Rmw | Op::Add | Op::Claim | Op::Hidden | Op::HiddenWait | Op::Look => {
            return Kind::Beside;
        }
        // No native program can signal an internal queue of the machine.
        Op::Signal | Op::Broadcast if action.object.as_queue().is_some() => return Kind::Refused,
        Op::Init | Op::Destroy if !action.object.is_address() => return Kind::Beside,
        Op::Spawn => O::Create,
        Op::Join => O::Join,
        Op::Detach => O::Detach,
        Op::Exit => O::End,
        Op::ProcessExit => O::Exit,
        Op::Lock | Op::SpinLock | Op::WrLock | Op::TimedLock | Op::TimedWrLock => O::Lock,
        Op::TryLock | Op::SpinTryLock | Op::TryWrLock => O::TryLock,
        Op::Unlock | Op::SpinUnlock | Op::RdUnlock | Op::WrUnlock => O::Unlock,
        Op::RdLock | Op::TimedRdLock => O::ReadLock,
        Op::TryRdLock => O::TryReadLock,
        Op::WaitRelease => O::Sleep,
        Op::WaitTimeout | Op::WaitAcquire => O::Wake,
        Op::Signal => O::Signal,
        Op::Broadcast => O::Broadcast,
        Op::OnceEnter => O::Once,
        Op::OnceDone => O::OnceDone,
        Op::SemPost => O::Post,
        Op::SemWait | Op::SemTimedWait => O::Wait,
        Op::SemTryWait => O::TryWait,
        Op::SemGetValue => O::Value,
        Op::BarrierArrive => O::Arrive,
        Op::BarrierLeave => O::Leave,
        Op::Init => O::Init,
        Op::Destroy => O::Destroy,
        _ => return Kind::Refused,
    })
}

/// The object of output actions. The machine has no such actions; this file makes them.
pub(crate) const PRINTED: ObjectId = ObjectId::hidden(0x7f00_0001);

/// One operation of an execution.
#[derive(Clone)]
pub(crate) struct Operated {
    /// The action. The end of a thread has a substitute, since the thread's last action is another
    /// one.
    pub action: Action,
    /// The operation.
    pub operation: Operation,
    /// Its outcome.
    pub outcome: Outcome,
    /// The thread that it created.
    pub created: Option<ThreadId>,
    /// The operations that it waits for: for each thread, the number of its last such operation.
    pub after: Vec<(ThreadId, u32)>,
    /// The number of the operation in its thread, counted from 1.
    pub number: u32,
    /// The number of the part that it belongs to, on this path.
    pub part: usize,
    /// The operations of all threads before that part.
    pub before: Rc<Clock>,
    /// See [`Seen::may_reuse`].
    pub may_reuse: bool,
    /// The operations that are known to be done after it.
    clock: Rc<Clock>,
}

impl Operated {
    /// An operation that a thread stands before, after the first part.
    pub(crate) fn stands(action: Action, operation: Operation) -> Operated {
        Operated {
            action,
            operation,
            outcome: Outcome::Done,
            created: None,
            after: Vec::new(),
            number: 0,
            part: 1,
            before: Rc::default(),
            may_reuse: false,
            clock: Rc::default(),
        }
    }
}

/// Why no schedule can be made of an execution.
pub(crate) struct Refusal {
    pub what: Why,
    pub stmt: StmtId,
}

/// The reason.
pub(crate) enum Why {
    /// There is no native form of this action.
    Action(Action),
    /// An operation failed that cannot fail in a schedule.
    Failed(Action),
    /// No operation orders these two dependent actions.
    Unordered(Action, Action),
    /// Another thread goes on when the process ends, or the process is ended by another thread.
    Goes,
    /// Other threads go on when the main thread ends. Then the last of them ends the process, and
    /// which one that is by the clock is no operation.
    MainEnds,
}

/// For each thread, the number of its operations that are known to be done.
pub(crate) type Clock = Vec<u32>;

/// Something that happened: an operation, or an action between operations.
#[derive(Clone)]
struct Happened {
    action: Action,
    /// A clock with at least this many operations of the thread comes after this action.
    known_by: u32,
    /// The index of the operation, if it is one.
    operation: Option<usize>,
}

/// What has happened in an execution, as far as later operations depend on it.
#[derive(Clone, Default)]
pub(crate) struct Orders {
    /// The operations of the present part.
    operations: Vec<Operated>,
    happened: Vec<Happened>,
    /// For each object, the actions that use it: of a thread's actions that differ in nothing but
    /// the statement the last one. Who depends on it depends on all of them, and what orders it
    /// orders those before.
    uses: FxHashMap<u64, Vec<usize>>,
    clocks: Vec<Clock>,
    /// The operations before the present part. Each operation of the part waits for all of them.
    floor: Rc<Clock>,
    /// How many parts have begun.
    part: usize,
    /// Whether the present action reads a request.
    reads: bool,
    /// The operations that let a thread go on: the other arrivals at its barrier, or the signal
    /// that woke it.
    released: FxHashMap<ThreadId, Vec<usize>>,
    /// The arrivals at each barrier since it was last completed; `None`: in an earlier part.
    arrived: FxHashMap<ObjectId, Vec<Option<usize>>>,
    ended: Vec<bool>,
    /// For each thread, the operation of the present part that is at a place, while the thread does
    /// what is there.
    places: FxHashMap<ThreadId, usize>,
    /// The dependent actions that no operation orders.
    pairs: Vec<(Action, Action)>,
    /// Whether an operation also waits for what follows from other waits.
    pub(crate) keeps_all: bool,
}

impl Orders {
    /// At the begin of an execution.
    pub(crate) fn new() -> Orders {
        let mut orders = Orders::default();
        orders.learn(ThreadId::from_index(0), None);
        orders
    }

    /// Of so many threads, of which nothing is known.
    pub(crate) fn of_threads(count: usize) -> Orders {
        let mut orders = Orders::default();
        (0..count).for_each(|thread| orders.learn(ThreadId::from_index(thread), None));
        orders
    }

    /// These events come next. `requests`: which of them read a request, by their number from
    /// `from` on.
    pub(crate) fn follow(&mut self, log: &[Seen], from: usize, requests: &[usize]) -> Result<(), Refusal> {
        for (at, seen) in log.iter().enumerate() {
            self.reads |= requests.binary_search(&(from + at)).is_ok();
            self.event(seen)?;
        }
        match self.pairs.first() {
            None => Ok(()),
            Some(&(earlier, later)) => Err(Refusal {
                what: Why::Unordered(earlier, later),
                stmt: later.stmt,
            }),
        }
    }

    /// The dependent actions that no operation orders.
    pub(crate) fn pairs(&self) -> &[(Action, Action)] {
        &self.pairs
    }

    /// A part begins: all operations so far are done before any later one, and every thread stands
    /// before an operation. So what is known to be done with them orders nothing any more.
    pub(crate) fn begin_part(&mut self) {
        let mut floor = Clock::clone(&self.floor);
        for operated in &self.operations {
            let thread = operated.action.thread;
            if of(&floor, thread) < operated.number {
                set(&mut floor, thread, operated.number);
            }
        }
        self.operations.clear();
        self.places.clear();
        self.released.clear();
        self.arrived
            .values_mut()
            .flatten()
            .for_each(|arrival| *arrival = None);
        self.uses.clear();
        for happened in std::mem::take(&mut self.happened) {
            if of(&floor, happened.action.thread) < happened.known_by {
                self.happen(happened.action, happened.known_by, None);
            }
        }
        self.floor = Rc::new(floor);
        self.part += 1;
    }

    /// The operations of the present part.
    pub(crate) fn operations(&self) -> &[Operated] {
        &self.operations
    }

    /// What happened before the part that later actions may depend on, and that no operation orders
    /// before them yet: for each of these actions its thread and what it uses. It is the same for
    /// two executions if what comes next is ordered in both, or in neither.
    pub(crate) fn unordered(&self) -> BTreeSet<[u64; 4]> {
        let open = self.happened.iter().map(|happened| {
            let action = &happened.action;
            let thread = action.thread.index() as u64;
            [thread, action.op as u64, action.object.0, action.object2.0]
        });
        open.collect()
    }

    fn learn(&mut self, thread: ThreadId, creator: Option<ThreadId>) {
        let clock = creator.map_or_else(Vec::new, |creator| self.clocks[creator.index()].clone());
        let most = self.clocks.len().max(thread.index() + 1);
        self.clocks.resize(most, Vec::new());
        self.ended.resize(most, false);
        self.clocks[thread.index()] = clock;
    }

    fn event(&mut self, seen: &Seen) -> Result<(), Refusal> {
        use selvedge_model::Outcome as Came;
        let event = &seen.event;
        let action = Action {
            ends: false,
            stmt: seen.own,
            ..event.action
        };
        let stmt = action.stmt;
        let refused = |what| Err(Refusal { what, stmt });
        let begun = event.outcome == Came::Incomplete || (action.op == Op::Choose && !event.completes);
        match kind(&action) {
            _ if begun => {}
            Kind::Nothing if action.object == ObjectId::BEHIND => _ = self.places.remove(&action.thread),
            _ if std::mem::take(&mut self.reads) => {
                self.operation(action, (Operation::Request, Outcome::Done, None))?;
            }
            Kind::Nothing => {}
            Kind::Refused => return refused(Why::Action(action)),
            Kind::Beside => self.beside(action),
            Kind::Ordered(operation) => {
                let tries = match operation {
                    Operation::TryLock | Operation::TryReadLock | Operation::TryWait => true,
                    Operation::Wake => action.op == Op::WaitTimeout,
                    _ => action.op.has_deadline(),
                };
                // A signal without a waiting thread is lost, and the runtime has nothing to do for
                // it.
                let lost = matches!(operation, Operation::Signal | Operation::Broadcast);
                let created = match (operation, event.outcome) {
                    (Operation::Create, Came::Thread(new)) => Some(new),
                    _ => None,
                };
                let outcome = match event.outcome {
                    Came::Failed if tries => Outcome::Failed,
                    Came::Failed if lost => Outcome::Done,
                    Came::Failed => return refused(Why::Failed(action)),
                    _ if operation == Operation::Create && created.is_none() => {
                        return refused(Why::Failed(action));
                    }
                    Came::Threads(_) if operation == Operation::Arrive => Outcome::Serial,
                    _ => Outcome::Done,
                };
                self.operation(action, (operation, outcome, created))?;
                let last = self.operations.len() - 1;
                if operation == Operation::At {
                    self.places.insert(action.thread, last);
                }
                self.operations[last].may_reuse = seen.may_reuse;
                let others = seen.released.iter().filter(|&&thread| thread != action.thread);
                match action.op {
                    Op::BarrierArrive if outcome == Outcome::Serial => {
                        let all: Vec<ThreadId> = others.copied().chain([action.thread]).collect();
                        self.complete(&action, &all);
                    }
                    _ => self.released.extend(others.map(|&thread| (thread, vec![last]))),
                }
                if let Some(new) = created {
                    self.learn(new, Some(action.thread));
                }
            }
        }
        if seen.prints {
            self.beside(Action {
                stmt,
                ..Action::on(action.thread, Op::Hidden, PRINTED)
            });
        }
        let ends = event.action.ends || action.op == Op::Exit;
        if event.action.ends {
            let end = Action {
                stmt,
                ..Action::on(action.thread, Op::Exit, ObjectId::thread(action.thread))
            };
            self.operation(end, (Operation::End, Outcome::Done, None))?;
        }
        if ends {
            self.ended[action.thread.index()] = true;
        }
        Ok(())
    }

    fn operation(
        &mut self,
        action: Action,
        (operation, outcome, created): (Operation, Outcome, Option<ThreadId>),
    ) -> Result<(), Refusal> {
        let thread = action.thread;
        // What comes behind a call that an exception has left.
        self.places.remove(&thread);
        let mut clock = self.clocks[thread.index()].clone();
        join(&mut clock, &self.floor);
        let number = of(&clock, thread) + 1;
        let earlier = self.dependent(&action);
        let mut needed: Vec<usize> = earlier
            .into_iter()
            .filter_map(|at| self.happened[at].operation)
            .collect();
        match operation {
            Operation::Leave | Operation::Wake if outcome == Outcome::Done => {
                needed.extend(self.released.remove(&thread).into_iter().flatten());
            }
            Operation::Arrive => {
                let arrived = self.arrived.entry(action.object).or_default();
                arrived.push(Some(self.operations.len()));
            }
            Operation::End if thread.index() == 0 && self.ended.iter().skip(1).any(|&ended| !ended) => {
                return Err(Refusal {
                    what: Why::MainEnds,
                    stmt: action.stmt,
                });
            }
            // The other threads must end first: a schedule does not order their actions with the
            // end of the process.
            Operation::Exit => {
                let others = (0..self.ended.len()).filter(|&other| other != thread.index());
                if thread.index() != 0 || others.clone().any(|other| !self.ended[other]) {
                    return Err(Refusal {
                        what: Why::Goes,
                        stmt: action.stmt,
                    });
                }
                let last = |end: &Operated| end.operation == Operation::End;
                needed = (0..self.operations.len())
                    .filter(|&at| last(&self.operations[at]))
                    .collect();
            }
            _ => {}
        }
        let mut after = Vec::new();
        needed.sort_unstable();
        for earlier in needed.into_iter().rev() {
            let earlier = &self.operations[earlier];
            let other = earlier.action.thread;
            if of(&clock, other) < earlier.number {
                after.push((other, earlier.number));
                join(&mut clock, &earlier.clock);
            } else if self.keeps_all && other != thread && after.iter().all(|edge| edge.0 != other) {
                after.push((other, earlier.number));
            }
        }
        set(&mut clock, thread, number);
        let shared = Rc::new(clock.clone());
        self.note(action, number, &shared, Some(self.operations.len()));
        self.clocks[thread.index()] = clock;
        self.operations.push(Operated {
            action,
            operation,
            outcome,
            created,
            after,
            number,
            part: self.part,
            before: Rc::clone(&self.floor),
            may_reuse: false,
            clock: shared,
        });
        Ok(())
    }

    /// The arrivals at a barrier are complete. Each of these threads waits for all others when it
    /// leaves.
    ///
    /// Nobody may leave before all have arrived. The order of arrivals does not matter: which one
    /// is the last is the schedule's, and no thread waits when it arrives.
    fn complete(&mut self, last: &Action, threads: &[ThreadId]) {
        let arrived = self.arrived.remove(&last.object).unwrap_or_default();
        for &thread in threads {
            let is_other = |&at: &usize| self.operations[at].action.thread != thread;
            let others = arrived.iter().copied().flatten().filter(is_other);
            self.released.insert(thread, others.collect());
        }
    }

    /// An action that is no operation.
    fn beside(&mut self, action: Action) {
        if let Some(&place) = self.places.get(&action.thread) {
            return self.within(action, place);
        }
        let clock = self.clocks[action.thread.index()].clone();
        let next = of(&clock, action.thread) + 1;
        self.note(action, next, &clock, None);
    }

    /// An action that belongs to the operation at a place: that one waits for what the action
    /// depends on, if it came before.
    fn within(&mut self, action: Action, place: usize) {
        let (thread, number) = (action.thread, self.operations[place].number);
        let mut clock = self.clocks[thread.index()].clone();
        for at in self.dependent(&action).into_iter().rev() {
            let (other, known_by) = (self.happened[at].action.thread, self.happened[at].known_by);
            if of(&clock, other) >= known_by && !self.keeps_all {
                continue;
            }
            let is_it = |earlier: &&Operated| earlier.action.thread == other && earlier.number == known_by;
            let Some(earlier) = self.operations[..place].iter().rev().find(is_it) else {
                continue;
            };
            join(&mut clock, &earlier.clock);
            let after = &mut self.operations[place].after;
            match after.iter_mut().find(|edge| edge.0 == other) {
                Some(edge) => edge.1 = edge.1.max(known_by),
                None => after.push((other, known_by)),
            }
        }
        let shared = Rc::new(clock.clone());
        self.note(action, number, &clock, Some(place));
        self.clocks[thread.index()] = clock;
        self.operations[place].clock = shared;
    }

    /// The earlier actions of other threads that an action depends on, but for arrivals at
    /// barriers: see `complete`.
    fn dependent(&self, action: &Action) -> Vec<usize> {
        let mut found = Vec::new();
        action.for_each_use(|object, _, _| {
            for &at in self.uses.get(&object).into_iter().flatten() {
                let earlier = &self.happened[at].action;
                let both_arrive = earlier.op == Op::BarrierArrive && action.op == Op::BarrierArrive;
                if earlier.thread != action.thread && !both_arrive && Conflict.dependent(earlier, action) {
                    found.push(at);
                }
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds something that happened, with the clock of its thread. For an operation, the clock
    /// already contains the operations that it waits for. Every earlier dependent action that the
    /// clock does not cover makes a pair.
    fn note(&mut self, action: Action, known_by: u32, clock: &Clock, operation: Option<usize>) {
        for at in self.dependent(&action) {
            let earlier = &self.happened[at];
            if of(clock, earlier.action.thread) < earlier.known_by {
                self.pairs.push((earlier.action, action));
            }
        }
        self.happen(action, known_by, operation);
    }

    fn happen(&mut self, action: Action, known_by: u32, operation: Option<usize>) {
        let (at, happened) = (self.happened.len(), &self.happened);
        action.for_each_use(|object, _, _| {
            let uses = self.uses.entry(object).or_default();
            uses.retain(|&earlier| earlier != at && !is_alike(&happened[earlier].action, &action));
            uses.push(at);
        });
        self.happened.push(Happened {
            action,
            known_by,
            operation,
        });
    }
}

fn is_alike(a: &Action, b: &Action) -> bool {
    let stmt = a.stmt;
    *a == Action { stmt, ..*b }
}

pub(crate) fn of(clock: &Clock, thread: ThreadId) -> u32 {
    clock.get(thread.index()).copied().unwrap_or(0)
}

fn set(clock: &mut Clock, thread: ThreadId, number: u32) {
    clock.resize(clock.len().max(thread.index() + 1), 0);
    clock[thread.index()] = number;
}

fn join(clock: &mut Clock, other: &Clock) {
    clock.resize(clock.len().max(other.len()), 0);
    clock
        .iter_mut()
        .zip(other)
        .for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_base::ContextId;
    use selvedge_model::{MemoryOrder, Outcome as Came, Silent};

    fn seen(thread: usize, op: Op, object: ObjectId) -> Seen {
        let action = Action {
            size: 4,
            order: MemoryOrder::SeqCst,
            ..Action::on(ThreadId::from_index(thread), op, object)
        };
        Seen {
            event: Event {
                action,
                context: ContextId(0),
                alternative: 0,
                alternatives: 1,
                outcome: Came::Done,
                completes: false,
                silent: Silent::No,
            },
            released: Vec::new(),
            printed: 0,
            prints: false,
            own: action.stmt,
            may_reuse: false,
        }
    }

    /// A thread comes to a place, accesses memory there, and goes on.
    fn at(thread: usize, place: u32, op: Op, address: u64) -> [Seen; 3] {
        [
            seen(thread, Op::Yield, ObjectId::place(place)),
            seen(thread, op, ObjectId(address)),
            seen(thread, Op::Yield, ObjectId::BEHIND),
        ]
    }

    fn followed(log: &[Seen]) -> Orders {
        let mut orders = Orders::of_threads(2);
        let _ = orders.follow(log, 0, &[]);
        orders
    }

    const X: u64 = 0x1000;
    const Y: u64 = 0x2000;

    #[test]
    fn what_is_done_at_a_place_belongs_to_it() {
        let log = [
            at(0, 0, Op::Write, X),
            at(1, 1, Op::Read, X),
            at(0, 0, Op::Read, X),
        ]
        .concat();
        let orders = followed(&log);
        assert!(orders.pairs().is_empty());
        let after: Vec<_> = orders.operations().iter().map(|one| one.after.clone()).collect();
        let first = vec![(ThreadId::from_index(0), 1)];
        assert_eq!(after, [Vec::new(), first, Vec::new()]);
    }

    #[test]
    fn what_comes_behind_a_place_does_not() {
        for (log, pairs) in [
            (
                [&at(0, 0, Op::Write, X)[..], &[seen(0, Op::Write, ObjectId(Y))]].concat(),
                1,
            ),
            (
                [&at(0, 0, Op::Write, X)[..2], &[seen(0, Op::Write, ObjectId(Y))]].concat(),
                0,
            ),
            // The next operation ends what an exception has left.
            (
                [
                    &at(0, 0, Op::Write, X)[..2],
                    &at(0, 1, Op::Read, X),
                    &[seen(0, Op::Write, ObjectId(Y))],
                ]
                .concat(),
                1,
            ),
        ] {
            let log = [&log[..], &at(1, 2, Op::Write, Y)].concat();
            assert_eq!(followed(&log).pairs().len(), pairs, "{log:?}");
        }
    }

    #[test]
    fn a_place_does_not_wait_for_what_comes_later() {
        let own = at(0, 0, Op::Write, X);
        let other = at(1, 1, Op::Write, X);
        let between = [&own[..1], &other, &own[1..]].concat();
        assert_eq!(followed(&between).pairs().len(), 1);
    }
}
