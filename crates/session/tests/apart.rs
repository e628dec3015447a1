//! Explorations in parts, by workers that get nothing but data, report what explorations here
//! report.

use selvedge_base::StmtId;
use selvedge_explore::Stop;
use selvedge_explore::kept::{Common, Next, Part, Progress, Tree};
use selvedge_model::{Limit, Property, StopReason, Verdict};
use selvedge_session::apart::{Elsewhere, Explored, Made, Outcome, Phase, Task, Terms};
use selvedge_session::{
    Checked, Dependence, Error, Options, PartsWorker, Source, Strategy, Symmetry, Unobserved, check,
    check_apart,
};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Two workers that take turns, with a few executions in each part.
struct InTurns {
    parts: AtomicUsize,
}

/// A source of one part.
struct One {
    part: Mutex<Option<Part>>,
    made: Mutex<Option<Made>>,
    wanted: AtomicUsize,
    left: AtomicUsize,
}

impl Source for One {
    fn next(&self) -> Option<Part> {
        self.part.lock().unwrap().take()
    }
    fn made(&self, made: Made) {
        *self.made.lock().unwrap() = Some(made);
    }
    fn wanted(&self) -> usize {
        self.wanted.load(Relaxed)
    }
    fn gave(&self, units: usize) {
        let wanted = self.wanted.fetch_sub(units, Relaxed);
        assert!(
            wanted >= units,
            "{units} units were given away, and {wanted} wanted"
        );
    }
    fn is_due(&self) -> bool {
        self.left.fetch_sub(1, Relaxed) == 1
    }
}

/// What another machine would read.
fn travelled<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    postcard::from_bytes(&postcard::to_allocvec(value).unwrap()).unwrap()
}

fn explore(worker: &PartsWorker, common: &Common, task: Task, number: usize) -> Made {
    match travelled(&task) {
        Task::Part(part) => {
            let one = One {
                part: Mutex::new(Some(part)),
                made: Mutex::default(),
                wanted: AtomicUsize::new(number % 3),
                left: AtomicUsize::new(2 + number % 5),
            };
            worker.explore(&travelled(common), &one);
            travelled(&one.made.into_inner().unwrap().unwrap())
        }
        Task::Sample(state) => {
            let left = AtomicUsize::new(30);
            let is_due = || left.fetch_sub(1, Relaxed) == 1;
            travelled(&worker.sample(state, &is_due))
        }
    }
}

impl Elsewhere for InTurns {
    fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error> {
        let module = Terms::module_bytes(phase.module)?;
        let terms = travelled(&phase.terms);
        let mut tree = Tree::new(phase.common());
        let mut sample = None;
        let mut regions: Option<Vec<(u32, u32)>> = None;
        let mut workers: [Option<PartsWorker>; 2] = [None, None];
        for number in self.parts.load(Relaxed).. {
            self.parts.store(number + 1, Relaxed);
            let known = regions.clone().unwrap_or_default();
            let slot = &mut workers[number % 2];
            if slot.as_ref().is_none_or(|worker| !worker.has_regions(&known)) {
                *slot = Some(PartsWorker::new(&module, &terms, &known)?);
            }
            let worker = slot.as_ref().unwrap();
            let (id, task) = match phase.samples() {
                true => (0, Task::Sample(sample.clone())),
                false => {
                    let all: Vec<u64> = tree.ready().collect();
                    let id = all[number % all.len()];
                    (id, Task::Part(tree.hand_out(id).unwrap()))
                }
            };
            let made = explore(worker, tree.common(), task, number);
            phase.learn(&made.learned);
            regions.get_or_insert(made.learned.regions);
            match made.outcome {
                Outcome::Failed(failure) => return Ok(phase.fail(failure)),
                Outcome::Misfit(what) => return Err(Error::Internal(what)),
                Outcome::Sample(state) => sample = Some(state),
                Outcome::Sampled(record, halt) => {
                    let stop = match halt {
                        selvedge_explore::kept::UnitHalt::Limit(limit) => StopReason::Limit(limit),
                        _ => StopReason::Finding,
                    };
                    return Ok(Explored::Report(Box::new(record.report(stop))));
                }
                Outcome::Part(Progress::Stopped) => panic!("nobody has stopped it"),
                Outcome::Part(progress) => match tree.put(id, progress, &made.common).unwrap() {
                    Next::GoOn(_) => {}
                    Next::Ended => {
                        let limit = Limit::stopped(StmtId(0));
                        return Ok(Explored::Report(Box::new(tree.report(StopReason::Limit(limit)))));
                    }
                    Next::Again(common) => {
                        tree = Tree::new(common);
                        workers = [None, None];
                        regions = None;
                    }
                },
            }
        }
        unreachable!()
    }
}

/// What does not depend on caches, on the machine, or on the time.
fn compared(checked: &Checked) -> String {
    let report = &checked.report;
    let counts = &report.statistics;
    let findings = report.findings.iter();
    let findings: Vec<_> = findings.map(|one| (&one.finding, &one.schedule)).collect();
    format!(
        "{:?} {:?} {} {} {:?} {:#?}",
        report.verdict,
        report.reasons,
        report.dependence,
        report.visibility,
        (
            counts.executions,
            counts.redundant_executions,
            counts.events,
            counts.max_depth,
            counts.threads,
            counts.choices,
        ),
        findings,
    )
}

/// Checks a program here and in parts; the number of parts.
fn same(file: &str, change: impl Fn(&mut Options)) -> (Verdict, usize) {
    let mut options = Options {
        strategy: Some(Strategy::Dpor),
        jobs: Some(1),
        ..Options::default()
    };
    options.setup.frontend.define = vec!["N=4".to_owned()];
    change(&mut options);
    options.setup.inputs = vec![
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../../")
            .join(file),
    ];
    let program = options.setup.load().unwrap();
    let here = check(&program, &options, &Unobserved).unwrap_or_else(|error| panic!("{file}: {error}"));
    let turns = InTurns {
        parts: AtomicUsize::new(0),
    };
    let apart =
        check_apart(&program, &options, &Unobserved, &turns).unwrap_or_else(|e| panic!("{file}: {e}"));
    assert_eq!(compared(&apart), compared(&here), "{file}");
    (apart.report.verdict, turns.parts.into_inner())
}

#[test]
fn a_search_in_parts_reports_what_a_search_here_reports() {
    use Verdict::{Verified, Violated};
    let all = |options: &mut Options| options.stop = Stop::Never;
    let mut parts = 0;
    for (file, expected) in [
        ("examples/bank_transfer.c", Violated),
        ("examples/lost_wakeup.c", Violated),
        ("corpus/c/assertion/block_by_input.c", Violated),
        ("corpus/c/race/blocks_of_two_classes.c", Violated),
        ("corpus/c/assertion/block_at_a_hidden_address.c", Violated),
        ("corpus/c/safe/blocks_beside_atomics.c", Verified),
        ("corpus/c/safe/symbolic_input.c", Verified),
        ("corpus/inputs/race/element_by_input_of_thread.c", Violated),
        ("corpus/inputs/assertion/two_inputs_and_schedule.c", Violated),
    ] {
        for stop in [Stop::First, Stop::Never] {
            let (verdict, count) = same(file, |options| options.stop = stop);
            assert_eq!(verdict, expected, "{file}");
            parts += count;
        }
    }
    same("examples/bank_transfer.c", |options| {
        all(options);
        options.visibility = selvedge_session::Visibility::Memory;
        options.max_executions = Some(50);
    });
    let one_mutex = |options: &mut Options| options.stop = Stop::Never;
    parts += same("benches/one_mutex.c", one_mutex).1;
    parts += same("benches/one_mutex.c", |options| {
        options.stop = Stop::Never;
        options.symmetry = Symmetry::Off;
    })
    .1;
    parts += same("examples/work_stealing.c", one_mutex).1;
    println!("{parts} parts");
    assert!(parts > 60, "{parts}");
}

#[test]
fn predicate_dependence_in_parts_reports_what_it_reports_here() {
    let asked = |options: &mut Options| {
        options.dependence = Dependence::Predicate;
        options.properties = [Property::Assertion, Property::Deadlock, Property::Pthread].into();
        options.stop = Stop::Never;
    };
    let mut parts = 0;
    for file in [
        "examples/bank_transfer.c",
        "examples/lost_wakeup.c",
        "benches/one_mutex.c",
    ] {
        parts += same(file, asked).1;
    }
    assert!(parts > 3, "{parts}");
}

#[test]
fn a_sample_in_parts_reports_what_a_sample_here_reports() {
    for strategy in [Strategy::Random, Strategy::Pct] {
        let (_, parts) = same("examples/bank_transfer.c", |options| {
            options.strategy = Some(strategy);
            options.stop = Stop::Never;
            options.max_executions = Some(200);
        });
        assert!(parts > 3, "{parts}");
    }
}

#[test]
fn what_is_of_something_else_is_refused() {
    let mut options = Options::default();
    options.setup.inputs =
        vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/bank_transfer.c")];
    let program = options.setup.load().unwrap();
    struct Refused;
    impl Elsewhere for Refused {
        fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error> {
            let module = Terms::module_bytes(phase.module)?;
            let terms = &phase.terms;
            let refused =
                |module: &[u8], terms: &Terms, word: &str| match PartsWorker::new(module, terms, &[]) {
                    Err(error) => assert!(error.to_string().contains(word), "{error}"),
                    Ok(_) => panic!("{word}"),
                };
            let mut other = terms.clone();
            other.tool = "0.0.0".to_owned();
            refused(&module, &other, "version 0.0.0");
            refused(&module[1..], terms, "another program");
            // Nothing that a stranger may send makes a worker panic.
            let mut rng = fastrand::Rng::with_seed(7);
            for _ in 0..300 {
                let mut bytes = module.clone();
                for _ in 0..rng.usize(1..4) {
                    let at = rng.usize(0..bytes.len());
                    bytes[at] = rng.u8(..);
                }
                let mut terms = terms.clone();
                terms.program = selvedge_session::apart::hash(&bytes);
                let _ = PartsWorker::new(&bytes, &terms, &[]);
            }
            Err(Error::Program("as expected".to_owned()))
        }
    }
    let error = check_apart(&program, &options, &Unobserved, &Refused)
        .err()
        .unwrap();
    assert_eq!(error, Error::Program("as expected".to_owned()));
}
