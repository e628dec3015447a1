//! The report as data.

use crate::Covered;
use selvedge_base::Location;
use selvedge_model::{Coverage, Finding, Input, LimitKind, Verdict};
use selvedge_schedule::Schedule;

/// Everything a run says.
#[derive(Clone, PartialEq, Debug)]
pub struct RunReport {
    /// The version of this program.
    pub version: String,
    /// The inputs, as given.
    pub inputs: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is unknown, or why the run ended early.
    pub reasons: Vec<Reason>,
    /// What the verdict rests on.
    pub assumptions: Vec<String>,
    /// The strategy that decided.
    pub strategy: String,
    /// What took turns with it.
    pub also: Vec<Turns>,
    /// The dependence relation.
    pub dependence: String,
    /// Which actions were scheduling points.
    pub visibility: String,
    /// Counts.
    pub statistics: Statistics,
    /// Who answered the solver's queries, in the order in which they are asked; empty if there were
    /// none.
    pub layers: Vec<Layer>,
    /// What was reached, if that was asked for.
    pub coverage: Option<Coverage>,
    /// What was covered, if a limit left something out.
    pub covered: Option<Covered>,
    /// The program's assertions, if what they depend on was looked at.
    pub assertions: Option<Vec<AssertionReport>>,
    /// What is wrong with the program.
    pub findings: Vec<FindingReport>,
}

/// What an assertion depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssertionReport {
    /// Where it is.
    pub location: Location,
    /// Whether the order of threads may decide whether it fails where it is reached.
    pub by_order: bool,
}

/// An exploration that took turns with the one that decided.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Turns {
    /// Its strategy.
    pub strategy: String,
    /// Which actions were scheduling points.
    pub visibility: String,
    /// What it has done, in units of about one instruction of the program.
    pub work: u64,
}

/// Why nothing can be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// Which bound ended it; `None`: something unsupported.
    pub limit: Option<LimitKind>,
    /// In words.
    pub detail: String,
    /// Where, if it has a place.
    pub location: Option<Location>,
}

/// Counts of a run. What a strategy does not count is 0.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Statistics {
    /// Finished maximal executions that were not redundant.
    pub executions: u64,
    /// Executions that were cut off as redundant.
    pub redundant_executions: u64,
    /// Executions that ended where only known states follow.
    pub cut_executions: u64,
    /// Visible steps.
    pub events: u64,
    /// Events in the unfolding.
    pub unfolding_events: u64,
    /// Cutoff events.
    pub cutoffs: u64,
    /// The longest execution, in events.
    pub max_depth: u64,
    /// The most threads in one execution.
    pub threads: u64,
    /// Executions of all explorations together, also those that took turns with the one that
    /// decided, whatever ended them. These are the counts that progress shows.
    pub all_executions: u64,
    /// Visible steps of all explorations together.
    pub all_events: u64,
    /// How often the explored part was estimated during a complete exploration; 0 if it was too
    /// short.
    pub estimates: u64,
    /// The mean error of these estimates, as a part of the whole.
    pub estimate_error: f64,
    /// Branches on symbolic values that were explored.
    pub branches_explored: u64,
    /// Queries to a solver.
    pub solver_queries: u64,
    /// Seconds in solvers.
    pub solver_seconds: f64,
    /// Instructions executed.
    pub instructions: u64,
    /// Data choices taken.
    pub choices: u64,
    /// States of which more than one thread was taken, if they were counted.
    pub thread_choices: u64,
    /// Those of them before accesses to memory that are none to elements of arrays.
    pub field_choices: u64,
    /// Those before accesses to elements of arrays.
    pub element_choices: u64,
    /// All others.
    pub other_choices: u64,
    /// Thread choices without which something would be missed, if that was decided; the next three
    /// are the same by kind.
    pub necessary_choices: u64,
    /// At fields.
    pub necessary_field_choices: u64,
    /// At elements of arrays.
    pub necessary_element_choices: u64,
    /// At all others.
    pub necessary_other_choices: u64,
    /// States that are known.
    pub states: u64,
    /// States that were forgotten, since there were too many.
    pub forgotten_states: u64,
    /// Statements on the slice.
    pub slice_statements: u64,
    /// Seconds of static analysis.
    pub static_seconds: f64,
    /// Seconds of the run.
    pub seconds: f64,
    /// The most memory the process had.
    pub peak_memory_bytes: u64,
}

/// Counts of one layer of the solver.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Queries that came to it.
    pub queries: u64,
    /// Those that it answered by itself.
    pub answered: u64,
    /// Seconds spent in it.
    pub seconds: f64,
}

/// One finding with its schedule.
#[derive(Clone, PartialEq, Debug)]
pub struct FindingReport {
    /// What, where, with which other places.
    pub finding: Finding,
    /// Why it came to that, in one sentence.
    pub cause: Option<String>,
    /// The inputs that lead to it, if the program has any.
    pub inputs: Vec<Input>,
    /// The shortest schedule that shows it.
    pub schedule: Schedule,
    /// Whether it is known that no other order of the schedule's steps has fewer context switches.
    pub fewest_switches: bool,
    /// The schedule for people.
    pub rows: Vec<Row>,
    /// The threads; empty if they are not known.
    pub threads: Vec<ThreadReport>,
    /// Of a data race: where the variable is used, and under which locks.
    pub sites: Vec<AccessSite>,
    /// What the program had printed by then.
    pub output: String,
}

/// A thread of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct ThreadReport {
    /// Its hierarchical name.
    pub name: String,
    /// The function that it runs; empty if that is not known.
    pub runs: String,
    /// What the program calls it (`pthread_setname_np`); empty if it has not named it.
    pub label: String,
}

/// A place at which a thread uses a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessSite {
    /// Whether it writes.
    pub write: bool,
    /// Where.
    pub location: Location,
    /// The thread's name.
    pub thread: String,
    /// The locks that it holds there.
    pub held: Vec<String>,
}

/// What a row of a schedule is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// A step.
    #[default]
    Step,
    /// Something within the step above that the finding names.
    Related,
    /// What is wrong: the step, or something within the step above.
    Fault,
    /// What a thread waits for in the end.
    Waits,
}

/// One step of a schedule, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The thread's name.
    pub thread: String,
    /// The action.
    pub text: String,
    /// Where it is.
    pub location: Location,
    /// What it is.
    pub kind: RowKind,
    /// The locks that the thread holds after a step.
    pub held: Vec<String>,
    /// Rows of other threads that a step comes after since they are dependent (the order of the two
    /// matters), without those that it comes after anyway.
    pub after: Vec<usize>,
    /// Which step of the schedule it is, if it is one.
    pub step: Option<usize>,
    /// Whether it matters to the finding: happens-before does not say that it could be left out.
    pub matters: bool,
    /// The name of the thread that a step creates.
    pub created: Option<String>,
    /// How many inputs its thread asks for in a step: the next ones of those of the thread.
    pub asked: usize,
}
