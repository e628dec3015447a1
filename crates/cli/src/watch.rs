//! The watcher: a thread beside the whole run that holds its limits of time and memory and hears
//! Ctrl-C.
//!
//! When a limit is reached it sets the [stop flag](StopFlag), which every long loop looks at, and
//! the run concludes by itself with what it knows. That is how runs end. What does not look at the
//! flag (an LLVM call, a loop that nobody thought of, a thread that [waits for
//! memory](crate::memory)) would keep the process alive: if the run has not concluded after
//! [`REACTS`], the watcher writes the report itself, from what the run has left with it, names the
//! place that did not react, and ends the process.
//!
//! Concluding (replaying and shortening what was found) has a limit of its own, which begins when
//! the first one strikes.

#![expect(unsafe_code, reason = "signals")]

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::last_words::{self, report_begins};
use crate::memory;
use crate::output::note;
use crate::write::{Saves, write};
use selvedge_base::{IS_LABORATORY, StopFlag};
use selvedge_explore::{Control, Findings};
use selvedge_model::{Limit, LimitKind, Verdict};
use selvedge_report::{Reason, RunReport, Sources};
use selvedge_session::{Options, unconfirmed};
use selvedge_vm::Program;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How often the watcher looks.
const TICK: Duration = Duration::from_millis(20);
/// After this time a run that was told to stop is ended.
const REACTS: Duration = Duration::from_millis(450);
/// The same where other machines explore, and the run's state is sent to a server first.
const REACTS_AFAR: Duration = Duration::from_secs(15);
/// How long after the limit what was found may still be replayed.
const CONCLUDES: Duration = Duration::from_millis(650);
/// After this time a conclusion that was told to stop is ended.
const REACTS_LATE: Duration = Duration::from_millis(200);

/// What the run does, for the words about a place that did not react.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Loading,
    Preparing,
    Exploring,
    Concluding,
    /// Writing the report: from here on the run ends by itself, as fast as its output is taken.
    Writing,
}

impl Place {
    fn key(self) -> &'static str {
        match self {
            Place::Loading => "loading",
            Place::Preparing => "preparing",
            Place::Exploring => "exploring",
            Place::Concluding => "concluding",
            Place::Writing => "writing",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Place::Loading => "compiling and loading the inputs",
            Place::Preparing => "preparing the program",
            Place::Exploring => "the exploration",
            Place::Concluding => "replaying what was found",
            Place::Writing => "writing the report",
        }
    }
}

/// See the module's documentation.
pub(crate) struct Watch<'a> {
    pub(crate) started: Instant,
    pub(crate) max_time: Option<Duration>,
    pub(crate) max_memory: MemoryLimit,
    pub(crate) progress: bool,
    pub(crate) interrupted: Arc<AtomicBool>,
    /// Set to end the run; everything that takes long looks at it.
    pub(crate) stop: StopFlag,
    pub(crate) args: &'a CheckArgs,
    options: &'a Options,
    /// True if the process ends with the run.
    ends_process: AtomicBool,
    thread: OnceLock<Thread>,
    state: Mutex<State>,
}

/// What the watcher knows of the run.
struct State {
    place: Place,
    /// Why the run ends, and since when that is so.
    limit: Option<(Limit, Instant)>,
    /// Since when the stop flag is set.
    told: Option<Instant>,
    control: Option<Arc<Control>>,
    /// Of each exploration.
    found: Vec<(Arc<Program>, Findings)>,
    /// The report, as far as it is known.
    report: RunReport,
}

/// How much memory the process may have, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryLimit {
    /// `--max-memory`.
    Given(u64),
    /// Nearly all that there is: before the system ends the process, it ends by itself, with what
    /// it has found.
    Machine(u64),
}

impl MemoryLimit {
    /// What was given; else nine tenths of what is free now and what the process's control group
    /// may have.
    pub(crate) fn new(given: Option<u64>) -> MemoryLimit {
        given.map_or_else(
            || MemoryLimit::Machine(memory::free() / 10 * 9),
            MemoryLimit::Given,
        )
    }

    /// The limit in bytes.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            MemoryLimit::Given(bytes) | MemoryLimit::Machine(bytes) => bytes,
        }
    }

    fn name(self) -> String {
        let mebibytes = self.bytes() >> 20;
        match self {
            MemoryLimit::Given(_) => format!("--max-memory of {mebibytes} MiB"),
            MemoryLimit::Machine(_) => {
                format!("nearly all memory that was free at the start, {mebibytes} MiB")
            }
        }
    }
}

impl<'a> Watch<'a> {
    /// A watcher that does not run yet, of a run that ends when `interrupted` is set. `report`:
    /// what is known before anything has happened.
    pub(crate) fn new(
        (args, options): (&'a CheckArgs, &'a Options),
        progress: bool,
        interrupted: Arc<AtomicBool>,
        report: RunReport,
    ) -> Watch<'a> {
        Watch {
            started: Instant::now(),
            max_time: args.max_time,
            max_memory: MemoryLimit::new(args.max_memory),
            progress,
            interrupted,
            stop: options.setup.vm.stop.clone(),
            args,
            options,
            ends_process: AtomicBool::new(false),
            thread: OnceLock::new(),
            state: Mutex::new(State {
                place: Place::Loading,
                limit: None,
                told: None,
                control: None,
                found: Vec::new(),
                report,
            }),
        }
    }

    /// Watches until the report is being written: the thread's body.
    pub(crate) fn run(&self) {
        self.ends_process.store(true, Ordering::Relaxed);
        memory::guard(self.max_memory.bytes());
        self.look_on();
    }

    /// The same for one of several runs of a process: memory is looked at, and not guarded.
    pub(crate) fn look_on(&self) {
        let _ = self.thread.set(std::thread::current());
        let most_mapped = memory::most_mapped();
        let mut unanswered = 0;
        loop {
            std::thread::park_timeout(TICK);
            let Ok(mut state) = self.state.try_lock() else {
                // Held for moments, but by a thread that may wait for memory.
                unanswered += 1;
                if unanswered > 50 && memory::is_refused() {
                    last_words::say(LimitKind::Memory);
                }
                continue;
            };
            unanswered = 0;
            if state.place == Place::Writing {
                return;
            }
            if state.limit.is_none() {
                self.look(&mut state, most_mapped);
            }
            let concludes = state.place == Place::Concluding;
            if let Some(since) = state.limit.as_ref().map(|&(_, since)| since) {
                if concludes && state.told.is_none() && since.elapsed() >= CONCLUDES {
                    self.tell(&mut state);
                }
                let late = since.elapsed() >= CONCLUDES;
                let reacts = if self.args.cluster.is_some() {
                    REACTS_AFAR
                } else {
                    REACTS
                };
                let patience = if concludes && late { REACTS_LATE } else { reacts };
                if state.told.is_some_and(|told| told.elapsed() >= patience) {
                    self.conclude_for_it(&state);
                }
            }
        }
    }

    /// Looks whether a limit is reached.
    fn look(&self, state: &mut State, most_mapped: Option<u64>) {
        let limit = self.reached(most_mapped);
        if let Some((kind, detail)) = limit {
            if let Some(control) = &state.control {
                self.stop_all(control, kind, &detail);
            }
            let limit = Limit {
                detail,
                ..limit_of(kind)
            };
            state.limit = Some((limit, Instant::now()));
            self.tell(state);
        } else if self.memory() >= self.max_memory.bytes() / 4 * 3
            && let Some(control) = &state.control
        {
            control.request_saving();
        }
    }

    /// Stops the explorations.
    fn stop_all(&self, control: &Control, kind: LimitKind, detail: &str) {
        // After the limit of memory, what is freed is needed for the conclusion.
        if self.ends_process.load(Ordering::Relaxed) && kind != LimitKind::Memory {
            control.leave_memory();
        }
        control.request_stop(kind, detail);
    }

    fn tell(&self, state: &mut State) {
        self.stop.set();
        state.told = Some(Instant::now());
    }

    fn reached(&self, most_mapped: Option<u64>) -> Option<(LimitKind, String)> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some((LimitKind::Interrupted, "interrupted by the user".to_owned()));
        }
        if let Some(limit) = self.max_time
            && self.started.elapsed() >= limit
        {
            let detail = format!("--max-time of {} s", limit.as_secs_f64());
            return Some((LimitKind::Time, detail));
        }
        if self.memory() >= self.max_memory.bytes() {
            return Some((LimitKind::Memory, self.max_memory.name()));
        }
        if memory::is_refused() {
            let detail = match self.max_memory {
                MemoryLimit::Given(_) => self.max_memory.name(),
                MemoryLimit::Machine(_) => "the system gave no more memory".to_owned(),
            };
            return Some((LimitKind::Memory, detail));
        }
        if let Some(most) = most_mapped
            && memory::mapped() >= most / 20 * 19
        {
            let detail = format!(
                "the address space that the system allows (ulimit -v), {} MiB",
                most >> 20
            );
            return Some((LimitKind::Memory, detail));
        }
        None
    }

    /// What counts as used: libraries in C and C++ allocate what is not counted, and what is
    /// allocated need not be resident yet.
    fn memory(&self) -> u64 {
        memory::resident().max(memory::allocated() as u64)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// The run goes on with this.
    pub(crate) fn enter(&self, place: Place) {
        let mut state = self.state();
        state.place = place;
        if place == Place::Concluding {
            // All that followed the flag has ended: what was found may be replayed for a while.
            state.control = None;
            state.told = None;
            self.stop.clear();
        }
        drop(state);
        // After the lock is free: the watcher does not wait for it, but looks again a tick later,
        // and the run waits for the watcher.
        if place == Place::Writing {
            self.wake();
        }
        plant(place);
    }

    /// What the report says that nothing more is known of.
    pub(crate) fn knows(&self, report: RunReport) {
        let old = std::mem::replace(&mut self.state().report, report);
        drop(old);
    }

    /// What the report says if the run ends now, with nothing found.
    pub(crate) fn report(&self) -> RunReport {
        self.state().report.clone()
    }

    /// Explorations begin; what stops them all is stopped when the run is.
    pub(crate) fn explores(&self, control: &Arc<Control>) {
        let mut state = self.state();
        state.place = Place::Exploring;
        if let Some((limit, _)) = &state.limit {
            self.stop_all(control, limit.kind, &limit.detail);
        }
        state.control = Some(Arc::clone(control));
        drop(state);
        plant(Place::Exploring);
    }

    /// An exploration begins, which notes what it finds.
    pub(crate) fn finds(&self, program: &Arc<Program>, findings: &Findings) {
        self.state().found.push((Arc::clone(program), findings.clone()));
    }

    /// The most findings that one exploration has so far.
    pub(crate) fn found(&self) -> usize {
        let state = self.state();
        let found = state.found.iter().map(|(_, findings)| findings.count());
        found.max().unwrap_or(0)
    }

    /// Why the run was told to end.
    pub(crate) fn limit(&self) -> Option<Limit> {
        self.state().limit.as_ref().map(|(limit, _)| limit.clone())
    }

    /// Writing begins; false if the watcher writes already, and ends the process.
    pub(crate) fn writes(&self) -> bool {
        self.enter(Place::Writing);
        memory::open();
        report_begins()
    }

    /// Waits until the watcher has ended the process.
    pub(crate) fn wait_for_end(&self) -> ! {
        loop {
            std::thread::sleep(TICK);
        }
    }

    /// Writes the report of a run that does not react, and ends the process.
    fn conclude_for_it(&self, state: &State) -> ! {
        memory::open();
        if !report_begins() {
            // The run writes it just now.
            std::thread::sleep(REACTS);
            last_words::exit(Exit::INCONCLUSIVE.into());
        }
        let code = catch_unwind(AssertUnwindSafe(|| {
            let run = self.report_of(state);
            let code = match run.verdict {
                Verdict::Violated => Exit::VIOLATED,
                _ => Exit::INCONCLUSIVE,
            };
            match write(self.args, &run, &Sources::default(), Saves::Nothing) {
                Ok(()) => code,
                Err(message) => Exit::output(&message).code(),
            }
        }));
        last_words::exit(code.unwrap_or(Exit::INCONCLUSIVE).into())
    }

    /// The report of a run that does not react.
    fn report_of(&self, state: &State) -> RunReport {
        let mut run = state.report.clone();
        let limit = state.limit.as_ref().map(|(limit, _)| limit.clone());
        let limit = limit.unwrap_or_else(|| limit_of(LimitKind::Interrupted));
        let place = state.place.words();
        let why = match memory::is_refused() {
            true => format!("{place} wants more than that and was ended"),
            false => format!(
                "{place} did not react within {} ms and was ended",
                REACTS.as_millis()
            ),
        };
        run.reasons = vec![Reason {
            limit: Some(limit.kind),
            detail: format!("{}; {why}", limit.detail),
            location: None,
        }];
        run.statistics.seconds = self.started.elapsed().as_secs_f64();
        run.statistics.peak_memory_bytes = memory::peak();
        if let Some(control) = &state.control {
            let progress = control.progress();
            run.statistics.executions = progress.executions;
            run.statistics.redundant_executions = progress.redundant_executions;
            run.statistics.events = progress.events;
        }
        let found = state.found.iter();
        let mut found = found.map(|(program, findings)| unconfirmed(self.options, program, findings));
        run.findings = found.find(|findings| !findings.is_empty()).unwrap_or_default();
        run.verdict = match run.findings.is_empty() {
            true => Verdict::Unknown,
            false => Verdict::Violated,
        };
        run
    }
}

/// For tests: a place that is named in the environment never comes to an end.
fn plant(place: Place) {
    if IS_LABORATORY && std::env::var("SELVEDGE_TEST_DEAF").is_ok_and(|deaf| deaf == place.key()) {
        loop {
            std::thread::sleep(REACTS);
        }
    }
}

/// A limit of the whole run, which has no place.
fn limit_of(kind: LimitKind) -> Limit {
    Limit {
        kind,
        detail: String::new(),
        stmt: selvedge_base::StmtId(0),
    }
}

/// Hears Ctrl-C, SIGTERM and SIGHUP: the first ends the run, the second the process.
pub(crate) fn hear(watch: &Watch<'_>, watcher: &Thread) {
    let (interrupted, thread) = (Arc::clone(&watch.interrupted), watcher.clone());
    let heard = AtomicBool::new(false);
    let handler = move || {
        if heard.swap(true, Ordering::Relaxed) {
            last_words::say(LimitKind::Interrupted);
        }
        interrupted.store(true, Ordering::Relaxed);
        thread.unpark();
    };
    let ignored = ignored_signals();
    if let Err(error) = ctrlc::set_handler(handler) {
        note(&format!("warning: Ctrl-C will not end the run cleanly: {error}"));
    }
    for signal in ignored {
        // SAFETY: ignoring a signal runs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Signals that whoever started the process wants ignored (`nohup`).
fn ignored_signals() -> Vec<libc::c_int> {
    let ignored = |&signal: &libc::c_int| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: `action` is valid for writing, and all zeros are a value of it.
        unsafe {
            libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction == libc::SIG_IGN
        }
    };
    [libc::SIGINT, libc::SIGHUP, libc::SIGTERM]
        .into_iter()
        .filter(ignored)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_sets_a_limit_if_nobody_does() {
        assert_eq!(MemoryLimit::new(Some(5 << 20)).name(), "--max-memory of 5 MiB");
        let limit = MemoryLimit::new(None).bytes();
        assert!(limit > memory::resident() && limit < u64::MAX / 2, "{limit}");
    }
}
