//! A module in LLVM's text form, with a call before and behind each access to memory that may be a
//! step of a schedule.
//!
//! An access is known by what it does, its file and its place there, as in `read queue.c:12:9`: the
//! machine of the checker runs the same code, so its steps have the same places. The two functions
//! that are called are the runtime's (`__selvedge_site`, `__selvedge_site_done`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// A module with its sites.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sited {
    /// The module.
    pub text: String,
    /// The names of its sites.
    pub sites: BTreeSet<String>,
}

/// The name of a site.
#[must_use]
pub fn site(access: &str, file: &str, line: u32, column: u32) -> String {
    // A path may be relative to another directory; the name of the file stays.
    let name = Path::new(file).file_name().unwrap_or_default();
    format!("{access} {}:{line}:{column}", name.to_string_lossy())
}

/// Adds the calls to all atomic accesses and fences; if `plain`, to the other accesses, too.
#[must_use]
pub fn sited(module: &str, plain: bool) -> Sited {
    let places = Places::of(module);
    let mut sited = Sited::default();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for line in module.lines() {
        let name = access(line, plain).and_then(|access| {
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
fn access(line: &str, plain: bool) -> Option<&'static str> {
    let line = line.strip_prefix("  ")?;
    let code = match line.strip_prefix('%') {
        Some(rest) => rest.split_once(" = ")?.1,
        None => line,
    };
    let (word, rest) = code.split_once(' ')?;
    let counts = plain || rest.starts_with("atomic ");
    match word {
        "load" if counts => Some("read"),
        "store" if counts => Some("write"),
        "atomicrmw" | "cmpxchg" => Some("rmw"),
        "fence" => Some("fence"),
        _ => None,
    }
}

/// The places of a module's debug information.
struct Places<'a> {
    /// Of each place its line, column and scope.
    places: BTreeMap<&'a str, (u32, u32, &'a str)>,
    /// The file of each scope.
    scopes: BTreeMap<&'a str, &'a str>,
    /// The name of each file.
    files: BTreeMap<&'a str, &'a str>,
}

impl<'a> Places<'a> {
    fn of(module: &'a str) -> Places<'a> {
        let mut all = Places {
            places: BTreeMap::new(),
            scopes: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        for line in module.lines() {
            let Some((number, node)) = line.strip_prefix('!').and_then(|line| line.split_once(" = ")) else {
                continue;
            };
            let node = node.strip_prefix("distinct ").unwrap_or(node);
            if node.starts_with("!DILocation(") {
                let number_of = |name| field(node, name)?.parse().ok();
                let line = number_of("line: ");
                if let (Some(line), Some(scope)) = (line, field(node, "scope: !")) {
                    let column = number_of("column: ").unwrap_or(0);
                    all.places.insert(number, (line, column, scope));
                }
            } else if node.starts_with("!DIFile(") {
                let name = node.split_once("filename: \"");
                let name = name.and_then(|(_, rest)| rest.split('"').next());
                all.files.extend(name.map(|name| (number, name)));
            } else if node.starts_with("!DISubprogram(") || node.starts_with("!DILexicalBlock") {
                all.scopes
                    .extend(field(node, " file: !").map(|file| (number, file)));
            }
        }
        all
    }

    fn at(&self, place: &str) -> Option<(&'a str, u32, u32)> {
        let &(line, column, scope) = self.places.get(place)?;
        let file = self.files.get(self.scopes.get(scope)?)?;
        Some((file, line, column))
    }
}

/// What stands behind a field's name.
fn field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let rest = node.split_once(name)?.1;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some(&rest[..end])
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
        assert_eq!(names, ["read a.c:12:3", "rmw a.c:12:3", "write a.c:13:4"]);
        let around = "call void @__selvedge_site(ptr @__selvedge_site_0), !dbg !7\n  %1 = load atomic i32, ptr @x \
                      seq_cst, align 4, !dbg !7\n  call void @__selvedge_site_done(), !dbg !7\n  %2 = load i32";
        assert!(sited.text.contains(around), "{}", sited.text);
        let name = "@__selvedge_site_0 = private unnamed_addr constant [14 x i8] c\"\\72\\65\\61\\64\\20";
        assert!(sited.text.contains(name), "{}", sited.text);
    }

    #[test]
    fn plain_accesses_are_sites_on_request() {
        let sited = sited(MODULE, true);
        assert!(sited.sites.contains("read a.c:13:4"), "{:?}", sited.sites);
        assert_eq!(site("read", "/tmp/dir/a.c", 13, 4), "read a.c:13:4");
    }
}
