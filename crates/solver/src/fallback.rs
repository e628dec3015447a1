//! Two backends: the first within a small budget, then the second.

use crate::bits;
use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use selvedge_expr::{Arena, Expr};

pub(crate) struct Fallback<A, B> {
    first: A,
    second: B,
    /// True if the last core is from the second backend.
    from_second: bool,
    statistics: LayerStatistics,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    pub(crate) fn new(name: &'static str, first: A, second: B) -> Fallback<A, B> {
        Fallback {
            first,
            second,
            from_second: false,
            statistics: LayerStatistics::new(name),
        }
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.from_second = false;
        let answer = self.first.check(arena, query);
        match answer {
            // It was told to stop, or is wrong: the other backend would not help.
            Answer::Unknown(Reason::Stopped | Reason::Contradiction(_)) => answer,
            Answer::Unknown(reason) => {
                self.from_second = true;
                let second = self.second.check(arena, query);
                match second {
                    // That there are no circuits for floats says less than the reason why Z3 gave
                    // up.
                    Answer::Unknown(Reason::Unsupported(bits::FLOATS)) => Answer::Unknown(reason),
                    second => second,
                }
            }
            _ => answer,
        }
    }

    fn core(&self) -> &[Expr] {
        if self.from_second {
            self.second.core()
        } else {
            self.first.core()
        }
    }

    fn statistics(&self) -> Statistics {
        let mut below = self.first.statistics();
        below.layers.extend(self.second.statistics().layers);
        Statistics::above(&self.statistics, below)
    }
}
