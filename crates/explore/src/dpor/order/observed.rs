//! Which writes a read tells the order of (`search/observers.rs`).

use super::{Order, Tick};
use selvedge_model::{Op, OpClass, Published};

impl Order {
    /// Calls `f` with each pair of writes whose other order would show to a reader of these bytes
    /// of an object: the later write is the one that the reader sees, and the earlier one, by
    /// another thread, is neither ordered before it nor overwritten by its own thread. Events from
    /// tick `end` on are left out.
    pub fn for_each_observed(
        &self,
        (key, bytes): (u64, u8),
        end: Tick,
        latest_only: bool,
        mut f: impl FnMut(Tick, Tick),
    ) {
        for bit in (0..u8::BITS).map(|n| 1 << n).filter(|bit| bytes & bit != 0) {
            let mut writes = self.kept.writes(key, bit).filter(|used| used.tick < end);
            // What else changes memory also reads it, and was a reader itself.
            let Some(seen) = writes.next().filter(|used| used.action.op == Op::Write) else {
                continue;
            };
            let clock = self.rows.row(self.events[seen.tick as usize - 1].clock);
            let mut threads = vec![seen.thread];
            for used in writes {
                if threads.contains(&used.thread) {
                    continue;
                }
                threads.push(used.thread);
                if used.tick > clock[used.thread as usize] && used.action.op == Op::Write {
                    f(used.tick, seen.tick);
                    if latest_only {
                        break;
                    }
                }
            }
        }
    }

    /// The same by the published rules (Kusano and Wang, Theorem 3): pairs of last writes by two
    /// other threads, both of which happen before the reader. `own`: the read is the event at the
    /// last tick; else it comes after that.
    pub fn for_each_published(
        &self,
        (key, bytes): (u64, u8),
        reader: usize,
        own: bool,
        mut f: impl FnMut(Tick, Tick),
    ) {
        let clock = match self.events.last().filter(|_| own) {
            Some(event) => self.rows.row(event.before),
            None => self.clock(reader),
        };
        for bit in (0..u8::BITS).map(|n| 1 << n).filter(|bit| bytes & bit != 0) {
            let mut last = vec![(0, 0); clock.len()];
            let cells = self.cells.of(key).filter(|(_, cell)| cell.bytes & bit != 0);
            for (_, cell) in cells {
                for class in [Published::PRUNED, OpClass::Write] {
                    if cell.present & class.bit() == 0 {
                        continue;
                    }
                    let row = cell.uses[class as usize].row as usize;
                    for (thread, &tick) in self.cells.last[row..row + clock.len()].iter().enumerate() {
                        if thread != reader && tick <= clock[thread] {
                            last[thread] = last[thread].max((tick, class as u8));
                        }
                    }
                }
            }
            let seen = last.iter().copied().max().unwrap_or_default();
            let pruned = |&&(tick, class): &&(Tick, u8)| tick != 0 && class == Published::PRUNED as u8;
            if pruned(&&seen) {
                let clock = self.clock_at(seen.0);
                let others = last.iter().enumerate();
                others
                    .filter(|(thread, write)| write.0 != seen.0 && write.0 > clock[*thread] && pruned(write))
                    .for_each(|(_, write)| f(write.0, seen.0));
            }
        }
    }

    /// The number of events.
    pub fn len(&self) -> Tick {
        self.events.len() as Tick
    }

    /// The clock of the event at a tick.
    pub fn clock_at(&self, tick: Tick) -> &[Tick] {
        self.rows.row(self.events[tick as usize - 1].clock)
    }

    /// A deliberate mistake: the writes of the same bytes are ordered, although their order is not
    /// reversed.
    pub fn look_at_writes(&mut self, action: &selvedge_model::Action, thread: usize) {
        if action.op != Op::Write {
            return;
        }
        let clock = self.rows.row(self.current[thread]);
        let (kept, looked) = (&self.kept, &mut self.looked);
        action.for_each_use(|key, bytes, _| {
            for used in kept.writes(key, bytes) {
                if used.tick > clock[used.thread as usize] {
                    looked.push(super::Looked {
                        tick: used.tick,
                        thread: used.thread,
                        races: false,
                    });
                }
            }
        });
    }
}
