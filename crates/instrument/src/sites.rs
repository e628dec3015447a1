//! A module in LLVM's text form, with a call before and behind each access to memory that may be a
//! step of a schedule.
//!
//! An access is known by what it does, its file and its place there, as in `read queue.c:12:9`: the
//! machine of the checker runs the same code, so its steps have the same places. The two functions
//! that are called are the runtime's (`__selvedge_site`, `__selvedge_site_done`).
//!
//! A function whose name begins with `__VERIFIER_atomic_` is an atomic block as a whole: it begins
//! one where it is entered, and ends it where it returns.
//!
//! A compiler without optimisation stores the value of an atomic operation in a variable of its own
//! at the same place first. That is no step: atomic and plain accesses have different names, and
//! variables whose address goes nowhere have no sites.

use crate::places::Places;
use selvedge_schedule::site;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What begins an atomic block, and what ends it.
const BEGIN: &str = "__VERIFIER_atomic_begin";
const END: &str = "__VERIFIER_atomic_end";

/// A module with its sites.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sited {
    /// The module.
    pub text: String,
    /// The names of its sites.
    pub sites: BTreeSet<String>,
}

/// Adds the calls to all atomic accesses; if `plain`, to the other accesses, too.
#[must_use]
pub fn sited(module: &str, plain: bool) -> Sited {
    let places = Places::of(module);
    let mut sited = Sited::default();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut own = BTreeSet::new();
    let (mut is_block, mut has_blocks) = (false, false);
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") {
            own = own_variables(lines.clone().take_while(|line| !line.starts_with('}')));
            let is_called = |name: &str| line.contains(&format!(" @{name}("));
            is_block = line.contains(" @__VERIFIER_atomic_") && !is_called(BEGIN) && !is_called(END);
            has_blocks |= is_block;
            sited.text.push_str(line);
            sited.text.push('\n');
            if is_block {
                let mut after = lines.clone();
                if let Some(label) = after.next().filter(|line| line.ends_with(':')) {
                    let _ = writeln!(sited.text, "{label}");
                    lines = after;
                }
                let _ = writeln!(sited.text, "  call void @{BEGIN}()");
            }
            continue;
        }
        if is_block && line.starts_with("  ret ") {
            let _ = writeln!(sited.text, "  call void @{END}()");
        }
        let name = access(line, plain).and_then(|access| {
            if address(line).is_some_and(|address| own.contains(address)) {
                return None;
            }
            let place = line.rsplit_once("!dbg !")?.1;
            let place: String = place.chars().take_while(char::is_ascii_digit).collect();
            let (file, line, column) = places.at(&place)?;
            Some((site(access, file, line, column), place))
        });
        let Some((name, place)) = name else {
            sited.text.push_str(line);
            sited.text.push('\n');
            continue;
        };
        let next = numbers.len();
        let number = *numbers.entry(name).or_insert(next);
        let _ = writeln!(
            sited.text,
            "  call void @__selvedge_site(ptr @__selvedge_site_{number}), !dbg !{place}\n{line}\n  \
             call void @__selvedge_site_done(), !dbg !{place}"
        );
    }
    let text = &mut sited.text;
    for name in [BEGIN, END].into_iter().filter(|_| has_blocks) {
        if !module.contains(&format!(" @{name}(")) {
            let _ = writeln!(text, "\ndeclare void @{name}()");
        }
    }
    let _ = writeln!(
        text,
        "\ndeclare void @__selvedge_site(ptr)\ndeclare void @__selvedge_site_done()"
    );
    for (name, number) in &numbers {
        let bytes: String = name
            .bytes()
            .map(|byte| format!("\\{byte:02X}"))
            .chain(["\\00".to_owned()])
            .collect();
        let size = name.len() + 1;
        let _ = writeln!(
            text,
            "@__selvedge_site_{number} = private unnamed_addr constant [{size} x i8] c\"{bytes}\""
        );
    }
    sited.sites = numbers.into_keys().collect();
    sited
}

/// What an instruction does to memory, in the words of the runtime.
pub(crate) fn access(line: &str, plain: bool) -> Option<&'static str> {
    let line = line.strip_prefix("  ")?;
    let code = match line.strip_prefix('%') {
        Some(rest) => rest.split_once(" = ")?.1,
        None => line,
    };
    let (word, rest) = code.split_once(' ')?;
    let atomic = rest.starts_with("atomic ");
    match word {
        "load" if atomic => Some("atomic read"),
        "store" if atomic => Some("atomic write"),
        "load" if plain => Some("read"),
        "store" if plain => Some("write"),
        "atomicrmw" | "cmpxchg" => Some("rmw"),
        _ => None,
    }
}

/// The register with the address of a load or store.
fn address(line: &str) -> Option<&str> {
    registers(
        line.rsplit_once(", ptr %")
            .map(|(before, _)| &line[before.len()..])?,
    )
    .next()
}

/// The registers that are named in a text.
fn registers(text: &str) -> impl Iterator<Item = &str> {
    text.split('%').skip(1).map(|rest| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '-');
        &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
    })
}

/// The local variables of a function that no other thread can reach: they are read and written
/// under their names only. Volatile accesses may be steps all the same.
fn own_variables<'a>(function: impl Iterator<Item = &'a str> + Clone) -> BTreeSet<&'a str> {
    let made = |line: &'a str| {
        let (register, code) = line.strip_prefix("  %")?.split_once(" = ")?;
        code.starts_with("alloca ").then_some(register)
    };
    let mut own: BTreeSet<&str> = function.clone().filter_map(made).collect();
    for line in function {
        let code = line.trim_start();
        if made(line).is_some() || code.starts_with("#dbg_") || code.contains("@llvm.lifetime.") {
            continue;
        }
        let used = match access(line, true) {
            _ if code.contains(" volatile ") => line,
            Some("read" | "atomic read") => "",
            Some("write" | "atomic write") => line.rsplit_once(", ptr %").map_or(line, |(value, _)| value),
            _ => line,
        };
        for register in registers(used) {
            own.remove(register);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"define void @f() !dbg !4 {
  %1 = load atomic i32, ptr @x seq_cst, align 4, !dbg !7
  %2 = load i32, ptr @y, align 4, !dbg !8
  store atomic i32 %2, ptr @x seq_cst, align 4, !dbg !8
  %3 = cmpxchg weak ptr @x, i32 0, i32 1 seq_cst seq_cst, align 4, !dbg !7
  fence seq_cst
  ret void
}
!1 = !DIFile(filename: "dir/a.c", directory: "/tmp")
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3)
!5 = distinct !DILexicalBlock(scope: !4, file: !1, line: 3, column: 1)
!7 = !DILocation(line: 12, column: 3, scope: !5)
!8 = !DILocation(line: 13, column: 4, scope: !4)
"#;

    #[test]
    fn atomic_accesses_are_sites_by_their_place() {
        let sited = sited(MODULE, false);
        let names: Vec<&str> = sited.sites.iter().map(String::as_str).collect();
        // What has no place is none.
        assert_eq!(
            names,
            ["atomic read a.c:12:3", "atomic write a.c:13:4", "rmw a.c:12:3"]
        );
        let around = "call void @__selvedge_site(ptr @__selvedge_site_0), !dbg !7\n  %1 = load atomic i32, ptr @x \
                      seq_cst, align 4, !dbg !7\n  call void @__selvedge_site_done(), !dbg !7\n  %2 = load i32";
        assert!(sited.text.contains(around), "{}", sited.text);
        let name =
            "@__selvedge_site_0 = private unnamed_addr constant [21 x i8] c\"\\61\\74\\6F\\6D\\69\\63\\20";
        assert!(sited.text.contains(name), "{}", sited.text);
    }

    #[test]
    fn atomic_functions_are_blocks() {
        let function =
            "define i32 @__VERIFIER_atomic_f() {\nentry:\n  %1 = load i32, ptr @x\n  ret i32 %1\n}\n";
        let text = sited(function, true).text;
        let whole = "entry:\n  call void @__VERIFIER_atomic_begin()\n  %1 = load i32, ptr @x\n  \
                     call void @__VERIFIER_atomic_end()\n  ret i32 %1\n}";
        assert!(text.contains(whole), "{text}");
        for name in [BEGIN, END] {
            let declared = format!("declare void @{name}()");
            assert_eq!(text.matches(&declared).count(), 1, "{text}");
        }
        let without_label = function.replace("entry:\n", "");
        let text = sited(&format!("declare void @{BEGIN}()\n{without_label}"), true).text;
        assert!(
            text.contains("() {\n  call void @__VERIFIER_atomic_begin()\n  %1"),
            "{text}"
        );
        assert_eq!(
            text.matches("declare void @__VERIFIER_atomic_begin").count(),
            1,
            "{text}"
        );
    }

    #[test]
    fn plain_accesses_are_sites_on_request() {
        let sited = sited(MODULE, true);
        assert!(sited.sites.contains("read a.c:13:4"), "{:?}", sited.sites);
        assert_eq!(site("read", "/tmp/dir/a.c", 13, 4), "read a.c:13:4");
    }

    #[test]
    fn variables_that_no_other_thread_reaches_are_no_sites() {
        let function = "\
define void @f() {
  %value = alloca i32, align 4
  %shared = alloca i32, align 4
  %kept = alloca ptr, align 8
    #dbg_declare(ptr %value, !5, !DIExpression(), !6)
  store i32 1, ptr %value, align 4
  store ptr %shared, ptr %kept, align 8
  %1 = load i32, ptr %value, align 4
  store atomic i32 %1, ptr @x seq_cst, align 4
  %2 = getelementptr i8, ptr %1, i64 4
  call void @g(ptr %shared)
}
";
        let lines = function.lines().skip(1);
        assert_eq!(
            own_variables(lines).into_iter().collect::<Vec<_>>(),
            ["kept", "value"]
        );
        assert_eq!(address("  store ptr %shared, ptr %kept, align 8"), Some("kept"));
        assert_eq!(address("  %1 = load i32, ptr @y, align 4"), None);
    }
}
