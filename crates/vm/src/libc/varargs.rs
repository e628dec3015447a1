//! Variable arguments of a library function: from the call itself, or from a `va_list` that the
//! program made.
//!
//! A `va_list` is the x86-64 tag `{ u32 gp_offset, u32 fp_offset, void *overflow, void *registers
//! }`. An argument is in the save area while the offset of its class is below the end of that
//! class. Otherwise it is the next one in the overflow area.

use crate::native::{Cx, Flow, Stop};
use crate::value::Value;
use selvedge_ir::Type;
use selvedge_model::FaultKind;

/// The source of the next variable argument.
pub enum Varargs {
    /// From the call; the index of the next argument.
    Call(usize),
    /// From the `va_list` whose tag is at this address.
    List(u64),
}

/// End of the integer registers in the save area.
const GENERAL_END: u64 = 48;
/// End of the vector registers in the save area.
const FLOAT_END: u64 = 176;

impl Varargs {
    /// The next argument: a double if `float`, else an integer or pointer.
    pub fn next(&mut self, cx: &mut Cx<'_>, float: bool) -> Result<Value, Stop> {
        match self {
            Varargs::Call(at) => {
                let (Some(&value), Some(&ty)) = (cx.args.get(*at), cx.types.get(*at)) else {
                    let message = "the format asks for more arguments than the call has";
                    return Err(cx.fault(FaultKind::UninitializedValue, message));
                };
                if ty.is_float() != float || ty == Type::F32 || ty.is_wide() {
                    return Err(Flow::Unsupported(format!(
                        "argument of type {ty} for a conversion of another type"
                    )));
                }
                *at += 1;
                Ok(value)
            }
            Varargs::List(tag) => {
                let tag = *tag;
                let (field, step, end) = if float {
                    (tag + 4, 16, FLOAT_END)
                } else {
                    (tag, 8, GENERAL_END)
                };
                let offset = cx.load_defined(field, 4, "va_list")?;
                if offset + step <= end {
                    let registers = cx.load_defined(tag + 16, 8, "va_list")?;
                    cx.store(field, 4, Value::new(offset + step))?;
                    return cx.load(registers + offset, 8);
                }
                let overflow = cx.load_defined(tag + 8, 8, "va_list")?;
                cx.store(tag + 8, 8, Value::new(overflow + 8))?;
                cx.load(overflow, 8)
            }
        }
    }

    /// Whether the next argument of the call is a symbolic value that is completely defined and not
    /// known to be a single number.
    pub fn next_is_symbolic(&self, cx: &Cx<'_>) -> bool {
        let Varargs::Call(at) = self else { return false };
        cx.args.get(*at).is_some_and(|value| {
            let symbol = cx.state.memory.tags.symbol(value.tag);
            symbol.is_some_and(|s| s.undefined == 0 && cx.state.known(cx.thread, s.expr).is_none())
        })
    }

    /// The next integer argument of `bits` bits, which must be defined.
    pub fn integer(&mut self, cx: &mut Cx<'_>, bits: u32) -> Result<u64, Stop> {
        let value = self.next(cx, false)?;
        let mask = u64::MAX >> (64 - bits);
        if value.is_symbolic() {
            return Ok(cx.concrete(value, "argument of an output")? & mask);
        }
        if !value.is_concrete() && cx.state.memory.tags.undefined_bits(value.tag) & mask != 0 {
            return Err(cx.undefined(value, "argument of an output"));
        }
        Ok(value.bits & mask)
    }

    /// The next double argument, which must be defined.
    pub fn double(&mut self, cx: &mut Cx<'_>) -> Result<f64, Stop> {
        let value = self.next(cx, true)?;
        Ok(f64::from_bits(cx.concrete(value, "argument of an output")?))
    }
}
