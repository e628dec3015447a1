//! The graph of cached states and steps.

use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{Access, Choice, Event, Machine, Part, Pending, Seen, Standing, Status, WaitsFor};
use std::rc::Rc;

/// No node, or no edge.
pub(super) const NONE: u32 = u32::MAX;

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

/// A state.
struct Node {
    shown: Shown,
    waits: Span,
    /// The newest edge; the others follow it.
    edge: u32,
    /// Another node with the same key.
    same: u32,
}

/// A step.
pub(super) struct Edge {
    choice: Choice,
    next: u32,
    /// The node that it leads to.
    pub to: u32,
    /// True if the machine takes the step each time, because it has notices.
    pub noted: bool,
    /// The number of the program's instructions that were executed in it.
    pub instructions: u64,
    pub event: Event,
    accesses: Span,
    parts: Span,
}

impl Edge {
    pub fn choice(&self) -> Choice {
        self.choice
    }
}

/// The graph.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The newest node with a key.
    by_key: FxHashMap<Digest, u32>,
    /// The number of pending actions of all nodes.
    pending: usize,
    /// The wait-for edges of blocked threads.
    waits: Vec<(ThreadId, ThreadId)>,
    accesses: Vec<Access>,
    parts: Vec<Part>,
}

impl Graph {
    /// The edge of a choice at a node.
    #[inline]
    pub fn find(&self, node: u32, choice: Choice) -> u32 {
        let mut at = self.nodes[node as usize].edge;
        while at != NONE {
            let edge = &self.edges[at as usize];
            if edge.choice == choice {
                break;
            }
            at = edge.next;
        }
        at
    }

    #[inline]
    pub fn edge(&self, edge: u32) -> &Edge {
        &self.edges[edge as usize]
    }

    #[inline]
    pub fn shown(&self, node: u32) -> &Shown {
        &self.nodes[node as usize].shown
    }

    #[inline]
    pub fn accesses(&self, edge: u32) -> &[Access] {
        self.edges[edge as usize].accesses.of(&self.accesses)
    }

    #[inline]
    pub fn parts(&self, edge: u32) -> &[Part] {
        self.edges[edge as usize].parts.of(&self.parts)
    }

    /// The results of a step.
    pub fn seen(&self, edge: u32) -> Seen<'_> {
        let Edge {
            event,
            to,
            accesses,
            parts,
            ..
        } = self.edge(edge);
        Seen {
            event,
            pending: &self.shown(*to).pending,
            accesses: accesses.of(&self.accesses),
            parts: parts.of(&self.parts),
        }
    }

    /// The threads for which a blocked thread waits.
    pub fn waits_for(&self, node: u32, thread: ThreadId) -> WaitsFor {
        let waits = self.nodes[node as usize].waits.of(&self.waits);
        let mine = waits.iter().filter(|wait| wait.0 == thread);
        mine.map(|wait| wait.1).collect()
    }

    /// The node of the machine's state, which has this key.
    pub fn node(&mut self, key: Digest, machine: &impl Machine) -> u32 {
        let pending = machine.pending();
        let first = self.by_key.get(&key).copied().unwrap_or(NONE);
        let mut at = first;
        while at != NONE {
            if *self.shown(at).pending == *pending {
                return at;
            }
            at = self.nodes[at as usize].same;
        }
        let node = self.nodes.len() as u32;
        let from = self.waits.len() as u32;
        for (i, blocked) in pending.iter().enumerate() {
            if blocked.status == Status::Blocked {
                let thread = ThreadId::from_index(i);
                let others = machine.waits_for(thread);
                self.waits.extend(others.into_iter().map(|other| (thread, other)));
            }
        }
        let waits = Span {
            from,
            to: self.waits.len() as u32,
        };
        self.pending += pending.len();
        self.nodes.push(Node {
            shown: Shown::of(pending),
            waits,
            edge: NONE,
            same: first,
        });
        self.by_key.insert(key, node);
        node
    }

    /// Adds the step that the machine just took from a node, by a choice, to another one.
    pub fn learn(
        &mut self,
        (from, choice, to): (u32, Choice, u32),
        event: Event,
        instructions: u64,
        machine: &impl Machine,
    ) -> u32 {
        let edge = self.edges.len() as u32;
        let next = std::mem::replace(&mut self.nodes[from as usize].edge, edge);
        self.edges.push(Edge {
            choice,
            next,
            to,
            noted: !machine.notices().is_empty(),
            instructions,
            event,
            accesses: Span::append(&mut self.accesses, machine.accesses()),
            parts: Span::append(&mut self.parts, machine.parts()),
        });
        edge
    }

    /// Its approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + 2 * size_of::<(Digest, u32)>())
            + size_of_val(&self.edges[..])
            + self.pending * size_of::<Pending>()
            + size_of_val(&self.waits[..])
            + size_of_val(&self.accesses[..])
            + size_of_val(&self.parts[..])
    }
}
