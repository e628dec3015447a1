//! The effects of library functions on their arguments, in one table.
//!
//! A function without a body in the program and without a row here may do anything. Analyses that
//! rest on the table say so ([`effect`] returns `None`). Functions of the model library have bodies
//! and need no row.

mod mathematical;

use mathematical::is_mathematical;

/// A set of arguments, one bit each. Bit 15 represents all arguments from the sixteenth on, and
/// variable arguments.
pub type Arguments = u16;

/// The effect of a call to a library function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The arguments that point to memory which it reads.
    pub reads: Arguments,
    /// The arguments that point to memory which it writes.
    pub writes: Arguments,
    /// The maximum number of accessed bytes, from where the argument points.
    pub extent: Option<u64>,
    /// The returned address.
    pub result: Returns,
    /// Further effects on addresses.
    pub special: Special,
}

/// The address that a library function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    /// No address, and nothing computed from one.
    Nothing,
    /// A new object.
    New,
    /// An address in the object that an argument points into.
    Within(u8),
    /// An argument.
    Argument(u8),
    /// The error number of the thread.
    Errno,
    /// A stream, or what a file contains.
    Files,
    /// The program's environment.
    Environment,
    /// What the library keeps.
    Static,
}

/// The effects of a library function on addresses besides reading, writing and returning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// Nothing.
    Nothing,
    /// Copies what the second argument points to into what the first argument points to.
    Copies(u8, u8),
    /// Returns an object with the contents of an argument's object (perhaps the same object).
    Renews(u8),
    /// Returns a new object with the contents of an argument's object.
    Duplicates(u8),
    /// Stores a new object's address where an argument points.
    Allocates(u8),
    /// Stores the address of an argument's object where another argument points: `Ends(from, to)`.
    Ends(u8, u8),
    /// Writes a text, made of all its arguments and of what they point to, where the first argument
    /// points.
    Formats,
    /// Writes what an argument points to into a file.
    Output(u8),
    /// Reads from a file into what an argument points to.
    Input(u8),
    /// Writes all its arguments, and what they point to, into a file.
    Prints,
    /// Starts a thread that calls argument `.0` with argument `.1`.
    Starts(u8, u8),
    /// Starts a thread that calls the virtual function of a `std::thread::_State`.
    StartsState,
    /// Stores a thread's result where an argument points.
    Joins(u8),
    /// Ends the thread with an argument as its result.
    EndsThread(u8),
    /// Calls argument `.0` without arguments, at once or later.
    Calls(u8),
    /// Calls argument `.0` with argument `.1`, later.
    CallsWith(u8, u8),
    /// Calls what is stored at an argument, later.
    CallsStored(u8),
    /// Calls what the thread-local variable `std::__once_call` points to.
    CallsOnceCall,
    /// Passes argument `.0` to landing pads as the exception. The place of its object (argument
    /// `.1`) and the object's contents are stored in it.
    Throws(u8, u8),
    /// Makes a key: argument `.0` is called with the values that threads store under it.
    MakesKey(u8),
    /// Stores an argument under a key.
    SetsKey(u8),
    /// Returns what was stored under a key.
    GetsKey,
}

/// All arguments.
pub const ALL: Arguments = !0;

const NONE: Effect = Effect {
    reads: 0,
    writes: 0,
    extent: None,
    result: Returns::Nothing,
    special: Special::Nothing,
};

const fn on(reads: Arguments, writes: Arguments) -> Effect {
    Effect {
        reads,
        writes,
        ..NONE
    }
}

const fn gives(result: Returns) -> Effect {
    Effect { result, ..NONE }
}

impl Effect {
    const fn giving(self, result: Returns) -> Effect {
        Effect { result, ..self }
    }

    const fn within(self, extent: u64) -> Effect {
        Effect {
            extent: Some(extent),
            ..self
        }
    }

    const fn and(self, special: Special) -> Effect {
        Effect { special, ..self }
    }
}

/// The effect of a library function; `None` if it is not known.
pub fn effect(name: &str) -> Option<Effect> {
    if is_pure(name) {
        return Some(NONE);
    }
    synchronisation(name)
        .or_else(|| memory(name))
        .or_else(|| text(name))
        .or_else(|| files(name))
        .or_else(|| others(name))
}

/// The function of the model library that a native model calls to throw an exception.
pub fn thrower(name: &str) -> Option<&'static str> {
    matches!(name, "_ZNSt6thread4joinEv" | "_ZNSt6thread6detachEv").then_some("_ZSt20__throw_system_errori")
}

/// True if a name is that of an input function for numbers.
fn is_input(name: &str) -> bool {
    name.strip_prefix("__VERIFIER_nondet_")
        .or_else(|| name.strip_prefix("nondet_"))
        .is_some_and(|kind| kind != "memory")
}

/// True for functions that end the process, and run nothing of the program before.
pub fn ends_process(name: &str) -> bool {
    matches!(
        name,
        "__assert_fail"
            | "__assert"
            | "__assert_perror_fail"
            | "abort"
            | "_exit"
            | "_Exit"
            | "reach_error"
            | "__VERIFIER_error"
    )
}

/// True if a function returns, and accesses nothing that threads share except memory that it is
/// given. Ending the life of memory counts as an access of shared data.
pub fn is_local(name: &str) -> bool {
    let acts = matches!(
        name,
        "free"
            | "cfree"
            | "munmap"
            | "mmap"
            | "mmap64"
            | "madvise"
            | "mprotect"
            | "realloc"
            | "reallocarray"
            | "__cxa_free_exception"
            | "getrandom"
            | "getentropy"
    ) || ["_Zdl", "_Zda", "_ZSt"]
        .iter()
        .any(|begin| name.starts_with(begin));
    let others = matches!(
        name,
        "__errno_location" | "pthread_self" | "thrd_current" | "pthread_equal" | "thrd_equal"
    );
    !acts
        && (others
            || is_mathematical(name)
            || is_input(name)
            || memory(name).is_some()
            || text(name).is_some())
}

/// True if a function does nothing but read and write the memory that it is given, or compare
/// threads: it makes no object and no input, and sets no error number.
pub fn only_touches(name: &str) -> bool {
    matches!(
        name,
        "memcpy"
            | "memmove"
            | "mempcpy"
            | "memset"
            | "memcmp"
            | "bcmp"
            | "memchr"
            | "strlen"
            | "strnlen"
            | "strcmp"
            | "strncmp"
            | "strchr"
            | "strrchr"
            | "pthread_self"
            | "pthread_equal"
    )
}

/// True if a function may set the error number (`errno`).
pub fn may_set_error(name: &str) -> bool {
    let keeps = matches!(
        name,
        "__errno_location" | "pthread_equal" | "thrd_equal" | "thrd_current"
    ) || ["pthread_", "__selvedge_", "__VERIFIER_"]
        .iter()
        .any(|begin| name.starts_with(begin));
    !keeps && !only_touches(name)
}

/// True if a function computes a number, and sets the error number where there is no result.
pub fn computes_with_error(name: &str) -> bool {
    is_mathematical(name) || matches!(name, "strtod" | "strtof")
}

/// True if a function opens a file or a pipe, or changes the meaning of a descriptor.
pub fn makes_descriptors(name: &str) -> bool {
    files(name).is_some_and(|effect| effect.result == Returns::Files)
        || matches!(name, "__selvedge_signal_file" | "__selvedge_unnamed_file")
        || [
            "open", "openat", "creat", "pipe", "eventfd", "dup", "freopen", "socket", "accept", "epoll",
            "timerfd", "signalfd", "memfd", "popen", "tmpfile", "inotify", "shm_open", "mkstemp",
        ]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// Functions that work on numbers, end something, or report properties of the system.
fn is_pure(name: &str) -> bool {
    is_mathematical(name)
        || is_input(name)
        || matches!(
            name,
            "abort"
                | "exit"
                | "_exit"
                | "_Exit"
                | "reach_error"
                | "__VERIFIER_error"
                | "__VERIFIER_assert"
                | "__VERIFIER_assume"
                | "klee_assume"
                | "__CPROVER_assume"
                | "assume_abort_if_not"
                | "__selvedge_assumed"
                | "klee_silent_exit"
                | "klee_choose"
                | "__VERIFIER_atomic_begin"
                | "__VERIFIER_atomic_end"
                | "__stack_chk_fail"
                | "__chk_fail"
                | "__cxa_pure_virtual"
                | "rand"
                | "random"
                | "srand"
                | "srandom"
                | "clock"
                | "getpid"
                | "getppid"
                | "gettid"
                | "getuid"
                | "geteuid"
                | "getgid"
                | "getegid"
                | "getpagesize"
                | "get_nprocs"
                | "get_nprocs_conf"
                | "sysconf"
                | "__sysconf"
                | "sleep"
                | "usleep"
                | "sched_yield"
                | "pthread_yield"
                | "thrd_yield"
                | "umask"
                | "isatty"
                | "_ZNSt6thread20hardware_concurrencyEv"
                | "_ZSt21ios_base_library_initv"
        )
}

fn synchronisation(name: &str) -> Option<Effect> {
    use Special::{Calls, CallsWith, EndsThread, GetsKey, Joins, MakesKey, SetsKey, Starts, StartsState};
    Some(match name {
        "pthread_create" => on(0b10, 0b1).within(56).and(Starts(2, 3)),
        "thrd_create" => on(0, 0b1).and(Starts(1, 2)),
        "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE" => {
            on(0b10, 0b11).and(StartsState)
        }
        "pthread_join" | "pthread_tryjoin_np" | "thrd_join" => on(0, 0b10).within(8).and(Joins(1)),
        "pthread_timedjoin_np" => on(0b100, 0b10).and(Joins(1)),
        "pthread_clockjoin_np" => on(0b1000, 0b10).and(Joins(1)),
        "pthread_exit" | "thrd_exit" => NONE.and(EndsThread(0)),
        "_ZNSt6thread4joinEv" | "_ZNSt6thread6detachEv" => on(0b1, 0b1),
        "_ZNSt6thread6_StateD1Ev" | "_ZNSt6thread6_StateD2Ev" => NONE,
        "pthread_self"
        | "thrd_current"
        | "pthread_equal"
        | "thrd_equal"
        | "pthread_detach"
        | "thrd_detach"
        | "pthread_cancel"
        | "pthread_testcancel"
        | "pthread_setconcurrency"
        | "pthread_getconcurrency" => NONE,
        "pthread_setname_np" | "prctl" => on(0b10, 0),
        "pthread_setcancelstate" | "pthread_setcanceltype" => on(0, 0b10),
        "pthread_once" | "call_once" => on(0b1, 0b1).and(Calls(1)),
        "__once_proxy" => NONE.and(Special::CallsOnceCall),
        "__cxa_guard_acquire" | "__cxa_guard_release" | "__cxa_guard_abort" => on(0b1, 0b1),
        "pthread_key_create" | "__pthread_key_create" | "tss_create" => on(0, 0b1).and(MakesKey(1)),
        "pthread_key_delete" | "tss_delete" => NONE,
        "pthread_setspecific" | "tss_set" => NONE.and(SetsKey(1)),
        "pthread_getspecific" | "tss_get" => NONE.and(GetsKey),
        "atexit" => NONE.and(Calls(0)),
        "__cxa_atexit" | "__cxa_thread_atexit" | "__cxa_thread_atexit_impl" => NONE.and(CallsWith(0, 1)),
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => on(0, 0b1),
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => on(0b1, 0),
        "__pthread_register_cancel" | "__pthread_unregister_cancel" | "__pthread_unwind_next" => on(0b1, 0b1),
        _ => return lock(name),
    })
}

/// Functions on synchronisation objects: each use is an action on the object, on which every other
/// use depends. The object's memory contains no address. Sizes are those of glibc on x86-64.
fn lock(name: &str) -> Option<Effect> {
    const LARGEST: u64 = 56;
    let families = [
        ("pthread_mutexattr_", 4),
        ("pthread_rwlockattr_", 8),
        ("pthread_condattr_", 4),
        ("pthread_barrierattr_", 4),
        ("pthread_attr_", LARGEST),
        ("pthread_mutex_", 40),
        ("pthread_rwlock_", LARGEST),
        ("pthread_spin_", 4),
        ("pthread_cond_", 48),
        ("pthread_barrier_", 32),
        ("sem_", 32),
        ("mtx_", 40),
        ("cnd_", 48),
        ("_ZNSt18condition_variable", 48),
    ];
    let has_address = matches!(
        name,
        "pthread_attr_setstack"
            | "pthread_attr_getstack"
            | "pthread_attr_setstackaddr"
            | "pthread_attr_getstackaddr"
            | "sem_open"
    );
    let family = families.iter().find(|(family, _)| name.starts_with(family));
    family.filter(|_| !has_address).map(|&(_, extent)| Effect {
        extent: Some(extent),
        ..on(ALL, ALL)
    })
}

fn memory(name: &str) -> Option<Effect> {
    use Returns::{Argument, New, Within};
    use Special::{Allocates, Copies, Duplicates, Renews};
    if name.starts_with("_Znw") || name.starts_with("_Zna") {
        return Some(gives(New));
    }
    if name
        .strip_prefix("_ZSt")
        .is_some_and(|rest| rest.contains("__throw_"))
    {
        return Some(on(ALL, 0));
    }
    if name.starts_with("_Zdl") || name.starts_with("_Zda") {
        return Some(on(0, 0b1));
    }
    Some(match name {
        "malloc" | "calloc" | "aligned_alloc" | "memalign" | "valloc" | "__cxa_allocate_exception" => {
            gives(New)
        }
        "mmap" | "mmap64" => gives(New),
        "free" | "cfree" | "munmap" | "__cxa_free_exception" => on(0, 0b1),
        // Pages whose protection changes count as written, and so do those that are discarded.
        "mprotect" | "madvise" => on(0, 0b1),
        "malloc_usable_size" => NONE,
        "realloc" | "reallocarray" => on(0b1, 0b1).giving(New).and(Renews(0)),
        "posix_memalign" => on(0, 0b1).and(Allocates(0)),
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
            on(0b10, 0b1).giving(Argument(0)).and(Copies(0, 1))
        }
        "mempcpy" | "__mempcpy" | "__mempcpy_chk" => on(0b10, 0b1).giving(Within(0)).and(Copies(0, 1)),
        "memset" | "__memset_chk" => on(0, 0b1).giving(Argument(0)),
        "bzero" | "explicit_bzero" => on(0, 0b1),
        "memcmp" | "bcmp" => on(0b11, 0),
        "memchr" | "memrchr" => on(0b1, 0).giving(Within(0)),
        "klee_make_symbolic" => on(0b100, 0b1),
        "__VERIFIER_nondet_memory" => on(0, 0b1),
        "getrandom" | "getentropy" => on(0, 0b1),
        "strdup" | "__strdup" | "strndup" | "__strndup" => on(0b1, 0).giving(New).and(Duplicates(0)),
        _ => return None,
    })
}

fn text(name: &str) -> Option<Effect> {
    use Returns::{Argument, Within};
    use Special::{Copies, Ends};
    Some(match name {
        "strlen" | "strnlen" => on(0b1, 0),
        "strcmp" | "strncmp" | "strcoll" => on(0b11, 0),
        "strchr" | "strrchr" | "index" | "rindex" => on(0b1, 0).giving(Within(0)),
        "strstr" => on(0b11, 0).giving(Within(0)),
        "strcpy" | "strncpy" | "__strcpy_chk" | "__strncpy_chk" => {
            on(0b10, 0b1).giving(Argument(0)).and(Copies(0, 1))
        }
        "stpcpy" | "__stpcpy" | "__stpcpy_chk" => on(0b10, 0b1).giving(Within(0)).and(Copies(0, 1)),
        "strcat" | "strncat" | "__strcat_chk" | "__strncat_chk" => {
            on(0b11, 0b1).giving(Argument(0)).and(Copies(0, 1))
        }
        "atof" => on(0b1, 0),
        "strtod" | "strtof" => on(0b1, 0b10).and(Ends(0, 1)),
        "snprintf" | "sprintf" | "__snprintf_chk" | "__sprintf_chk" | "vsnprintf" | "vsprintf"
        | "__vsnprintf_chk" | "__vsprintf_chk" => on(ALL & !1, 0b1).and(Special::Formats),
        _ => return None,
    })
}

fn files(name: &str) -> Option<Effect> {
    use Returns::Files;
    use Special::{Input, Output, Prints};
    Some(match name {
        "printf" | "vprintf" | "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "__printf_chk"
        | "__fprintf_chk" | "__vprintf_chk" | "__vfprintf_chk" | "puts" | "fputs" | "fputs_unlocked"
        | "putchar" | "putchar_unlocked" | "putc" | "putc_unlocked" | "fputc" | "fputc_unlocked"
        | "_IO_putc" | "perror" => on(ALL, 0).and(Prints),
        "__selvedge_unread" => on(0b1, 0).and(Output(0)),
        "write" | "pwrite" | "pwrite64" => on(0b10, 0).and(Output(1)),
        "fwrite" | "fwrite_unlocked" => on(0b1, 0).and(Output(0)),
        "read" | "pread" | "pread64" => on(0, 0b10).and(Input(1)),
        "fread" | "fread_unlocked" => on(0, 0b1).and(Input(0)),
        "fopen" | "fopen64" => on(0b11, 0).giving(Files),
        "fdopen" => on(0b10, 0).giving(Files),
        "open" | "open64" | "creat" | "creat64" | "access" | "eaccess" | "euidaccess" | "unlink"
        | "remove" | "truncate" | "truncate64" => on(0b1, 0),
        "openat" | "openat64" => on(0b10, 0),
        "rename" => on(0b11, 0),
        "chmod" => on(0b1, 0),
        "fchmod" => NONE,
        "stat" | "stat64" | "lstat" | "lstat64" => on(0b1, 0b10),
        "fstat" | "fstat64" => on(0, 0b10),
        "timerfd_settime" => on(0b100, 0b1000),
        "timerfd_gettime" => on(0, 0b10),
        "timerfd_create"
        | "__selvedge_signal_file"
        | "flock"
        | "__selvedge_unnamed_file"
        | "__selvedge_readable"
        | "__selvedge_reopen" => NONE,
        // There are no rows for open_memstream and fmemopen: a flush accesses what they are given.
        "pipe" | "pipe2" => on(0, 0b1),
        "poll" | "ppoll" => on(ALL, 0b1),
        "select" | "pselect" => on(ALL, 0b11110),
        "socket" | "listen" | "shutdown" | "__selvedge_peer_socket" | "__selvedge_peer_accept" => NONE,
        "socketpair" => on(0, 0b1000),
        "bind" | "connect" => on(0b10, 0),
        "accept" | "accept4" | "getsockname" | "getpeername" => on(0b100, 0b110),
        "sendto" => on(0b1_0010, 0).and(Output(1)),
        "recvfrom" => on(0b10_0000, 0b11_0010).and(Input(1)),
        "setsockopt" => on(0b1000, 0),
        "getsockopt" => on(0b1_0000, 0b1_1000),
        "close" | "dup" | "dup2" | "dup3" | "lseek" | "lseek64" | "ftruncate" | "ftruncate64" | "fsync"
        | "fdatasync" | "fcntl" | "fcntl64" | "eventfd" => NONE,
        "feof_unlocked" | "ferror_unlocked" | "clearerr_unlocked" | "fflush_unlocked" | "__fpending"
        | "__freading" | "fclose" | "fflush" | "feof" | "ferror" | "fileno" | "clearerr" | "rewind"
        | "fseek" | "fseeko" | "fseeko64" | "ftell" | "ftello" | "ftello64" | "flockfile" | "funlockfile"
        | "ftrylockfile" | "setbuf" | "setvbuf" | "setlinebuf" => NONE,
        _ => return None,
    })
}

fn others(name: &str) -> Option<Effect> {
    use Returns::{Environment, Errno, Static};
    Some(match name {
        "__errno_location" => gives(Errno),
        "getenv" | "secure_getenv" | "__secure_getenv" => on(0b1, 0).giving(Environment),
        "setlocale" => on(0b10, 0).giving(Static),
        // There are no rows for signal and sigaction: handlers are called later, by a thread that
        // raises a signal, and returned to the caller.
        "__selvedge_is_alone"
        | "__selvedge_futexes_poll"
        | "__selvedge_blocks"
        | "__selvedge_exists"
        | "__selvedge_all_block"
        | "__selvedge_outside"
        | "__selvedge_may_time_out"
        | "__selvedge_wait_ended"
        | "__selvedge_packet_byte"
        | "__selvedge_peer_count"
        | "__selvedge_peer_byte"
        | "__selvedge_queue_descriptor"
        | "sched_getcpu"
        | "__selvedge_set_mask"
        | "__selvedge_mask"
        | "__selvedge_delivers"
        | "__selvedge_sends_to_process"
        | "__selvedge_act_for" => NONE,
        "frexp" | "frexpf" | "modf" | "modff" => on(0, 0b10),
        "nan" | "nanf" => on(0b1, 0),
        "remquo" | "remquof" => on(0, 0b100),
        "sincos" | "sincosf" => on(0, 0b110),
        "sigprocmask" | "pthread_sigmask" => on(0b10, 0b100),
        "time" => on(0, 0b1),
        "clock_gettime" | "__clock_gettime" | "clock_getres" => on(0, 0b10),
        "gettimeofday" | "timespec_get" => on(0, 0b11),
        "times" => on(0, 0b1),
        "nanosleep" | "thrd_sleep" => on(0b1, 0b10),
        "clock_nanosleep" => on(0b100, 0b1000),
        "getrlimit" | "getrlimit64" => on(0, 0b10),
        "__assert_fail"
        | "__assert"
        | "__assert_perror_fail"
        | "__CPROVER_assert"
        | "klee_report_error"
        | "klee_range"
        | "klee_int" => on(ALL, 0),
        // Where one of these would have an effect, the machine stops as unsupported.
        "_Unwind_RaiseException" => on(0b11, 0b1).and(Special::Throws(0, 1)),
        "_Unwind_Resume" => on(0b1, 0b1),
        "__selvedge_uncaught" => on(0b110, 0),
        // It reads the name of what is missing.
        "__selvedge_unsupported" => on(0b1, 0),
        // A fault that comes later reads the message.
        "__selvedge_panics" => on(0b1, 0),
        "__selvedge_unread" => NONE,
        "_ZNSt8ios_base4InitC1Ev"
        | "_ZNSt8ios_base4InitC2Ev"
        | "_ZNSt8ios_base4InitD1Ev"
        | "_ZNSt8ios_base4InitD2Ev" => NONE,
        _ => return None,
    })
}
