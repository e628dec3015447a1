//! A check in a process of its own.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may go on after its own limit of time.
const GRACE: Duration = Duration::from_secs(10);
/// What is read of what it writes.
const MOST_BYTES: u64 = 64 << 20;

/// What came of a check.
pub(crate) struct Done {
    /// Which check it was.
    pub(crate) number: u64,
    /// The exit code; `None` if the process was ended, or never began.
    pub(crate) code: Option<i32>,
    /// The report.
    pub(crate) report: String,
    /// What it said beside it.
    pub(crate) said: String,
}

/// A check that goes on.
pub(crate) struct Running(Arc<Mutex<Child>>);

impl Running {
    /// Ends the process; its result will have no code.
    pub(crate) fn end(&self) {
        // It may have ended by itself.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// A check that is to begin.
pub(crate) struct Check<'a> {
    pub(crate) number: u64,
    pub(crate) command: &'a Path,
    pub(crate) directory: &'a Path,
    pub(crate) inputs: &'a [PathBuf],
    pub(crate) arguments: &'a [String],
    pub(crate) max_time: Duration,
}

impl Check<'_> {
    /// Begins; `done` is called from another thread when the process has ended.
    pub(crate) fn begin(&self, done: impl FnOnce(Done) + Send + 'static) -> std::io::Result<Running> {
        let mut command = Command::new(self.command);
        command
            .arg("check")
            .args(["--format", "json", "--output", "/dev/stdout"])
            .args(["--finding", "none", "--progress", "never", "--stop", "never"])
            .arg(format!("--max-time={}s", self.max_time.as_secs().max(1)))
            .args(self.arguments)
            .args(self.inputs)
            .current_dir(self.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let (number, latest) = (self.number, Instant::now() + self.max_time + GRACE);
        let waits = Arc::clone(&child);
        thread::Builder::new().name("check".to_owned()).spawn(move || {
            let (report, said) = thread::scope(|scope| {
                let out = scope.spawn(|| read(out));
                let err = scope.spawn(|| read(err));
                wait(&waits, latest);
                (out.join().unwrap_or_default(), err.join().unwrap_or_default())
            });
            let status = waits.lock().unwrap_or_else(PoisonError::into_inner).wait();
            done(Done {
                number,
                code: status.ok().and_then(|status| status.code()),
                report,
                said,
            });
        })?;
        Ok(Running(child))
    }
}

/// Waits until a process has ended, and ends it when its time is over.
fn wait(child: &Mutex<Child>, latest: Instant) {
    loop {
        let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        if Instant::now() > latest {
            let _ = child.kill();
            return;
        }
        drop(child);
        thread::sleep(Duration::from_millis(20));
    }
}

fn read(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What was read before an error is still shown.
        let _ = from.take(MOST_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
