//! The end of a graph to which nothing can be added.
//!
//! Threads that wait are no part of the graph. They wait for ever if there is an order of the graph
//! after which each of them is blocked. What a thread reads there are last writes, so each
//! possible choice of last writes to what these threads read is tried.

use super::consistency::Consistency;
use super::graph::{At, Graph, Last, Source};
use super::order::Order;
use super::reason::Uncovered;
use super::search::{Search, key};
use super::weaken::Weaken;
use selvedge_base::Digest;
use selvedge_model::{Detector, Op, Status, Undo};

/// The maximum number of choices of last writes.
const MOST_LASTS: usize = 10_000;

impl<M: Undo, D: Detector<M>, C: Consistency> Search<'_, M, D, C> {
    /// Records the executions of a graph to which nothing can be added. `known`: one of its orders.
    pub(super) fn leaf(&mut self, graph: &Graph, known: &[At]) -> Result<(), Uncovered> {
        let mut locations: Vec<_> = Vec::new();
        for node in self.nodes.iter().filter(|node| node.is_waiting()) {
            let reading = node.uses.iter().filter(|used| used.reads);
            locations.extend(reading.map(|used| used.location));
        }
        locations.sort_unstable();
        locations.dedup();
        let mut choices: Vec<Vec<Last>> = vec![Vec::new()];
        for location in locations {
            let sources = self.model.sources(graph, location, &[]);
            if choices.len() * sources.len() > MOST_LASTS {
                return Err(Uncovered::Wide);
            }
            let with = |lasts: &Vec<Last>, source: Source| {
                let mut lasts = lasts.clone();
                lasts.push((location, source));
                lasts
            };
            let with_each = |lasts: &Vec<Last>| sources.iter().map(|&s| with(lasts, s)).collect::<Vec<_>>();
            choices = choices.iter().flat_map(with_each).collect();
        }
        let mut ends = false;
        for lasts in choices {
            match self.model.order_ending(graph, &lasts, known, self.runner.path()) {
                Order::Found(order) => {
                    self.runner.run(graph, &order)?;
                    ends |= self.end(graph, &lasts)?;
                    if self.runner.found {
                        return Ok(());
                    }
                }
                Order::None => {}
                Order::Unknown => return Err(Uncovered::Hard),
            }
        }
        self.runner.record.statistics.redundant_executions += u64::from(!ends);
        Ok(())
    }

    /// Records the end of an execution, if the machine's state is one. Only the end of the process
    /// may still come.
    fn end(&mut self, graph: &Graph, lasts: &[Last]) -> Result<bool, Uncovered> {
        let length = self.runner.len();
        let mut exits: Vec<(u32, u16)> = Vec::new();
        let mut held = false;
        let mut goes_on = false;
        for (thread, pending) in self.runner.threads() {
            match pending.status {
                Status::Enabled if pending.action.op == Op::ProcessExit => {
                    exits.push((thread, pending.alternatives));
                }
                Status::Enabled => goes_on = true,
                Status::Held => held = true,
                Status::Blocked | Status::Finished | Status::Parked => {}
            }
        }
        if goes_on && !self.weaken.is(Weaken::LastWrite) {
            // Another graph has what it does.
            return Ok(false);
        }
        if held {
            // Perhaps they wait for each other.
            return match self.held_goes_on(graph) {
                true => Ok(false),
                false => Err(Uncovered::Loops),
            };
        }
        if exits.is_empty() {
            return Ok(self.count_end(graph, lasts));
        }
        for (thread, alternatives) in exits {
            for alternative in 0..alternatives {
                self.runner.return_to(length);
                self.runner.step(thread, alternative, Digest::EMPTY)?;
                if self.runner.found {
                    return Ok(true);
                }
                self.end(graph, lasts)?;
            }
        }
        self.runner.return_to(length);
        Ok(true)
    }

    fn count_end(&mut self, graph: &Graph, lasts: &[Last]) -> bool {
        self.runner.end();
        if let Some(ended) = &mut self.ended {
            // What waits for ever has read the last writes.
            ended(key(graph, lasts.iter().map(|&(_, source)| source)).with(graph.digest()));
        }
        true
    }
}
