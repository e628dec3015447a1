//! `selvedge lsp`: a server of the Language Server Protocol. When a source is saved or opened, its
//! program is checked by a process of its own, and what is found is published as diagnostics.
//!
//! The server itself only passes messages on (`server.rs`): the check is a child (`child.rs`) with
//! a limit of time, which is ended when a newer one is asked for. What it reports is turned into
//! diagnostics in `diagnostics.rs`.

mod child;
mod diagnostics;
mod server;
mod uri;

pub use server::{Error, Settings, serve};
