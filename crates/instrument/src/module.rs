//! A module in LLVM's text form, with its synchronisation sent to the runtime.

use selvedge_schedule::cover::{Cover, Object};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Functions that the runtime has a form of: `__selvedge_NAME`.
const OURS: [&str; 37] = [
    "pthread_create",
    "pthread_join",
    "pthread_exit",
    "pthread_detach",
    "pthread_cond_init",
    "pthread_cond_destroy",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_once",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "sem_init",
    "sem_destroy",
    "sem_post",
    "sem_wait",
    "sem_trywait",
    "sem_getvalue",
    "pthread_barrier_init",
    "pthread_barrier_destroy",
    "pthread_barrier_wait",
];

/// Functions about threads that order nothing.
const HARMLESS: [&str; 8] = [
    "pthread_self",
    "pthread_equal",
    "pthread_attr_",
    "pthread_mutexattr_",
    "pthread_barrierattr_",
    // Not `setclock`: a wait that times out does so by the usual clock.
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_rwlockattr_",
];

/// Beginnings of the names of functions that synchronise, start or end something, or jump.
const FOREIGN: [&str; 20] = [
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "thrd_",
    "tss_",
    "call_once",
    "fork",
    "vfork",
    "clone",
    "exec",
    "longjmp",
    "siglongjmp",
    "_longjmp",
    "signal",
    "sigaction",
    "dlopen",
    "quick_exit",
    "_Exit",
    "syscall",
];

/// Why a module cannot be rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is no native form of this.
    Unsupported(String),
    /// The set is one of another program.
    Misfit(String),
}

/// The module, rewritten for a set of schedules.
///
/// # Errors
/// If it uses what the runtime has no form of, or lacks what the set names.
pub fn rewritten(module: &str, cover: &Cover) -> Result<String, Refused> {
    let lines = lines_of_places(module);
    let mut functions = BTreeSet::new();
    for line in module.lines() {
        if let Some(name) = line.starts_with("declare ").then(|| symbol(line)).flatten() {
            functions.insert(name);
        }
        if let Some(name) = line.starts_with("define ").then(|| symbol(line)).flatten()
            && (OURS.contains(&name) || name.starts_with("__selvedge"))
        {
            let what = format!("a program with a function {name} of its own");
            return Err(Refused::Unsupported(what));
        }
        if line.contains(" asm ") && line.contains(" call ") || line.starts_with("module asm") {
            return Err(Refused::Unsupported(
                "inline assembly in a native program".to_owned(),
            ));
        }
    }
    for name in functions {
        let harmless = HARMLESS.iter().any(|start| name.starts_with(start));
        let foreign = FOREIGN.iter().any(|start| name.starts_with(start));
        if foreign && !harmless && !OURS.contains(&name) {
            return Err(Refused::Unsupported(format!(
                "function {name} in a native program"
            )));
        }
    }
    let mut text = String::with_capacity(module.len() + module.len() / 8);
    for line in module.lines() {
        let (line, renamed) = renamed(line);
        let calls = line.contains(" call ") || line.contains("=call ") || line.contains(" invoke ");
        if renamed && calls {
            let place = line.rsplit_once("!dbg !").map_or("", |(_, rest)| rest);
            let place: String = place.chars().take_while(char::is_ascii_digit).collect();
            let line = lines.get(place.as_str()).copied().unwrap_or(0);
            let _ = writeln!(text, "  store i32 {line}, ptr @__selvedge_place, align 4");
        }
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str("\n@__selvedge_place = external thread_local global i32, align 4\n");
    text.push_str(&addresses(module, cover)?);
    Ok(text)
}

/// The table of the global variables that the set names.
fn addresses(module: &str, cover: &Cover) -> Result<String, Refused> {
    let defined: BTreeSet<&str> = module
        .lines()
        .filter(|line| line.starts_with('@'))
        .filter_map(|line| symbol(line.split(" = ").next()?))
        .collect();
    let mut entries = Vec::new();
    for object in &cover.objects {
        let Object::Global(name, offset) = object else {
            continue;
        };
        if !defined.contains(name.as_str()) {
            let what = format!("the program has no global variable `{name}`");
            return Err(Refused::Misfit(what));
        }
        let plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-$._".contains(&byte));
        let name = if plain {
            format!("@{name}")
        } else {
            format!("@\"{name}\"")
        };
        entries.push(format!("ptr getelementptr (i8, ptr {name}, i64 {offset})"));
    }
    entries.push("ptr null".to_owned());
    let (count, list) = (entries.len(), entries.join(", "));
    Ok(format!(
        "@__selvedge_globals = constant [{count} x ptr] [{list}], align 8\n"
    ))
}

/// The first symbol of a line, without quotes.
fn symbol(line: &str) -> Option<&str> {
    let rest = line.split_once('@')?.1;
    if let Some(quoted) = rest.strip_prefix('"') {
        return quoted.split('"').next();
    }
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    Some(&rest[..end])
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-$._".contains(c)
}

/// A line with our functions renamed, and whether one was. Text within quotes stays.
fn renamed(line: &str) -> (String, bool) {
    let mut text = String::with_capacity(line.len() + 16);
    let (mut renamed, mut quoted, mut rest) = (false, false, line);
    while let Some(c) = rest.chars().next() {
        quoted ^= c == '"';
        let (_, behind) = rest.split_at(c.len_utf8());
        text.push(c);
        rest = behind;
        if c == '@' && !quoted {
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            if OURS.contains(&&rest[..end]) {
                text.push_str("__selvedge_");
                renamed = true;
            }
        }
    }
    (text, renamed)
}

/// The line of each place, by the number of its metadata.
fn lines_of_places(module: &str) -> BTreeMap<&str, u32> {
    let mut lines = BTreeMap::new();
    for line in module.lines() {
        let Some((number, rest)) = line.strip_prefix('!').and_then(|line| line.split_once(" = ")) else {
            continue;
        };
        let rest = rest.strip_prefix("distinct ").unwrap_or(rest);
        let Some(rest) = rest.strip_prefix("!DILocation(line: ") else {
            continue;
        };
        let digits: &str = rest.split(',').next().unwrap_or_default();
        if let Ok(at) = digits.parse() {
            lines.insert(number, at);
        }
    }
    lines
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
!7 = !DILocation(line: 12, column: 3, scope: !5)
"#;

    fn cover() -> Cover {
        Cover {
            objects: vec![Object::Global("m".to_owned(), 8), Object::Made("0".to_owned(), 1)],
            ..Cover::default()
        }
    }

    #[test]
    fn calls_go_to_the_runtime_with_their_line() {
        let text = rewritten(MODULE, &cover()).unwrap();
        let call = "  store i32 12, ptr @__selvedge_place, align 4\n  %1 = call i32 @__selvedge_pthread_mutex_lock(ptr";
        assert!(text.contains(call), "{text}");
        assert!(
            text.contains("declare i32 @__selvedge_pthread_mutex_lock("),
            "{text}"
        );
        assert!(
            text.contains("c\"call @pthread_mutex_lock("),
            "text of the program stays"
        );
        let table = "[2 x ptr] [ptr getelementptr (i8, ptr @m, i64 8), ptr null]";
        assert!(text.contains(table), "{text}");
    }

    #[test]
    fn what_has_no_native_form_is_refused_by_name() {
        for name in [
            "pthread_cond_clockwait",
            "pthread_condattr_setclock",
            "pthread_rwlock_timedrdlock",
            "sem_timedwait",
            "mtx_lock",
            "fork",
        ] {
            let module = format!("{MODULE}declare i32 @{name}(ptr)\n");
            let refused = rewritten(&module, &cover()).unwrap_err();
            let what = format!("function {name} in a native program");
            assert_eq!(refused, Refused::Unsupported(what));
        }
        let module = format!("{MODULE}declare i64 @pthread_self()\n");
        assert!(rewritten(&module, &cover()).is_ok());
        let own = MODULE.replace("declare i32", "define i32");
        assert!(matches!(rewritten(&own, &cover()), Err(Refused::Unsupported(_))));
        let missing = MODULE.replace("@m = ", "@other = ");
        assert!(matches!(rewritten(&missing, &cover()), Err(Refused::Misfit(_))));
    }
}
