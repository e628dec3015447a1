//! Child processes that end with this process: when their time is up, when the run is told to stop,
//! and when this process dies.
//!
//! A child leads a process group of its own, so the processes that it starts (a compiler's back
//! end, a linker) are killed with it. The system kills the child if the thread that started it
//! ends. [`run`] waits in that thread, so this happens only if the whole process dies, by any
//! signal. Ctrl-C on a terminal reaches only our group; the child is killed through the stop flag.
//!
//! `unsafe`: the code that runs between `fork` and `exec` calls only `prctl`, `getppid` and
//! `_exit`, which are async-signal-safe and allocate nothing. `kill` is given a group whose leader
//! was not yet waited for, so its number cannot belong to another group.

#![expect(
    unsafe_code,
    reason = "what runs between fork and exec, and signals to groups"
)]

use selvedge_base::StopFlag;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which a waiting parent polls the stop flag.
const TICK: Duration = Duration::from_millis(10);

/// The limits of a child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    /// It is killed as soon as this is set.
    pub stop: &'a StopFlag,
    /// It is killed after this time.
    pub longest: Option<Duration>,
}

/// How a child ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself (also by a signal of its own).
    Exited(Output),
    /// It was killed because its time was up.
    Late,
    /// It was killed because the run was told to stop.
    Stopped,
}

/// Runs a command with this standard input to its end, or kills it. Its outputs are read to their
/// ends.
///
/// # Errors
/// If it cannot be started or waited for. It is no error if it does not read its input.
pub(crate) fn run(command: &mut Command, input: Option<&[u8]>, bounds: Bounds<'_>) -> io::Result<Ended> {
    let stdin = if input.is_some() {
        Stdio::piped()
    } else {
        Stdio::null()
    };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = Group::new(bound_to_us(command).spawn()?);
    let input = input.map(<[u8]>::to_vec);
    let over = || match bounds {
        Bounds { stop, .. } if stop.is_set() => Some(Ended::Stopped),
        Bounds {
            longest: Some(most), ..
        } if started.elapsed() >= most => Some(Ended::Late),
        _ => None,
    };
    let (readers, finished) = child.readers(input)?;
    // Wait until both outputs have ended. They end when no process is left that could write to
    // them.
    let mut killed = None;
    while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(TICK) {
        killed = killed.or_else(over);
        if killed.is_some() {
            child.kill();
        }
    }
    let status = loop {
        if let Some(status) = child.ended()? {
            break status;
        }
        killed = killed.or_else(over);
        if killed.is_some() {
            child.kill();
        }
        thread::sleep(Duration::from_millis(1));
    };
    let read = readers.map(|reader| {
        let joined = reader.join();
        joined.unwrap_or_else(|_| Err(io::Error::other("a reading thread panicked")))
    });
    if let Some(killed) = killed {
        return Ok(killed);
    }
    let [stdout, stderr] = read;
    Ok(Ended::Exited(Output {
        status,
        stdout: stdout?,
        stderr: stderr?,
    }))
}

/// Reads to the end; dropping `_done` signals the end.
fn read(mut from: impl Read, _done: mpsc::Sender<()>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).map(|_| bytes)
}

/// Makes the command's process the leader of a group, to be killed by the system when the thread
/// that starts it is gone.
fn bound_to_us(command: &mut Command) -> &mut Command {
    let parent = std::process::id();
    let before_exec = move || {
        // SAFETY: see the module's documentation.
        unsafe {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            if libc::getppid().unsigned_abs() != parent {
                libc::_exit(1); // this process died before the request to the system
            }
        }
        Ok(())
    };
    command.process_group(0);
    // SAFETY: see the module's documentation.
    unsafe { command.pre_exec(before_exec) }
}

/// A thread that reads an output to its end.
type Reader = thread::JoinHandle<io::Result<Vec<u8>>>;

/// A child and what it has started. Killed when dropped, if it was not waited for.
struct Group {
    leader: Child,
    /// True if the leader was waited for: its number may belong to another process by now.
    gone: bool,
}

impl Group {
    fn new(leader: Child) -> Group {
        Group { leader, gone: false }
    }

    /// Threads that read both outputs, and a channel that closes when both have ended; and one that
    /// writes the input.
    fn readers(&mut self, input: Option<Vec<u8>>) -> io::Result<([Reader; 2], mpsc::Receiver<()>)> {
        let (stdout, stderr) = (self.leader.stdout.take(), self.leader.stderr.take());
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
            return Err(io::Error::other("no pipe from a child process"));
        };
        let (done, finished) = mpsc::channel();
        let ended = done.clone();
        let out = thread::Builder::new().spawn(move || read(stdout, ended))?;
        let err = thread::Builder::new().spawn(move || read(stderr, done))?;
        if let (Some(mut stdin), Some(input)) = (self.leader.stdin.take(), input) {
            // Ends with an error when no process reads any more.
            thread::Builder::new().spawn(move || stdin.write_all(&input).is_ok())?;
        }
        Ok(([out, err], finished))
    }

    fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.leader.try_wait()?;
        self.gone |= status.is_some();
        Ok(status)
    }

    fn kill(&self) {
        if !self.gone
            && let Ok(group) = libc::pid_t::try_from(self.leader.id())
        {
            // SAFETY: see the module's documentation.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        let _ = self.leader.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str, stop: &StopFlag, longest: Option<Duration>) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        run(&mut command, None, Bounds { stop, longest }).expect("sh runs")
    }

    fn takes(most: u64, what: impl FnOnce()) {
        let started = Instant::now();
        what();
        assert!(
            started.elapsed() < Duration::from_secs(most),
            "{:?}",
            started.elapsed()
        );
    }

    #[test]
    fn outputs_are_read_to_their_ends() {
        let flag = StopFlag::new();
        match shell("yes | head -c 300000; echo error >&2; exit 3", &flag, None) {
            Ended::Exited(output) => {
                assert_eq!(output.stdout.len(), 300_000);
                assert_eq!(output.stderr, b"error\n");
                assert_eq!(output.status.code(), Some(3));
            }
            other => panic!("{other:?}"),
        }
        let bounds = Bounds {
            stop: &flag,
            longest: None,
        };
        let input = vec![b'x'; 300_000];
        match run(&mut Command::new("cat"), Some(&input), bounds).expect("cat runs") {
            Ended::Exited(output) => assert!(output.stdout == input),
            other => panic!("{other:?}"),
        }
        // A child that does not read its input ends, too.
        assert!(matches!(
            run(&mut Command::new("true"), Some(&input), bounds),
            Ok(Ended::Exited(_))
        ));
    }

    #[test]
    fn a_child_is_killed_with_what_it_started() {
        let set = StopFlag::new();
        set.set();
        takes(5, || {
            assert!(matches!(shell("sleep 30", &set, None), Ended::Stopped))
        });
        // The grandchild holds the pipes: if it lived on, reading would go on until it ends.
        takes(5, || {
            assert!(matches!(
                shell("sleep 30 & sleep 30; true", &set, None),
                Ended::Stopped
            ))
        });
        takes(5, || {
            assert!(matches!(shell("sleep 30 &", &set, None), Ended::Stopped))
        });
        let (flag, soon) = (StopFlag::new(), Some(Duration::from_millis(50)));
        takes(5, || {
            assert!(matches!(
                shell("sleep 30 & sleep 30; true", &flag, soon),
                Ended::Late
            ))
        });
        // Its outputs are closed, and it does not end.
        takes(5, || {
            assert!(matches!(
                shell("exec >&- 2>&-; sleep 30", &flag, soon),
                Ended::Late
            ))
        });
    }
}
