//! Progress on the terminal, beside an exploration.

use crate::memory;
use crate::output::note;
use crate::watch::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_explore::Control;
use std::io::IsTerminal;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Does some work, and shows how far it is, if that is wanted.
pub(crate) fn beside<T>(watch: &Watch<'_>, control: &Control, work: impl FnOnce() -> T) -> T {
    let (done, finished) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        if watch.progress {
            // Without a thread there is no progress to be seen.
            let show = move || show(control, watch.started, &finished);
            let _ = std::thread::Builder::new().spawn_scoped(scope, show);
        }
        let _done = done; // dropped at the end, also of a panic: progress ends
        work()
    })
}

/// Shows how far an exploration is until the sender of `done` is dropped.
fn show(control: &Control, started: Instant, done: &Receiver<()>) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(ProgressStyle::default_spinner());
    let terminal = std::io::stderr().is_terminal();
    let mut ticks = 0u32;
    while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(Duration::from_millis(50)) {
        ticks += 1;
        if terminal {
            bar.set_message(message(control, started));
            bar.tick();
        } else if ticks.is_multiple_of(20) {
            note(&message(control, started)); // a line a second
        }
    }
    bar.finish_and_clear();
}

fn message(control: &Control, started: Instant) -> String {
    let now = control.progress();
    let seconds = started.elapsed().as_secs_f64();
    format!(
        "{} executions, {:.0} events/s, depth {}, about {:.1} % explored, {} MiB, {seconds:.0} s",
        now.executions,
        now.events as f64 / seconds.max(1e-3),
        now.depth,
        now.part * 100.0,
        memory::resident() >> 20
    )
}
