//! Command lines of compilers: the inputs, the output, and the options that affect how a source is
//! compiled.

use crate::words::split;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What a compiler invocation produces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// A program or a shared library, or several objects in one.
    Link,
    /// One object for each source.
    Objects,
    /// Something else: preprocessed text, assembler, a list of headers, a precompiled header, the
    /// compiler's version.
    Other,
}

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// Its name for the option `-x`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "c++",
        }
    }

    /// The language of a source, by its extension.
    #[must_use]
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Language::C),
            "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" => Some(Language::Cxx),
            _ => None,
        }
    }
}

/// A source in C or C++.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name; `-` for standard input.
    pub name: PathBuf,
    /// Its language as `-x` names it, which includes the languages of preprocessed sources.
    pub language: String,
}

impl Source {
    /// Whether it is standard input.
    #[must_use]
    pub fn is_input(&self) -> bool {
        self.name.as_os_str() == "-"
    }

    /// The object that is made of the source if the command line names no output.
    #[must_use]
    pub fn object(&self) -> PathBuf {
        let name = self.name.file_name().unwrap_or(OsStr::new("-"));
        match self.is_input() {
            true => PathBuf::from("-.o"),
            false => Path::new(name).with_extension("o"),
        }
    }
}

/// A parsed command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// What it produces.
    pub does: Does,
    /// The sources in C or C++, in order.
    pub sources: Vec<Source>,
    /// Other inputs: objects, libraries with a path, assembler.
    pub others: Vec<PathBuf>,
    /// The output file, if it is named.
    pub output: Option<PathBuf>,
    /// The options that affect the meaning of a source: macros, headers, language. Options of the
    /// linker, of the optimiser, of warnings, of tools that insert code (sanitizers, profilers) and
    /// about additional outputs are left out.
    pub compile: Vec<OsString>,
}

/// Options whose value is the next word. A word that contains both an option and its value is not
/// equal to any of these.
const SEPARATE: [&str; 62] = [
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-include-pch",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-cxx-isystem",
    "-F",
    "-iframework",
    "-framework",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-target",
    "-arch",
    "-T",
    "-u",
    "-z",
    "-e",
    "-B",
    "-G",
    "-A",
    "--param",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "--sysroot",
    "--config",
    "-working-directory",
    "--working-directory",
    "-rpath",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-index-store-path",
    "-ivfsoverlay",
    "-resource-dir",
    "-wrapper",
    "-dependency-file",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-init",
    "-fini",
    "--output",
    "--language",
];

/// The options of `SEPARATE` that do not affect the meaning of a source.
const DROPPED_PAIRS: [&str; 30] = [
    "-L",
    "-l",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-T",
    "-u",
    "-z",
    "-e",
    "-G",
    "-framework",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-rpath",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-index-store-path",
    "-wrapper",
    "-dependency-file",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-init",
    "-fini",
    "--param",
    "-arch",
];

/// Options of one word that do not affect it.
const DROPPED: [&str; 27] = [
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-MD",
    "-MMD",
    "-MP",
    "-MG",
    "-MV",
    "-shared",
    "-static",
    "-static-pie",
    "-pie",
    "-no-pie",
    "-r",
    "-rdynamic",
    "-s",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
    "-pipe",
    "-v",
    "-###",
    "-pg",
    "--coverage",
    "-pedantic-errors",
];

/// Prefixes of further options that do not affect it.
const DROPPED_PREFIXES: [&str; 29] = [
    "-L",
    "-l",
    "-O",
    "-g",
    "-Wl,",
    "-Wa,",
    "-Wp,-M",
    "-W",
    "-R",
    "-flto",
    "-fno-lto",
    "-ffat-lto-objects",
    "-fuse-ld",
    "--ld-path",
    "-fsanitize",
    "-fno-sanitize",
    "-fprofile",
    "-fno-profile",
    "-fcoverage",
    "-fxray",
    "-finstrument",
    "-save-temps",
    "-ftime-",
    "-fsave-optimization-record",
    "-fembed-bitcode",
    "-fplugin",
    "-fpass-plugin",
    "-fwhole-program-vtables",
    "-static-lib",
];

/// Options that only ask the compiler a question.
const QUESTIONS: [&str; 6] = [
    "--version",
    "-dumpversion",
    "-dumpmachine",
    "-###",
    "--help",
    "-fsyntax-only",
];

/// The maximum depth of response files within response files.
const NESTED: usize = 8;

/// The words, with each response file (`@name`) replaced by its words. `read` returns the text of a
/// file. If there is no such file, the word is kept.
pub fn expanded(words: &[OsString], read: &mut dyn FnMut(&Path) -> Option<String>) -> Vec<OsString> {
    fn expand(
        words: &[OsString],
        depth: usize,
        read: &mut dyn FnMut(&Path) -> Option<String>,
        out: &mut Vec<OsString>,
    ) {
        for word in words {
            let name = word
                .to_str()
                .and_then(|word| word.strip_prefix('@'))
                .filter(|_| depth < NESTED);
            match name.and_then(|name| read(Path::new(name))) {
                Some(text) => {
                    let inner: Vec<OsString> = split(&text).into_iter().map(OsString::from).collect();
                    expand(&inner, depth + 1, read, out);
                }
                None => out.push(word.clone()),
            }
        }
    }
    let mut out = Vec::new();
    expand(words, 0, read, &mut out);
    out
}

impl Command {
    /// Parses a command line without the name of the compiler. `cxx`: the compiler is one for C++,
    /// which compiles `.c` files as C++ too.
    #[must_use]
    pub fn parse(words: &[OsString], cxx: bool) -> Command {
        let mut command = Command {
            does: Does::Link,
            sources: Vec::new(),
            others: Vec::new(),
            output: None,
            compile: Vec::new(),
        };
        let (mut language, mut objects, mut other) = (None::<String>, false, false);
        let mut words = words.iter().peekable();
        let mut options = true;
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if !options || text == "-" || !text.starts_with('-') {
                command.input(word, language.as_deref(), cxx);
                continue;
            }
            match &*text {
                "--" => options = false,
                "-c" => objects = true,
                "-S" | "-E" | "-M" | "-MM" | "-emit-llvm" => other = true,
                _ if QUESTIONS.contains(&&*text)
                    || text.starts_with("-print-")
                    || text.starts_with("--print-") =>
                {
                    other = true;
                }
                "-x" | "--language" => {
                    language = words.next().map(|word| word.to_string_lossy().into_owned())
                }
                "-o" | "--output" => command.output = words.next().map(PathBuf::from),
                _ if text.starts_with("-x") => language = Some(text[2..].to_owned()),
                _ if text.starts_with("-o") && !text.starts_with("-objc") => {
                    command.output = Some(PathBuf::from(&text[2..]));
                }
                "-Xclang" => {
                    // Each word is passed on by itself, so a value follows another `-Xclang`.
                    let passed = words.next();
                    if passed.is_some_and(|word| word == "-include-pch") {
                        // The precompiled header was made with other options. The command line
                        // includes the same header as text too.
                        words.next_if(|word| *word == "-Xclang");
                        words.next();
                    } else if passed.is_some_and(|word| word == "-emit-pch") {
                        other = true;
                    } else {
                        command.compile.push(word.clone());
                        command.compile.extend(passed.cloned());
                    }
                }
                "-include" => {
                    // Passed to the compiler proper. The driver would look for a precompiled form,
                    // which was made with other options.
                    let header = words.next().cloned();
                    command
                        .compile
                        .extend(["-Xclang", "-include", "-Xclang"].map(OsString::from));
                    command.compile.extend(header);
                }
                _ if SEPARATE.contains(&&*text) => {
                    let value = words.next();
                    if !DROPPED_PAIRS.contains(&&*text) {
                        command.compile.push(word.clone());
                        command.compile.extend(value.cloned());
                    }
                }
                _ if DROPPED.contains(&&*text) => {}
                _ if text.starts_with("-Wp,") && !text.starts_with("-Wp,-M") => {
                    command.compile.push(word.clone())
                }
                // Warnings do not matter, but `-Wno-` can turn off an error.
                _ if text.starts_with("-Wno-") => command.compile.push(word.clone()),
                _ if DROPPED_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) => {}
                _ => command.compile.push(word.clone()),
            }
        }
        command.does = match (other, objects) {
            (true, _) => Does::Other,
            (false, true) => Does::Objects,
            (false, false) => Does::Link,
        };
        command
    }

    fn input(&mut self, word: &OsStr, language: Option<&str>, cxx: bool) {
        let name = PathBuf::from(word);
        let by_name = || match Language::of(&name)? {
            Language::C if cxx && name.extension().is_some_and(|e| e == "c") => Some(Language::Cxx),
            other => Some(other),
        };
        let preprocessed = name.extension().is_some_and(|e| e == "i" || e == "ii");
        let language = match language {
            Some("none") | None => by_name().map(|language| match (language, preprocessed) {
                (Language::C, true) => "cpp-output",
                (Language::Cxx, true) => "c++-cpp-output",
                (language, false) => language.word(),
            }),
            Some(given @ ("c" | "c++" | "cpp-output" | "c++-cpp-output")) => Some(given),
            Some(_) => None,
        };
        match language {
            Some(language) => self.sources.push(Source {
                name,
                language: language.to_owned(),
            }),
            None => self.others.push(name),
        }
    }
}

/// The words for the compiler itself, without those that make it write bitcode for the linker
/// instead of objects.
#[must_use]
pub fn without_lto(words: &[OsString]) -> Vec<OsString> {
    let lto = |word: &OsString| {
        let text = word.to_string_lossy();
        text == "-flto"
            || text.starts_with("-flto=")
            || matches!(
                &*text,
                "-ffat-lto-objects" | "-fwhole-program-vtables" | "-fsplit-lto-unit"
            )
    };
    words.iter().filter(|word| !lto(word)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Command {
        let words: Vec<OsString> = split(text).into_iter().map(OsString::from).collect();
        Command::parse(&words, false)
    }

    fn sources(text: &str) -> Vec<(String, String)> {
        let one = |s: Source| (s.name.display().to_string(), s.language);
        parse(text).sources.into_iter().map(one).collect()
    }

    #[test]
    fn what_comes_out() {
        for (text, does) in [
            ("a.c", Does::Link),
            ("-c a.c", Does::Objects),
            ("-c -E a.c", Does::Other),
            ("-MM a.c", Does::Other),
            ("-MMD -c a.c", Does::Objects),
            ("-S a.c", Does::Other),
            ("--version", Does::Other),
            ("-print-search-dirs", Does::Other),
            ("-shared a.o -o a.so", Does::Link),
        ] {
            assert_eq!(parse(text).does, does, "{text}");
        }
        assert_eq!(parse("-c a.c -o x/y.o").output, Some("x/y.o".into()));
        assert_eq!(parse("-ofoo a.c").output, Some("foo".into()));
        assert_eq!(parse("a.c -I x").sources[0].object(), Path::new("a.o"));
    }

    #[test]
    fn sources_and_their_languages() {
        let own = |name: &str, language: &str| (name.to_owned(), language.to_owned());
        assert_eq!(
            sources(
                "-I x.c a.c -MF b.c c.cc d.o -x c++ e.c f -x none g.i h.s -x assembler i.c -x c - -include j.c"
            ),
            [
                own("a.c", "c"),
                own("c.cc", "c++"),
                own("e.c", "c++"),
                own("f", "c++"),
                own("g.i", "cpp-output"),
                own("-", "c")
            ]
        );
        assert_eq!(parse("a.c -lx libz.a d.o e.S -x assembler i.c").others.len(), 4);
        assert_eq!(Command::parse(&["a.c".into()], true).sources[0].language, "c++");
    }

    #[test]
    fn options_that_decide_what_a_source_means() {
        let compile = parse(
            "-c -O2 -g3 -Wall -Werror -Wno-error=x -Wno-y -Wp,-MD,x.d -Wp,-DZ -DX=1 -I inc -Iinc2 -isystem s -include k.h -MD -MF x.d -fsanitize=thread -flto=auto \
             -fPIC -std=gnu99 -Xclang -include-pch -Xclang p.pch -Xclang -include -Xclang p.h -Wl,-z,now -lm -L/x -pthread a.c -o a.o",
        )
        .compile;
        let compile: Vec<&str> = compile.iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(
            compile.join(" "),
            "-Wno-error=x -Wno-y -Wp,-DZ -DX=1 -I inc -Iinc2 -isystem s -Xclang -include -Xclang k.h -fPIC -std=gnu99 -Xclang -include -Xclang p.h -pthread"
        );
        assert_eq!(without_lto(&["-flto=thin".into(), "-c".into()]), ["-c"]);
    }

    #[test]
    fn response_files() {
        let words = ["-c".into(), "@one".into(), "@none".into()];
        let mut read = |path: &Path| match path.to_str()? {
            "one" => Some("-DX='a b' @two".to_owned()),
            "two" => Some("a.c @two".to_owned()),
            _ => None,
        };
        let out = expanded(&words, &mut read);
        assert_eq!(out[..3], ["-c", "-DX=a b", "a.c"]);
        assert_eq!(out.last().unwrap(), "@none");
        assert!(out.len() < 20);
    }
}
