//! Prints the text format: `Display` of modules, functions, instructions, terminators and operands.
//!
//! The format exists for dumps, for tests and for fuzzing. It is complete: for every module whose
//! calls have as many argument types as arguments, [`parse`](crate::parse) of the text gives the
//! same module. White space and `;` comments are ignored. Names are in quotes; everything else is
//! referred to by its id:
//!
//! ```text
//! file file0 "counter.c"
//! shape shape0 "int" size 4 value signed
//! stmt s0 f0#0 at file0:4:9
//! global g0 "x" size 4 align 4 typed shape0 at file0:1:5 init "\x05\0\0\0"
//! func f0 "get" display "get()" () -> (i32) at file0:3:1 {
//!   regs r0: i32 "v"
//! b0:
//!   s0 r0 = load i32 g0, align 4
//!   s0 return r0
//! }
//! made s0 shape0
//! constructors f0
//! ```
//!
//! The ids before definitions are for the reader. They may be omitted; if present, they must be the
//! next ones. The position distinguishes the type `f32` from the function `f32`.

use crate::{
    Block, Callee, Clause, FuncId, Function, Global, InstKind, Module, Operand, Parts, Shape, ShapeId,
    Symbol, Terminator, Type,
};
use selvedge_base::Span;
use std::fmt::{self, Display, Formatter, Write};

/// Registers per line of a function's head.
const REGS_PER_LINE: usize = 8;
/// Bytes of an initialiser per line.
const BYTES_PER_LINE: usize = 64;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, path) in self.files.iter_ids() {
            writeln!(f, "file {id} {}", Quoted(path))?;
        }
        for (id, shape) in self.shapes.iter_ids() {
            write!(f, "shape {id} ")?;
            write_shape(f, shape)?;
        }
        for (id, stmt) in self.stmts.iter_ids() {
            writeln!(f, "stmt {id} {}#{}{}", stmt.func, stmt.ordinal, At(stmt.span))?;
        }
        for (id, global) in self.globals.iter_ids() {
            write!(f, "global {id} ")?;
            write_global(f, global)?;
        }
        for (id, function) in self.functions.iter_ids() {
            write!(f, "func {id} ")?;
            write_function(f, function, Some(self))?;
        }
        for (stmt, shape) in &self.made {
            writeln!(f, "made {stmt} {shape}")?;
        }
        write_functions(f, "constructors", &self.constructors)?;
        write_functions(f, "destructors", &self.destructors)
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("func ")?;
        write_function(f, self, None)
    }
}

impl Display for Symbol {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Global(id) => write!(f, "{id}"),
            Symbol::Func(id) => write!(f, "{id}"),
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::Reg(reg) => write!(f, "{reg}"),
            Operand::Const(value, ty) if ty.is_float() => write!(f, "{value:#x}:{ty}"),
            Operand::Const(value, ty) => write!(f, "{value}:{ty}"),
            Operand::Global(id, offset) => write!(f, "{id}{}", Offset(offset)),
            Operand::Func(id) => write!(f, "{id}"),
            Operand::Block(func, block) => write!(f, "{func}.{block}"),
            Operand::Undef(ty) => write!(f, "undef:{ty}"),
            Operand::Poison(ty) => write!(f, "poison:{ty}"),
        }
    }
}

impl Display for Callee {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Callee::Direct(id) => write!(f, "{id}"),
            Callee::Indirect(address) => write!(f, "*{address}"),
        }
    }
}

impl Display for Terminator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(target) => write!(f, "jump {target}"),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => write!(f, "branch {cond}, {then}, {otherwise}"),
            Terminator::Switch {
                value,
                ty,
                cases,
                default,
            } => {
                write!(f, "switch {ty} {value}, {default} [")?;
                comma_separated(f, cases, |f, (case, target)| write!(f, "{case}: {target}"))?;
                f.write_str("]")
            }
            Terminator::Indirect { address, targets } => {
                write!(f, "goto {address} [{}]", Commas(targets))
            }
            Terminator::Return(values) if values.is_empty() => f.write_str("return"),
            Terminator::Return(values) => write!(f, "return {}", Commas(values)),
            Terminator::Invoke { normal, unwind, pad } => {
                write!(f, "invoke {normal}, {unwind} [")?;
                comma_separated(f, &pad.clauses, |f, clause| match clause {
                    Clause::Catch { ty, selector } => write!(f, "catch {selector} {ty}"),
                    Clause::Filter { types, selector } => {
                        write!(f, "filter {selector} [{}]", Commas(types))
                    }
                })?;
                f.write_str(if pad.cleanup { "] cleanup" } else { "]" })
            }
            Terminator::Unreachable => f.write_str("unreachable"),
            Terminator::Trap => f.write_str("trap"),
        }
    }
}

impl Display for InstKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            InstKind::Copy { dst, value } => write!(f, "{dst} = copy {value}"),
            InstKind::Bin {
                op,
                dst,
                a,
                b,
                nsw,
                nuw,
            } => {
                let (nsw, nuw) = (Flag(*nsw, "nsw"), Flag(*nuw, "nuw"));
                write!(f, "{dst} = {op}{nsw}{nuw} {a}, {b}")
            }
            InstKind::Un { op, dst, a } => write!(f, "{dst} = {op} {a}"),
            InstKind::Cast { op, dst, a, from } => write!(f, "{dst} = {op} {from} {a}"),
            InstKind::Cmp { pred, dst, a, b, ty } => write!(f, "{dst} = cmp {pred} {ty} {a}, {b}"),
            InstKind::FCmp { pred, dst, a, b, ty } => write!(f, "{dst} = fcmp {pred} {ty} {a}, {b}"),
            InstKind::Select { dst, cond, a, b } => write!(f, "{dst} = select {cond}, {a}, {b}"),
            InstKind::Overflow {
                op,
                dst,
                overflow,
                a,
                b,
            } => write!(f, "{dst}, {overflow} = overflow {op} {a}, {b}"),
            InstKind::Saturating { op, dst, a, b } => write!(f, "{dst} = sat {op} {a}, {b}"),
            InstKind::MinMax { op, dst, a, b } => write!(f, "{dst} = {op} {a}, {b}"),
            InstKind::Funnel {
                left,
                dst,
                a,
                b,
                amount,
            } => {
                let name = if *left { "fshl" } else { "fshr" };
                write!(f, "{dst} = {name} {a}, {b}, {amount}")
            }
            InstKind::Fma { dst, a, b, c } => write!(f, "{dst} = fma {a}, {b}, {c}"),
            InstKind::LocalAddr { dst, local } => write!(f, "{dst} = local {local}"),
            InstKind::LifetimeStart { local } => write!(f, "lifetime_start {local}"),
            InstKind::LifetimeEnd { local } => write!(f, "lifetime_end {local}"),
            InstKind::Alloca { dst, size, align } => write!(f, "{dst} = alloca {size}, align {align}"),
            InstKind::StackSave { dst } => write!(f, "{dst} = stack_save"),
            InstKind::StackRestore { token } => write!(f, "stack_restore {token}"),
            InstKind::Gep {
                dst,
                base,
                offset,
                terms,
                inbounds,
            } => {
                write!(f, "{dst} = gep{} {base}, {offset} [", Flag(*inbounds, "inbounds"))?;
                comma_separated(f, terms, |f, term| {
                    write!(f, "{}:{} * {}", term.index, term.bits, term.stride)
                })?;
                f.write_str("]")
            }
            InstKind::Load {
                dst,
                ptr,
                ty,
                align,
                volatile,
                order,
            } => {
                let access = Access(*volatile, *order);
                write!(f, "{dst} = load{access} {ty} {ptr}, align {align}")
            }
            InstKind::Store {
                ptr,
                value,
                ty,
                align,
                volatile,
                order,
            } => {
                let access = Access(*volatile, *order);
                write!(f, "store{access} {ty} {value}, {ptr}, align {align}")
            }
            InstKind::Rmw {
                op,
                dst,
                ptr,
                value,
                ty,
                order,
            } => write!(f, "{dst} = rmw {op} {order} {ty} {ptr}, {value}"),
            InstKind::CompareExchange {
                old,
                success,
                ptr,
                expected,
                new,
                ty,
                order,
                failure,
                weak,
            } => {
                let weak = Flag(*weak, "weak");
                write!(
                    f,
                    "{old}, {success} = cmpxchg{weak} {order} {failure} {ty} {ptr}, {expected}, {new}"
                )
            }
            InstKind::Fence { order, single_thread } => {
                write!(f, "fence{} {order}", Flag(*single_thread, "single_thread"))
            }
            InstKind::MemCopy {
                dst,
                src,
                len,
                overlap,
            } => {
                let name = if *overlap { "memmove" } else { "memcpy" };
                write!(f, "{name} {dst}, {src}, {len}")
            }
            InstKind::MemSet { dst, value, len } => write!(f, "memset {dst}, {value}, {len}"),
            InstKind::Call {
                results,
                callee,
                args,
                types,
            } => {
                if !results.is_empty() {
                    write!(f, "{} = ", Commas(results))?;
                }
                write!(f, "call {callee}(")?;
                comma_separated(f, args.iter().zip(types), |f, (arg, &ty)| {
                    write_argument(f, arg, ty)
                })?;
                f.write_str(")")
            }
            InstKind::LandingPad { exception, selector } => {
                write!(f, "{exception}, {selector} = landing_pad")
            }
            InstKind::VaStart { list } => write!(f, "va_start {list}"),
            InstKind::VaCopy { dst, src } => write!(f, "va_copy {dst}, {src}"),
            InstKind::Pause => f.write_str("pause"),
            InstKind::Unsupported { what } => write!(f, "unsupported {}", Quoted(what)),
        }
    }
}

/// Writes the type as well if the operand does not determine it.
fn write_argument(f: &mut Formatter<'_>, arg: &Operand, ty: Type) -> fmt::Result {
    write!(f, "{arg}")?;
    if arg.own_type() == Some(ty) {
        return Ok(());
    }
    write!(f, " as {ty}")
}

fn write_shape(f: &mut Formatter<'_>, shape: &Shape) -> fmt::Result {
    write!(f, "{} size {}", Quoted(&shape.name), shape.size)?;
    match &shape.parts {
        Parts::Opaque => {}
        Parts::Value(scalar) => write!(f, " value {}", scalar.name())?,
        Parts::Elements { shape, stride } => write!(f, " elements {shape} by {stride}")?,
        Parts::Fields(fields) => {
            f.write_str(" fields")?;
            comma_separated(f, fields, |f, field| {
                write!(f, " {} {} {}", field.offset, Quoted(&field.name), field.shape)
            })?;
        }
    }
    f.write_char('\n')
}

fn write_global(f: &mut Formatter<'_>, global: &Global) -> fmt::Result {
    write!(
        f,
        "{} size {} align {}",
        Quoted(&global.name),
        global.size,
        global.align
    )?;
    write!(f, "{}", Flag(global.thread_local, "thread_local"))?;
    write!(f, "{}", Flag(global.constant, "constant"))?;
    write!(f, "{}", Flag(global.external, "external"))?;
    write!(f, "{}{}", Typed(global.shape), At(global.span))?;
    if !global.init.is_empty() {
        f.write_str(" init")?;
        let long = global.init.len() > BYTES_PER_LINE;
        for line in global.init.chunks(BYTES_PER_LINE) {
            f.write_str(if long { "\n  " } else { " " })?;
            write_bytes(f, line)?;
        }
    }
    for relocation in &global.relocations {
        let (offset, symbol) = (relocation.offset, relocation.symbol);
        write!(f, "\n  reloc {offset} {symbol}{}", Offset(relocation.addend))?;
    }
    for (start, end) in &global.undefined {
        write!(f, "\n  undef {start}..{end}")?;
    }
    f.write_char('\n')
}

fn write_function(f: &mut Formatter<'_>, function: &Function, module: Option<&Module>) -> fmt::Result {
    write!(f, "{}", Quoted(&function.name))?;
    if function.display != function.name {
        write!(f, " display {}", Quoted(&function.display))?;
    }
    write!(
        f,
        " ({}) -> ({})",
        Commas(&function.params),
        Commas(&function.returns)
    )?;
    write!(f, "{}", Flag(function.varargs, "varargs"))?;
    write!(f, "{}", Flag(function.library, "library"))?;
    write!(f, "{}", At(function.span))?;
    if function.regs.is_empty() && function.locals.is_empty() && function.blocks.is_empty() {
        return f.write_char('\n');
    }
    f.write_str(" {\n")?;
    for (id, reg) in function.regs.iter_ids() {
        let start = match id.0 as usize % REGS_PER_LINE {
            0 => "  regs ",
            _ => ", ",
        };
        write!(f, "{start}{id}: {}", reg.ty)?;
        if let Some(name) = &reg.name {
            write!(f, " {}", Quoted(name))?;
        }
        write!(f, "{}", Typed(reg.shape))?;
        let last = id.0 as usize + 1;
        if last.is_multiple_of(REGS_PER_LINE) || last == function.regs.len() {
            f.write_char('\n')?;
        }
    }
    for (id, local) in function.locals.iter_ids() {
        let (name, scoped) = (Quoted(&local.name), Flag(local.scoped, "scoped"));
        let typed = Typed(local.shape);
        writeln!(
            f,
            "  local {id} {name} size {} align {}{scoped}{typed}",
            local.size, local.align
        )?;
    }
    for (id, block) in function.blocks.iter_ids() {
        writeln!(f, "{id}:")?;
        write_block(f, block, module)?;
    }
    f.write_str("}\n")
}

fn write_block(f: &mut Formatter<'_>, block: &Block, module: Option<&Module>) -> fmt::Result {
    for inst in &block.insts {
        write!(f, "  {} {}", inst.stmt, inst.kind)?;
        if let Some(name) = called_name(&inst.kind, module) {
            write!(f, " ; {}", Quoted(name))?;
        }
        f.write_char('\n')?;
    }
    writeln!(f, "  {} {}", block.term_stmt, block.term)
}

/// The name of a directly called function. It is printed as a comment, for the reader.
fn called_name<'m>(kind: &InstKind, module: Option<&'m Module>) -> Option<&'m str> {
    match kind {
        InstKind::Call {
            callee: Callee::Direct(id),
            ..
        } => Some(module?.functions.get(*id)?.name.as_str()),
        _ => None,
    }
}

fn write_functions(f: &mut Formatter<'_>, what: &str, functions: &[FuncId]) -> fmt::Result {
    if functions.is_empty() {
        return Ok(());
    }
    writeln!(f, "{what} {}", Commas(functions))
}

fn write_bytes(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_char('"')?;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => write!(f, "\\{}", byte as char)?,
            b'\n' => f.write_str("\\n")?,
            0 => f.write_str("\\0")?,
            0x20..=0x7e => f.write_char(byte as char)?,
            _ => write!(f, "\\x{byte:02x}")?,
        }
    }
    f.write_char('"')
}

fn comma_separated<'f, T>(
    f: &mut Formatter<'f>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Formatter<'f>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    Ok(())
}

/// A list with commas.
struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        comma_separated(f, self.0, |f, item| write!(f, "{item}"))
    }
}

/// A word with a space before it; nothing if false.
struct Flag(bool, &'static str);

impl Display for Flag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 { write!(f, " {}", self.1) } else { Ok(()) }
    }
}

/// How memory is accessed: volatile, atomic.
struct Access(bool, Option<crate::AtomicOrder>);

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Flag(self.0, "volatile"))?;
        match self.1 {
            Some(order) => write!(f, " atomic {order}"),
            None => Ok(()),
        }
    }
}

/// A byte offset with its sign, or nothing for 0.
struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            Ok(())
        } else {
            write!(f, "{:+}", self.0)
        }
    }
}

/// ` at file:line:column`, or nothing for an unknown place.
struct At(Span);

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let span = self.0;
        if span == Span::default() {
            return Ok(());
        }
        write!(f, " at {}:{}:{}", span.file, span.line, span.column)
    }
}

/// The type in the source, if it is known.
struct Typed(Option<ShapeId>);

impl Display for Typed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |shape| write!(f, " typed {shape}"))
    }
}

/// Text in quotes, control characters escaped.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
