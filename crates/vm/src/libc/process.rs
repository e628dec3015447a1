//! The process: assertions, exit, environment, information from the system.
//!
//! There is one process with id 1000, parent 1 and user 1000, on a machine with two processors and
//! pages of 4096 bytes. The environment is empty at first, so that a verdict does not depend on the
//! user's environment. The only locale is "C".

use super::{Answer, by_element, bytes, plain};
use crate::native::{Cx, Flow, Native};
use crate::value::Value;
use selvedge_model::FaultKind;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__assert_fail" => by_element!(|cx: &mut Cx<'_>| assert_fail(cx, 0)),
        "__assert" => by_element!(|cx: &mut Cx<'_>| assert_fail(cx, 0)),
        "__assert_perror_fail" => by_element!(assert_perror_fail),
        "__stack_chk_fail" => {
            plain!(|cx: &mut Cx<'_>| -> Answer {
                Ok(cx.fault(FaultKind::OutOfBounds, "stack smashing detected"))
            })
        }
        "__chk_fail" => {
            plain!(|cx: &mut Cx<'_>| -> Answer {
                Ok(cx.fault(FaultKind::OutOfBounds, "buffer overflow detected"))
            })
        }
        "exit" => plain!(|cx: &mut Cx<'_>| exit(cx, false)),
        "_exit" | "_Exit" => plain!(|cx: &mut Cx<'_>| exit(cx, true)),
        "__errno_location" => plain!(|cx: &mut Cx<'_>| -> Answer { Ok(Flow::word(cx.errno()?)) }),
        "getpid" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::int(PROCESS)) }),
        "getppid" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::int(1)) }),
        "getuid" | "geteuid" | "getgid" | "getegid" => {
            plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::int(1000)) })
        }
        "gettid" => plain!(gettid),
        "sysconf" | "__sysconf" => plain!(sysconf),
        "getpagesize" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::int(4096)) }),
        "get_nprocs" | "get_nprocs_conf" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::int(2)) }),
        "setlocale" => by_element!(setlocale),
        "getrlimit" | "getrlimit64" => by_element!(getrlimit),
        _ => return None,
    })
}

const PROCESS: i32 = 1000;

fn assert_fail(cx: &mut Cx<'_>, text: usize) -> Answer {
    let text = cx.word(text)?;
    let text = bytes::string(cx, text, "text of an assertion")?;
    let message = format!("assertion \"{}\" failed", String::from_utf8_lossy(&text));
    Ok(cx.fault(FaultKind::AssertionFailed, message))
}

fn assert_perror_fail(cx: &mut Cx<'_>) -> Answer {
    let number = cx.int(0)?;
    let message = format!("unexpected error: {}", super::error_text::error_text(number));
    Ok(cx.fault(FaultKind::AssertionFailed, message))
}

fn exit(cx: &mut Cx<'_>, quick: bool) -> Answer {
    let code = cx.int(0)?;
    Ok(Flow::ExitProcess { code, quick })
}

pub(super) fn gettid(cx: &mut Cx<'_>) -> Answer {
    // The main thread has the process's number. The numbers of other threads do not depend on the
    // order of creations.
    Ok(Flow::int(PROCESS + cx.state.thread(cx.thread).region as i32))
}

fn sysconf(cx: &mut Cx<'_>) -> Answer {
    let value = match cx.int(0)? {
        2 => 100,           // _SC_CLK_TCK
        30 => 4096,         // _SC_PAGESIZE
        83 | 84 => 2,       // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN
        85 | 86 => 1 << 18, // _SC_PHYS_PAGES, _SC_AVPHYS_PAGES: 1 GiB
        3 => 65_536,        // _SC_NGROUPS_MAX
        4 => 1024,          // _SC_OPEN_MAX
        60 => 1024,         // _SC_IOV_MAX
        75 => 16_384,       // _SC_THREAD_STACK_MIN
        249 => 2048,        // _SC_MINSIGSTKSZ
        250 => 8192,        // _SC_SIGSTKSZ
        76 => u64::MAX,     // _SC_THREAD_THREADS_MAX: no limit
        33 => 0x7fff_ffff,  // _SC_SEM_VALUE_MAX
        43 => 2048,         // _SC_LINE_MAX
        70 | 74 => 1024,    // _SC_GETPW_R_SIZE_MAX, _SC_THREAD_KEYS_MAX
        71 => 256,          // _SC_LOGIN_NAME_MAX
        73 => 4,            // _SC_THREAD_DESTRUCTOR_ITERATIONS
        180 => 64,          // _SC_HOST_NAME_MAX
        190 => 64,          // _SC_LEVEL1_DCACHE_LINESIZE
        other => return Ok(Flow::Unsupported(format!("sysconf({other})"))),
    };
    Ok(Flow::word(value))
}

/// Limits on descriptors, on the stack, and infinite limits.
fn getrlimit(cx: &mut Cx<'_>) -> Answer {
    let out = cx.word(1)?;
    let (now, most) = match cx.int(0)? {
        3 => (8 << 20, u64::MAX), // RLIMIT_STACK
        7 => (1024, 1024),        // RLIMIT_NOFILE
        // CPU, FSIZE, DATA, RSS, AS, LOCKS.
        0 | 1 | 2 | 5 | 9 | 10 => (u64::MAX, u64::MAX),
        other => return Ok(Flow::Unsupported(format!("getrlimit({other})"))),
    };
    super::stepped::store(cx, out, 8, Value::new(now))?;
    super::stepped::store(cx, out + 8, 8, Value::new(most))?;
    Ok(Flow::int(0))
}

fn setlocale(cx: &mut Cx<'_>) -> Answer {
    let wanted = cx.word(1)?;
    if wanted != 0 {
        let name = bytes::string(cx, wanted, "name of a locale")?;
        if !matches!(&name[..], b"" | b"C" | b"POSIX") {
            return Ok(Flow::word(0));
        }
    }
    // Each call gets its own text, so nothing is shared.
    let text = cx.own_memory(2)?;
    bytes::write_new(cx, text, b"C\0")?;
    Ok(Flow::word(text))
}
