//! Channels of Rust's standard library, whose operations are one step each: what comes of random
//! programs is what comes of executing their operations one after the other, in any order.

use selvedge_base::usual_or_long;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// An operation of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    /// Of a sender, with the message.
    Send(u8),
    TrySend(u8),
    /// Of the receiver.
    Receive,
    TryReceive,
}

/// What comes of an operation, as a digit: a message, or one of these.
const SENT: u8 = 0;
const GONE: u8 = 7;
const FULL: u8 = 8;
const EMPTY: u8 = 9;

/// A program: what the receiver does, which is the main thread, and what each sender does.
#[derive(Clone, Debug)]
struct Program {
    /// The most messages that the channel keeps, if it has a limit.
    limit: Option<usize>,
    receiver: Vec<Op>,
    senders: Vec<Vec<Op>>,
}

impl Program {
    fn random(seed: u64) -> Program {
        let mut rng = fastrand::Rng::with_seed(seed);
        let limit = [None, Some(1), Some(2)][rng.usize(0..3)];
        let senders = 1 + rng.usize(0..2);
        let most = 4 - senders;
        let mut message = 0;
        let mut send = |rng: &mut fastrand::Rng| {
            message += 1;
            match limit.is_some() && rng.bool() {
                true => Op::TrySend(message),
                false => Op::Send(message),
            }
        };
        Program {
            limit,
            senders: (0..senders)
                .map(|_| (0..1 + rng.usize(0..most)).map(|_| send(&mut rng)).collect())
                .collect(),
            receiver: (0..1 + rng.usize(0..3))
                .map(|_| [Op::Receive, Op::TryReceive][rng.usize(0..2)])
                .collect(),
        }
    }

    /// What each order of the operations makes of it.
    fn outcomes(&self) -> BTreeSet<Option<u64>> {
        let mut outcomes = BTreeSet::new();
        let mut open = vec![State {
            queue: VecDeque::new(),
            done: vec![Vec::new(); 1 + self.senders.len()],
        }];
        let mut seen = BTreeSet::new();
        while let Some(state) = open.pop() {
            let mut moved = false;
            for thread in 0..state.done.len() {
                if let Some(next) = self.step(&state, thread) {
                    moved = true;
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            if !moved {
                outcomes.insert(self.number(&state));
            }
        }
        outcomes
    }

    fn script(&self, thread: usize) -> &[Op] {
        match thread.checked_sub(1) {
            None => &self.receiver,
            Some(sender) => &self.senders[sender],
        }
    }

    fn has_ended(&self, state: &State, thread: usize) -> bool {
        state.done[thread].len() == self.script(thread).len() + 1
    }

    /// What comes after the next operation of a thread, which may also be its end: then its end of
    /// the channel is gone.
    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let done = state.done[thread].len();
        if self.has_ended(state, thread) {
            return None;
        }
        let mut next = state.clone();
        let no_senders = (1..state.done.len()).all(|sender| self.has_ended(state, sender));
        let no_receiver = self.has_ended(state, 0);
        let full = self.limit.is_some_and(|limit| state.queue.len() >= limit);
        let digit = match self.script(thread).get(done) {
            None => 0,
            Some(Op::Send(_) | Op::TrySend(_)) if no_receiver => GONE,
            Some(Op::Send(_)) if full => return None,
            Some(Op::TrySend(_)) if full => FULL,
            Some(&(Op::Send(message) | Op::TrySend(message))) => {
                next.queue.push_back(message);
                SENT
            }
            Some(Op::Receive | Op::TryReceive) if !state.queue.is_empty() => next.queue.pop_front()?,
            Some(Op::Receive | Op::TryReceive) if no_senders => GONE,
            Some(Op::Receive) => return None,
            Some(Op::TryReceive) => EMPTY,
        };
        next.done[thread].push(digit);
        Some(next)
    }

    /// The digits of all threads as one number; `None` if the program does not come to its end.
    fn number(&self, state: &State) -> Option<u64> {
        if !(0..state.done.len()).all(|thread| self.has_ended(state, thread)) {
            return None;
        }
        let digits = state.done.iter().flat_map(|digits| &digits[..digits.len() - 1]);
        Some(digits.fold(0, |number, digit| number * 10 + u64::from(*digit)))
    }

    /// The program in Rust, which says for each outcome that is expected, and for all others
    /// together, in a line of its own that it came to it; with these lines.
    fn text(&self, expected: &BTreeSet<Option<u64>>) -> (String, Vec<(Option<u64>, usize)>) {
        let mut text = PRELUDE.to_owned();
        let channel = match self.limit {
            None => "channel::<u8>()".to_owned(),
            Some(limit) => format!("sync_channel::<u8>({limit})"),
        };
        let _ = writeln!(text, "fn main() {{\n    let (tx, rx) = {channel};");
        for (number, sender) in self.senders.iter().enumerate() {
            let _ = writeln!(
                text,
                "    let own = tx.clone();\n    let t{number} = thread::spawn(move || {{\n        let mut n = 0;"
            );
            for op in sender {
                let call = match op {
                    Op::Send(message) => format!("sent(own.send({message}))"),
                    Op::TrySend(message) => format!("tried(own.try_send({message}))"),
                    Op::Receive | Op::TryReceive => unreachable!("a sender receives"),
                };
                let _ = writeln!(text, "        n = n * 10 + {call};");
            }
            text.push_str("        drop(own);\n        n\n    });\n");
        }
        text.push_str("    drop(tx);\n    let mut n = 0u64;\n");
        for op in &self.receiver {
            let call = match op {
                Op::Receive => "received(rx.recv())",
                _ => "received(rx.try_recv())",
            };
            let _ = writeln!(text, "    n = n * 10 + {call};");
        }
        text.push_str("    drop(rx);\n");
        for (number, sender) in self.senders.iter().enumerate() {
            let by = 10u64.pow(sender.len() as u32);
            let _ = writeln!(text, "    n = n * {by} + t{number}.join().unwrap();");
        }
        text.push_str("    match n {\n");
        let mut lines = Vec::new();
        for outcome in expected.iter().flatten() {
            let _ = writeln!(text, "        {outcome} => unsafe {{ reach_error() }},");
            lines.push((Some(*outcome), text.lines().count()));
        }
        text.push_str("        _ => unsafe { reach_error() },\n    }\n}\n");
        lines.push((None, text.lines().count() - 2));
        (text, lines)
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    queue: VecDeque<u8>,
    /// What came of the operations of each thread so far, with one more if it has ended.
    done: Vec<Vec<u8>>,
}

const PRELUDE: &str = "\
#![allow(unused)]
use std::sync::mpsc::*;
use std::thread;
extern \"C\" { fn reach_error(); }
fn sent(result: Result<(), SendError<u8>>) -> u64 { if result.is_ok() { 0 } else { 7 } }
fn tried(result: Result<(), TrySendError<u8>>) -> u64 {
    match result { Ok(()) => 0, Err(TrySendError::Disconnected(_)) => 7, Err(TrySendError::Full(_)) => 8 }
}
trait Digit { fn digit(&self) -> u64; }
impl Digit for RecvError { fn digit(&self) -> u64 { 7 } }
impl Digit for TryRecvError {
    fn digit(&self) -> u64 { if *self == TryRecvError::Empty { 9 } else { 7 } }
}
fn received<E: Digit>(result: Result<u8, E>) -> u64 {
    match result { Ok(message) => message as u64, Err(error) => error.digit() }
}
";

/// The lines in which errors were reached, and whether there is a deadlock.
fn found(program: &Path, arguments: &[&str]) -> Result<(BTreeSet<usize>, bool), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args([
        "check",
        "--quiet",
        "--finding",
        "none",
        "--format",
        "json",
        "--stop",
        "never",
    ]);
    command.args(["--spurious-wakeups", "off"]);
    let output = command.args(arguments).arg(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{error}: {output:?}"))?;
    if report["verdict"] == "unknown" {
        return Err(format!("unknown: {}", report["reasons"]));
    }
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let is = |finding: &&serde_json::Value, property| finding["property"] == property;
    let errors = findings.iter().filter(|finding| is(finding, "unreach-call"));
    let lines = errors.map(|finding| finding["location"]["line"].as_u64().unwrap() as usize);
    let others = findings
        .iter()
        .find(|f| !is(f, "unreach-call") && !is(f, "no-deadlock"));
    assert_eq!(others, None, "{program:?}");
    Ok((lines.collect(), findings.iter().any(|f| is(&f, "no-deadlock"))))
}

#[test]
fn outcomes_are_those_of_operations_one_after_the_other() {
    let directory = tempfile::tempdir().unwrap();
    for seed in 0..usual_or_long(8, 400) {
        let program = Program::random(seed);
        let expected = program.outcomes();
        let (text, lines) = program.text(&expected);
        let path = directory.path().join("program.rs");
        std::fs::write(&path, &text).unwrap();
        let strategy = ["auto", "unfold", "stateful", "dpor"][seed as usize % 4];
        let (reached, deadlock) = match found(&path, &["--strategy", strategy, "--max-time", "120s"]) {
            Ok(found) => found,
            Err(why) => panic!("seed {seed}, {strategy}: {why}\n{text}"),
        };
        let of_lines = |line: &usize| {
            lines
                .iter()
                .find(|(_, at)| at == line)
                .map(|(outcome, _)| *outcome)
        };
        let mut outcomes: BTreeSet<Option<Option<u64>>> = reached.iter().map(of_lines).collect();
        // An outcome that is not expected has the last line.
        assert!(!outcomes.contains(&Some(None)), "seed {seed}, {strategy}\n{text}");
        assert!(
            !outcomes.contains(&None),
            "seed {seed}: {reached:?} {lines:?}\n{text}"
        );
        if deadlock {
            outcomes.insert(Some(None));
        }
        let expected: BTreeSet<Option<Option<u64>>> = expected.into_iter().map(Some).collect();
        assert_eq!(outcomes, expected, "seed {seed}, {strategy}\n{text}");
    }
}
