//! Several workers give what one gives; sampling finds only what can be reached.

use crate::common::{asserts, never, run, truth};
use selvedge_base::usual_or_long;
use selvedge_explore::dpor::Weaken;
use selvedge_explore::{Config, Control, Report, Stop, pct, random};
use selvedge_model::toy::{Toy, ToyMachine, random_toy};
use selvedge_model::{Conflict, NoDetector, StopReason, Verdict};

fn with(toy: &Toy, config: &Config) -> Report {
    run(toy, false, &Conflict, config, Weaken::Nothing).1
}

#[test]
fn workers_report_what_one_reports() {
    let mut compared = 0;
    for seed in 0..usual_or_long(250, 600) {
        let toy = random_toy(seed);
        let bounded = with(
            &toy,
            &Config {
                max_executions: Some(2_000),
                ..never()
            },
        );
        if bounded.stop != StopReason::Complete {
            continue;
        }
        for sleep_sets in [true, false] {
            for stop in [Stop::Never, Stop::First] {
                if !sleep_sets && bounded.statistics.executions > 50 {
                    continue;
                }
                let config = Config {
                    stop,
                    sleep_sets,
                    ..Config::default()
                };
                let one = with(&toy, &config);
                for jobs in 2..=4 {
                    let many = with(
                        &toy,
                        &Config {
                            jobs,
                            ..config.clone()
                        },
                    );
                    assert_eq!(
                        many,
                        one,
                        "seed {seed}, {jobs} jobs, sleep sets {sleep_sets}: {}",
                        toy.to_json()
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 400);
}

#[test]
fn workers_report_what_one_reports_on_a_large_search() {
    let code = r#"[["read", "x", "r"], ["write", "x", "r"], ["read", "y", "q"], ["assert", "q", 0], ["write", "y", 1]]"#;
    let json = format!(
        r#"{{"vars": {{"x": 0, "y": 0}}, "threads": [{}]}}"#,
        [code; 3].join(",")
    );
    let toy = Toy::parse(&json).expect("a toy");
    let one = with(&toy, &never());
    assert!(one.statistics.executions > 500, "{:?}", one.statistics);
    for jobs in [2, 3, 4] {
        assert_eq!(with(&toy, &Config { jobs, ..never() }), one, "{jobs} jobs");
    }
    let first = with(&toy, &Config::default());
    assert_eq!(first.stop, StopReason::Finding);
    for jobs in [2, 3, 4] {
        assert_eq!(
            with(
                &toy,
                &Config {
                    jobs,
                    ..Config::default()
                }
            ),
            first,
            "{jobs} jobs, first"
        );
    }
}

#[test]
fn samples_find_only_what_can_be_reached() {
    let make = |toy: &Toy| (ToyMachine::new(toy).expect("compiles"), NoDetector);
    let mut found = [0; 2];
    for seed in 0..300 {
        let toy = random_toy(seed);
        let Some((_, failed)) = truth(&toy) else { continue };
        let config = Config {
            max_executions: Some(50),
            seed,
            ..never()
        };
        for (strategy, found) in found.iter_mut().enumerate() {
            let report = match strategy {
                0 => random::explore(&|| make(&toy), &config, &Control::new()),
                _ => pct::explore(&|| make(&toy), &config, &Control::new()),
            };
            assert_ne!(report.verdict(), Verdict::Verified);
            assert_eq!(report.statistics.executions, 50);
            let seen = asserts(&report);
            assert!(seen.is_subset(&failed), "seed {seed}: {seen:?} of {failed:?}");
            *found += seen.len();
        }
    }
    assert!(found.iter().all(|&n| n > 10), "{found:?}");
}
