//! From LLVM modules to the intermediate representation.
//!
//! | file | lowers |
//! | --- | --- |
//! | `flatten` | types |
//! | `global` | global variables and their initialisers |
//! | `constant` | constants as operands |
//! | `function`, `phi` | functions: blocks, φ-nodes, terminators |
//! | `promote` | which locals become registers |
//! | `inst` | instructions, one by one |
//! | `memory` | loads, stores, atomics, addresses |
//! | `poison` | flags and metadata that make a result poison |
//! | `sink` | loads that an optimiser made too early |
//! | `vector` | packing and shuffling |
//! | `call`, `intrinsic`, `asm` | calls |
//! | `exception` | invokes and landing pads |
//! | `weak` | nothing: says whether a symbol that may be missing is |

mod asm;
mod call;
mod constant;
mod disagree;
mod double;
mod exception;
mod flatten;
mod function;
mod global;
mod inst;
mod intrinsic;
mod library;
mod memory;
mod phi;
mod poison;
mod promote;
mod scalar_intrinsic;
mod signed_shift;
mod vector;
mod weak;

use crate::debug::{Files, Places};
use crate::llvm::{Layout, Linkage, Module, TypeNode, Value, ValueKind};
use crate::request::{Refusal, Request};
use crate::shapes::Shapes;
pub use library::library_has;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_analysis::rust_start;
use selvedge_base::{FileId, IdVec};
use selvedge_ir::{FuncId, Function, Global, GlobalId, RegInfo, ShapeId, Symbol, demangle};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use weak::Weak;

/// A program as the lowering leaves it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Lowered {
    /// The program.
    pub module: selvedge_ir::Module,
    /// Where its source files are, as the debug information says.
    pub paths: IdVec<FileId, String>,
    /// Functions without a body that code reachable from the entry calls or takes the address of,
    /// in the order of ids; without those that only backtraces of panics in Rust need.
    pub undefined: Vec<FuncId>,
    /// Weak symbols that nothing defines and whose address is null, sorted.
    pub absent: Vec<String>,
}

/// The data that grow while modules are lowered.
#[derive(Default)]
pub(crate) struct Program {
    /// The program so far.
    pub module: selvedge_ir::Module,
    /// Its source files.
    pub files: Files,
    /// Symbols that other modules can refer to.
    pub names: FxHashMap<String, Symbol>,
    /// What the code of each function refers to.
    pub refs: IdVec<FuncId, Vec<Symbol>>,
    /// Weak symbols that were treated as null.
    pub absent: BTreeSet<String>,
    /// Symbols that machine code among the inputs defines.
    machine_code: FxHashSet<String>,
    /// True if there may be more of them.
    open: bool,
    /// The names that functions (true) and global variables have.
    taken: FxHashSet<(bool, String)>,
}

impl Program {
    /// The name of a symbol that other modules cannot refer to: its own name, or its name with a
    /// number if another symbol has that name. The program and the model library may both have a
    /// local symbol of one name. LLVM's functions need not have a name.
    pub(crate) fn local_name(&self, function: bool, name: &str) -> String {
        let name = match name {
            "" if function => "unnamed",
            name => name,
        };
        let free = |name: &String| name.is_empty() || !self.taken.contains(&(function, name.clone()));
        let numbered = (1u64..).map(|number| format!("{name}.{number}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(free)
            .unwrap_or_default()
    }

    /// Gives a new symbol its name. A local symbol that has this name is renamed, because models
    /// are found by names.
    fn take(&mut self, function: bool, name: &str) {
        if name.is_empty() || self.taken.insert((function, name.to_owned())) {
            return;
        }
        let other = self.local_name(function, name);
        if function {
            if let Some(id) = self.module.function(name) {
                self.module.functions[id].name.clone_from(&other);
            }
        } else if let Some(id) = self.module.global(name) {
            self.module.globals[id].name.clone_from(&other);
        }
        self.taken.insert((function, other));
    }

    /// Adds a declaration of a function.
    pub(crate) fn declare(&mut self, name: String) -> FuncId {
        self.refs.push(Vec::new());
        self.take(true, &name);
        self.module.functions.push(Function {
            display: demangle(&name),
            name,
            ..Function::default()
        })
    }
}

/// The lowering of one LLVM module into a program.
pub(crate) struct Unit<'m, 'p> {
    /// The program.
    pub program: &'p mut Program,
    /// Sizes and offsets.
    pub layout: Layout<'m>,
    places: Places<'m>,
    shapes: Shapes<'m>,
    symbols: FxHashMap<Value<'m>, Symbol>,
    /// Initial values that are no bytes or addresses; a constructor stores them.
    stores: Vec<(GlobalId, u64, Value<'m>)>,
    /// Symbols met that are not lowered yet.
    pub pending: Vec<Value<'m>>,
    library: bool,
}

impl<'m, 'p> Unit<'m, 'p> {
    /// A unit of which nothing is lowered yet.
    pub(crate) fn new(program: &'p mut Program, layout: Layout<'m>, library: bool) -> Self {
        Unit {
            program,
            layout,
            places: Places::default(),
            shapes: Shapes::default(),
            symbols: FxHashMap::default(),
            stores: Vec::new(),
            pending: Vec::new(),
            library,
        }
    }

    /// The shape of a type of the source. The model library has no shapes, because its objects do
    /// not belong to the program's source.
    fn shape(&mut self, ty: Option<TypeNode<'m>>) -> Option<ShapeId> {
        let ty = ty.filter(|_| !self.library)?;
        let all = &mut self.program.module.shapes;
        Some(self.shapes.shape(all, self.layout, ty))
    }

    /// The shape of an array whose elements have a shape.
    fn array(&mut self, of: ShapeId) -> ShapeId {
        Shapes::array(&mut self.program.module.shapes, of)
    }

    /// The shape of what a pointer points to.
    fn pointee(&mut self, ty: TypeNode<'m>) -> Option<ShapeId> {
        let all = &mut self.program.module.shapes;
        self.shapes.pointee(all, self.layout, ty)
    }

    /// How a weak symbol without a definition is treated.
    fn weak(&self, name: &str) -> Weak {
        match weak::weak(name) {
            Weak::Null if self.program.open || self.program.machine_code.contains(name) => Weak::Unknown,
            known => known,
        }
    }

    /// The symbol of a function or global variable. A new symbol is created and added to the list
    /// of pending ones.
    pub(crate) fn symbol(&mut self, value: Value<'m>) -> Symbol {
        if let Some(&symbol) = self.symbols.get(&value) {
            return symbol;
        }
        let mut name = value.name();
        if value.is_declaration()
            && let Some(known) = other_name(&name)
        {
            name = known.to_owned();
        }
        let local = matches!(
            value.linkage(),
            Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
        );
        let known = if local {
            None
        } else {
            self.program.names.get(&name).copied()
        };
        let function = value.kind() == ValueKind::LLVMFunctionValueKind;
        let symbol = match known {
            Some(symbol) if matches!(symbol, Symbol::Func(_)) == function => symbol,
            _ if function => {
                let own = if local || name.is_empty() {
                    self.program.local_name(true, &name)
                } else {
                    name.clone()
                };
                let id = self.program.declare(own);
                self.signature(id, value);
                Symbol::Func(id)
            }
            _ => {
                let own = if local {
                    self.program.local_name(false, &name)
                } else {
                    name.clone()
                };
                self.program.take(false, &own);
                Symbol::Global(self.program.module.globals.push(Global {
                    name: own,
                    size: self.layout.size(value.value_type()),
                    align: 1,
                    init: Vec::new(),
                    relocations: Vec::new(),
                    undefined: Vec::new(),
                    thread_local: value.is_thread_local(),
                    constant: false,
                    external: true,
                    span: Default::default(),
                    shape: None,
                }))
            }
        };
        if !local {
            self.program.names.entry(name).or_insert(symbol);
        }
        self.symbols.insert(value, symbol);
        self.pending.push(value);
        symbol
    }

    /// Gives a declaration its parameters and results.
    fn signature(&mut self, id: FuncId, value: Value<'m>) {
        let layout = self.layout;
        let function = &mut self.program.module.functions[id];
        let Some((result, params, varargs)) = value.value_type().signature() else {
            return;
        };
        function.varargs = varargs;
        // Types without registers: whoever calls it meets `Unsupported` at the call.
        function.returns = flatten::flatten(layout, result)
            .map(|flat| flat.into_iter().map(|(ty, _)| ty).collect())
            .unwrap_or_default();
        for param in params {
            for (ty, _) in flatten::flatten(layout, param).unwrap_or_default() {
                let reg = function.regs.push(RegInfo::unnamed(ty));
                function.params.push(reg);
            }
        }
    }

    /// Defines a function that the program refers to by name and that has no definition, with the
    /// body of another function.
    pub(crate) fn define_as(&mut self, name: &str, body: Value<'m>) {
        if let Some(&Symbol::Func(id)) = self.program.names.get(name)
            && body.kind() == ValueKind::LLVMFunctionValueKind
            && !self.program.module.functions[id].is_defined()
        {
            self.define_function(id, body);
        }
    }

    /// Lowers the bodies and initialisers of all pending symbols that this module defines and that
    /// were not defined before.
    pub(crate) fn define_pending(&mut self) {
        while let Some(value) = self.pending.pop() {
            if value.is_declaration() {
                continue;
            }
            match self.symbol(value) {
                Symbol::Func(id) => {
                    if !self.program.module.functions[id].is_defined() {
                        self.define_function(id, value);
                    }
                }
                Symbol::Global(id) => {
                    if self.program.module.globals[id].external {
                        self.define_global(id, value);
                    }
                }
            }
        }
    }
}

/// The name by which a variable of libc is known here, if this is another name of it.
fn other_name(name: &str) -> Option<&str> {
    Some(match name {
        "__environ" | "_environ" => "environ",
        "__progname_full" => "program_invocation_name",
        "__progname" => "program_invocation_short_name",
        "__timezone" => "timezone",
        "__daylight" => "daylight",
        "__tzname" => "tzname",
        "__signgam" => "signgam",
        _ => return None,
    })
}

/// Whether Rust's standard library is a part of a program: then only what the entry leads to is
/// lowered. The library has three times as many functions as a small program needs.
fn has_rust_library(linked: &Module<'_>) -> bool {
    let mut functions = linked.functions().into_iter();
    functions.any(|function| !function.is_declaration() && rust_start::is_start(&function.name()))
}

/// The functions without definition that a program reaches. What prints the backtrace of a panic in
/// Rust's library is left out: it calls such functions for each frame, and finds none
/// (`lib/backtrace.c`).
fn undefined(program: &Program, entry: FuncId) -> Vec<FuncId> {
    let functions = &program.module.functions;
    let left_out = |id| rust_start::prints_backtrace(&functions[id]);
    let reached = selvedge_analysis::reachable_without(&program.module, &program.refs, entry, left_out);
    let undefined = reached.functions.into_iter();
    undefined.filter(|&id| !functions[id].is_defined()).collect()
}

/// Lowers a linked program, adds what it needs of the model library, and finds what is undefined.
pub(crate) fn lower(linked: &Module<'_>, options: &Request) -> Result<Lowered, Refusal> {
    let mut program = Program {
        machine_code: options.machine_code.iter().cloned().collect(),
        open: options.open,
        ..Program::default()
    };
    let mut unit = Unit::new(&mut program, linked.layout(), false);
    let intrinsic = |name: &str| name.starts_with("llvm.");
    if has_rust_library(linked) {
        // Most of the library is not needed. What rustc makes of the program itself is needed.
        let begins = |name: &str| name == options.entry || name == library::FUZZ_TARGET;
        for function in linked.functions() {
            if begins(&function.name()) {
                unit.symbol(function);
            }
        }
    } else {
        for global in linked.globals() {
            if !intrinsic(&global.name()) {
                unit.symbol(global);
            }
        }
        for function in linked.functions() {
            if !function.is_intrinsic() {
                unit.symbol(function);
            }
        }
    }
    // In the order of the module, so that numbers follow the source.
    unit.pending.reverse();
    unit.define_pending();
    for alias in linked.aliases() {
        unit.name_alias(alias);
    }
    for global in linked.globals() {
        match global.name().as_str() {
            "llvm.global_ctors" => {
                let list = unit.structors(global);
                unit.program.module.constructors = list;
            }
            "llvm.global_dtors" => {
                let mut list = unit.structors(global);
                list.reverse();
                unit.program.module.destructors = list;
            }
            _ => {}
        }
    }
    // Constructors may have been named only now.
    unit.define_pending();
    unit.define_stores();

    let defined = |name: &str| {
        let function = program.module.function(name);
        function.filter(|&id| program.module.functions[id].is_defined())
    };
    let fuzz_target = || {
        (options.entry == "main")
            .then(|| defined(library::FUZZ_TARGET))
            .flatten()
    };
    let Some(entry) = defined(&options.entry).or_else(fuzz_target) else {
        return Err(Refusal::NoEntry);
    };
    if options.serving {
        library::serve(&mut program);
    }
    if options.library {
        library::link(&mut program, entry, options.symbolic)?;
    }
    let mut undefined = undefined(&program, entry);
    undefined.retain(|&id| !program.absent.contains(&program.module.functions[id].name));
    let absent = program.absent.into_iter().collect();
    let mut module = program.module;
    disagree::call_by_address(&mut module);
    let (files, paths) = program.files.finish();
    module.files = files;
    Ok(Lowered {
        module,
        paths,
        undefined,
        absent,
    })
}
