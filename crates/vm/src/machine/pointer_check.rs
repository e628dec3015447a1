//! Checks that the value of each pointer is in its points-to set (`explained.rs`).

use super::vm::Vm;
use crate::explained::{Explained, Origin};
use crate::memory::{Kind, Object, Row};
use crate::value::Value;
use selvedge_analysis::pointsto::Offset;
use selvedge_base::StmtId;
use selvedge_model::{Notice, Unsupported};
use std::rc::Rc;
use std::sync::atomic::Ordering;

impl Vm {
    /// Checks whether the value of a pointer is in its set. A value that is no address passes: it
    /// refers to no object, or the access is a fault.
    #[inline(never)]
    pub(crate) fn check_pointer(&mut self, stmt: StmtId, pointer: u32, value: Value) {
        let program = Rc::clone(&self.program);
        let Some(explained) = &program.options.explained else {
            return;
        };
        let known = if value.is_concrete() {
            self.is_explained(explained, pointer, value.bits)
        } else {
            self.is_home_explained(explained, pointer, value)
        };
        if !known {
            self.program.hidden_addresses.store(true, Ordering::Relaxed);
            // Reported as unsupported, too, so that no strategy can give the verdict `true`.
            self.state.notify(Notice::Unsupported(Unsupported {
                what: "an address that points-to sets do not have".into(),
                stmt,
            }));
        }
    }

    /// Whether the set of a pointer has an address. If it has, the memory remembers it.
    fn is_explained(&mut self, explained: &Explained, pointer: u32, address: u64) -> bool {
        if let Some(function) = self.program.function_at(address) {
            return explained.offsets(pointer, Origin::Function(function)).is_some();
        }
        let Some((base, object)) = self.state.memory.object_at(address) else {
            return true;
        };
        let at = address.wrapping_sub(base) as i64;
        let one = Some(1);
        let mut origins = self.origins(explained, &object);
        let offsets = origins.find_map(|origin| explained.offsets(pointer, origin));
        let has = |offset: &&Offset| offset.overlaps(one, Offset::exact(at), one);
        let Some(offset) = offsets.and_then(|offsets| offsets.iter().find(has)) else {
            return false;
        };
        let row = match offset.parts() {
            (_, 0) => Row {
                low: address,
                len: 1,
                stride: 1,
                at: 0,
            },
            (at, stride) => Row {
                low: base,
                len: object.size,
                stride,
                at: at as u64,
            },
        };
        let memory = &mut self.state.memory;
        memory.explain((pointer, address), row, (base, &object));
        true
    }

    /// The same for a value that is not concrete. What was computed from the address of an object
    /// stays in it, or the access is a fault. Any other address is decided only when it is used, so
    /// it is in no set.
    fn is_home_explained(&self, explained: &Explained, pointer: u32, value: Value) -> bool {
        let Some(symbol) = self.state.memory.tags.symbol(value.tag) else {
            return true; // the access is a fault
        };
        let object = self
            .state
            .memory
            .object_at(symbol.home)
            .filter(|_| symbol.home != 0);
        object.is_some_and(|(_, object)| {
            let mut origins = self.origins(explained, &object);
            origins.any(|origin| explained.offsets(pointer, origin).is_some())
        })
    }

    /// What an object of the machine may be.
    fn origins(&self, explained: &Explained, object: &Object) -> impl Iterator<Item = Origin> + use<> {
        let program = &self.program;
        let made = object.made.stmt;
        let allocated = || match explained.makes(made) {
            true => Origin::Made(made),
            false => Origin::Library,
        };
        let (first, second) = match object.kind {
            Kind::Global | Kind::Constant | Kind::Missing | Kind::ThreadLocal => {
                let global = program.global_of(object);
                (global.map_or(Origin::Library, Origin::Global), None)
            }
            Kind::Heap => (allocated(), None),
            Kind::Stack | Kind::PrivateStack => match program.local_of(object) {
                Some((function, local)) => (Origin::Local(function, local), None),
                None => {
                    let function = program.module.stmts.get(made).map(|stmt| stmt.func);
                    (allocated(), function.map(Origin::Arguments))
                }
            },
        };
        std::iter::once(first).chain(second)
    }
}
