//! The verdict of a run that can do nothing else any more: there is no memory left, or the user
//! interrupts it a second time.
//!
//! The texts are made when the run begins; saying them takes a few system calls and no memory, and
//! no lock that another thread may hold.
//!
//! `unsafe`: system calls with buffers that live as long as the process.

#![expect(unsafe_code, reason = "system calls without memory")]

use selvedge_model::LimitKind;
use std::ffi::CString;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// What to say, and where.
#[derive(Debug)]
pub(crate) struct Words {
    /// The file of `-o`; else standard output.
    pub(crate) file: Option<CString>,
    pub(crate) memory: String,
    pub(crate) interrupted: String,
    /// The exit code.
    pub(crate) code: i32,
}

static WORDS: OnceLock<Words> = OnceLock::new();
/// The report is being written, or was.
static SAID: AtomicBool = AtomicBool::new(false);

/// The words of this run.
pub(crate) fn prepare(words: Words) {
    let _ = WORDS.set(words);
}

/// The name of a file as the system wants it.
pub(crate) fn name(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).ok()
}

/// The report is written from now on: nothing else is to be said. False if somebody else writes it.
pub(crate) fn report_begins() -> bool {
    !SAID.swap(true, SeqCst)
}

/// Says them, unless a report was begun, and ends the process.
pub(crate) fn say(why: LimitKind) -> ! {
    let code = match WORDS.get() {
        Some(words) => {
            let text = if why == LimitKind::Memory {
                &words.memory
            } else {
                &words.interrupted
            };
            if why == LimitKind::Memory {
                write(2, b"error: out of memory\n");
            }
            if report_begins() {
                write(words.file.as_ref().map_or(1, open), text.as_bytes());
            }
            words.code
        }
        None => {
            write(2, b"error: out of memory\n");
            2
        }
    };
    exit(code)
}

/// Ends the process at once, without what is registered to run at its end: other threads are still
/// at work.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(code) }
}

fn open(name: &CString) -> i32 {
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
    // SAFETY: `name` is a string that ends in 0.
    unsafe { libc::open(name.as_ptr(), flags, 0o644) }
}

fn write(to: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the buffer is valid for its length.
        match usize::try_from(unsafe { libc::write(to, bytes.as_ptr().cast(), bytes.len()) }) {
            Ok(written) if written > 0 => bytes = &bytes[written.min(bytes.len())..],
            _ => return,
        }
    }
}
