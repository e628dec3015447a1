//! `selvedge facts`: what the static analyses know, with source lines, as text or JSON.
//!
//! Functions, blocks and lists stand in the order of the program, so the same input gives the same
//! output.

mod concurrency;

use crate::args::{Fact, FactsArgs};
use crate::exit::Exit;
use crate::output::{note, print};
use crate::program::{exit, read_with};
use crate::watch::MemoryLimit;
use selvedge_analysis::cfg::{ControlDependence, Endless};
use selvedge_analysis::pointsto::{Library, Object, Offset, Target};
use selvedge_analysis::{
    CallGraph, Cfg, DefUse, Definition, Locks, LoopForest, Place, PointsTo, SELF_CONTAINED, Threads,
};
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, Module, Operand};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Runs the command.
pub(crate) fn run(args: &FactsArgs) -> Exit {
    let options = args.source.frontend();
    let module = match read_with(&args.inputs, &options, MemoryLimit::new(None)) {
        Ok(loaded) => loaded.module,
        Err(error) => return exit(&error),
    };
    let memory = [Fact::Pointsto, Fact::Threads, Fact::Locks];
    let memory = args.what.iter().any(|what| memory.contains(what));
    let points_to = memory.then(|| points_to(&module, &args.source.entry));
    let facts = Facts::new(&module, &args.what, points_to.as_ref(), &args.source.entry);
    let chosen: Vec<FuncId> = module
        .functions
        .iter_ids()
        .filter(|(_, f)| f.is_defined() && is_chosen(f, args.function.as_deref()))
        .map(|(id, _)| id)
        .collect();
    if chosen.is_empty() {
        let name = args.function.as_deref().unwrap_or("defined");
        return Exit::input(&format!("no function {name} in the program"));
    }
    let functions: Vec<Value> = chosen.iter().map(|&f| facts.function(f)).collect();
    let wide = facts.wide();
    let threads = facts.threads();
    let all = json!({ "schema": 1, "threads": threads, "functions": functions, "wide": wide });
    let text = match args.json {
        true => match serde_json::to_string_pretty(&all) {
            Ok(text) => text + "\n",
            Err(error) => return Exit::internal(&error.to_string()),
        },
        false => {
            let threads = concurrency::threads_as_text(&threads).into_iter();
            let functions = functions.iter().map(as_text);
            threads.chain(functions).chain(wide_as_text(&wide)).collect()
        }
    };
    match print(&text) {
        Ok(()) => Exit::Code(0),
        Err(error) => {
            note("the facts could not be written");
            Exit::output(&format!("cannot write the facts: {error}"))
        }
    }
}

/// What is printed in place of the objects of the wide set.
const WIDE: &str = "any of the wide set";

fn wide_as_text(wide: &[String]) -> Option<String> {
    let (objects, count) = (wide.join(", "), wide.len());
    (count > 0).then(|| format!("the wide set, {count} objects: {objects}\n"))
}

/// Of a program that begins with this function, or, if it has none of that name, with the function
/// of a fuzz target.
pub(crate) fn points_to(module: &Module, entry: &str) -> PointsTo {
    PointsTo::of(module, root(module, entry), &|name| {
        selvedge_vm::models::find(name).is_some()
    })
}

/// The function that a program begins with.
pub(crate) fn root(module: &Module, entry: &str) -> Option<FuncId> {
    let entry = module.function(entry);
    entry.or_else(|| module.function("LLVMFuzzerTestOneInput"))
}

/// The user's functions, or one by its name.
fn is_chosen(function: &Function, name: Option<&str>) -> bool {
    match name {
        Some(name) => function.name == name || function.display == name,
        None => !function.library,
    }
}

struct Facts<'a> {
    module: &'a Module,
    what: &'a [Fact],
    /// If objects of the memory are asked for.
    points_to: Option<&'a PointsTo>,
    threads: Option<Threads<'a>>,
    locks: Option<Locks<'a>>,
    calls: CallGraph,
    recursive: Vec<bool>,
    /// Functions that may not come back to their caller.
    leaving: Vec<bool>,
}

impl<'a> Facts<'a> {
    fn new(module: &'a Module, what: &'a [Fact], points_to: Option<&'a PointsTo>, entry: &str) -> Facts<'a> {
        let calls = CallGraph::of(module);
        let leaves = |f: FuncId| {
            let function = &module.functions[f];
            !function.is_defined() && !SELF_CONTAINED.contains(&function.name.as_str())
        };
        let with = |fact: Fact| points_to.filter(|_| what.contains(&fact));
        let entry = root(module, entry);
        Facts {
            points_to: with(Fact::Pointsto),
            threads: with(Fact::Threads).map(|points_to| Threads::of(module, points_to, entry)),
            locks: with(Fact::Locks).map(|points_to| Locks::of(module, points_to)),
            recursive: calls.recursive(),
            leaving: calls.reaching(leaves),
            module,
            what,
            calls,
        }
    }

    fn function(&self, id: FuncId) -> Value {
        let function = &self.module.functions[id];
        let cfg = Cfg::of(self.module, function, |callee| match callee {
            Callee::Direct(callee) => self.leaving[callee.index()],
            Callee::Indirect(_) => self.calls.taken().any(|f| self.leaving[f.index()]),
        });
        let mut facts = Map::new();
        facts.insert("function".into(), json!(function.display));
        facts.insert("at".into(), json!(self.place(function.span)));
        for what in self.what {
            let (name, value) = match what {
                Fact::Cfg => ("blocks", self.blocks(function, &cfg)),
                Fact::Loops => ("loops", self.loops(function, &cfg)),
                Fact::Calls => ("calls", self.calls(id)),
                Fact::Definitions => ("definitions", self.definitions(function, &cfg)),
                Fact::Pointsto => ("points_to", self.pointers(id)),
                Fact::Threads => ("parallel", self.beside(id)),
                Fact::Locks => ("held", self.held(id)),
            };
            facts.insert(name.into(), value);
        }
        Value::Object(facts)
    }

    fn blocks(&self, function: &Function, cfg: &Cfg) -> Value {
        let control = ControlDependence::of(cfg, Endless::Excluded);
        let numbers = |blocks: &[BlockId]| blocks.iter().map(|b| b.index()).collect::<Vec<_>>();
        let reached = cfg.reachable();
        let blocks = function.blocks.ids().map(|block| {
            json!({
                "block": block.index(),
                "lines": self.lines(function, block),
                "reachable": reached[block.index()],
                "to": numbers(&cfg.successors(block)),
                "leaves": cfg.may_leave(block),
                "decided_by": numbers(control.controllers(block)),
            })
        });
        blocks.collect()
    }

    fn loops(&self, function: &Function, cfg: &Cfg) -> Value {
        let forest = LoopForest::of(cfg);
        let loops = forest.iter().map(|each| {
            let lines = each.headers.iter().map(|&h| self.lines(function, h));
            json!({
                "headers": each.headers.iter().map(|b| b.index()).collect::<Vec<_>>(),
                "lines": lines.collect::<Vec<_>>(),
                "blocks": each.blocks.iter().map(|b| b.index()).collect::<Vec<_>>(),
                "depth": each.depth,
                "reducible": each.is_reducible(),
            })
        });
        loops.collect()
    }

    fn calls(&self, id: FuncId) -> Value {
        let name = |f: FuncId| self.module.functions[f].display.clone();
        let shown = |name: String, f: FuncId| match name.is_empty() {
            true => self.module.functions[f].name.clone(),
            false => name,
        };
        json!({
            "may_run": self.calls.callees(id).map(|f| shown(name(f), f)).collect::<Vec<_>>(),
            "through_pointers": self.calls.calls_through_pointers(id),
            "recursive": self.recursive[id.index()],
            "may_not_return": self.leaving[id.index()],
        })
    }

    fn definitions(&self, function: &Function, cfg: &Cfg) -> Value {
        let found = DefUse::of(function, cfg);
        let uses = found.all().into_iter().map(|(place, register, definitions)| {
            let definitions = definitions.iter().map(|definition| match definition {
                Definition::Parameter => "parameter".to_owned(),
                Definition::Missing => "none".to_owned(),
                Definition::At(place) => self.statement(function, *place),
            });
            let mut definitions: Vec<String> = definitions.collect();
            definitions.sort_unstable();
            json!({
                "at": self.statement(function, place),
                "register": register.to_string(),
                "variable": function.regs[register].name,
                "from": definitions,
            })
        });
        uses.collect()
    }

    /// The objects of the wide set, in the order of their names; none if it was not asked for.
    fn wide(&self) -> Vec<String> {
        let Some(points_to) = &self.points_to else {
            return Vec::new();
        };
        let objects = points_to.wide().map(|object| {
            let offset = Offset::ANY;
            self.target(points_to, Target { object, offset })
        });
        objects.collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// What each access to memory may touch, and each call through a pointer may run.
    fn pointers(&self, id: FuncId) -> Value {
        let Some(points_to) = &self.points_to else {
            return Value::Null;
        };
        let function = &self.module.functions[id];
        let mut found = Vec::new();
        for (block, what) in function.blocks.iter_ids() {
            for (index, inst) in what.insts.iter().enumerate() {
                let place = Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                let mut note = |does: &str, mut objects: Vec<String>| {
                    objects.sort_unstable();
                    objects.dedup();
                    let at = self.statement(function, place);
                    found.push(json!({ "at": at, "does": does, "objects": objects }));
                };
                let objects = |pointer: &Operand| {
                    if points_to.is_wide(id, *pointer) {
                        return vec![WIDE.to_owned()];
                    }
                    let targets = points_to.of_operand(id, *pointer);
                    targets.into_iter().map(|t| self.target(points_to, t)).collect()
                };
                match &inst.kind {
                    InstKind::Load { ptr, .. } => note("reads", objects(ptr)),
                    InstKind::Store { ptr, .. } | InstKind::MemSet { dst: ptr, .. } => {
                        note("writes", objects(ptr));
                    }
                    InstKind::Rmw { ptr, .. } | InstKind::CompareExchange { ptr, .. } => {
                        note("updates", objects(ptr));
                    }
                    InstKind::MemCopy { dst, src, .. } => {
                        note("reads", objects(src));
                        note("writes", objects(dst));
                    }
                    InstKind::Call {
                        callee: Callee::Indirect(_),
                        ..
                    } => {
                        let callees = points_to.callees(id, place);
                        note("calls", callees.map(|f| self.name(f)).collect());
                    }
                    _ => {}
                }
            }
        }
        json!({ "may_run": points_to.may_run(id), "accesses": found })
    }

    fn name(&self, function: FuncId) -> String {
        let function = &self.module.functions[function];
        match function.display.is_empty() {
            true => function.name.clone(),
            false => function.display.clone(),
        }
    }

    /// A place in an object as `OBJECT+OFFSET`, `OBJECT+OFFSET+STRIDE*n` or, if it may be any byte,
    /// `OBJECT+?`.
    fn target(&self, points_to: &PointsTo, target: Target) -> String {
        let object = match points_to.targets().what(target.object) {
            Object::Global(global) => self.module.globals[global].name.clone(),
            Object::Function(function) => self.name(function),
            Object::Local(function, local) => {
                let name = &self.module.functions[function].locals[local].name;
                format!("{}:{name}", self.name(function))
            }
            Object::Allocated(function, place) => {
                let block =
                    &self.module.functions[function].blocks[BlockId::from_index(place.block as usize)];
                let stmt = block.insts[place.index as usize].stmt;
                format!("new at {}", self.place(self.module.stmts[stmt].span))
            }
            Object::Arguments(function) => format!("{}:...", self.name(function)),
            Object::Library(library) => match library {
                Library::Arguments => "arguments and environment".to_owned(),
                Library::Files => "files".to_owned(),
                Library::Errno => "errno".to_owned(),
                Library::Static => "the library".to_owned(),
            },
        };
        match target.offset.parts() {
            (0, 0) => object,
            (at, 0) => format!("{object}{at:+}"),
            (_, 1) => format!("{object}+?"),
            (0, stride) => format!("{object}+{stride}n"),
            (at, stride) => format!("{object}{at:+}+{stride}n"),
        }
    }

    /// A place as `bBLOCK.INDEX FILE:LINE`.
    fn statement(&self, function: &Function, place: Place) -> String {
        let block = &function.blocks[BlockId::from_index(place.block as usize)];
        let stmt = block
            .insts
            .get(place.index as usize)
            .map_or(block.term_stmt, |inst| inst.stmt);
        let at = self.place(self.module.stmts[stmt].span);
        format!("b{}.{} {at}", place.block, place.index)
    }

    fn place(&self, span: selvedge_base::Span) -> String {
        match span.line {
            0 => "no line".to_owned(),
            line => format!("{}:{line}", self.module.files[span.file]),
        }
    }

    /// The first and the last line of a block's statements.
    fn lines(&self, function: &Function, block: BlockId) -> Value {
        let block = &function.blocks[block];
        let stmts = block.insts.iter().map(|inst| inst.stmt).chain([block.term_stmt]);
        let lines = stmts
            .map(|stmt| self.module.stmts[stmt].span.line)
            .filter(|&l| l > 0);
        let (first, last) = (lines.clone().min(), lines.max());
        json!(first.zip(last).map(|(first, last)| [first, last]))
    }
}

/// A list for people.
fn list(value: &Value) -> String {
    let items = value.as_array().into_iter().flatten();
    let words = items.map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
    let words: Vec<String> = words.collect();
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(", "),
    }
}

/// One function's facts for people.
fn as_text(facts: &Value) -> String {
    let lines = |value: &Value| match (value[0].as_u64(), value[1].as_u64()) {
        (Some(first), Some(last)) if first == last => format!("line {first}"),
        (Some(first), Some(last)) => format!("lines {first} to {last}"),
        _ => "no line".to_owned(),
    };
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut text = format!("{} ({})\n", word(&facts["function"]), word(&facts["at"]));
    for block in facts["blocks"].as_array().into_iter().flatten() {
        let leaves = if block["leaves"] == true { ", leaves" } else { "" };
        let unreached = if block["reachable"] == true {
            ""
        } else {
            ", never reached"
        };
        let _ = writeln!(
            text,
            "  block {} ({}): to {}{leaves}{unreached}; decided by {}",
            block["block"],
            lines(&block["lines"]),
            list(&block["to"]),
            list(&block["decided_by"]),
        );
    }
    for each in facts["loops"].as_array().into_iter().flatten() {
        let entries = if each["reducible"] == true {
            ""
        } else {
            ", several entries"
        };
        let _ = writeln!(
            text,
            "  loop at block {} ({}), depth {}{entries}: blocks {}",
            list(&each["headers"]),
            lines(&each["lines"][0]),
            each["depth"],
            list(&each["blocks"]),
        );
    }
    if let Some(calls) = facts.get("calls") {
        let also = [
            ("through_pointers", "calls through pointers"),
            ("recursive", "recursive"),
            ("may_not_return", "may not return"),
        ];
        let _ = write!(text, "  may run {}", list(&calls["may_run"]));
        for (name, words) in also {
            if calls[name] == true {
                let _ = write!(text, "; {words}");
            }
        }
        text.push('\n');
    }
    if facts["points_to"]["may_run"] == false {
        text.push_str("  never runs\n");
    }
    for each in facts["points_to"]["accesses"].as_array().into_iter().flatten() {
        let (at, does) = (word(&each["at"]), word(&each["does"]));
        let _ = writeln!(text, "  {at} {does} {}", list(&each["objects"]));
    }
    concurrency::function_as_text(facts, &mut text);
    for each in facts["definitions"].as_array().into_iter().flatten() {
        let variable = each["variable"].as_str().filter(|name| !name.is_empty());
        let variable = variable.map_or(String::new(), |name| format!(" `{name}`"));
        let _ = writeln!(
            text,
            "  {} reads {}{variable} from {}",
            word(&each["at"]),
            word(&each["register"]),
            list(&each["from"]),
        );
    }
    text
}
