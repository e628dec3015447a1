//! Processes of the tests: a server, workers, and checks, each of which ends with its value.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub const SELVEDGE: &str = env!("CARGO_BIN_EXE_selvedge");

/// A process that ends with this.
pub struct Process(pub Child);

impl Process {
    pub fn signal(&self, signal: &str) {
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
pub struct Server {
    /// The port, once it has one.
    port: Option<u16>,
    directory: tempfile::TempDir,
    process: Option<Process>,
}

impl Server {
    pub fn start() -> Server {
        Server::with("")
    }

    /// With more settings.
    pub fn with(settings: &str) -> Server {
        Server::of("", settings)
    }

    /// With room for so many bytes.
    pub fn with_room(bytes: u32) -> Server {
        Server::of(&format!(", max_file_store: {bytes}"), "")
    }

    fn of(store_settings: &str, settings: &str) -> Server {
        let directory = tempfile::tempdir().unwrap();
        let (store, ports) = (directory.path().join("store"), directory.path());
        let settings = format!(
            "ports_file_dir: {ports:?}\njetstream {{ store_dir: {store:?}{store_settings} }}\n{settings}\n"
        );
        std::fs::write(directory.path().join("nats.conf"), settings).unwrap();
        let mut server = Server {
            port: None,
            directory,
            process: None,
        };
        server.restart();
        server
    }

    /// Starts the server, at the port that it had before, if it had one.
    pub fn restart(&mut self) {
        let started = Instant::now();
        loop {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "the server does not start"
            );
            self.process = None;
            // It takes a free port itself. A port that was looked for here might be another test's
            // by now.
            let port = self.port.map_or("-1".to_owned(), |port| port.to_string());
            let child = Command::new("nats-server")
                .arg("-c")
                .arg(self.directory.path().join("nats.conf"))
                .args(["-a", "127.0.0.1", "-p", &port])
                .stderr(Stdio::null())
                .spawn()
                .expect("`make setup` installs nats-server");
            let process = self.process.insert(Process(child));
            let listens = format!("nats-server_{}.ports", process.0.id());
            let listens = self.directory.path().join(listens);
            // It ends if the port is taken.
            while process.0.try_wait().unwrap().is_none() && started.elapsed() < Duration::from_secs(20) {
                let ports = std::fs::read(&listens).unwrap_or_default();
                if let Ok(ports) = serde_json::from_slice::<Value>(&ports) {
                    let url = ports["nats"][0].as_str().unwrap();
                    let (_, port) = url.rsplit_once(':').unwrap();
                    self.port = Some(port.parse().unwrap());
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    pub fn port(&self) -> u16 {
        self.port.unwrap()
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port())
    }

    pub fn worker(&self) -> Process {
        self.worker_with(&[])
    }

    pub fn worker_with(&self, options: &[&str]) -> Process {
        let child = self
            .selvedge(&["worker", "-j", "1"])
            .args(options)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Process(child)
    }

    pub fn selvedge(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(SELVEDGE);
        command
            .args(arguments)
            .env("SELVEDGE_CLUSTER", self.url())
            .current_dir(self.directory.path());
        command
    }

    /// A check that runs.
    pub fn check(&self, arguments: &[&str]) -> Process {
        let mut command = self.selvedge(&["check", "--format", "json", "--finding", "none"]);
        command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Process(command.spawn().unwrap())
    }

    pub fn status(&self) -> String {
        let output = self.selvedge(&["cluster", "status"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

pub fn program(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(name).canonicalize().unwrap().display().to_string()
}

/// The report of a check that has ended, without what depends on the time, and its messages.
pub fn report(process: Process) -> (Value, String) {
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
pub fn alone(arguments: &[&str]) -> Value {
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
pub fn long() -> ([String; 4], &'static Value) {
    static REPORT: OnceLock<Value> = OnceLock::new();
    let arguments = of_threads("-DN=9");
    let report = REPORT.get_or_init(|| alone(&arguments.each_ref().map(String::as_str)));
    (arguments, report)
}

pub fn of_threads(define: &str) -> [String; 4] {
    let file = program("benches/one_mutex.c");
    [
        "--symmetry=off".to_owned(),
        "--recall=off".to_owned(),
        define.to_owned(),
        file,
    ]
}
