//! What a worker makes of a part of a search that is not made: where it is at which time, what it
//! can give away, and what it answers.

use crate::shape::{Child, Shape};
use selvedge_base::{Id, ThreadId};
use selvedge_explore::Statistics;
use selvedge_explore::kept::{
    Begun, Common, Done, Entry, GivenUnit, NodeState, Part, Product, Progress, RecordState, Unit, UnitState,
};
use selvedge_model::Choice;
use selvedge_session::apart::{Made, Outcome};
use selvedge_vm::Carried;

/// As in the product: the most entries that a part gives away when it has to wait.
const BEFORE_WAITING: usize = 4;

/// An entry that was given away, and what is known of it.
#[derive(Clone, Debug)]
struct Given {
    level: u32,
    place: u16,
    child: Child,
    path: Vec<Choice>,
    entry: Entry,
    done: Option<Done>,
}

/// A part that a worker explores. Times are in nanoseconds.
pub struct Work<'a> {
    shape: &'a Shape,
    path: Vec<Choice>,
    entry: Option<Entry>,
    /// The numbers of its executions.
    range: (u64, u64),
    given: Vec<Given>,
    /// Executions so far, its own and those that were joined.
    counted: u64,
    at: u64,
    now: u64,
    until: u64,
    pub wanted: usize,
}

/// A node on the present path.
struct Level {
    children: Vec<Child>,
    place: usize,
}

/// Where a part ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Due,
    Joins,
    Done,
}

fn choice(place: usize) -> Choice {
    Choice {
        thread: ThreadId::from_index(place),
        alternative: 0,
    }
}

impl<'a> Work<'a> {
    /// Begins with a part, and explores it until some time.
    pub fn new(shape: &'a Shape, part: &Part, begun: u64, until: u64) -> Work<'a> {
        let (path, entry, state) = match part {
            Part::Whole => (Vec::new(), None, None),
            Part::Rest(begun) => (Vec::new(), None, Some(begun)),
            Part::Unit(unit) => match &unit.state {
                UnitState::Waiting => (unit.path.clone(), Some(&unit.entry), None),
                UnitState::Begun(begun) => (unit.path.clone(), Some(&unit.entry), Some(begun)),
                UnitState::Done(_) => panic!("it is already explored"),
            },
        };
        let mut range = (0, shape.size);
        let places = path.iter().map(|choice| choice.thread.index());
        for place in places.chain(entry.map(|entry| usize::from(entry.thread))) {
            let child = shape.children(range.0, range.1)[place];
            range = (child.begin, child.end);
        }
        let mut work = Work {
            shape,
            path,
            entry: entry.cloned(),
            range,
            given: Vec::new(),
            counted: 0,
            at: range.0,
            now: begun,
            until,
            wanted: 0,
        };
        if let Some(state) = state {
            work.restore(state);
        }
        work
    }

    fn own(&self) -> usize {
        self.path.len() + usize::from(self.entry.is_some())
    }

    fn restore(&mut self, state: &Begun) {
        self.counted = state.product.record.statistics.executions;
        let skipped = usize::from(self.entry.is_some());
        let mut range = self.range;
        self.at = range.0;
        for node in &state.nodes[skipped..] {
            let children = self.shape.children(range.0, range.1);
            match children.get(usize::from(node.cursor)) {
                Some(child) => range = (child.begin, child.end),
                None => range.0 += u64::from(node.cursor),
            }
            self.at = range.0;
        }
        for given in &state.given {
            let mut range = (0, self.shape.size);
            for choice in &given.unit.path {
                let child = self.shape.children(range.0, range.1)[choice.thread.index()];
                range = (child.begin, child.end);
            }
            self.given.push(Given {
                level: given.node,
                place: given.place,
                child: self.shape.children(range.0, range.1)[usize::from(given.place)],
                path: given.unit.path.clone(),
                entry: given.unit.entry.clone(),
                done: match &given.unit.state {
                    UnitState::Done(done) => Some(done.clone()),
                    _ => None,
                },
            });
        }
    }

    /// The nodes from the part's own to the present execution.
    fn levels(&self) -> Vec<Level> {
        let (mut range, mut levels) = (self.range, Vec::new());
        loop {
            let children = self.shape.children(range.0, range.1);
            let here = |child: &Child| child.begin <= self.at && self.at < child.end;
            let Some(place) = children.iter().position(here) else {
                return levels;
            };
            range = (children[place].begin, children[place].end);
            levels.push(Level { children, place });
        }
    }

    /// The next unit that it has given away, in depth-first order.
    fn next_given(&self) -> Option<usize> {
        let ahead = |n: &usize| self.given[*n].child.begin >= self.at;
        (0..self.given.len())
            .filter(ahead)
            .min_by_key(|&n| self.given[n].child.begin)
    }

    /// Explores until some time at most. Returns the end of the part if that is before it.
    fn advance(&mut self, time: u64) -> Option<End> {
        loop {
            let next = self.next_given();
            let stop = next.map_or(self.range.1, |n| self.given[n].child.begin);
            let can = time.min(self.until).saturating_sub(self.now) / self.shape.cost;
            let more = can.min(stop - self.at);
            self.at += more;
            self.counted += more;
            self.now += more * self.shape.cost;
            match next {
                _ if self.at < stop => return (self.until <= time).then_some(End::Due),
                None => return Some(End::Done),
                Some(n) => {
                    let Some(done) = &self.given[n].done else {
                        return Some(End::Joins);
                    };
                    self.counted += done.product.record.statistics.executions;
                    self.at = self.given[n].child.end;
                    self.given.swap_remove(n);
                }
            }
        }
    }

    /// The time at which it ends by itself.
    pub fn ends_at(&self) -> u64 {
        let mut copy = Work {
            path: self.path.clone(),
            entry: self.entry.clone(),
            given: self.given.clone(),
            ..*self
        };
        copy.advance(u64::MAX);
        copy.now
    }

    /// Gives entries away at some time, highest first. Returns true if it gave any.
    pub fn give(&mut self, time: u64) -> bool {
        self.advance(time);
        // Each part is explored for one execution at least.
        let (mut path, mut gave) = (self.path.clone(), false);
        path.extend(self.entry.iter().map(|entry| choice(usize::from(entry.thread))));
        for level in self.levels() {
            let at = path.len() as u32;
            for (place, child) in level.children.iter().enumerate().skip(level.place + 1) {
                let is_given = |given: &Given| (given.level, usize::from(given.place)) == (at, place);
                let known = child.known <= self.at && child.end - child.begin > 1;
                if self.wanted > 0 && known && !self.given.iter().any(is_given) {
                    self.wanted -= 1;
                    gave = true;
                    self.given.push(Given {
                        level: at,
                        place: place as u16,
                        child: *child,
                        path: path.clone(),
                        entry: Entry {
                            thread: place as u16,
                            sleep: (0..place as u16).collect(),
                        },
                        done: None,
                    });
                }
            }
            path.push(choice(level.place));
        }
        gave
    }

    /// The answer at some time.
    pub fn answer(mut self, time: u64, common: &Common) -> Made {
        let end = self.advance(time).unwrap_or(End::Due);
        if end == End::Joins {
            self.wanted = BEFORE_WAITING;
            self.give(time);
        }
        let record = RecordState {
            statistics: Statistics {
                executions: self.counted,
                ..Statistics::default()
            },
            ..RecordState::default()
        };
        let product = Product {
            record,
            requests: Vec::new(),
        };
        let progress = match end {
            End::Done => Progress::Done(Done { product, halt: None }),
            end => Progress::Begun(self.begun(product, end == End::Joins)),
        };
        Made {
            outcome: Outcome::Part(progress),
            common: common.clone(),
            learned: Carried::default(),
        }
    }

    fn begun(self, product: Product, joins: bool) -> Begun {
        let node = |place: usize, known: usize| NodeState {
            sleep: Vec::new(),
            added: (0..known as u16).collect(),
            cursor: place as u16,
            thread: place as u16,
            alternative: 0,
            later: (place as u16 + 1..known as u16).collect(),
            local: false,
            given: false,
        };
        let mut nodes = Vec::new();
        nodes.extend(self.entry.iter().map(|entry| node(usize::from(entry.thread), 0)));
        let mut range = self.range;
        let joined = self
            .next_given()
            .filter(|_| joins)
            .map(|n| self.given[n].level as usize);
        for level in self.levels() {
            let depth = self.own() + nodes.len() - usize::from(self.entry.is_some());
            let known = level
                .children
                .iter()
                .filter(|child| child.known <= self.at)
                .count();
            nodes.push(node(level.place, known.max(level.place + 1)));
            let child = level.children[level.place];
            range = (child.begin, child.end);
            if joined == Some(depth) {
                break;
            }
        }
        if !joins && (self.at > range.0 || nodes.is_empty()) {
            nodes.push(node((self.at - range.0) as usize, 0));
        }
        let given = self.given.into_iter().map(|given| GivenUnit {
            node: given.level,
            place: given.place,
            unit: Unit {
                path: given.path,
                entry: given.entry,
                state: given.done.map_or(UnitState::Waiting, UnitState::Done),
            },
        });
        Begun {
            nodes,
            joins,
            product,
            given: given.collect(),
        }
    }
}
