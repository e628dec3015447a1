//! Options of `check` about inputs, the solver, test cases and coverage.

use clap::{ArgAction, Args};
use selvedge_session::{
    GivenFile, GivenPeer, GivenTree, MOST_ARGS, MOST_BYTES, given_client, given_file, given_server,
    given_tree, stdin_file, symbolic_file, symbolic_packet, variable,
};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct InputArgs {
    /// Fixed inputs from a test case instead of all inputs
    #[arg(long, env = "SELVEDGE_INPUT", value_name = "FILE.ktest")]
    pub(crate) input: Option<PathBuf>,
    /// Size of the buffer that LLVMFuzzerTestOneInput gets
    #[arg(long, env = "SELVEDGE_INPUT_SIZE", default_value_t = 8, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(..=MOST_BYTES))]
    pub(crate) input_size: u64,
    /// N further arguments of the program, each any text of at most BYTES bytes; a list
    #[arg(long, env = "SELVEDGE_SYMBOLIC_ARGS", value_name = "N:BYTES", value_delimiter = ',', action = ArgAction::Append, value_parser = symbolic_args)]
    pub(crate) symbolic_args: Vec<ArgGroup>,
    /// A variable of the environment; can be given several times [default: none]
    #[arg(long, env = "SELVEDGE_ENV", value_name = "NAME=VALUE", action = ArgAction::Append, value_parser = variable)]
    pub(crate) env: Vec<String>,
    /// What standard input holds: a file's content [default: nothing]
    #[arg(long, env = "SELVEDGE_STDIN", value_name = "FILE", value_parser = stdin_file, conflicts_with = "symbolic_stdin")]
    pub(crate) stdin: Option<GivenFile>,
    /// A file that the program finds under this name, with the content of PATH (or of a real file
    /// of that name); a list. Other files do not exist for it
    #[arg(long, env = "SELVEDGE_FILE", value_name = "NAME[=PATH]", value_delimiter = ',', action = ArgAction::Append, value_parser = given_file)]
    pub(crate) file: Vec<GivenFile>,
    /// A directory that the program finds under NAME (or under the name that it has here), with a
    /// copy of all that is in it; a list. At most 4,096 files and 16 MiB; links must stay inside
    #[arg(long, env = "SELVEDGE_DIR", value_name = "HOST[=NAME]", value_delimiter = ',', action = ArgAction::Append, value_parser = given_tree)]
    pub(crate) dir: Vec<GivenTree>,
    /// A peer that connects to a socket where the program listens, and does what this script says
    /// (docs/semantics.md, "Sockets"); when is up to the schedule. A list
    #[arg(long, env = "SELVEDGE_CLIENT", value_name = "FILE", value_delimiter = ',', action = ArgAction::Append, value_parser = given_client)]
    pub(crate) client: Vec<GivenPeer>,
    /// A peer that listens at the port of its script, and does what that says for each connection,
    /// whatever address the program connects to (docs/semantics.md, "Sockets"). A list
    #[arg(long, env = "SELVEDGE_SERVER", value_name = "FILE", value_delimiter = ',', action = ArgAction::Append, value_parser = given_server)]
    pub(crate) server: Vec<GivenPeer>,
    /// A peer that connects to the first socket where the program listens, sends this many bytes of
    /// any value, and receives what comes; a list
    #[arg(long, env = "SELVEDGE_SYMBOLIC_PACKET", value_name = "BYTES", value_delimiter = ',', action = ArgAction::Append, value_parser = symbolic_packet)]
    pub(crate) symbolic_packet: Vec<GivenPeer>,
    /// Standard input holds this many bytes, of any value
    #[arg(long, env = "SELVEDGE_SYMBOLIC_STDIN", value_name = "BYTES", value_parser = clap::value_parser!(u64).range(..=MOST_BYTES))]
    pub(crate) symbolic_stdin: Option<u64>,
    /// A file of this many bytes, of any value; a list
    #[arg(long, env = "SELVEDGE_SYMBOLIC_FILE", value_name = "NAME:BYTES", value_delimiter = ',', action = ArgAction::Append, value_parser = symbolic_file)]
    pub(crate) symbolic_file: Vec<(String, u64)>,
    /// Time for one query to the solver; without an answer by then the verdict is unknown [default:
    /// 30s]
    #[arg(long, env = "SELVEDGE_SOLVER_TIMEOUT", value_name = "TIME|none", value_parser = timeout)]
    pub(crate) solver_timeout: Option<Timeout>,
    /// The layers in front of the solvers that are on: split, trivial, domain, independence, cache,
    /// validate, cross-check; or none [default: all but cross-check]
    #[arg(
        long,
        env = "SELVEDGE_SOLVER_LAYERS",
        value_name = "LIST|none",
        value_delimiter = ',',
        value_parser = layer
    )]
    pub(crate) solver_layers: Option<Vec<String>>,
    /// Write each query that reaches a backend into this directory, as SMT-LIB
    #[arg(long, env = "SELVEDGE_LOG_QUERIES", value_name = "DIR")]
    pub(crate) log_queries: Option<PathBuf>,
    /// Write a test case for each execution into this directory: testNNNNNN.ktest and .json,
    /// numbered in depth-first order. Uses one core
    #[arg(long, env = "SELVEDGE_EMIT_TESTS", value_name = "DIR")]
    pub(crate) emit_tests: Option<PathBuf>,
    /// Tell which lines and branches were reached; with a file, also write it, for lcov
    #[arg(
        long,
        env = "SELVEDGE_COVERAGE",
        value_name = "text|FILE.info",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(crate) coverage: Option<PathBuf>,
}

/// Some arguments of the same greatest length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ArgGroup {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

/// A time limit, or that there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Timeout(pub(crate) Option<Duration>);

impl InputArgs {
    /// The peers, those with scripts first.
    pub(crate) fn peers(&self) -> Vec<GivenPeer> {
        let scripts = self.client.iter().chain(&self.server);
        scripts.chain(&self.symbolic_packet).cloned().collect()
    }

    /// The greatest length of each symbolic argument.
    pub(crate) fn argument_sizes(&self) -> Vec<u64> {
        let one = |group: &ArgGroup| std::iter::repeat_n(group.bytes, group.count as usize);
        self.symbolic_args.iter().flat_map(one).collect()
    }
}

pub(crate) fn symbolic_args(text: &str) -> Result<ArgGroup, String> {
    let expected = || "expected N:BYTES, such as 2:4 for two arguments of at most four bytes".to_owned();
    let (count, bytes) = text.split_once(':').ok_or_else(expected)?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| expected());
    let (count, bytes) = (number(count)?, number(bytes)?);
    if count > MOST_ARGS || bytes > MOST_BYTES {
        return Err(format!(
            "at most {MOST_ARGS} arguments of at most {MOST_BYTES} bytes"
        ));
    }
    Ok(ArgGroup { count, bytes })
}

/// The layers of the solver, in the order in which they are asked.
const LAYERS: [&str; 7] = [
    "split",
    "trivial",
    "domain",
    "independence",
    "cache",
    "validate",
    "cross-check",
];

fn layer(text: &str) -> Result<String, String> {
    if text == "none" || LAYERS.contains(&text) {
        Ok(text.to_owned())
    } else {
        Err(format!("expected none, or a list of {}", LAYERS.join(", ")))
    }
}

fn timeout(text: &str) -> Result<Timeout, String> {
    if text == "none" {
        return Ok(Timeout(None));
    }
    super::duration(text).map(|limit| Timeout(Some(limit)))
}
