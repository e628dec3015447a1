//! How threads of Rust wait for locks and scopes, and how they end, is left out: random programs
//! have the same outcomes as with all that.

mod crates;
mod outcomes;
mod rwlocks;
mod scopes;
