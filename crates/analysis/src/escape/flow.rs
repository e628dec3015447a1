//! Where the addresses go in one function, if what becomes of arguments is known.

use super::places::{Origin, Place, PlaceId, Places, Range, Value, Values, add};
use super::{Summaries, Summary};
use selvedge_base::Id;
use selvedge_ir::{Callee, FuncId, Function, InstKind, IntPred, Operand, Reg, Terminator, Type};
use smallvec::SmallVec;

/// Up to so many bytes are copied word by word.
const COPIED: u64 = 128;
const WORD: u64 = 8;

/// The addresses in one function.
pub(super) struct Flow<'a> {
    summaries: &'a Summaries,
    pub places: Places,
    /// What each register may hold the address of.
    holds: Vec<Values>,
    /// See [`certain`].
    certain: Vec<bool>,
    /// What each result may hold the address of.
    results: Vec<Values>,
    changed: bool,
}

impl<'a> Flow<'a> {
    pub fn of(function: &Function, summaries: &'a Summaries) -> Flow<'a> {
        let mut flow = Flow {
            summaries,
            places: Places::new(function.locals.len(), function.params.len()),
            holds: vec![Values::new(); function.regs.len()],
            certain: certain(function),
            results: vec![Values::new(); function.returns.len()],
            changed: false,
        };
        let locals = function.locals.len() as PlaceId;
        let offset = Some(0);
        for (place, &reg) in (locals..).zip(&function.params) {
            add(&mut flow.holds[reg.index()], Value { place, offset });
        }
        loop {
            for block in function.blocks.iter() {
                block.insts.iter().for_each(|inst| flow.inst(&inst.kind));
                flow.terminator(&block.term);
            }
            if !(std::mem::take(&mut flow.changed) | flow.places.take_changed()) {
                return flow;
            }
        }
    }

    /// What callers have to know: the places of parameters, those that are loaded from there as far
    /// as anything becomes of them, and the results.
    pub fn summary(mut self, function: &Function) -> Summary {
        let locals = function.locals.len();
        let first_loaded = locals + function.params.len();
        let mut matters = vec![false; self.places.all().len()];
        matters[locals..first_loaded].fill(true);
        let params = &self.places.all()[locals..first_loaded];
        let stored = params
            .iter()
            .flat_map(|place| place.stored.iter().map(|(_, value)| value));
        for value in stored.chain(self.results.iter().flatten()) {
            matters[value.place as usize] = true;
        }
        for place in (first_loaded..self.places.all().len()).rev() {
            let it = &self.places.all()[place];
            let Origin::Loaded(from, range) = it.origin else {
                continue;
            };
            if it.stays {
                matters[place] |= !it.known.is_empty();
            } else {
                self.places.let_out_contents(from, range);
            }
            matters[from as usize] |= matters[place];
        }
        let mut numbers: Vec<PlaceId> = Vec::with_capacity(matters.len());
        let mut next = 0;
        for &matters in &matters {
            numbers.push(next);
            next += PlaceId::from(matters);
        }
        let renamed = |value: Value| Value {
            place: numbers[value.place as usize],
            ..value
        };
        let places = self
            .places
            .all()
            .iter()
            .zip(&matters)
            .filter(|&(_, &matters)| matters);
        let places = places.map(|(place, _)| Place {
            origin: match place.origin {
                Origin::Loaded(from, range) => Origin::Loaded(numbers[from as usize], range),
                other => other,
            },
            stored: (place.stored.iter())
                .map(|&(range, value)| (range, renamed(value)))
                .collect(),
            ..place.clone()
        });
        let results = self.results.iter();
        Summary {
            places: places.collect(),
            results: results
                .map(|values| values.iter().map(|&value| renamed(value)).collect())
                .collect(),
        }
    }

    fn held(&self, operand: Operand) -> Values {
        match operand {
            Operand::Reg(reg) => self.holds[reg.index()].clone(),
            _ => Values::new(),
        }
    }

    fn gets(&mut self, dst: Reg, values: &[Value]) {
        let known = &mut self.holds[dst.index()];
        for &value in values {
            self.changed |= add(known, value);
        }
    }

    /// Whether the operand holds nothing but addresses in the places that are known.
    fn is_certain(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if self.certain[reg.index()] && !self.holds[reg.index()].is_empty())
    }

    fn let_out(&mut self, operand: Operand) {
        if let Operand::Reg(reg) = operand {
            for at in 0..self.holds[reg.index()].len() {
                self.places.let_out(self.holds[reg.index()][at].place);
            }
        }
    }

    fn let_out_all(&mut self, values: &[Value]) {
        values.iter().for_each(|value| self.places.let_out(value.place));
    }

    /// Lets out what is in so many bytes from an address on.
    fn let_out_contents(&mut self, ptr: Operand, len: u64) {
        for value in self.held(ptr) {
            self.places
                .let_out_contents(value.place, Range::new(value.offset, Some(len)));
        }
    }

    /// What may be loaded from so many bytes of any of these addresses on.
    fn load(&mut self, from: &[Value], len: Option<u64>) -> Values {
        let mut values = Values::new();
        for value in from {
            let loaded = self.places.load(value.place, Range::new(value.offset, len));
            loaded.into_iter().for_each(|value| _ = add(&mut values, value));
        }
        values
    }

    /// Stores addresses, at so many bytes from an address on.
    fn store(&mut self, ptr: Operand, len: Option<u64>, values: &[Value]) {
        if values.is_empty() {
            return;
        }
        if !self.is_certain(ptr) {
            return self.let_out_all(values);
        }
        for to in self.held(ptr) {
            for &value in values {
                self.places.store(to.place, Range::new(to.offset, len), value);
            }
        }
    }

    fn inst(&mut self, kind: &InstKind) {
        match kind {
            InstKind::LocalAddr { dst, local } => {
                let (place, offset) = (local.index() as PlaceId, Some(0));
                self.gets(*dst, &[Value { place, offset }]);
            }
            InstKind::Copy { dst, value } => {
                let values = self.held(*value);
                self.gets(*dst, &values);
            }
            InstKind::Select { dst, cond, a, b } => {
                self.let_out(*cond);
                for value in [a, b] {
                    let values = self.held(*value);
                    self.gets(*dst, &values);
                }
            }
            InstKind::Gep {
                dst,
                base,
                offset,
                terms,
                ..
            } => {
                terms.iter().for_each(|term| self.let_out(term.index));
                let by = terms.is_empty().then_some(*offset);
                let values = self.held(*base).into_iter().map(|value| value.moved(by));
                let values: Values = values.collect();
                self.gets(*dst, &values);
            }
            InstKind::Load { dst, ptr, ty, .. } => match ty {
                Type::Ptr | Type::Int(64) => {
                    let from = self.held(*ptr);
                    let values = self.load(&from, Some(WORD));
                    self.gets(*dst, &values);
                }
                // A part of an address, or more than one.
                _ => self.let_out_contents(*ptr, ty.bytes().into()),
            },
            InstKind::Store { ptr, value, ty, .. } => {
                let values = self.held(*value);
                self.store(*ptr, Some(ty.bytes().into()), &values);
            }
            InstKind::MemCopy { dst, src, len, .. } => {
                self.let_out(*len);
                self.copy(*dst, *src, *len);
            }
            InstKind::MemSet { value, len, .. } => {
                self.let_out(*value);
                self.let_out(*len);
            }
            InstKind::VaStart { .. } => {}
            InstKind::Cmp { a, b, .. } if is_null(*a) || is_null(*b) => {}
            InstKind::Cmp {
                pred: IntPred::Eq | IntPred::Ne,
                a,
                b,
                ..
            } if self.are_in_one(*a, *b) => {}
            InstKind::Rmw { ptr, value, ty, .. } => {
                self.let_out(*value);
                self.let_out_contents(*ptr, ty.bytes().into());
            }
            InstKind::CompareExchange {
                ptr,
                expected,
                new,
                ty,
                ..
            } => {
                self.let_out(*expected);
                self.let_out(*new);
                self.let_out_contents(*ptr, ty.bytes().into());
            }
            InstKind::Call {
                callee: Callee::Direct(callee),
                args,
                results,
                ..
            } => self.call(*callee, args, results),
            other => other.for_each_operand(|operand| self.let_out(operand)),
        }
    }

    fn terminator(&mut self, term: &Terminator) {
        let Terminator::Return(results) = term else {
            return term.for_each_operand(|operand| self.let_out(operand));
        };
        for (number, &result) in results.iter().enumerate() {
            for value in self.held(result) {
                // The object ends here.
                if self.places.origin(value.place) == Origin::Local || number >= self.results.len() {
                    self.places.let_out(value.place);
                } else {
                    self.changed |= add(&mut self.results[number], value);
                }
            }
        }
    }

    /// Whether two operands are addresses in the same place.
    fn are_in_one(&self, a: Operand, b: Operand) -> bool {
        let (left, right) = (self.held(a), self.held(b));
        let both = || left.iter().chain(&right);
        let first = both().next().map(|value| value.place);
        self.is_certain(a) && self.is_certain(b) && both().all(|value| Some(value.place) == first)
    }

    fn copy(&mut self, dst: Operand, src: Operand, len: Operand) {
        let len = match len {
            Operand::Const(len, _) => u64::try_from(len).ok(),
            _ => None,
        };
        let from = self.held(src);
        let to = self.held(dst);
        let values = from.iter().chain(&to);
        let by_words = values.map(|value| value.offset).all(|offset| offset.is_some());
        let Some(len) = len.filter(|&len| by_words && len <= COPIED) else {
            let values = self.load(&from, len);
            return self.store(dst, len, &values);
        };
        for at in (0..len).step_by(WORD as usize) {
            let size = WORD.min(len - at);
            let ahead = |value: &Value| value.moved(Some(at as i64));
            let from: Values = from.iter().map(ahead).collect();
            let values = self.load(&from, Some(size));
            if !self.is_certain(dst) {
                self.let_out_all(&values);
                continue;
            }
            for to in to.iter().map(ahead) {
                for &value in &values {
                    self.places
                        .store(to.place, Range::new(to.offset, Some(size)), value);
                }
            }
        }
    }

    /// A call does what the summary of the function says.
    fn call(&mut self, callee: FuncId, args: &[Operand], results: &[Reg]) {
        let summaries = self.summaries;
        let summary = &summaries[callee];
        let params = summary.params();
        args.iter().skip(params).for_each(|&arg| self.let_out(arg));
        if args.iter().all(|&arg| self.held(arg).is_empty()) {
            return;
        }
        let mut meant: Vec<Values> = Vec::with_capacity(summary.places.len());
        for (number, place) in summary.places.iter().enumerate() {
            let values = match place.origin {
                Origin::Loaded(from, range) => {
                    let mut values = Values::new();
                    for value in meant[from as usize].clone() {
                        let loaded = self.places.load(value.place, range.moved(value.offset));
                        loaded.into_iter().for_each(|value| _ = add(&mut values, value));
                    }
                    values
                }
                _ => args.get(number).map_or_else(Values::new, |&arg| self.held(arg)),
            };
            meant.push(values);
        }
        let means = |value: Value| -> SmallVec<[Value; 4]> {
            let values = meant[value.place as usize].iter();
            values.map(|meant| meant.moved(value.offset)).collect()
        };
        for (number, (place, values)) in summary.places.iter().zip(&meant).enumerate() {
            if !place.stays {
                self.let_out_all(values);
            }
            for value in values {
                for range in &place.known {
                    self.places
                        .let_out_contents(value.place, range.moved(value.offset));
                }
            }
            let is_certain = args.get(number).is_some_and(|&arg| self.is_certain(arg));
            for &(range, stored) in &place.stored {
                for stored in means(stored) {
                    if !is_certain {
                        self.places.let_out(stored.place);
                        continue;
                    }
                    for value in values {
                        self.places.store(value.place, range.moved(value.offset), stored);
                    }
                }
            }
        }
        for (&result, returned) in results.iter().zip(&summary.results) {
            for &value in returned {
                let values = means(value);
                self.gets(result, &values);
            }
        }
    }
}

/// Which registers hold nothing but addresses computed from one local or parameter on: no number,
/// no null, nothing that was loaded or that a call returned.
fn certain(function: &Function) -> Vec<bool> {
    let mut certain = vec![true; function.regs.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let is_certain = |from: Operand| matches!(from, Operand::Reg(reg) if certain[reg.index()]);
            let stays = match inst.kind {
                InstKind::LocalAddr { .. } => true,
                InstKind::Gep { base: from, .. } | InstKind::Copy { value: from, .. } => is_certain(from),
                InstKind::Select { a, b, .. } => is_certain(a) && is_certain(b),
                _ => false,
            };
            if !stays {
                inst.kind
                    .for_each_result(|reg| changed |= std::mem::replace(&mut certain[reg.index()], false));
            }
        }
    }
    certain
}

/// Whether an operand is the null pointer, which is the address of no object.
fn is_null(operand: Operand) -> bool {
    operand == Operand::Const(0, Type::Ptr)
}
