//! Writing the checkpoints of an exploration.

use super::{Belongs, Checkpoint, Phase};
use crate::observer::Observer;
use selvedge_explore::kept::{Keeper, State};
use selvedge_vm::Program;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Writes a checkpoint file repeatedly.
pub(crate) struct Keeping<'a> {
    pub(crate) file: &'a Path,
    pub(crate) belongs: &'a Belongs,
    pub(crate) phase: Phase,
    pub(crate) program: &'a Program,
    pub(crate) observer: &'a dyn Observer,
    clock: Clock,
}

/// The time of the next checkpoint.
struct Clock {
    started: Instant,
    /// In microseconds from then.
    due: AtomicU64,
    interval: Duration,
    failed: AtomicBool,
}

impl<'a> Keeping<'a> {
    /// The first checkpoint is due at once.
    pub(crate) fn new(
        (file, interval): (&'a Path, Duration),
        (belongs, phase): (&'a Belongs, Phase),
        program: &'a Program,
        observer: &'a dyn Observer,
    ) -> Keeping<'a> {
        Keeping {
            file,
            belongs,
            phase,
            program,
            observer,
            clock: Clock {
                started: Instant::now(),
                due: AtomicU64::new(0),
                interval,
                failed: AtomicBool::new(false),
            },
        }
    }
}

impl Clock {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

impl Keeper for Keeping<'_> {
    fn is_due(&self) -> bool {
        self.clock.now() >= self.clock.due.load(Relaxed)
    }

    fn keep(&self, state: State) {
        let carried = self.program.carried();
        // An exploration that is spoiled, or in which a block has left its class or a pointer its
        // set, is about to end. Its state is of no use.
        let holds = !self.program.has_strayed() && !self.program.has_hidden_addresses();
        if holds && (self.phase.stepping || !carried.spoiled) {
            let checkpoint = Checkpoint {
                belongs: self.belongs.clone(),
                phase: self.phase.clone(),
                carried,
                state,
            };
            if let Err(error) = checkpoint.write(self.file)
                && !self.clock.failed.swap(true, Relaxed)
            {
                let file = self.file.display();
                self.observer.note(&format!(
                    "warning: the checkpoint {file} cannot be written: {error}"
                ));
            }
        }
        let interval = u64::try_from(self.clock.interval.as_micros()).unwrap_or(u64::MAX);
        self.clock
            .due
            .store(self.clock.now().saturating_add(interval), Relaxed);
    }
}
