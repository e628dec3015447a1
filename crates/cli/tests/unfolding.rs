//! docs/unfolding.md against what the command says: its runs, its tables of events, and each
//! relation that it states.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command at the root of the repository; what it printed.
fn selvedge(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(arguments)
        .args(["--finding", "none"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The events of a program, as `--dump-unfolding` has them.
fn dumped(program: &str) -> Vec<Value> {
    // Tests run side by side.
    let (process, thread) = (std::process::id(), std::thread::current().id());
    let name = format!("selvedge-unfolding-{process}-{thread:?}.json");
    let file = std::env::temp_dir().join(name);
    let path = file.to_str().unwrap();
    selvedge(&["check", "--strategy", "unfold", "--dump-unfolding", path, program]);
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(value["selvedge-unfolding"], 1);
    value["events"].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().unwrap();
    list.iter().map(|n| n.as_u64().unwrap()).collect()
}

/// An event as a row of the document.
fn row(event: &Value) -> String {
    let list = |value: &Value| {
        let texts: Vec<String> = numbers(value).iter().map(u64::to_string).collect();
        texts.join(", ")
    };
    let action = event["action"].as_str().unwrap();
    let action = match event["outcome"].as_str().unwrap() {
        "" => action.to_owned(),
        outcome => format!("{action}: {outcome}"),
    };
    let cells = [
        event["id"].to_string(),
        event["thread"].as_str().unwrap().to_owned(),
        action,
        list(&event["causes"]),
        list(&event["conflicts"]),
        event["same_state_as"]
            .as_u64()
            .map(|n| n.to_string())
            .unwrap_or_default(),
    ];
    cells
        .iter()
        .fold("|".to_owned(), |row, cell| match cell.as_str() {
            "" => row + " |",
            cell => row + " " + cell + " |",
        })
}

/// All causes of an event, and itself.
fn past(events: &[Value], event: u64) -> BTreeSet<u64> {
    let mut found = BTreeSet::from([event]);
    let mut left = vec![event];
    while let Some(event) = left.pop() {
        for cause in numbers(&events[event as usize - 1]["causes"]) {
            if found.insert(cause) {
                left.push(cause);
            }
        }
    }
    found
}

/// Whether what the document states in backquotes holds; `None` if it is no statement about events.
fn holds(statement: &str, events: &[Value]) -> Option<bool> {
    let event = |text: &str| text.trim().strip_prefix('e')?.parse::<u64>().ok();
    let of = |event: u64, field: &str| events[event as usize - 1][field].clone();
    if let Some((a, b)) = statement.split_once(" # ") {
        return Some(numbers(&of(event(a)?, "conflicts")).contains(&event(b)?));
    }
    if let Some((a, b)) = statement.split_once(" → ") {
        return Some(numbers(&of(event(b)?, "causes")).contains(&event(a)?));
    }
    let (a, b) = statement.split_once(" = ")?;
    if let Some(whole) = a.strip_prefix('|').and_then(|a| a.strip_suffix('|')) {
        return Some(past(events, event(whole)?).len().to_string() == b);
    }
    Some(of(event(a)?, "same_state_as").as_u64() == Some(event(b)?))
}

#[test]
fn the_document_tells_what_happens() {
    let text = std::fs::read_to_string(root().join("docs/unfolding.md")).unwrap();
    let mut lines = text.lines().peekable();
    let (mut runs, mut statements, mut tables) = (0, 0, BTreeMap::new());
    let mut events: Vec<Value> = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(program) = line.strip_prefix("<!-- events of ") {
            let program = program.strip_suffix(" -->").unwrap();
            events = dumped(program);
            let rows: Vec<&str> = lines.by_ref().skip(3).take(events.len() + 1).collect();
            let (end, rows) = rows.split_last().unwrap();
            assert_eq!(rows, events.iter().map(row).collect::<Vec<_>>(), "{program}");
            assert_eq!(*end, "", "the table of {program} has more events");
            tables.insert(program.to_owned(), events.len());
        } else if let Some(command) = line.strip_prefix("$ selvedge ") {
            let arguments: Vec<&str> = command.split(' ').collect();
            let output = selvedge(&arguments);
            while let Some(expected) = lines.next_if(|line| *line != "```") {
                // `…` stands for what is not shown.
                let expected = expected.trim_end_matches('…');
                assert!(
                    output.lines().any(|line| line.starts_with(expected)),
                    "{command}: {expected}\n{output}"
                );
            }
            runs += 1;
        } else {
            for statement in line.split('`').skip(1).step_by(2) {
                if let Some(held) = holds(statement, &events) {
                    assert!(held, "{statement}");
                    statements += 1;
                }
            }
        }
    }
    assert_eq!((runs, statements, tables.len()), (4, 18, 2));
}

#[test]
fn the_unfolding_as_a_graph() {
    let file = std::env::temp_dir().join(format!("selvedge-unfolding-{}.dot", std::process::id()));
    let path = file.to_str().unwrap();
    let program = "docs/unfolding/branch.c";
    selvedge(&["check", "--strategy", "unfold", "--dump-unfolding", path, program]);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(text.starts_with("digraph unfolding {") && text.ends_with("}\n"));
    assert_eq!(text.matches("[label=").count(), dumped(program).len() + 1);
    assert_eq!(text.matches("peripheries=2").count(), 1);
    assert_eq!(text.matches("color=red").count(), 2);
}

#[test]
fn the_unfolding_as_a_page() {
    let file = std::env::temp_dir().join(format!("selvedge-unfolding-{}.html", std::process::id()));
    let path = file.to_str().unwrap();
    let program = "docs/unfolding/branch.c";
    selvedge(&["check", "--strategy", "unfold", "--dump-unfolding", path, program]);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let events = dumped(program);
    assert_eq!(text.matches("tabindex=").count(), events.len());
    let causes: usize = events
        .iter()
        .map(|event| event["causes"].as_array().unwrap().len())
        .sum();
    assert_eq!(text.matches("class=\"cause\"").count(), causes);
    assert_eq!(text.matches("class=\"conflict\"").count(), 2);
    assert_eq!(text.matches("class=\"same\"").count(), 1);
    // One file, which needs no network.
    assert!(!text.contains("http") && text.ends_with("</html>\n"));
}

#[test]
fn an_unfinished_run_says_what_it_covered() {
    let run = |strategy: &str, format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args(["check", "--finding", "none", "--max-executions", "1"])
            .args([
                "--strategy",
                strategy,
                "--format",
                format,
                "docs/unfolding/branch.c",
            ])
            .current_dir(root())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(5));
        String::from_utf8(output.stdout).unwrap()
    };
    let covered = |strategy: &str| {
        let report: Value = serde_json::from_str(&run(strategy, "json")).unwrap();
        report["covered"].clone()
    };
    let unfold = covered("unfold");
    assert_eq!(unfold["executions"], 1);
    assert_eq!(unfold["cut_executions"], 0);
    assert!(unfold["open"].as_u64() > Some(0) || unfold["undecided"].as_u64() > Some(0));
    let threads: Vec<&str> = unfold["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| thread["thread"].as_str().unwrap())
        .collect();
    assert_eq!(threads, ["0", "0.1"]);
    let branches = unfold["branches_not_taken"].as_array().unwrap();
    assert_eq!(branches.len(), 1);
    assert_eq!(branches[0]["location"]["line"], 21);
    assert_eq!(branches[0]["alternatives"], 1);
    let text = run("unfold", "human");
    for line in [
        "  covered: 1 executions to their end",
        "  left: ",
        "  events of each thread: thread 0 ",
        "  alternatives of branches on data not taken so far: 1: 1 at main (docs/unfolding/branch.c:21:",
    ] {
        assert!(text.lines().any(|l| l.starts_with(line)), "{line}\n{text}");
    }
    let dpor = covered("dpor");
    let part = dpor["part"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&part), "{part}");
    assert!(dpor["open"].is_null());
    let sampled = covered("random");
    assert!(sampled.is_null());
}

#[test]
fn options_without_use_are_noted() {
    let notes = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args(["check", "--finding", "none", "docs/unfolding/handshake.c"])
            .args(arguments)
            .current_dir(root())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines().filter(|line| line.starts_with("note: ")).count()
    };
    let dpor = ["--strategy", "dpor"];
    let unused = [
        "--k",
        "2",
        "--search",
        "bfs",
        "--cutoffs",
        "off",
        "--quarantine",
        "3",
    ];
    assert_eq!(notes(&[&dpor[..], &unused].concat()), 4);
    assert_eq!(notes(&dpor), 0);
    let unfold = ["--strategy", "unfold"];
    assert_eq!(
        notes(&[&unfold[..], &["--jobs", "2", "--sleep-sets", "off"]].concat()),
        2
    );
    let used = ["--k", "2", "--search", "coverage", "--quarantine", "3"];
    assert_eq!(notes(&[&unfold[..], &used].concat()), 0);
    assert_eq!(
        notes(&[&unfold[..], &unused].concat()),
        1,
        "nothing comes back without cutoffs"
    );
}

/// What `auto` is, and how long dead memory waits.
#[test]
fn what_the_command_line_leaves_open_is_decided() {
    let check = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args([
                "check",
                "--finding",
                "none",
                "--format",
                "json",
                "--max-time",
                "60s",
            ])
            .args(arguments)
            .current_dir(root())
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let waits = report["assumptions"].as_array().unwrap().iter();
        let waits = waits.filter_map(|a| a.as_str()).find_map(|a| {
            let rest = a.strip_prefix("the memory of a dead object is used again after ")?;
            rest.split(' ').next()?.parse::<u32>().ok()
        });
        let text = |name: &str| report[name].as_str().unwrap().to_owned();
        let sees = text("visibility");
        ((text("strategy"), text("verdict"), waits), sees)
    };
    let expected = |strategy: &str, verdict: &str, waits| (strategy.to_owned(), verdict.to_owned(), waits);
    let dangling = "corpus/c/memory/use_after_free_of_many_later.c";
    assert_eq!(check(&[dangling]).0, expected("unfold", "violated", None));
    assert_eq!(
        check(&[dangling, "--quarantine", "4", "--strategy", "unfold"]).0,
        expected("unfold", "verified", Some(4)),
        "that few hide it"
    );
    assert_eq!(
        check(&[dangling, "--quarantine", "4"]).0,
        expected("random", "violated", None),
        "samples use no memory again"
    );
    assert_eq!(
        check(&[dangling, "--visibility", "memory"]).0,
        expected("unfold", "violated", None)
    );
    let forever = "corpus/endless/safe/heap_in_a_loop.c";
    assert_eq!(check(&[forever]).0, expected("stateful", "verified", Some(4)));
    let raced = [
        "--property",
        "unreach-call",
        "-DN=2",
        "corpus/c/race/counter_without_lock.c",
    ];
    assert_eq!(check(&raced).1, "memory", "races that nobody asked about");
}

/// Threads have the same names whether their creator chose before or not.
#[test]
fn threads_are_told_apart_after_data_choices() {
    let program = "corpus/inputs/safe/number_of_threads.c";
    for k in ["1", "optimal"] {
        let arguments = [
            "check",
            "--strategy",
            "unfold",
            "--cutoffs",
            "off",
            "--k",
            k,
            "--symmetry",
            "off",
            program,
        ];
        let text = selvedge(&arguments);
        assert!(text.contains("  9 executions (0 redundant)"), "{text}");
    }
}
