//! The board, kept by a NATS server with JetStream.
//!
//! - Tasks and answers are messages of two streams with work-queue retention: a message is kept
//!   until it is acknowledged. A worker says again and again that it still works on a task; if it
//!   does not, the server delivers the task to another one.
//! - A run's record is an entry of a key-value bucket. Its coordinator writes it every two seconds,
//!   which is its lease, and each write names the revision that it replaces. So a second
//!   coordinator is noticed.
//! - Programs, and states of runs, are objects of an object store.
//! - Signs of life and requests are plain messages. They may be lost.
//!
//! Names of streams and subjects have the version of selvedge, so workers of another version get no
//! task.

mod access;
mod fault;
mod record;
mod server;
mod tasks;

pub use access::{Access, shown};
pub use fault::Fault;
pub use record::{Record, RunState};
pub use server::Server;
pub use tasks::{Answers, Tasks, Turn};
