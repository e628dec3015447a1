//! Running the command and what it builds, and the slow oracle of what a schedule has to keep.

use selvedge_cover::{Plan, Without};
use selvedge_instrument::{Native, OnDeviation, Source, rewritten, runtime};
use selvedge_schedule::cover::{Cover, Label, Object, Operation, Order, Outcome, Step, Target};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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
        self.native_of(program, &[word], seed)
    }

    /// The same with several words.
    pub fn native_of(&self, program: &str, words: &[&str], seed: u64) -> (Ended, Vec<(String, u32, String)>) {
        let order = self.path("order");
        let _ = std::fs::remove_file(&order);
        let set = [
            ("SELVEDGE_DELAYS", seed.to_string()),
            ("SELVEDGE_ORDER", order.display().to_string()),
        ];
        let ended = self.start(&self.path(program), words, &set);
        (ended, Self::operations(&order))
    }

    /// The same with requests from standard input, each byte of which comes by itself.
    pub fn serve(&self, program: &str, input: &[u8], seed: u64) -> (Ended, Vec<(String, u32, String)>) {
        self.serve_slowly(program, input, seed, Duration::ZERO)
    }

    /// The same, with a pause after each byte.
    pub fn serve_slowly(
        &self,
        program: &str,
        input: &[u8],
        seed: u64,
        pause: Duration,
    ) -> (Ended, Vec<(String, u32, String)>) {
        let order = self.path("order");
        let _ = std::fs::remove_file(&order);
        let mut command = Command::new("timeout");
        command
            .arg("20")
            .arg(self.path(program))
            .current_dir(self.0.path());
        command.env("SELVEDGE_ORDER", &order);
        if seed > 0 {
            command.env("SELVEDGE_DELAYS", seed.to_string());
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut to = child.stdin.take().unwrap();
        for byte in input {
            // It may have ended.
            if to.write_all(&[*byte]).is_err() {
                break;
            }
            std::thread::sleep(pause);
        }
        drop(to);
        let output = child.wait_with_output().unwrap();
        let ended = Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        (ended, Self::operations(&order))
    }

    fn operations(order: &Path) -> Vec<(String, u32, String)> {
        let text = std::fs::read_to_string(order).unwrap_or_default();
        let parse = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let thread = words.next().unwrap().to_owned();
            let number = words.next().unwrap().parse().unwrap();
            (thread, number, words.next().unwrap().to_owned())
        };
        text.lines().map(parse).collect()
    }

    fn start(&self, program: &Path, words: &[&str], set: &[(&str, String)]) -> Ended {
        let mut command = Command::new("timeout");
        command
            .arg("20")
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

    /// Writes the sources of a program of one symbolic argument of one byte, covers and builds it.
    /// A line of the first one, `// options:`, has further options.
    pub fn cover_and_build_all(&self, sources: &[(&str, &str)]) -> Cover {
        let mut lines = sources[0].1.lines();
        let options = lines.find_map(|line| line.strip_prefix("// options: "));
        let options: Vec<&str> = options.unwrap_or_default().split_whitespace().collect();
        sources.iter().for_each(|(name, text)| self.write(name, text));
        let names = sources.iter().map(|source| source.0);
        let names: Vec<&str> = names.filter(|name| !name.ends_with(".h")).collect();
        let asked = ["--symbolic-args", "1:1", "-o", "set"];
        let words = [&["cover"], &names[..], &options, &asked].concat();
        let ended = self.selvedge(&words);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let words = [&["build"], &names[..], &["--schedules", "set", "-o", "program"]].concat();
        let ended = self.selvedge(&words);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        self.read("set")
    }

    pub fn read(&self, set: &str) -> Cover {
        let text = std::fs::read_to_string(self.path(set)).unwrap();
        let cover: Cover = text.parse().unwrap();
        assert_eq!(cover.to_string(), text, "the text comes back");
        cover
    }

    /// Builds the program by a plan that need not be the set's.
    pub fn build_by(&self, cover: &Cover, plan: &Plan) {
        self.build_with(cover, plan, |runtime| runtime);
    }

    /// The same with a runtime that is changed.
    pub fn build_with(&self, cover: &Cover, plan: &Plan, change: impl Fn(String) -> String) {
        let clang = |words: &[&str]| {
            let mut clang = selvedge_frontend::wrap::compiler(false).unwrap();
            let status = clang.args(words).current_dir(self.0.path()).status();
            assert!(status.unwrap().success(), "{words:?}");
        };
        let flags = ["-O2", "-g", "-pthread"];
        let early = ["-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"];
        clang(&[&flags[..], &early, &["program.c", "-o", "module.ll"]].concat());
        let module = std::fs::read_to_string(self.path("module.ll")).unwrap();
        self.write("ours.ll", &rewritten(&[module], cover).unwrap()[0]);
        let native = Native {
            on: OnDeviation::Stop,
            without: &Without::default(),
        };
        let tables = runtime(cover, plan, Source::C, &native).unwrap();
        self.write("runtime.c", &change(tables));
        clang(&[&flags[..], &["ours.ll", "runtime.c", "-o", "program"]].concat());
    }

    /// Builds the program as it is, without schedules, and runs it.
    pub fn build_plain(&self) {
        let mut clang = selvedge_frontend::wrap::compiler(false).unwrap();
        let words = ["-O1", "-pthread", "program.c", "-o", "plain"];
        let status = clang.args(words).current_dir(self.0.path()).status();
        assert!(status.unwrap().success());
    }

    pub fn start_plain(&self, words: &[&str]) -> Ended {
        self.start(&self.path("plain"), words, &[])
    }

    pub fn build(&self, set: &str) {
        let ended = self.selvedge(&["build", "program.c", "--schedules", set, "-o", "program"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

/// Whether a step takes or gives back a read-write lock for reading only: an unlock does if its
/// thread took the lock so.
fn is_shared(steps: &[Step], at: usize) -> bool {
    use Operation as O;
    let step = &steps[at];
    match step.label.operation {
        O::ReadLock => true,
        O::Unlock => steps[..at]
            .iter()
            .rev()
            .filter(|s| s.thread == step.thread && s.label.target == step.label.target)
            .find(|s| s.outcome == Outcome::Done)
            .is_some_and(|s| matches!(s.label.operation, O::ReadLock | O::TryReadLock)),
        _ => false,
    }
}

/// What a step does to a condition variable, and to a lock.
fn parts(step: &Step) -> (Option<usize>, Option<usize>) {
    use Operation as O;
    match (&step.label.target, step.label.operation) {
        // Whoever gives up does not take the mutex yet.
        (&Target::Wait(condition, _), O::Wake) if step.outcome == Outcome::Failed => (Some(condition), None),
        (&Target::Wait(condition, mutex), _) => (Some(condition), Some(mutex)),
        (&Target::Object(object), _) => (Some(object), Some(object)),
        _ => (None, None),
    }
}

/// Whether two operations of different threads must stay in their order: a list of its own, not
/// that of the product.
fn depend(steps: &[Step], first: usize, second: usize) -> bool {
    use Operation as O;
    let (one, other) = (&steps[first], &steps[second]);
    let (a, b) = (&one.label, &other.label);
    if is_shared(steps, first) && is_shared(steps, second) {
        return false;
    }
    let waits = |s: &Step| matches!(s.label.operation, O::Sleep | O::Wake);
    if waits(one) || waits(other) {
        let ((condition, mutex), (condition2, mutex2)) = (parts(one), parts(other));
        // Who wakes whom: see `keeps`.
        let ends = |s: &Step| s.label.operation == O::Wake && s.outcome == Outcome::Done;
        let wakes = |s: &Step| matches!(s.label.operation, O::Signal | O::Broadcast);
        let apart = waits(one) && waits(other) || ends(one) && wakes(other) || wakes(one) && ends(other);
        let same = |x: Option<usize>, y: Option<usize>| x.is_some() && x == y;
        return same(mutex, mutex2) && !wakes(one) && !wakes(other) || same(condition, condition2) && !apart;
    }
    match (a.operation, b.operation) {
        (O::End, O::Join) => b.target == Target::Thread(one.thread.clone()),
        (O::End, O::Exit) => true,
        (O::Detach, O::Detach | O::Join) | (O::Join, O::Detach) => a.target == b.target,
        (O::Post, O::Post) | (O::Value, O::Value) => false,
        // What is done at a place may be done to any object: runs show whether the order is kept.
        (O::At, O::At) => false,
        // Who leaves a barrier waits for all who arrived: see `keeps`.
        (O::Leave | O::Arrive, O::Leave | O::Arrive) => false,
        _ => matches!((&a.target, &b.target), (Target::Object(x), Target::Object(y)) if x == y),
    }
}

/// Which step creates a thread; none for the first one.
fn created(steps: &[Step], thread: &str) -> Option<usize> {
    let creates = |s: &Step| {
        s.label.operation == Operation::Create && matches!(&s.label.target, Target::Thread(t) if t == thread)
    };
    steps.iter().position(creates)
}

/// For each step that leaves a barrier, the arrivals of its round.
fn rounds(steps: &[Step]) -> BTreeMap<usize, Vec<usize>> {
    let mut arrived: BTreeMap<&Target, Vec<usize>> = BTreeMap::new();
    let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut rounds = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        match step.label.operation {
            Operation::Arrive => arrived.entry(&step.label.target).or_default().push(at),
            Operation::Leave => {
                rounds.insert(at, of.remove(step.thread.as_str()).unwrap());
            }
            _ => {}
        }
        if step.outcome == Outcome::Serial {
            let round = arrived.remove(&step.label.target).unwrap();
            round
                .iter()
                .for_each(|&i| drop(of.insert(&steps[i].thread, round.clone())));
        }
    }
    rounds
}

/// Whether what operations wait for keeps all dependent ones in order: every pair, through all
/// paths.
pub fn keeps(order: &Order) -> bool {
    let steps = &order.steps;
    let mut place: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    let mut count: BTreeMap<&str, u32> = BTreeMap::new();
    let mut before: Vec<Vec<bool>> = Vec::new();
    let rounds = rounds(steps);
    let mut asleep: Vec<(&str, usize)> = Vec::new();
    let mut woken: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        let mut mine = vec![false; steps.len()];
        let number = count.entry(&step.thread).or_insert(0);
        *number += 1;
        let mut direct: Vec<usize> = step.after.iter().map(|(t, n)| place[&(t.as_str(), *n)]).collect();
        match *number {
            1 if step.thread != "0" => {
                direct.extend(created(steps, &step.thread));
            }
            1 => {}
            number => direct.push(place[&(step.thread.as_str(), number - 1)]),
        }
        for earlier in direct {
            mine[earlier] = true;
            (0..at).for_each(|i| mine[i] |= before[earlier][i]);
        }
        place.insert((&step.thread, *number), at);
        let all = (0..at).all(|i| mine[i] || steps[i].thread == step.thread || !depend(steps, i, at));
        let known = |i: usize| mine[i] || steps[i].thread == step.thread;
        let lets_go = match step.label.operation {
            Operation::Leave => rounds[&at].iter().all(|&i| known(i)),
            Operation::Wake if step.outcome == Outcome::Failed => {
                asleep.retain(|&(thread, _)| thread != step.thread);
                true
            }
            // Whoever gave up was not woken by anybody.
            Operation::Wake => woken.remove(step.thread.as_str()).is_none_or(known),
            _ => true,
        };
        if !all || !lets_go {
            return false;
        }
        let condition = match step.label.target {
            Target::Wait(condition, _) | Target::Object(condition) => condition,
            _ => usize::MAX,
        };
        match step.label.operation {
            Operation::Sleep => asleep.push((&step.thread, condition)),
            Operation::Signal | Operation::Broadcast => {
                // The first one of those who wait: the oldest thread.
                asleep.sort_by_key(|&(thread, _)| created(steps, thread));
                while let Some(first) = asleep.iter().position(|&(_, on)| on == condition) {
                    woken.insert(asleep.remove(first).0, at);
                    if step.label.operation == Operation::Signal {
                        break;
                    }
                }
            }
            _ => {}
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
        // Two objects may have the name of one place.
        let named = |step: &Step| match step.label.target {
            Target::Object(number) | Target::Wait(number, _) => {
                !matches!(cover.objects[number], Object::Place(_))
            }
            _ => true,
        };
        let free = |i: usize, j: usize| !depend(steps, i, j) || !named(&steps[i]) || !named(&steps[j]);
        let kept =
            |i: usize, j: usize| steps[i].thread == steps[j].thread || free(i, j) || place[i] < place[j];
        let waited = |j: usize| {
            let earlier = |(thread, number): &(String, u32)| {
                let at = |(t, n, _): &(String, u32, String)| t == thread && n == number;
                done.iter().position(at).is_some_and(|at| at < place[j])
            };
            steps[j].after.iter().all(earlier)
        };
        let met = |(leaves, round): (usize, Vec<usize>)| round.iter().all(|&i| place[i] < place[leaves]);
        done.len() == steps.len()
            && (0..steps.len()).all(|j| waited(j) && (0..j).all(|i| kept(i, j)))
            && rounds(steps).into_iter().all(met)
    };
    cover.schedules.iter().position(fits)
}
