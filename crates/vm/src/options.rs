//! What a user may choose about the machine.

use crate::blocks::Blocks;
use crate::explained::Explained;
use crate::visibility::{Points, Visibility};
use selvedge_analysis::PrivateLocals;
use selvedge_base::StopFlag;
use selvedge_model::{FaultKind, Input};
use serde::{Deserialize, Serialize};

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is at a path at the start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GivenEntry {
    /// A directory.
    Directory,
    /// A file.
    File {
        /// Its contents.
        bytes: Vec<u8>,
        /// It may be executed.
        executable: bool,
    },
    /// A symbolic link to this path.
    Link(String),
}

/// Options of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which actions are scheduling points.
    pub visibility: Visibility,
    /// Only these are; `None`: all that `visibility` says.
    pub points: Option<Arc<Points>>,
    /// Where pointers may point; a pointer that points elsewhere is noticed
    /// ([`Program::has_hidden_addresses`](crate::Program::has_hidden_addresses)). `None`: anywhere.
    pub explained: Option<Arc<Explained>>,
    /// The classes of atomic blocks; `None`: all blocks have one class, and all memory that threads
    /// share is in it.
    pub blocks: Option<Arc<Blocks>>,
    /// Which locals of the program's module are private, if that is known already.
    pub private_locals: Option<Arc<PrivateLocals>>,
    /// Timed operations may time out.
    pub timeouts: bool,
    /// How often each thread's clock goes on before it stands still; `None`: without end.
    pub clock_steps: Option<u32>,
    /// Waits on condition variables may end without a signal.
    pub spurious_wakeups: bool,
    /// A weak compare-exchange may fail though the values are equal.
    pub weak_failures: bool,
    /// A thread finds its handle where `pthread_create` is to put it; else that may be written
    /// later.
    pub early_handles: bool,
    /// Peers may come that `peers` does not have: who waits for one stops as unsupported, and
    /// otherwise waits for ever.
    pub other_peers: bool,
    /// `argv[1..]`.
    pub args: Vec<String>,
    /// The function to start with.
    pub entry: String,
    /// Instructions a thread may execute without a visible action before it is parked.
    pub max_steps: u64,
    /// Calls that may be active in one thread.
    pub max_depth: u32,
    /// Times one loop (its backward jump) may be taken within one step; `None`: only `max_steps`
    /// counts.
    pub unroll: Option<u64>,
    /// Record plain accesses, for race detection.
    pub record_accesses: bool,
    /// Record an access to freed memory, too. It is a fault, but where nobody asks for that it may
    /// still race with the call that has freed the memory.
    pub record_dead_accesses: bool,
    /// Report signed overflow.
    pub check_overflow: bool,
    /// A call of `reach_error` is reported; else the program's own function is called.
    pub error_calls: bool,
    /// Keep fingerprints up to date at each step.
    pub fingerprints: bool,
    /// Initialising and destroying a synchronisation object is a visible action also while there is
    /// only one thread.
    pub visible_setup: bool,
    /// Fixed inputs: the n-th input of a thread has these bytes (zeros if there are fewer), and no
    /// value is symbolic. `None`: all values of every input.
    pub inputs: Option<Vec<Input>>,
    /// Memory that was never written, and variables in registers that were never assigned, are
    /// inputs: each byte has some value until it is written. If not, using them is a fault.
    pub unwritten_inputs: bool,
    /// Bytes of the buffer of `LLVMFuzzerTestOneInput`.
    pub input_size: u64,
    /// Symbolic arguments behind `args`: the greatest length of each.
    pub symbolic_args: Vec<u64>,
    /// The environment: `NAME=VALUE` each.
    pub environment: Vec<String>,
    /// What standard input holds; `None`: nothing, or `symbolic_stdin`.
    pub stdin: Option<Vec<u8>>,
    /// Files that exist, with their bytes, beside those of `symbolic_files`. Others do not, unless
    /// the program creates them.
    pub files: Vec<(String, Vec<u8>)>,
    /// Directories, files and links that exist, each by its path. A directory comes before what is
    /// in it.
    pub tree: Vec<(String, GivenEntry)>,
    /// Clients that connect to the program's listening sockets: their scripts, in the form that the
    /// model library reads (`crates/frontend/lib/peer.h`). At most 64.
    pub peers: Vec<Vec<u8>>,
    /// Symbolic bytes that standard input holds.
    pub symbolic_stdin: Option<u64>,
    /// Standard input is a stream of requests.
    pub requests: Option<Requests>,
    /// Files with symbolic bytes: name and size.
    pub symbolic_files: Vec<(String, u64)>,
    /// How many dead heap objects and escaping locals of one thread and size wait at least before
    /// one of their slots is used again; `None`: no slot is ever. Endless programs that make
    /// objects come back to old states only with a number; but then a thread that uses a dead
    /// object without synchronisation may find a new one there. With a number, threads are begun
    /// again, too, and numbers of keys are used again.
    pub quarantine: Option<u32>,
    /// Without [`quarantine`](Options::quarantine): so many dead heap objects and escaping locals
    /// of one thread and size are noted ([`Vm::has_many_dead`](crate::Vm::has_many_dead)).
    pub many_dead: Option<u32>,
    /// Data races are looked for. If not, what is right only without them is unsupported.
    pub sees_races: bool,
    /// How solver queries are answered.
    pub solver: SolverOptions,
    /// Memory that is lost or not freed is asked for: states differ, too, by what only that depends
    /// on.
    pub leaks: bool,
    /// Note which lines and branches are reached.
    pub coverage: bool,
    /// A variable of the program that is kept in a register keeps it for the whole call: for
    /// debuggers.
    pub variables: bool,
    /// A loop that goes round for ever is a limit also where it only computes: for those who say
    /// what a program does until it ends.
    pub must_end: bool,
    /// A wait on a futex looks at the word and ends at once, as if spuriously, and waking wakes
    /// nobody: for those who say what a program does in one order of its accesses.
    pub futexes_poll: bool,
    /// When set, a thread is parked before its next jump or call, with
    /// [`Limit::stopped`](selvedge_model::Limit::stopped), and solver queries get no answer.
    pub stop: StopFlag,
}

impl Options {
    /// The kind of a quotient that does not fit: a signed overflow, if those are asked for;
    /// processors trap as for zero.
    pub(crate) const fn division_overflow(&self) -> FaultKind {
        if self.check_overflow {
            FaultKind::SignedOverflow
        } else {
            FaultKind::DivisionByZero
        }
    }
}

/// A stream of requests: any number of them, or any number up to a limit, and then the end. Each
/// has the same size, and any bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requests {
    /// The size of a request in bytes; at least 1.
    pub size: u64,
    /// The greatest number of requests; `None`: there is no limit.
    pub most: Option<u64>,
}

/// What a user may choose about the solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    /// Time for one query; without an answer by then the verdict is unknown.
    pub timeout: Option<Duration>,
    /// The layers in front of the backends that are on, by name; `None`: the usual ones.
    pub layers: Option<Vec<String>>,
    /// Directory to which each query that reaches a backend is written.
    pub log_queries: Option<PathBuf>,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            timeout: Some(Duration::from_secs(30)),
            layers: None,
            log_queries: None,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            visibility: Visibility::Sync,
            points: None,
            explained: None,
            blocks: None,
            private_locals: None,
            timeouts: true,
            clock_steps: None,
            spurious_wakeups: false,
            weak_failures: false,
            early_handles: false,
            other_peers: true,
            args: Vec::new(),
            entry: "main".into(),
            max_steps: 100_000_000,
            max_depth: 10_000,
            unroll: None,
            record_accesses: true,
            record_dead_accesses: false,
            check_overflow: false,
            error_calls: true,
            fingerprints: false,
            visible_setup: false,
            inputs: None,
            unwritten_inputs: false,
            input_size: 8,
            symbolic_args: Vec::new(),
            environment: Vec::new(),
            stdin: None,
            files: Vec::new(),
            tree: Vec::new(),
            peers: Vec::new(),
            symbolic_stdin: None,
            requests: None,
            symbolic_files: Vec::new(),
            quarantine: None,
            sees_races: true,
            many_dead: None,
            must_end: false,
            futexes_poll: false,
            solver: SolverOptions::default(),
            leaks: false,
            coverage: false,
            variables: false,
            stop: StopFlag::new(),
        }
    }
}
