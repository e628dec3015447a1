//! A part that was left out because it has ended workers, with all that is needed to explore it
//! alone, on any machine.

use crate::wire::{Hand, Unreadable};
use selvedge_explore::kept::{Common, Part, Progress, RecordState};
use selvedge_session::apart::{Made, Outcome, Task, Terms};
use selvedge_session::{Error, PartsWorker, Source};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// A part that was left out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Left {
    /// The program.
    pub module: Vec<u8>,
    /// What decides what is explored.
    pub terms: Vec<u8>,
    /// The hand-out, as it travels.
    pub hand: Vec<u8>,
}

/// What came of a part that was explored alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// What it had found and counted before, and the rest.
    pub record: RecordState,
    /// False if it had given parts away, which are not explored here.
    pub is_whole: bool,
}

impl Left {
    /// The part as bytes.
    ///
    /// # Errors
    /// If there is no room for them.
    pub fn bytes(&self) -> Result<Vec<u8>, Unreadable> {
        postcard::to_allocvec(self).map_err(|_| Unreadable::Damaged)
    }

    /// Reads a part.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: &[u8]) -> Result<Left, Unreadable> {
        postcard::from_bytes(bytes).map_err(|_| Unreadable::Damaged)
    }

    /// Explores it, but for parts that it had given away. It may end this process, as it has ended
    /// workers.
    ///
    /// # Errors
    /// If it does not fit the program, or if an assumption fails in it.
    pub fn explore(&self) -> Result<Explored, Error> {
        let hand = Hand::read(&self.hand).map_err(|error| Error::Program(error.to_string()))?;
        let worker = PartsWorker::new(&self.module, &Terms::read(&self.terms)?, &hand.regions)?;
        let made = match hand.task {
            Task::Sample(state) => Some(worker.sample(state, &|| false)),
            Task::Part(part) => explore(&worker, &hand.common, part),
        };
        let what = |text: &str| Err(Error::Program(format!("the part: {text}")));
        let (record, is_whole) = match made.map(|made| made.outcome) {
            Some(Outcome::Part(Progress::Done(done))) => (done.product.record, true),
            Some(Outcome::Part(Progress::Begun(begun))) => (begun.product.record, false),
            Some(Outcome::Sampled(record, _)) => (record, true),
            Some(Outcome::Sample(state)) => (state.record, false),
            Some(Outcome::Failed(_)) => {
                return what("an assumption fails in it, so the search begins again");
            }
            Some(Outcome::Misfit(why)) => return what(&why),
            Some(Outcome::Part(_)) | None => return what("it was not explored"),
        };
        Ok(Explored { record, is_whole })
    }
}

fn explore(worker: &PartsWorker, common: &Common, part: Part) -> Option<Made> {
    let one = One {
        part: Mutex::new(Some(part)),
        made: Mutex::default(),
    };
    worker.explore(common, &one);
    one.made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A source of one part.
struct One {
    part: Mutex<Option<Part>>,
    made: Mutex<Option<Made>>,
}

impl Source for One {
    fn next(&self) -> Option<Part> {
        self.part.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn made(&self, made: Made) {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    }

    fn wanted(&self) -> usize {
        0
    }

    fn gave(&self, _: usize) {}

    fn is_due(&self) -> bool {
        false
    }
}
