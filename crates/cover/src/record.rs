//! Watches an exploration, and collects a schedule of each of its executions.

use crate::collector::{Collector, Gap, Inner};
use crate::order::{self, Kind, Operated, Orders, Refusal, Seen, Why};
use crate::trie::{Inserted, ORDER};
use crate::without::Optimisation;
use rustc_hash::FxHashMap;
use selvedge_base::{ContextId, Digest, Domain, StmtId, ThreadId};
use selvedge_model::{
    Action, Describe, Detector, Event, Fault, ObjectId, Op, Outcome as Came, Status, Unsupported,
};
use selvedge_schedule::cover::{Label, Object, Operation, Order, Outcome, Part, Step, Target, Witness};
use std::fmt::Write;

/// The global variable that contains an object, and the object's offset in it.
pub type Global = (String, u64);

/// Objects outside of global variables: the call that initialised each, else the first operation on
/// it.
type Made = FxHashMap<ObjectId, Object>;

static PAST: Domain = Domain::new("past of a part");

/// Whether an action is an operation that schedules order. The strategy takes such actions last.
pub fn is_ordered(action: &Action) -> bool {
    matches!(order::kind(action), Kind::Ordered(_))
}

/// Watches one machine.
pub struct Recorder<'a, M> {
    log: Vec<Seen>,
    /// The parts that have begun, the present one last.
    parts: Vec<Begun>,
    /// The numbers of the events that read requests.
    requests: Vec<usize>,
    collector: &'a Collector,
    names: &'a dyn Names<M>,
    /// Whether parts begin where loops go round, and not where requests are read.
    rounds: bool,
    /// Whether states at which parts begin may be general ones.
    general: bool,
}

/// A part that has begun.
struct Begun {
    /// After how many events.
    at: usize,
    /// The number of the part.
    part: usize,
    /// What has happened before.
    orders: Orders,
    made: Made,
}

/// Data that only the kind of machine in use can give.
pub trait Names<M> {
    /// The global variable that contains an object.
    fn global(&self, machine: &M, object: ObjectId) -> Option<Global>;
    /// Whether the memory of an object is alive.
    fn is_live(&self, machine: &M, object: ObjectId) -> bool;
    /// The program's own statement from which a statement of a library was executed; the statement
    /// itself if it is the program's.
    fn own(&self, machine: &M, stmt: StmtId, context: ContextId) -> StmtId;
    /// The name of the place of an operation, if its object is named by that.
    fn by_place(&self, stmt: StmtId) -> Option<String>;
    /// The name of a place.
    fn place(&self, number: u32) -> Option<String>;
    /// Whether what is done at a place may print, or send on what was printed.
    fn prints(&self, number: u32) -> bool;
    /// How much the program has printed.
    fn printed(&self, machine: &M) -> usize;
}

impl<'a, M: Describe> Recorder<'a, M> {
    /// A recorder with an empty log.
    pub fn new(collector: &'a Collector, names: &'a dyn Names<M>) -> Self {
        let mut orders = Orders::new();
        orders.keeps_all = collector.without.has(Optimisation::Edges);
        Recorder {
            log: Vec::new(),
            parts: vec![Begun {
                at: 0,
                part: 0,
                orders,
                made: Made::default(),
            }],
            requests: Vec::new(),
            collector,
            names,
            rounds: false,
            general: false,
        }
    }

    /// Parts begin where loops go round.
    #[must_use]
    pub const fn of_rounds(mut self) -> Self {
        self.rounds = true;
        self
    }

    /// States at which parts begin may be general ones, so no inputs are known that lead along a
    /// schedule from there.
    #[must_use]
    pub const fn of_general_states(mut self) -> Self {
        self.general = true;
        self
    }

    /// See [`Seen::may_reuse`].
    fn may_reuse(&self, machine: &M, object: ObjectId) -> bool {
        let is_local = |object: ObjectId| object.is_address() && self.names.global(machine, object).is_none();
        let mut earlier = self.log.iter().map(|seen| &seen.event.action);
        if !is_local(object) || earlier.any(|action| action.object == object) {
            return false;
        }
        // The last event on each object: a destroyed one is known to be no object any more.
        let mut last: FxHashMap<ObjectId, Op> = FxHashMap::default();
        for seen in &self.log {
            let action = &seen.event.action;
            if is_ordered(action) && action.object != ObjectId::NONE {
                last.insert(action.object, action.op);
            }
        }
        let dead = |(&object, &op): (&ObjectId, &Op)| {
            op != Op::Destroy && is_local(object) && !self.names.is_live(machine, object)
        };
        last.iter().any(dead)
    }

    /// What has happened up to now, with the steps of the present part.
    fn followed(&self, machine: &M) -> Result<(Orders, Made, Vec<Step>), Unsupported> {
        let Some(begun) = self.parts.last() else {
            return Ok((Orders::new(), Made::default(), Vec::new()));
        };
        let (mut orders, mut made) = (begun.orders.clone(), begun.made.clone());
        let followed = orders.follow(&self.log[begun.at..], begun.at, &self.requests);
        let mut inner = self.collector.inner.borrow_mut();
        for action in orders.pairs().iter().flat_map(|pair| [pair.0, pair.1]) {
            inner.gaps.insert(match action.object {
                order::PRINTED => Gap::Printing,
                _ => Gap::Unordered(action.stmt),
            });
        }
        followed.map_err(|refusal| unsupported(machine, &refusal))?;
        let steps = self.steps(machine, orders.operations(), &mut made, &mut inner)?;
        Ok((orders, made, steps))
    }

    /// Collects what was done since the part began. `to`: the part that begins now; none at the end
    /// of the execution.
    fn collect(
        &self,
        machine: &M,
        to: Option<usize>,
        (orders, made, steps): (&Orders, &Made, Vec<Step>),
    ) -> Result<(), Unsupported> {
        let mut inner = self.collector.inner.borrow_mut();
        if let Some(to) = to
            && inner.parts.len() < to
        {
            let part = self.stand(machine, made, &mut inner)?;
            inner.parts.push(part);
        }
        let order = Order {
            classes: 1,
            from: self.parts.last().map_or(0, |begun| begun.part),
            to,
            witness: Vec::new(),
            steps,
        };
        let operations = orders.operations();
        let Inner {
            trie, parts, gaps, ..
        } = &mut *inner;
        let inserted = trie.join(&order, parts).map_err(|(step, what)| {
            if what == ORDER {
                gaps.insert(Gap::Order);
            }
            Unsupported {
                what,
                stmt: operations.get(step).map_or(StmtId(0), |step| step.action.stmt),
            }
        })?;
        match inserted {
            Inserted::Known(leaf) => {
                let at = inner.leaves[&(leaf, to)];
                inner.schedules[at].classes += 1;
            }
            Inserted::New(leaf) => {
                let at = inner.schedules.len();
                inner.leaves.insert((leaf, to), at);
                let known = !self.general || order.from == 0;
                let inputs = machine.inputs().into_iter().filter(|_| known);
                let witness = inputs.map(|input| Witness {
                    thread: input.thread,
                    name: input.name,
                    bytes: input.bytes,
                });
                inner.schedules.push(Order {
                    witness: witness.collect(),
                    ..order
                });
            }
        }
        Ok(())
    }

    fn steps(
        &self,
        machine: &M,
        operations: &[Operated],
        made: &mut Made,
        inner: &mut Inner,
    ) -> Result<Vec<Step>, Unsupported> {
        let mut steps = Vec::with_capacity(operations.len());
        for operated in operations {
            let action = &operated.action;
            let thread = machine.thread_name(action.thread);
            let target = self.target(machine, operated, made, inner)?;
            let mut after: Vec<(String, u32)> = operated
                .after
                .iter()
                .map(|&(other, number)| {
                    // What happened in earlier parts is done.
                    let number = number - order::of(&operated.before, other);
                    (machine.thread_name(other), number)
                })
                .collect();
            after.sort();
            let at = machine.location(action.stmt);
            let place = match at.line {
                0 => String::new(),
                line => format!("{}:{line}", at.file.rsplit('/').next().unwrap_or_default()),
            };
            steps.push(Step {
                thread,
                label: Label {
                    operation: operated.operation,
                    target,
                },
                outcome: operated.outcome,
                after,
                place,
            });
        }
        Ok(steps)
    }

    /// The target of an operation.
    fn target(
        &self,
        machine: &M,
        operated: &Operated,
        made: &mut Made,
        inner: &mut Inner,
    ) -> Result<Target, Unsupported> {
        let (action, stmt) = (&operated.action, operated.action.stmt);
        let refused = |what: String| Unsupported {
            what: format!("{what} ({})", machine.action_text(action)),
            stmt,
        };
        let later = operated.part > 0;
        let after = match self.rounds {
            true => "after the first round of a loop",
            false => "after the first request",
        };
        match operated.operation {
            Operation::End | Operation::Exit | Operation::Request => return Ok(Target::Nothing),
            Operation::Create if later => {
                return Err(refused(format!("a thread that is created {after}")));
            }
            Operation::Create | Operation::Join | Operation::Detach => {
                let other = operated.created.or_else(|| action.object.as_thread());
                return Ok(Target::Thread(
                    other.map_or_else(String::new, |other| machine.thread_name(other)),
                ));
            }
            _ => {}
        }
        if let Some(number) = action.object.as_place() {
            let name = self.names.place(number);
            let name = name.ok_or_else(|| refused("a place without a name".to_owned()))?;
            return Ok(Target::Object(inner.number(Object::Place(name), stmt)));
        }
        let thread = machine.thread_name(action.thread);
        let waits = matches!(operated.operation, Operation::Sleep | Operation::Wake);
        if let Some(place) = self.names.by_place(stmt) {
            if waits && operated.outcome == Outcome::Failed {
                let what = "a wait with a deadline on an object that is named by its place";
                return Err(refused(what.into()));
            }
            let place = inner.number(Object::Place(place), stmt);
            return Ok(match waits {
                true => Target::Wait(place, place),
                false => Target::Object(place),
            });
        }
        let global = |object: ObjectId| {
            let global = self.names.global(machine, object);
            global.map(|(name, offset)| Object::Global(name, offset))
        };
        if operated.operation == Operation::Init {
            if later && global(action.object).is_none() {
                return Err(refused(format!(
                    "an object outside of global variables that is initialised {after}"
                )));
            }
            made.insert(action.object, Object::Made(thread.clone(), operated.number));
        }
        let name = |object: ObjectId, made: &Made| global(object).or_else(|| made.get(&object).cloned());
        // A wait never is the first operation on its mutex.
        let mutex = match waits {
            true => {
                let mutex = name(action.object2, made).ok_or_else(|| {
                    inner.gaps.insert(Gap::Unnamed(stmt));
                    refused("a wait with a mutex that nobody locked".into())
                })?;
                Some(inner.number(mutex, stmt))
            }
            false => None,
        };
        let object = match name(action.object, made) {
            Some(object) => object,
            None if operated.may_reuse => {
                let uses = |seen: &&Seen| {
                    let used = &seen.event.action;
                    used.object == action.object || used.object2 == action.object
                };
                let users = self.log.iter().filter(uses);
                inner.gaps.extend(users.map(|seen| Gap::Unnamed(seen.own)));
                return Err(refused(
                    "a synchronisation object that no call initialises, which may lie where an earlier one was"
                        .into(),
                ));
            }
            None => {
                let met = Object::Met(thread, operated.number);
                made.insert(action.object, met.clone());
                met
            }
        };
        let object = inner.number(object, stmt);
        if operated.operation == Operation::Destroy {
            made.remove(&action.object);
        }
        Ok(mutex.map_or(Target::Object(object), |mutex| Target::Wait(object, mutex)))
    }

    /// Where the threads stand that have not ended.
    fn stand(&self, machine: &M, made: &Made, inner: &mut Inner) -> Result<Part, Unsupported> {
        let mut part = Part::default();
        for pending in machine.pending().iter().filter(|p| p.status.is_alive()) {
            let thread = machine.thread_name(pending.action.thread);
            let operation = match order::kind(&pending.action) {
                Kind::Ordered(operation) => operation,
                _ if pending.is_enabled() && !self.rounds => Operation::Request,
                _ => {
                    return Err(Unsupported {
                        what: format!(
                            "a thread that waits where a part begins, and not in an operation of a schedule ({})",
                            machine.action_text(&pending.action)
                        ),
                        stmt: pending.action.stmt,
                    });
                }
            };
            let operated = Operated::stands(pending.action, operation);
            let target = self.target(machine, &operated, &mut made.clone(), inner)?;
            part.stands.push((thread, Label { operation, target }));
        }
        Ok(part)
    }

    /// The combined part that begins now, if parts are combined.
    fn combined(&self, machine: &M, made: &Made, steps: &[Step]) -> Result<Option<usize>, Unsupported> {
        let mut inner = self.collector.inner.borrow_mut();
        if inner.combined.is_none() {
            return Ok(None);
        }
        let stands = self.stand(machine, made, &mut inner)?;
        let from = self.parts.last().map_or(0, |begun| begun.part);
        let combined = inner.combined.as_ref();
        match combined.and_then(|combined| combined.next(from, steps, &stands)) {
            Some(part) => Ok(Some(part)),
            None => Err(Unsupported {
                what: "a program that does something else when it is explored again".to_owned(),
                stmt: StmtId(0),
            }),
        }
    }

    /// What of the past later parts depend on, beyond the machine's state: the names of objects and
    /// of threads, what is not ordered yet, and the combined part.
    fn past(&self, machine: &M) -> Result<Digest, Unsupported> {
        let (mut orders, made, steps) = self.followed(machine)?;
        orders.begin_part();
        let mut text = format!("{:?}\n", self.combined(machine, &made, &steps)?);
        let mut made: Vec<(ObjectId, Object)> = made.into_iter().collect();
        made.sort_unstable();
        for (object, name) in made {
            let _ = writeln!(text, "{:x} {name:?}", object.0);
        }
        for pending in machine.pending() {
            let _ = writeln!(text, "thread {}", machine.thread_name(pending.action.thread));
        }
        for entry in orders.unordered() {
            let _ = writeln!(text, "{entry:x?}");
        }
        Ok(Digest::of_bytes(&PAST, text.as_bytes()))
    }
}

fn unsupported<M: Describe>(machine: &M, refusal: &Refusal) -> Unsupported {
    let text = |action: &Action| match action.object == order::PRINTED {
        true => "printing".to_owned(),
        false => machine.action_text(action),
    };
    let what = match &refusal.what {
        Why::Action(action) => format!("a schedule with this operation: {}", text(action)),
        Why::Failed(action) => format!("a schedule in which this operation fails: {}", text(action)),
        Why::Unordered(one, other) => {
            let at = machine.location(one.stmt);
            format!(
                "{}, which no operation of a schedule orders after what another thread does at {}:{} ({})",
                text(other),
                at.file.rsplit('/').next().unwrap_or_default(),
                at.line,
                text(one)
            )
        }
        Why::MainEnds => "the end of the main thread while other threads go on".to_owned(),
        Why::Goes => "the end of the process by another thread, or while other threads go on".to_owned(),
    };
    Unsupported {
        what,
        stmt: refusal.stmt,
    }
}

impl<M: Describe> Detector<M> for Recorder<'_, M> {
    type Mark = usize;

    fn mark(&mut self) -> usize {
        self.log.len()
    }

    fn undo(&mut self, mark: usize) {
        self.log.truncate(mark);
        self.requests.retain(|&request| request < mark);
        self.parts.retain(|begun| begun.at < mark || begun.part == 0);
    }

    /// Of states at which parts may begin only.
    fn digest(&self, machine: &M) -> Option<Digest> {
        // What is refused is refused again when the part is collected.
        Some(self.past(machine).unwrap_or_default())
    }

    fn junction(&mut self, machine: &M, part: Option<usize>) {
        if !self.rounds {
            self.requests.push(self.log.len());
        }
        let Some(part) = part else {
            return;
        };
        let refuse = |what| _ = self.collector.inner.borrow_mut().refused.insert(what);
        let followed = self.followed(machine);
        let combined = |made: &Made, steps: &[Step]| {
            let combined = self.combined(machine, made, steps);
            combined.map(|combined| combined.unwrap_or(part))
        };
        let mut begins = part;
        // After a refusal errors are still looked for.
        let (mut orders, made) = match followed {
            Ok((orders, made, steps)) => {
                match combined(&made, &steps) {
                    Ok(combined) => {
                        begins = combined;
                        let collected = self.collect(machine, Some(begins), (&orders, &made, steps));
                        collected.unwrap_or_else(refuse);
                    }
                    Err(what) => refuse(what),
                }
                (orders, made)
            }
            Err(what) => {
                refuse(what);
                (Orders::of_threads(machine.pending().len()), Made::default())
            }
        };
        orders.begin_part();
        self.parts.push(Begun {
            at: self.log.len(),
            part: begins,
            orders,
            made,
        });
    }

    fn goes_round(&mut self, _: &M, thread: ThreadId) {
        let kind = |seen: &&Seen| order::kind(&seen.event.action);
        let rounds =
            self.log.iter().rev().take_while(|seen| {
                seen.event.action.thread == thread && !matches!(kind(seen), Kind::Ordered(_))
            });
        let beside = rounds.filter(|seen| kind(seen) == Kind::Beside);
        let mut inner = self.collector.inner.borrow_mut();
        inner.gaps.extend(beside.map(|seen| Gap::Unordered(seen.own)));
    }

    fn event(&mut self, machine: &M, event: &Event, _: &mut Vec<Fault>) {
        let released = match event.outcome {
            Came::Threads(set) => machine.waiters(set).to_vec(),
            Came::Thread(woken) if event.action.op == Op::Signal => vec![woken],
            _ => Vec::new(),
        };
        let printed = self.names.printed(machine);
        let place = event.action.object.as_place();
        let prints = printed > self.log.last().map_or(0, |seen| seen.printed);
        self.log.push(Seen {
            event: *event,
            released,
            printed,
            own: self.names.own(machine, event.action.stmt, event.context),
            prints: prints || place.is_some_and(|place| self.names.prints(place)),
            may_reuse: self.may_reuse(machine, event.action.object),
        });
    }

    fn end(&mut self, machine: &M, _: &mut Vec<Fault>) {
        // An assumption of the program does not hold, or the machine gave up and reports that
        // itself.
        if machine.pending().iter().any(|p| p.status == Status::Parked) {
            // What it lacks is noted all the same: another order may be a right one.
            let _ = self.followed(machine);
            self.collector.inner.borrow_mut().left_out += 1;
            return;
        }
        let collected = self
            .followed(machine)
            .and_then(|(orders, made, steps)| self.collect(machine, None, (&orders, &made, steps)));
        if let Err(what) = collected {
            self.collector.inner.borrow_mut().refused.insert(what);
        }
    }
}
