//! What a corpus program says about itself, in comments (`//`, in LLVM's text `;`):
//!
//! | comment | meaning |
//! | --- | --- |
//! | the folder `endless` above | executions have no end, states do: only `unfold` can say something |
//! | the folder | the verdict: `safe` is verified, `unknown` is unknown, all others are violated |
//! | `// expect: KIND, KIND` at the end of a line | a finding of one of these kinds concerns this line; each finding must be expected somewhere |
//! | `// expect-anywhere: KIND` | the same, in a place that the program does not show (a library) |
//! | `// options: …` | options of `selvedge check` |
//! | `// count(dpor)=N`, `// count(dpor,memory)=N` | executions with sleep sets, visibility sync or memory, where theory gives the number |
//! | `// count(unfold)=N` | executions of `unfold` without cutoffs, if more than `dpor`'s |
//! | `// count(predicate)=N` | executions of `dpor` under predicate dependence, which must find the same assertions and deadlocks |
//! | `// published: missed OPTIONS` | the published rules miss all errors (`found`: find one) |
//! | `// variant: …` | options, counts and `verdict(…)` of one of several ways to run the program |
//! | `only(count)` in a variant | too many executions to run it under every strategy: its counts are checked, no more |
//! | `// with-cutoffs: WORD` | the verdict where states that are known end executions, if it is another one |
//! | `without(stateful)` in a variant, or `// options: without(stateful)` | too many states for this strategy |
//! | `// unknown: TEXT` | why the verdict is unknown: part of the reason |

use std::path::{Path, PathBuf};

/// One way to run a program, with all that is expected of it.
#[derive(Clone, Debug)]
pub struct Case {
    pub program: PathBuf,
    /// Path below the corpus, with the variant's options.
    pub name: String,
    pub options: Vec<String>,
    pub verdict: Verdict,
    /// Executions under a visibility, under predicate dependence, or of `unfold`.
    pub counts: Vec<(&'static str, u64)>,
    /// Findings: a line (or none in particular) and the kinds it may have.
    pub findings: Vec<Expected>,
    pub reason: Option<String>,
    /// Whether the published rules of predicate dependence find an error, and with which options.
    pub published: Option<(bool, Vec<String>)>,
    /// Check the counts, run no other strategy.
    pub only_count: bool,
    /// There are too many states to visit them all.
    pub many_states: bool,
    /// Only an exploration of states comes to an end.
    pub endless: bool,
    /// The verdict of such an exploration, if it is another one.
    pub with_cutoffs: Option<Verdict>,
}

#[derive(Clone, Debug)]
pub struct Expected {
    pub line: Option<u64>,
    pub kinds: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Verified,
    Violated,
    Unknown,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }

    pub fn exit_code(self) -> i32 {
        match self {
            Verdict::Verified => 0,
            Verdict::Violated => 10,
            Verdict::Unknown => 5,
        }
    }

    fn from_word(word: &str) -> Option<Verdict> {
        [Verdict::Verified, Verdict::Violated, Verdict::Unknown]
            .into_iter()
            .find(|verdict| verdict.word() == word)
    }
}

/// All cases of one program.
pub fn cases(corpus: &Path, program: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let folder = program
        .parent()
        .and_then(Path::file_name)
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let verdict = match folder {
        "safe" => Verdict::Verified,
        "unknown" => Verdict::Unknown,
        _ => Verdict::Violated,
    };
    let name = program
        .strip_prefix(corpus)
        .unwrap_or(program)
        .display()
        .to_string();
    let mut base = Case {
        program: program.to_path_buf(),
        name: name.clone(),
        options: Vec::new(),
        verdict,
        counts: Vec::new(),
        findings: Vec::new(),
        reason: None,
        published: None,
        only_count: false,
        many_states: false,
        endless: name.starts_with("endless/"),
        with_cutoffs: None,
    };
    let mark = match program.extension() {
        Some(extension) if extension == "ll" => "; ",
        _ => "// ",
    };
    let mut variants = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, comment)) = line.split_once(mark) else {
            continue;
        };
        if let Some(options) = comment.strip_prefix("options: ") {
            words(options, &mut base).map_err(|error| format!("{name}:{number}: {error}"))?;
        } else if comment.starts_with("count(") {
            words(comment, &mut base).map_err(|error| format!("{name}:{number}: {error}"))?;
        } else if let Some(reason) = comment.strip_prefix("unknown: ") {
            base.reason = Some(reason.trim().to_string());
        } else if let Some(text) = comment.strip_prefix("published: ") {
            let mut words = text.split_whitespace().map(str::to_owned);
            let found = match words.next().as_deref() {
                Some("missed") => false,
                Some("found") => true,
                _ => return Err(format!("{name}:{number}: expected missed or found")),
            };
            base.published = Some((found, words.collect()));
        } else if let Some(word) = comment.strip_prefix("with-cutoffs: ") {
            let verdict = Verdict::from_word(word.trim());
            base.with_cutoffs =
                Some(verdict.ok_or_else(|| format!("{name}:{number}: no verdict is called {word}"))?);
        } else if let Some(kinds) = comment.strip_prefix("expect: ") {
            base.findings.push(Expected {
                line: Some(number),
                kinds: list(kinds),
            });
        } else if let Some(kinds) = comment.strip_prefix("expect-anywhere: ") {
            base.findings.push(Expected {
                line: None,
                kinds: list(kinds),
            });
        } else if let Some(variant) = comment.strip_prefix("variant: ") {
            variants.push((number, variant));
        } else if let Some(word) = directive(comment) {
            return Err(format!(
                "{name}:{number}: nothing reads `{word}`; it looks like a directive"
            ));
        }
    }
    let mut cases = Vec::new();
    for (number, variant) in variants {
        let mut case = base.clone();
        words(variant, &mut case).map_err(|error| format!("{name}:{number}: {error}"))?;
        case.name = format!("{name} {variant}");
        cases.push(case);
    }
    if cases.is_empty() {
        cases.push(base);
    }
    let finds_nothing = |case: &Case| !case.findings.is_empty() && case.verdict == Verdict::Verified;
    if cases.iter().all(finds_nothing) {
        return Err(format!(
            "{name}: `// expect:` of a program in which nothing is found"
        ));
    }
    for case in &cases {
        case.consistent()
            .map_err(|error| format!("{}: {error}", case.name))?;
    }
    Ok(cases)
}

/// The word before `:` or `(…)=` that a comment begins with, as directives do.
fn directive(comment: &str) -> Option<&str> {
    let end = comment.find(|c: char| !c.is_ascii_lowercase() && c != '-')?;
    let (word, rest) = comment.split_at(end);
    let rest = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')')?.1.strip_prefix('=')?,
        None => rest.strip_prefix(':').filter(|rest| !rest.starts_with(':'))?,
    };
    (!word.is_empty() && !rest.trim().is_empty()).then_some(word)
}

/// A test: a directive that nothing reads is told from prose.
pub fn directives_are_told_from_prose() {
    assert_eq!(directive("executions: 2"), Some("executions"));
    assert_eq!(directive("counts(dpor)=2"), Some("counts"));
    assert_eq!(directive("with-cutoff: verified"), Some("with-cutoff"));
    for prose in [
        "std::thread with a lambda",
        "The lock: taken twice",
        "x = 2",
        "both read (twice)",
        "why:",
    ] {
        assert_eq!(directive(prose), None, "{prose}");
    }
}

impl Case {
    /// A case that cannot fail is a defect.
    fn consistent(&self) -> Result<(), String> {
        match self.verdict {
            Verdict::Violated if self.findings.is_empty() => Err("no `// expect:` says what is found".into()),
            Verdict::Unknown if self.reason.is_none() => Err("no `// unknown:` says why".into()),
            _ => Ok(()),
        }
    }
}

/// Options of the command, counts and a verdict, separated by spaces.
fn words(text: &str, case: &mut Case) -> Result<(), String> {
    for word in text.split_whitespace() {
        if let Some(count) = word.strip_prefix("count(dpor,memory)=") {
            case.counts.push(("memory", number(count)?));
        } else if let Some(count) = word.strip_prefix("count(dpor)=") {
            case.counts.push(("sync", number(count)?));
        } else if let Some(count) = word.strip_prefix("count(unfold)=") {
            case.counts.push(("unfold", number(count)?));
        } else if let Some(count) = word.strip_prefix("count(predicate)=") {
            case.counts.push(("predicate", number(count)?));
        } else if let Some(verdict) = word
            .strip_prefix("verdict(")
            .and_then(|word| word.strip_suffix(')'))
        {
            case.verdict =
                Verdict::from_word(verdict).ok_or_else(|| format!("no verdict is called {verdict}"))?;
        } else if word == "only(count)" {
            case.only_count = true;
        } else if word == "without(stateful)" {
            case.many_states = true;
        } else if word.starts_with("count(") || word.starts_with("verdict(") {
            return Err(format!("cannot read {word}"));
        } else {
            case.options.push(word.to_string());
        }
    }
    Ok(())
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

fn list(kinds: &str) -> Vec<String> {
    kinds.split(',').map(|kind| kind.trim().to_string()).collect()
}
