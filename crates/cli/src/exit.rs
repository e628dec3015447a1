//! Exit codes: part of the contract.

use crate::output::note;

/// How the process ends. Messages have been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Code(u8),
}

impl Exit {
    pub(crate) const VIOLATED: u8 = 10;
    pub(crate) const INCONCLUSIVE: u8 = 5;

    pub(crate) fn usage(message: &str) -> Exit {
        note(&format!("error: {message}"));
        Exit::Code(1)
    }

    pub(crate) fn input(message: &str) -> Exit {
        note(&format!("error: {message}"));
        Exit::Code(2)
    }

    /// What was asked to be written cannot be: the disk is full, the reader has gone. Nobody's
    /// mistake, but no success.
    pub(crate) fn output(message: &str) -> Exit {
        note(&format!("error: {message}"));
        Exit::Code(2)
    }

    pub(crate) fn internal(message: &str) -> Exit {
        note(&format!(
            "internal error: {message}\nThis is a mistake in selvedge, not in your program. Please report it with the input and the command line."
        ));
        Exit::Code(6)
    }

    pub(crate) fn code(self) -> u8 {
        let Exit::Code(code) = self;
        code
    }
}
