//! `check --cluster` with real processes: a server, workers, and what happens to them. Whatever
//! happens, the report is that of one machine.

mod access;
mod faults;
mod often;
mod processes;
mod proxy;

use processes::{Process, SELVEDGE, Server, alone, program, report};
use serde_json::Value;
use std::process::{Child, Command, Stdio};

#[test]
fn reports_are_those_of_one_machine() {
    let server = Server::start();
    let _workers = [server.worker(), server.worker()];
    let [transfer, maze] = [program("examples/bank_transfer.c"), program("benches/maze.c")];
    let unprotected = program("benches/unprotected.c");
    for arguments in [
        vec![transfer.as_str()],
        vec!["--stop=never", &transfer],
        vec!["--stop=never", "--max-executions=7", &transfer],
        vec!["--stop=never", "-DN=3", &unprotected],
        vec![
            "--dependence=predicate",
            "--property=assertion,deadlock,pthread",
            &transfer,
        ],
        vec!["--stop=never", "-DN=2", &maze],
    ] {
        let (report, said) = report(server.check(&arguments));
        assert_eq!(report, alone(&arguments), "{arguments:?}: {said}");
    }
    let sample = ["--strategy=random", "--max-executions=300", &transfer];
    let (sampled, said) = report(server.check(&sample));
    let here = Command::new(SELVEDGE)
        .args(["check", "--format", "json", "--finding", "none", "-j", "1"])
        .args(sample)
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    assert_eq!(sampled, report_of(here.unwrap()), "{said}");
    let status = server.status();
    assert!(
        status.contains("nothing to do") && !status.contains("run "),
        "{status}"
    );
}

fn report_of(child: Child) -> Value {
    report(Process(child)).0
}

#[test]
fn what_has_no_parts_is_refused() {
    let transfer = program("examples/bank_transfer.c");
    for (options, word) in [
        ("--strategy=unfold", "unfold"),
        ("--strategy=stateful", "stateful"),
        ("--emit-tests=cases", "--emit-tests"),
        (
            "--dependence=predicate-published --property=assertion,deadlock,pthread",
            "predicate-published",
        ),
    ] {
        let output = Command::new(SELVEDGE)
            .args(["check", "--cluster", "nats://127.0.0.1:1", &transfer])
            .args(options.split(' '))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(word) && said.contains("--cluster"), "{said}");
    }
    let output = Command::new(SELVEDGE)
        .args(["check", "--cluster", "nats://127.0.0.1:1", &transfer])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
