//! Mazurkiewicz traces under a relation on events, counted without events: the oracle of
//! [`Unfolding`](super::Unfolding)'s number of maximal configurations.

use super::{EventLabel, Inspect, TooLarge};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A Foata normal form over numbered labels: each label with the length of the longest chain of
/// dependent labels before it.
type Form = BTreeSet<(u32, u32)>;

/// The number of traces of the maximal executions under a relation on labels.
///
/// # Errors
/// If more than `limit` prefixes were visited.
pub fn count_traces<M: Inspect>(
    machine: &mut M,
    limit: usize,
    related: impl Fn(&EventLabel, &EventLabel) -> bool,
) -> Result<usize, TooLarge> {
    let mut counter = Counter {
        related,
        limit,
        numbers: HashMap::new(),
        seen: HashSet::new(),
        maximal: HashSet::new(),
    };
    counter.visit(machine, &Form::new(), &mut Vec::new())?;
    Ok(counter.maximal.len())
}

struct Counter<R> {
    related: R,
    limit: usize,
    numbers: HashMap<EventLabel, u32>,
    seen: HashSet<Form>,
    maximal: HashSet<Form>,
}

impl<R: Fn(&EventLabel, &EventLabel) -> bool> Counter<R> {
    /// Visits the continuations of `form`. `trace` is one execution with this form, with depths.
    fn visit<M: Inspect>(
        &mut self,
        machine: &mut M,
        form: &Form,
        trace: &mut Vec<(u32, EventLabel)>,
    ) -> Result<(), TooLarge> {
        if !self.seen.insert(form.clone()) {
            return Ok(());
        }
        if self.seen.len() > self.limit {
            return Err(TooLarge);
        }
        let mark = machine.mark();
        let mut steps = Vec::new();
        EventLabel::steps(machine, &self.related, |_, choice, label| {
            steps.push((choice, label))
        });
        if steps.is_empty() {
            self.maximal.insert(form.clone());
        }
        for (choice, label) in steps {
            machine.step(choice);
            let before = trace
                .iter()
                .filter(|(_, earlier)| (self.related)(earlier, &label));
            let depth = before.map(|(depth, _)| depth + 1).max().unwrap_or(0);
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(label.clone()).or_insert(next);
            let mut longer = form.clone();
            longer.insert((depth, number));
            trace.push((depth, label));
            self.visit(machine, &longer, trace)?;
            trace.pop();
            machine.undo(mark);
        }
        Ok(())
    }
}
