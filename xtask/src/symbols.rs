//! Checks that the symbols that documents and comments name exist.
//!
//! A symbol is a path between backticks whose parts are joined by `::`. The part before the last
//! one is the owner. The last part must be defined in a file that defines the owner as a type or
//! has an implementation for it, or in a file of the module or crate with the owner's name.
//!
//! The check reads lines, not syntax trees. It is meant to find names that were not updated when
//! code was renamed or removed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Symbols of other programs and libraries.
const FOREIGN: &[&str] = &[
    "JoinHandle::join",
    "Rc::make_mut",
    "T::default",
    "abi::__forced_unwind",
    "thread::scope",
    "u32::MAX",
    "vector::at",
];

/// The definitions in the Rust files of the tree.
#[derive(Default)]
pub struct Symbols {
    files: Vec<Defined>,
    /// For each name, the files that define it.
    by_name: BTreeMap<String, Vec<usize>>,
}

/// The definitions of one file.
struct Defined {
    /// The modules that it belongs to, and its crate.
    modules: BTreeSet<String>,
    /// Types that it defines or has implementations for.
    types: BTreeSet<String>,
}

impl Symbols {
    /// Reads the definitions of a file.
    pub fn add(&mut self, file: &Path, text: &str) {
        let number = self.files.len();
        let mut defined = Defined {
            modules: modules(file),
            types: BTreeSet::new(),
        };
        let mut names = BTreeSet::new();
        for line in text.lines().map(str::trim_start).filter(|l| !l.starts_with("//")) {
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|w| !w.is_empty())
                .collect();
            for pair in words.windows(2) {
                match pair[0] {
                    "struct" | "enum" | "trait" | "union" | "type" => {
                        defined.types.insert(pair[1].to_owned());
                        names.insert(pair[1].to_owned());
                    }
                    "fn" | "const" | "static" | "mod" => {
                        names.insert(pair[1].to_owned());
                    }
                    _ => {}
                }
            }
            // A macro may define a type, as in `fields! { FileField { … } }`.
            if let [name] = words[..]
                && line.ends_with('{')
            {
                defined.types.insert(name.to_owned());
            }
            match words.first() {
                // Any of the words may be the type. Extra names do no harm.
                Some(&"impl") => defined.types.extend(words[1..].iter().map(|&w| w.to_owned())),
                Some(&("use" | "pub")) if line.contains("use ") => {
                    names.extend(words.iter().map(|&w| w.to_owned()));
                }
                _ => {}
            }
            names.extend(field_or_variant(line).map(str::to_owned));
        }
        for name in names {
            self.by_name.entry(name).or_default().push(number);
        }
        self.files.push(defined);
    }

    /// Whether the symbol exists. Also true for names that are no symbols.
    pub fn has(&self, symbol: &str) -> bool {
        let symbol = symbol.trim_end_matches("()");
        let parts: Vec<&str> = symbol.split("::").collect();
        let is_name = |part: &&str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !part.is_empty() && part.chars().all(plain) && !part.starts_with(|c: char| c.is_ascii_digit())
        };
        let [.., owner, name] = parts[..] else {
            return true;
        };
        if !parts.iter().all(is_name) || parts[0] == "std" || FOREIGN.contains(&symbol) {
            return true;
        }
        let owner = owner.strip_prefix("selvedge_").unwrap_or(owner);
        let anywhere = ["crate", "super", "self"].contains(&owner);
        let files = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let defined = files.iter().any(|&file| {
            let Defined { modules, types } = &self.files[file];
            anywhere || modules.contains(owner) || types.contains(owner)
        });
        // The symbol may be a module, which is a file.
        let inside = |modules: &BTreeSet<String>| anywhere || modules.contains(owner);
        let mut files = self.files.iter();
        defined || files.any(|file| file.modules.contains(name) && inside(&file.modules))
    }
}

/// The name of the field or enum variant that a line seems to define.
fn field_or_variant(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("pub") {
        Some(rest) => rest.trim_start_matches(|c: char| c == '(' || c.is_ascii_lowercase() || c == ':'),
        None => line,
    };
    let rest = rest.trim_start_matches([')', ' ']);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (name, after) = rest.split_at(end);
    let is_variant = name.starts_with(|c: char| c.is_uppercase()) && after.starts_with([',', '(', ' ']);
    (is_variant || after.starts_with(':') && !after.starts_with("::")).then_some(name)
}

/// The names of the file's folders and of the file, without `src` and `mod`.
fn modules(file: &Path) -> BTreeSet<String> {
    let file: PathBuf = file.with_extension("");
    let parts = file.iter().map(|part| part.to_string_lossy().into_owned());
    parts
        .filter(|part| !["crates", "src", "mod", "lib", "main"].contains(&part.as_str()))
        .collect()
}

/// Adds a problem for each symbol that does not exist.
pub fn check(file: &Path, text: &str, symbols: &Symbols, problems: &mut Vec<String>) {
    let is_document = file.extension().is_some_and(|extension| extension == "md");
    for (number, line) in text.lines().enumerate() {
        if !is_document && !line.trim_start().starts_with("//") {
            continue;
        }
        for name in crate::names::between_backticks(line) {
            if name.contains("::") && !symbols.has(name) {
                let place = format!("{}:{}", file.display(), number + 1);
                problems.push(format!("{place}: there is no symbol `{name}`"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_that_do_not_exist_are_problems() {
        let mut symbols = Symbols::default();
        let text = "pub enum Shape {\n    Round,\n    Square(u8),\n}\nstruct Point {\n    pub(crate) across: u8,\n}\n\
                    impl<T> Into<T> for Point {\n    fn into(self) {}\n}\npub fn draw() {}\n// fn erase()\n";
        symbols.add(Path::new("crates/paint/src/shapes.rs"), text);
        let here = "`Shape::Round` `Shape::Square` `Point::across` `Point::into()` `shapes::draw` `paint::shapes`\n\
                    `selvedge_paint::draw` `crate::draw` `std::any` `a::<b>::c` `x == y` `paint::shapes::Shape::Round`\n";
        let mut problems = Vec::new();
        check(Path::new("a.md"), here, &symbols, &mut problems);
        assert_eq!(problems, [""; 0]);
        let gone = "`Shape::Flat` `Point::along` `shapes::erase` `Other::draw` `paint::other`";
        check(Path::new("a.md"), gone, &symbols, &mut problems);
        assert_eq!(problems.len(), 5);
        problems.clear();
        check(
            Path::new("a.rs"),
            "let a = \"`Shape::Flat`\";\n/// `Shape::Flat`",
            &symbols,
            &mut problems,
        );
        assert_eq!(problems, ["a.rs:2: there is no symbol `Shape::Flat`"]);
    }
}
