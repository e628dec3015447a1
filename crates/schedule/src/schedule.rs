//! The schedule as data.

/// One execution, or the beginning of one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// The program's inputs: source or bitcode files, in order.
    pub inputs: Vec<String>,
    /// Options that a replay needs, by name: `visibility`, `entry`, `timeouts`, … Names contain no
    /// white space.
    pub options: Vec<(String, String)>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// The hierarchical name of the thread: `0`, `0.2.1`. See [`is_thread_name`].
    pub thread: String,
    /// The alternative of its action, counted from 0.
    pub alternative: u16,
    /// The action, for people. Replays ignore it.
    pub note: String,
}

impl Schedule {
    /// The value of an option, if it is set.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// The number of steps at which control passes from one thread to another.
    pub fn context_switches(&self) -> usize {
        self.steps
            .windows(2)
            .filter(|w| w[0].thread != w[1].thread)
            .count()
    }
}

/// Whether a text is a hierarchical thread name: numbers separated by dots, beginning with `0`.
pub fn is_thread_name(text: &str) -> bool {
    let number = |part: &str| {
        !part.is_empty()
            && part.len() <= 5
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let mut parts = text.split('.');
    parts.next() == Some("0") && parts.all(number)
}
