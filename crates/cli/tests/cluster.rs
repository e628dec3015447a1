//! `check --cluster` with real processes: a server, workers, and what happens to them. Whatever
//! happens, the report is that of one machine.

use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const SELVEDGE: &str = env!("CARGO_BIN_EXE_selvedge");

/// A process that ends with this.
struct Process(Child);

impl Process {
    fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server with a directory of its own.
struct Server {
    port: u16,
    directory: tempfile::TempDir,
    process: Option<Process>,
}

impl Server {
    fn start() -> Server {
        // The port is free again when the server starts, mostly.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut server = Server {
            port,
            directory: tempfile::tempdir().unwrap(),
            process: None,
        };
        server.restart();
        server
    }

    fn restart(&mut self) {
        self.process = None;
        let child = Command::new("nats-server")
            .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
            .arg(self.directory.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("`make setup` installs nats-server");
        self.process = Some(Process(child));
        let started = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "the server does not start"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn worker(&self) -> Process {
        let child = self
            .selvedge(&["worker", "-j", "1"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Process(child)
    }

    fn selvedge(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(SELVEDGE);
        command
            .args(arguments)
            .env("SELVEDGE_CLUSTER", self.url())
            .current_dir(self.directory.path());
        command
    }

    /// A check that runs.
    fn check(&self, arguments: &[&str]) -> Process {
        let mut command = self.selvedge(&["check", "--format", "json", "--finding", "none"]);
        command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Process(command.spawn().unwrap())
    }

    fn status(&self) -> String {
        let output = self.selvedge(&["cluster", "status"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

fn program(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(name).canonicalize().unwrap().display().to_string()
}

/// The report of a check that has ended, without what depends on the time, and its messages.
fn report(process: Process) -> (Value, String) {
    let mut process = process;
    let child = std::mem::replace(&mut process.0, Command::new("true").spawn().unwrap());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut report: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{said}"));
    for changes in ["statistics", "solver"] {
        let Some(counts) = report.get_mut(changes).and_then(Value::as_object_mut) else {
            continue;
        };
        counts.retain(|name, _| {
            [
                "executions",
                "redundantExecutions",
                "events",
                "maxDepth",
                "threads",
                "choices",
            ]
            .contains(&name.as_str())
        });
    }
    (report, said)
}

/// What a check on this machine says.
fn alone(arguments: &[&str]) -> Value {
    let mut command = Command::new(SELVEDGE);
    command
        .args([
            "check",
            "--format",
            "json",
            "--finding",
            "none",
            "-j",
            "1",
            "--strategy",
            "dpor",
        ])
        .args(arguments)
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    report(Process(command.spawn().unwrap())).0
}

/// A search of about two seconds, and what it reports here.
fn long() -> ([String; 4], &'static Value) {
    static REPORT: OnceLock<Value> = OnceLock::new();
    let arguments = of_threads("-DN=9");
    let report = REPORT.get_or_init(|| alone(&arguments.each_ref().map(String::as_str)));
    (arguments, report)
}

fn of_threads(define: &str) -> [String; 4] {
    let file = program("benches/one_mutex.c");
    [
        "--symmetry=off".to_owned(),
        "--recall=off".to_owned(),
        define.to_owned(),
        file,
    ]
}

#[test]
fn reports_are_those_of_one_machine() {
    let server = Server::start();
    let _workers = [server.worker(), server.worker()];
    let [transfer, maze] = [program("examples/bank_transfer.c"), program("benches/maze.c")];
    let unprotected = program("benches/unprotected.c");
    for arguments in [
        vec![transfer.as_str()],
        vec!["--stop=never", &transfer],
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
fn whatever_happens_the_report_is_that_of_one_machine() {
    let (arguments, expected) = long();
    let mut server = Server::start();
    let mut workers = vec![server.worker(), server.worker()];
    let check = server.check(&arguments.each_ref().map(String::as_str));
    let pause = || std::thread::sleep(Duration::from_millis(400));
    pause();
    // It is killed, and another one begins.
    drop(workers.pop());
    workers.push(server.worker());
    pause();
    server.restart();
    pause();
    // It says nothing for so long that what it has goes to the other one, and answers then.
    workers[0].signal("-STOP");
    std::thread::sleep(Duration::from_secs(5));
    workers[0].signal("-CONT");
    let (report, said) = report(check);
    assert_eq!(report, *expected, "{said}");
    assert!(!said.contains("error"), "{said}");
}

#[test]
fn the_coordinator_is_killed_and_started_again() {
    let (arguments, expected) = long();
    let arguments = arguments.each_ref().map(String::as_str);
    let server = Server::start();
    let _workers = [server.worker(), server.worker()];
    let check = server.check(&arguments);
    std::thread::sleep(Duration::from_millis(700));
    drop(check);
    let (report, said) = report(server.check(&arguments));
    assert!(said.contains("was divided by"), "{said}");
    assert_eq!(report, *expected, "{said}");
}

#[test]
fn an_interrupted_run_goes_on_and_a_cancelled_one_does_not() {
    let server = Server::start();
    let _worker = server.worker();
    let arguments = of_threads("-DN=10");
    let arguments = arguments.each_ref().map(String::as_str);
    let check = server.check(&arguments);
    std::thread::sleep(Duration::from_millis(700));
    check.signal("-INT");
    let (interrupted, said) = report(check);
    assert_eq!(interrupted["verdict"], "unknown", "{said}");
    assert!(said.contains("is kept"), "{said}");

    let check = server.check(&arguments);
    std::thread::sleep(Duration::from_millis(300));
    let status = server.status();
    assert!(
        status.contains("running: ") && status.contains("one_mutex.c"),
        "{status}"
    );
    let run = status.split_whitespace().nth(1).unwrap().to_owned();
    let started = Instant::now();
    let cancelled = server.selvedge(&["cluster", "cancel", &run]).status().unwrap();
    assert!(cancelled.success());
    let (report, said) = report(check);
    assert!(started.elapsed() < Duration::from_secs(4), "{said}");
    assert!(said.contains("going on with the run"), "{said}");
    assert_eq!(report["verdict"], "unknown", "{said}");
    assert!(report.to_string().contains("cluster cancel"), "{report}");
    let status = server.status();
    assert!(!status.contains("run "), "{status}");
}

#[test]
fn what_has_no_parts_is_refused() {
    let transfer = program("examples/bank_transfer.c");
    for (option, word) in [
        ("--strategy=unfold", "unfold"),
        ("--strategy=stateful", "stateful"),
        ("--emit-tests=cases", "--emit-tests"),
    ] {
        let output = Command::new(SELVEDGE)
            .args(["check", "--cluster", "nats://127.0.0.1:1", option, &transfer])
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
