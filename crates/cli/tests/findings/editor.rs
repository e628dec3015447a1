//! `selvedge lsp` as an editor sees it.

use crate::STATS;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
}

impl Editor {
    fn start(directory: &Path, arguments: &[&str], options: Value) -> Editor {
        let mut server = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .arg("lsp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    match line.trim().strip_prefix("Content-Length: ") {
                        Some(number) => length = number.parse().unwrap(),
                        None if line.trim().is_empty() => break,
                        None => {}
                    }
                }
                let mut text = vec![0; length];
                output.read_exact(&mut text).unwrap();
                let _ = sender.send(serde_json::from_slice(&text).unwrap());
            }
        });
        let mut editor = Editor {
            input: server.stdin.take(),
            server,
            messages,
        };
        let root = format!("file://{}", directory.display());
        editor.send(
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "processId": null, "rootUri": root, "capabilities": {}, "initializationOptions": options}}),
        );
        let answer = editor.next(|message| message["id"] == 1);
        assert_eq!(
            answer["result"]["capabilities"]["textDocumentSync"]["save"]["includeText"],
            false
        );
        editor.send(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        editor
    }

    fn send(&mut self, message: Value) {
        let text = message.to_string();
        write!(
            self.input.as_mut().unwrap(),
            "Content-Length: {}\r\n\r\n{text}",
            text.len()
        )
        .unwrap();
    }

    fn next(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("a message in time");
            if is_it(&message) {
                return message;
            }
        }
    }

    fn save(&mut self, file: &Path) {
        let uri = format!("file://{}", file.display());
        self.send(json!({"jsonrpc": "2.0", "method": "textDocument/didSave", "params": {"textDocument": {"uri": uri}}}));
    }

    fn diagnostics(&self) -> Value {
        self.next(|message| message["method"] == "textDocument/publishDiagnostics")["params"].clone()
    }

    fn logged(&self) -> String {
        let message = self.next(|message| message["method"] == "window/logMessage");
        message["params"]["message"].as_str().unwrap().to_owned()
    }

    fn end(mut self) -> Option<i32> {
        self.send(json!({"jsonrpc": "2.0", "id": 9, "method": "shutdown"}));
        assert_eq!(self.next(|message| message["id"] == 9)["result"], Value::Null);
        self.send(json!({"jsonrpc": "2.0", "method": "exit"}));
        drop(self.input.take());
        self.server.wait().unwrap().code()
    }
}

#[test]
fn findings_come_and_go_as_files_are_saved() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let file = root.join("program.c");
    fs::write(&file, STATS).unwrap();
    let mut editor = Editor::start(&root, &[], Value::Null);
    editor.save(&file);
    let told = editor.diagnostics();
    assert_eq!(told["uri"], format!("file://{}", file.display()));
    let first = &told["diagnostics"][0];
    assert_eq!(
        (&first["source"], &first["code"], &first["severity"]),
        (&json!("selvedge"), &json!("data-race"), &json!(1))
    );
    assert!(first["message"].as_str().unwrap().contains("cause: "), "{first}");
    let line = first["range"]["start"]["line"].as_u64().unwrap() as usize;
    assert!(STATS.lines().nth(line).unwrap().contains("hits"), "{first}");
    let related = &first["relatedInformation"][0];
    assert!(
        related["message"].as_str().unwrap().contains("the other access"),
        "{first}"
    );
    assert_eq!(related["location"]["uri"], told["uri"]);
    assert!(editor.logged().contains("verdict: violated"));

    // Mended: nothing is left. A header alone is no program.
    fs::write(&file, "int main(void) { return 0; }\n").unwrap();
    editor.save(&root.join("program.h"));
    editor.save(&file);
    assert_eq!(editor.diagnostics()["diagnostics"], json!([]));
    assert_eq!(editor.logged(), "verdict: verified");

    fs::write(&file, "int main(void) {").unwrap();
    editor.save(&file);
    let said = editor.logged();
    assert!(
        said.contains("exit code 2") && said.contains("program.c"),
        "{said}"
    );
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_check_has_a_limit_of_time_and_ends_with_a_newer_one() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let endless = "#include <stdatomic.h>\n#include <pthread.h>\natomic_uint n;\nstatic void *f(void *p) { for (;;) atomic_fetch_add(&n, 1); return p; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); pthread_join(a, 0); return 0; }\n";
    fs::write(root.join("endless.c"), endless).unwrap();
    fs::write(root.join("safe.c"), "int main(void) { return 0; }\n").unwrap();
    // Without the bound on events, the check would end by that on a fast machine.
    let arguments = ["--strategy", "dpor", "--max-events", "1000000000"];
    let options = json!({"maxSeconds": 2, "arguments": arguments});
    let mut editor = Editor::start(&root, &["--max-time", "1h"], options);
    editor.save(&root.join("endless.c"));
    let said = editor.logged();
    assert!(
        said.starts_with("verdict: unknown") && said.contains("unknown: time: "),
        "{said}"
    );
    // The answer is about the last save.
    editor.save(&root.join("endless.c"));
    editor.save(&root.join("safe.c"));
    assert_eq!(editor.logged(), "verdict: verified");
    editor.save(&root.join("endless.c"));
    assert_eq!(editor.end(), Some(0));
}
