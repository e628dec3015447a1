//! Modules in LLVM's text form, with their synchronisation sent to the runtime.

use crate::foreign::{Ours, lacking};
use crate::objects::{owners, place};
use crate::ordered::Ordered;
use crate::places::Places;
use crate::refused::Refused;
use crate::symbol::is_part;
use selvedge_schedule::cover::{Cover, Object};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The modules of a program, in the order of its sources, rewritten for a set of schedules.
///
/// # Errors
/// If one uses what the runtime has no form of, or they lack what the set names.
pub fn rewritten(modules: &[String], cover: &Cover) -> Result<Vec<String>, Refused> {
    if let Some(first) = lacking(modules).first() {
        return Err(Refused::Unsupported(first.to_string()));
    }
    let ours = Ours::of(modules);
    let owners = owners(modules, cover)?;
    let mut ordered = Ordered::of(cover);
    let mut all = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let mut text = ours.sent(&ordered.within(module)?, &mut ordered);
        addresses(cover, &owners, number, &mut text);
        all.push(text);
    }
    ordered.all_are_there()?;
    Ok(all)
}

impl Ours {
    /// A module whose calls of our functions go to the runtime, each with its place. Checks of the
    /// guards of local static variables always call (`selvedge_analysis::static_guards`).
    fn sent(&self, module: &str, named: &mut Ordered<'_>) -> String {
        let places = Places::of(module);
        let mut texts: BTreeMap<String, usize> = BTreeMap::new();
        let mut text = String::with_capacity(module.len() + module.len() / 8);
        let mut lines = module.lines().peekable();
        while let Some(line) = lines.next() {
            let (renamed, is_renamed) = self.renamed(line);
            let invokes = line.contains(" invoke ");
            if is_renamed && (invokes || line.contains(" call ") || line.contains("=call ")) {
                // Where an invocation continues stands in a line of its own, with its place.
                let with_place = if invokes {
                    lines.peek().copied()
                } else {
                    Some(line)
                };
                let at = with_place.and_then(|line| places.of_line(line)).map_or_else(
                    String::new,
                    |(file, line, _)| {
                        let name = Path::new(file).file_name().unwrap_or_default();
                        format!("{}:{line}", name.to_string_lossy())
                    },
                );
                if named.names() {
                    let number = named.naming(line, with_place.unwrap_or_default(), &places);
                    let number = number.map_or_else(|| "-1".to_owned(), |number| number.to_string());
                    let _ = writeln!(text, "  store i32 {number}, ptr @__selvedge_site, align 4");
                }
                let next = texts.len();
                let place = *texts.entry(at).or_insert(next);
                let _ = writeln!(
                    text,
                    "  store ptr @__selvedge_place_{place}, ptr @__selvedge_place, align 8"
                );
            }
            text.push_str(&asking(&renamed));
            text.push('\n');
        }
        text.push_str("\n@__selvedge_site = external thread_local global i32, align 4");
        text.push_str("\n@__selvedge_place = external thread_local global ptr, align 8\n");
        for (place, number) in &texts {
            let bytes: String = place.bytes().map(|byte| format!("\\{byte:02X}")).collect();
            let size = place.len() + 1;
            let _ = writeln!(
                text,
                "@__selvedge_place_{number} = private unnamed_addr constant [{size} x i8] c\"{bytes}\\00\""
            );
        }
        text
    }

    /// A line with our functions renamed, and whether one was. Text within quotes stays.
    fn renamed(&self, line: &str) -> (String, bool) {
        let mut text = String::with_capacity(line.len() + 16);
        let (mut renamed, mut quoted, mut rest) = (false, false, line);
        while let Some(c) = rest.chars().next() {
            quoted ^= c == '"';
            let (_, behind) = rest.split_at(c.len_utf8());
            text.push(c);
            rest = behind;
            if c == '@' && !quoted {
                let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                if self.is_ours(&rest[..end]) {
                    text.push_str("__selvedge_");
                    renamed = true;
                }
            }
        }
        (text, renamed)
    }
}

/// What the compiler reads before it calls `__cxa_guard_acquire`. Names with `$`, as those in
/// functions without a name, are in quotes.
const CHECKS: [&str; 2] = [" = load atomic i8, ptr @_ZGV", " = load atomic i8, ptr @\"_ZGV"];

/// A line in which the check of a guard finds that the variable may not be initialised yet.
fn asking(line: &str) -> Cow<'_, str> {
    match CHECKS.iter().find_map(|check| line.split_once(check)) {
        Some((result, rest)) if result.trim_start().starts_with('%') => {
            let debug = rest.find(", !dbg").map_or("", |at| &rest[at..]);
            Cow::Owned(format!("{result} = add i8 0, 0{debug}"))
        }
        _ => Cow::Borrowed(line),
    }
}

/// The addresses of the objects that the set names and this module has: `__selvedge_object_NUMBER`.
fn addresses(cover: &Cover, owners: &[Option<usize>], module: usize, text: &mut String) {
    for (number, (object, owner)) in cover.objects.iter().zip(owners).enumerate() {
        let (Object::Global(name, offset), true) = (object, *owner == Some(module)) else {
            continue;
        };
        let name = place(name).0;
        let plain = name.bytes().all(|byte| is_part(char::from(byte)));
        let quote = if plain { "" } else { "\"" };
        let _ = writeln!(
            text,
            "@__selvedge_object_{number} = constant ptr getelementptr (i8, ptr @{quote}{name}{quote}, i64 {offset}), align 8"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"@m = internal global %union.pthread_mutex_t zeroinitializer, align 8, !dbg !0
@text = constant [30 x i8] c"call @pthread_mutex_lock(\00"
define i32 @main() {
  %1 = call i32 @pthread_mutex_lock(ptr noundef @m) #2, !dbg !7
  ret i32 %1
}
declare i32 @pthread_mutex_lock(ptr noundef) #1
!1 = !DIFile(filename: "dir/a.c", directory: "/tmp")
!5 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 3)
!7 = !DILocation(line: 12, column: 3, scope: !5)
"#;

    fn cover() -> Cover {
        Cover {
            objects: vec![Object::Global("m".to_owned(), 8), Object::Made("0".to_owned(), 1)],
            ..Cover::default()
        }
    }

    fn one(module: &str) -> Result<String, Refused> {
        Ok(rewritten(&[module.to_owned()], &cover())?.remove(0))
    }

    #[test]
    fn calls_go_to_the_runtime_with_their_place() {
        let text = one(MODULE).unwrap();
        let call = "  store ptr @__selvedge_place_0, ptr @__selvedge_place, align 8\n  %1 = call i32 @__selvedge_pthread_mutex_lock(ptr";
        assert!(text.contains(call), "{text}");
        assert!(
            text.contains("declare i32 @__selvedge_pthread_mutex_lock("),
            "{text}"
        );
        assert!(
            text.contains("c\"call @pthread_mutex_lock("),
            "text of the program stays"
        );
        let address = "@__selvedge_object_0 = constant ptr getelementptr (i8, ptr @m, i64 8)";
        assert!(text.contains(address), "{text}");
        let place =
            "@__selvedge_place_0 = private unnamed_addr constant [7 x i8] c\"\\61\\2E\\63\\3A\\31\\32\\00\"";
        assert!(text.contains(place), "{text}");
    }

    #[test]
    fn checks_of_guards_always_call() {
        let check = "  %3 = load atomic i8, ptr @_ZGVZ3getvE1p acquire, align 8, !dbg !7";
        assert_eq!(asking(check), "  %3 = add i8 0, 0, !dbg !7");
        for other in [
            "  %3 = load atomic i8, ptr @flag acquire, align 1, !dbg !7",
            "@text = constant [40 x i8] c\" = load atomic i8, ptr @_ZGVZ3getvE1p\"",
        ] {
            assert_eq!(asking(other), other);
        }
        let quoted = r#"  %1 = load atomic i8, ptr @"_ZGVZZ4mainENK3$_0clEvE1s" acquire, align 8, !dbg !7"#;
        assert_eq!(asking(quoted), "  %1 = add i8 0, 0, !dbg !7");
    }

    #[test]
    fn an_invocation_has_its_place_in_the_next_line() {
        let call = "  %1 = call i32 @pthread_mutex_lock(ptr noundef @m) #2, !dbg !7";
        let invoke =
            "  invoke void @_ZNSt6thread4joinEv(ptr @m)\n          to label %2 unwind label %3, !dbg !7";
        let text = one(&MODULE.replace(call, invoke)).unwrap();
        let sent = "  store ptr @__selvedge_place_0, ptr @__selvedge_place, align 8\n  invoke void @__selvedge__ZNSt6thread4joinEv(";
        assert!(text.contains(sent) && text.contains("c\"\\61\\2E"), "{text}");
    }

    #[test]
    fn what_has_no_native_form_is_refused_by_name() {
        for name in [
            "pthread_cancel",
            "pthread_timedjoin_np",
            "sem_open",
            "thrd_odd",
            "fork",
            "mq_send",
            "sigtimedwait",
            "_ZNSt28__atomic_futex_unsigned_base3oddEv",
        ] {
            let module = format!("{MODULE}declare i32 @{name}(ptr)\n");
            let refused = one(&module).unwrap_err();
            let what = format!("function {name} in a native program");
            assert_eq!(refused, Refused::Unsupported(what));
        }
        let module = format!(
            "{MODULE}declare i64 @pthread_self()\ndeclare void @_ZNSt6thread6_StateD2Ev(ptr)\n\
                 declare void @execute(ptr)\ndeclare void @signal_all()\n"
        );
        assert!(one(&module).is_ok());
        let own = MODULE.replace("declare i32", "define i32");
        assert!(matches!(one(&own), Err(Refused::Unsupported(_))));
        let missing = MODULE.replace("@m = ", "@other = ");
        assert!(matches!(one(&missing), Err(Refused::Misfit(_))));
    }
}
