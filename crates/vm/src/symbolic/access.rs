//! Accesses to memory at symbolic addresses.
//!
//! An address is first restricted to one object. An address computed from an object is within that
//! object or out of bounds. Any other address may lie in several objects. Each is an alternative;
//! one more alternative is that it lies in none, which is the fault, with inputs that lead there.
//! Within the object, the access is to the element that the address names. A read selects from a
//! table of the elements; a write updates each element under the condition that the address names
//! it. If other threads may use the object at the same time, each possible address becomes an
//! alternative instead, so that races and dependence stay exact.

use super::Operand;
use super::decide::Possible;
use crate::interp::stop::Stop;
use crate::memory::{Kind, Memory, MemoryError, Object, Parts, Site, has_left};
use crate::native::memory_fault;
use crate::value::{Poison, Symbol, Value};
use crate::vm::Vm;
use selvedge_base::{Digest, Domain, ThreadId};
use selvedge_expr::{BinOp, CmpOp, Expr, Node};
use selvedge_model::{Limit, LimitKind, Notice};
use smallvec::SmallVec;

/// The maximum number of objects in which one address may lie.
const MOST_OBJECTS: usize = 64;
/// The maximum number of elements for one access. If there are more, each address becomes an
/// alternative.
const MOST_ELEMENTS: u64 = 4096;
/// Makes the name of the outcome that an address is in no object, from the name of the address.
static OUTSIDE: Domain = Domain::new("address in no object");

/// The target of an access.
pub(crate) enum Target {
    /// To one address; not yet checked.
    At(u64),
    /// To some element of an object.
    Within(Elements),
}

/// The result of a simple access through a symbolic pointer.
pub(crate) enum Reached<T> {
    /// The address is known; the access is still to be made.
    Address(u64),
    /// The access was made.
    Done(T),
}

/// The places of an access; all are within one live object.
pub(crate) struct Elements {
    /// The first address of the object.
    base: u64,
    /// The offset of the access from there, in bytes.
    offset: Expr,
    /// The first and the last place.
    first: u64,
    last: u64,
    /// log2 of the distance between two places.
    step: u32,
}

/// What a value has beside its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Element {
    /// Its undefined bits.
    undefined: u64,
    /// The object from which it was computed, if it is an address; else 0.
    home: u64,
}

impl Elements {
    fn offsets(&self) -> impl Iterator<Item = u64> + use<> {
        (self.first..=self.last).step_by(1 << self.step)
    }
}

impl Vm {
    /// The target of an access of `size` bytes through a pointer.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn resolve(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        pointer: Value,
        size: u64,
        write: bool,
        what: &str,
    ) -> Result<Target, Stop> {
        if pointer.is_concrete() {
            return Ok(Target::At(pointer.bits));
        }
        let symbol = match self.state.memory.tags.symbol(pointer.tag) {
            Some(symbol) if symbol.undefined == 0 => symbol,
            _ => return Err(self.undefined(pointer, what, site)),
        };
        let (address, home) = (self.state.memory.tags.fit(symbol.expr, 64), symbol.home);
        if let Some(bits) = self.state.known(thread, symbol.expr) {
            return self.at(bits as u64, home, what, site);
        }
        let mut conditions = Vec::new();
        let mut objects = Vec::new();
        if home != 0 {
            if let Some(object) = self.usable(home, size, write) {
                conditions.push(self.in_bounds(address, home, object.size, size));
                objects.push((home, object));
            }
        } else {
            objects = self.candidates(address, size, write, site);
            // Alternatives must not depend on the order in which a solver finds them.
            objects.sort_by_key(|(base, _)| *base);
            for (base, object) in &objects {
                conditions.push(self.in_bounds(address, *base, object.size, size));
            }
        }
        let arena = &self.state.memory.tags.arena;
        let inside = conditions
            .iter()
            .fold(arena.truth(false), |all, &c| arena.or(all, c));
        let mut names: SmallVec<[Digest; 4]> = conditions.iter().map(|&c| arena.hash(c)).collect();
        // The condition itself is not its name, because the candidate objects depend on the path.
        names.push(Digest::of_words(&OUTSIDE, &arena.hash(address).words()));
        conditions.push(arena.not(inside));
        let outcome = self.split_named(thread, site, performing, &conditions, names)?;
        let Some(&(base, object)) = objects.get(outcome) else {
            let bits = self.evaluate(address) as u64;
            self.at(bits, home, what, site)?;
            return Err(match self.state.memory.check(bits, size, write) {
                Ok(_) => self.undefined(Value::poison(bits, Poison::OutOfObject), what, site),
                Err(e) => {
                    let wrong = memory_fault(&self.program, e, bits, size, write, site);
                    self.report_access(wrong, site);
                    Stop::Parked
                }
            });
        };
        let alone = self.state.is_lone() || matches!(object.kind, Kind::PrivateStack | Kind::Constant);
        // Where pages are protected, each address is looked at by itself.
        let alone = alone && object.protection == 0;
        let elements = self.elements(address, base, object.size - size);
        if !alone
            || elements.first > elements.last
            || (elements.last - elements.first) >> elements.step >= MOST_ELEMENTS
        {
            let bits = self.settle(thread, site, performing, pointer, what)?;
            return self.at(bits, home, what, site);
        }
        Ok(Target::Within(elements))
    }

    /// Reads through a pointer that is not concrete.
    #[cold]
    pub(crate) fn load_through(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        pointer: Value,
        size: u64,
    ) -> Result<Reached<Value>, Stop> {
        match self.resolve(thread, site, performing, pointer, size, false, "the address read")? {
            Target::At(address) => Ok(Reached::Address(address)),
            Target::Within(elements) => {
                let value = self.load_within(thread, site, performing, &elements, size)?;
                Ok(Reached::Done(value))
            }
        }
    }

    /// Writes through a pointer that is not concrete.
    #[cold]
    pub(crate) fn store_through(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        pointer: Value,
        size: u64,
        value: Value,
    ) -> Result<Reached<()>, Stop> {
        let what = "the address written";
        match self.resolve(thread, site, performing, pointer, size, true, what)? {
            Target::At(address) => Ok(Reached::Address(address)),
            Target::Within(elements) if self.store_within(&elements, size, value, site) => {
                Ok(Reached::Done(()))
            }
            Target::Within(_) => {
                let address = self.settle(thread, site, performing, pointer, what)?;
                Ok(Reached::Address(address))
            }
        }
    }

    /// True if the products of indexes and strides fit 64 bits, as those of an `inbounds`
    /// computation must. An index that wraps around is not within the object. If both are possible,
    /// this is decided.
    pub(crate) fn offsets_fit(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        terms: &[(Value, u8, u64)],
    ) -> Result<bool, Stop> {
        for &(index, bits, stride) in terms {
            let stride = (stride as i64).unsigned_abs();
            if stride <= 1 {
                continue;
            }
            let most = i64::MAX as u64 / stride;
            let tags = &self.state.memory.tags;
            let Some(symbol) = tags.symbol(index.tag).filter(|symbol| symbol.undefined == 0) else {
                continue;
            };
            let narrow = match tags.arena.node(symbol.expr) {
                Node::Sext(inner) => tags.arena.width(inner),
                Node::Zext(inner) => tags.arena.width(inner) + 1,
                _ => bits,
            };
            if narrow < 64 && 1 << (narrow - 1) <= most {
                continue;
            }
            let arena = &tags.arena;
            let index = arena.sext(tags.expr(index, bits), 64);
            let above = arena.binary(BinOp::Add, index, arena.constant(64, u128::from(most)));
            let fits = arena.compare(CmpOp::Ule, above, arena.constant(64, u128::from(2 * most)));
            let overflows = arena.not(fits);
            if self.split(thread, site, performing, &[fits, overflows])? == 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An address computed from a base and scaled indexes (value, its bits, its scale), of which at
    /// least one is symbolic. An `inbounds` computation stays with the object from which it
    /// started.
    pub(crate) fn symbolic_address(
        &self,
        base: Value,
        terms: &[(Value, u8, u64)],
        offset: u64,
        inbounds: bool,
    ) -> Value {
        let tags = &self.state.memory.tags;
        let stray = tags.home(base.tag);
        let base = base.as_number();
        let undefined = |v: &Value| match tags.symbol(v.tag) {
            Some(symbol) => symbol.undefined != 0,
            None => !v.is_concrete(),
        };
        if let Some(&(bad, ..)) = [(base, 0, 0)].iter().chain(terms).find(|(v, ..)| undefined(v)) {
            return if bad.is_symbolic() { Value::UNDEF } else { bad };
        }
        let arena = &tags.arena;
        let mut address = tags.expr(base, 64);
        for &(index, bits, stride) in terms {
            let index = arena.sext(tags.expr(index, bits), 64);
            let scaled = arena.binary(BinOp::Mul, index, arena.constant(64, u128::from(stride)));
            address = arena.binary(BinOp::Add, address, scaled);
        }
        address = arena.binary(BinOp::Add, address, arena.constant(64, u128::from(offset)));
        let home = match tags.symbol(base.tag) {
            Some(symbol) => symbol.home,
            None if stray.is_some() => stray.unwrap_or(0),
            None if inbounds => Parts::of(base.bits).map_or(0, Parts::base),
            None => 0,
        };
        tags.symbolic(Symbol {
            expr: address,
            undefined: 0,
            home,
        })
    }

    /// The target of a known address: it must be in the object from which it was computed.
    fn at(&mut self, bits: u64, home: u64, what: &str, site: Site) -> Result<Target, Stop> {
        if has_left(bits, home) {
            return Err(self.undefined(Value::poison(bits, Poison::OutOfObject), what, site));
        }
        Ok(Target::At(bits))
    }

    /// The object at an address, if it may be accessed.
    fn usable(&self, base: u64, size: u64, write: bool) -> Option<Object> {
        let object = match self.state.memory.check(base, 0, write) {
            Ok((_, &object)) | Err(MemoryError::Protected { object, .. }) => object,
            Err(_) => return None,
        };
        (object.size >= size).then_some(object)
    }

    /// The condition that an access lies within an object.
    fn in_bounds(&self, address: Expr, base: u64, object: u64, size: u64) -> Expr {
        let arena = &self.state.memory.tags.arena;
        let offset = arena.binary(BinOp::Sub, address, arena.constant(64, u128::from(base)));
        arena.compare(CmpOp::Ule, offset, arena.constant(64, u128::from(object - size)))
    }

    /// The objects that an address may lie in.
    fn candidates(&mut self, address: Expr, size: u64, write: bool, site: Site) -> Vec<(u64, Object)> {
        let mut objects = Vec::new();
        let mut bits = self.evaluate(address) as u64;
        let mut others = self.state.memory.tags.arena.truth(true);
        for _ in 0..MOST_OBJECTS {
            let arena = &self.state.memory.tags.arena;
            let seen = match self.state.memory.check(bits, size, write) {
                Ok((base, &object)) | Err(MemoryError::Protected { base, object, .. }) => {
                    objects.push((base, object));
                    self.in_bounds(address, base, object.size, size)
                }
                Err(_) => {
                    let (first, len) = self.state.memory.gap(bits, size);
                    let offset = arena.binary(BinOp::Sub, address, arena.constant(64, u128::from(first)));
                    arena.compare(CmpOp::Ult, offset, arena.constant(64, u128::from(len)))
                }
            };
            let arena = &self.state.memory.tags.arena;
            others = arena.and(others, arena.not(seen));
            match self.ask(others, site) {
                Possible::With(model) => {
                    let arena = &self.state.memory.tags.arena;
                    bits = self.evaluator.eval(arena, address, &model) as u64;
                }
                Possible::Never | Possible::Unanswered => return objects,
            }
        }
        self.state.notify(Notice::Limit(Limit {
            kind: LimitKind::Values,
            detail: format!("a symbolic address that may lie in more than {MOST_OBJECTS} objects"),
            stmt: site.stmt,
        }));
        objects
    }

    /// The places that an address within an object may name.
    fn elements(&self, address: Expr, base: u64, last: u64) -> Elements {
        let arena = &self.state.memory.tags.arena;
        let offset = arena.binary(BinOp::Sub, address, arena.constant(64, u128::from(base)));
        let (zeros, _) = arena.known_bits(offset);
        let step = (zeros as u64).trailing_ones().min(16);
        let (least, most) = arena.range(offset);
        let clip = |n: u128| u64::try_from(n).unwrap_or(u64::MAX).min(last);
        let whole = (1u64 << step) - 1;
        Elements {
            base,
            offset,
            first: (clip(least) + whole) & !whole,
            last: clip(most) & !whole,
            step,
        }
    }

    /// The condition that an access goes to one of the places.
    fn goes_to(&self, elements: &Elements, offset: u64) -> Expr {
        let arena = &self.state.memory.tags.arena;
        arena.compare(CmpOp::Eq, elements.offset, arena.constant(64, u128::from(offset)))
    }

    /// Reads `size` ≤ 8 bytes at one of the places.
    pub(crate) fn load_within(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        elements: &Elements,
        size: u64,
    ) -> Result<Value, Stop> {
        let width = 8 * size as u8;
        let mut table: Vec<Expr> = Vec::new();
        // What may differ between the elements of one alternative is their value only.
        let mut kinds: Vec<Element> = Vec::new();
        for offset in elements.offsets() {
            let memory = &self.state.memory;
            let value = memory.peek_checked(elements.base + offset, size);
            // An address outside of its object is a number, too.
            let number = if size == 8 { value.as_number() } else { value };
            let operand = Operand::new(&memory.tags, number, width);
            kinds.push(Element {
                undefined: operand.undefined,
                home: if size == 8 { memory.tags.origin(value) } else { 0 },
            });
            table.push(operand.expr);
        }
        let mut different = kinds.clone();
        different.sort_unstable();
        different.dedup();
        let mut chosen = different[0];
        if different.len() > 1 {
            let arena = &self.state.memory.tags.arena;
            let conditions: Vec<Expr> = different
                .iter()
                .map(|kind| {
                    let offsets = elements.offsets().zip(&kinds).filter(|&(_, of)| of == kind);
                    let goes = offsets.map(|(offset, _)| self.goes_to(elements, offset));
                    goes.fold(arena.truth(false), |all, c| arena.or(all, c))
                })
                .collect();
            chosen = different[self.split(thread, site, performing, &conditions)?];
            // The others are not read; any value does for them.
            let first = kinds.iter().position(|&kind| kind == chosen);
            let any = first.map_or(table[0], |first| table[first]);
            for (value, kind) in table.iter_mut().zip(&kinds) {
                if *kind != chosen {
                    *value = any;
                }
            }
        }
        self.note_range(elements, size, false, site);
        let tags = &self.state.memory.tags;
        if chosen.undefined == u64::MAX >> (64 - width) {
            return Ok(Value::UNDEF);
        }
        let index = self.index(elements);
        let symbol = Symbol {
            expr: tags.arena.select(&table, index),
            undefined: chosen.undefined,
            home: chosen.home,
        };
        Ok(tags.symbolic(symbol))
    }

    /// The index of the place, counted from 0.
    fn index(&self, elements: &Elements) -> Expr {
        let arena = &self.state.memory.tags.arena;
        let from = arena.binary(
            BinOp::Sub,
            elements.offset,
            arena.constant(64, u128::from(elements.first)),
        );
        arena.binary(BinOp::LShr, from, arena.constant(64, u128::from(elements.step)))
    }

    /// Writes `size` ≤ 8 bytes at one of the places. Returns false if the address must become an
    /// alternative first, because the old bytes or the written value may be undefined, or addresses
    /// of different objects.
    pub(crate) fn store_within(&mut self, elements: &Elements, size: u64, value: Value, site: Site) -> bool {
        let width = 8 * size as u8;
        let new = Operand::new(&self.state.memory.tags, value, width);
        // Addresses that may be of different objects are kept apart.
        let home = |memory: &Memory, value| if size == 8 { memory.tags.origin(value) } else { 0 };
        let of_new = home(&self.state.memory, value);
        let alike = elements.offsets().all(|offset| {
            let memory = &self.state.memory;
            let old = memory.peek_checked(elements.base + offset, size);
            Operand::new(&memory.tags, old, width).undefined == 0 && home(memory, old) == of_new
        });
        if !alike || new.undefined != 0 {
            return false;
        }
        for offset in elements.offsets() {
            let old = self.state.memory.peek_checked(elements.base + offset, size);
            let old = self.state.memory.tags.expr(old, width);
            let here = self.goes_to(elements, offset);
            let tags = &self.state.memory.tags;
            let value = tags.symbolic(Symbol {
                expr: tags.arena.ite(here, new.expr, old),
                undefined: 0,
                home: of_new,
            });
            self.state
                .memory
                .poke_checked(elements.base + offset, size, value);
        }
        self.note_range(elements, size, true, site);
        true
    }

    /// Records an access to all of the places. No other thread runs, or none can write there.
    fn note_range(&mut self, elements: &Elements, size: u64, write: bool, site: Site) {
        let (first, len) = (
            elements.base + elements.first,
            elements.last - elements.first + size,
        );
        let private = self
            .state
            .memory
            .object_at(first)
            .is_some_and(|(_, o)| matches!(o.kind, Kind::PrivateStack | Kind::Constant));
        if write {
            self.state.memory.note_written(first, len, site);
        }
        if !private {
            self.state.memory.record(first, len, write, site);
        }
    }
}
