//! Beginning again under a weaker assumption.
//!
//! Several explorations assume something of the program that lets them explore less. For most
//! programs the assumption holds. An exploration notices if it does not. Then it begins again under
//! a weaker assumption.
//!
//! - *What is kept.* Findings: an execution with a fault exists under every assumption. Everything
//!   else rests on the assumption and is dropped: counts, known states, backtrack sets, and the
//!   verdict.
//! - *It ends.* An assumption says how many weaker ones may follow it. This number has to decrease
//!   each time.

use crate::{Assumption, Found, Report};

/// The result of an exploration under an assumption.
pub enum Attempt<T, A> {
    /// The assumption held, as far as the exploration came.
    Holds(T),
    /// The assumption does not hold.
    Fails {
        /// The assumption for the next attempt.
        next: A,
        /// The findings so far.
        findings: Vec<Found>,
    },
}

impl<T, A> Attempt<T, A> {
    /// The assumption does not hold, and there are no findings to keep.
    pub fn fails(next: A) -> Self {
        Attempt::Fails {
            next,
            findings: Vec::new(),
        }
    }
}

/// Explores under one assumption after another, until one holds. `attempt` gets the assumption, and
/// whether it is not the first one.
///
/// # Errors
/// Those of the attempts.
///
/// # Panics
/// If an assumption is not weaker than the one before it.
pub fn until_it_holds<T, A, E>(
    first: A,
    mut attempt: impl FnMut(A, bool) -> Result<Attempt<T, A>, E>,
) -> Result<T, E>
where
    T: AsMut<Report>,
    A: Assumption,
{
    let (mut assumption, mut again) = (first, false);
    let mut kept = Vec::new();
    loop {
        let weaker = assumption.weaker();
        match attempt(assumption, again)? {
            Attempt::Holds(mut result) => {
                // A limit may have ended this attempt before it found these faults again.
                result.as_mut().add_faults(kept);
                return Ok(result);
            }
            Attempt::Fails { next, mut findings } => {
                assert!(
                    next.weaker() < weaker,
                    "an exploration begins again under the same assumption"
                );
                findings.append(&mut kept);
                kept = findings;
                (assumption, again) = (next, true);
            }
        }
    }
}

impl AsMut<Report> for Report {
    fn as_mut(&mut self) -> &mut Report {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use selvedge_base::{ContextId, StmtId};
    use selvedge_model::{Fault, FaultKind, ObjectId, StopReason};
    use std::convert::Infallible;

    impl Assumption for u32 {
        fn weaker(&self) -> u32 {
            *self
        }
    }

    fn finding(stmt: u32) -> Found {
        let fault = Fault {
            kind: FaultKind::AssertionFailed,
            message: String::new(),
            stmt: StmtId(stmt),
            context: ContextId(0),
            related: Vec::new(),
            object: ObjectId::NONE,
        };
        Found {
            fault,
            choices: Vec::new(),
            count: 1,
        }
    }

    /// The statements of the findings, and which attempts were made, where each attempt leads to
    /// the assumption that `next` says.
    fn explored(first: u32, next: impl Fn(u32) -> Option<u32>) -> (Vec<u32>, Vec<(u32, bool)>) {
        let mut attempts = Vec::new();
        let report = until_it_holds(first, |assumption, again| {
            attempts.push((assumption, again));
            let findings = vec![finding(assumption)];
            Ok::<_, Infallible>(match next(assumption) {
                Some(next) => Attempt::Fails { next, findings },
                None => Attempt::Holds(Record::default().finish(StopReason::Complete)),
            })
        });
        let Ok(report) = report;
        (report.faults.iter().map(|f| f.fault.stmt.0).collect(), attempts)
    }

    #[test]
    fn findings_of_failed_attempts_are_kept() {
        let (found, attempts) = explored(3, |n| n.checked_sub(1));
        assert_eq!(found, [1, 2, 3]);
        assert_eq!(attempts, [(3, false), (2, true), (1, true), (0, true)]);
    }

    #[test]
    #[should_panic(expected = "under the same assumption")]
    fn each_assumption_is_weaker() {
        explored(3, Some);
    }
}
