//! Progress on the terminal, beside an exploration.

use crate::memory;
use crate::output::note;
use crate::watch::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_explore::Control;
use std::io::IsTerminal;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Does some work, and shows how far it is, if that is wanted.
pub(crate) fn beside<T>(watch: &Watch<'_>, control: &Control, work: impl FnOnce() -> T) -> T {
    let (done, finished) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        if watch.progress {
            // Without a thread there is no progress to be seen.
            let show = move || show(watch, control, &finished);
            let _ = std::thread::Builder::new().spawn_scoped(scope, show);
        }
        let _done = done; // dropped at the end, also of a panic: progress ends
        work()
    })
}

/// Shows how far an exploration is until the sender of `done` is dropped.
fn show(watch: &Watch<'_>, control: &Control, done: &Receiver<()>) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(ProgressStyle::default_spinner());
    let terminal = std::io::stderr().is_terminal();
    let mut ticks = 0u32;
    while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(Duration::from_millis(50)) {
        ticks += 1;
        if terminal {
            bar.set_message(message(watch, control));
            bar.tick();
        } else if ticks.is_multiple_of(20) {
            note(&message(watch, control)); // a line a second
        }
    }
    bar.finish_and_clear();
    if !terminal {
        note(&message(watch, control)); // the counts that the report has, too
    }
}

fn message(watch: &Watch<'_>, control: &Control) -> String {
    let now = control.progress();
    let seconds = watch.started.elapsed().as_secs_f64();
    let part = match now.strategy {
        "" => String::new(),
        strategy => format!("{strategy}: about {:.0} % of the known tree, ", now.part * 100.0),
    };
    let found = match watch.found() {
        0 => String::new(),
        1 => "1 finding, ".to_owned(),
        more => format!("{more} findings, "),
    };
    format!(
        "{part}{found}{} executions, {} events, {:.0} events/s, depth {}, {} MiB, {seconds:.0} s",
        now.executions,
        now.events,
        now.events as f64 / seconds.max(1e-3),
        now.depth,
        memory::resident() >> 20
    )
}
