//! Checks that the tree is as docs/ARCHITECTURE.md describes it: dependencies between crates,
//! length of files, no unfinished work without a test, working links, required files.

use crate::process::{capture, cargo};
use crate::symbols::Symbols;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A longer file is assumed to hold two ideas.
const LINES: usize = 800;
/// The maximum width of a line of a comment, except for a row of a table or a single word.
const COLUMNS: usize = 100;

const REQUIRED: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "Makefile",
    ".ci/run",
    "docs/ARCHITECTURE.md",
    "docs/BENCHMARKS.md",
    "docs/papers.md",
    "docs/recipes.md",
    "docs/semantics.md",
];

pub fn run() -> Result<()> {
    let mut problems = Vec::new();
    let files = tracked()?;
    let options = crate::names::options();
    let mut symbols = Symbols::default();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|e| e == "rs"))
    {
        symbols.add(file, &std::fs::read_to_string(file).unwrap_or_default());
    }
    let packages = packages()?;
    edges(&packages, &mut problems)?;
    crate::cycles::check(&files, &mut problems)?;
    laboratory(&packages, &mut problems);
    for file in &files {
        let name = file.display();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            // The file was deleted, and the deletion is not yet committed.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(_) if file.extension().is_some_and(|extension| extension == "png") => continue,
            // Malformed inputs, which need not be text.
            Err(_) if file.components().any(|part| part.as_os_str() == "malformed") => continue,
            Err(error) => {
                problems.push(format!(
                    "{name}: {error}; what a tool wrote is no part of the tree"
                ));
                continue;
            }
        };
        if file.extension().is_some_and(|extension| extension == "rs") {
            let lines = text.lines().count();
            if lines > LINES {
                problems.push(format!("{name}: {lines} lines; more than {LINES} are two ideas"));
            }
            if !text.starts_with("//!") && !text.starts_with("//") {
                problems.push(format!("{name}: no head comment that says what it is"));
            }
            unfinished(file, &text, &mut problems);
            wide(file, &text, &mut problems);
            crate::names::check(file, &text, &options, &mut problems);
            crate::symbols::check(file, &text, &symbols, &mut problems);
        }
        if file.extension().is_some_and(|extension| extension == "md") {
            crate::links::check(file, &text, &mut problems);
            // The change log may name symbols of older versions that no longer exist.
            if file != Path::new("CHANGELOG.md") {
                crate::names::check(file, &text, &options, &mut problems);
                crate::symbols::check(file, &text, &symbols, &mut problems);
            }
        }
    }
    for required in REQUIRED {
        if !Path::new(required).exists() {
            problems.push(format!("{required} is missing"));
        }
    }
    if problems.is_empty() {
        println!("tidy: {} files", files.len());
        return Ok(());
    }
    for problem in &problems {
        eprintln!("{problem}");
    }
    bail!("{} problems", problems.len())
}

/// Reports lines of comments that are too wide.
fn wide(file: &Path, text: &str, problems: &mut Vec<String>) {
    for (number, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//") else {
            continue;
        };
        let words = comment.trim_start_matches(['/', '!']).trim();
        let breakable = !words.starts_with('|') && words.contains(' ');
        if line.trim_start().starts_with("//") && breakable && line.chars().count() > COLUMNS {
            let name = file.display();
            let number = number + 1;
            problems.push(format!("{name}:{number}: a comment wider than {COLUMNS} columns"));
        }
    }
}

/// The files in git's index.
fn tracked() -> Result<Vec<PathBuf>> {
    let list = capture(Command::new("git").args(["ls-files", "-z"]))?;
    Ok(list
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .filter(|path| path.exists())
        .collect())
}

/// Reports words that mark unfinished work. They are allowed in tests, where they say which present
/// behaviour is pinned.
fn unfinished(file: &Path, text: &str, problems: &mut Vec<String>) {
    let words = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["XX", "X"].concat(),
    ];
    let macros = [
        ["todo", "!("].concat(),
        ["unimplemented", "!("].concat(),
        ["#[ign", "ore"].concat(),
    ];
    let test = file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs");
    for (number, line) in text.lines().enumerate() {
        let word = words.iter().any(|word| has_word(line, word)) && !test;
        if word || macros.iter().any(|name| line.contains(name.as_str())) {
            problems.push(format!(
                "{}:{}: unfinished work: {}",
                file.display(),
                number + 1,
                line.trim()
            ));
        }
    }
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|part| part == word)
}

/// Compares `cargo metadata` with the edge table of docs/ARCHITECTURE.md.
fn edges(packages: &[Value], problems: &mut Vec<String>) -> Result<()> {
    let document = "docs/ARCHITECTURE.md";
    let text = std::fs::read_to_string(document).with_context(|| format!("cannot read {document}"))?;
    let allowed = edge_table(&text);
    if allowed.is_empty() {
        problems.push(format!("{document}: no table headed `| crate | may depend on |`"));
        return Ok(());
    }
    for (from, to) in dependencies(packages) {
        let Some(allowed) = allowed.get(&from) else {
            problems.push(format!(
                "{document}: the edge table does not know the crate {from}"
            ));
            continue;
        };
        for to in to {
            if !allowed.contains("all") && !allowed.contains(&to) {
                problems.push(format!(
                    "{from} depends on {to}: {document} does not allow this edge"
                ));
            }
        }
    }
    Ok(())
}

/// The rows below `| crate | may depend on |`: names on the left and on the right. Remarks in
/// parentheses are removed.
fn edge_table(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut table: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| crate | may depend on"))
        .skip(2);
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [left, right] = cells[..] else { continue };
        for from in names(left) {
            table.entry(from).or_default().extend(names(right));
        }
    }
    table
}

fn names(cell: &str) -> BTreeSet<String> {
    let mut depth = 0;
    let plain: String = cell
        .chars()
        .filter(|&c| {
            depth += i32::from(c == '(');
            let keep = depth == 0;
            depth -= i32::from(c == ')');
            keep
        })
        .collect();
    plain
        .split([',', ' ', '`'])
        .filter(|name| !name.is_empty())
        .map(str::to_string)
        .collect()
}

/// Toys, oracles and deliberate mistakes are not part of the product. So only dev-dependencies may
/// turn on the feature that contains them.
fn laboratory(packages: &[Value], problems: &mut Vec<String>) {
    const FEATURE: &str = "laboratory";
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        for dependency in list(&package["dependencies"]) {
            let dev = dependency["kind"].as_str() == Some("dev");
            if !dev && list(&dependency["features"]).any(|feature| feature == FEATURE) {
                let on = dependency["name"].as_str().unwrap_or_default();
                problems.push(format!(
                    "{name} switches on {FEATURE} of {on}, not only for its tests"
                ));
            }
        }
        for (feature, means) in package["features"].as_object().into_iter().flatten() {
            let on = |means: &Value| means.as_str().is_some_and(|m| m.ends_with(FEATURE));
            if feature != FEATURE && list(means).any(on) {
                problems.push(format!("{name}: feature {feature} switches on {FEATURE}"));
            }
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The data of `cargo metadata` about our crates.
fn packages() -> Result<Vec<Value>> {
    let text = capture(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    match serde_json::from_str::<Value>(&text)?["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("cargo metadata lists no packages"),
    }
}

/// Our crates, without their prefix, each with those of our crates that it depends on
/// (dev-dependencies excluded).
fn dependencies(packages: &[Value]) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges = BTreeMap::new();
    for package in packages {
        let Some(from) = ours(&package["name"]) else {
            continue;
        };
        let to = list(&package["dependencies"])
            .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
            .filter_map(|dependency| ours(&dependency["name"]));
        edges.insert(from, to.collect());
    }
    edges
}

fn ours(name: &Value) -> Option<String> {
    match name.as_str()? {
        "selvedge" => Some("cli".to_string()),
        name => name.strip_prefix("selvedge-").map(str::to_string),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_table_is_read_with_its_remarks() {
        let table = edge_table(
            "text\n| crate | may depend on |\n| --- | --- |\n| base | (nothing of ours) |\n| ir, model | base |\n| vm | base, ir (types only) |\n\n| a | b |\n",
        );
        assert_eq!(table["base"].len(), 0);
        assert_eq!(table["model"].iter().collect::<Vec<_>>(), ["base"]);
        assert_eq!(table["vm"].iter().collect::<Vec<_>>(), ["base", "ir"]);
        assert!(!table.contains_key("a"));
    }

    #[test]
    fn only_tests_switch_the_laboratory_on() {
        let package = |kind: Option<&str>, feature: &str| {
            serde_json::json!({
                "name": "selvedge-x",
                "dependencies": [{"name": "selvedge-model", "kind": kind, "features": ["laboratory"]}],
                "features": {feature: ["selvedge-model/laboratory"]},
            })
        };
        let found = |package| {
            let mut problems = Vec::new();
            laboratory(&[package], &mut problems);
            problems.len()
        };
        assert_eq!(found(package(Some("dev"), "laboratory")), 0);
        assert_eq!(found(package(None, "laboratory")), 1);
        assert_eq!(found(package(Some("dev"), "default")), 1);
    }

    #[test]
    fn unfinished_work_is_found_outside_tests_only() {
        let line = format!("// {} later\n", ["TO", "DO"].concat());
        let mut problems = Vec::new();
        unfinished(Path::new("crates/a/src/lib.rs"), &line, &mut problems);
        assert_eq!(problems.len(), 1);
        unfinished(Path::new("crates/a/tests/all.rs"), &line, &mut problems);
        unfinished(
            Path::new("crates/a/src/lib.rs"),
            "// mastodons are no such word\n",
            &mut problems,
        );
        assert_eq!(problems.len(), 1);
    }
}
