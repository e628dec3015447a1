//! What reports look like. A change here is a change users see: `cargo xtask bless`, and a line in
//! CHANGELOG.md.

use selvedge_base::Location;
use selvedge_model::{FaultKind, Finding, Input, InputKind, LimitKind, Related, Verdict};
use selvedge_report::{
    AccessSite, FindingFile, FindingReport, HumanOptions, Page, Reason, Row, RowKind, RunReport, Sources,
    Statistics, ThreadReport, github, human, json, junit, sarif, schedule_text,
};
use selvedge_schedule::{Schedule, Step};
use std::collections::BTreeMap;
use std::path::Path;

const SOURCE: &str = "int counter;\nvoid *worker(void *unused) {\n    counter++;\n    return unused;\n}\nint main(void) {\n    start(worker);\n    counter = 1;\n}\n";

fn at(line: u32, column: u32, function: &str) -> Location {
    Location {
        file: "race.c".into(),
        line,
        column,
        function: function.into(),
    }
}

fn row(thread: &str, text: &str, line: u32) -> Row {
    Row {
        thread: thread.into(),
        text: text.into(),
        location: at(line, 5, "f"),
        kind: RowKind::Step,
        held: Vec::new(),
        after: Vec::new(),
        step: Some(0),
        matters: true,
        created: None,
        asked: 0,
    }
}

fn thread(name: &str, runs: &str, label: &str) -> ThreadReport {
    ThreadReport {
        name: name.into(),
        runs: runs.into(),
        label: label.into(),
    }
}

fn site(line: u32, thread: &str, write: bool) -> AccessSite {
    AccessSite {
        write,
        location: at(line, 5, "f"),
        thread: thread.into(),
        held: if write { vec![] } else { vec!["`m`".into()] },
    }
}

fn step(thread: &str, note: &str) -> Step {
    Step {
        thread: thread.into(),
        alternative: 0,
        note: note.into(),
    }
}

fn race() -> FindingReport {
    FindingReport {
        finding: Finding {
            kind: FaultKind::DataRace,
            message: "data race: write of 4 bytes of `counter` by thread 0 is not ordered with the read by thread 0.0; thread 0 holds no lock".into(),
            location: at(8, 5, "main"),
            stack: vec![],
            thread: "0".into(),
            related: vec![Related {
                message: "the other access: read, holding no lock".into(),
                location: at(3, 12, "worker"),
                stack: vec![at(7, 5, "main")],
                thread: "0.0".into(),
            }],
            choices: vec![],
            count: 3,
        },
        cause: Some("neither thread 0.0 nor thread 0 holds a lock".into()),
        fewest_switches: true,
        inputs: vec![Input {
            name: "jobs".into(),
            thread: "0.0".into(),
            bytes: vec![0xf9, 0xff, 0xff, 0xff],
            kind: InputKind::Scalar { bits: 32, signed: true },
            location: at(7, 5, "main"),
        }],
        schedule: Schedule {
            inputs: vec!["race.c".into()],
            options: vec![("visibility".into(), "sync".into())],
            steps: vec![step("0", "spawn"), step("0.0", "start"), step("0", "exit")],
        },
        rows: vec![row("0", "pthread_create(worker)", 7), row("0.0", "start", 2), row("0", "exit", 9)],
        threads: vec![thread("0", "main", ""), thread("0.0", "worker", "counter")],
        sites: vec![site(3, "0.0", false), site(3, "0.0", true), site(8, "0", true), site(9, "0", false)],
        output: "hello\n".into(),
    }
}

fn report(verdict: Verdict, reasons: Vec<Reason>, findings: Vec<FindingReport>) -> RunReport {
    RunReport {
        version: "0.0.0".into(),
        inputs: vec!["race.c".into()],
        verdict,
        reasons,
        assumptions: vec!["malloc does not fail".into()],
        strategy: "dpor".into(),
        dependence: "conflict".into(),
        visibility: "sync".into(),
        statistics: Statistics {
            executions: 2,
            events: 30,
            max_depth: 15,
            threads: 2,
            ..Statistics::default()
        },
        also: vec![],
        layers: vec![],
        coverage: None,
        covered: None,
        assertions: None,
        findings,
    }
}

fn sources() -> Sources {
    [("race.c".to_owned(), SOURCE.to_owned())].into_iter().collect()
}

fn unsupported() -> Reason {
    Reason {
        limit: None,
        detail: "function dlopen".into(),
        location: Some(at(7, 5, "main")),
    }
}

#[test]
fn human_reports() {
    let violated = report(Verdict::Violated, vec![], vec![race()]);
    insta::assert_snapshot!(
        "human-race",
        human(&violated, &sources(), HumanOptions::default())
    );
    let nothing = Sources::default();
    insta::assert_snapshot!(
        "human-no-source",
        human(
            &violated,
            &nothing,
            HumanOptions {
                quiet: true,
                ..HumanOptions::default()
            }
        )
    );
    let verified = report(Verdict::Verified, vec![], vec![]);
    insta::assert_snapshot!(
        "human-verified",
        human(&verified, &nothing, HumanOptions::default())
    );
    let time = Reason {
        limit: Some(LimitKind::Time),
        detail: "--max-time of 1 s".into(),
        location: None,
    };
    let unknown = report(Verdict::Unknown, vec![unsupported(), time], vec![]);
    insta::assert_snapshot!(
        "human-unknown",
        human(
            &unknown,
            &nothing,
            HumanOptions {
                verbose: true,
                ..HumanOptions::default()
            }
        )
    );
}

#[test]
fn reports_for_programs() {
    let violated = report(Verdict::Violated, vec![unsupported()], vec![race()]);
    insta::assert_snapshot!("json-race", json(&violated));
    insta::assert_snapshot!("github-race", github(&violated, Path::new("/home")));
    insta::assert_snapshot!(
        "github-unknown",
        github(
            &report(Verdict::Unknown, vec![unsupported()], vec![]),
            Path::new("/home")
        )
    );
    insta::assert_snapshot!("sarif-race", sarif(&violated, Path::new("/home"), &sources()));
    insta::assert_snapshot!("junit-race", junit(&violated).unwrap());
    insta::assert_snapshot!(
        "junit-unknown",
        junit(&report(Verdict::Unknown, vec![unsupported()], vec![])).unwrap()
    );
    insta::assert_snapshot!("json-verified", json(&report(Verdict::Verified, vec![], vec![])));
}

#[test]
fn many_threads_and_long_schedules() {
    let rows: Vec<Row> = (0..8).map(|k| row(&format!("0.{k}"), "start", 2)).collect();
    let table = |rows: &[Row], whole| {
        let report = FindingReport {
            rows: rows.to_vec(),
            ..race()
        };
        schedule_text(&report, whole)
    };
    insta::assert_snapshot!("table-many-threads", table(&rows, false));
    let rows: Vec<Row> = (0..70)
        .map(|k| {
            row(
                if k % 2 == 0 { "0" } else { "0.0" },
                &format!("step {k} with a text that does not fit into a column"),
                k,
            )
        })
        .collect();
    let shown = table(&rows, false);
    // A title, the line on those left out, and each step under its thread.
    assert_eq!(shown.lines().count(), 3 + 2 * 60);
    assert!(shown.contains("… 10 earlier steps"));
    assert_eq!(table(&rows, true).lines().count(), 2 + 2 * 70);
}

#[test]
fn saved_findings_are_read_back() {
    let text = FindingFile::write(&race(), &sources(), &BTreeMap::new());
    let back = FindingFile::read(&text).unwrap();
    assert_eq!(back.schedule, race().schedule);
    assert_eq!(
        (back.kind.as_str(), back.location),
        ("data-race", ("race.c".to_owned(), 8, 5))
    );
    assert_eq!(
        (back.place.function.as_str(), back.place.statement.as_str()),
        ("main", "counter = 1;")
    );
    assert_eq!(back.places.len(), 3);
    assert_eq!(back.files.keys().collect::<Vec<_>>(), ["race.c"]);
    for broken in [
        "",
        "{}",
        "[1]",
        "{\"selvedge-finding\": 2}",
        "{\"selvedge-finding\": 1}",
        "{\"selvedge-finding\": 1, \"finding\": {\"kind\": 1}}",
    ] {
        assert!(FindingFile::read(broken).is_err(), "{broken}");
    }
    assert!(
        FindingFile::read(&text.replace("step 0.0", "step 9"))
            .unwrap_err()
            .to_string()
            .contains("line 5")
    );
}

#[test]
fn a_page_has_its_findings_and_sources() {
    let hostile = "int counter; // </script><script>alert(1)</script>\n";
    let sources: Sources = [("race.c".to_owned(), hostile.to_owned())].into_iter().collect();
    let page = Page {
        verdict: "false(no-data-race)",
        inputs: &["race.c".to_owned()],
        findings: &[race()],
    };
    let html = page.html(&sources);
    assert_eq!(
        html.matches("</script>").count(),
        2,
        "nothing of the data ends a script"
    );
    let (_, rest) = html
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["findings"][0]["kind"], "data-race");
    assert_eq!(data["findings"][0]["steps"].as_array().unwrap().len(), 3);
    assert_eq!(data["sources"]["race.c"]["text"], hostile);
}

#[test]
fn a_page_of_long_schedules_stays_small() {
    let mut long = race();
    long.rows = (0..30_000)
        .map(|i| row("0.0", &format!("reads <{i}>"), 3))
        .collect();
    let many = vec![long; 5];
    let sources: Sources = [("race.c".to_owned(), "<".repeat(900_000))].into_iter().collect();
    let page = Page {
        verdict: "false(no-data-race)",
        inputs: &["race.c".to_owned()],
        findings: &many,
    };
    let html = page.html(&sources);
    assert!(html.len() < 2_000_000, "{}", html.len());
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    for finding in data["findings"].as_array().unwrap() {
        let steps = finding["steps"].as_array().unwrap();
        assert!(steps.len() > 500, "{}", steps.len());
        assert_eq!(steps.last().unwrap()["text"], "reads <29999>");
        assert_eq!(finding["steps_left_out"], 30_000 - steps.len());
    }
}
