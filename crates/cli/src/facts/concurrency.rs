//! Threads and locks: which kinds of threads there are, what may run beside each statement, and
//! which locks are surely held.

use super::Facts;
use selvedge_analysis::slice::Statement;
use selvedge_analysis::threads::{Kind, KindId};
use selvedge_analysis::{Held, Place, Threads};
use selvedge_base::Id;
use selvedge_ir::{FuncId, InstKind};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

impl Facts<'_> {
    /// The kinds of threads of the program; null if they were not asked for.
    pub(super) fn threads(&self) -> Value {
        let Some(threads) = &self.threads else {
            return Value::Null;
        };
        let kinds = threads.kinds().map(|(id, kind)| {
            let others = threads.kinds().map(|(other, _)| other);
            let beside = others.filter(|&other| threads.overlap(id, other));
            let joins = threads.joined(id).map(|join| self.at(join));
            json!({
                "threads": self.kind(threads, id),
                "created": kind.site.map(|site| self.at(site)),
                "begin_with": kind.starts.iter().map(|&f| self.name(f)).collect::<Vec<_>>(),
                "repeated": kind.repeated,
                "joined": joins.collect::<Vec<_>>(),
                "beside": self.names(threads, beside),
            })
        });
        json!({ "known": threads.is_known(), "kinds": kinds.collect::<Vec<_>>() })
    }

    /// What may run beside the statements of a function: of each stretch of statements, in the
    /// order of blocks, the first and the last one.
    pub(super) fn beside(&self, id: FuncId) -> Value {
        let Some(threads) = &self.threads else {
            return Value::Null;
        };
        let mut stretches: Vec<(Statement, Statement, BTreeSet<KindId>)> = Vec::new();
        for statement in self.statements(id) {
            let beside = threads.beside(statement);
            match stretches.last_mut().filter(|(.., last)| *last == beside) {
                Some((_, end, _)) => *end = statement,
                None => stretches.push((statement, statement, beside)),
            }
        }
        let runs = threads.kinds().filter(|(kind, _)| threads.runs(*kind, id));
        let runs: Vec<KindId> = runs.map(|(kind, _)| kind).collect();
        let stretches = stretches.into_iter().map(|(from, to, beside)| {
            json!({
                "from": self.at_statement(from),
                "to": self.at_statement(to),
                "beside": self.names(threads, beside),
            })
        });
        json!({
            "run_by": self.names(threads, runs),
            "at_any_time": threads.is_loose(id),
            "stretches": stretches.collect::<Vec<_>>(),
        })
    }

    /// The accesses and calls of a function that surely hold locks.
    pub(super) fn held(&self, id: FuncId) -> Value {
        let Some(locks) = &self.locks else {
            return Value::Null;
        };
        let function = &self.module.functions[id];
        let mut found = Vec::new();
        for statement in self.statements(id) {
            let block = &function.blocks[Id::from_index(statement.1.block as usize)];
            let kind = block.insts.get(statement.1.index as usize).map(|inst| &inst.kind);
            let touches = matches!(
                kind,
                Some(
                    InstKind::Load { .. }
                        | InstKind::Store { .. }
                        | InstKind::Rmw { .. }
                        | InstKind::CompareExchange { .. }
                        | InstKind::MemCopy { .. }
                        | InstKind::MemSet { .. }
                        | InstKind::Call { .. }
                )
            );
            let held = if touches {
                locks.held(statement)
            } else {
                Vec::new()
            };
            if !held.is_empty() {
                let names: Vec<String> = held.iter().map(|held| self.lock(held)).collect();
                found.push(json!({ "at": self.at_statement(statement), "locks": names }));
            }
        }
        found.into()
    }

    fn lock(&self, held: &Held) -> String {
        let name = &self.module.globals[held.lock.global].name;
        let name = match held.lock.offset {
            0 => name.clone(),
            offset => format!("{name}{offset:+}"),
        };
        match held.shared {
            true => format!("{name} (shared)"),
            false => name,
        }
    }

    /// All statements of a function, in the order of blocks, with the terminators.
    fn statements(&self, id: FuncId) -> impl Iterator<Item = Statement> {
        let blocks = self.module.functions[id].blocks.iter_ids();
        let places = blocks.flat_map(|(block, what)| {
            let block = block.index() as u32;
            (0..=what.insts.len() as u32).map(move |index| Place { block, index })
        });
        let places: Vec<Place> = places.collect();
        places.into_iter().map(move |place| (id, place))
    }

    fn names(&self, threads: &Threads<'_>, kinds: impl IntoIterator<Item = KindId>) -> Vec<String> {
        kinds.into_iter().map(|kind| self.kind(threads, kind)).collect()
    }

    /// A name for threads: the functions that they begin with, and where they are created.
    fn kind(&self, threads: &Threads<'_>, id: KindId) -> String {
        let named = |kind: &Kind| {
            let starts: Vec<String> = kind.starts.iter().map(|&f| self.name(f)).collect();
            match kind.site {
                Some(site) => format!("{} of {}", starts.join("|"), self.at(site)),
                None => "the first thread".to_owned(),
            }
        };
        let kind = threads.kinds().find(|(number, _)| *number == id);
        kind.map_or_else(String::new, |(_, kind)| named(kind))
    }

    fn at(&self, statement: Statement) -> String {
        let function = &self.module.functions[statement.0];
        let block = &function.blocks[Id::from_index(statement.1.block as usize)];
        let inst = block.insts.get(statement.1.index as usize);
        let stmt = inst.map_or(block.term_stmt, |inst| inst.stmt);
        self.place(self.module.stmts[stmt].span)
    }

    fn at_statement(&self, statement: Statement) -> String {
        self.statement(&self.module.functions[statement.0], statement.1)
    }
}

/// The kinds of threads for people.
pub(super) fn threads_as_text(threads: &Value) -> Option<String> {
    let kinds = threads["kinds"].as_array()?;
    let mut text = String::new();
    if threads["known"] == false {
        text.push_str("what a library function does is not known: everything may run in parallel\n");
    }
    for kind in kinds {
        let word = |name: &str| kind[name].as_str().unwrap_or_default().to_owned();
        let list = |name: &str| super::list(&kind[name]);
        let _ = write!(text, "{}", word("threads"));
        if kind["repeated"] == true {
            text.push_str(", perhaps more than one");
        }
        if kind["created"].is_string() {
            let _ = write!(text, ": all joined at {}", list("joined"));
        }
        let _ = writeln!(text, "; may overlap with {}", list("beside"));
    }
    Some(text)
}

/// What one function's facts say about threads and locks, for people.
pub(super) fn function_as_text(facts: &Value, text: &mut String) {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(parallel) = facts.get("parallel").filter(|parallel| parallel.is_object()) {
        let any = match parallel["at_any_time"] == true {
            true => ", by the library at any time",
            false => "",
        };
        let _ = writeln!(text, "  run by {}{any}", super::list(&parallel["run_by"]));
        for stretch in parallel["stretches"].as_array().into_iter().flatten() {
            let (from, to) = (word(&stretch["from"]), word(&stretch["to"]));
            let _ = writeln!(
                text,
                "  {from} to {to} beside {}",
                super::list(&stretch["beside"])
            );
        }
    }
    for each in facts["held"].as_array().into_iter().flatten() {
        let _ = writeln!(
            text,
            "  {} holds {}",
            word(&each["at"]),
            super::list(&each["locks"])
        );
    }
}
