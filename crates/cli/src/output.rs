//! Saying results, and whether a file can be written.
//!
//! `unsafe`: a function that the system's loader runs before `main` asks whether standard output is
//! open. Later nobody can tell: Rust's runtime puts `/dev/null` in the place of a standard stream
//! that is closed. It makes one system call and stores a flag.

#![expect(unsafe_code, reason = "a look at standard output before main")]

use selvedge_session::{is_device, temporary};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn look_at_stdout() {
    // SAFETY: it asks for flags, and changes nothing.
    let flags = unsafe { libc::fcntl(1, libc::F_GETFD) };
    STDOUT_IS_CLOSED.store(flags == -1, Relaxed);
}

// SAFETY: the section holds pointers to functions of this type.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look_at_stdout;

/// Writes to standard output. Whoever asked for a result and does not take it is told.
pub(crate) fn print(text: &str) -> io::Result<()> {
    if STDOUT_IS_CLOSED.load(Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// A line to standard error; nothing is done if that fails.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether [`write_file`](selvedge_session::write_file) will be able to write: asked before a run,
/// so that its result is not lost. Leaves nothing behind.
pub(crate) fn writable(path: &Path) -> io::Result<()> {
    if is_device(path) {
        return Ok(()); // opening a pipe would wait for its reader
    }
    let temporary = temporary(path)?;
    std::fs::write(&temporary, "")?;
    std::fs::remove_file(&temporary)
}
