//! Modules in LLVM's text form, with their synchronisation sent to the runtime.

use crate::objects::{owners, place};
use crate::places::Places;
use crate::refused::Refused;
use crate::symbol::{is_part, symbol};
use selvedge_schedule::cover::{Cover, Object};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Functions that the runtime has a form of: `__selvedge_NAME`.
const OURS: [&str; 38] = [
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
    "pthread_spin_init",
    "pthread_spin_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_once",
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

/// The same of C++, in `native/cxx.c`: what libstdc++ keeps out of its headers. The headers call
/// pthreads for everything else.
const OURS_OF_CXX: [&str; 13] = [
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
    // Local static variables. An initialisation that throws is refused.
    "__cxa_guard_acquire",
    "__cxa_guard_release",
];

/// Functions about threads that order nothing.
const HARMLESS: [&str; 9] = [
    // Destructors of what a thread runs.
    "_ZNSt6thread6_State",
    "pthread_self",
    "pthread_equal",
    "pthread_attr_",
    "pthread_mutexattr_",
    "pthread_barrierattr_",
    // Not `setclock`: a wait that times out does so by the usual clock.
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_rwlockattr_",
];

/// Beginnings of the names of functions that synchronise, or start or end threads.
const FOREIGN: [&str; 13] = [
    "_ZNSt6thread",
    "_ZNSt18condition_variable",
    "_ZNSt28__atomic_futex_unsigned_base",
    "_ZSt25notify_all_at_thread_exit",
    "__cxa_thread_atexit",
    "__cxa_guard_abort",
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "thrd_",
    "tss_",
    "mq_",
];

/// Names of functions that synchronise, start or end something, jump, or have to do with signals.
const FOREIGN_NAMES: [&str; 42] = [
    "call_once",
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
    "syscall",
];

/// The modules of a program, in the order of its sources, rewritten for a set of schedules.
///
/// # Errors
/// If one uses what the runtime has no form of, or they lack what the set names.
pub fn rewritten(modules: &[String], cover: &Cover) -> Result<Vec<String>, Refused> {
    let ours = Ours {
        requests: cover.has_requests(),
    };
    modules.iter().try_for_each(|module| ours.check(module))?;
    let owners = owners(modules, cover)?;
    let rewritten = modules.iter().enumerate().map(|(number, module)| {
        let mut text = ours.sent(module);
        addresses(cover, &owners, number, &mut text);
        text
    });
    Ok(rewritten.collect())
}

/// Whether one of the modules is C++ that needs `native/cxx.c`.
pub fn is_cxx(module: &str) -> bool {
    let declares = |line: &str| line.starts_with("declare ");
    let mut names = module.lines().filter(|line| declares(line)).filter_map(symbol);
    names.any(|name| OURS_OF_CXX.contains(&name))
}

/// Which functions the runtime has a form of.
struct Ours {
    /// Whether reads of requests are operations.
    requests: bool,
}

impl Ours {
    fn is_ours(&self, name: &str) -> bool {
        OURS.contains(&name) || OURS_OF_CXX.contains(&name) || (self.requests && name == "read")
    }

    /// Refuses what the runtime has no form of.
    fn check(&self, module: &str) -> Result<(), Refused> {
        let mut functions = BTreeSet::new();
        for line in module.lines() {
            if let Some(name) = line.starts_with("declare ").then(|| symbol(line)).flatten() {
                functions.insert(name);
            }
            if let Some(name) = line.starts_with("define ").then(|| symbol(line)).flatten()
                && (self.is_ours(name) || name.starts_with("__selvedge"))
            {
                let what = format!("a program with a function {name} of its own");
                return Err(Refused::Unsupported(what));
            }
            if line.contains(" asm ") && line.contains(" call ") || line.starts_with("module asm") {
                return Err(Refused::Unsupported(
                    "inline assembly in a native program".to_owned(),
                ));
            }
        }
        for name in functions {
            let harmless = HARMLESS.iter().any(|start| name.starts_with(start));
            let foreign =
                FOREIGN.iter().any(|start| name.starts_with(start)) || FOREIGN_NAMES.contains(&name);
            if foreign && !harmless && !self.is_ours(name) {
                return Err(Refused::Unsupported(format!(
                    "function {name} in a native program"
                )));
            }
        }
        Ok(())
    }

    /// A module whose calls of our functions go to the runtime, each with its place.
    fn sent(&self, module: &str) -> String {
        let places = Places::of(module);
        let mut texts: BTreeMap<String, usize> = BTreeMap::new();
        let mut text = String::with_capacity(module.len() + module.len() / 8);
        let mut lines = module.lines().peekable();
        while let Some(line) = lines.next() {
            let (renamed, is_renamed) = self.renamed(line);
            let invokes = line.contains(" invoke ");
            if is_renamed && (invokes || line.contains(" call ") || line.contains("=call ")) {
                // Where an invocation continues stands in a line of its own, with its place.
                let with_place = if invokes {
                    lines.peek().copied()
                } else {
                    Some(line)
                };
                let number = with_place.and_then(|line| line.rsplit_once("!dbg !"));
                let number = number.map_or("", |(_, rest)| rest);
                let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
                let at = places
                    .at(&number[..end])
                    .map_or_else(String::new, |(file, line, _)| {
                        let name = Path::new(file).file_name().unwrap_or_default();
                        format!("{}:{line}", name.to_string_lossy())
                    });
                let next = texts.len();
                let place = *texts.entry(at).or_insert(next);
                let _ = writeln!(
                    text,
                    "  store ptr @__selvedge_place_{place}, ptr @__selvedge_place, align 8"
                );
            }
            text.push_str(&renamed);
            text.push('\n');
        }
        text.push_str("\n@__selvedge_place = external thread_local global ptr, align 8\n");
        for (place, number) in &texts {
            let bytes: String = place.bytes().map(|byte| format!("\\{byte:02X}")).collect();
            let size = place.len() + 1;
            let _ = writeln!(
                text,
                "@__selvedge_place_{number} = private unnamed_addr constant [{size} x i8] c\"{bytes}\\00\""
            );
        }
        text
    }

    /// A line with our functions renamed, and whether one was. Text within quotes stays.
    fn renamed(&self, line: &str) -> (String, bool) {
        let mut text = String::with_capacity(line.len() + 16);
        let (mut renamed, mut quoted, mut rest) = (false, false, line);
        while let Some(c) = rest.chars().next() {
            quoted ^= c == '"';
            let (_, behind) = rest.split_at(c.len_utf8());
            text.push(c);
            rest = behind;
            if c == '@' && !quoted {
                let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                if self.is_ours(&rest[..end]) {
                    text.push_str("__selvedge_");
                    renamed = true;
                }
            }
        }
        (text, renamed)
    }
}

/// The addresses of the objects that the set names and this module has: `__selvedge_object_NUMBER`.
fn addresses(cover: &Cover, owners: &[Option<usize>], module: usize, text: &mut String) {
    for (number, (object, owner)) in cover.objects.iter().zip(owners).enumerate() {
        let (Object::Global(name, offset), true) = (object, *owner == Some(module)) else {
            continue;
        };
        let name = place(name).0;
        let plain = name.bytes().all(|byte| is_part(char::from(byte)));
        let quote = if plain { "" } else { "\"" };
        let _ = writeln!(
            text,
            "@__selvedge_object_{number} = constant ptr getelementptr (i8, ptr @{quote}{name}{quote}, i64 {offset}), align 8"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"@m = internal global %union.pthread_mutex_t zeroinitializer, align 8, !dbg !0
@text = constant [30 x i8] c"call @pthread_mutex_lock(\00"
define i32 @main() {
  %1 = call i32 @pthread_mutex_lock(ptr noundef @m) #2, !dbg !7
  ret i32 %1
}
declare i32 @pthread_mutex_lock(ptr noundef) #1
!1 = !DIFile(filename: "dir/a.c", directory: "/tmp")
!5 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 3)
!7 = !DILocation(line: 12, column: 3, scope: !5)
"#;

    fn cover() -> Cover {
        Cover {
            objects: vec![Object::Global("m".to_owned(), 8), Object::Made("0".to_owned(), 1)],
            ..Cover::default()
        }
    }

    fn one(module: &str) -> Result<String, Refused> {
        Ok(rewritten(&[module.to_owned()], &cover())?.remove(0))
    }

    #[test]
    fn calls_go_to_the_runtime_with_their_place() {
        let text = one(MODULE).unwrap();
        let call = "  store ptr @__selvedge_place_0, ptr @__selvedge_place, align 8\n  %1 = call i32 @__selvedge_pthread_mutex_lock(ptr";
        assert!(text.contains(call), "{text}");
        assert!(
            text.contains("declare i32 @__selvedge_pthread_mutex_lock("),
            "{text}"
        );
        assert!(
            text.contains("c\"call @pthread_mutex_lock("),
            "text of the program stays"
        );
        let address = "@__selvedge_object_0 = constant ptr getelementptr (i8, ptr @m, i64 8)";
        assert!(text.contains(address), "{text}");
        let place =
            "@__selvedge_place_0 = private unnamed_addr constant [7 x i8] c\"\\61\\2E\\63\\3A\\31\\32\\00\"";
        assert!(text.contains(place), "{text}");
    }

    #[test]
    fn an_invocation_has_its_place_in_the_next_line() {
        let call = "  %1 = call i32 @pthread_mutex_lock(ptr noundef @m) #2, !dbg !7";
        let invoke =
            "  invoke void @_ZNSt6thread4joinEv(ptr @m)\n          to label %2 unwind label %3, !dbg !7";
        let text = one(&MODULE.replace(call, invoke)).unwrap();
        let sent = "  store ptr @__selvedge_place_0, ptr @__selvedge_place, align 8\n  invoke void @__selvedge__ZNSt6thread4joinEv(";
        assert!(text.contains(sent) && text.contains("c\"\\61\\2E"), "{text}");
    }

    #[test]
    fn what_has_no_native_form_is_refused_by_name() {
        for name in [
            "pthread_condattr_setclock",
            "pthread_rwlock_timedrdlock",
            "sem_timedwait",
            "mtx_lock",
            "fork",
            "mq_send",
            "sigtimedwait",
            "__cxa_thread_atexit",
            "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj",
        ] {
            let module = format!("{MODULE}declare i32 @{name}(ptr)\n");
            let refused = one(&module).unwrap_err();
            let what = format!("function {name} in a native program");
            assert_eq!(refused, Refused::Unsupported(what));
        }
        let module = format!(
            "{MODULE}declare i64 @pthread_self()\ndeclare void @_ZNSt6thread6_StateD2Ev(ptr)\n\
                 declare void @execute(ptr)\ndeclare void @signal_all()\n"
        );
        assert!(one(&module).is_ok());
        let own = MODULE.replace("declare i32", "define i32");
        assert!(matches!(one(&own), Err(Refused::Unsupported(_))));
        let missing = MODULE.replace("@m = ", "@other = ");
        assert!(matches!(one(&missing), Err(Refused::Misfit(_))));
    }
}
