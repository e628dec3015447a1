//! The process that divides a run: a session's explorations, by way of a server.

use crate::coordinator::{Coordinator, End, Pace, Subject, Taken};
use crate::left::Left;
use crate::nats::{Answers, Fault, Record, RunState, Server};
use crate::plot::Plot;
use crate::saved::{Ended, Present, Saved};
use crate::wire::{Beat, Hand, Order};
use selvedge_explore::Statistics;
use selvedge_model::LimitKind;
use selvedge_session::Error;
use selvedge_session::apart::{Elsewhere, Explored, Phase, Terms, hash};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the record is written.
const LEASE: Duration = Duration::from_secs(2);

/// A record that does not change for so long has no coordinator.
const ABANDONED: Duration = Duration::from_secs(5);

/// How often the state is saved.
const SAVES: Duration = Duration::from_secs(5);

/// For how long a request is made again before a run has begun.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often the counts are shown.
const SHOWS: Duration = Duration::from_millis(200);

/// For how long answers are waited for before anything else is looked at.
const LOOKS: Duration = Duration::from_millis(40);

/// Divides the explorations of one session.
pub struct Divider<'a> {
    server: &'a Server,
    /// The names of the program's files, for people.
    program: String,
    /// Tells the user something.
    note: &'a (dyn Fn(&str) + Sync),
    pace: Pace,
    run: Mutex<Option<Run>>,
}

/// A run that this process divides.
struct Run {
    name: String,
    revision: u64,
    record: Record,
    saved: Saved,
    incarnation: u64,
}

impl<'a> Divider<'a> {
    /// For a session about some program.
    pub fn new(server: &'a Server, program: String, note: &'a (dyn Fn(&str) + Sync)) -> Divider<'a> {
        Divider {
            server,
            program,
            note,
            pace: Pace::default(),
            run: Mutex::new(None),
        }
    }

    /// Ends the run, after the session: what the server keeps of it is removed, unless it was
    /// stopped. Then the same session goes on with it.
    pub fn finish(&self) {
        let Some(mut run) = self.lock().take() else { return };
        match run.record.state {
            RunState::Stopped => {
                let _ = self.server.write_record(&run.name, &run.record, run.revision);
                let name = &run.name;
                (self.note)(&format!(
                    "note: the run {name} is kept: the same command goes on with it, and `selvedge cluster cancel {name}` removes it"
                ));
            }
            _ => {
                run.record.state = RunState::Done;
                let saved = run.record.saved.take();
                saved.iter().for_each(|name| self.server.forget(name));
                let objects: Vec<String> = run.saved.ended.iter().map(|(terms, _)| terms.clone()).collect();
                for terms in objects {
                    self.server.forget(&object(&run.name, &terms));
                }
                self.server.remove(&run.name);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a run over: one that was stopped, or whose coordinator is gone; or begins one.
    fn take_over(&self, name: String) -> Result<Run, Error> {
        let (mut record, mut revision) = self.record(&name)?;
        if record.state == RunState::Running && record.written > 0 {
            (self.note)(&format!(
                "note: the run {name} was divided by {}: looking whether it still is",
                record.coordinator
            ));
            std::thread::sleep(ABANDONED);
            let (now, present) = self.record(&name)?;
            if present != revision {
                let other = now.coordinator;
                return Err(Error::Usage(format!(
                    "the run {name} is divided by {other}: wait for it, or use `selvedge cluster cancel {name}`"
                )));
            }
            (record, revision) = (now, present);
        }
        let mut saved = Saved::default();
        if let Some(object) = &record.saved
            && record.state != RunState::Cancelled
        {
            let read = self.server.stored(object).map_err(|fault| fault.0);
            match read.and_then(|bytes| Saved::read(&bytes).map_err(|error| error.to_string())) {
                Ok(state) => {
                    (self.note)(&format!("note: going on with the run {name}"));
                    saved = state;
                }
                Err(error) => (self.note)(&format!(
                    "warning: the state of the run {name} cannot be read, so it begins anew: {error}"
                )),
            }
        }
        let incarnation = fastrand::u64(1..);
        let record = Record {
            state: RunState::Running,
            program: self.program.clone(),
            coordinator: here(),
            written: record.written + 1,
            ..record
        };
        let revision = patiently(|| self.write_first(&name, &record, revision))?;
        let revision = revision.ok_or_else(|| overtaken(&name))?;
        Ok(Run {
            name,
            revision,
            record,
            saved,
            incarnation,
        })
    }

    /// A run's record and its revision; those of one that nobody has begun if there is none.
    fn record(&self, name: &str) -> Result<(Record, u64), Error> {
        let (record, revision) = patiently(|| self.server.record(name))?;
        let new = || Record {
            state: RunState::Running,
            program: String::new(),
            coordinator: String::new(),
            written: 0,
            workers: 0,
            open: 0,
            executions: 0,
            events: 0,
            findings: 0,
            saved: None,
        };
        Ok((record.unwrap_or_else(new), revision))
    }

    /// Writes a record, perhaps for the second time because the answer to the first was lost.
    fn write_first(&self, name: &str, record: &Record, revision: u64) -> Result<Option<u64>, Fault> {
        if let Some(revision) = self.server.write_record(name, record, revision)? {
            return Ok(Some(revision));
        }
        let (present, revision) = self.server.record(name)?;
        Ok((present.as_ref() == Some(record)).then_some(revision))
    }

    /// Divides a phase until it is at its end, or stopped.
    fn divide(&self, run: &mut Run, phase: &Phase<'_>, terms: &str) -> Result<Option<End>, Error> {
        let module = Terms::module_bytes(phase.module)?;
        let subject = Subject {
            run: run.name.clone(),
            module: phase.terms.program.clone(),
            terms: terms.to_owned(),
            splits: !phase.samples() && !phase.terms.is_bounded(),
        };
        let bytes = phase.terms.bytes()?;
        for (name, bytes) in [(&subject.module, &module), (&subject.terms, &bytes)] {
            patiently(|| self.server.store(&object(&run.name, name), bytes))?;
        }
        let present = run.saved.present.take().filter(|present| present.terms == terms);
        let (plot, regions) = match present {
            Some(mut present) => {
                present.plot.give_up_all();
                phase.learn(&present.learned);
                (present.plot, present.regions)
            }
            None if phase.samples() => (Plot::sample(), None),
            None => (Plot::search(phase.common()), None),
        };
        let (send, beats) = channel();
        let listening = patiently(|| {
            let send = send.clone();
            self.server.beats(move |beat| {
                let _ = send.send(beat);
            })
        })?;
        self.server.order(&Order::Show);
        run.incarnation = run.incarnation.wrapping_add(1);
        let mut dividing = Dividing {
            divider: self,
            phase,
            terms,
            coordinator: Coordinator::new(self.pace, subject, plot, regions, run.incarnation),
            answers: patiently(|| self.server.answers(&run.name))?,
            beats,
            started: Instant::now(),
            leased: None,
            kept: Instant::now(),
            shows: Instant::now(),
            shown: Statistics::default(),
            workers: 0,
            others: Vec::new(),
            in_trouble: false,
        };
        let end = dividing.until_it_ends(run);
        // What workers still explore of it is of no use.
        self.server.order(&Order::EndOf(run.incarnation));
        let Dividing { answers, .. } = dividing;
        drop(listening);
        self.server.end_answers(answers);
        end
    }
}

/// What is done while a phase is divided.
struct Dividing<'a> {
    divider: &'a Divider<'a>,
    phase: &'a Phase<'a>,
    terms: &'a str,
    coordinator: Coordinator,
    answers: Answers,
    beats: Receiver<Beat>,
    started: Instant,
    leased: Option<Instant>,
    kept: Instant,
    shows: Instant,
    shown: Statistics,
    workers: usize,
    /// Workers of other versions of which the user was told.
    others: Vec<String>,
    in_trouble: bool,
}

impl Dividing<'_> {
    fn until_it_ends(&mut self, run: &mut Run) -> Result<Option<End>, Error> {
        loop {
            if self.phase.control.is_stop_requested() {
                run.record.state = RunState::Stopped;
                self.keep(run);
                return Ok(None);
            }
            self.hear();
            let now = self.now();
            let (hands, orders) = self.coordinator.tick(now);
            for (token, fault) in self.divider.server.hand(&hands) {
                // It may have been handed out; the answer is then of no use.
                self.coordinator.not_handed(token);
                self.trouble(Some(&fault));
            }
            orders.iter().for_each(|order| self.order(order));
            match self.divider.server.take_answers(&self.answers, LOOKS) {
                Err(fault) => {
                    self.trouble(Some(&fault));
                    std::thread::sleep(Duration::from_millis(200));
                }
                Ok(answers) => {
                    self.trouble(None);
                    for answer in answers {
                        let now = self.now();
                        let taken = self.coordinator.take(answer, now);
                        if let Some(end) = self.follow(taken) {
                            self.show();
                            return Ok(Some(end));
                        }
                    }
                }
            }
            if self.shows.elapsed() >= SHOWS {
                self.show();
            }
            if self.kept.elapsed() >= SAVES {
                self.keep(run);
            }
            if self.leased.is_none_or(|at| at.elapsed() >= LEASE) && !self.lease(run)? {
                return Ok(None);
            }
        }
    }

    fn order(&self, order: &Order) {
        match order {
            Order::Split(token, _) => {
                if let Some(worker) = self.coordinator.holder(*token) {
                    self.divider.server.order_to(worker, order);
                }
            }
            _ => self.divider.server.order(order),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn hear(&mut self) {
        let now = self.now();
        while let Ok(beat) = self.beats.try_recv() {
            if beat.tool == env!("CARGO_PKG_VERSION") {
                self.coordinator.hear(&beat, now);
            } else if !self.others.contains(&beat.worker) {
                let Beat { worker, tool, .. } = beat;
                (self.divider.note)(&format!(
                    "warning: the worker {worker} has version {tool} of selvedge, so it gets nothing to do"
                ));
                self.others.push(worker);
            }
        }
    }

    fn follow(&mut self, taken: Taken) -> Option<End> {
        taken.notes.iter().for_each(|note| (self.divider.note)(note));
        if let Some(hand) = &taken.left_out {
            self.keep_left_out(hand);
        }
        if let Some(learned) = taken.learned {
            self.phase.learn(&learned);
        }
        taken
            .orders
            .iter()
            .for_each(|order| self.divider.server.order(order));
        taken.end
    }

    /// Keeps a part that was left out, so that it can be explored alone.
    fn keep_left_out(&self, hand: &Hand) {
        let server = self.divider.server;
        let name = format!("{}-part-{}", hand.run, hand.token);
        let stored = |name: &str| server.stored(&object(&hand.run, name));
        let left = || {
            let left = Left {
                module: stored(&hand.module)?,
                terms: stored(&hand.terms)?,
                hand: hand.bytes().map_err(|error| Fault::of("the part", error))?,
            };
            let bytes = left.bytes().map_err(|error| Fault::of("the part", error))?;
            server.store(&name, &bytes)
        };
        (self.divider.note)(&match left() {
            Ok(()) => format!("note: `selvedge cluster part {name}` explores it alone"),
            Err(fault) => format!("warning: a part that was left out is not kept: {fault}"),
        });
    }

    /// Tells the user when something fails for the first time, and when it works again.
    fn trouble(&mut self, fault: Option<&Fault>) {
        match fault {
            Some(fault) if !self.in_trouble => {
                (self.divider.note)(&format!("warning: the cluster does not answer: {fault}"));
            }
            None if self.in_trouble => (self.divider.note)("note: the cluster answers again"),
            _ => {}
        }
        self.in_trouble = fault.is_some();
    }

    /// Shows the counts, and how many workers there are.
    fn show(&mut self) {
        self.shows = Instant::now();
        let all = self.coordinator.plot().0.statistics();
        let shown = std::mem::replace(&mut self.shown, all);
        let new = |now: u64, then: u64| now.saturating_sub(then);
        let executions = new(all.executions, shown.executions);
        let redundant = new(all.redundant_executions, shown.redundant_executions);
        let events = new(all.events, shown.events);
        if executions + redundant + events > 0 {
            self.phase
                .control
                .add(executions, redundant, events, all.max_depth);
        }
        let workers = self.coordinator.workers();
        if workers != self.workers {
            let parts = self.coordinator.plot().0.counts().open;
            (self.divider.note)(&format!("note: {workers} workers, {parts} parts"));
            self.workers = workers;
        }
    }

    /// Saves the state.
    fn keep(&mut self, run: &mut Run) {
        self.kept = Instant::now();
        self.note_present(run);
        self.trouble_of(save(self.divider.server, run));
    }

    fn note_present(&self, run: &mut Run) {
        let (plot, regions) = self.coordinator.plot();
        run.saved.present = Some(Present {
            terms: self.terms.to_owned(),
            plot: plot.clone(),
            regions: regions.cloned(),
            learned: self.phase.learned(),
        });
    }

    fn trouble_of(&mut self, result: Result<(), Fault>) {
        if let Err(fault) = result {
            self.trouble(Some(&fault));
        }
    }

    /// Writes the record. Returns false if the run was cancelled.
    fn lease(&mut self, run: &mut Run) -> Result<bool, Error> {
        self.leased = Some(Instant::now());
        let counts = self.coordinator.plot().0.counts();
        run.record.written += 1;
        run.record.workers = self.coordinator.workers();
        run.record.open = counts.open;
        run.record.executions = self.shown.executions;
        run.record.events = self.shown.events;
        let server = self.divider.server;
        match server.write_record(&run.name, &run.record, run.revision) {
            Ok(Some(revision)) => run.revision = revision,
            // The lease runs out while the server cannot be reached, for other coordinators, too.
            Err(fault) => self.trouble(Some(&fault)),
            Ok(None) => match server.record(&run.name) {
                Ok((Some(record), _)) if record.state == RunState::Cancelled => {
                    run.record.state = RunState::Cancelled;
                    self.note_present(run);
                    self.phase
                        .control
                        .request_stop(LimitKind::Interrupted, "cancelled by `selvedge cluster cancel`");
                    return Ok(false);
                }
                // The answer to an earlier write was lost.
                Ok((Some(record), revision))
                    if record.coordinator == run.record.coordinator
                        && record.written == run.record.written =>
                {
                    run.revision = revision;
                }
                Ok((Some(record), revision))
                    if record.coordinator == run.record.coordinator
                        && record.written + 1 == run.record.written =>
                {
                    run.revision = revision;
                }
                Ok(_) => return Err(overtaken(&run.name)),
                Err(fault) => self.trouble(Some(&fault)),
            },
        }
        Ok(true)
    }
}

impl Elsewhere for Divider<'_> {
    fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error> {
        let terms = hash(&phase.terms.bytes()?);
        let mut slot = self.lock();
        let run = match &mut *slot {
            Some(run) => run,
            none => none.insert(self.take_over(terms[..16].to_owned())?),
        };
        match run.saved.result(&terms) {
            Some(Ended::Failed(failure)) => return Ok(phase.fail(*failure)),
            Some(Ended::Results(record, halt, learned)) => {
                phase.learn(learned);
                return Ok(Explored::Report(Box::new(Ended::report(record, halt.as_ref()))));
            }
            None => {}
        }
        let end = self.divide(run, phase, &terms)?;
        let ended = match &end {
            // It was stopped, or cancelled.
            None => {
                let limit = phase.control.limit();
                let present = run
                    .saved
                    .present
                    .as_ref()
                    .filter(|present| present.terms == terms);
                let plot =
                    present.map_or_else(|| Plot::search(phase.common()), |present| present.plot.clone());
                return Ok(Explored::Report(Box::new(plot.report(limit))));
            }
            Some(End::Failed(failure)) => Ended::Failed(*failure),
            Some(End::Report(report)) => Ended::of(report, phase.learned()),
        };
        run.saved.ended.push((terms, ended));
        run.saved.present = None;
        if let Err(fault) = save(self.server, run) {
            (self.note)(&format!("warning: the state of the run cannot be saved: {fault}"));
        }
        Ok(match end {
            Some(End::Failed(failure)) => phase.fail(failure),
            Some(End::Report(report)) => Explored::Report(report),
            None => return Err(Error::Internal("a run without an end".to_owned())),
        })
    }
}

/// Saves the state of a run under a new name, and removes the old one.
fn save(server: &Server, run: &mut Run) -> Result<(), Fault> {
    let bytes = run.saved.bytes().map_err(|error| Fault(error.to_string()))?;
    let name = format!(
        "{}-state-{:016x}-{}",
        run.name, run.incarnation, run.record.written
    );
    server.store(&name, &bytes)?;
    let old = run.record.saved.replace(name.clone());
    run.record.written += 1;
    match server.write_record(&run.name, &run.record, run.revision)? {
        Some(revision) => run.revision = revision,
        // The next lease finds out why.
        None => {
            run.record.saved = old;
            server.forget(&name);
            return Ok(());
        }
    }
    old.filter(|old| *old != name)
        .iter()
        .for_each(|old| server.forget(old));
    Ok(())
}

/// The name of a run's object.
pub(crate) fn object(run: &str, hash: &str) -> String {
    format!("{run}-{hash}")
}

/// A name for this process. Each call returns another one: processes in containers may have the
/// same host and number.
pub(crate) fn here() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}.{}-{:08x}", host.trim(), std::process::id(), fastrand::u32(..))
}

/// Asks again if the server does not answer, for a while: connections are made again.
fn patiently<T>(ask: impl Fn() -> Result<T, Fault>) -> Result<T, Error> {
    let begun = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return Ok(answer),
            Err(fault) if begun.elapsed() >= PATIENCE => {
                return Err(Error::Output(format!("the cluster: {fault}")));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

fn overtaken(name: &str) -> Error {
    Error::Output(format!("another process divides the run {name} now"))
}
