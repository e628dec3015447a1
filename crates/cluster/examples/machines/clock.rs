//! Measures computation on a machine that does other work, too: the elapsed time, times the part of
//! the recent time in which this process had a core.

use std::time::{Duration, Instant};

/// How often the part is taken anew.
const RECENT: Duration = Duration::from_millis(300);

/// A clock of this process.
pub struct Clock {
    since: Instant,
    had: Duration,
    part: f64,
}

impl Clock {
    /// Begins now.
    pub fn new() -> Clock {
        Clock {
            since: Instant::now(),
            had: had(),
            part: 1.0,
        }
    }

    /// Adds the time of some computation, in nanoseconds.
    pub fn measure<T>(&mut self, spent: &mut u64, what: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let value = what();
        let ended = Instant::now();
        *spent += ((ended - begun).as_nanos() as f64 * self.part) as u64;
        let recent = ended - self.since;
        if recent >= RECENT {
            let now = had();
            let part = (now - self.had).as_secs_f64() / recent.as_secs_f64();
            self.part = part.clamp(0.05, 1.0);
            (self.since, self.had) = (ended, now);
        }
        value
    }
}

/// The time in which this process had a core, to a hundredth of a second.
fn had() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let words = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = words
        .skip(11)
        .take(2)
        .filter_map(|word| word.parse::<u64>().ok())
        .sum();
    Duration::from_millis(10 * ticks)
}
