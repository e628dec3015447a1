//! The order of sections that are one event each (`search/sections.rs`).

use super::{Looked, Order, Tick};
use selvedge_model::{Dependence, ObjectId, OpClass};

impl Order {
    /// [`look`](Order::look) for an event with these uses.
    pub fn look_uses_of<P: Dependence>(&mut self, relation: &P, uses: &[(u64, u8, OpClass)], thread: usize) {
        self.looked.clear();
        self.uses.clear();
        for &used in uses {
            self.look_use(relation, used, thread);
        }
    }

    /// Calls `f` for events that are dependent on these uses by memory or by an address, and that
    /// the clock of `thread` does not cover: with the key of the object, and the mutex of which the
    /// event is a section (0 if it is none). Of each thread it is the last such event of each
    /// class.
    pub fn for_each_dependent<P: Dependence>(
        &self,
        relation: &P,
        uses: &[(u64, u8, OpClass)],
        thread: usize,
        mut f: impl FnMut(u64, u64),
    ) {
        let clock = self.clock(thread);
        for &(key, bytes, class) in uses {
            let object = ObjectId(key);
            if !object.is_address() && object.as_heap().is_none() {
                continue;
            }
            let dependent = relation.dependent_classes(class);
            for (_, cell) in self.cells.of(key) {
                let mut classes = cell.present & dependent;
                if cell.bytes & bytes == 0 {
                    continue;
                }
                while classes != 0 {
                    let row = cell.uses[classes.trailing_zeros() as usize].row as usize;
                    classes &= classes - 1;
                    for (&tick, &known) in self.cells.last[row..row + clock.len()].iter().zip(clock) {
                        if tick > known {
                            f(key, self.events[tick as usize - 1].section);
                        }
                    }
                }
            }
        }
    }

    /// A deliberate mistake: adds the last section of each thread as one that happens before.
    pub fn look_sections(&mut self, mutex: u64, class: OpClass, thread: usize) {
        let clock = self.rows.row(self.current[thread]);
        for (_, cell) in self.cells.of(mutex) {
            if cell.present & class.bit() == 0 {
                continue;
            }
            let row = cell.uses[class as usize].row as usize;
            let last = &self.cells.last[row..row + clock.len()];
            for (other, (&tick, &known)) in last.iter().zip(clock).enumerate() {
                if tick > known {
                    self.looked.push(Looked {
                        tick: tick as Tick,
                        thread: other as u32,
                        races: false,
                    });
                }
            }
        }
    }
}
