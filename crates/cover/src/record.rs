//! Watches an exploration, and collects a schedule of each of its executions.

use crate::order::{self, Kind, Operated, Refusal, Seen, Why};
use crate::plan::Plan;
use crate::trie::{Inserted, Trie};
use rustc_hash::FxHashMap;
use selvedge_base::StmtId;
use selvedge_model::{
    Action, Describe, Detector, Event, Fault, ObjectId, Op, Outcome as Came, Status, Unsupported,
};
use selvedge_schedule::cover::{Cover, Label, Object, Operation, Order, Step, Target, Witness};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The global variable that contains an object, and the object's offset in it.
pub type Global = (String, u64);

/// Whether an action is an operation that schedules order. The strategy takes such actions last.
pub fn is_ordered(action: &Action) -> bool {
    matches!(order::kind(action), Kind::Ordered(_))
}

/// The schedules of an exploration.
#[derive(Default)]
pub struct Collector {
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    trie: Trie,
    objects: Vec<Object>,
    /// Where each object is first used.
    stmts: Vec<StmtId>,
    numbers: FxHashMap<Object, usize>,
    schedules: Vec<Order>,
    leaves: FxHashMap<usize, usize>,
    refused: BTreeSet<Unsupported>,
    left_out: u64,
}

impl Collector {
    /// Returns the set, without inputs and options, and the reasons why executions were left out of
    /// it. The set is complete only if there are no reasons and the exploration was complete.
    pub fn finish(self) -> (Cover, BTreeSet<Unsupported>) {
        let mut inner = self.inner.into_inner();
        let cover = Cover {
            objects: inner.objects,
            schedules: inner.schedules,
            ..Cover::default()
        };
        // An inconsistent set has a reason already.
        if inner.refused.is_empty()
            && let Some(object) = Plan::of(&cover).ok().and_then(|plan| plan.ambiguous(&cover))
        {
            inner.refused.insert(Unsupported {
                what: "a synchronisation object that is neither in a global variable nor initialised by a call, \
                       where a thread may come to another one, too"
                    .to_owned(),
                stmt: inner.stmts[object],
            });
        }
        (cover, inner.refused)
    }

    /// The number of executions that ended with a parked thread: an assumption of the program does
    /// not hold in them, or the machine gave up.
    pub fn left_out(&self) -> u64 {
        self.inner.borrow().left_out
    }
}

/// Watches one machine.
pub struct Recorder<'a, M> {
    log: Vec<Seen>,
    collector: &'a Collector,
    names: &'a dyn Names<M>,
}

/// Data that only the kind of machine in use can give.
pub trait Names<M> {
    /// The global variable that contains an object.
    fn global(&self, machine: &M, object: ObjectId) -> Option<Global>;
    /// Whether the memory of an object is alive.
    fn is_live(&self, machine: &M, object: ObjectId) -> bool;
    /// How much the program has printed.
    fn printed(&self, machine: &M) -> usize;
}

impl<'a, M: Describe> Recorder<'a, M> {
    /// A recorder with an empty log.
    pub fn new(collector: &'a Collector, names: &'a dyn Names<M>) -> Self {
        Recorder {
            log: Vec::new(),
            collector,
            names,
        }
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

    /// Collects the execution that has ended.
    fn collect(&self, machine: &M) -> Result<(), Unsupported> {
        let operations = order::operations(&self.log).map_err(|refusal| unsupported(machine, &refusal))?;
        let mut inner = self.collector.inner.borrow_mut();
        let steps = self.steps(machine, &operations, &mut inner)?;
        let order = Order {
            classes: 1,
            witness: Vec::new(),
            steps,
        };
        let inserted = inner.trie.insert(&order).map_err(|(step, what)| Unsupported {
            what,
            stmt: operations.get(step).map_or(StmtId(0), |step| step.action.stmt),
        })?;
        match inserted {
            Inserted::Known(leaf) => {
                let at = inner.leaves[&leaf];
                inner.schedules[at].classes += 1;
            }
            Inserted::New(leaf) => {
                let at = inner.schedules.len();
                inner.leaves.insert(leaf, at);
                let witness = machine.inputs().into_iter().map(|input| Witness {
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
        inner: &mut Inner,
    ) -> Result<Vec<Step>, Unsupported> {
        // Objects outside of global variables: the call that initialised it, else the first
        // operation on it.
        let mut made: FxHashMap<ObjectId, Object> = FxHashMap::default();
        let name = |object: ObjectId, made: &FxHashMap<ObjectId, Object>| {
            let global = self.names.global(machine, object);
            let global = global.map(|(name, offset)| Object::Global(name, offset));
            global.or_else(|| made.get(&object).cloned())
        };
        let mut steps = Vec::with_capacity(operations.len());
        for operated in operations {
            let action = &operated.action;
            let thread = machine.thread_name(action.thread);
            let target = match operated.operation {
                Operation::End | Operation::Exit => Target::Nothing,
                Operation::Create | Operation::Join | Operation::Detach => {
                    let other = operated.created.or_else(|| action.object.as_thread());
                    Target::Thread(other.map_or_else(String::new, |other| machine.thread_name(other)))
                }
                _ => {
                    if operated.operation == Operation::Init {
                        made.insert(action.object, Object::Made(thread.clone(), operated.number));
                    }
                    let stmt = action.stmt;
                    // A wait never is the first operation on its mutex.
                    let mutex = match operated.operation {
                        Operation::Sleep | Operation::Wake => {
                            let mutex = name(action.object2, &made).ok_or_else(|| Unsupported {
                                what: format!(
                                    "a wait with a mutex that nobody locked ({})",
                                    machine.action_text(action)
                                ),
                                stmt,
                            })?;
                            Some(inner.number(mutex, stmt))
                        }
                        _ => None,
                    };
                    let object = match name(action.object, &made) {
                        Some(object) => object,
                        None if operated.may_reuse => {
                            return Err(Unsupported {
                                what: format!(
                                    "a synchronisation object that no call initialises, which may lie where an earlier one was ({})",
                                    machine.action_text(action)
                                ),
                                stmt,
                            });
                        }
                        None => {
                            let met = Object::Met(thread.clone(), operated.number);
                            made.insert(action.object, met.clone());
                            met
                        }
                    };
                    let object = inner.number(object, stmt);
                    if operated.operation == Operation::Destroy {
                        made.remove(&action.object);
                    }
                    mutex.map_or(Target::Object(object), |mutex| Target::Wait(object, mutex))
                }
            };
            let mut after: Vec<(String, u32)> = operated
                .after
                .iter()
                .map(|&(other, number)| (machine.thread_name(other), number))
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
}

impl Inner {
    fn number(&mut self, object: Object, stmt: StmtId) -> usize {
        let next = self.objects.len();
        let number = *self.numbers.entry(object.clone()).or_insert(next);
        if number == next {
            self.objects.push(object);
            self.stmts.push(stmt);
        }
        number
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
    }

    fn event(&mut self, machine: &M, event: &Event, _: &mut Vec<Fault>) {
        let released = match event.outcome {
            Came::Threads(set) => machine.waiters(set).to_vec(),
            Came::Thread(woken) if event.action.op == Op::Signal => vec![woken],
            _ => Vec::new(),
        };
        let printed = self.names.printed(machine);
        self.log.push(Seen {
            event: *event,
            released,
            printed,
            prints: printed > self.log.last().map_or(0, |seen| seen.printed),
            may_reuse: self.may_reuse(machine, event.action.object),
        });
    }

    fn end(&mut self, machine: &M, _: &mut Vec<Fault>) {
        // An assumption of the program does not hold, or the machine gave up and reports that
        // itself.
        if machine.pending().iter().any(|p| p.status == Status::Parked) {
            self.collector.inner.borrow_mut().left_out += 1;
            return;
        }
        if let Err(what) = self.collect(machine) {
            self.collector.inner.borrow_mut().refused.insert(what);
        }
    }
}
