//! The command line. `--help` and the man page are made from the texts here.

mod cluster;
mod cover;
mod input;
mod saved;
mod source;
mod values;

pub(crate) use cluster::{AccessArgs, ClusterArgs, ClusterCommand, PartArgs, WorkerArgs};
pub(crate) use cover::{BuildArgs, CoverArgs, Deviation, RunArgs, StreamArgs};
pub(crate) use input::InputArgs;
pub(crate) use saved::{DebugArgs, LspArgs, ReplayArgs};
pub(crate) use source::{Fact, FactsArgs, SliceArgs, SourceArgs};
pub(crate) use values::{
    BoundedPolling, Format, MoreStatistics, RustLocks, SearchOrder, SolverBackend, Steps, StopAt,
    StrategyOption, Switch, ThreadHandles, When, duration, not_yet, size,
};

use values::{dependence, malloc_failures, partial, strategy, symmetry, visibility};

use clap::{Args, Parser, Subcommand};
use selvedge_explore::unfold::Partial;
use selvedge_session::{Dependence, Symmetry, Visibility};
use std::path::PathBuf;
use std::time::Duration;

/// Checks multithreaded C and C++ programs over all of their schedules.
///
/// Selvedge runs a program (pthreads, C11 atomics) in every order of its threads that matters, with
/// every input, and reports what is wrong with a schedule that reproduces it, or that nothing is.
///
/// Exit codes: 0 verified, 10 a property is violated, 5 inconclusive (a limit, or something
/// unsupported), 1 wrong usage, 2 an input cannot be read or compiled or the report cannot be
/// written, 6 internal error.
#[derive(Parser, Debug)]
#[command(name = "selvedge", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a program; verdict and findings out
    Check(Box<CheckArgs>),
    /// Run a saved finding again, step by step
    Replay(ReplayArgs),
    /// Go through a saved finding in a debugger, forwards and backwards
    Debug(DebugArgs),
    Lsp(LspArgs),
    Worker(WorkerArgs),
    Cluster(ClusterArgs),
    /// Decide a query of the solver (an SMT-LIB file as a run logs them)
    Solve(SolveArgs),
    /// Print what the static analyses know of a program
    Facts(FactsArgs),
    Slice(SliceArgs),
    Cover(Box<CoverArgs>),
    Build(BuildArgs),
    Run(Box<RunArgs>),
    /// Compile C as clang does, and keep bitcode in what is made
    ///
    /// All words are those of clang 22, which does the work: objects, archives, libraries and
    /// programs are what it makes, with a section more. `selvedge check PROGRAM` finds the program
    /// there. For builds: `CC="selvedge cc" CXX="selvedge c++" ./configure && make`. A first word
    /// --lenient (or SELVEDGE_LENIENT=on) makes it take C as gcc 13 does.
    #[command(disable_help_flag = true)]
    Cc(WrapperArgs),
    /// The same for C++
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(WrapperArgs),
    /// Write the C file with which a program runs natively on a test case
    ///
    /// To standard output. Compile it together with the program; SELVEDGE_INPUTS names the test
    /// case (FILE.ktest) when the program runs. Its first comment says more.
    Runtime,
    /// Write the man page to standard output
    #[command(hide = true)]
    Man,
    /// Write what completes the command in a shell, to standard output
    ///
    /// For example: selvedge completions bash >> ~/.bash_completion
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What a compiler is given.
#[derive(Args, Debug)]
pub(crate) struct WrapperArgs {
    /// Words for the compiler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    pub(crate) words: Vec<std::ffi::OsString>,
}

/// What options of `check` are about, in `--help`.
const CHECKED: &str = "What is checked";
const EXPLORATION: &str = "Exploration";
const LIMITS: &str = "Limits and long runs";
const REPORT: &str = "Report";

/// Examples below the options of `check`.
const EXAMPLES: &str = "\
Examples:
  selvedge check queue.c main.c
      All schedules; exit code 0 if nothing is wrong, 10 with a finding, 5 if nothing can be said
  selvedge check -I include -D SMALL --max-time 5m queue.c main.c -- 2 3
      With options of the compiler, a limit, and arguments of the program
  selvedge check --property assertion,deadlock --symbolic-args 1:8 parser.c
      Only these properties; the program's first argument is any text of up to 8 bytes
  selvedge check --html finding.html ./program
      A program that was built with `selvedge cc`; findings as a page for a browser
  selvedge check --format sarif -o report.sarif build/compile_commands.json
      A report for other tools
";

/// Check a program over all of its schedules.
///
/// Each option can also be set in `selvedge.toml` (in the current directory, or the file of
/// --config) by its long name, and as an environment variable SELVEDGE_NAME. The command line goes
/// before the environment, and that before the file.
#[derive(Args, Debug)]
#[command(args_override_self = true, next_line_help = false, after_long_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// C, C++, Rust or LLVM files (.c .cc .cpp .cxx .i .ii .rs .bc .ll), linked together; programs,
    /// libraries, archives and objects that `selvedge cc` has made; a compile_commands.json, or a
    /// directory with one, whose sources are taken as far as the program needs them
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Read options from this file instead of `selvedge.toml` in the current directory
    #[arg(long, env = "SELVEDGE_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Arguments of the program (its argv[1..])
    #[arg(last = true, value_name = "PROGRAM ARGS")]
    pub(crate) args: Vec<String>,

    /// What to check: a list of assertion, deadlock, data-race, memory, leak, cleanup, pthread,
    /// arithmetic, overflow, or SV-COMP's unreach-call, valid-deref, valid-free, …; or a SV-COMP
    /// .prp file. All but leak, cleanup and overflow if not given
    #[arg(help_heading = CHECKED, long, env = "SELVEDGE_PROPERTY", value_name = "LIST|FILE.prp")]
    pub(crate) property: Option<String>,
    /// How to explore: unfold explores each partial order once, on one core, and stops at states
    /// that it knows; dpor explores them all, on all cores; stateful visits each state once, on one
    /// core; reads-from explores once what differs only in the order of writes that no read tells,
    /// on one core, and leaves to unfold what it does not cover; random and pct sample, and never
    /// verify. auto begins with unfold, then with
    /// stateful (and reads-from where many writes race), then samples, then lets searches and
    /// samples take turns; the first result counts. With --emit-tests it is dpor
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_STRATEGY", default_value = "auto", value_name = "auto|dpor|unfold|stateful|reads-from|random|pct", value_parser = strategy)]
    pub(crate) strategy: StrategyOption,
    /// Which pairs of actions need both orders: those in conflict; or, with predicate, of accesses
    /// to memory only those that can matter to an assertion, to a deadlock or to how threads are
    /// used (with --property assertion,deadlock,pthread or some of them; by dpor or unfold).
    /// auto is conflict; --strategy auto tries the other one, too, where it may be used.
    /// predicate-published keeps to the rules as published, which miss errors: for the run counts
    /// of the paper (of dpor, on one core), and never verified
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_DEPENDENCE", default_value = "auto", value_name = "auto|conflict|predicate|predicate-published", value_parser = dependence)]
    pub(crate) dependence: Dependence,
    /// Explore executions once that differ only in which of several identical threads does what
    /// (of dpor, unfold and stateful): auto and on where that is known to lose nothing; on says why
    /// it is not, else
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_SYMMETRY", default_value = "auto", value_name = "on|off|auto", value_parser = symmetry)]
    pub(crate) symmetry: Symmetry,
    /// Hold a thread that waits in a loop, reading atomic variables only, until what it reads
    /// changes (of unfold, dpor, reads-from)
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_AWAITS", default_value = "on", value_name = "on|off")]
    pub(crate) awaits: Switch,
    /// Take no other thread in before an access to an atomic variable that only the main thread
    /// uses, or that nobody writes while there are several threads (of unfold, stateful)
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_CONFINED", default_value = "on", value_name = "on|off")]
    pub(crate) confined: Switch,
    /// Explore atomic additions in one order if nobody looks at what they return (of unfold,
    /// stateful, dpor)
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_ADDITIONS", default_value = "on", value_name = "on|off")]
    pub(crate) additions: Switch,
    /// Cut off executions that only repeat others
    #[arg(
        help_heading = EXPLORATION,
        long,
        env = "SELVEDGE_SLEEP_SETS",
        default_value = "on",
        value_name = "on|off"
    )]
    pub(crate) sleep_sets: Switch,
    /// Explore two sections of one mutex in both orders only if what they do is dependent (of dpor
    /// with --dependence predicate)
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_PEEK", default_value = "on", value_name = "on|off")]
    pub(crate) peek: Switch,
    /// Explore two writes in both orders only if a read tells their order (of dpor with
    /// --dependence predicate). It does without --sleep-sets and --peek
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_WRITE_WRITE_PRUNING", default_value = "off", value_name = "on|off")]
    pub(crate) write_write_pruning: Switch,
    /// Whether dpor looks up what a step does if it was taken from the same state before, instead
    /// of executing it
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_RECALL", default_value = "on", value_name = "on|off")]
    pub(crate) recall: Switch,
    /// Which actions are scheduling points: sync (synchronisation and atomics; races are checked
    /// for), or memory (every access). auto is sync, and memory if a race is found and races were
    /// not asked for. Of stateful only: reachable, fields and hybrid are memory, with no choice of
    /// threads at an access to an object that no other thread reaches; that no other thread may
    /// still conflict with; and hybrid tells elements of arrays apart
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_VISIBILITY", default_value = "auto", value_name = "auto|sync|memory|reachable|fields|hybrid", value_parser = visibility)]
    pub(crate) visibility: Visibility,
    /// In which order (of unfold; the others go depth-first)
    #[arg(
        help_heading = EXPLORATION,
        long,
        env = "SELVEDGE_SEARCH",
        default_value = "dfs",
        value_name = "dfs|bfs|random|coverage"
    )]
    pub(crate) search: SearchOrder,
    /// Whether unfold leaves out what comes after a state that it knows from a shorter execution
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_CUTOFFS", default_value = "on", value_name = "on|off")]
    pub(crate) cutoffs: Switch,
    /// How many of the events left out an alternative of unfold must be in conflict with; optimal:
    /// each, so that no execution is redundant
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_K", default_value = "1", value_name = "N|optimal", value_parser = partial)]
    pub(crate) k: Partial,
    /// With cutoffs: how many dead objects of one thread and size wait before their memory is used
    /// again; a use after free is noticed until then [default: none is used again; 4 if somewhere
    /// 256 are dead]
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_QUARANTINE", value_name = "N")]
    pub(crate) quarantine: Option<u32>,
    /// Write the events that unfold found, with what holds between them, to a file that ends in
    /// .dot, .json or .html (a page for a browser); up to 2000
    #[arg(help_heading = REPORT, long, env = "SELVEDGE_DUMP_UNFOLDING", value_name = "FILE.dot|FILE.json|FILE.html")]
    pub(crate) dump_unfolding: Option<PathBuf>,
    /// Keep in this file what another process needs to go on with the exploration, if this one is
    /// killed: --resume. For dpor, random and pct; auto is dpor then
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_CHECKPOINT", value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How much time may pass until --checkpoint writes the file anew; executions are not
    /// interrupted for it
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_CHECKPOINT_INTERVAL", default_value = "20s", value_name = "TIME", value_parser = duration)]
    pub(crate) checkpoint_interval: Duration,
    /// Go on from a file of --checkpoint. The program and the options must be the same, but for
    /// --jobs, limits of time and memory, and what is written
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_RESUME", value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Have the exploration made by the workers (`selvedge worker`) of this NATS server. For dpor,
    /// random and pct; auto is dpor then. Whoever is interrupted goes on with the same command
    #[arg(help_heading = cluster::CLUSTER, long, env = "SELVEDGE_CLUSTER", value_name = "URL", conflicts_with_all = ["validate", "checkpoint", "resume"])]
    pub(crate) cluster: Option<String>,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
    /// Stop after this time, compiling and loading included: 90, 90s, 5m, 2h
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_MAX_TIME", value_name = "TIME", value_parser = duration)]
    pub(crate) max_time: Option<Duration>,
    /// Stop when the process has allocated this much memory: 500M, 4G [default: nearly all that is
    /// free]. unfold takes time to save memory from three quarters of it on
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_MAX_MEMORY", value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Stop after so many executions
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_MAX_EXECUTIONS", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_executions: Option<u64>,
    /// Cut off executions of more visible steps than this [default: 1000000]
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_MAX_EVENTS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_events: Option<u32>,
    /// Cut off threads that go round a loop more often than this within one step
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_UNROLL", value_name = "N")]
    pub(crate) unroll: Option<u64>,
    /// When to stop: at the first finding, or never before the end
    #[arg(
        help_heading = CHECKED,
        long,
        env = "SELVEDGE_STOP",
        default_value = "first",
        value_name = "first|never"
    )]
    pub(crate) stop: StopAt,
    /// Whether timed waits and locks may time out
    #[arg(help_heading = CHECKED, long, env = "SELVEDGE_TIMEOUTS", default_value = "on", value_name = "on|off")]
    pub(crate) timeouts: Switch,
    /// How often the clock of each thread goes on before it stands still [default: without end].
    /// States repeat then in loops that read clocks
    #[arg(help_heading = LIMITS, long, env = "SELVEDGE_CLOCK_STEPS", value_name = "N")]
    pub(crate) clock_steps: Option<u32>,
    /// Whether waits on condition variables may end without a signal
    #[arg(
        help_heading = CHECKED,
        long,
        env = "SELVEDGE_SPURIOUS_WAKEUPS",
        default_value = "on",
        value_name = "on|off"
    )]
    pub(crate) spurious_wakeups: Switch,
    /// Whether weak compare-exchanges may fail though the values are equal
    #[arg(
        help_heading = CHECKED,
        long,
        env = "SELVEDGE_WEAK_CAS_FAILURES",
        default_value = "on",
        value_name = "on|off"
    )]
    pub(crate) weak_cas_failures: Switch,
    /// Loops of optimised code that read an atomic variable a fixed number of times before they
    /// give up: read once, which loses nothing (docs/algorithms.md), or all the times
    #[arg(
        help_heading = EXPLORATION,
        long,
        env = "SELVEDGE_BOUNDED_POLLING",
        default_value = "once",
        value_name = "once|all"
    )]
    pub(crate) bounded_polling: BoundedPolling,
    /// How a thread of a Rust program waits for a std::sync::Mutex or RwLock, and what it does with
    /// a channel (std::sync::mpsc): modelled as a step that is possible once the lock is free, or
    /// there is a message; or executed, which takes many more schedules (docs/rust.md)
    #[arg(
        help_heading = EXPLORATION,
        long,
        env = "SELVEDGE_RUST_LOCKS",
        default_value = "modelled",
        value_name = "modelled|executed"
    )]
    pub(crate) rust_locks: RustLocks,
    /// When pthread_create writes the handle of the new thread: late, as POSIX allows, while that
    /// may run already; or early, before it starts, as glibc does
    #[arg(
        help_heading = CHECKED,
        long,
        env = "SELVEDGE_THREAD_HANDLES",
        default_value = "late",
        value_name = "late|early"
    )]
    pub(crate) thread_handles: ThreadHandles,
    /// Whether peers may come from outside that --client, --server and --symbolic-packet do not
    /// name; off: who waits for one, when no other thread can move, waits for ever
    #[arg(help_heading = CHECKED, long, env = "SELVEDGE_OTHER_PEERS", default_value = "on", value_name = "on|off")]
    pub(crate) other_peers: Switch,
    /// Whether malloc may fail: not available yet, only off
    #[arg(help_heading = CHECKED, long, env = "SELVEDGE_MALLOC_FAILURES", default_value = "off", value_name = "off", value_parser = malloc_failures)]
    pub(crate) malloc_failures: Switch,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// How many cores to use [default: all]; unfold uses one, and auto one for each exploration
    /// that takes turns
    #[arg(help_heading = EXPLORATION, short = 'j', long, env = "SELVEDGE_JOBS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Seed of the strategies that choose at random
    #[arg(help_heading = EXPLORATION, long, env = "SELVEDGE_SEED", default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    /// Form of the report; github: annotations of GitHub actions
    #[arg(
        help_heading = REPORT,
        long,
        env = "SELVEDGE_FORMAT",
        default_value = "human",
        value_name = "human|json|sarif|junit|github"
    )]
    pub(crate) format: Format,
    /// Write the report to a file instead of standard output
    #[arg(help_heading = REPORT, short = 'o', long, env = "SELVEDGE_OUTPUT", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the findings as a page for a browser: each schedule with threads side by side, and the
    /// source
    #[arg(help_heading = REPORT, long, env = "SELVEDGE_HTML", value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the first finding as a violation witness of SV-COMP: YAML (format 2.0) or GraphML
    /// (1.0)
    #[arg(help_heading = REPORT, long, env = "SELVEDGE_WITNESS", value_name = "FILE.yml|FILE.graphml")]
    pub(crate) witness: Option<PathBuf>,

    /// Check a violation witness of SV-COMP instead of the program: run only what it says. The
    /// verdict is false if it shows the violation that it claims, unknown otherwise
    #[arg(long, value_name = "WITNESS", conflicts_with_all = ["witness", "format", "html", "output", "input", "resume"], help_heading = REPORT)]
    pub(crate) validate: Option<PathBuf>,
    /// Where to save the first finding for `selvedge replay`; further ones get a number; `none`
    /// saves nothing
    #[arg(
        help_heading = REPORT,
        long,
        env = "SELVEDGE_FINDING",
        default_value = "FINDING.json",
        value_name = "FILE|none"
    )]
    pub(crate) finding: PathBuf,
    /// Findings and the verdict only
    #[arg(help_heading = REPORT, short, long, env = "SELVEDGE_QUIET", value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) quiet: bool,
    /// Which steps of a schedule are printed: those that matter, which are the ones that
    /// happens-before puts before the finding in another thread, or all
    #[arg(
        help_heading = REPORT,
        long,
        env = "SELVEDGE_TRACE",
        default_value = "short",
        value_name = "short|all"
    )]
    pub(crate) trace: Steps,
    /// Count more than is free: choices are the states of which more than one thread is taken, by
    /// the action before them; necessary-choices finds out by brute force which of these are
    /// necessary, for small programs (of stateful)
    #[arg(help_heading = REPORT, long, env = "SELVEDGE_STATISTICS", value_name = "choices|necessary-choices", hide_possible_values = true, value_delimiter = ',')]
    pub(crate) statistics: Vec<MoreStatistics>,
    /// Schedules with all steps, and the assumptions of every verdict
    #[arg(help_heading = REPORT, short, long, env = "SELVEDGE_VERBOSE", conflicts_with = "quiet", value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) verbose: bool,
    /// Progress on standard error; auto: if that is a terminal
    #[arg(
        help_heading = REPORT,
        long,
        env = "SELVEDGE_PROGRESS",
        default_value = "auto",
        value_name = "auto|always|never"
    )]
    pub(crate) progress: When,
    #[command(flatten)]
    pub(crate) given: InputArgs,
}

/// Decide a query of the solver: an SMT-LIB file as a run logs them.
///
/// Prints `sat` and values of the inputs, `unsat`, or `unknown` and the reason. Exit codes: 0
/// decided, 5 unknown, 1 and 2 as for `check`.
#[derive(Args, Debug)]
pub(crate) struct SolveArgs {
    /// The query
    #[arg(value_name = "QUERY.smt2")]
    pub(crate) query: PathBuf,
    /// Give up after this time: 90, 90s, 5m, 2h
    #[arg(long, default_value = "30s", value_name = "TIME", value_parser = duration)]
    pub(crate) time: Duration,
    /// What searches: bits (bit-blasting to a SAT solver), z3, or both in turns
    #[arg(long, default_value = "both", value_name = "both|bits|z3")]
    pub(crate) backend: SolverBackend,
    /// Which layers are in front: a list of split, trivial, domain, independence, cache, validate,
    /// cross-check (each refutation is checked with the other backend). All but the last if not
    /// given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) layers: Option<Vec<String>>,
}
