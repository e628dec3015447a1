//! What happens beside an exploration: the limits of time and memory, Ctrl-C, and progress on the terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_explore::Control;
use selvedge_model::LimitKind;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What to watch for.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) started: Instant,
    pub(crate) max_time: Option<Duration>,
    pub(crate) max_memory: MemoryLimit,
    pub(crate) progress: bool,
    pub(crate) interrupted: Arc<AtomicBool>,
}

/// How much memory the process may have, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryLimit {
    /// `--max-memory`.
    Given(u64),
    /// Nearly all that there is: before the system ends the process, it ends by itself, with what it has found.
    Machine(u64),
}

impl MemoryLimit {
    /// What was given; else nine tenths of what is free now and what the process's control group may have.
    pub(crate) fn new(given: Option<u64>) -> MemoryLimit {
        given.map_or_else(
            || {
                let free = memory() + field("/proc/meminfo", "MemAvailable:");
                let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
                let group = group.and_then(|text| text.trim().parse().ok());
                let all = if free == 0 { u64::MAX } else { free };
                MemoryLimit::Machine(all.min(group.unwrap_or(u64::MAX)) / 10 * 9)
            },
            MemoryLimit::Given,
        )
    }

    fn bytes(self) -> u64 {
        match self {
            MemoryLimit::Given(bytes) | MemoryLimit::Machine(bytes) => bytes,
        }
    }

    fn name(self) -> String {
        let mebibytes = self.bytes() >> 20;
        match self {
            MemoryLimit::Given(_) => format!("--max-memory of {mebibytes} MiB"),
            MemoryLimit::Machine(_) => {
                format!("nearly all memory that was free at the start, {mebibytes} MiB")
            }
        }
    }
}

impl Watch {
    /// Does some work beside a thread that watches it.
    pub(crate) fn beside<T>(&self, control: &Control, work: impl FnOnce() -> T) -> T {
        let (done, watched) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || self.run(control, &watched));
            let _done = done; // dropped at the end, also of a panic: the watcher ends
            work()
        })
    }

    /// Runs until the sender of `done` is dropped.
    fn run(&self, control: &Control, done: &Receiver<()>) {
        let bar = self.progress.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(ProgressStyle::default_spinner());
            bar
        });
        let terminal = std::io::stderr().is_terminal();
        let mut ticks = 0u32;
        while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(Duration::from_millis(50)) {
            self.check(control);
            ticks += 1;
            match &bar {
                Some(bar) if terminal => {
                    bar.set_message(self.message(control));
                    bar.tick();
                }
                Some(_) if ticks.is_multiple_of(20) => crate::output::note(&self.message(control)), // a line a second
                _ => {}
            }
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }

    fn check(&self, control: &Control) {
        if self.interrupted.load(Ordering::Relaxed) {
            control.request_stop(LimitKind::Interrupted, "interrupted by the user");
        }
        if let Some(limit) = self.max_time
            && self.started.elapsed() >= limit
        {
            control.request_stop(
                LimitKind::Time,
                format!("--max-time of {} s", limit.as_secs_f64()),
            );
        }
        let (memory, limit) = (memory(), self.max_memory.bytes());
        if memory >= limit {
            control.request_stop(LimitKind::Memory, self.max_memory.name());
        } else if memory >= limit / 4 * 3 {
            control.request_saving();
        }
    }

    fn message(&self, control: &Control) -> String {
        let now = control.progress();
        let seconds = self.started.elapsed().as_secs_f64();
        format!(
            "{} executions, {:.0} events/s, depth {}, about {:.1} % explored, {} MiB, {seconds:.0} s",
            now.executions,
            now.events as f64 / seconds.max(1e-3),
            now.depth,
            now.part * 100.0,
            memory() >> 20
        )
    }
}

/// The process's resident memory in bytes; 0 if the system does not say.
fn memory() -> u64 {
    status("VmRSS:")
}

/// The most it ever was.
pub(crate) fn peak_memory() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    field("/proc/self/status", name)
}

/// A field of one of the system's tables, given there in KiB, in bytes; 0 if it is not there.
fn field(table: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(table).unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_sets_a_limit_if_nobody_does() {
        assert_eq!(MemoryLimit::new(Some(5 << 20)).name(), "--max-memory of 5 MiB");
        let limit = MemoryLimit::new(None).bytes();
        assert!(
            limit > memory() && limit < field("/proc/meminfo", "MemTotal:"),
            "{limit}"
        );
    }
}
