//! Searching for the predecessors of an action that is about to be taken: the events on which it
//! depends and that its thread's clock does not cover, and those of them with which it races.

use super::cells::{NONE, Passed, Past};
use super::{Looked, Order, Tick, Use};
use selvedge_model::{Action, Dependence, OpClass};

/// Up to this number of events, each is compared with each.
const FEW: usize = 16;

impl Order {
    /// The tick of the latest event that races with the pending action of `thread`: it is dependent
    /// on the action, may be enabled together with it, and is not ordered before it. 0 if there is
    /// none.
    #[inline]
    pub fn latest_race<P: Dependence>(&self, relation: &P, action: &Action, thread: usize) -> Tick {
        let mut best = 0;
        self.for_each_race(relation, action, thread, |_, tick| best = best.max(tick));
        best
    }

    /// Calls `f` with each last use that races with the pending action of `thread`: the key of the
    /// object, and the tick.
    #[inline]
    pub fn for_each_race<P: Dependence>(
        &self,
        relation: &P,
        action: &Action,
        thread: usize,
        mut f: impl FnMut(u64, Tick),
    ) {
        let clock = self.clock(thread);
        if relation.refines() {
            self.kept
                .look(relation, action, (clock, Tick::MAX), |key, found| {
                    if found.races {
                        f(key, found.tick);
                    }
                });
            return;
        }
        action.for_each_use(|key, bytes, class| {
            self.for_each_race_of(relation, (key, bytes, class), clock, &mut f);
        });
    }

    /// The same for one use.
    #[inline]
    pub fn for_each_race_of<P: Dependence>(
        &self,
        relation: &P,
        (key, bytes, class): (u64, u8, OpClass),
        clock: &[Tick],
        mut f: impl FnMut(u64, Tick),
    ) {
        let racing = relation.racing_classes(class);
        for (_, cell) in self.cells.of(key) {
            if cell.bytes & bytes == 0 {
                continue;
            }
            let mut classes = cell.present & racing;
            while classes != 0 {
                let row = cell.uses[classes.trailing_zeros() as usize].row as usize;
                classes &= classes - 1;
                for (&tick, &known) in self.cells.last[row..row + clock.len()].iter().zip(clock) {
                    if tick > known {
                        f(key, tick);
                    }
                }
            }
        }
    }

    /// Finds the events that are dependent on the next action of `thread` and that its clock does
    /// not cover: for each object, class and other thread the last one, without those that a later
    /// one makes redundant. [`Order::record`] and [`Order::immediate_races`] use the result.
    #[inline(always)]
    pub fn look<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        self.looked.clear();
        self.uses.clear();
        if relation.refines() {
            return self.look_kept(relation, action, thread);
        }
        match action.single_use() {
            Some((key, bytes, class)) => self.look_use(relation, (key, bytes, class), thread),
            None => self.look_uses(relation, action, thread),
        }
    }

    /// Like [`look`](Self::look), for a relation that refines: every earlier use is considered.
    #[cold]
    fn look_kept<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        let Order {
            rows,
            looked,
            kept,
            current,
            uses,
            ..
        } = self;
        let clock = rows.row(current[thread]);
        kept.look(relation, action, (clock, Tick::MAX), |_, found| {
            looked.push(found)
        });
        kept.set_action(action);
        action.for_each_use(|key, bytes, class| {
            uses.push(Use {
                key,
                cell: NONE,
                bytes,
                class,
            });
        });
    }

    #[inline(never)]
    fn look_uses<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        action.for_each_use(|key, bytes, class| self.look_use(relation, (key, bytes, class), thread));
    }

    #[inline(always)]
    pub(super) fn look_use<P: Dependence>(
        &mut self,
        relation: &P,
        (key, bytes, class): (u64, u8, OpClass),
        thread: usize,
    ) {
        let row = self.current[thread];
        let dependent = relation.dependent_classes(class);
        let mut own = NONE;
        for (at, cell) in self.cells.of(key) {
            if cell.bytes == bytes {
                own = at;
            }
            let (classes, latest) = (cell.present & dependent, cell.ends.latest);
            if cell.bytes & bytes == 0 || classes == 0 || latest == 0 {
                continue;
            }
            let by = self.events[latest as usize - 1].thread;
            let known = self.rows.tick(row, by as usize) >= latest;
            if known && latest == cell.ends.dominant {
                continue; // all others happen before the last use
            }
            let racing = relation.racing_classes(class);
            if !cell.last_covers(relation, classes, racing) {
                let past = Past {
                    clock: self.rows.row(row),
                    events: &self.events,
                    last: &self.cells.last,
                };
                cell.look(relation, classes, racing, past, &mut self.looked);
            } else if !known {
                self.looked.push(Looked {
                    tick: latest,
                    thread: by,
                    races: true,
                });
            }
        }
        self.uses.push(Use {
            key,
            cell: own,
            bytes,
            class,
        });
    }

    /// True if the action of the last search uses only one object, and the relation does not
    /// refine. Then every event that the search left out, and that lies after a race, happens after
    /// the race's event. The reason is a property of the classes: if a third class depends on two
    /// classes, then these two depend on each other, or the search returns all their uses. It does
    /// not hold for several objects, or for a relation that refines.
    #[inline]
    pub fn uses_one(&self) -> bool {
        self.uses.len() == 1 && self.kept.is_empty()
    }

    /// The first object that the action of the last search uses.
    #[inline]
    pub fn first_used(&self) -> Option<u64> {
        self.uses.first().map(|used| used.key)
    }

    /// Adds the result of the same search as it was at tick `end`. Returns the position at which it
    /// begins, for [`Order::immediate_races`].
    #[cold]
    pub fn look_before<P: Dependence>(
        &mut self,
        relation: &P,
        action: &Action,
        thread: usize,
        end: Tick,
        passed: &mut Passed,
    ) -> usize {
        let Order {
            rows,
            cells,
            looked,
            events,
            current,
            kept,
            uses,
            ..
        } = self;
        let clock = rows.row(current[thread]);
        let from = looked.len();
        if relation.refines() {
            kept.look(relation, action, (clock, end), |_, found| looked.push(found));
            return from;
        }
        for &Use {
            key, bytes, class, ..
        } in uses.iter()
        {
            let dependent = relation.dependent_classes(class);
            let racing = relation.racing_classes(class);
            for (_, cell) in cells.of(key) {
                let mut classes = cell.present & dependent;
                if cell.bytes & bytes == 0 || classes == 0 || cell.is_known(events, clock) {
                    continue;
                }
                while classes != 0 {
                    let bit = classes & classes.wrapping_neg();
                    classes ^= bit;
                    let first = cell.uses[bit.trailing_zeros() as usize].row as usize;
                    let races = racing & bit != 0;
                    for (other, (&tick, &known)) in cells.last[first..first + clock.len()]
                        .iter()
                        .zip(clock)
                        .enumerate()
                    {
                        if tick > known {
                            let tick = if tick < end {
                                tick
                            } else {
                                cells.use_before(events, (first + other, tick), end, passed)
                            };
                            if tick > known {
                                looked.push(Looked {
                                    tick,
                                    thread: other as u32,
                                    races,
                                });
                            }
                        }
                    }
                }
            }
        }
        from
    }

    /// True if the last search found nothing.
    #[inline]
    pub fn found_nothing(&self) -> bool {
        self.looked.is_empty()
    }

    /// The immediate races of the action, among the results of the search from position `from` on:
    /// the events that may be enabled together with the action and do not happen before another
    /// such event. They are added to `races`. Returns the tick of the latest dependent event,
    /// racing or not.
    #[inline(always)]
    pub fn immediate_races(&self, from: usize, races: &mut Vec<Tick>) -> Tick {
        match &self.looked[from..] {
            [one] if one.races && races.is_empty() => {
                races.push(one.tick);
                one.tick
            }
            looked => self.immediate_races_of(looked, races),
        }
    }

    fn immediate_races_of(&self, looked: &[Looked], races: &mut Vec<Tick>) -> Tick {
        let last = self.last_racing(looked);
        let later = last.as_deref().unwrap_or(looked);
        let mut latest = 0;
        for one in looked {
            latest = latest.max(one.tick);
            let before = |later: &Looked| {
                later.races
                    && later.tick > one.tick
                    && self
                        .rows
                        .tick(self.events[later.tick as usize - 1].clock, one.thread as usize)
                        >= one.tick
            };
            if one.races && !later.iter().any(before) && !races.contains(&one.tick) {
                races.push(one.tick);
            }
        }
        latest
    }

    /// If there are many results: the last racing event of each thread. An earlier event of the
    /// same thread happens before it, so it is no immediate race.
    fn last_racing(&self, looked: &[Looked]) -> Option<Vec<Looked>> {
        if looked.len() <= FEW {
            return None;
        }
        let mut last: Vec<Option<Looked>> = vec![None; self.current.len()];
        for one in looked.iter().filter(|one| one.races) {
            let place = &mut last[one.thread as usize];
            if place.is_none_or(|known| known.tick < one.tick) {
                *place = Some(*one);
            }
        }
        Some(last.into_iter().flatten().collect())
    }
}
