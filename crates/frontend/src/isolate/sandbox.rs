//! The confinement of the process that reads modules: it may compute, read its request, write its
//! answer, and end.
//!
//! A filter of the system (seccomp) allows a short list of system calls; any other call fails with
//! `EPERM`. So there are no files, no network, no other programs, no further processes or threads,
//! and no memory that is or becomes executable. Limits of the system bound memory and computing
//! time, and forbid core dumps. None of this needs privileges.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::io;

/// Calls without conditions: memory, locks among the threads there are, signals to itself, the
/// clock, and the end.
const FREE: [libc::c_long; 17] = [
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_clock_gettime,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Bounds memory (address space, in bytes) and computing (in seconds), and forbids dumps.
pub(crate) fn limit(memory: u64, seconds: u64) -> io::Result<()> {
    for (resource, limit) in [
        (Resource::Core, 0),
        (Resource::Cpu, seconds),
        (Resource::As, memory),
    ] {
        // Whoever started us may have set a lower one, which stands.
        let given = getrlimit(resource);
        let lower = |given: Option<u64>| Some(given.map_or(limit, |given| given.min(limit)));
        setrlimit(
            resource,
            Rlimit {
                current: lower(given.current),
                maximum: lower(given.maximum),
            },
        )?;
    }
    Ok(())
}

/// Confines all threads of the process, for good.
pub(crate) fn confine() -> io::Result<()> {
    seccompiler::apply_filter_all_threads(&filter()?).map_err(io::Error::other)
}

/// The filter.
fn filter() -> io::Result<BpfProgram> {
    let equal = |argument, value| SeccompCondition::new(argument, Length::Qword, Is::Eq, value);
    let without = |argument, bits| SeccompCondition::new(argument, Length::Qword, Is::MaskedEq(bits), 0);
    let rule = |condition| SeccompRule::new(vec![condition]);
    let executable = libc::PROT_EXEC as u64;
    let own_pid = u64::from(std::process::id());
    let build = || -> Result<BpfProgram, seccompiler::BackendError> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            FREE.iter().map(|&call| (call, Vec::new())).collect();
        rules.insert(libc::SYS_read, vec![rule(equal(0, 0)?)?]);
        rules.insert(libc::SYS_write, vec![rule(equal(0, 1)?)?, rule(equal(0, 2)?)?]);
        rules.insert(libc::SYS_mmap, vec![rule(without(2, executable)?)?]);
        rules.insert(libc::SYS_mprotect, vec![rule(without(2, executable)?)?]);
        // To end by `abort`.
        rules.insert(libc::SYS_tgkill, vec![rule(equal(0, own_pid)?)?]);
        SeccompFilter::new(
            rules,
            SeccompAction::Errno(libc::EPERM.unsigned_abs()),
            SeccompAction::Allow,
            TargetArch::x86_64,
        )?
        .try_into()
    };
    build().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::net::{TcpListener, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;

    const X86_64: u64 = 0xc000_003e;

    /// Whether a filter lets a call of a processor's numbering through: runs it as the system does,
    /// as far as such filters go (`linux/bpf_common.h`).
    fn lets_through(filter: &BpfProgram, processor: u64, call: u64, arguments: [u64; 6]) -> bool {
        // `struct seccomp_data`, of which words of 32 bits are read.
        let data = |offset: u32| match offset / 4 {
            0 => call as u32,
            1 => processor as u32,
            word @ 4..16 => (arguments[(word as usize - 4) / 2] >> (32 * (word % 2))) as u32,
            other => panic!("the filter reads word {other}"),
        };
        let (mut at, mut value) = (0, 0);
        loop {
            let one = &filter[at];
            let jump = |taken: bool| usize::from(if taken { one.jt } else { one.jf });
            at += 1 + match one.code {
                0x20 => {
                    value = data(one.k);
                    0
                }
                0x54 => {
                    value &= one.k;
                    0
                }
                0x05 => one.k as usize,
                0x15 => jump(value == one.k),
                0x25 => jump(value > one.k),
                0x35 => jump(value >= one.k),
                0x06 => {
                    let refused = [libc::SECCOMP_RET_ERRNO, libc::SECCOMP_RET_KILL_PROCESS];
                    return !refused.contains(&(one.k & libc::SECCOMP_RET_ACTION_FULL));
                }
                other => panic!("the filter has an instruction {other:#x}"),
            };
        }
    }

    /// The calls of `docs/safety.md`, written down once more: none comes to the list by mistake.
    #[test]
    fn nothing_but_these_calls_is_let_through() {
        let filter = filter().expect("the filter can be made");
        let pid = u64::from(std::process::id());
        let lets = |call: libc::c_long, arguments| lets_through(&filter, X86_64, call as u64, arguments);
        let first = |argument| [argument, 0, 0, 0, 0, 0];
        let third = |argument| [0, 0, argument, 0, 0, 0];
        let mut free = vec![
            libc::SYS_brk,
            libc::SYS_clock_gettime,
            libc::SYS_exit,
            libc::SYS_exit_group,
            libc::SYS_futex,
            libc::SYS_getpid,
            libc::SYS_getrandom,
            libc::SYS_gettid,
            libc::SYS_madvise,
            libc::SYS_mremap,
            libc::SYS_munmap,
            libc::SYS_restart_syscall,
            libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask,
            libc::SYS_rt_sigreturn,
            libc::SYS_sched_yield,
            libc::SYS_sigaltstack,
        ];
        let mut found = Vec::new();
        for call in 0..1024 {
            let some = [0, 1, 2, 3, 4, 7, pid, u64::MAX].into_iter();
            let all: Vec<bool> = some.map(|n| lets(call, [n; 6])).collect();
            match all.contains(&true) {
                true if all.contains(&false) => {
                    let bound = [
                        libc::SYS_read,
                        libc::SYS_write,
                        libc::SYS_mmap,
                        libc::SYS_mprotect,
                        libc::SYS_tgkill,
                    ];
                    assert!(bound.contains(&call), "call {call} is let through now and then");
                }
                true => found.push(call),
                false => {}
            }
            // Neither by the numbers of x32 nor by those of 32 bits.
            assert!(!lets(call | 0x4000_0000, [0; 6]), "x32 call {call}");
            assert!(
                !lets_through(&filter, 0x4000_0003, call as u64, [0; 6]),
                "i386 call {call}"
            );
        }
        free.sort_unstable();
        assert_eq!(found, free);

        assert!(lets(libc::SYS_read, first(0)));
        assert!(lets(libc::SYS_write, first(1)) && lets(libc::SYS_write, first(2)));
        for other in [1, 2, 3, 4, 100, 1 << 32, u64::MAX] {
            assert!(!lets(libc::SYS_read, first(other)), "read from {other}");
        }
        for other in [0, 3, 4, 100, 1 << 32 | 1, u64::MAX] {
            assert!(!lets(libc::SYS_write, first(other)), "write to {other}");
        }
        for call in [libc::SYS_mmap, libc::SYS_mprotect] {
            for access in 0..8 {
                let expected = access & libc::PROT_EXEC as u64 == 0;
                assert_eq!(lets(call, third(access)), expected, "call {call}, {access}");
            }
        }
        assert!(lets(libc::SYS_tgkill, first(pid)));
        assert!(!lets(libc::SYS_tgkill, first(1)) && !lets(libc::SYS_tgkill, first(pid + 1)));
    }

    /// In a thread of its own, which the filter ends with.
    #[test]
    fn what_a_confined_thread_cannot_do() {
        let denied = |result: Option<io::Error>, what: &str| match result {
            Some(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            other => panic!("{what}: {other:?}"),
        };
        let confined = std::thread::spawn(move || {
            let program = filter().expect("the filter can be made");
            seccompiler::apply_filter(&program).expect("the system permits a filter");
            denied(File::open("/etc/hostname").err(), "open a file");
            denied(File::create("/tmp/selvedge-escaped").err(), "make a file");
            denied(
                std::fs::remove_file("/tmp/selvedge-escaped").err(),
                "remove a file",
            );
            denied(TcpListener::bind("127.0.0.1:0").err(), "listen");
            denied(UdpSocket::bind("127.0.0.1:0").err(), "make a socket");
            denied(UnixStream::connect("/dev/log").err(), "connect");
            denied(Command::new("true").status().err(), "run a program");
            denied(std::thread::Builder::new().spawn(|| {}).err(), "start a thread");
            // What it needs.
            let mut all = Vec::new();
            for i in 0..1000 {
                all.push(vec![1u8; i * 1000]);
            }
            all.len()
        });
        assert_eq!(confined.join().expect("it ends by itself"), 1000);
    }
}
