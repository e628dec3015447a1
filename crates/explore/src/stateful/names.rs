//! Names of threads that are the same in each interleaving: the creator, and the number of threads
//! that the creator had created before.

use rustc_hash::FxHashMap;
use selvedge_base::{Id, ThreadId};

/// See the module's documentation. A name is a number, in the order in which names were found.
#[derive(Debug)]
pub(super) struct Names {
    known: FxHashMap<(Option<ThreadId>, u32), ThreadId>,
    /// For each name the creator's name, and the number of threads that the creator had created
    /// before.
    makers: Vec<(Option<ThreadId>, u32)>,
    /// For each thread, by the machine's number: its creator's number, its name, and the number of
    /// steps before its creation.
    threads: Vec<(Option<ThreadId>, ThreadId, usize)>,
}

impl Names {
    /// The names of `initial` threads.
    pub(super) fn new(initial: usize) -> Self {
        let mut names = Names {
            known: FxHashMap::default(),
            makers: Vec::new(),
            threads: Vec::new(),
        };
        for ordinal in 0..initial as u32 {
            let name = names.intern(None, ordinal);
            names.threads.push((None, name, 0));
        }
        names
    }

    fn intern(&mut self, creator: Option<ThreadId>, ordinal: u32) -> ThreadId {
        let next = ThreadId::from_index(self.makers.len());
        let name = *self.known.entry((creator, ordinal)).or_insert(next);
        if name == next {
            self.makers.push((creator, ordinal));
        }
        name
    }

    /// Records that a thread took the step with this number, and that there are `threads` threads
    /// after it.
    pub(super) fn follow(&mut self, step: usize, thread: ThreadId, threads: usize) {
        while matches!(self.threads.last(), Some(&(Some(_), _, made)) if made >= step) {
            self.threads.pop();
        }
        while self.threads.len() < threads {
            let made = self
                .threads
                .iter()
                .filter(|(creator, ..)| *creator == Some(thread));
            let ordinal = made.count() as u32;
            let name = self.intern(Some(self.of(thread)), ordinal);
            self.threads.push((Some(thread), name, step));
        }
    }

    /// The name of a thread.
    pub(super) fn of(&self, thread: ThreadId) -> ThreadId {
        self.threads
            .get(thread.index())
            .map_or(thread, |&(_, name, _)| name)
    }

    /// The name of a thread as text: `0.2`.
    pub(super) fn text(&self, thread: ThreadId) -> String {
        let (mut at, mut text) = (Some(self.of(thread)), String::new());
        while let Some(name) = at {
            let (creator, ordinal) = self.makers[name.index()];
            text = match creator {
                Some(_) => format!(".{}{text}", ordinal + 1),
                None => format!("{ordinal}{text}"),
            };
            at = creator;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_its_name_in_each_interleaving() {
        let thread = ThreadId::from_index;
        let mut names = Names::new(1);
        names.follow(0, thread(0), 2);
        names.follow(1, thread(0), 3);
        names.follow(2, thread(1), 4);
        let (second, child) = (names.of(thread(2)), names.of(thread(3)));
        assert_eq!(
            (names.text(thread(2)).as_str(), names.text(thread(3)).as_str()),
            ("0.2", "0.1.1")
        );
        // The other way round.
        names.follow(1, thread(1), 3);
        names.follow(2, thread(0), 4);
        assert_eq!((names.of(thread(3)), names.of(thread(2))), (second, child));
    }
}
