//! `freeze`, which turns an undefined or poison value into an arbitrary value, the same at each
//! use. The bits without a value become an input of the program, requested at the instruction.

use super::Source;
use crate::code::{ComplexOperands, NONE};
use crate::memory::Site;
use crate::value::{Poison, Value};
use crate::vm::Vm;
use selvedge_base::ThreadId;
use selvedge_expr::BinOp;
use selvedge_model::{Input, InputKind};

impl Vm {
    pub(crate) fn freeze(&mut self, thread: ThreadId, operands: &ComplexOperands, site: Site) {
        let (low, high) = operands.operands[0];
        let (slot, ty) = operands.results[0];
        let mut words = vec![(self.slot(thread, low), ty.bits().min(64) as u8)];
        if high != NONE {
            words.push((self.slot(thread, high), (ty.bits() - 64) as u8));
        }
        let undefined: Vec<u64> = words
            .iter()
            .map(|&(v, width)| self.without_value(v, width))
            .collect();
        if undefined.iter().any(|&bits| bits != 0) {
            let program = self.program.clone();
            let source = Source {
                name: Input::UNDEFINED,
                kind: InputKind::Scalar {
                    bits: ty.bits() as u16,
                    signed: false,
                },
                size: u64::from(ty.bytes()),
            };
            let given = self.state.input(&program, thread, site, &source);
            let tags = &self.state.memory.tags;
            for (((word, width), undefined), given) in words.iter_mut().zip(&undefined).zip(given) {
                if *undefined == 0 {
                    continue;
                }
                let bits = |bits: u64| tags.arena.constant(*width, u128::from(bits));
                let all = u64::MAX >> (64 - *width);
                let new = tags
                    .arena
                    .binary(BinOp::And, tags.expr(given, *width), bits(*undefined));
                let old = match word.tag.as_poison() {
                    Some(_) => bits(0),
                    None => tags
                        .arena
                        .binary(BinOp::And, tags.expr(*word, *width), bits(all & !undefined)),
                };
                *word = tags.of(tags.arena.binary(BinOp::Or, old, new));
            }
        }
        for (i, (word, _)) in words.into_iter().enumerate() {
            self.set_slot(thread, slot + i as u16, word);
        }
    }

    /// The bits of a value that are undefined. An address outside of its object has all bits
    /// defined; it stays outside.
    fn without_value(&self, value: Value, width: u8) -> u64 {
        let tags = &self.state.memory.tags;
        let undefined = match (tags.symbol(value.tag), value.tag.as_poison()) {
            (Some(symbol), _) => symbol.undefined,
            (None, Some(Poison::OutOfObject)) => 0,
            (None, _) => tags.undefined_bits(value.tag),
        };
        undefined & (u64::MAX >> (64 - width))
    }
}
