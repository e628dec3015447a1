//! What is said of a cluster of machines.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// How to get access to a server, besides its address.
#[derive(Args, Debug)]
pub(crate) struct AccessArgs {
    /// A file with credentials for the server of --cluster, or with the seed of an nkey
    #[arg(help_heading = CLUSTER, long, env = "SELVEDGE_CLUSTER_CREDENTIALS", value_name = "FILE.creds")]
    pub(crate) cluster_credentials: Option<PathBuf>,
    /// A file with certificates of authorities that the server's certificate may be from, besides
    /// those of the system. The connection is then encrypted
    #[arg(help_heading = CLUSTER, long, env = "SELVEDGE_CLUSTER_CA", value_name = "FILE.pem")]
    pub(crate) cluster_ca: Option<PathBuf>,
    /// A file with this client's certificate
    #[arg(help_heading = CLUSTER, long, env = "SELVEDGE_CLUSTER_CERT", value_name = "FILE.pem", requires = "cluster_key")]
    pub(crate) cluster_cert: Option<PathBuf>,
    /// A file with the key of --cluster-cert
    #[arg(help_heading = CLUSTER, long, env = "SELVEDGE_CLUSTER_KEY", value_name = "FILE.pem", requires = "cluster_cert")]
    pub(crate) cluster_key: Option<PathBuf>,
    /// How many servers of a cluster of servers keep each message and each state, when the first
    /// command makes the streams
    #[arg(help_heading = CLUSTER, long, env = "SELVEDGE_CLUSTER_REPLICAS", default_value = "1", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) cluster_replicas: u8,
}

/// What options are about, in `--help`.
pub(crate) const CLUSTER: &str = "Many machines";

/// Explore parts of what `selvedge check --cluster` checks, on this machine.
///
/// It takes parts from the server, and ends when it is told to (SIGTERM, Ctrl-C). It can be killed
/// at any time: what it had goes to other workers. It runs no program natively, and reads no file.
///
/// Exit codes: 0 it was told to end, 1 wrong usage, 2 the server cannot be reached.
#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    /// The NATS server: nats://HOST:PORT, or tls://HOST:PORT. USER:PASSWORD@ or TOKEN@ may stand
    /// before the host
    #[arg(long, env = "SELVEDGE_CLUSTER", value_name = "URL")]
    pub(crate) cluster: String,
    /// How many parts to explore at a time [default: one for each core]
    #[arg(short = 'j', long, env = "SELVEDGE_JOBS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// Show or cancel what a cluster checks, or explore a part of it alone.
///
/// Exit codes: 0 done, 1 wrong usage or no such run, 2 the server cannot be reached, or the part is
/// not there or does not fit.
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

/// The commands about a cluster.
#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Print runs and workers
    Status(StatusArgs),
    /// Cancel a run: its workers give it up, and nothing of it is kept
    Cancel(CancelArgs),
    /// Explore a part alone, here, that was left out because it has ended workers
    Part(PartArgs),
}

/// Options of `cluster status`.
#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// The NATS server
    #[arg(long, env = "SELVEDGE_CLUSTER", value_name = "URL")]
    pub(crate) cluster: String,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// Options of `cluster part`.
#[derive(Args, Debug)]
pub(crate) struct PartArgs {
    /// The part's name, as `selvedge check` prints it
    #[arg(value_name = "PART")]
    pub(crate) part: String,
    /// Do not explore it: remove it from the server
    #[arg(long)]
    pub(crate) remove: bool,
    /// The NATS server
    #[arg(long, env = "SELVEDGE_CLUSTER", value_name = "URL")]
    pub(crate) cluster: String,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// Options of `cluster cancel`.
#[derive(Args, Debug)]
pub(crate) struct CancelArgs {
    /// The run's name, as `cluster status` prints it
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The NATS server
    #[arg(long, env = "SELVEDGE_CLUSTER", value_name = "URL")]
    pub(crate) cluster: String,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}
