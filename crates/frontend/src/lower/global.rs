//! Global variables and their initialisers.
//!
//! An initialiser becomes bytes, relocations and undefined ranges. Everything else (the address of
//! a block, a difference of addresses) is stored by a constructor that runs before all others.

use super::Unit;
use super::function::FnLower;
use super::weak::Weak;
use crate::llvm::{Linkage, Ty, TyKind, TypeNode, Value, ValueKind};
use selvedge_ir::{FuncId, GlobalId, Relocation, Symbol};
use std::cmp::Reverse;

/// The parts of an initialiser.
#[derive(Default)]
struct Image<'m> {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
    undefined: Vec<(u64, u64)>,
    stores: Vec<(u64, Value<'m>)>,
}

impl Image<'_> {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        // Trailing zeros are left out.
        let Some(last) = bytes.iter().rposition(|&b| b != 0) else {
            return;
        };
        self.reserve(at + last as u64 + 1);
        self.bytes[at as usize..=at as usize + last].copy_from_slice(&bytes[..=last]);
    }

    fn reserve(&mut self, len: u64) {
        if (self.bytes.len() as u64) < len {
            self.bytes.resize(len as usize, 0);
        }
    }

    fn undefine(&mut self, from: u64, to: u64) {
        match self.undefined.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ if from < to => self.undefined.push((from, to)),
            _ => {}
        }
    }
}

impl<'m> Unit<'m, '_> {
    /// Lowers the definition of a global variable.
    pub(super) fn define_global(&mut self, id: GlobalId, value: Value<'m>) {
        let ty = value.value_type();
        let mut image = Image::default();
        if let Some(initial) = value.initializer() {
            self.image(initial, ty, 0, &mut image);
        }
        let align = match value.align() {
            0 => self.layout.align(ty),
            stated => stated,
        };
        // A constructor must be able to write what it initialises.
        let constant = value.is_constant() && image.stores.is_empty();
        self.stores
            .extend(image.stores.drain(..).map(|(at, v)| (id, at, v)));
        let size = self.layout.size(ty);
        let span = self
            .places
            .global(&mut self.program.files, value)
            .unwrap_or_default();
        let described = value.described();
        let ty = described.and_then(|variable| TypeNode::of_variable(self.layout, variable));
        let shape = self.shape(ty);
        let global = &mut self.program.module.globals[id];
        global.shape = shape;
        global.size = size;
        global.align = align.max(1);
        global.init = image.bytes;
        global.relocations = image.relocations;
        global.undefined = image.undefined;
        global.thread_local = value.is_thread_local();
        global.constant = constant;
        global.external = false;
        global.span = span;
    }

    fn image(&mut self, value: Value<'m>, ty: Ty<'m>, at: u64, image: &mut Image<'m>) {
        match value.kind() {
            ValueKind::LLVMConstantAggregateZeroValueKind | ValueKind::LLVMConstantPointerNullValueKind => {}
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => {
                image.undefine(at, at + self.layout.size(ty));
            }
            ValueKind::LLVMConstantDataArrayValueKind | ValueKind::LLVMConstantDataVectorValueKind => {
                image.put(at, value.raw_data().unwrap_or_default());
            }
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind => self.aggregate(value, ty, at, image),
            ValueKind::LLVMConstantIntValueKind if value.int().is_some() => {
                let bytes = value.int().unwrap_or_default().to_le_bytes();
                image.put(at, &bytes[..(ty.int_bits().div_ceil(8) as usize).min(16)]);
            }
            ValueKind::LLVMConstantFPValueKind if ty.kind() == TyKind::LLVMDoubleTypeKind => {
                image.put(at, &value.double().unwrap_or_default().to_bits().to_le_bytes());
            }
            ValueKind::LLVMConstantFPValueKind if ty.kind() == TyKind::LLVMFloatTypeKind => {
                image.put(
                    at,
                    &(value.double().unwrap_or_default() as f32)
                        .to_bits()
                        .to_le_bytes(),
                );
            }
            _ => self.address_image(value, ty, at, image),
        }
    }

    fn aggregate(&mut self, value: Value<'m>, ty: Ty<'m>, at: u64, image: &mut Image<'m>) {
        let structure = ty.kind() == TyKind::LLVMStructTypeKind;
        for i in 0..ty.elements() as u32 {
            let (Some(element), Some(inner)) = (value.element(i), ty.element(i)) else {
                continue;
            };
            let offset = if structure {
                self.layout.offset(ty, i)
            } else {
                u64::from(i) * self.layout.size(inner)
            };
            self.image(element, inner, at + offset, image);
        }
    }

    /// An address: known only when the program runs.
    fn address_image(&mut self, value: Value<'m>, ty: Ty<'m>, at: u64, image: &mut Image<'m>) {
        let is_pointer = ty.kind() == TyKind::LLVMPointerTypeKind;
        let whole = is_pointer || ty.int_bits() == 64;
        match self.linear(value) {
            // Outside of its object, an instruction computes it, which marks it.
            Some((Some(_), addend)) if is_pointer && self.leaves(value, addend) => {
                image.stores.push((at, value));
            }
            Some((Some(symbol), addend)) if whole && !self.is_thread_local(symbol) => {
                image.reserve(at + 8);
                image.relocations.push(Relocation {
                    offset: at,
                    symbol,
                    addend,
                });
            }
            Some((None, number)) if whole => image.put(at, &number.to_le_bytes()),
            _ => image.stores.push((at, value)),
        }
    }

    /// Whether an address so many bytes from the beginning of a variable on is outside of it. The
    /// variable may not have been lowered yet.
    fn leaves(&self, address: Value<'m>, addend: i64) -> bool {
        let mut base = address;
        while base.kind() == ValueKind::LLVMConstantExprValueKind {
            match base.operand(0) {
                Some(operand) => base = operand,
                None => return false,
            }
        }
        base.kind() == ValueKind::LLVMGlobalVariableValueKind
            && base.initializer().is_some()
            && u64::try_from(addend).map_or(true, |at| at > self.layout.size(base.value_type()))
    }

    fn is_thread_local(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Global(g) if self.program.module.globals[g].thread_local)
    }

    /// The functions of `llvm.global_ctors` or `llvm.global_dtors`, by priority, else in order.
    pub(super) fn structors(&mut self, list: Value<'m>) -> Vec<FuncId> {
        let Some(initial) = list.initializer() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for i in 0..initial.ty().elements() as u32 {
            let Some(entry) = initial.element(i) else { continue };
            let priority = entry.element(0).and_then(|p| p.int()).unwrap_or(u128::MAX);
            if let Some(function) = entry.element(1)
                && let Some((Some(Symbol::Func(id)), 0)) = self.linear(function)
            {
                // Those of shared libraries come first, and of these the ones that others need.
                let library = function.library().map_or(0, |number| u64::from(number) + 1);
                found.push((Reverse(library), priority, id));
            }
        }
        found.sort_by_key(|&(library, priority, _)| (library, priority));
        found.into_iter().map(|(.., id)| id).collect()
    }

    /// Makes the name of an alias known, so that the library does not define it again.
    pub(super) fn name_alias(&mut self, alias: Value<'m>) {
        if let Some((Some(symbol), 0)) = self.linear(alias) {
            self.program.names.entry(alias.name()).or_insert(symbol);
        }
    }

    /// Makes the constructor that stores the values that are no constants here.
    pub(crate) fn define_stores(&mut self) {
        let stores = std::mem::take(&mut self.stores);
        if stores.is_empty() {
            return;
        }
        let id = self
            .program
            .declare(self.program.local_name(true, "selvedge.initialise"));
        self.program.module.functions[id].library = true;
        FnLower::new(self, id).store_constants(stores);
        self.program.module.constructors.insert(0, id);
    }

    /// A constant as the address of a symbol plus a number, or just a number, if it is of that
    /// form.
    pub(super) fn linear(&mut self, value: Value<'m>) -> Option<(Option<Symbol>, i64)> {
        use crate::llvm::Opcode as Op;
        match value.kind() {
            ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalVariableValueKind
                if value.linkage() == Linkage::LLVMExternalWeakLinkage =>
            {
                let name = value.name();
                match self.weak(&name) {
                    Weak::Null => {
                        self.program.absent.insert(name);
                        Some((None, 0))
                    }
                    Weak::Defined => Some((Some(self.symbol(value)), 0)),
                    Weak::Unknown => None,
                }
            }
            ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalVariableValueKind => {
                Some((Some(self.symbol(value)), 0))
            }
            ValueKind::LLVMGlobalAliasValueKind => self.linear(value.aliasee()?),
            ValueKind::LLVMConstantPointerNullValueKind => Some((None, 0)),
            ValueKind::LLVMConstantIntValueKind if value.ty().int_bits() <= 64 => {
                let bits = value.ty().int_bits().max(1);
                let raw = value.int()? as u64;
                Some((None, (raw << (64 - bits)) as i64 >> (64 - bits)))
            }
            ValueKind::LLVMConstantExprValueKind if !super::constant::converts_its_operand(value) => None,
            ValueKind::LLVMConstantExprValueKind => match value.opcode()? {
                Op::LLVMGetElementPtr => {
                    let (symbol, base) = self.linear(value.operand(0)?)?;
                    Some((symbol, base.wrapping_add(self.constant_gep(value)?)))
                }
                Op::LLVMAddrSpaceCast => self.linear(value.operand(0)?),
                Op::LLVMBitCast if value.ty().kind() == TyKind::LLVMPointerTypeKind => {
                    self.linear(value.operand(0)?)
                }
                Op::LLVMPtrToInt | Op::LLVMPtrToAddr if value.ty().int_bits() == 64 => {
                    self.linear(value.operand(0)?)
                }
                Op::LLVMIntToPtr if value.operand(0)?.ty().int_bits() == 64 => self.linear(value.operand(0)?),
                Op::LLVMAdd if value.ty().int_bits() == 64 => {
                    let (a, b) = (self.linear(value.operand(0)?)?, self.linear(value.operand(1)?)?);
                    match (a, b) {
                        ((s, x), (None, y)) | ((None, x), (s, y)) => Some((s, x.wrapping_add(y))),
                        _ => None,
                    }
                }
                Op::LLVMSub if value.ty().int_bits() == 64 => {
                    let ((s, x), (t, y)) = (self.linear(value.operand(0)?)?, self.linear(value.operand(1)?)?);
                    match t {
                        None => Some((s, x.wrapping_sub(y))),
                        Some(_) if s == t => Some((None, x.wrapping_sub(y))),
                        Some(_) => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The offset of a `getelementptr` whose indices are all constant.
    fn constant_gep(&mut self, gep: Value<'m>) -> Option<i64> {
        let mut offset = 0i64;
        let mut ty = gep.gep_source();
        for i in 1..gep.num_operands() {
            let (None, index) = self.linear(gep.operand(i)?)? else {
                return None;
            };
            if !ty.is_sized() {
                return None;
            }
            if i == 1 {
                offset = offset.wrapping_add(index.wrapping_mul(self.layout.size(ty) as i64));
            } else if ty.kind() == TyKind::LLVMStructTypeKind {
                let field = u32::try_from(index).ok()?;
                offset = offset.wrapping_add(self.layout.offset(ty, field) as i64);
                ty = ty.element(field)?;
            } else {
                ty = ty.element(0)?;
                offset = offset.wrapping_add(index.wrapping_mul(self.layout.size(ty) as i64));
            }
        }
        Some(offset)
    }
}
