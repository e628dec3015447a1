//! Checks that the names in documents and comments exist: paths of the tree, options of the
//! commands, sections of documents.
//!
//! A name is the text between backticks. A path contains a `/`, and its first part is a folder of
//! the tree, of the file's crate or of its own folder; `{a,b}` means several names, `*` any text.
//! An option begins with `--`. It must be an option of `selvedge` or of a task, or an option of
//! another program that is listed in [`FOREIGN`].

use std::collections::BTreeSet;
use std::path::Path;

/// Options of other programs that documents name.
const FOREIGN: &[&str] = &[
    "--release",
    "--nocapture",
    "--test",
    "--lib",
    "--workspace",
    "--jobs",
];

/// Adds a problem for each name that does not exist. `options`: the known options.
pub fn check(file: &Path, text: &str, options: &BTreeSet<String>, problems: &mut Vec<String>) {
    let is_document = file.extension().is_some_and(|extension| extension == "md");
    for (number, line) in text.lines().enumerate() {
        let comment = line.trim_start();
        if !is_document && !comment.starts_with("//!") && !comment.starts_with("///") {
            continue;
        }
        for name in between_backticks(line) {
            let wrong = match name.split([' ', '=']).next() {
                Some(option) if option.len() > 2 && option.starts_with("--") && is_document => {
                    !options.contains(option)
                }
                _ => looks_like_path(name, file) && !exists(name, file),
            };
            if wrong {
                let place = format!("{}:{}", file.display(), number + 1);
                problems.push(format!("{place}: there is no `{name}`"));
            }
        }
        if is_document {
            sections(file, text, line, number, problems);
        }
    }
}

/// The options that the sources of the commands define, and the options in [`FOREIGN`].
pub fn options() -> BTreeSet<String> {
    let mut options: BTreeSet<String> = FOREIGN.iter().map(|&o| o.to_owned()).collect();
    options.extend(["--help", "--version"].map(str::to_owned));
    for folder in ["crates/cli/src", "crates/cli/src/args"] {
        for file in entries(Path::new(folder)).filter(|name| name.ends_with(".rs")) {
            let text = std::fs::read_to_string(Path::new(folder).join(file));
            options.extend(defined(&text.unwrap_or_default()));
        }
    }
    for task in [
        "xtask/src/main.rs",
        "xtask/src/hunt.rs",
        "crates/hunt/src/bin/selvedge-hunt.rs",
        "crates/hunt/src/main.rs",
    ] {
        let text = std::fs::read_to_string(task).unwrap_or_default();
        let words = text.split(|c: char| !c.is_ascii_lowercase() && c != '-');
        options.extend(
            words
                .filter(|w| w.starts_with("--") && w.len() > 3)
                .map(str::to_owned),
        );
    }
    options
}

/// The long options of clap's derived arguments: `long = "name"`, or `long`, which uses the name of
/// the field.
fn defined(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut attribute = String::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[arg(") {
            attribute.clear();
            inside = true;
        }
        if inside {
            attribute += line;
            inside = !line.ends_with(")]");
            continue;
        }
        let field = line
            .trim_start_matches("pub(crate) ")
            .split(':')
            .next()
            .unwrap_or("");
        if attribute.is_empty() || !line.starts_with("pub(crate)") {
            continue;
        }
        if let Some((_, name)) = attribute.split_once("long = \"") {
            found.insert(format!("--{}", name.split('"').next().unwrap_or("")));
        } else if attribute.contains("long") {
            found.insert(format!("--{}", field.replace('_', "-")));
        }
        attribute.clear();
    }
    found
}

/// The texts between backticks in a line.
pub fn between_backticks(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The folder of a file's crate, or the root.
fn crate_of(file: &Path) -> &Path {
    let mut at = file;
    while let Some(parent) = at.parent() {
        if parent.join("Cargo.toml").exists() {
            return parent;
        }
        at = parent;
    }
    Path::new("")
}

/// Folders that a path may be relative to.
fn bases(file: &Path) -> [std::path::PathBuf; 6] {
    let home = crate_of(file);
    [
        "".into(),
        home.to_owned(),
        home.join("src"),
        home.join("tests"),
        file.parent().unwrap_or(Path::new("")).to_owned(),
        file.with_extension(""),
    ]
}

fn looks_like_path(name: &str, file: &Path) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./{},*-".contains(c);
    if !name.contains('/') || !name.chars().all(plain) || name.starts_with(['/', '.']) {
        return false;
    }
    let first = name.split('/').next().unwrap_or("");
    // A part that is a placeholder.
    let open = |part: &str| {
        part.split('.')
            .next()
            .is_some_and(|p| p.len() > 1 && p.chars().all(|c| c.is_ascii_uppercase()))
    };
    if name.split('/').any(open) {
        return false;
    }
    // Products of a build, or files outside of the tree.
    let elsewhere = ["target", ".."].contains(&first);
    let known = |base: std::path::PathBuf| !first.is_empty() && base.join(first).is_dir();
    !elsewhere && bases(file).into_iter().any(known)
}

fn exists(name: &str, file: &Path) -> bool {
    alternatives(name).iter().all(|name| {
        let name = name.trim_end_matches('/');
        bases(file).iter().any(|base| match name.contains('*') {
            true => matches_some(base, name),
            // A module may be named without the extension of its file.
            false => base.join(name).exists() || base.join(format!("{name}.rs")).exists(),
        })
    })
}

/// The names that `{a,b}` expands to.
fn alternatives(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else {
        return vec![name.to_owned()];
    };
    let Some((inner, after)) = rest.split_once('}') else {
        return vec![name.to_owned()];
    };
    inner
        .split(',')
        .flat_map(|one| alternatives(&format!("{before}{one}{after}")))
        .collect()
}

fn matches_some(base: &Path, name: &str) -> bool {
    let Some((part, rest)) = name.split_once('/') else {
        return entries(base).any(|entry| fits(&entry, name));
    };
    entries(base).any(|entry| {
        let path = base.join(&entry);
        fits(&entry, part) && path.is_dir() && matches_some(&path, rest)
    })
}

fn entries(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder.join("."))
        .into_iter()
        .flatten()
        .flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

/// Whether a name matches a pattern with at most one `*`.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
        None => name == pattern,
    }
}

/// Checks that a link to a section of a document has this section as its target.
fn sections(file: &Path, text: &str, line: &str, number: usize, problems: &mut Vec<String>) {
    for (start, _) in line.match_indices("](") {
        let rest = &line[start + 2..];
        let Some(target) = rest.find(')').map(|end| &rest[..end]) else {
            continue;
        };
        let Some((path, section)) = target.split_once('#').filter(|(path, _)| !path.contains("://")) else {
            continue;
        };
        let other = match path.is_empty() {
            true => text.to_owned(),
            false => {
                let directory = file.parent().unwrap_or(Path::new(""));
                std::fs::read_to_string(directory.join(path)).unwrap_or_default()
            }
        };
        if !other.lines().any(|line| slug(line).as_deref() == Some(section)) {
            let place = format!("{}:{}", file.display(), number + 1);
            problems.push(format!("{place}: {target}: there is no such section"));
        }
    }
}

/// The anchor of a heading.
fn slug(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
    Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_exist_are_problems() {
        // Tests run in the folder of their crate.
        let text = "`src/names.rs` `src/{main,names}.rs` `src/n*.rs` `--seed N` `a/b` `x == y`\n\
                    `src/nothing.rs` `src/{main,nothing}.rs` `src/q*.rs` `--speed`\n\
                    [a](#a-section) [b](#none)\n## A section\n";
        let options = ["--seed".to_owned()].into();
        let mut problems = Vec::new();
        check(Path::new("README.md"), text, &options, &mut problems);
        let wrong = ["src/nothing.rs", "src/{main,nothing}.rs", "src/q*.rs", "--speed"];
        let mut wanted: Vec<String> = wrong
            .iter()
            .map(|name| format!("README.md:2: there is no `{name}`"))
            .collect();
        wanted.push("README.md:3: #none: there is no such section".to_owned());
        assert_eq!(problems, wanted);
    }

    #[test]
    fn options_are_those_of_the_fields() {
        let text = "    #[arg(long, value_name = \"N\")]\n    pub(crate) max_time: u8,\n    #[arg(\n        short = 'I',\n        long = \"include\"\n    )]\n    pub(crate) folders: u8,\n    #[arg(required = true)]\n    pub(crate) inputs: u8,\n";
        let found: Vec<String> = defined(text).into_iter().collect();
        assert_eq!(found, ["--include", "--max-time"]);
    }
}
