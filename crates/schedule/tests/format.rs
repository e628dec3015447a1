//! The text format: round trips, errors with their line, and no panic on anything.

use proptest::prelude::*;
use selvedge_schedule::{Problem, Schedule, Step, is_thread_name};

fn line_of(text: &str) -> (usize, Problem) {
    let error = text
        .parse::<Schedule>()
        .expect_err("a broken schedule was accepted");
    (error.line, error.problem)
}

#[test]
fn reads_what_it_writes() {
    let text = "selvedge-schedule 1\ninput a b.c\noption visibility sync\nstep 0 0 spawn\nstep 0.1 2\n";
    let schedule: Schedule = text.parse().unwrap();
    assert_eq!(schedule.inputs, ["a b.c"]);
    assert_eq!(schedule.option("visibility"), Some("sync"));
    assert_eq!(
        schedule.steps[1],
        Step {
            thread: "0.1".into(),
            alternative: 2,
            note: String::new()
        }
    );
    assert_eq!(schedule.to_string(), text);
    assert_eq!(schedule.context_switches(), 1);
}

#[test]
fn errors_name_the_line() {
    assert_eq!(line_of("").0, 1);
    assert_eq!(line_of("selvedge-schedule 7\n"), (1, Problem::Version(7)));
    assert_eq!(
        line_of("selvedge-schedule 1\n\n# x\nhop 0"),
        (4, Problem::UnknownItem("hop".into()))
    );
    assert_eq!(
        line_of("selvedge-schedule 1\nstep 1 0"),
        (2, Problem::BadThread("1".into()))
    );
    assert_eq!(
        line_of("selvedge-schedule 1\nstep 0.1 70000"),
        (2, Problem::BadAlternative("70000".into()))
    );
    assert_eq!(
        line_of("selvedge-schedule 1\nstep 0.1"),
        (2, Problem::BadAlternative(String::new()))
    );
    assert_eq!(
        line_of("selvedge-schedule 1\ninput a\\x"),
        (2, Problem::BadEscape)
    );
    assert_eq!(line_of("selvedge-schedule 1\noption"), (2, Problem::NoOptionName));
}

#[test]
fn thread_names() {
    for good in ["0", "0.1", "0.12.3", "0.0"] {
        assert!(is_thread_name(good), "{good}");
    }
    for bad in ["", "1", "0.", ".0", "0..1", "0.01", "0.x", "00", "0.999999"] {
        assert!(!is_thread_name(bad), "{bad}");
    }
}

prop_compose! {
    fn a_step()(path in prop::collection::vec(0u16..2000, 0..4), alternative: u16, note in ".*") -> Step {
        let thread = path.iter().fold("0".to_owned(), |name, k| format!("{name}.{k}"));
        Step { thread, alternative, note }
    }
}

proptest! {
    #[test]
    fn round_trip(
        inputs in prop::collection::vec("(?s).*", 0..3),
        options in prop::collection::vec(("[a-z-]{1,9}", "(?s).*"), 0..3),
        steps in prop::collection::vec(a_step(), 0..9),
    ) {
        let schedule = Schedule { inputs, options, steps };
        prop_assert_eq!(schedule.to_string().parse::<Schedule>(), Ok(schedule));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).*", body in "(input|option|step|0|\\.|1| |\\n|\\\\|\\r|x)*") {
        let _ = text.parse::<Schedule>();
        if let Ok(schedule) = format!("selvedge-schedule 1\n{body}").parse::<Schedule>() {
            prop_assert_eq!(schedule.to_string().parse::<Schedule>(), Ok(schedule));
        }
    }
}
