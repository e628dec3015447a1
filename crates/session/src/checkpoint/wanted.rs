//! Which checkpoints are requested.

use std::path::PathBuf;
use std::time::Duration;

/// Where a session saves checkpoints, and where it continues from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoints {
    /// The file to write.
    pub file: Option<PathBuf>,
    /// The time between two checkpoints. An execution is not interrupted for a checkpoint.
    pub interval: Duration,
    /// The file from which to continue.
    pub resume: Option<PathBuf>,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Checkpoints {
            file: None,
            interval: Duration::from_secs(20),
            resume: None,
        }
    }
}

impl Checkpoints {
    /// True if checkpoints are requested.
    pub fn are_wanted(&self) -> bool {
        self.file.is_some() || self.resume.is_some()
    }
}
