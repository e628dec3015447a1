//! Whether a violation witness holds: its steps are made, with its inputs, and nothing else.

use crate::Options;
use crate::error::Error;
use crate::machines::machine;
use crate::replay::program;
use crate::setup::Setup;
use crate::sites::sites;
use crate::trace::{Move, Trace};
use selvedge_base::{Id, Location, ThreadId};
use selvedge_detect::Detectors;
use selvedge_frontend::Loaded;
use selvedge_model::{Describe, Fault, Input, InputKind, Machine, Op, Property};
use selvedge_report::{Claim, ClaimedStep, FindingReport};
use selvedge_vm::{Program, Visibility, Vm};
use std::collections::BTreeMap;
use std::sync::Arc;

type VmTrace = Trace<Vm, Detectors>;

/// The most executions that are tried for one witness: it does not say which waiter a signal wakes,
/// and whether a wait ends without one.
const MOST_TRIES: usize = 1000;

/// The inputs of a claim as a machine takes them, by the names of the threads that ask for them.
pub fn claimed_inputs(claim: &Claim, names: &BTreeMap<usize, String>) -> Vec<Input> {
    let inputs = claim.inputs.iter();
    let inputs = inputs.map(|(thread, value)| Input {
        name: "witness".to_owned(),
        thread: names.get(thread).cloned().unwrap_or_default(),
        // As many bytes as any input has; the machine takes what it needs.
        bytes: value.to_le_bytes().to_vec(),
        kind: InputKind::Scalar {
            bits: 128,
            signed: true,
        },
        location: Location::default(),
    });
    inputs.collect()
}

/// Makes the steps of a claim. The finding, or in words why it was not seen.
///
/// # Errors
/// If the program cannot be run.
pub fn validate(
    loaded: &Loaded,
    options: &Options,
    claim: &Claim,
    steps: &[ClaimedStep],
) -> Result<Result<FindingReport, String>, Error> {
    let names = match thread_names(steps) {
        Ok(names) => names,
        Err(why) => return Ok(Err(why)),
    };
    let asked = |property| options.properties.contains(&property);
    let mut first = None;
    // What a step is depends on which actions are scheduling points, and a witness does not say it.
    for visibility in [Visibility::Sync, Visibility::Memory] {
        let mut setup = options.setup.clone();
        setup.vm.inputs = Some(claimed_inputs(claim, &names));
        setup.vm.check_overflow = asked(Property::Overflow);
        setup.vm.error_calls = asked(Property::ErrorCall);
        setup.vm.record_dead_accesses = asked(Property::DataRace) && !asked(Property::Deref);
        setup.vm.leaks = asked(Property::Leak) || asked(Property::Cleanup);
        setup.vm.record_accesses = asked(Property::DataRace);
        setup.vm.visibility = visibility;
        let program = program(&setup, loaded.clone())?;
        let mut search = Search {
            setup: &setup,
            options,
            program,
            claim,
            names: &names,
            tries: 0,
            furthest: (0, String::new()),
        };
        if let Some(report) = search.run(steps) {
            return Ok(Ok(report));
        }
        first.get_or_insert(search.furthest);
    }
    let (_, why) = first.unwrap_or_default();
    Ok(Err(why))
}

/// The hierarchical names of the threads that steps number.
fn thread_names(steps: &[ClaimedStep]) -> Result<BTreeMap<usize, String>, String> {
    let mut names = BTreeMap::from([(0, "0".to_owned())]);
    let mut children: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, step) in steps.iter().enumerate() {
        let Some(name) = names.get(&step.thread) else {
            return Err(format!("edge {number}: thread {} was not created", step.thread));
        };
        if let Some(created) = step.creates {
            let ordinal = children.entry(step.thread).or_default();
            *ordinal += 1;
            let name = format!("{name}.{ordinal}");
            names.insert(created, name);
        }
    }
    Ok(names)
}

struct Search<'a> {
    setup: &'a Setup,
    options: &'a Options,
    program: Arc<Program>,
    claim: &'a Claim,
    names: &'a BTreeMap<usize, String>,
    tries: usize,
    /// How far the best execution came, and why it came no further.
    furthest: (usize, String),
}

impl Search<'_> {
    /// Tries the alternatives of each step, depth first.
    fn run(&mut self, steps: &[ClaimedStep]) -> Option<FindingReport> {
        let mut prefix: Vec<u16> = Vec::new();
        while self.tries < MOST_TRIES {
            self.tries += 1;
            let (trace, taken) = self.follow(steps, &prefix);
            if let Some(trace) = trace
                && let Some(fault) = self.seen(&trace)
            {
                let sites = sites(&trace, &fault);
                let inputs = trace.machine.inputs();
                return Some(crate::finding::report(
                    self.setup,
                    trace,
                    &fault,
                    1,
                    (inputs, sites),
                ));
            }
            // The next alternative of the last step that has one.
            let next = taken
                .iter()
                .rposition(|&(alternative, of)| alternative + 1 < of)?;
            prefix = taken[..next]
                .iter()
                .map(|&(alternative, _)| alternative)
                .collect();
            prefix.push(taken[next].0 + 1);
        }
        None
    }

    /// Makes the steps with these alternatives, and the first ones after them. Returns the
    /// alternatives that were taken, and how many there were; and the trace if it has all steps.
    fn follow(&mut self, steps: &[ClaimedStep], prefix: &[u16]) -> (Option<VmTrace>, Vec<(u16, u16)>) {
        let (vm, detectors) = machine(&self.program);
        let mut trace = Trace::new(vm, detectors, Vec::new());
        let mut taken = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let alternative = prefix.get(number).copied().unwrap_or(0);
            match self.step(&mut trace, number, step, alternative) {
                Ok(of) => taken.push((alternative, of)),
                Err(why) => {
                    self.ends(number, why);
                    return (None, taken);
                }
            }
        }
        trace.finish();
        (Some(trace), taken)
    }

    fn step(
        &self,
        trace: &mut VmTrace,
        number: usize,
        step: &ClaimedStep,
        alternative: u16,
    ) -> Result<u16, String> {
        let vm = &trace.machine;
        let name = self.names.get(&step.thread).cloned().unwrap_or_default();
        let mut threads = (0..vm.pending().len()).map(ThreadId::from_index);
        let Some(thread) = threads.find(|&thread| vm.thread_name(thread) == name) else {
            return Err(format!("edge {number}: there is no thread {name}"));
        };
        let pending = vm.pending()[thread.index()];
        let context = match pending.action.op {
            Op::Start => vm.created_in(thread),
            _ => vm.pending_context(thread),
        };
        let line = vm.own_location(pending.action.stmt, context).line;
        if step.line > 0 && line > 0 && line != step.line {
            return Err(format!(
                "edge {number}: thread {name} is at line {line}, and not at line {}",
                step.line
            ));
        }
        let made = Move {
            thread: name,
            alternative,
        };
        trace
            .make(&made)
            .map_err(|error| format!("edge {number}: {error}"))?;
        Ok(pending.alternatives)
    }

    /// The violation that is claimed, if a trace shows it.
    fn seen(&mut self, trace: &VmTrace) -> Option<Fault> {
        let vm = &trace.machine;
        let line = |fault: &Fault| {
            let (stmt, context) = vm.outside_library(fault.stmt, fault.context);
            vm.own_location(stmt, context).line
        };
        let asked = |fault: &Fault| self.options.properties.contains(&fault.kind.property());
        let mut faults = trace
            .faults
            .iter()
            .map(|(_, fault)| fault)
            .filter(|fault| asked(fault));
        let here = faults
            .clone()
            .find(|fault| self.claim.line == 0 || line(fault) == self.claim.line);
        if here.is_none() {
            let why = match faults.next() {
                Some(fault) => format!(
                    "the violation is at line {}, and not at line {}",
                    line(fault),
                    self.claim.line
                ),
                None => "its steps lead to no violation of the property".to_owned(),
            };
            self.ends(usize::MAX, why);
        }
        here.cloned()
    }

    fn ends(&mut self, at: usize, why: String) {
        if at >= self.furthest.0 {
            self.furthest = (at, why);
        }
    }
}
