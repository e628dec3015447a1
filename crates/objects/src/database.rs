//! `compile_commands.json`: how a project's build compiles each source (clang's JSON compilation
//! database).

use crate::Malformed;
use crate::command::{Command, Does, Language};
use crate::words::split;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of such a file.
pub const NAME: &str = "compile_commands.json";

#[derive(Deserialize)]
struct Raw {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<String>,
}

/// How a source is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The source as the entry names it.
    pub file: PathBuf,
    /// Where the compiler is run.
    pub directory: PathBuf,
    /// Its language, for `-x`.
    pub language: String,
    /// The options that decide what the source means.
    pub flags: Vec<String>,
    /// The file that is made of it, if that is known.
    pub output: Option<String>,
}

impl Entry {
    /// Where the source is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }

    /// Whether the other entry compiles the same source to the same program. Many builds compile a
    /// source twice, with and without -fPIC.
    #[must_use]
    pub fn means_the_same(&self, other: &Entry) -> bool {
        let means = |entry: &Entry| {
            let mut flags = entry.flags.clone();
            flags.retain(|flag| !matches!(flag.as_str(), "-fPIC" | "-fpic" | "-fPIE" | "-fpie" | "-DPIC"));
            flags
        };
        self.path() == other.path() && self.language == other.language && means(self) == means(other)
    }

    /// Whether the source is compiled for this target of the build. CMake and Meson have a
    /// directory for each target.
    #[must_use]
    pub fn is_for(&self, target: &str) -> bool {
        let Some(output) = &self.output else { return false };
        let own = |part: &str| {
            let name = part.strip_suffix(".dir").or_else(|| part.strip_suffix(".p"));
            name == Some(target)
        };
        output.split('/').any(own)
    }
}

/// The entries for sources in C and C++. `place`: the directory that contains the file.
///
/// # Errors
/// If the text is not a compilation database.
pub fn entries(text: &str, place: &Path) -> Result<Vec<Entry>, Malformed> {
    let raw: Vec<Raw> = serde_json::from_str(text)
        .map_err(|error| Malformed::new(format!("it is no list of compile commands: {error}")))?;
    let mut entries: Vec<Entry> = Vec::new();
    for raw in raw {
        let mut words = match (raw.arguments, raw.command) {
            (Some(words), _) => words,
            (None, Some(command)) => split(&command),
            (None, None) => {
                let what = format!("its entry for {} has no command", raw.file.display());
                return Err(Malformed::new(what));
            }
        };
        // Skip programs that run the compiler: ccache, and wrappers of two words like ours.
        let compiler = loop {
            if words.is_empty() {
                let what = format!("its entry for {} has an empty command", raw.file.display());
                return Err(Malformed::new(what));
            }
            let word = words.remove(0);
            let name = Path::new(&word)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if !matches!(name.as_str(), "ccache" | "distcc" | "sccache" | "selvedge") {
                break name;
            }
        };
        let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        let command = Command::parse(&words, compiler.contains("++"));
        let directory = place.join(&raw.directory);
        let source = command
            .sources
            .iter()
            .find(|source| directory.join(&source.name) == directory.join(&raw.file));
        let language = match source.or(command.sources.first()) {
            Some(source) => source.language.clone(),
            // A header to be precompiled, or another language.
            None if command.does == Does::Other || !command.others.is_empty() => continue,
            None => match Language::of(&raw.file) {
                Some(language) => language.word().to_owned(),
                None => continue, // assembler, and other languages
            },
        };
        let flags = command
            .compile
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let output = raw
            .output
            .or_else(|| command.output.map(|path| path.display().to_string()));
        entries.push(Entry {
            file: raw.file,
            directory,
            language,
            flags,
            output,
        });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_arguments() {
        let text = r#"[
          {"directory": "/b", "file": "../s/a.c", "command": "gcc -O2 -DX=\"a\\\"b\" -I.. -c ../s/a.c -o CMakeFiles/p.dir/a.c.o"},
          {"directory": "/b", "file": "../s/a.c", "command": "gcc -O2 -fPIC -DX=\"a\\\"b\" -I.. -c ../s/a.c -o CMakeFiles/p.dir/a.c.o"},
          {"directory": "/b", "file": "b.c", "arguments": ["ccache", "/usr/bin/g++-12", "-c", "b.c"], "output": "q.p/b.o"},
          {"directory": "/b", "file": "pch.hxx.cxx", "command": "c++ -x c++-header -Xclang -emit-pch -o pch -c pch.hxx.cxx"},
          {"directory": "/b", "file": "x.S", "command": "gcc -c x.S"}
        ]"#;
        let entries = entries(text, Path::new("/b")).unwrap();
        assert_eq!(entries.len(), 3);
        assert!(entries[0].means_the_same(&entries[1]) && !entries[0].means_the_same(&entries[2]));
        assert_eq!(entries[0].flags, ["-DX=a\"b", "-I.."]);
        assert!(entries[0].is_for("p") && !entries[0].is_for("q") && entries[2].is_for("q"));
        assert_eq!(entries[2].language, "c++");
        for bad in ["", "{}", "[1]", "[{\"directory\": \"/\", \"file\": \"a.c\"}]"] {
            assert!(super::entries(bad, Path::new("/b")).is_err(), "{bad}");
        }
    }
}
