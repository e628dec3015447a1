//! Queries as SMT-LIB texts, with answer and time as comments: for other solvers, and for finding
//! errors.
//!
//! The layer is directly above the backends. So it logs what is searched for: slices that no other
//! layer decided.

use crate::{Answer, LayerStatistics, Query, Solver, Statistics};
use selvedge_expr::{Arena, Expr, smtlib};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// The destination of logged queries. Clones have the same destination, so several workers can
/// share one.
#[derive(Clone)]
pub struct Sink(Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

impl Sink {
    /// Calls a function with the text of each query.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Sink {
        Sink(Arc::new(write))
    }

    /// Writes each query to a file of its own in a directory, which is created if it is missing:
    /// `query-000001.smt2` and so on. After the first file that cannot be written, no further one
    /// is tried.
    ///
    /// # Errors
    /// If the directory cannot be created.
    pub fn directory(directory: &Path) -> io::Result<Sink> {
        std::fs::create_dir_all(directory)?;
        let directory = PathBuf::from(directory);
        let (number, failed) = (AtomicU64::new(0), AtomicBool::new(false));
        Ok(Sink::new(move |text| {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            let number = number.fetch_add(1, Ordering::Relaxed) + 1;
            let file = directory.join(format!("query-{number:06}.smt2"));
            if std::fs::write(file, text).is_err() {
                failed.store(true, Ordering::Relaxed);
            }
        }))
    }
}

pub(crate) struct Log<S> {
    inner: S,
    sink: Sink,
    statistics: LayerStatistics,
}

impl<S: Solver> Log<S> {
    pub(crate) fn new(inner: S, sink: Sink) -> Log<S> {
        Log {
            inner,
            sink,
            statistics: LayerStatistics::new("log"),
        }
    }
}

impl<S: Solver> Solver for Log<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        let start = Instant::now();
        let answer = self.inner.check(arena, query);
        let time = start.elapsed();
        let constraints: Vec<Expr> = query.constraints().collect();
        let said = match &answer {
            Answer::Sat(_) => "sat".to_owned(),
            Answer::Unsat => "unsat".to_owned(),
            Answer::Unknown(reason) => format!("unknown ({reason})").replace('\n', " "),
        };
        let path = query.path.len();
        let text = format!(
            "; {said} in {time:.1?}; the first {path} assertions are the path\n{}",
            smtlib::write(arena, &constraints)
        );
        (self.sink.0)(&text);
        answer
    }

    fn core(&self) -> &[Expr] {
        self.inner.core()
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
