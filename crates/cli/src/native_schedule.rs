//! Native programs that keep to one schedule: of a finding (`replay --native`), or of a finding or
//! test case (`build --case`).
//!
//! The linker leads calls of threads' functions to wrappers (`runtime/replay*.c`), which wait for
//! their turn in the schedule; so do accesses to memory that are steps, by calls that are added to
//! the module in LLVM's text form. What neither can order is refused by name.

use crate::exit::Exit;
use crate::native::RUNTIME;
use crate::native_sources::{compile, compiler, flags, is_c, is_cxx, unsupported};
use selvedge_frontend::files;
use selvedge_instrument::sited;
use selvedge_model::{Input, Op};
use selvedge_report::Ktest;
use selvedge_schedule::site;
use selvedge_session::{ReplayStep, Setup, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The wrappers.
const WRAPPERS: &str = concat!(
    include_str!("../runtime/replay.c"),
    include_str!("../runtime/replay_library.c")
);

/// The functions that have a wrapper.
const WRAPPED: [&str; 62] = [
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_trylock",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_cond_init",
    "pthread_cond_destroy",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "sem_wait",
    "sem_trywait",
    "sem_post",
    "sem_init",
    "sem_destroy",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_barrier_init",
    "pthread_barrier_wait",
    "pthread_barrier_destroy",
    "pthread_once",
    "call_once",
    "sched_yield",
    "thrd_yield",
    "sleep",
    "usleep",
    "nanosleep",
    "thrd_create",
    "thrd_join",
    "thrd_detach",
    "mtx_init",
    "mtx_lock",
    "mtx_trylock",
    "mtx_unlock",
    "mtx_destroy",
    "cnd_init",
    "cnd_destroy",
    "cnd_wait",
    "cnd_signal",
    "cnd_broadcast",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    // std::condition_variable: made, destroyed, wait, notify_one, notify_all. The rest of C++
    // threads calls pthreads, if libstdc++ is linked as an archive.
    "_ZNSt18condition_variableC1Ev",
    "_ZNSt18condition_variableD1Ev",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "_ZNSt18condition_variable10notify_oneEv",
    "_ZNSt18condition_variable10notify_allEv",
];

/// What a native program is built from.
pub(crate) struct Scheduled<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) inputs: &'a [Input],
    pub(crate) steps: &'a [ReplayStep],
    /// The sanitizer, as the compiler names it; empty for none.
    pub(crate) sanitizer: &'static str,
}

impl Scheduled<'_> {
    /// Writes the program.
    ///
    /// # Errors
    /// How the command ends if there is none.
    pub(crate) fn build(&self, program: &Path) -> Result<(), Exit> {
        self.refuse().map_err(|what| unsupported(&what))?;
        let tables = tables(self.steps).map_err(|what| unsupported(&what))?;
        let directory =
            tempfile::tempdir().map_err(|error| Exit::output(&format!("no temporary directory: {error}")))?;
        let at = |name: &str| directory.path().join(name);
        let write = |name: &str, text: String| {
            write_file(&at(name), text)
                .map_err(|error| Exit::output(&format!("cannot write {name}: {error}")))
        };
        let is_cxx = self.setup.inputs.iter().any(|input| is_cxx(input));
        let modules = self.modules(directory.path())?;
        write("replay.c", format!("{WRAPPERS}\n{tables}"))?;
        write("inputs.c", format!("{RUNTIME}\n{}", given(self.inputs)))?;
        for name in ["replay", "inputs"] {
            let mut clang = compiler(false)?;
            clang
                .args(["-O1", "-g", "-pthread", "-DSELVEDGE_SCHEDULED", "-c"])
                .arg(at(&format!("{name}.c")));
            compile(clang.arg("-o").arg(at(&format!("{name}.o"))))?;
        }
        let mut clang = compiler(is_cxx)?;
        clang
            .args(["-O0", "-g", "-pthread"])
            .args(self.sanitize())
            .args(modules);
        clang.arg(at("replay.o")).arg(at("inputs.o"));
        if is_cxx {
            clang.arg("-static-libstdc++");
        }
        clang.args(WRAPPED.iter().map(|name| format!("-Wl,--wrap={name}")));
        compile(clang.args(["-lm", "-o"]).arg(program))
    }

    /// The options that ask for the sanitizer.
    fn sanitize(&self) -> Vec<String> {
        match self.sanitizer {
            "" => Vec::new(),
            name => vec![
                format!("-fsanitize={name}"),
                "-fno-sanitize-recover=all".to_owned(),
            ],
        }
    }

    /// The sources as modules in LLVM's text form, with calls at their accesses.
    fn modules(&self, directory: &Path) -> Result<Vec<PathBuf>, Exit> {
        let is_plain = |step: &ReplayStep| access(step).is_some() && !step.atomic;
        let plain = self.steps.iter().any(is_plain);
        let mut sites = BTreeSet::new();
        let mut modules = Vec::new();
        for (number, input) in self.setup.inputs.iter().enumerate() {
            let module = directory.join(format!("{number}.ll"));
            let mut clang = compiler(is_cxx(input))?;
            flags(&mut clang, self.setup, input);
            clang.args(["-O0", "-g", "-pthread", "-Xclang", "-disable-llvm-passes"]);
            clang.args(self.sanitize()).args(["-S", "-emit-llvm"]).arg(input);
            compile(clang.arg("-o").arg(&module))?;
            let text = files::read_text(&module, files::LARGEST)
                .map_err(|error| Exit::output(&format!("cannot read what was compiled: {error}")))?;
            let sited = sited(&text, plain);
            sites.extend(sited.sites);
            write_file(&module, sited.text)
                .map_err(|error| Exit::output(&format!("cannot write a module: {error}")))?;
            modules.push(module);
        }
        for step in self.steps {
            let name = access(step).map(|access| named(access, step));
            if name.is_some_and(|name| !sites.contains(&name)) {
                return Err(unsupported(&refused(step, "an access to memory by the library")));
            }
        }
        Ok(modules)
    }

    /// Whether there is a native program at all.
    fn refuse(&self) -> Result<(), String> {
        let setup = self.setup;
        for input in &setup.inputs {
            if !is_c(input) && !is_cxx(input) {
                return Err(format!(
                    "a native run of {}: only sources in C and C++",
                    input.display()
                ));
            }
        }
        if setup.vm.entry != "main" {
            return Err("a native run that begins elsewhere than in main".to_owned());
        }
        if setup.vm.requests.is_some() {
            return Err("a native run with a stream of requests".to_owned());
        }
        if setup.vm.stdin.is_some() || !setup.vm.files.is_empty() || !setup.vm.tree.is_empty() {
            return Err("a native run with files or a standard input of its own".to_owned());
        }
        if !setup.vm.environment.is_empty() {
            return Err("a native run with an environment of its own".to_owned());
        }
        if !setup.vm.peers.is_empty() {
            return Err("a native run with peers from outside".to_owned());
        }
        let mut names = Names::default();
        for step in self.steps {
            names.follow(step);
        }
        let is_of_several = |input: &&Input| names.several.contains(&input.thread);
        if let Some(input) = self.inputs.iter().find(is_of_several) {
            return Err(format!(
                "a native run with inputs of a thread that has the place of an earlier one (thread {})",
                input.thread
            ));
        }
        // Only calls ask the runtime.
        let outside = |name: &str| name == "stdin" || name.starts_with("argv[") || name.starts_with("file:");
        match self.inputs.iter().find(|input| outside(&input.name)) {
            Some(input) => Err(format!("a native run with the input {}", input.name)),
            None => Ok(()),
        }
    }
}

/// The inputs as a table in C: the file that a test case would be.
fn given(inputs: &[Input]) -> String {
    let test = Ktest {
        args: Vec::new(),
        inputs: inputs.to_vec(),
    };
    let bytes = test.write();
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!(
        "const unsigned char selvedge_ktest[] = {{{}}};\nconst size_t selvedge_ktest_size = {};\n",
        list.join(","),
        bytes.len()
    )
}

/// The threads of a schedule, as a native program names them: each creator counts all that it
/// creates. In the machine, one may have the name of an earlier one that was joined.
#[derive(Default)]
struct Names {
    /// By the machine's name, the native one of the thread that has it now.
    native: BTreeMap<String, String>,
    /// How many threads a thread has created, by its native name.
    created: BTreeMap<String, u32>,
    /// The machine's names that several threads had.
    several: BTreeSet<String>,
}

impl Names {
    /// Follows a step; the native name of its thread.
    fn follow(&mut self, step: &ReplayStep) -> String {
        let known = self.native.get(&step.thread);
        let own = known.unwrap_or(&step.thread).clone();
        if let Some(created) = &step.created {
            let count = self.created.entry(own.clone()).or_default();
            *count += 1;
            let native = format!("{own}.{count}");
            if self.native.insert(created.clone(), native).is_some() {
                self.several.insert(created.clone());
            }
        }
        own
    }
}

/// The schedule as tables in C.
fn tables(steps: &[ReplayStep]) -> Result<String, String> {
    let mut names = vec!["0".to_owned()];
    let mut known = Names::default();
    let mut rows = String::new();
    let mut count = 0;
    for step in steps {
        let own = known.follow(step);
        let Some(what) = word(step).map_err(|what| refused(step, what))? else {
            continue;
        };
        let thread = names.iter().position(|name| *name == own).unwrap_or_else(|| {
            names.push(own);
            names.len() - 1
        });
        let what: String = what.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        let _ = writeln!(rows, "    {{{thread}, \"{what}\", {}}},", u8::from(step.failed));
        count += 1;
    }
    // The text of a name is digits and dots.
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    Ok(format!(
        "const struct step selvedge_order[] = {{\n{rows}    {{0, \"\", 0}},\n}};\nconst unsigned selvedge_steps = {count};\n\
         const char *const selvedge_names[] = {{{}}};\nconst unsigned selvedge_threads = {};\n",
        names.join(", "),
        names.len()
    ))
}

/// Why there is no native run, with the step.
fn refused(step: &ReplayStep, what: &str) -> String {
    let at = &step.location;
    format!(
        "a native run with {what} ({}:{}: {})",
        at.file, at.line, step.text
    )
}

/// What the rewritten module calls an access.
const fn access(step: &ReplayStep) -> Option<&'static str> {
    match step.op {
        Op::Read if step.atomic => Some("atomic read"),
        Op::Write if step.atomic => Some("atomic write"),
        Op::Read => Some("read"),
        Op::Write => Some("write"),
        Op::Rmw | Op::Add => Some("rmw"),
        _ => None,
    }
}

fn named(access: &str, step: &ReplayStep) -> String {
    site(
        access,
        &step.location.file,
        step.location.line,
        step.location.column,
    )
}

/// What the wrappers call an operation; `None` if no call makes it.
///
/// # Errors
/// No wrapper orders it, in words.
fn word(step: &ReplayStep) -> Result<Option<String>, &'static str> {
    if let Some(access) = access(step) {
        return match step.alternative {
            0 => Ok(Some(named(access, step))),
            _ => Err("a weak compare-exchange that fails without a cause"),
        };
    }
    call(step.op).map(|word| word.map(str::to_owned))
}

fn call(op: Op) -> Result<Option<&'static str>, &'static str> {
    Ok(Some(match op {
        Op::Start => "start",
        Op::Spawn => "create",
        Op::Join => "join",
        Op::Detach => "detach",
        Op::Exit => "end",
        Op::Lock => "lock",
        Op::Unlock => "unlock",
        Op::TryLock => "trylock",
        Op::Init => "init",
        Op::Destroy => "destroy",
        Op::SpinLock => "spinlock",
        Op::SpinTryLock => "spintrylock",
        Op::SpinUnlock => "spinunlock",
        Op::RdLock => "rdlock",
        Op::TryRdLock => "tryrdlock",
        Op::WrLock => "wrlock",
        Op::TryWrLock => "trywrlock",
        Op::RdUnlock | Op::WrUnlock => "rwunlock",
        Op::WaitRelease => "wait",
        Op::WaitAcquire => "wake",
        Op::Signal => "signal",
        Op::Broadcast => "broadcast",
        Op::SemPost => "sempost",
        Op::SemWait => "semwait",
        Op::SemTryWait => "semtrywait",
        Op::BarrierArrive => "arrive",
        Op::BarrierLeave => "leave",
        Op::WaitTimeout => "timeout",
        Op::Yield => "yield",
        Op::OnceEnter => "once",
        Op::OnceDone => "once done",
        Op::AtomicBlock => "block",
        // They say which execution it is, and are decided by the inputs; nothing waits for the end.
        Op::Assume | Op::Choose | Op::ProcessExit => return Ok(None),
        Op::TimedLock | Op::TimedRdLock | Op::TimedWrLock | Op::SemTimedWait => {
            return Err("an operation with a deadline");
        }
        Op::Cancel | Op::CancelPoint => return Err("cancellation"),
        _ => return Err("an operation that cannot be ordered"),
    }))
}
