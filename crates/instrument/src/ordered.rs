//! The places of a set. At some, atomic accesses and calls of library functions are operations: the
//! runtime is called before and behind each, as in the machine of the checker
//! (`crates/analysis/src/places.rs`). Others name the objects of calls that synchronise: the
//! runtime is told the place before the call.

use crate::places::Places;
use crate::refused::Refused;
use crate::sites::access;
use crate::symbol::is_part;
use selvedge_schedule::cover::{Cover, Object, Operation, Target};
use selvedge_schedule::site;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The places of a set, with their numbers among its objects.
pub(crate) struct Ordered<'a> {
    /// Those that are operations.
    ordered: BTreeMap<&'a str, usize>,
    /// Those that name objects.
    naming: BTreeMap<&'a str, usize>,
    found: BTreeSet<usize>,
}

impl<'a> Ordered<'a> {
    pub(crate) fn of(cover: &'a Cover) -> Ordered<'a> {
        let steps = cover.schedules.iter().flat_map(|order| &order.steps);
        let stands = cover.parts.iter().flat_map(|part| &part.stands);
        let labels = steps.map(|step| &step.label).chain(stands.map(|stand| &stand.1));
        let (mut ordered, mut naming) = (BTreeMap::new(), BTreeMap::new());
        for label in labels {
            let (Target::Object(number) | Target::Wait(number, _)) = label.target else {
                continue;
            };
            if let Some(Object::Place(name)) = cover.objects.get(number) {
                let places = match label.operation {
                    Operation::At => &mut ordered,
                    _ => &mut naming,
                };
                places.insert(name.as_str(), number);
            }
        }
        Ordered {
            ordered,
            naming,
            found: BTreeSet::new(),
        }
    }

    /// Whether there are places that name objects.
    pub(crate) fn names(&self) -> bool {
        !self.naming.is_empty()
    }

    /// The number of the place that names the object of the call in a line, if one does.
    pub(crate) fn naming(&mut self, line: &str, with_place: &str, places: &Places<'_>) -> Option<usize> {
        let number = number(&self.naming, line, with_place, places)?;
        self.found.insert(number);
        Some(number)
    }

    /// A module with the calls.
    pub(crate) fn within<'m>(&mut self, module: &'m str) -> Result<Cow<'m, str>, Refused> {
        if self.ordered.is_empty() {
            return Ok(Cow::Borrowed(module));
        }
        let places = Places::of(module);
        let mut text = String::with_capacity(module.len() + module.len() / 8);
        // Where invocations go on, with the place of each.
        let mut begins: BTreeMap<&str, String> = BTreeMap::new();
        let mut lines = module.lines().peekable();
        while let Some(line) = lines.next() {
            if line.starts_with("define ") {
                begins.clear();
            }
            let behind = |debug: &str| format!("  call void @__selvedge_behind(){debug}\n");
            if let Some((label, rest)) = line.split_once(':')
                && let Some(debug) = begins.remove(label)
            {
                if rest.contains(',') {
                    return Err(Refused::Unsupported(format!(
                        "a call that an exception may leave and that goes on where something else does{}",
                        places
                            .of_line(&debug)
                            .map_or_else(String::new, |at| format!(", at {}:{}", at.0, at.1))
                    )));
                }
                let _ = write!(text, "{line}\n{}", behind(&debug));
                continue;
            }
            let invokes = line.contains(" invoke ");
            let with_place = match invokes {
                true => lines.peek().copied().unwrap_or_default(),
                false => line,
            };
            let Some(number) = number(&self.ordered, line, with_place, &places) else {
                text.push_str(line);
                text.push('\n');
                continue;
            };
            self.found.insert(number);
            let debug = debug(with_place);
            let _ = writeln!(text, "  call void @__selvedge_at(i32 {number}){debug}\n{line}");
            match with_place.split_once("to label %").filter(|_| invokes) {
                Some((_, rest)) => {
                    let label = rest.split(' ').next().unwrap_or_default();
                    begins.insert(label, debug);
                }
                None => text.push_str(&behind(&debug)),
            }
        }
        text.push_str(
            "\ndeclare void @__selvedge_at(i32) nounwind\ndeclare void @__selvedge_behind() nounwind\n",
        );
        Ok(Cow::Owned(text))
    }

    /// # Errors
    /// If no module has one of the places.
    pub(crate) fn all_are_there(&self) -> Result<(), Refused> {
        let mut places = self.ordered.iter().chain(&self.naming);
        match places.find(|(_, number)| !self.found.contains(number)) {
            None => Ok(()),
            Some((name, _)) => Err(Refused::Misfit(format!("the program has no place `{name}`"))),
        }
    }
}

/// The number of the place that a line is.
fn number(
    numbers: &BTreeMap<&str, usize>,
    line: &str,
    with_place: &str,
    places: &Places<'_>,
) -> Option<usize> {
    let what = match access(line, false) {
        Some(access) => Cow::Borrowed(access),
        None => Cow::Owned(format!("call {}", called(line)?)),
    };
    let (file, line, column) = places.of_line(with_place)?;
    numbers.get(&*site(&what, file, line, column)).copied()
}

/// The function that a line calls by its name.
fn called(line: &str) -> Option<&str> {
    let calls = [" call ", " invoke ", "=call "].iter();
    let rest = calls.filter_map(|word| line.split_once(word)).next()?.1;
    let rest = rest.split_once('@')?.1;
    let end = rest.find(|c: char| !is_part(c))?;
    rest[end..].starts_with('(').then_some(&rest[..end])
}

/// What a line says of its place, as the end of another one.
fn debug(line: &str) -> String {
    let Some((_, number)) = line.rsplit_once("!dbg !") else {
        return String::new();
    };
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    format!(", !dbg !{}", &number[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_schedule::cover::{Label, Order, Outcome, Step};

    const MODULE: &str = r#"define i32 @f() {
  %1 = atomicrmw add ptr @x, i32 1 seq_cst, align 4, !dbg !7
  %2 = call i32 (ptr, ...) @printf(ptr @x), !dbg !7
  %3 = call i32 %2(ptr @printf), !dbg !7
  invoke void @_ZNSolsEi(ptr @x, i32 1)
          to label %cont unwind label %pad, !dbg !8

cont:                                             ; preds = %0
  %4 = load i32, ptr @x, align 4, !dbg !7
  ret i32 0
}
!1 = !DIFile(filename: "dir/a.c", directory: "/tmp")
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3)
!7 = !DILocation(line: 12, column: 3, scope: !5)
!8 = !DILocation(line: 13, column: 4, scope: !5)
"#;

    fn cover(names: &[&str]) -> Cover {
        let at = |number: usize| Step {
            thread: "0".to_owned(),
            label: Label {
                operation: Operation::At,
                target: Target::Object(number),
            },
            outcome: Outcome::Done,
            after: Vec::new(),
            place: String::new(),
        };
        Cover {
            schedules: vec![Order {
                steps: (0..names.len()).map(at).collect(),
                ..Order::default()
            }],
            objects: names
                .iter()
                .map(|name| Object::Place((*name).to_owned()))
                .collect(),
            ..Cover::default()
        }
    }

    #[test]
    fn the_runtime_is_called_around_each_place() {
        let cover = cover(&["rmw a.c:12:3", "call printf a.c:12:3", "call _ZNSolsEi a.c:13:4"]);
        let mut ordered = Ordered::of(&cover);
        let text = ordered.within(MODULE).unwrap();
        assert!(ordered.all_are_there().is_ok());
        let around = |number: usize, line: &str| {
            format!(
                "  call void @__selvedge_at(i32 {number}), !dbg !7\n{line}\n  call void @__selvedge_behind(), !dbg !7\n"
            )
        };
        let lines: Vec<&str> = MODULE.lines().collect();
        assert!(text.contains(&around(0, lines[1])), "{text}");
        assert!(text.contains(&around(1, lines[2])), "{text}");
        assert!(
            text.contains(&format!(
                "\n{}\n  call void @__selvedge_at(i32 2), !dbg !8\n",
                lines[3]
            )),
            "{text}"
        );
        assert!(
            text.contains("; preds = %0\n  call void @__selvedge_behind(), !dbg !8\n  %4"),
            "{text}"
        );
        assert_eq!(text.matches("call void @__selvedge_at").count(), 3, "{text}");
    }

    #[test]
    fn a_place_that_is_missing_or_cannot_be_ordered_is_refused() {
        let other = cover(&["rmw a.c:13:3"]);
        let mut ordered = Ordered::of(&other);
        assert!(ordered.within(MODULE).is_ok());
        assert!(matches!(ordered.all_are_there(), Err(Refused::Misfit(_))));
        let shared = MODULE.replace("; preds = %0", "; preds = %0, %9");
        let cover = cover(&["call _ZNSolsEi a.c:13:4"]);
        let refused = Ordered::of(&cover).within(&shared).map(|_| ());
        assert!(matches!(refused, Err(Refused::Unsupported(_))), "{refused:?}");
    }
}
