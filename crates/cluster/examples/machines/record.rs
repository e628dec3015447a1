//! Records the shape of a search: after each execution, the nodes of the path where the search
//! goes on, and what their backtrack lists hold.

use selvedge_explore::Stop;
use selvedge_explore::kept::{Begun, Part, Progress};
use selvedge_session::apart::{Elsewhere, Explored, Made, Outcome, Phase, Terms};
use selvedge_session::{Error, Options, PartsWorker, Source, Strategy, Symmetry, Unobserved, check_apart};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A node of a search with several children.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node {
    /// The executions below each child.
    pub sizes: Vec<u64>,
    /// For each child, when it was known: the number of executions below the node before that.
    pub known: Vec<u64>,
}

impl Node {
    /// All executions below it.
    pub fn size(&self) -> u64 {
        self.sizes.iter().sum()
    }
}

/// What was recorded of a search.
#[derive(Debug, Default)]
pub struct Recorded {
    /// The nodes with several children.
    pub nodes: Vec<Node>,
    /// Executions, also redundant ones.
    pub executions: u64,
    /// The most events of an execution.
    pub depth: u32,
    /// The time for it on one core, without interruption.
    pub time: Duration,
}

/// A node on the present path.
struct Open {
    began: u64,
    /// Where each child begins, and when it was known.
    children: Vec<u64>,
    known: Vec<u64>,
}

#[derive(Default)]
struct Shape {
    path: Vec<Open>,
    all: Recorded,
}

impl Shape {
    /// After an execution, with the state in which the search goes on.
    fn next(&mut self, begun: &Begun) {
        self.all.executions += 1;
        let now = self.all.executions;
        let length = begun.nodes.len();
        self.close(length, now);
        for (depth, node) in begun.nodes.iter().enumerate() {
            if depth == self.path.len() {
                self.path.push(Open {
                    began: now - 1,
                    children: vec![now - 1],
                    known: vec![now - 1],
                });
            }
            let open = &mut self.path[depth];
            let listed = usize::from(node.cursor) + 1 + node.later.len();
            open.known.resize(listed.max(open.known.len()), now);
        }
        // The next execution goes through the last node's next child, or its next alternative.
        if let Some(open) = self.path.last_mut() {
            open.children.push(now);
            open.known.resize(open.children.len().max(open.known.len()), now);
        }
    }

    fn close(&mut self, length: usize, now: u64) {
        while self.path.len() > length {
            let Some(open) = self.path.pop() else { return };
            if open.children.len() > 1 {
                let ends = open.children[1..].iter().copied().chain([now]);
                let sizes = open
                    .children
                    .iter()
                    .zip(ends)
                    .map(|(begin, end)| end - begin)
                    .collect();
                self.all.nodes.push(Node {
                    sizes,
                    known: open.known.iter().map(|at| at - open.began).collect(),
                });
            }
        }
    }
}

struct Steps {
    part: Mutex<Option<Part>>,
    shape: Mutex<Shape>,
    every: bool,
}

impl Source for Steps {
    fn next(&self) -> Option<Part> {
        self.part.lock().unwrap().take()
    }
    fn made(&self, made: Made) {
        let mut shape = self.shape.lock().unwrap();
        match made.outcome {
            Outcome::Part(Progress::Begun(begun)) => {
                shape.next(&begun);
                *self.part.lock().unwrap() = Some(Part::Rest(begun));
            }
            Outcome::Part(Progress::Done(done)) => {
                shape.all.executions += 1;
                let now = shape.all.executions;
                shape.close(0, now);
                shape.all.depth = done.product.record.statistics.max_depth as u32;
            }
            other => panic!("{other:?}"),
        }
    }
    fn wanted(&self) -> usize {
        0
    }
    fn gave(&self, _: usize) {}
    fn is_due(&self) -> bool {
        self.every
    }
}

#[derive(Default)]
struct Recorder(Mutex<Option<Recorded>>);

impl Elsewhere for Recorder {
    fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error> {
        let module = Terms::module_bytes(phase.module)?;
        let steps = |every| Steps {
            part: Mutex::new(Some(Part::Whole)),
            shape: Mutex::default(),
            every,
        };
        let worker = PartsWorker::new(&module, &phase.terms, &[])?;
        let whole = steps(false);
        let begun = Instant::now();
        worker.explore(&phase.common(), &whole);
        let time = begun.elapsed();
        let all = steps(true);
        PartsWorker::new(&module, &phase.terms, &[])?.explore(&phase.common(), &all);
        let mut recorded = all.shape.into_inner().unwrap().all;
        recorded.time = time;
        *self.0.lock().unwrap() = Some(recorded);
        Err(Error::Internal("recorded".to_owned()))
    }
}

/// Records a program's search.
pub fn record(file: &str, define: &str) -> Recorded {
    let mut options = Options {
        strategy: Some(Strategy::Dpor),
        jobs: Some(1),
        stop: Stop::Never,
        symmetry: Symmetry::Off,
        recall: false,
        ..Options::default()
    };
    options.setup.frontend.define = vec![define.to_owned()];
    options.setup.inputs = vec![PathBuf::from(file)];
    let program = options.setup.load().unwrap();
    let recorder = Recorder::default();
    let _ = check_apart(&program, &options, &Unobserved, &recorder);
    recorder.0.into_inner().unwrap().expect("it was explored")
}
