//! What happens beside an exploration: the limits of time and memory, Ctrl-C, and progress on the terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_explore::Control;
use selvedge_model::LimitKind;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What to watch for.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) started: Instant,
    pub(crate) max_time: Option<Duration>,
    pub(crate) max_memory: Option<u64>,
    pub(crate) progress: bool,
    pub(crate) interrupted: Arc<AtomicBool>,
}

impl Watch {
    /// Runs until the sender of `done` is dropped.
    pub(crate) fn run(&self, control: &Control, done: &Receiver<()>) {
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
        if let Some(limit) = self.max_memory {
            let memory = memory();
            if memory >= limit {
                control.request_stop(LimitKind::Memory, format!("--max-memory of {} MiB", limit >> 20));
            } else if memory >= limit / 4 * 3 {
                control.request_saving();
            }
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

fn status(field: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
