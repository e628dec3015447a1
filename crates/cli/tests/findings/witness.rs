//! Witnesses of SV-COMP: read again, and replayed.

use crate::{STATS, found, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Inputs of two threads decide, and the order of the threads.
const INPUTS: &str = r#"#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
void reach_error(void) {}
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *setter(void *p) {
    int k = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    x = k;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    y = __VERIFIER_nondet_uchar();
    pthread_create(&a, 0, setter, 0);
    pthread_mutex_lock(&m);
    int seen = x;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    if (seen == -77 && y == 200)
        reach_error();
    return 0;
}
"#;

/// An edge of an automaton: its data by key.
type Edge = BTreeMap<String, String>;

/// Reads the path of a witness as another tool would, and checks that it is one.
fn path(graphml: &str) -> Vec<Edge> {
    let between = |text: &str, from: &str, to: &str| -> Option<String> {
        let (_, rest) = text.split_once(from)?;
        Some(rest.split_once(to)?.0.to_owned())
    };
    let mut defined = Vec::new();
    for key in graphml.split("<key ").skip(1) {
        defined.push(between(key, " id=\"", "\"").unwrap());
    }
    let mut edges = Vec::new();
    for (number, edge) in graphml.split("<edge ").skip(1).enumerate() {
        assert_eq!(between(edge, "source=\"", "\""), Some(format!("n{number}")));
        assert_eq!(between(edge, "target=\"", "\""), Some(format!("n{}", number + 1)));
        let edge = edge.split_once("</edge>").unwrap().0;
        let mut data = Edge::new();
        for item in edge.split("<data key=\"").skip(1) {
            let (key, rest) = item.split_once("\">").unwrap();
            assert!(defined.contains(&key.to_owned()), "{key} is defined");
            data.insert(key.to_owned(), rest.split_once('<').unwrap().0.to_owned());
        }
        edges.push(data);
    }
    let nodes: Vec<&str> = graphml.split("<node ").skip(1).collect();
    assert_eq!(nodes.len(), edges.len() + 1);
    assert!(nodes[0].contains("<data key=\"entry\">true"));
    assert!(nodes.last().unwrap().contains("<data key=\"violation\">true"));
    edges
}

/// Makes the finding anew from a witness alone: the order of threads and the inputs. Replays it.
fn replay(directory: &Path, edges: &[Edge]) -> (i32, String) {
    let file = directory.join("FINDING.json");
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let old = value["finding"]["schedule"].as_str().unwrap();
    let head = old.lines().filter(|line| !line.starts_with("step "));
    let mut schedule: String = head.map(|line| format!("{line}\n")).collect();
    let mut names = BTreeMap::from([("0".to_owned(), "0".to_owned())]);
    let mut children: BTreeMap<String, usize> = BTreeMap::new();
    let mut inputs: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for edge in &edges[..edges.len() - 1] {
        let name = names[&edge["threadId"]].clone();
        if let Some(assumed) = edge.get("assumption") {
            assert!(edge.contains_key("assumption.resultfunction"));
            let value = assumed
                .strip_prefix("\\result == ")
                .and_then(|rest| rest.strip_suffix(';'));
            inputs
                .entry(name)
                .or_default()
                .push(value.unwrap().parse().unwrap());
            continue;
        }
        if let Some(created) = edge.get("createThread") {
            let ordinal = children.entry(name.clone()).or_default();
            *ordinal += 1;
            names.insert(created.clone(), format!("{name}.{ordinal}"));
        }
        schedule.push_str(&format!("step {name} 0\n"));
    }
    for input in value["finding"]["inputs"].as_array_mut().unwrap() {
        let own = inputs.get_mut(input["thread"].as_str().unwrap()).unwrap();
        let number = own.remove(0);
        let size = input["bytes"].as_str().unwrap().len() / 2;
        let bytes = &number.to_le_bytes()[..size];
        input["bytes"] = bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
            .into();
    }
    assert!(inputs.values().all(Vec::is_empty), "each input is the finding's");
    value["finding"]["schedule"] = schedule.into();
    fs::write(&file, value.to_string()).unwrap();
    let (code, out, err) = run(directory, &["replay", "FINDING.json"]);
    (code, format!("{out}{err}"))
}

#[test]
fn a_witness_alone_leads_to_the_finding() {
    for (program, property, line) in [(INPUTS, "unreach-call", "23"), (STATS, "no-data-race", "")] {
        let options = ["--property", property, "--witness", "w.graphml"];
        let (directory, out) = found(program, &options);
        let text = fs::read_to_string(directory.path().join("w.graphml")).unwrap();
        let edges = path(&text);
        let last = edges.last().unwrap();
        assert!(line.is_empty() || last["startline"] == line, "{text}");
        assert!(
            edges
                .iter()
                .any(|edge| edge.get("enterFunction").is_some_and(|name| name == "main"))
        );
        let (code, text) = replay(directory.path(), &edges);
        assert_eq!(code, 10, "{out}{text}");
        // A witness that says something else does not.
        let mut wrong = edges.clone();
        wrong.truncate(3);
        assert_eq!(replay(directory.path(), &wrong_inputs(&edges, wrong)).0, 5);
    }
}

/// The beginning of a path with all its inputs.
fn wrong_inputs(edges: &[Edge], mut beginning: Vec<Edge>) -> Vec<Edge> {
    let rest = edges[beginning.len()..].iter();
    let inputs = rest.filter(|edge| edge.contains_key("assumption"));
    let names: Vec<Edge> = inputs
        .filter(|edge| edge["threadId"] == "0" || beginning.iter().any(|e| e.get("createThread").is_some()))
        .cloned()
        .collect();
    beginning.extend(names);
    beginning.push(edges.last().unwrap().clone());
    beginning
}

#[test]
fn yaml_names_the_target_and_the_inputs_before_threads() {
    let options = ["--property", "unreach-call", "--witness", "w.yml"];
    let (directory, _) = found(INPUTS, &options);
    let text = fs::read_to_string(directory.path().join("w.yml")).unwrap();
    for part in [
        "entry_type: violation_sequence",
        "format_version: '2.0'",
        "value: \\result == 200",
        "type: target",
        "line: 23",
        "specification: CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "data_model: LP64",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The other thread's input would be read as one of the main thread.
    assert!(!text.contains("== -77"), "{text}");
}

#[test]
fn what_is_no_violation_has_no_witness() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("safe.c"), "int main(void) { return 0; }\n").unwrap();
    let (code, _, err) = run(directory.path(), &["check", "--witness", "w.yml", "safe.c"]);
    assert_eq!(code, 0);
    assert!(
        err.contains("no witness is written: an exploration proves no invariants"),
        "{err}"
    );
    assert!(!directory.path().join("w.yml").exists());
    let (code, _, err) = run(directory.path(), &["check", "--witness", "w.txt", "safe.c"]);
    assert_eq!(code, 1);
    assert!(err.contains(".yml or .graphml"), "{err}");
    let prp = "CHECK( init(main()), LTL(F end) )\n";
    fs::write(directory.path().join("termination.prp"), prp).unwrap();
    let (code, out, _) = run(
        directory.path(),
        &["check", "--property", "termination.prp", "safe.c"],
    );
    assert_eq!(code, 5, "{out}");
    assert!(
        out.ends_with("unknown(unsupported: the property termination)\n"),
        "{out}"
    );
}

#[test]
fn a_witness_is_validated_or_refuted() {
    for (program, property, inputs) in [(INPUTS, "unreach-call", true), (STATS, "no-data-race", false)] {
        let options = ["--property", property, "--witness", "w.graphml"];
        let (directory, _) = found(program, &options);
        let here = directory.path();
        let validate = |file: &str| {
            let arguments = ["check", "--property", property, "--validate", file, "program.c"];
            let (code, out, err) = run(here, &arguments);
            (code, format!("{out}{err}"))
        };
        let (code, out) = validate("w.graphml");
        assert_eq!(code, 10, "{out}");
        assert!(
            out.ends_with(&format!("the witness holds\nfalse({property})\n")),
            "{out}"
        );
        // What was changed in it is noticed.
        let text = fs::read_to_string(here.join("w.graphml")).unwrap();
        let mut planted = vec![
            (
                "another line",
                text.replacen("<data key=\"startline\">", "<data key=\"startline\">9", 4),
            ),
            (
                "another program",
                text.replace("<data key=\"programhash\">", "<data key=\"programhash\">0"),
            ),
            (
                "another property",
                text.replace("data-race", "overflow")
                    .replace("call(reach_error())", "overflow"),
            ),
            (
                "another thread",
                text.replacen("<data key=\"threadId\">1<", "<data key=\"threadId\">0<", 1),
            ),
            ("no steps", {
                let target = text.rfind("<edge ").unwrap();
                let edges = text.find("<edge ").unwrap();
                let last = text[target..].replacen(|c: char| c.is_ascii_digit(), "0", 1);
                let last = last.split_once("source=\"").unwrap().1.split_once('"').unwrap().1;
                format!("{}<edge source=\"n0\"{last}", &text[..edges])
            }),
        ];
        if inputs {
            planted.push(("another input", text.replace("== -77;", "== -78;")));
        }
        for (what, wrong) in planted {
            assert_ne!(wrong, text, "{what} was planted");
            fs::write(here.join("wrong.graphml"), wrong).unwrap();
            let (code, out) = validate("wrong.graphml");
            assert_eq!(code, 5, "{what}: {out}");
            assert!(out.contains("unknown(witness: "), "{what}: {out}");
        }
        fs::write(here.join("wrong.graphml"), &text[..text.len() / 2]).unwrap();
        assert_eq!(validate("wrong.graphml").0, 2);
    }
}

#[test]
fn a_witness_without_threads_is_searched_for() {
    let sequential = INPUTS.replace("seen == -77 && ", "");
    let options = ["--property", "unreach-call", "--witness", "w.yml"];
    let (directory, _) = found(&sequential, &options);
    let here = directory.path();
    let validate = [
        "check",
        "--property",
        "unreach-call",
        "--validate",
        "w.yml",
        "program.c",
    ];
    let (code, out, _) = run(here, &validate);
    assert_eq!(code, 10, "{out}");
    let text = fs::read_to_string(here.join("w.yml")).unwrap();
    for (from, to) in [("== 200", "== 201"), ("line: 23", "line: 22")] {
        let wrong = text.replace(from, to);
        assert_ne!(wrong, text);
        fs::write(here.join("w.yml"), wrong).unwrap();
        let (code, out, _) = run(here, &validate);
        assert_eq!(code, 5, "{out}");
    }
}
