//! An exploration that is interrupted, written down, read again and gone on with reports what one
//! without interruption reports. What is left out of the state is noticed.

use crate::common::never;
use selvedge_base::{ContextId, usual_or_long};
use selvedge_detect::DeadlockDetector;
use selvedge_explore::kept::{Begun, Keeper, Kept, Misfit, Product, State, UnitState};
use selvedge_explore::{Config, Control, Report, Stop, dpor, pct, random};
use selvedge_model::toy::{Toy, ToyMachine, mixed_toy, random_toy};
use selvedge_model::{LimitKind, StopReason};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Keeps the state after so many questions, and ends the run.
struct Interrupts<'a> {
    after: u64,
    asked: AtomicU64,
    control: &'a Control,
    state: Mutex<Option<State>>,
}

impl Keeper for Interrupts<'_> {
    fn is_due(&self) -> bool {
        self.asked.fetch_add(1, Relaxed) >= self.after && !self.control.is_stop_requested()
    }

    fn keep(&self, state: State) {
        self.control.request_stop(LimitKind::Interrupted, "kept");
        self.state.lock().expect("no panic").get_or_insert(state);
    }
}

#[derive(Clone, Copy, Debug)]
enum Strategy {
    Dpor,
    Random,
    Pct,
}

fn explore(
    strategy: Strategy,
    toy: &Toy,
    config: &Config,
    control: &Control,
    kept: Kept<'_>,
) -> Result<Report, Misfit> {
    let make = || (ToyMachine::new(toy).expect("compiles"), DeadlockDetector::new());
    let report = match strategy {
        Strategy::Dpor => dpor::explore_kept(&make, config, control, kept),
        Strategy::Random => random::explore_kept(&make, config, control, kept),
        Strategy::Pct => pct::explore_kept(&make, config, control, kept),
    };
    report.map(without_contexts)
}

/// Contexts are numbers of a machine that is gone.
fn without_contexts(mut report: Report) -> Report {
    for found in &mut report.faults {
        found.fault.context = ContextId(0);
        found.fault.related.iter_mut().for_each(|r| r.2 = ContextId(0));
    }
    report
}

/// As another process would read it.
fn travelled(state: &State) -> State {
    let text = serde_json::to_string(state).expect("a state can be written");
    serde_json::from_str(&text).expect("what was written can be read")
}

/// Explores with an interruption after each `every` questions, and from a changed state if asked
/// for; how often it was interrupted.
fn in_pieces(
    strategy: Strategy,
    toy: &Toy,
    config: &Config,
    every: u64,
    change: &dyn Fn(&mut State),
) -> Result<(Report, u32), Misfit> {
    let mut from: Option<State> = None;
    for interruptions in 0.. {
        let control = Control::new();
        let keeper = Interrupts {
            after: every,
            asked: AtomicU64::new(0),
            control: &control,
            state: Mutex::default(),
        };
        let kept = Kept {
            from: from.as_ref(),
            keeper: Some(&keeper),
        };
        // Findings are told by each process anew.
        let config = Config {
            findings: selvedge_explore::Findings::new(),
            ..config.clone()
        };
        let report = explore(strategy, toy, &config, &control, kept)?;
        match keeper.state.into_inner().expect("no panic") {
            None => return Ok((report, interruptions)),
            Some(state) => {
                let mut state = travelled(&state);
                change(&mut state);
                from = Some(state);
            }
        }
    }
    unreachable!("it comes to its end")
}

fn small(toy: &Toy, most: u64) -> bool {
    let config = Config {
        max_executions: Some(most),
        ..never()
    };
    let report = explore(Strategy::Dpor, toy, &config, &Control::new(), Kept::default());
    report.expect("from the beginning").stop == StopReason::Complete
}

#[test]
fn an_interrupted_search_reports_what_an_uninterrupted_one_reports() {
    let (mut interrupted, mut units) = (0, 0);
    for seed in 0..usual_or_long(70, 200) {
        for toy in [random_toy(seed), mixed_toy(seed)] {
            if !small(&toy, 300) {
                continue;
            }
            for (stop, sleep_sets) in [(Stop::Never, true), (Stop::Never, false), (Stop::First, true)] {
                let config = Config {
                    stop,
                    sleep_sets,
                    ..Config::default()
                };
                if !sleep_sets && seed % 4 != 0 {
                    continue;
                }
                let whole = explore(Strategy::Dpor, &toy, &config, &Control::new(), Kept::default());
                let whole = whole.expect("from the beginning");
                for (every, jobs) in [(1, 1), (3, 1), (1, 2), (2, 3), (7, 2)] {
                    let config = Config {
                        jobs,
                        ..config.clone()
                    };
                    let count = Mutex::new(0);
                    let look = |state: &mut State| *count.lock().expect("no panic") += given(state);
                    let pieces = in_pieces(Strategy::Dpor, &toy, &config, every, &look);
                    let (report, times) = pieces.expect("its own state fits");
                    assert_eq!(
                        report,
                        whole,
                        "seed {seed}, each {every}, {jobs} jobs, {stop:?}, sleep sets {sleep_sets}: {}",
                        toy.to_json()
                    );
                    interrupted += times;
                    units += count.into_inner().expect("no panic");
                }
            }
        }
    }
    println!("{interrupted} interruptions, {units} units");
    assert!(interrupted > 3_000 && units > 30, "{interrupted} {units}");
}

/// How many units a state has that were given away.
fn given(state: &State) -> usize {
    fn of(begun: &Begun) -> usize {
        let inner = begun.given.iter().map(|given| match &given.unit.state {
            UnitState::Begun(begun) => of(begun),
            _ => 0,
        });
        begun.given.len() + inner.sum::<usize>()
    }
    match state {
        State::Search(search) => of(&search.root),
        State::Sample(_) => 0,
    }
}

/// Three threads with the same code, and 1,296 executions.
fn three_alike() -> Toy {
    let code = r#"[["read", "x", "r"], ["write", "x", "r"], ["read", "y", "q"], ["assert", "q", 0], ["write", "y", 1]]"#;
    let json = format!(
        r#"{{"vars": {{"x": 0, "y": 0}}, "threads": [{}]}}"#,
        [code; 3].join(",")
    );
    Toy::parse(&json).expect("a toy")
}

#[test]
fn a_search_goes_on_with_another_number_of_workers() {
    let toy = three_alike();
    let whole = explore(Strategy::Dpor, &toy, &never(), &Control::new(), Kept::default()).expect("fits");
    let mut units = 0;
    let cases = [
        (50, 3, 1),
        (200, 2, 1),
        (300, 4, 2),
        (400, 2, 3),
        (100, 1, 3),
        (600, 3, 1),
    ];
    // Whether a worker has something of another one when a search is interrupted depends on the
    // time that the system gives it.
    for (n, (after, first, second)) in cases.into_iter().cycle().enumerate() {
        if n >= cases.len() && units > 0 {
            return;
        }
        assert!(n < 50 * cases.len(), "no search was interrupted between workers");
        let control = Control::new();
        let keeper = Interrupts {
            after,
            asked: AtomicU64::new(0),
            control: &control,
            state: Mutex::default(),
        };
        let kept = Kept {
            from: None,
            keeper: Some(&keeper),
        };
        let config = Config {
            jobs: first,
            ..never()
        };
        explore(Strategy::Dpor, &toy, &config, &control, kept).expect("fits");
        let state = keeper.state.into_inner().expect("no panic").expect("it was kept");
        let state = travelled(&state);
        units += given(&state);
        let kept = Kept {
            from: Some(&state),
            keeper: None,
        };
        let config = Config {
            jobs: second,
            ..never()
        };
        let report = explore(Strategy::Dpor, &toy, &config, &Control::new(), kept).expect("fits");
        assert_eq!(report, whole, "after {after}, {first} and {second} workers");
    }
}

#[test]
fn an_interrupted_sample_reports_what_an_uninterrupted_one_reports() {
    for seed in 0..60 {
        let toy = random_toy(seed);
        let config = Config {
            max_executions: Some(40),
            deepens: seed % 2 == 0,
            seed,
            ..never()
        };
        for strategy in [Strategy::Random, Strategy::Pct] {
            let whole = explore(strategy, &toy, &config, &Control::new(), Kept::default()).expect("fits");
            for every in [1, 5, 17] {
                let pieces = in_pieces(strategy, &toy, &config, every, &|_| {});
                let (report, times) = pieces.expect("its own state fits");
                assert!(times > 0);
                assert_eq!(report, whole, "seed {seed}, {strategy:?}, each {every}");
            }
        }
    }
}

/// A part of a state that is left out.
type Leaves = fn(&mut Begun);

/// Does something to everything that was begun.
fn everywhere(begun: &mut Begun, change: Leaves) {
    change(begun);
    for given in &mut begun.given {
        if let UnitState::Begun(inner) = &mut given.unit.state {
            everywhere(inner, change);
        }
    }
}

#[test]
fn what_is_left_out_of_a_state_is_noticed() {
    let parts: [Leaves; 5] = [
        // Sleep sets.
        |begun| begun.nodes.iter_mut().for_each(|node| node.sleep.clear()),
        // Threads that were added.
        |begun| begun.nodes.iter_mut().for_each(|node| node.added.clear()),
        // Entries to come.
        |begun| begun.nodes.iter_mut().for_each(|node| node.later.clear()),
        // Findings.
        |begun| begun.product.record.faults.clear(),
        // Counts.
        |begun| begun.product.record.statistics = Default::default(),
    ];
    let mut noticed = [0; 6];
    let mut compared = 0;
    for seed in 0..300 {
        let toy = random_toy(seed);
        if !small(&toy, 200) {
            continue;
        }
        compared += 1;
        let whole = explore(Strategy::Dpor, &toy, &never(), &Control::new(), Kept::default()).expect("fits");
        let notices = |change: &dyn Fn(&mut State)| {
            let pieces = in_pieces(Strategy::Dpor, &toy, &never(), 3, change);
            usize::from(pieces.is_err() || pieces.is_ok_and(|(report, _)| report != whole))
        };
        for (number, &change) in parts.iter().enumerate() {
            noticed[number] += notices(&|state| {
                if let State::Search(search) = state {
                    everywhere(&mut search.root, change);
                }
            });
        }
        noticed[5] += notices(&|state| {
            if let State::Search(search) = state {
                search.contended.clear();
            }
        });
    }
    println!("of {compared}: {noticed:?}");
    assert!(noticed.iter().all(|&n| n > 0), "of {compared}: {noticed:?}");
}

/// What came of units that are done, or of those that are not, is left out.
#[test]
fn what_is_left_out_of_units_is_noticed() {
    let parts: [fn(&mut Product); 2] = [
        |product| product.requests.clear(),
        |product| product.record = Default::default(),
    ];
    fn in_units(begun: &mut Begun, change: fn(&mut Product)) {
        for given in &mut begun.given {
            match &mut given.unit.state {
                UnitState::Waiting => {}
                UnitState::Begun(inner) => {
                    change(&mut inner.product);
                    in_units(inner, change);
                }
                UnitState::Done(done) => change(&mut done.product),
            }
        }
    }
    let toys: Vec<Toy> = (0..).map(random_toy).filter(is_large).take(30).collect();
    for (number, &change) in parts.iter().enumerate() {
        let config = Config { jobs: 4, ..never() };
        let is_noticed = |toy: &Toy, every: u64| {
            let whole = explore(Strategy::Dpor, toy, &never(), &Control::new(), Kept::default());
            let pieces = in_pieces(Strategy::Dpor, toy, &config, every, &|state| {
                if let State::Search(search) = state {
                    in_units(&mut search.root, change);
                }
            });
            pieces.is_err() || pieces.ok().map(|(report, _)| report) != whole.ok()
        };
        // Which units there are when depends on the machine.
        let noticed = (0..100).any(|round| toys.iter().any(|toy| is_noticed(toy, 2 + round % 9)));
        assert!(noticed, "part {number}");
    }
}

/// Whether it has some hundreds of executions.
fn is_large(toy: &Toy) -> bool {
    !small(toy, 200) && small(toy, 800)
}

#[test]
fn a_state_of_something_else_is_refused() {
    let (one, other) = (random_toy(3), random_toy(4));
    let mut states = Vec::new();
    for strategy in [Strategy::Dpor, Strategy::Random] {
        let control = Control::new();
        let keeper = Interrupts {
            after: 1,
            asked: AtomicU64::new(0),
            control: &control,
            state: Mutex::default(),
        };
        let kept = Kept {
            from: None,
            keeper: Some(&keeper),
        };
        explore(strategy, &one, &never(), &control, kept).expect("fits");
        states.push(keeper.state.into_inner().expect("no panic").expect("it was kept"));
    }
    let from = |strategy, toy: &Toy, state: &State| {
        let kept = Kept {
            from: Some(state),
            keeper: None,
        };
        explore(strategy, toy, &never(), &Control::new(), kept)
    };
    assert!(from(Strategy::Random, &one, &states[0]).is_err());
    assert!(from(Strategy::Dpor, &one, &states[1]).is_err());
    // Whatever numbers are in it, there is no panic.
    let rng = &mut fastrand::Rng::with_seed(7);
    let text = serde_json::to_string(&states[0]).expect("a state can be written");
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..3_000 {
        let bytes = text.as_bytes();
        let at = rng.usize(0..bytes.len());
        let mut changed = bytes.to_vec();
        if !changed[at].is_ascii_digit() {
            continue;
        }
        changed[at] = b'0' + rng.u8(0..10);
        let Ok(state) = serde_json::from_slice::<State>(&changed) else {
            continue;
        };
        for toy in [&one, &other] {
            match from(Strategy::Dpor, toy, &state) {
                Ok(_) => taken += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 100 && taken > 100, "{refused} {taken}");
}
