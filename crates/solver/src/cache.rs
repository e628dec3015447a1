//! Earlier answers: equal queries, models that satisfy the new query, too, and refuted subsets.
//!
//! A query is the set of its constraints, however they are divided into path and goal. As in KLEE's
//! counterexample cache (OSDI 2008, section 4.2), an earlier model may satisfy a query (it is
//! evaluated), and a query with a refuted subset is refuted. Subsets come from the backends' cores.
//! Since the path of a query is satisfiable, a refuted subset must contain a constraint of the
//! goal, and is searched for there only.
//!
//! Deviation: there is no search for supersets among the queries; recent models serve this purpose.

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_expr::{Arena, Assignment, Evaluator, Expr};
use std::collections::VecDeque;
use std::rc::Rc;

/// The number of models that are tried.
const MODELS: usize = 16;
/// The maximum number of stored queries; then the cache starts again.
const QUERIES: usize = 200_000;

pub(crate) struct Cache<S> {
    inner: S,
    /// The key is the sorted set of constraints. A model has values for the inputs of the query;
    /// others do not matter.
    answers: FxHashMap<Rc<[Expr]>, Known>,
    /// Models of recent queries, the last one first.
    models: VecDeque<Rc<Assignment>>,
    /// Refuted sets, by each of their constraints.
    cores: FxHashMap<Expr, Vec<Rc<[Expr]>>>,
    known_cores: FxHashSet<Rc<[Expr]>>,
    /// The core of the last answer, if it was given here.
    core: Option<Rc<[Expr]>>,
    evaluator: Evaluator,
    statistics: LayerStatistics,
}

#[derive(Clone)]
enum Known {
    Sat(Rc<Assignment>),
    Unsat,
}

impl<S: Solver> Cache<S> {
    pub(crate) fn new(inner: S) -> Cache<S> {
        Cache {
            inner,
            answers: FxHashMap::default(),
            models: VecDeque::new(),
            cores: FxHashMap::default(),
            known_cores: FxHashSet::default(),
            core: None,
            evaluator: Evaluator::new(),
            statistics: LayerStatistics::new("cache"),
        }
    }

    /// True if a model satisfies the query. The goal is evaluated first, because it fails most
    /// often.
    fn satisfies(&mut self, arena: &Arena, model: &Assignment, query: &Query<'_>) -> bool {
        self.evaluator.forget();
        query
            .goal
            .iter()
            .chain(query.path)
            .all(|&e| self.evaluator.eval_same(arena, e, model) != 0)
    }

    fn recent_model(&mut self, arena: &Arena, query: &Query<'_>) -> Option<Rc<Assignment>> {
        for index in 0..self.models.len() {
            let model = self.models[index].clone();
            if self.satisfies(arena, &model, query) {
                let model = self.models.remove(index)?;
                self.models.push_front(model.clone());
                return Some(model);
            }
        }
        None
    }

    fn refuted_subset(&self, key: &[Expr], goal: &[Expr]) -> Option<Rc<[Expr]>> {
        let contained = |core: &&Rc<[Expr]>| core.iter().all(|e| key.binary_search(e).is_ok());
        goal.iter()
            .filter_map(|e| self.cores.get(e))
            .flatten()
            .find(contained)
            .cloned()
    }

    fn remember(&mut self, key: Rc<[Expr]>, answer: &Answer) {
        if self.answers.len() >= QUERIES {
            self.answers.clear();
            self.cores.clear();
            self.known_cores.clear();
        }
        match answer {
            Answer::Sat(model) => {
                self.models.push_front(model.clone());
                self.models.truncate(MODELS);
                self.answers.insert(key, Known::Sat(model.clone()));
            }
            Answer::Unsat => {
                let mut core = self.inner.core().to_vec();
                core.sort_unstable();
                core.dedup();
                // An empty core gives no information.
                if !core.is_empty() {
                    let core: Rc<[Expr]> = core.into();
                    if self.known_cores.insert(core.clone()) {
                        for &e in core.iter() {
                            self.cores.entry(e).or_default().push(core.clone());
                        }
                    }
                }
                self.answers.insert(key, Known::Unsat);
            }
            // The limit may be different the next time.
            Answer::Unknown(_) => {}
        }
    }
}

/// The hint with the model's values for the inputs of the query.
fn complete(arena: &Arena, query: &Query<'_>, model: &Assignment) -> Assignment {
    let mut whole = query.hint.cloned().unwrap_or_default();
    for e in query.constraints() {
        for &input in arena.inputs_of(e).iter() {
            whole.set(input, model.value(input));
        }
    }
    whole
}

impl<S: Solver> Solver for Cache<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.core = None;
        let mut key: Vec<Expr> = query.constraints().collect();
        key.sort_unstable();
        key.dedup();
        match self.answers.get(&*key) {
            Some(Known::Unsat) => {
                self.core = self.refuted_subset(&key, query.goal).or(Some(key.into()));
                return self.statistics.answer(Answer::Unsat);
            }
            Some(Known::Sat(model)) => {
                let model = complete(arena, query, &model.clone());
                return self.statistics.answer(Answer::Sat(Rc::new(model)));
            }
            None => {}
        }
        if let Some(core) = self.refuted_subset(&key, query.goal) {
            self.core = Some(core);
            return self.statistics.answer(Answer::Unsat);
        }
        if let Some(model) = self.recent_model(arena, query) {
            let model = Rc::new(complete(arena, query, &model));
            return self.statistics.answer(Answer::Sat(model));
        }
        let answer = self.inner.check(arena, query);
        if let Answer::Unknown(Reason::Contradiction(_)) = answer {
            // Nothing that this solver said before can be trusted.
            self.answers.clear();
        }
        self.remember(key.into(), &answer);
        answer
    }

    fn core(&self) -> &[Expr] {
        match &self.core {
            Some(core) => core,
            None => self.inner.core(),
        }
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
