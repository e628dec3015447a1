//! Explorations on many machines, without memory in common, through a NATS server.
//!
//! A session whose explorations outgrow one machine gives them to a [`Coordinator`], which divides
//! them ([`Plot`]) and hands parts to workers. It has neither input nor output: messages come and
//! go through a board, which a NATS server keeps. So tests decide what is lost, delivered twice, or
//! late.

mod coordinator;
mod divide;
mod left;
pub mod nats;
mod plot;
mod saved;
pub mod wire;
mod work;

pub use coordinator::{Coordinator, End, Pace, Subject, Taken};
pub use divide::Divider;
pub use left::{Explored, Left};
pub use plot::{Plot, Sample};
pub use saved::{Ended, Present, Saved};
pub use work::Workers;
