//! `selvedge debug` as an editor sees it: a process that speaks the Debug Adapter Protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing here takes that long: a server that does not answer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn selvedge(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command
        .args(arguments)
        .current_dir(root())
        .env_remove("SELVEDGE_FORMAT");
    command
}

/// A saved finding of a program of the corpus, and what the report says of it.
struct Finding {
    directory: tempfile::TempDir,
    report: Value,
}

impl Finding {
    fn of(program: &str) -> Finding {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("finding.json");
        let output = selvedge(&["check", "--quiet", program, "--finding"])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(10), "{output:?}");
        let report: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        Finding {
            directory,
            report: report["finding"].clone(),
        }
    }

    fn path(&self) -> String {
        self.directory.path().join("finding.json").display().to_string()
    }
}

/// What came from the server: a message, or nothing more.
fn messages(stream: impl Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                if stream.read_line(&mut line).unwrap() == 0 {
                    return;
                }
                match line.trim_end().split_once(": ") {
                    Some(("Content-Length", bytes)) => length = bytes.parse().unwrap(),
                    Some(_) => {}
                    None => break,
                }
            }
            let mut text = vec![0; length];
            stream.read_exact(&mut text).unwrap();
            if sender.send(serde_json::from_slice(&text).unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}

struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    seq: u64,
    events: Vec<Value>,
}

impl Client {
    fn start(finding: &str) -> Client {
        Client::with(&["debug", finding])
    }

    fn start_trusted(finding: &str) -> Client {
        Client::with(&["debug", "--trust", finding])
    }

    fn with(arguments: &[&str]) -> Client {
        let mut server = selvedge(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Client {
            input: server.stdin.take(),
            messages: messages(server.stdout.take().unwrap()),
            server,
            seq: 0,
            events: Vec::new(),
        }
    }

    /// A client that has launched a session, with breakpoints set before anything moves.
    fn launched(finding: &str, arguments: Value) -> Client {
        let mut client = Client::start(finding);
        let able = client.ask("initialize", json!({"adapterID": "selvedge"}));
        assert_eq!(able["supportsStepBack"], true);
        assert_eq!(able["supportsConfigurationDoneRequest"], true);
        client.ask("launch", arguments);
        assert_eq!(client.next()["event"], "initialized");
        client
    }

    /// The same, and it stands at the beginning.
    fn begun(finding: &str) -> Client {
        let mut client = Client::launched(finding, json!({}));
        client.ask("configurationDone", Value::Null);
        let stop = client.stopped();
        assert_eq!(stop["reason"], "entry");
        client
    }

    fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // The server may have gone.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    fn next(&mut self) -> Value {
        match self.events.is_empty() {
            true => self.messages.recv_timeout(PATIENCE).expect("a message"),
            false => self.events.remove(0),
        }
    }

    fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.seq += 1;
        let request = json!({"seq": self.seq, "type": "request", "command": command, "arguments": arguments});
        let text = request.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a response");
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], self.seq, "{message}");
                assert_eq!(message["command"], command);
                return message;
            }
            self.events.push(message);
        }
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.request(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.request(command, arguments);
        assert_eq!(response["success"], false, "{response}");
        response["message"].as_str().unwrap().to_owned()
    }

    /// The next stop; what is written before it is left out.
    fn stopped(&mut self) -> Value {
        loop {
            let event = self.next();
            if event["event"] == "stopped" {
                return event["body"].clone();
            }
            assert_eq!(event["event"], "output", "{event}");
        }
    }

    fn go(&mut self, command: &str, arguments: Value) -> Value {
        self.ask(command, arguments);
        self.stopped()
    }

    /// Moves by one command until a stop has a reason; the descriptions and places of all stops.
    fn until(&mut self, command: &str, reason: &str) -> Vec<String> {
        let mut stops = Vec::new();
        loop {
            let stop = self.go(command, json!({"threadId": 1}));
            let thread = stop["threadId"].as_u64().unwrap();
            let top = self.stack(thread).first().cloned().unwrap_or_default();
            stops.push(format!("{} @ {top}", stop["description"].as_str().unwrap()));
            if stop["reason"] == reason {
                return stops;
            }
            assert!(stops.len() < 10_000);
        }
    }

    fn frames(&mut self, thread: u64) -> Vec<Value> {
        let trace = self.ask("stackTrace", json!({"threadId": thread}));
        assert_eq!(
            trace["totalFrames"],
            trace["stackFrames"].as_array().unwrap().len()
        );
        trace["stackFrames"].as_array().unwrap().clone()
    }

    /// The stack of a thread: `function file:line`.
    fn stack(&mut self, thread: u64) -> Vec<String> {
        let frames = self.frames(thread);
        let line = |frame: &Value| match frame["source"]["name"].as_str() {
            Some(file) => format!("{} {file}:{}", frame["name"].as_str().unwrap(), frame["line"]),
            None => frame["name"].as_str().unwrap().to_owned(),
        };
        frames.iter().map(line).collect()
    }

    fn threads(&mut self) -> Vec<String> {
        let threads = self.ask("threads", Value::Null);
        let threads = threads["threads"].as_array().unwrap();
        let name = |thread: &Value| format!("{} {}", thread["id"], thread["name"].as_str().unwrap());
        threads.iter().map(name).collect()
    }

    /// The variables of a scope of a thread's innermost call: `name = value`.
    fn scope(&mut self, thread: u64, name: &str) -> Vec<String> {
        let frame = self.frames(thread)[0]["id"].clone();
        let scopes = self.ask("scopes", json!({"frameId": frame}));
        let scope = scopes["scopes"].as_array().unwrap();
        let scope = scope.iter().find(|scope| scope["name"] == name).expect(name);
        self.children(&scope["variablesReference"])
            .iter()
            .map(|(name, value, _)| format!("{name} = {value}"))
            .collect()
    }

    fn children(&mut self, reference: &Value) -> Vec<(String, String, Value)> {
        let variables = self.ask("variables", json!({"variablesReference": reference}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let variables = variables["variables"].as_array().unwrap().iter();
        variables
            .map(|v| {
                (
                    text(&v["name"]),
                    text(&v["value"]),
                    v["variablesReference"].clone(),
                )
            })
            .collect()
    }

    /// The value of an expression in a thread's innermost call.
    fn value(&mut self, thread: u64, expression: &str) -> String {
        let frame = self.frames(thread)[0]["id"].clone();
        let asked = json!({"expression": expression, "frameId": frame, "context": "watch"});
        let result = self.ask("evaluate", asked);
        result["result"].as_str().unwrap().to_owned()
    }

    /// Ends the session: the exit code, and what was written to standard error.
    fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let status = self.server.wait().unwrap();
        let mut text = String::new();
        let mut errors = self.server.stderr.take().unwrap();
        errors.read_to_string(&mut text).unwrap();
        assert!(!text.contains("panicked"), "{text}");
        (status.code(), text)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn a_deadlock_is_gone_through_both_ways() {
    let finding = Finding::of("corpus/cxx/deadlock/two_guards.cc");
    let mut client = Client::begun(&finding.path());
    assert_eq!(client.threads(), ["1 thread 0 (main)"]);

    let forwards = client.until("next", "exception");
    let steps = finding.report["schedule"].as_str().unwrap();
    assert!(forwards.len() >= 4, "{forwards:?} of {steps}");
    assert_eq!(client.threads(), ["1 thread 0 (main)", "2 thread 0.1"]);
    assert_eq!(
        client.stack(1),
        [
            "Account::transfer(Account&, int) two_guards.cc:12",
            "main two_guards.cc:23"
        ]
    );
    let other = client.stack(2);
    assert_eq!(other[0], "Account::transfer(Account&, int) two_guards.cc:12");
    assert!(other[1].starts_with("main::$_0::operator()() const two_guards.cc:22"));
    // What libstdc++ has between the thread and the program's function is one line.
    assert_eq!(other.len(), 3);
    assert!(other[2].starts_with("through ") && other[2].ends_with(" functions of a library"));

    let what = client.ask("exceptionInfo", json!({"threadId": 1}));
    assert_eq!(what["description"], finding.report["message"]);
    assert_eq!(what["exceptionId"], "deadlock");
    let stop = client.go("continue", json!({"threadId": 1}));
    assert_eq!(stop["text"], finding.report["message"]);
    assert_eq!(stop["reason"], "exception");

    // Members of nested structures, references, and who holds what.
    assert_eq!(client.value(1, "this->lock"), "mutex, held by thread 0");
    assert_eq!(client.value(1, "to.lock"), "mutex, held by thread 0.1");
    assert_eq!(client.value(1, "balance"), "10");
    assert_eq!(client.value(1, "to"), "&b");
    assert_eq!(client.value(2, "to"), "&a");
    assert_eq!(client.value(2, "amount"), "1");
    let state = client.scope(1, "Thread").join("\n");
    assert!(
        state.contains("waits for mutex `b.lock`, held by thread 0.1"),
        "{state}"
    );
    assert!(
        state.contains("holds `a.lock` = taken at two_guards.cc:11"),
        "{state}"
    );

    // The same stops on the way back, and again on the way forwards.
    let mut backwards = client.until("stepBack", "entry");
    assert_eq!(client.threads(), ["1 thread 0 (main)"]);
    let mut expected = forwards.clone();
    expected.pop();
    let begin = backwards.pop().unwrap();
    backwards.reverse();
    assert_eq!(backwards, expected);
    assert!(begin.starts_with("step 1 of "), "{begin}");
    assert_eq!(client.until("next", "exception"), forwards);
    let stop = client.go("restart", json!({}));
    assert_eq!(stop["reason"], "entry");
    assert_eq!(client.until("next", "exception"), forwards);

    client.ask("disconnect", json!({}));
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lines_are_gone_through_both_ways() {
    let finding = Finding::of("corpus/cxx/race/vector_like_growth.cc");
    let mut client = Client::begun(&finding.path());
    let forwards = client.until("stepIn", "exception");
    let report = &finding.report["location"];
    assert_eq!(report["line"], 11);
    assert_eq!(client.stack(2)[0], "Numbers::add(int) vector_like_growth.cc:11");
    let what = client.ask("exceptionInfo", json!({"threadId": 1}));
    assert_eq!(what["description"], finding.report["message"]);
    assert_eq!(client.value(2, "values[0]"), "1");
    assert_eq!(
        client.value(2, "this->values"),
        "[1, <undefined>, <undefined>, <undefined>]"
    );

    // Single stops, back to the beginning.
    let mut backwards = Vec::new();
    loop {
        let stop = client.go("stepBack", json!({"threadId": 1, "granularity": "instruction"}));
        let thread = stop["threadId"].as_u64().unwrap();
        let top = client.stack(thread).first().cloned().unwrap_or_default();
        backwards.push(format!("{} @ {top}", stop["description"].as_str().unwrap()));
        if stop["reason"] == "entry" {
            break;
        }
    }
    backwards.pop();
    backwards.reverse();
    assert_eq!(backwards, forwards[..forwards.len() - 1]);
    let lines = |line: &str| forwards.iter().filter(|stop| stop.ends_with(line)).count();
    assert!(lines("main vector_like_growth.cc:24") >= 1, "{forwards:#?}");
    assert!(lines("Numbers::size() const vector_like_growth.cc:13") >= 1);
    assert!(lines("Numbers::add(int) vector_like_growth.cc:9") >= 1);
}

#[test]
fn globals_have_the_values_of_the_stop() {
    let finding = Finding::of("corpus/c/race/copy_overlaps_field.c");
    let mut client = Client::begun(&finding.path());
    let mut before = client.scope(1, "Globals");
    before.sort();
    let zero = "{first: 0, second: 0, last: 0}";
    assert_eq!(before, [format!("source = {zero}"), format!("target = {zero}")]);
    client.go("continue", json!({"threadId": 1}));
    let threads = client.threads();
    assert_eq!(threads[0], "1 thread 0 (main)");
    assert_eq!(threads[1], "2 thread 0.1 (set_last)");
    // Whichever thread comes first.
    let last = client.value(1, "source.last");
    assert!(last == "0" || last == "1", "{last}");
    let whole = format!("{{first: 0, second: 0, last: {last}}}");
    assert_eq!(client.value(1, "source"), whole);
    client.go("reverseContinue", json!({"threadId": 1}));
    let mut after = client.scope(1, "Globals");
    after.sort();
    assert_eq!(after, before);
}

#[test]
fn breakpoints_are_at_lines_with_code() {
    let finding = Finding::of("corpus/cxx/race/vector_like_growth.cc");
    let mut client = Client::launched(&finding.path(), json!({"stopOnEntry": false}));
    let path = root().join("corpus/cxx/race/vector_like_growth.cc");
    let set = |client: &mut Client, path: &Path, lines: &[i64]| {
        let lines: Vec<Value> = lines.iter().map(|line| json!({"line": line})).collect();
        let told = client.ask(
            "setBreakpoints",
            json!({"source": {"path": path.display().to_string()}, "breakpoints": lines}),
        );
        let told = told["breakpoints"].as_array().unwrap().iter();
        told.map(|b| b["verified"] == true).collect::<Vec<bool>>()
    };
    let odd = [10, 23, 1, 100_000, -5, i64::MAX];
    assert_eq!(
        set(&mut client, &path, &odd),
        [true, true, false, false, false, false]
    );
    assert_eq!(set(&mut client, Path::new("/nowhere.c"), &[11]), [false]);
    client.ask("configurationDone", json!({}));
    let mut hits = Vec::new();
    let mut stop = client.stopped();
    while stop["reason"] == "breakpoint" {
        assert_eq!(stop["hitBreakpointIds"].as_array().unwrap().len(), 1);
        let thread = stop["threadId"].as_u64().unwrap();
        hits.push(client.stack(thread)[0].clone());
        stop = client.go("continue", json!({"threadId": 1}));
    }
    assert_eq!(stop["reason"], "exception");
    hits.sort();
    let expected = [
        "Numbers::add(int) vector_like_growth.cc:10",
        "main vector_like_growth.cc:23",
        "main::$_0::operator()() const vector_like_growth.cc:23",
    ];
    assert_eq!(hits, expected);
    // Backwards it is the same.
    let mut back = Vec::new();
    loop {
        let stop = client.go("reverseContinue", json!({"threadId": 1}));
        if stop["reason"] == "entry" {
            break;
        }
        let thread = stop["threadId"].as_u64().unwrap();
        back.push(client.stack(thread)[0].clone());
    }
    back.sort();
    assert_eq!(back, expected);
    // Without them it goes to the end.
    assert!(set(&mut client, &path, &[]).is_empty());
    let stop = client.go("continue", json!({"threadId": 1}));
    assert_eq!(stop["reason"], "exception");
    let sources = client.ask("loadedSources", json!({}));
    assert_eq!(sources["sources"][0]["path"], path.display().to_string());
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let finding = Finding::of("corpus/cxx/race/vector_like_growth.cc");
    let mut client = Client::start(&finding.path());
    assert!(
        client
            .refused("threads", json!({}))
            .contains("nothing was launched")
    );
    client.ask("initialize", json!({}));
    assert!(
        client
            .refused("launch", json!({"stepping": "far"}))
            .contains("arguments")
    );
    client.ask("launch", Value::Null);
    assert_eq!(client.next()["event"], "initialized");
    assert!(client.refused("launch", json!({})).contains("before"));
    client.ask("configurationDone", json!({}));
    client.stopped();
    for (command, arguments) in [
        ("fly", json!({})),
        ("", json!({})),
        ("next", json!({})),
        ("next", json!({"threadId": 0})),
        ("next", json!({"threadId": 99})),
        ("next", json!({"threadId": -1})),
        ("next", json!({"threadId": "1"})),
        ("stackTrace", json!({"threadId": u64::MAX})),
        ("scopes", json!({"frameId": 0})),
        ("scopes", json!({"frameId": u64::MAX})),
        ("variables", json!({"variablesReference": 12345})),
        ("source", json!({"sourceReference": u64::MAX})),
        ("evaluate", json!({"expression": "nothing"})),
        ("evaluate", json!({"expression": ""})),
        ("evaluate", json!({"expression": "*".repeat(100_000)})),
        ("evaluate", json!({"expression": "(".repeat(100_000)})),
        ("evaluate", json!({"expression": "1 + 1"})),
        ("evaluate", json!({"expression": "ä[99999999999999999999]"})),
        ("exceptionInfo", json!({"threadId": 1})),
        ("setBreakpoints", json!([])),
        ("setFunctionBreakpoints", json!({"breakpoints": []})),
    ] {
        let why = client.refused(command, arguments);
        assert!(!why.is_empty());
    }
    // Numbers of before do not mean something else.
    let frame = client.frames(1)[0]["id"].clone();
    client.go("next", json!({"threadId": 1}));
    assert!(
        client
            .refused("scopes", json!({"frameId": frame}))
            .contains("no frame")
    );
    // Many levels and frames are fine.
    let asked = json!({"threadId": 1, "startFrame": 1_000_000, "levels": 1_000_000});
    assert_eq!(client.ask("stackTrace", asked)["stackFrames"], json!([]));
    client.ask("pause", json!({"threadId": 1}));
    client.ask("terminate", json!({}));
    assert_eq!(client.next()["event"], "terminated");
    client.ask("disconnect", json!({}));
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn broken_messages_neither_hang_nor_panic() {
    let finding = Finding::of("corpus/cxx/race/vector_like_growth.cc");
    let path = finding.path();

    // What has a right length is refused, and the next message is read.
    let mut client = Client::start(&path);
    let deep = "[".repeat(100_000);
    let texts = [
        "{",
        "",
        "null",
        "[]",
        "\"request\"",
        "{\"type\":\"response\"}",
        "\u{0}",
        &deep,
    ];
    for text in texts {
        client.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        let answer = client.next();
        assert_eq!(answer["success"], false, "{text:?}: {answer}");
    }
    client.raw(b"Content-Length: 2\r\n\r\n\xff\xfe");
    assert_eq!(client.next()["success"], false);
    client.ask("initialize", json!({}));
    assert_eq!(client.end().0, Some(0));

    // After others nobody knows where the next one begins.
    let long = vec![b'x'; 1 << 20];
    let headers: [&[u8]; 7] = [
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Length: 9999999999\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: two\r\n\r\n{}",
        b"{\"seq\":1}\r\n\r\n",
        b"\r\n\r\n",
        &long,
    ];
    for header in headers {
        let mut client = Client::start(&path);
        client.raw(header);
        let answer = client.next();
        assert_eq!(answer["success"], false);
        let (code, errors) = client.end();
        assert_eq!(code, Some(2));
        assert!(
            errors.starts_with("error: a message has no usable header"),
            "{errors}"
        );
    }

    // The client goes in the midst of a message.
    let mut client = Client::start(&path);
    client.raw(b"Content-Length: 100\r\n\r\n{}");
    assert_eq!(client.end().0, Some(2));
}

#[test]
fn bad_findings_are_said_before_anything_is_served() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("no.json");
    let run = |arguments: &[&str]| {
        let output = selvedge(arguments).stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.stdout.is_empty());
        assert!(errors.starts_with("error: "), "{errors}");
        output.status.code()
    };
    let path = file.display().to_string();
    assert_eq!(run(&["debug", &path]), Some(2));
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(run(&["debug", &path]), Some(2));
    assert_eq!(run(&["debug"]), Some(1));
}

#[test]
fn a_program_that_has_changed_is_told_to_the_client() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("race.c");
    let text = std::fs::read_to_string(root().join("corpus/c/race/copy_overlaps_field.c")).unwrap();
    std::fs::write(&program, &text).unwrap();
    let finding = Finding::of(&program.display().to_string());
    let path = finding.path();

    // It cannot be compiled any more.
    std::fs::write(&program, "int main(void) {").unwrap();
    let mut client = Client::start_trusted(&path);
    client.ask("initialize", json!({}));
    let why = client.refused("launch", json!({}));
    assert!(why.contains("race.c"), "{why}");
    client.ask("disconnect", json!({}));
    assert_eq!(client.end().0, Some(2));

    // It does something else.
    std::fs::write(&program, "int main(void) { return 0; }").unwrap();
    let mut client = Client::start_trusted(&path);
    client.ask("initialize", json!({}));
    let why = client.refused("launch", json!({}));
    assert!(why.contains("the schedule does not fit the program"), "{why}");
    client.ask("disconnect", json!({}));
    assert_eq!(client.end().0, Some(5));
}

#[test]
fn it_listens_on_a_port() {
    let finding = Finding::of("corpus/c/race/copy_overlaps_field.c");
    let mut server = selvedge(&["debug", "--port", "0", &finding.path()])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut errors = BufReader::new(server.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let received = messages(stream.try_clone().unwrap());
    for text in [
        json!({"seq": 1, "type": "request", "command": "initialize", "arguments": {}}),
        json!({"seq": 2, "type": "request", "command": "disconnect"}),
    ] {
        let text = text.to_string();
        write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        assert_eq!(received.recv_timeout(PATIENCE).unwrap()["success"], true);
    }
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
