//! What the process that reads modules may still do: compute, read its request, write its answer, and end.
//!
//! A filter of the system (seccomp) lets a short list of calls through; any other fails with `EPERM`. So there are no files,
//! no network, no other programs and no further processes or threads; and no memory that is executable or changes to be.
//! Limits of the system bound memory and time of computing, and forbid dumps of memory. None of this needs privileges.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::io;

/// Calls without conditions: memory, locks among the threads there are, signals to itself, the clock, and the end.
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
