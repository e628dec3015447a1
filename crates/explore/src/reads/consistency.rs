//! Whether an execution graph is consistent: what a memory model says of it.

use super::graph::{At, Event, Graph, Last, Location, Source, count};
use super::order::{self, Limits, Order};
use super::place::{ends_with, place};
use super::weaken::Weaken;
use selvedge_base::{Digest, ForTests};
use std::cell::Cell;
use std::rc::Rc;

/// A memory model: which graphs are executions. Each cone-closed part of a consistent graph is
/// consistent, and a read can be added after everything else with some source.
pub trait Consistency {
    /// The sources that a read of a location may have in a graph. `before`: events that come before
    /// the read.
    fn sources(&self, graph: &Graph, location: Location, before: &[u32]) -> Vec<Source>;
    /// An order in which a machine can execute the events of a graph, so that the writes in `lasts`
    /// are the last ones of their locations. It begins as `path` does, as far as possible.
    fn order(&self, graph: &Graph, lasts: &[Last], path: &[Digest]) -> Order;
    /// The same for a graph to which an event was added. `known`: an order of the graph without it.
    fn order_with(&self, graph: &Graph, event: &Event, known: &[At], path: &[Digest]) -> Order;
    /// The same if an order of the graph is known.
    fn order_ending(&self, graph: &Graph, lasts: &[Last], known: &[At], path: &[Digest]) -> Order;
    /// The number of events that searches for orders have looked at since the last call.
    fn take_work(&self) -> u64;
}

/// Sequential consistency: there is an order of all events that agrees with program order, and in
/// which each read reads the last write before it.
#[derive(Clone, Default, Debug)]
pub struct Sequential {
    pub weaken: ForTests<Weaken>,
    pub limits: Limits,
    /// See [`Consistency::take_work`].
    pub work: Cell<u64>,
}

impl Consistency for Sequential {
    fn sources(&self, graph: &Graph, location: Location, before: &[u32]) -> Vec<Source> {
        let writers: Vec<&Rc<Event>> = graph.writers(location).collect();
        let comes_before = |write: &&&Rc<Event>| count(before, write.at.thread) > write.at.index;
        let known: Vec<&Rc<Event>> = writers.iter().filter(comes_before).copied().collect();
        // What is known to be overwritten is not read.
        let is_old = |write: &Rc<Event>| known.iter().any(|other| other.follows(write.at));
        let initial = known.is_empty().then_some(None);
        let written = writers.iter().filter(|write| !is_old(write));
        initial
            .into_iter()
            .chain(written.map(|write| Some(write.at)))
            .collect()
    }

    fn order(&self, graph: &Graph, lasts: &[Last], path: &[Digest]) -> Order {
        order::order(graph, lasts, path, (self.weaken, self.limits, &self.work))
    }

    fn order_with(&self, graph: &Graph, event: &Event, known: &[At], path: &[Digest]) -> Order {
        place(graph, known, event).map_or_else(|| self.order(graph, &[], path), Order::Found)
    }

    fn take_work(&self) -> u64 {
        self.work.take()
    }

    fn order_ending(&self, graph: &Graph, lasts: &[Last], known: &[At], path: &[Digest]) -> Order {
        match ends_with(graph, known, lasts) {
            true => Order::Found(known.to_vec()),
            false => self.order(graph, lasts, path),
        }
    }
}
