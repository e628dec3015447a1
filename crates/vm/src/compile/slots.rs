//! Frame slots for registers. A register that is used in one block only shares slots with others
//! (all temporaries of unoptimised code are such). A register that is used in several blocks has
//! its own slot. Small frames make steps cheap, because each step saves the current frame.

use crate::code::NONE;
use selvedge_base::Id;
use selvedge_ir::{Function, Reg};

/// The storage of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    Unused,
    /// Used in this block only, where it is assigned before it is read. `last` is the last
    /// instruction that reads or assigns it.
    Block {
        block: u32,
        last: u32,
    },
    /// Used in several blocks, or a parameter: has its own slot.
    Own,
}

/// Assigns slots while a function is compiled.
pub struct Slots {
    homes: Vec<Home>,
    /// Registers that some instruction reads.
    read: Vec<bool>,
    slot: Vec<u16>,
    words: Vec<u16>,
    free: Vec<u16>,
    free_pairs: Vec<u16>,
    next: u32,
}

impl Slots {
    /// Finds where registers are used. Assigns slots to parameters, to registers that are used in
    /// several blocks, and to registers that satisfy `keeps`.
    pub fn new(function: &Function, keeps: impl Fn(Reg) -> bool) -> Slots {
        let mut homes = vec![Home::Unused; function.regs.len()];
        let mut read = vec![false; function.regs.len()];
        for p in &function.params {
            homes[p.index()] = Home::Own;
        }
        for (b, block) in function.blocks.iter().enumerate() {
            let mut touch = |reg: Reg, at: u32, defines: bool| {
                read[reg.index()] |= !defines;
                let home = &mut homes[reg.index()];
                *home = match *home {
                    Home::Unused if defines => Home::Block {
                        block: b as u32,
                        last: at,
                    },
                    Home::Block { block, .. } if block == b as u32 => Home::Block { block, last: at },
                    _ => Home::Own,
                };
            };
            let mut at = 0;
            for inst in &block.insts {
                inst.kind.for_each_operand(|o| {
                    if let selvedge_ir::Operand::Reg(r) = o {
                        touch(r, at, false);
                    }
                });
                inst.kind.for_each_result(|r| touch(r, at, true));
                at += 1;
            }
            block.term.for_each_operand(|o| {
                if let selvedge_ir::Operand::Reg(r) = o {
                    touch(r, at, false);
                }
            });
        }
        for r in function.regs.ids().filter(|&r| keeps(r)) {
            if homes[r.index()] != Home::Unused {
                homes[r.index()] = Home::Own;
            }
        }
        let words = function
            .regs
            .iter()
            .map(|r| if r.ty.is_wide() { 2 } else { 1 })
            .collect();
        let mut slots = Slots {
            homes,
            read,
            slot: vec![NONE; function.regs.len()],
            words,
            free: Vec::new(),
            free_pairs: Vec::new(),
            next: 0,
        };
        for p in &function.params {
            slots.give(*p);
        }
        for r in function.regs.ids() {
            if slots.homes[r.index()] == Home::Own {
                slots.give(r);
            }
        }
        slots
    }

    /// Whether some instruction reads a register.
    pub fn is_read(&self, reg: Reg) -> bool {
        self.read[reg.index()]
    }

    fn give(&mut self, reg: Reg) {
        if self.slot[reg.index()] == NONE {
            self.slot[reg.index()] = self.fresh(self.words[reg.index()]);
        }
    }

    /// New slots that are not shared.
    pub fn fresh(&mut self, words: u16) -> u16 {
        let slot = self.next;
        self.next += u32::from(words);
        slot.min(u32::from(NONE)) as u16
    }

    /// The slot of a register that is being assigned.
    pub fn define(&mut self, reg: Reg) -> u16 {
        let i = reg.index();
        if self.slot[i] == NONE {
            let words = self.words[i];
            let pool = if words == 2 {
                &mut self.free_pairs
            } else {
                &mut self.free
            };
            self.slot[i] = match pool.pop() {
                Some(slot) => slot,
                None => self.fresh(words),
            };
        }
        self.slot[i]
    }

    /// The slot of a register that is being read.
    pub fn get(&self, reg: Reg) -> u16 {
        self.slot[reg.index()]
    }

    /// Frees the slot of a register if instruction `at` was its last use. To be called after the
    /// instruction was compiled, for each register that it reads or assigns.
    pub fn release(&mut self, reg: Reg, at: u32) {
        let i = reg.index();
        if let Home::Block { last, .. } = self.homes[i]
            && last == at
            && self.slot[i] != NONE
        {
            let slot = std::mem::replace(&mut self.slot[i], NONE);
            if self.words[i] == 2 {
                self.free_pairs.push(slot)
            } else {
                self.free.push(slot)
            }
        }
    }

    /// The number of slots of a frame. If it exceeds the numbers that an operand can hold, the
    /// function cannot be compiled.
    pub fn count(&self) -> u32 {
        self.next
    }
}
