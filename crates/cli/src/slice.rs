//! `selvedge slice`: the statements that may decide what a line of the program does, each with the
//! statement that it was taken in for, as text, JSON or a page.

use crate::args::SliceArgs;
use crate::exit::Exit;
use crate::facts::{points_to, root};
use crate::output::{note, print};
use crate::program::{exit, read_with};
use crate::watch::MemoryLimit;
use selvedge_analysis::slice::{Callers, Ending, Reason, Slice, Statement};
use selvedge_analysis::threads::Meetings;
use selvedge_analysis::{Slicer, Threads};
use selvedge_base::{FileId, Id};
use selvedge_ir::{BlockId, Callee, InstKind, Module};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A line of the source.
type Line = (FileId, u32);

/// Runs the command.
pub(crate) fn run(args: &SliceArgs) -> Exit {
    let options = args.source.frontend();
    let module = match read_with(&args.inputs, &options, MemoryLimit::new(None)) {
        Ok(loaded) => loaded.module,
        Err(error) => return exit(&error),
    };
    let asked = match &args.at {
        Some(at) => match at_line(&module, at) {
            Ok(asked) => asked,
            Err(why) => return Exit::input(&why),
        },
        None => errors(&module),
    };
    if asked.is_empty() {
        return Exit::input("no assertion and no call of an error function in the program");
    }
    let points_to = points_to(&module, &args.source.entry);
    let unknown: Vec<&str> = points_to
        .unknown()
        .map(|f| module.functions[f].name.as_str())
        .collect();
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        return Exit::input(&format!(
            "no slice: what these functions do is not known: {names}"
        ));
    }
    let entry = root(&module, &args.source.entry);
    let meetings = Meetings::of(Threads::of(&module, &points_to, entry));
    let mut slicer = Slicer::new(&module, &points_to, Ending::Possible, Callers::ToldApart);
    slicer.with_strong_updates(|one, other| meetings.may_meet(one, other));
    let slice = slicer.of(asked);
    let lines = Lines::of(&module, &slice);
    if let Some(path) = &args.html
        && let Err(error) = std::fs::write(path, lines.as_page())
    {
        return Exit::output(&format!("cannot write {}: {error}", path.display()));
    }
    let text = match args.json {
        true => match serde_json::to_string_pretty(&lines.as_json()) {
            Ok(text) => text + "\n",
            Err(error) => return Exit::internal(&error.to_string()),
        },
        false => lines.as_text(),
    };
    match print(&text) {
        Ok(()) => Exit::Code(0),
        Err(error) => {
            note("the slice could not be written");
            Exit::output(&format!("cannot write the slice: {error}"))
        }
    }
}

/// All statements, with their lines.
fn statements(module: &Module) -> impl Iterator<Item = (Statement, Line)> + '_ {
    module.functions.iter_ids().flat_map(move |(id, function)| {
        function.blocks.iter_ids().flat_map(move |(block, what)| {
            let stmts = what.insts.iter().map(|inst| inst.stmt).chain([what.term_stmt]);
            stmts.enumerate().map(move |(index, stmt)| {
                let span = module.stmts[stmt].span;
                let place = selvedge_analysis::Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                ((id, place), (span.file, span.line))
            })
        })
    })
}

/// The statements of `LINE` or `FILE:LINE`; without a file, of the user's only one that has code.
fn at_line(module: &Module, at: &str) -> Result<Vec<Statement>, String> {
    let (file, number) = match at.rsplit_once(':') {
        Some((file, number)) => (Some(file), number),
        None => (None, at),
    };
    let number: u32 = number
        .parse()
        .map_err(|_| format!("--at {at}: no line number; LINE or FILE:LINE"))?;
    let is = |line: Line| {
        let name = &module.files[line.0];
        let named = file.is_none_or(|file| name == file || name.ends_with(&format!("/{file}")));
        line.1 == number && named
    };
    let user = |statement: Statement| !module.functions[statement.0].library;
    let found: Vec<(Statement, Line)> = statements(module)
        .filter(|(s, line)| is(*line) && (file.is_some() || user(*s)))
        .collect();
    let files: BTreeSet<&str> = found
        .iter()
        .map(|(_, line)| module.files[line.0].as_str())
        .collect();
    match files.len() {
        0 => Err(format!("--at {at}: no statement there")),
        1 => Ok(found.into_iter().map(|(statement, _)| statement).collect()),
        _ => {
            let files: Vec<&str> = files.into_iter().collect();
            let files = files.join(", ");
            Err(format!("--at {at}: several files have such a line: {files}"))
        }
    }
}

/// The calls with which an assertion fails, and those of error functions.
fn errors(module: &Module) -> Vec<Statement> {
    let is_error = |name: &str| {
        let known = ["__assert_fail", "__assert", "__assert_perror_fail", "reach_error"];
        let tools = [
            "__VERIFIER_error",
            "__VERIFIER_assert",
            "__CPROVER_assert",
            "klee_report_error",
        ];
        known.contains(&name) || tools.contains(&name)
    };
    let calls = statements(module).filter(|(at, _)| {
        let block = &module.functions[at.0].blocks[BlockId::from_index(at.1.block as usize)];
        let kind = block.insts.get(at.1.index as usize).map(|inst| &inst.kind);
        match kind {
            Some(InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            }) => !module.functions[at.0].library && is_error(&module.functions[*callee].name),
            _ => false,
        }
    });
    calls.map(|(statement, _)| statement).collect()
}

/// A slice by lines: each with a reason and the line that it was taken in for.
struct Lines<'a> {
    module: &'a Module,
    lines: BTreeMap<Line, (Reason, Line)>,
    statements: usize,
    of: usize,
}

impl<'a> Lines<'a> {
    fn of(module: &'a Module, slice: &Slice) -> Lines<'a> {
        let line_of: BTreeMap<Statement, Line> = statements(module).collect();
        let mut lines: BTreeMap<Line, (Reason, Line)> = BTreeMap::new();
        for (statement, (reason, taken_for)) in slice {
            let (line, other) = (line_of[statement], line_of[taken_for]);
            if line.1 == 0 {
                continue; // what the compiler made up
            }
            let asked = *reason == Reason::Asked;
            let known = lines.entry(line).or_insert((*reason, other));
            // Of several reasons, one that leads to another line.
            if asked || (known.0 != Reason::Asked && known.1 == line && other != line) {
                *known = (*reason, other);
            }
        }
        Lines {
            module,
            lines,
            statements: slice.len(),
            of: line_of.len(),
        }
    }

    fn name(&self, line: Line) -> String {
        match line.1 {
            0 => "code without a line".to_owned(),
            number => format!("{}:{number}", self.module.files[line.0]),
        }
    }

    /// Why a line is in, for people.
    fn why(&self, line: Line) -> String {
        let (reason, other) = self.lines[&line];
        let there = match other {
            _ if other == line => "this line".to_owned(),
            (file, number) if file == line.0 => format!("line {number}"),
            _ => self.name(other),
        };
        match reason {
            Reason::Asked => "asked for".to_owned(),
            Reason::Value => format!("computes a value for {there}"),
            Reason::Memory => format!("may write what {there} reads"),
            Reason::Branch => format!("decides whether {there} is executed"),
            Reason::MayNotReturn => format!("may not return to {there}"),
            Reason::Call => format!("runs the function of {there}"),
        }
    }

    /// The lines of a source file, if it can be read.
    fn source(&self, file: FileId) -> Vec<String> {
        let text = std::fs::read(&self.module.files[file]).unwrap_or_default();
        String::from_utf8_lossy(&text)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    fn files(&self) -> BTreeSet<FileId> {
        self.lines.keys().map(|line| line.0).collect()
    }

    fn as_text(&self) -> String {
        let mut text = String::new();
        for file in self.files() {
            let source = self.source(file);
            let _ = writeln!(text, "{}", self.module.files[file]);
            for line in self.lines.keys().filter(|line| line.0 == file) {
                let code = source.get(line.1 as usize - 1).map_or("", |code| code.trim_end());
                let _ = writeln!(text, "{:6}  {code:<60}  {}", line.1, self.why(*line));
            }
        }
        let (lines, statements, of) = (self.lines.len(), self.statements, self.of);
        let _ = writeln!(text, "{lines} lines; {statements} of {of} statements");
        text
    }

    fn as_json(&self) -> Value {
        let word = |reason: Reason| match reason {
            Reason::Asked => "asked",
            Reason::Value => "value",
            Reason::Memory => "memory",
            Reason::Branch => "branch",
            Reason::MayNotReturn => "may-not-return",
            Reason::Call => "call",
        };
        let lines: Vec<Value> = self
            .lines
            .iter()
            .map(|(line, (reason, other))| {
                json!({
                    "file": self.module.files[line.0],
                    "line": line.1,
                    "reason": word(*reason),
                    "for": self.name(*other),
                })
            })
            .collect();
        json!({ "schema": 1, "statements": self.statements, "of": self.of, "lines": lines })
    }

    /// One page without anything from elsewhere: the source, with the slice marked.
    fn as_page(&self) -> String {
        let escape = |text: &str| {
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;")
        };
        let mut page = String::from(PAGE);
        for file in self.files() {
            let _ = write!(page, "<h2>{}</h2>\n<table>\n", escape(&self.module.files[file]));
            for (index, code) in self.source(file).iter().enumerate() {
                let number = index as u32 + 1;
                let line = (file, number);
                let (class, why) = match self.lines.get(&line) {
                    None => ("", String::new()),
                    Some((Reason::Asked, _)) => (" class=\"in asked\"", self.why(line)),
                    Some((_, other)) => {
                        let (to, why) = (anchor(*other), escape(&self.why(line)));
                        (" class=\"in\"", format!("<a href=\"#{to}\">{why}</a>"))
                    }
                };
                let _ = writeln!(
                    page,
                    "<tr{class} id=\"{}\"><td>{number}</td><td><pre>{}</pre></td><td>{why}</td></tr>",
                    anchor(line),
                    escape(code)
                );
            }
            page += "</table>\n";
        }
        page + "</main>\n</html>\n"
    }
}

fn anchor((file, number): Line) -> String {
    format!("f{}l{number}", file.index())
}

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>Slice</title>
<style>
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; }
td { padding: 0 .6rem; vertical-align: top; opacity: .55; }
td:first-child { text-align: right; font-variant-numeric: tabular-nums; }
pre { margin: 0; }
tr.in td { opacity: 1; background: light-dark(#e8f1ff, #1d2b40); }
tr.asked td { background: light-dark(#ffe9b8, #4a3a10); }
tr:target td { outline: 2px solid light-dark(#06c, #8bf); }
a { color: inherit; }
</style>
<main>
<h1>Slice</h1>
<p>Marked lines may decide what the line that was asked for does, and whether it is executed.</p>
";
