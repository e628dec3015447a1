//! What the runtime has no form of: functions by name, and what else `build` refuses. This is the
//! only list of it.

use crate::places::Places;
use crate::symbol::{is_part, symbol};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Functions that the runtime has a form of: `__selvedge_NAME`.
const OURS: [&str; 49] = [
    "syscall",
    "pthread_create",
    "pthread_join",
    "pthread_exit",
    "pthread_detach",
    "pthread_cond_init",
    "pthread_cond_destroy",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_clockrdlock",
    "pthread_rwlock_timedwrlock",
    "pthread_rwlock_clockwrlock",
    "sem_timedwait",
    "sem_clockwait",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_once",
    "pthread_key_create",
    "pthread_key_delete",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "sem_init",
    "sem_destroy",
    "sem_post",
    "sem_wait",
    "sem_trywait",
    "sem_getvalue",
    "pthread_barrier_init",
    "pthread_barrier_destroy",
    "pthread_barrier_wait",
];

/// The same of C11 threads, in `native/c11.c`.
const OURS_OF_C11: [&str; 19] = [
    "call_once",
    "cnd_broadcast",
    "cnd_destroy",
    "cnd_init",
    "cnd_signal",
    "cnd_timedwait",
    "cnd_wait",
    "mtx_destroy",
    "mtx_init",
    "mtx_lock",
    "mtx_timedlock",
    "mtx_trylock",
    "mtx_unlock",
    "thrd_create",
    "thrd_detach",
    "thrd_exit",
    "thrd_join",
    "tss_create",
    "tss_delete",
];

/// The same of C++, in `native/cxx.c`: what libstdc++ keeps out of its headers. The headers call
/// pthreads for everything else.
const OURS_OF_CXX: [&str; 17] = [
    // Waiting for a future, until a time, and waking who waits.
    "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
    "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
    "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj",
    // std::thread: its begin, join, detach, and how many there are at once.
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    "_ZNSt6thread4joinEv",
    "_ZNSt6thread6detachEv",
    "_ZNSt6thread20hardware_concurrencyEv",
    // std::condition_variable: its begin, end, wait, notify_one, notify_all.
    "_ZNSt18condition_variableC1Ev",
    "_ZNSt18condition_variableC2Ev",
    "_ZNSt18condition_variableD1Ev",
    "_ZNSt18condition_variableD2Ev",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "_ZNSt18condition_variable10notify_oneEv",
    "_ZNSt18condition_variable10notify_allEv",
    // Local static variables: the begin of an initialisation, its end, and its end by an exception.
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
];

/// Functions about threads that order nothing.
const HARMLESS: [&str; 23] = [
    // Destructors of what a thread runs.
    "_ZNSt6thread6_State",
    "pthread_self",
    "pthread_equal",
    "pthread_attr_",
    "pthread_mutexattr_",
    "pthread_barrierattr_",
    "pthread_condattr_",
    "pthread_rwlockattr_",
    "pthread_getattr_np",
    "pthread_setname_np",
    "pthread_getname_np",
    "pthread_getconcurrency",
    "pthread_setconcurrency",
    "pthread_yield",
    "thrd_current",
    "thrd_equal",
    "thrd_sleep",
    "thrd_yield",
    // Nobody is cancelled, because `pthread_cancel` is refused.
    "pthread_setcancel",
    "pthread_testcancel",
    // Destructors run before the thread's end is done.
    "pthread_getspecific",
    "pthread_setspecific",
    "tss_",
];

/// Beginnings of the names of functions that synchronise, or start or end threads.
pub const FOREIGN: [&str; 12] = [
    "aio_",
    "lio_",
    "_ZNSt6thread",
    "_ZNSt18condition_variable",
    "_ZNSt28__atomic_futex_unsigned_base",
    "_ZSt25notify_all_at_thread_exit",
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "thrd_",
    "mq_",
];

/// Names of functions that synchronise, start or end something, jump, or have to do with signals.
pub const FOREIGN_NAMES: [&str; 64] = [
    "fork",
    "forkpty",
    "vfork",
    "clone",
    "clone3",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execveat",
    "execvp",
    "execvpe",
    "fexecve",
    "longjmp",
    "siglongjmp",
    "_longjmp",
    "__longjmp_chk",
    "signal",
    "signalfd",
    "sigaction",
    "sigprocmask",
    "sigqueue",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "raise",
    "pause",
    "kill",
    "killpg",
    "alarm",
    "setitimer",
    "timer_create",
    "timerfd_create",
    "dlopen",
    "dlmopen",
    "quick_exit",
    "_Exit",
    "_exit",
    "_Fork",
    "posix_spawn",
    "posix_spawnp",
    "system",
    "popen",
    "daemon",
    "setcontext",
    "makecontext",
    "swapcontext",
    "__sysv_signal",
    "sysv_signal",
    "bsd_signal",
    "sigset",
    "sighold",
    "sigrelse",
    "sigignore",
    "sigpause",
    "__xpg_sigpause",
    "siginterrupt",
    "sigvec",
    "sigblock",
    "sigsetmask",
    "tgkill",
    "ualarm",
];

/// Something in a program that has no native form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lacking {
    /// What it is.
    pub what: String,
    /// Where the program uses it first: file and line, as far as that is known.
    pub place: Option<(String, u32)>,
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.place {
            Some((file, line)) => write!(f, " at {file}:{line}"),
            None => Ok(()),
        }
    }
}

/// All that the modules of a program use and that has no native form. A program of which this is
/// empty may still be refused for what the set names. A function that a module defines for
/// all others is the program's own, whatever its name is.
pub fn lacking(modules: &[String]) -> Vec<Lacking> {
    let ours = Ours::of(modules);
    let defined = |module: &str| -> BTreeSet<String> {
        let local = ["define internal ", "define private "];
        let seen = |line: &str| !local.iter().any(|begin| line.starts_with(begin));
        let names = functions(module, "define ").filter(|(_, line)| seen(line));
        names.map(|(name, _)| name.to_owned()).collect()
    };
    let defined: Vec<BTreeSet<String>> = modules.iter().map(|module| defined(module)).collect();
    let of = |module: &String| ours.lacking(module, &defined);
    modules.iter().flat_map(of).collect()
}

/// Whether one of the modules is C++ that needs `native/cxx.c`.
pub fn is_cxx(module: &str) -> bool {
    functions(module, "declare ").any(|(name, _)| OURS_OF_CXX.contains(&name))
}

/// The functions that lines with this begin name, each with its line.
fn functions<'a>(module: &'a str, begin: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let lines = module.lines().filter(move |line| line.starts_with(begin));
    lines.filter_map(|line| Some((symbol(line)?, line)))
}

/// Whether a function synchronises, starts or ends something, and is none of the runtime's.
fn is_foreign(name: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|begin| name.starts_with(begin));
    (begins(&FOREIGN) || FOREIGN_NAMES.contains(&name)) && !begins(&HARMLESS)
}

/// Which functions the runtime has a form of.
pub(crate) struct Ours {
    /// Whether the program reads files by itself, perhaps standard input.
    reads: bool,
}

impl Ours {
    /// Those for the program of a set.
    pub(crate) fn of(modules: &[String]) -> Ours {
        let reads = |module: &String| functions(module, "declare ").any(|(name, _)| name == "read");
        Ours {
            reads: modules.iter().any(reads),
        }
    }

    pub(crate) fn is_ours(&self, name: &str) -> bool {
        let lists: [&[&str]; 3] = [&OURS, &OURS_OF_C11, &OURS_OF_CXX];
        lists.iter().any(|list| list.contains(&name)) || (self.reads && name == "read")
    }

    /// What a module uses that has no native form. `defined`: the functions of all modules.
    fn lacking(&self, module: &str, defined: &[BTreeSet<String>]) -> Vec<Lacking> {
        let places = Places::of(module);
        let at = |line: &str| {
            let (file, line, _) = places.of_line(line)?;
            Some((file.to_owned(), line))
        };
        let mut found = Vec::new();
        for (name, line) in functions(module, "define ") {
            if self.is_ours(name) || name.starts_with("__selvedge") {
                found.push(Lacking {
                    what: format!("a program with a function {name} of its own"),
                    place: at(line),
                });
            }
        }
        let is_assembly = |line: &&str| {
            let calls = || line.contains("call") || line.contains(" invoke ");
            line.starts_with(' ') && line.contains(" asm ") && calls() || line.starts_with("module asm")
        };
        if let Some(line) = module.lines().find(is_assembly) {
            found.push(Lacking {
                what: "inline assembly in a native program".to_owned(),
                place: at(line),
            });
        }
        // The runtime has the system call futex only.
        let is_other = |line: &&str| {
            let mut calls = line.split("@syscall(").skip(1);
            line.starts_with(' ') && calls.any(|given| !given.starts_with("i64 noundef 202, "))
        };
        let takes =
            |line: &&str| line.starts_with(' ') && line.contains("@syscall") && !line.contains("@syscall(");
        if let Some(line) = module.lines().find(|line| is_other(line) || takes(line)) {
            found.push(Lacking {
                what: "a system call other than futex in a native program".to_owned(),
                place: at(line),
            });
        }
        let own = |name: &str| defined.iter().any(|names| names.contains(name));
        let declared = functions(module, "declare ").map(|(name, _)| name);
        let foreign: BTreeSet<&str> = declared
            .filter(|name| is_foreign(name) && !self.is_ours(name) && !own(name))
            .collect();
        let used = first_uses(module, &foreign);
        found.extend(foreign.into_iter().map(|name| Lacking {
            what: format!("function {name} in a native program"),
            place: used.get(name).and_then(|line| at(line)),
        }));
        found
    }
}

/// For each of these functions the first line that has the place of a use.
fn first_uses<'a>(module: &'a str, names: &BTreeSet<&'a str>) -> BTreeMap<&'a str, &'a str> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return found;
    }
    let mut lines = module.lines().peekable();
    while let Some(line) = lines.next() {
        // Where an invocation continues stands in a line of its own, with its place.
        let with_place = match line.contains(" invoke ") {
            true => lines.peek().copied().unwrap_or_default(),
            false => line,
        };
        if !line.starts_with(' ') || !with_place.contains("!dbg !") {
            continue;
        }
        for part in line.split('@').skip(1) {
            let end = part.find(|c: char| !is_part(c)).unwrap_or(part.len());
            if let Some(name) = names.get(&part[..end]) {
                found.entry(*name).or_insert(with_place);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"@text = constant [30 x i8] c"call asm @sem_open(\00"
define i32 @main() !dbg !5 {
  %1 = call ptr (ptr, i32, ...) @sem_open(ptr @text, i32 0), !dbg !7
  invoke void @pthread_cancel(ptr @text)
          to label %2 unwind label %3, !dbg !8
  call void asm sideeffect "nop", ""() #2, !dbg !9
  call void @mq_own(), !dbg !9
  ret i32 0
}
declare ptr @sem_open(ptr, i32, ...)
declare void @pthread_cancel(ptr)
declare void @kill(i32)
declare void @mq_own()
!1 = !DIFile(filename: "a.c", directory: "/tmp")
!5 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 3)
!7 = !DILocation(line: 12, column: 3, scope: !5)
!8 = !DILocation(line: 13, column: 3, scope: !5)
!9 = !DILocation(line: 14, column: 3, scope: !5)
"#;

    fn texts(modules: &[&str]) -> Vec<String> {
        let modules: Vec<String> = modules.iter().map(|&module| module.to_owned()).collect();
        let all = lacking(&modules);
        all.iter().map(Lacking::to_string).collect()
    }

    #[test]
    fn all_that_has_no_native_form_is_named_with_its_first_place() {
        let own = "define void @mq_own() {\n  ret void\n}\n";
        let mut expected = vec![
            "inline assembly in a native program at a.c:14",
            "function kill in a native program",
            "function pthread_cancel in a native program at a.c:13",
            "function sem_open in a native program at a.c:12",
        ];
        assert_eq!(texts(&[MODULE, own]), expected);
        // Nobody else sees a function that is internal.
        expected.insert(2, "function mq_own in a native program at a.c:14");
        let internal = own.replace("define", "define internal");
        assert_eq!(texts(&[MODULE, &internal]), expected);
        let ours = MODULE.replace("@main()", "@sem_post()");
        let said = texts(&[&ours, own]);
        assert_eq!(said[0], "a program with a function sem_post of its own at a.c:3");
    }
}
