//! Frame slots for registers. A register that lives within one block (all temporaries of
//! unoptimised code) shares slots with others; one that is used across blocks has its own. Small
//! frames make steps cheap: they are saved at each.

use crate::code::NONE;
use selvedge_base::Id;
use selvedge_ir::{Function, Reg};

/// Where a register lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    Unused,
    /// Only in this block, assigned there before it is read; last touched at this instruction.
    Block {
        block: u32,
        last: u32,
    },
    /// Across blocks.
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
    /// Looks at where registers are used; gives parameters and cross-block registers their slots,
    /// and so those for which `keeps` holds.
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

    /// New slots of one's own.
    pub fn fresh(&mut self, words: u16) -> u16 {
        let slot = self.next;
        self.next += u32::from(words);
        slot.min(u32::from(NONE)) as u16
    }

    /// The slot of a register that is assigned now.
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

    /// The slot of a register that is read.
    pub fn get(&self, reg: Reg) -> u16 {
        self.slot[reg.index()]
    }

    /// Called after instruction `at` of a block was compiled, with the registers it touched.
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

    /// How many slots a frame needs; more than an operand can name means that the function cannot
    /// be compiled.
    pub fn count(&self) -> u32 {
        self.next
    }
}
