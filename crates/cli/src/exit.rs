//! Exit codes: part of the contract.

use crate::output::note;
use selvedge_session::Error;

/// How the process ends. Messages have been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Code(u8),
}

impl Exit {
    pub(crate) const VIOLATED: u8 = 10;
    pub(crate) const INCONCLUSIVE: u8 = 5;

    /// How the command ends if a session has no report.
    pub(crate) fn of(error: &Error) -> Exit {
        match error {
            Error::Stopped => Exit::Code(Exit::INCONCLUSIVE),
            Error::Usage(message) => Exit::usage(message),
            Error::Program(message) => Exit::input(message),
            Error::NoSlice(_) | Error::Uncovered(_) => Exit::input(&error.to_string()),
            Error::Output(message) => Exit::output(message),
            Error::Internal(message) => Exit::internal(message),
        }
    }

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
