//! Statistics of the inputs of one door.

use super::run::Ended;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Counters of one door.
pub struct Tally {
    door: &'static str,
    /// Inputs by exit code.
    codes: BTreeMap<i32, u64>,
    /// Inputs on which LLVM crashed in its own process.
    contained: u64,
    /// Inputs that failed.
    pub failed: u64,
    /// The total time.
    pub took: Duration,
    slowest: Duration,
}

impl Tally {
    /// Counters without inputs.
    pub fn new(door: &'static str) -> Tally {
        Tally {
            door,
            codes: BTreeMap::new(),
            contained: 0,
            failed: 0,
            took: Duration::ZERO,
            slowest: Duration::ZERO,
        }
    }

    /// Counts one input.
    pub fn add(&mut self, ended: &Ended) {
        *self.codes.entry(ended.code.unwrap_or(-1)).or_default() += 1;
        self.contained += u64::from(ended.contained());
        self.failed += u64::from(ended.fault().is_some());
        self.slowest = self.slowest.max(ended.took);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: u64 = self.codes.values().sum();
        write!(
            f,
            "{:9} {inputs} inputs in {:.0} s, slowest {:.1} s; {} failed, {} crashes of LLVM contained; exit codes:",
            self.door,
            self.took.as_secs_f64(),
            self.slowest.as_secs_f64(),
            self.failed,
            self.contained
        )?;
        for (code, count) in &self.codes {
            write!(f, " {code}: {count}")?;
        }
        Ok(())
    }
}
