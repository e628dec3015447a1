//! How threads of Rust wait for locks is left out: random programs have the same outcomes as with
//! the waiting.

mod crates;
mod outcomes;
mod rwlocks;
