//! The graph of cached states and steps.

use super::policy::MOST_BYTES;
use selvedge_base::{Digest, Id, ThreadId};
pub(super) use selvedge_model::recall::NONE;
use selvedge_model::recall::{Edge, StepGraph};
use selvedge_model::{Access, Choice, Event, Machine, Part, Pending, Seen, Standing, Status, WaitsFor};
use std::rc::Rc;

/// A part of an array.
#[derive(Clone, Copy)]
struct Span {
    from: u32,
    to: u32,
}

impl Span {
    #[inline]
    fn of<T>(self, all: &[T]) -> &[T] {
        &all[self.from as usize..self.to as usize]
    }

    /// Appends to an array.
    fn append<T: Clone>(all: &mut Vec<T>, some: &[T]) -> Span {
        let from = all.len() as u32;
        all.extend_from_slice(some);
        Span {
            from,
            to: all.len() as u32,
        }
    }
}

/// The visible part of a state.
#[derive(Clone, Default)]
pub(super) struct Shown {
    pub pending: Rc<[Pending]>,
    pub standing: Option<Standing>,
}

impl Shown {
    pub fn of(pending: &[Pending]) -> Shown {
        Shown {
            pending: pending.into(),
            standing: Standing::of(pending),
        }
    }
}

/// The data of a state.
struct State {
    shown: Shown,
    waits: Span,
}

/// The data of a step.
pub(super) struct Step {
    /// True if the machine takes the step each time, because it has notices.
    pub noted: bool,
    /// The number of the program's instructions that were executed in it.
    pub instructions: u64,
    pub event: Event,
    accesses: Span,
    parts: Span,
}

/// The graph: states by their fingerprints, steps by their choices.
pub(super) struct Graph {
    steps: StepGraph<Digest, Choice, State, Step>,
    /// The number of pending actions of all states.
    pending: usize,
    /// The wait-for edges of blocked threads.
    waits: Vec<(ThreadId, ThreadId)>,
    accesses: Vec<Access>,
    parts: Vec<Part>,
}

impl Default for Graph {
    fn default() -> Self {
        Graph {
            steps: StepGraph::new(MOST_BYTES),
            pending: 0,
            waits: Vec::new(),
            accesses: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl Graph {
    /// The edge of a choice at a node.
    #[inline]
    pub fn find(&self, node: u32, choice: Choice) -> u32 {
        self.steps.find(node, choice)
    }

    #[inline]
    pub fn edge(&self, edge: u32) -> &Edge<Choice, Step> {
        self.steps.edge(edge)
    }

    #[inline]
    pub fn shown(&self, node: u32) -> &Shown {
        &self.steps.node(node).shown
    }

    #[inline]
    pub fn accesses(&self, edge: u32) -> &[Access] {
        self.edge(edge).data.accesses.of(&self.accesses)
    }

    #[inline]
    pub fn parts(&self, edge: u32) -> &[Part] {
        self.edge(edge).data.parts.of(&self.parts)
    }

    /// The results of a step.
    pub fn seen(&self, edge: u32) -> Seen<'_> {
        let edge = self.edge(edge);
        Seen {
            event: &edge.data.event,
            pending: &self.shown(edge.to).pending,
            accesses: edge.data.accesses.of(&self.accesses),
            parts: edge.data.parts.of(&self.parts),
        }
    }

    /// The threads for which a blocked thread waits.
    pub fn waits_for(&self, node: u32, thread: ThreadId) -> WaitsFor {
        let waits = self.steps.node(node).waits.of(&self.waits);
        let mine = waits.iter().filter(|wait| wait.0 == thread);
        mine.map(|wait| wait.1).collect()
    }

    /// The node of the machine's state, which has this key.
    pub fn node(&mut self, key: Digest, machine: &impl Machine) -> u32 {
        let pending = machine.pending();
        let (waits, count) = (&mut self.waits, &mut self.pending);
        let make = || {
            let from = waits.len() as u32;
            for (i, blocked) in pending.iter().enumerate() {
                if blocked.status == Status::Blocked {
                    let thread = ThreadId::from_index(i);
                    let others = machine.waits_for(thread);
                    waits.extend(others.into_iter().map(|other| (thread, other)));
                }
            }
            *count += pending.len();
            State {
                shown: Shown::of(pending),
                waits: Span {
                    from,
                    to: waits.len() as u32,
                },
            }
        };
        self.steps
            .enter(key, |known| *known.shown.pending == *pending, make)
    }

    /// Adds the step that the machine just took from a node, by a choice, to another one.
    pub fn learn(
        &mut self,
        step: (u32, Choice, u32),
        event: Event,
        instructions: u64,
        machine: &impl Machine,
    ) -> u32 {
        let data = Step {
            noted: !machine.notices().is_empty(),
            instructions,
            event,
            accesses: Span::append(&mut self.accesses, machine.accesses()),
            parts: Span::append(&mut self.parts, machine.parts()),
        };
        self.steps.learn(step, data)
    }

    /// True if more may be stored.
    pub fn has_room(&self) -> bool {
        let beside = self.pending * size_of::<Pending>()
            + size_of_val(&self.waits[..])
            + size_of_val(&self.accesses[..])
            + size_of_val(&self.parts[..]);
        self.steps.has_room(beside)
    }
}
