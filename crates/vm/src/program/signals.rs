//! What is known of a program whose handlers run at points.

/// Of a program whose handlers run at points (`libc/signal.rs`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signals {
    /// The address of `__selvedge_signals`.
    pub table: u64,
    /// Whether it may send signals to the process.
    pub to_process: bool,
}
