//! A session: checks one loaded program, from options to a report. The command `selvedge` is a
//! session with arguments, output and limits around it; tests and other programs use it directly.
//!
//! [`check()`] is the entry. It selects strategies, explores until a result is final, replays and
//! shortens the findings, and draws the conclusions. [`replay()`] runs a saved finding again.
//! [`cover()`] collects a set of schedules for all inputs.
//!
//! ```
//! use selvedge_model::Verdict;
//! use selvedge_session::{Options, Unobserved, check};
//!
//! let directory = tempfile::tempdir()?;
//! let file = directory.path().join("lost_update.c");
//! std::fs::write(&file, r#"
//!     #include <assert.h>
//!     #include <pthread.h>
//!     #include <stdatomic.h>
//!     static atomic_int balance;
//!     static void *deposit(void *unused) {
//!         int seen = balance;
//!         balance = seen + 1;
//!         return unused;
//!     }
//!     int main(void) {
//!         pthread_t other;
//!         pthread_create(&other, 0, deposit, 0);
//!         deposit(0);
//!         pthread_join(other, 0);
//!         assert(balance == 2);
//!     }
//! "#)?;
//! let mut options = Options::default();
//! options.setup.inputs = vec![file];
//! let program = options.setup.load()?;
//! let checked = check(&program, &options, &Unobserved)?;
//! assert_eq!(checked.report.verdict, Verdict::Violated);
//! let finding = &checked.report.findings[0];
//! assert_eq!(finding.finding.kind.name(), "assertion");
//! assert_eq!(finding.finding.location.line, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! A session reads no command line and no environment, and prints nothing: its messages go to its
//! [`Observer`]. It sets no limits of time and memory itself: the caller does this, through
//! [`StopFlag`](selvedge_base::StopFlag) and [`Control`](selvedge_explore::Control). It writes
//! only the requested test cases and checkpoints.

pub mod apart;
mod assumed;
mod assumptions;
mod blocks;
mod cause;
mod check;
mod checkpoint;
mod conclude;
mod conflicts;
mod cover;
mod emit;
mod error;
mod explore;
mod explored;
mod finding;
mod given;
mod given_tree;
mod hints;
mod immediate;
mod job;
mod machines;
mod matters;
mod measured;
mod observer;
mod options;
mod parts_worker;
mod peer;
mod places;
mod plan;
mod portfolio;
mod predicate;
pub mod properties;
mod reasons;
mod refit;
mod replan;
mod replay;
mod rounds;
mod rows;
mod setup;
mod shorten;
mod sites;
mod step_text;
mod switches;
mod symmetry;
mod trace;
mod trust;
mod unfolding;
mod unfolding_page;
mod unfolding_text;
mod unwritten;
mod validate;
mod witnessed;
mod write_file;

pub use blocks::classes as block_classes;
pub use check::{check, check_apart};
pub use checkpoint::Checkpoints;
pub use conclude::{Checked, known, unconfirmed};
pub use cover::{Avoided, Covered, Covering, cover};
pub use emit::TestCases;
pub use error::Error;
pub use explore::jobs;
pub use given::{
    Given, GivenFile, MOST_ARGS, MOST_BYTES, given_file, requests, stdin_file, symbolic_file, variable,
};
pub use given_tree::{GivenTree, given_tree};
pub use observer::{Observer, Stage, Unobserved};
pub use options::{Dependence, Options, Strategy, Symmetry, Visibility};
pub use parts_worker::{PartsWorker, Source};
pub use peer::{GivenPeer, MOST_PEERS, given_client, given_server, symbolic_packet};
pub use plan::Plan;
pub use replay::{Replay, ReplayStep, program, replay, replay_on, steps_of};
pub use selvedge_analysis::essential::Purpose;
pub use setup::{Setup, file_flags, sources};
pub use trust::{Refused, check as trust};
pub use unfolding::{Form, MOST_EVENTS};
pub use validate::{claimed_inputs, validate};
pub use write_file::{is_device, temporary, write_file};
