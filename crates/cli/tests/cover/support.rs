//! Running the command and what it builds, and the slow oracle of what a schedule has to keep.

use selvedge_schedule::cover::{Cover, Label, Operation, Order, Step, Target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of its own for one test, removed at the end.
pub struct Place(pub tempfile::TempDir);

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn selvedge(&self, words: &[&str]) -> Ended {
        self.start(Path::new(env!("CARGO_BIN_EXE_selvedge")), words, &[])
    }

    /// Runs a built program with a word, delays from a seed, and the order it writes.
    pub fn native(&self, program: &str, word: &str, seed: u64) -> (Ended, Vec<(String, u32, String)>) {
        let order = self.path("order");
        let _ = std::fs::remove_file(&order);
        let set = [
            ("SELVEDGE_DELAYS", seed.to_string()),
            ("SELVEDGE_ORDER", order.display().to_string()),
        ];
        let ended = self.start(&self.path(program), &[word], &set);
        let text = std::fs::read_to_string(&order).unwrap_or_default();
        let parse = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let thread = words.next().unwrap().to_owned();
            let number = words.next().unwrap().parse().unwrap();
            (thread, number, words.next().unwrap().to_owned())
        };
        (ended, text.lines().map(parse).collect())
    }

    fn start(&self, program: &Path, words: &[&str], set: &[(&str, String)]) -> Ended {
        let mut command = Command::new("timeout");
        command
            .arg("60")
            .arg(program)
            .args(words)
            .current_dir(self.0.path());
        command.envs(set.iter().map(|(name, value)| (name, value.as_str())));
        let output = command.output().unwrap();
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Covers a program of one symbolic argument of one byte, and builds it.
    pub fn cover_and_build(&self, text: &str) -> Cover {
        self.write("program.c", text);
        let ended = self.selvedge(&["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"]);
        assert_eq!(ended.code, Some(0), "{ended:?}\n{text}");
        self.build("set");
        self.read("set")
    }

    pub fn read(&self, set: &str) -> Cover {
        let text = std::fs::read_to_string(self.path(set)).unwrap();
        let cover: Cover = text.parse().unwrap();
        assert_eq!(cover.to_string(), text, "the text comes back");
        cover
    }

    pub fn build(&self, set: &str) {
        let ended = self.selvedge(&["build", "program.c", "--schedules", set, "-o", "program"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

/// Whether two operations of different threads must stay in their order: a list of its own, not
/// that of the product.
fn depend(one: &Step, other: &Step) -> bool {
    use Operation as O;
    let (a, b) = (&one.label, &other.label);
    match (a.operation, b.operation) {
        (O::End, O::Join) => b.target == Target::Thread(one.thread.clone()),
        (O::End, O::Exit) => true,
        (O::Post, O::Post) | (O::Value, O::Value) => false,
        // Who leaves a barrier waits for the one that completed it: see `keeps`.
        (O::Leave, O::Leave) | (O::Leave, O::Arrive) | (O::Arrive, O::Leave) => false,
        _ => matches!((&a.target, &b.target), (Target::Object(x), Target::Object(y)) if x == y),
    }
}

/// Whether what operations wait for keeps all dependent ones in order: every pair, through all
/// paths.
pub fn keeps(order: &Order) -> bool {
    let steps = &order.steps;
    let mut place: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    let mut count: BTreeMap<&str, u32> = BTreeMap::new();
    let mut before: Vec<Vec<bool>> = Vec::new();
    let mut completed: BTreeMap<&Target, usize> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        let mut mine = vec![false; steps.len()];
        let number = count.entry(&step.thread).or_insert(0);
        *number += 1;
        let mut direct: Vec<usize> = step.after.iter().map(|(t, n)| place[&(t.as_str(), *n)]).collect();
        match *number {
            1 if step.thread != "0" => {
                let child = Target::Thread(step.thread.clone());
                let creates = |s: &Step| s.label.operation == Operation::Create && s.label.target == child;
                direct.push(steps.iter().position(creates).unwrap());
            }
            1 => {}
            number => direct.push(place[&(step.thread.as_str(), number - 1)]),
        }
        for earlier in direct {
            mine[earlier] = true;
            (0..at).for_each(|i| mine[i] |= before[earlier][i]);
        }
        place.insert((&step.thread, *number), at);
        let all = (0..at).all(|i| mine[i] || steps[i].thread == step.thread || !depend(&steps[i], step));
        let lets_go = step.label.operation != Operation::Leave
            || completed
                .get(&step.label.target)
                .is_some_and(|&i| mine[i] || steps[i].thread == step.thread);
        if !all || !lets_go {
            return false;
        }
        if step.outcome == selvedge_schedule::cover::Outcome::Serial {
            completed.insert(&step.label.target, at);
        }
        before.push(mine);
    }
    true
}

/// The schedule that operations were done by, if they are those of one, in an order that differs
/// from its order only for independent ones.
pub fn followed(cover: &Cover, done: &[(String, u32, String)]) -> Option<usize> {
    let text = |label: &Label| cover.text(label);
    let fits = |order: &Order| {
        let mut count: BTreeMap<&str, u32> = BTreeMap::new();
        let mut place = Vec::new();
        for step in &order.steps {
            let number = count.entry(&step.thread).or_insert(0);
            *number += 1;
            let is = |(t, n, what): &(String, u32, String)| {
                *t == step.thread && n == number && *what == text(&step.label)
            };
            let Some(at) = done.iter().position(is) else {
                return false;
            };
            place.push(at);
        }
        let steps = &order.steps;
        let kept = |i: usize, j: usize| {
            steps[i].thread == steps[j].thread || !depend(&steps[i], &steps[j]) || place[i] < place[j]
        };
        done.len() == steps.len() && (0..steps.len()).all(|j| (0..j).all(|i| kept(i, j)))
    };
    cover.schedules.iter().position(fits)
}
