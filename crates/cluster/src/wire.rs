//! What travels between those who divide an exploration and the workers: messages, and their bytes.
//!
//! Messages come from strangers. They are bounded in size, and no message nests: a unit that was
//! given away is waiting or done, so reading needs a bounded stack.

use selvedge_explore::kept::{
    Begun, Common, Done, Entry, GivenUnit, Misfit, NodeState, Part, Product, Progress, RecordState,
    SampleState, Unit, UnitHalt, UnitState,
};
use selvedge_model::Choice;
use selvedge_session::apart::{Failure, Made, Outcome, Task};
use selvedge_vm::Carried;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the messages. Messages of another one are not read.
pub const VERSION: u8 = 1;

/// The longest message, in bytes.
pub const LONGEST: usize = 64 << 20;

/// The name of one hand-out of a unit. No two hand-outs have the same one, so a result that is
/// delivered twice, or late, is recognised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Token {
    /// The process that has handed it out, by a random number.
    pub incarnation: u64,
    /// Counts the hand-outs of this process.
    pub number: u64,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}-{}", self.incarnation, self.number)
    }
}

/// A task for some worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hand {
    /// The run to which it belongs.
    pub run: String,
    /// Its name.
    pub token: Token,
    /// The hashes of the stored module and terms.
    pub module: String,
    /// See `module`.
    pub terms: String,
    /// The regions of the machines' memory where the search began.
    pub regions: Vec<(u32, u32)>,
    /// What the parts have in common.
    pub common: Common,
    /// What to explore.
    pub task: Task,
    /// For how long, in milliseconds.
    pub slice: u32,
}

/// What a worker has made of a task.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The hand-out.
    pub token: Token,
    /// The worker.
    pub worker: String,
    /// The time that it took, in milliseconds.
    pub spent: u32,
    /// What was made, or why nothing was.
    pub made: Result<Made, Failing>,
}

/// Why nothing was made of a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Failing {
    /// It has ended so many workers that no further one tries.
    Kills(u32),
    /// The worker cannot explore the program, for a reason.
    Refused(String),
}

/// A worker's sign of life.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Beat {
    /// The worker.
    pub worker: String,
    /// The version of selvedge.
    pub tool: String,
    /// What it explores: the run and the hand-out.
    pub has: Option<(String, Token)>,
    /// The time since it has begun with that, or without work, in milliseconds.
    pub since: u64,
}

/// A request to workers. None is lost for ever: it is made again as long as it is needed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Order {
    /// Give so many units away, and return the part.
    Split(Token, u32),
    /// Give these up: their results are not needed.
    Drop(Vec<Token>),
    /// Give up everything of a run.
    End(String),
    /// Give up everything that was handed out under this number. Unlike the run's name, a later
    /// process does not use it again.
    EndOf(u64),
    /// Show a sign of life now.
    Show,
}

/// A message that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is too long, or there is no room for it.
    #[error("a message of {0} bytes is too long")]
    TooLong(usize),
    /// It is of another version.
    #[error("a message of another version of selvedge")]
    OtherVersion,
    /// It is damaged, or was never a message.
    #[error("a damaged message")]
    Damaged,
}

fn bytes(of: &impl Serialize) -> Result<Vec<u8>, Unreadable> {
    let bytes = postcard::to_extend(of, vec![VERSION]).map_err(|_| Unreadable::Damaged)?;
    match bytes.len() <= LONGEST {
        true => Ok(bytes),
        false => Err(Unreadable::TooLong(bytes.len())),
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    if bytes.len() > LONGEST {
        return Err(Unreadable::TooLong(bytes.len()));
    }
    match bytes.split_first() {
        Some((&VERSION, rest)) => match postcard::take_from_bytes(rest) {
            Ok((value, [])) => Ok(value),
            _ => Err(Unreadable::Damaged),
        },
        Some(_) => Err(Unreadable::OtherVersion),
        None => Err(Unreadable::Damaged),
    }
}

macro_rules! plain {
    ($($type:ty),*) => {$(
        impl $type {
            /// The message as bytes.
            ///
            /// # Errors
            /// If it is too long.
            pub fn bytes(&self) -> Result<Vec<u8>, Unreadable> {
                bytes(self)
            }

            /// Reads a message.
            ///
            /// # Errors
            /// If it is none.
            pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
                read(bytes)
            }
        }
    )*};
}

plain!(Beat, Order);

impl Hand {
    /// The message as bytes.
    ///
    /// # Errors
    /// If it is too long.
    pub fn bytes(&self) -> Result<Vec<u8>, Unreadable> {
        let task = FlatTask::of(&self.task).ok_or(Unreadable::Damaged)?;
        bytes(&FlatHand {
            run: self.run.clone(),
            token: self.token,
            module: self.module.clone(),
            terms: self.terms.clone(),
            regions: self.regions.clone(),
            common: self.common.clone(),
            task,
            slice: self.slice,
        })
    }

    /// Reads a message.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: &[u8]) -> Result<Hand, Unreadable> {
        let hand: FlatHand = read(bytes)?;
        let hand = Hand {
            run: hand.run,
            token: hand.token,
            module: hand.module,
            terms: hand.terms,
            regions: hand.regions,
            common: hand.common,
            task: hand.task.task(),
            slice: hand.slice,
        };
        let checked = match &hand.task {
            Task::Part(part) => part.check(),
            Task::Sample(state) => state.iter().try_for_each(SampleState::check),
        };
        checked.map_err(|_| Unreadable::Damaged)?;
        Ok(hand)
    }
}

impl Answer {
    /// The message as bytes.
    ///
    /// # Errors
    /// If it is too long.
    pub fn bytes(&self) -> Result<Vec<u8>, Unreadable> {
        let made = match &self.made {
            Err(failing) => Err(failing.clone()),
            Ok(made) => Ok(FlatMade {
                outcome: FlatOutcome::of(&made.outcome).ok_or(Unreadable::Damaged)?,
                common: made.common.clone(),
                learned: made.learned.clone(),
            }),
        };
        bytes(&FlatAnswer {
            token: self.token,
            worker: self.worker.clone(),
            spent: self.spent,
            made,
        })
    }

    /// Reads a message.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: &[u8]) -> Result<Answer, Unreadable> {
        let answer: FlatAnswer = read(bytes)?;
        let answer = Answer {
            token: answer.token,
            worker: answer.worker,
            spent: answer.spent,
            made: answer.made.map(|made| Made {
                outcome: made.outcome.outcome(),
                common: made.common,
                learned: made.learned,
            }),
        };
        if let Ok(made) = &answer.made {
            check_made(made).map_err(|_| Unreadable::Damaged)?;
        }
        Ok(answer)
    }
}

fn check_made(made: &Made) -> Result<(), Misfit> {
    made.learned.check().map_err(Misfit)?;
    match &made.outcome {
        Outcome::Part(progress) => progress.check(),
        Outcome::Sample(state) => state.check(),
        Outcome::Sampled(record, _) => record.check(),
        Outcome::Failed(_) | Outcome::Misfit(_) => Ok(()),
    }
}

#[derive(Serialize, Deserialize)]
struct FlatHand {
    run: String,
    token: Token,
    module: String,
    terms: String,
    regions: Vec<(u32, u32)>,
    common: Common,
    task: FlatTask,
    slice: u32,
}

#[derive(Serialize, Deserialize)]
struct FlatAnswer {
    token: Token,
    worker: String,
    spent: u32,
    made: Result<FlatMade, Failing>,
}

#[derive(Serialize, Deserialize)]
struct FlatMade {
    outcome: FlatOutcome,
    common: Common,
    learned: Carried,
}

#[derive(Serialize, Deserialize)]
enum FlatTask {
    Whole,
    Rest(FlatBegun),
    Unit(Vec<Choice>, Entry, Option<FlatBegun>),
    Sample(Option<SampleState>),
}

#[derive(Serialize, Deserialize)]
enum FlatOutcome {
    Begun(FlatBegun),
    Done(Done),
    TooManyThreads,
    Stopped,
    Sample(SampleState),
    Sampled(RecordState, UnitHalt),
    Failed(Failure),
    Misfit(String),
}

#[derive(Serialize, Deserialize)]
struct FlatBegun {
    nodes: Vec<NodeState>,
    joins: bool,
    product: Product,
    given: Vec<FlatGiven>,
}

#[derive(Serialize, Deserialize)]
struct FlatGiven {
    node: u32,
    place: u16,
    path: Vec<Choice>,
    entry: Entry,
    done: Option<Done>,
}

impl FlatTask {
    /// `None` if units lie within units.
    fn of(task: &Task) -> Option<FlatTask> {
        Some(match task {
            Task::Sample(state) => FlatTask::Sample(state.clone()),
            Task::Part(Part::Whole) => FlatTask::Whole,
            Task::Part(Part::Rest(begun)) => FlatTask::Rest(FlatBegun::of(begun)?),
            Task::Part(Part::Unit(unit)) => {
                let begun = match &unit.state {
                    UnitState::Waiting => None,
                    UnitState::Begun(begun) => Some(FlatBegun::of(begun)?),
                    UnitState::Done(_) => return None,
                };
                FlatTask::Unit(unit.path.clone(), unit.entry.clone(), begun)
            }
        })
    }

    fn task(self) -> Task {
        match self {
            FlatTask::Sample(state) => Task::Sample(state),
            FlatTask::Whole => Task::Part(Part::Whole),
            FlatTask::Rest(begun) => Task::Part(Part::Rest(begun.begun())),
            FlatTask::Unit(path, entry, begun) => Task::Part(Part::Unit(Unit {
                path,
                entry,
                state: begun.map_or(UnitState::Waiting, |begun| UnitState::Begun(begun.begun())),
            })),
        }
    }
}

impl FlatOutcome {
    /// `None` if units lie within units.
    fn of(outcome: &Outcome) -> Option<FlatOutcome> {
        Some(match outcome.clone() {
            Outcome::Part(Progress::Begun(begun)) => FlatOutcome::Begun(FlatBegun::of(&begun)?),
            Outcome::Part(Progress::Done(done)) => FlatOutcome::Done(done),
            Outcome::Part(Progress::TooManyThreads) => FlatOutcome::TooManyThreads,
            Outcome::Part(Progress::Stopped) => FlatOutcome::Stopped,
            Outcome::Sample(state) => FlatOutcome::Sample(state),
            Outcome::Sampled(record, halt) => FlatOutcome::Sampled(record, halt),
            Outcome::Failed(failure) => FlatOutcome::Failed(failure),
            Outcome::Misfit(what) => FlatOutcome::Misfit(what),
        })
    }

    fn outcome(self) -> Outcome {
        match self {
            FlatOutcome::Begun(begun) => Outcome::Part(Progress::Begun(begun.begun())),
            FlatOutcome::Done(done) => Outcome::Part(Progress::Done(done)),
            FlatOutcome::TooManyThreads => Outcome::Part(Progress::TooManyThreads),
            FlatOutcome::Stopped => Outcome::Part(Progress::Stopped),
            FlatOutcome::Sample(state) => Outcome::Sample(state),
            FlatOutcome::Sampled(record, halt) => Outcome::Sampled(record, halt),
            FlatOutcome::Failed(failure) => Outcome::Failed(failure),
            FlatOutcome::Misfit(what) => Outcome::Misfit(what),
        }
    }
}

impl FlatBegun {
    fn of(begun: &Begun) -> Option<FlatBegun> {
        let given = begun.given.iter().map(|given| {
            let unit = &given.unit;
            let done = match &unit.state {
                UnitState::Waiting => None,
                UnitState::Done(done) => Some(done.clone()),
                UnitState::Begun(_) => return None,
            };
            Some(FlatGiven {
                node: given.node,
                place: given.place,
                path: unit.path.clone(),
                entry: unit.entry.clone(),
                done,
            })
        });
        Some(FlatBegun {
            nodes: begun.nodes.clone(),
            joins: begun.joins,
            product: begun.product.clone(),
            given: given.collect::<Option<_>>()?,
        })
    }

    fn begun(self) -> Begun {
        let given = self.given.into_iter().map(|given| GivenUnit {
            node: given.node,
            place: given.place,
            unit: Unit {
                path: given.path,
                entry: given.entry,
                state: given.done.map_or(UnitState::Waiting, UnitState::Done),
            },
        });
        Begun {
            nodes: self.nodes,
            joins: self.joins,
            product: self.product,
            given: given.collect(),
        }
    }
}
