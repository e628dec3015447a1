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

    /// Explores it to its end: what it had found and counted before, and the rest. It may end this
    /// process, as it has ended workers.
    ///
    /// # Errors
    /// If it does not fit the program, or if an assumption fails in it.
    pub fn explore(&self) -> Result<RecordState, Error> {
        let hand = Hand::read(&self.hand).map_err(|error| Error::Program(error.to_string()))?;
        let worker = PartsWorker::new(&self.module, &Terms::read(&self.terms)?, &hand.regions)?;
        let made = match hand.task {
            Task::Sample(state) => Some(worker.sample(state, &|| false)),
            Task::Part(part) => explore(&worker, &hand.common, part),
        };
        let what = |text: &str| Err(Error::Program(format!("the part: {text}")));
        match made.map(|made| made.outcome) {
            Some(Outcome::Part(Progress::Done(done))) => Ok(done.product.record),
            // It waits for parts that it has given away, which were left out with it.
            Some(Outcome::Part(Progress::Begun(begun))) => Ok(begun.product.record),
            Some(Outcome::Sampled(record, _)) => Ok(record),
            Some(Outcome::Sample(state)) => Ok(state.record),
            Some(Outcome::Failed(_)) => what("an assumption fails in it, so the search begins again"),
            Some(Outcome::Misfit(why)) => what(&why),
            Some(Outcome::Part(_)) | None => what("it was not explored"),
        }
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
