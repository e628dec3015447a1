//! Whether the inputs that a set of schedules names for a schedule lead along it. The program is
//! run once more with these inputs fixed, in the order of the set, and the operations of that run
//! are looked up in the schedules of the program.
//!
//! Where requests come without end a schedule is a part of a run. The run goes on to the end of the
//! requests that are given, and then finds the end of the stream. It passes one schedule before the
//! first request, and one more for each. So the run is divided into parts, too, each of its own:
//! what only the parts of the set order is ordered in the run.
//!
//! Missing: an input of the program itself that has the name of [`COMES`] is taken for a request,
//! so a right witness of such a program may be refused.

use crate::machines::stepping_machine;
use crate::rounds::stand;
use selvedge_base::Location;
use selvedge_cover::{Collected, Collector, Names, Optimisation, Recorder, Without, is_ordered};
use selvedge_explore::ordered::{self, Begins, Choosing, Decisions, Junctions, Pace, Parts};
use selvedge_explore::{Config, Control};
use selvedge_model::{Input, InputKind};
use selvedge_schedule::cover::{Cover, Order, Witness};
use selvedge_vm::{Program, Vm};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The name of the input that says whether another request comes.
const COMES: &str = "another request";

/// What is needed to run the program again.
#[derive(Clone, Copy)]
pub(crate) struct Again<'a> {
    pub(crate) program: &'a Arc<Program>,
    pub(crate) names: &'a dyn Names<Vm>,
    pub(crate) config: &'a Config,
    pub(crate) control: &'a Control,
    /// If parts begin where loops go round, the number of threads from which on they do.
    pub(crate) rounds: Option<usize>,
    /// How long threads compute after operations.
    pub(crate) pace: &'a Pace,
}

/// The schedules of a program, with operations as numbers.
pub(crate) struct Known<'a> {
    own: &'a Cover,
    numbers: BTreeMap<String, usize>,
    /// The operations of each schedule.
    operations: Vec<Vec<usize>>,
    /// The schedules that begin with each part.
    from: BTreeMap<usize, Vec<usize>>,
}

impl<'a> Known<'a> {
    pub(crate) fn of(own: &'a Cover) -> Known<'a> {
        let mut known = Known {
            own,
            numbers: BTreeMap::new(),
            operations: Vec::new(),
            from: BTreeMap::new(),
        };
        for (number, order) in own.schedules.iter().enumerate() {
            let mut operations = Vec::new();
            for text in texts(own, order) {
                let next = known.numbers.len();
                operations.push(*known.numbers.entry(text).or_insert(next));
            }
            known.operations.push(operations);
            known.from.entry(order.from).or_default().push(number);
        }
        known
    }

    /// The schedules of the program that the inputs of a claimed one may lead along.
    ///
    /// # Errors
    /// In words, if these are not the inputs that the program asks for, or the run does not end.
    pub(crate) fn along(
        &self,
        again: Again<'_>,
        decisions: &mut Decisions,
        claimed: &Order,
    ) -> Result<Vec<usize>, String> {
        let run = run(again, decisions, &claimed.witness)?;
        let path = path(&run)?;
        let asked = path.last().map_or(&[][..], |order| &order.witness);
        let goes_on = match (claimed.to, again.rounds) {
            (None, _) => GoesOn::Never,
            (Some(_), None) => GoesOn::WithARequest,
            (Some(_), Some(_)) => GoesOn::Perhaps,
        };
        asked_for(&claimed.witness, asked, goes_on)?;
        let requests = claimed.witness.iter().filter(|witness| witness.name == COMES);
        let place = match self.own.parts.is_empty() {
            true => 0,
            false => requests.count(),
        };
        Ok(self.at(&run, &path, place))
    }

    /// The schedules that a run may follow after so many others.
    fn at(&self, run: &Cover, path: &[&Order], place: usize) -> Vec<usize> {
        // An operation of no schedule has a number of none.
        let number = |text: String| self.numbers.get(&text).copied().unwrap_or(usize::MAX);
        let mut found = Vec::new();
        // The parts of the set that the run may have come to.
        let mut at = BTreeSet::from([0]);
        for order in path.iter().take(place + 1) {
            let done: Vec<usize> = texts(run, order).map(number).collect();
            let from = at
                .iter()
                .flat_map(|part| self.from.get(part).into_iter().flatten());
            let is_it = |&schedule: &usize| {
                let goes_on = self.own.schedules[schedule].to.is_some();
                goes_on == order.to.is_some() && self.operations[schedule] == done
            };
            found = from.copied().filter(is_it).collect();
            at = found
                .iter()
                .filter_map(|&schedule| self.own.schedules[schedule].to)
                .collect();
        }
        match path.len() > place {
            true => found,
            false => Vec::new(),
        }
    }
}

/// The schedules of one run, one after the other.
///
/// # Errors
/// In words, if they are not those of one run that came to its end.
fn path(run: &Cover) -> Result<Vec<&Order>, String> {
    let mut path: Vec<&Order> = Vec::new();
    let mut part = Some(0);
    while let Some(from) = part {
        let mut next = run.schedules.iter().filter(|order| order.from == from);
        let (Some(order), None) = (next.next(), next.next()) else {
            return Err("they lead to several orders, or to none".to_owned());
        };
        path.push(order);
        part = order.to;
    }
    Ok(path)
}

/// What each operation of a schedule is, whatever the numbers of objects are.
fn texts<'a>(cover: &'a Cover, order: &'a Order) -> impl Iterator<Item = String> + 'a {
    order.steps.iter().map(|step| {
        let (what, came) = (cover.text(&step.label), step.outcome.word());
        format!("{} {what} {came}", step.thread)
    })
}

/// The schedules of the run with these inputs.
fn run(again: Again<'_>, decisions: &mut Decisions, witness: &[Witness]) -> Result<Cover, String> {
    let inputs = witness.iter().map(|given| Input {
        name: given.name.clone(),
        thread: given.thread.clone(),
        bytes: given.bytes.clone(),
        // The machine takes the bytes as those of what it asks for.
        kind: InputKind::Bytes,
        location: Location::default(),
    });
    let mut options = again.program.options.clone();
    options.inputs = Some(inputs.collect());
    let program =
        Program::new(Arc::clone(&again.program.module), options).map_err(|error| error.to_string())?;
    // Each part of a run is one of its own.
    let collector = Collector::new(Without::one(Optimisation::Parts));
    let (vm, detectors) = stepping_machine(&program);
    let recorder = Recorder::new(&collector, again.names);
    let (junctions, recorder) = match (program.options.requests, again.rounds) {
        (Some(requests), _) => {
            let begins = Begins::Requests(&Vm::reads_request);
            let parts = match requests.most {
                None => Parts::Each,
                Some(_) => Parts::None,
            };
            (Some(Junctions::new(begins, parts)), recorder)
        }
        (None, Some(threads)) => {
            let stand = &stand;
            let begins = Begins::Rounds { stand, threads };
            (Some(Junctions::new(begins, Parts::Each)), recorder.of_rounds())
        }
        (None, None) => (None, recorder),
    };
    let (mut vm, mut detectors, mut junctions) = (vm, (detectors, recorder), junctions);
    let choosing = Choosing {
        decisions,
        junctions: junctions.as_mut(),
        pace: again.pace,
    };
    let machine = (&mut vm, &mut detectors);
    let report = ordered::explore(machine, &is_ordered, choosing, (again.config, again.control));
    if again.control.is_stopped() {
        return Err("the run with them was stopped before its end".to_owned());
    }
    if let Some(found) = report.faults.first() {
        return Err(format!("with them this goes wrong: {}", found.fault.message));
    }
    if collector.left_out() > 0 {
        return Err("the program excludes them by an assumption".to_owned());
    }
    match collector.finish() {
        Collected::Set(run, refused, _) => match refused.first() {
            None => Ok(run),
            Some(why) => Err(format!("with them the program does something else: {}", why.what)),
        },
        Collected::Again(_) => Err("they lead to several orders".to_owned()),
    }
}

/// Whether a program asks for more inputs than those of a schedule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GoesOn {
    /// The schedule is a whole execution.
    Never,
    /// Another request comes next.
    WithARequest,
    /// What comes after the schedule may ask for more.
    Perhaps,
}

/// Whether inputs are those that the program asks for.
fn asked_for(given: &[Witness], asked: &[Witness], goes_on: GoesOn) -> Result<(), String> {
    let named = |witness: &Witness| format!("`{}` of thread {}", witness.name, witness.thread);
    for (number, given) in given.iter().enumerate() {
        let Some(asked) = asked.get(number) else {
            return Err(format!("the program does not ask for its input {}", named(given)));
        };
        if (&given.thread, &given.name) != (&asked.thread, &asked.name) {
            let (asked, given) = (named(asked), named(given));
            return Err(format!("the program asks for {asked} where it has {given}"));
        }
        if given.bytes.len() != asked.bytes.len() {
            let (size, has) = (asked.bytes.len(), given.bytes.len());
            return Err(format!(
                "its input {} has {has} bytes, and not {size}",
                named(given)
            ));
        }
    }
    match asked.get(given.len()) {
        _ if goes_on == GoesOn::Perhaps => Ok(()),
        Some(next) if goes_on == GoesOn::WithARequest && next.name == COMES => Ok(()),
        Some(missing) => Err(format!("it lacks the input {}", named(missing))),
        None if goes_on == GoesOn::WithARequest => {
            Err("the program does not read another request after them".to_owned())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn witness(name: &str, bytes: &[u8]) -> Witness {
        Witness {
            thread: "0".to_owned(),
            name: name.to_owned(),
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn inputs_are_those_that_are_asked_for_and_no_others() {
        let (a, b, comes) = (witness("a", b"x"), witness("b", b"yz"), witness(COMES, &[0]));
        let all = [a.clone(), b.clone()];
        assert_eq!(asked_for(&all, &all, GoesOn::Never), Ok(()));
        assert_eq!(
            asked_for(&all, &[a.clone(), b.clone(), comes], GoesOn::WithARequest),
            Ok(())
        );
        let refused = |given: &[Witness], goes_on: GoesOn, why: &str| {
            let said = asked_for(given, &all, goes_on).unwrap_err();
            assert!(said.contains(why), "{said}");
        };
        refused(&all[..1], GoesOn::Never, "lacks the input `b` of thread 0");
        refused(&all[..1], GoesOn::WithARequest, "lacks the input `b` of thread 0");
        refused(&all, GoesOn::WithARequest, "does not read another request");
        refused(
            &[b.clone(), a.clone()],
            GoesOn::Never,
            "asks for `a` of thread 0 where it has `b`",
        );
        refused(
            &[a.clone(), witness("b", b"y")],
            GoesOn::Never,
            "has 1 bytes, and not 2",
        );
        let more = [a, b, witness("c", b"")];
        refused(&more, GoesOn::Never, "does not ask for its input `c`");
    }
}
