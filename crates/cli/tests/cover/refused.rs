//! What `build` refuses is said by `cover`: by name, with file and line.

use super::support::{Ended, Place};
use selvedge_instrument::{FOREIGN, FOREIGN_NAMES};

const NOTE: &str = "note: there is no native program of this set; `build` and `run` refuse:";

/// Functions that begin as the list says.
const BEGUN: [&str; 12] = [
    "aio_read",
    "lio_listio",
    "_ZNSt6thread3oddEv",
    "_ZNSt18condition_variable3oddEv",
    "_ZNSt28__atomic_futex_unsigned_base3oddEv",
    "_ZSt25notify_all_at_thread_exitv",
    "pthread_cancel",
    "sem_open",
    "mtx_odd",
    "cnd_odd",
    "thrd_odd",
    "mq_open",
];

/// A program that would call each of these functions for an argument of its own, each in a line of
/// its own. No declared input reaches a call.
fn never_calls(names: &[&str]) -> String {
    let declared: Vec<String> = names
        .iter()
        .map(|name| format!("extern int odd_{name}(void) __asm__(\"{name}\");"))
        .collect();
    let calls: Vec<String> = names
        .iter()
        .map(|name| format!("if (argc > 9) odd_{name}();"))
        .collect();
    format!(
        "{}\nint main(int argc, char **argv) {{ (void)argv;\n{}\nreturn 0; }}\n",
        declared.join(" "),
        calls.join("\n")
    )
}

/// What `cover` says that `build` refuses.
fn noted(ended: &Ended) -> Vec<String> {
    let behind = ended.out.lines().skip_while(|line| *line != NOTE).skip(1);
    let lines = behind.take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().to_owned()).collect()
}

/// What `build` says that it refuses.
fn refused(ended: &Ended) -> Vec<String> {
    let lines = ended.err.lines();
    let lines = lines.filter_map(|line| line.strip_prefix("error: not supported: "));
    lines.map(str::to_owned).collect()
}

/// Covers a program that cannot be built, and compares what the two commands say of it.
fn agree(place: &Place, sources: &[&str]) -> Vec<String> {
    let words = [&["cover"], sources, &["--symbolic-args", "1:1", "-o", "set"]].concat();
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("covered: "), "{ended:?}");
    let noted = noted(&ended);
    assert!(
        !ended.out.contains("proven of the program that `build` makes"),
        "{ended:?}"
    );
    // The set says it, too, and can be read all the same.
    let text = std::fs::read_to_string(place.path("set")).unwrap();
    let comments: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# `build` refuses: "))
        .collect();
    assert_eq!(comments, noted);
    let words = [&["build"], sources, &["--schedules", "set", "-o", "program"]].concat();
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert_eq!(refused(&ended), noted, "{ended:?}");
    assert_eq!(ended.out, format!("unknown({})\n", noted[0]));
    assert!(!place.path("program").exists());
    noted
}

#[test]
fn cover_names_each_function_that_build_refuses() {
    assert!(
        FOREIGN
            .iter()
            .all(|begin| BEGUN.iter().any(|name| name.starts_with(begin)))
    );
    let names: Vec<&str> = FOREIGN_NAMES.into_iter().chain(BEGUN).collect();
    let place = Place::new();
    place.write("program.c", &never_calls(&names));
    let noted = agree(&place, &["program.c"]);
    for (number, name) in names.iter().enumerate() {
        let says = format!("function {name} in a native program at program.c:{}", number + 3);
        assert!(noted.contains(&says), "{says}: {noted:#?}");
    }
    assert_eq!(noted.len(), names.len());
}

#[test]
fn programs_with_signals_timers_and_queues_are_covered_and_not_built() {
    let cases = [
        (
            "#include <semaphore.h>\n#include <fcntl.h>\n",
            "sem_t *s = sem_open(\"/s\", O_CREAT, 0600, 1); sem_wait(s); sem_post(s);",
            "sem_open",
        ),
        (
            "#include <mqueue.h>\n#include <fcntl.h>\n",
            "struct mq_attr a = {.mq_maxmsg = 1, .mq_msgsize = 1}; mqd_t q = mq_open(\"/q\", O_CREAT | O_RDWR, 0600, &a); mq_send(q, \"x\", 1, 0);",
            "mq_open",
        ),
        (
            "#include <signal.h>\nstatic void on(int n) { (void)n; }\n",
            "signal(SIGUSR1, on);",
            "signal",
        ),
        (
            "#include <unistd.h>\n#include <sys/timerfd.h>\n",
            "int t = timerfd_create(CLOCK_MONOTONIC, 0); close(t);",
            "timerfd_create",
        ),
    ];
    for (head, body, name) in cases {
        let place = Place::new();
        let text = format!(
            "{head}int main(int argc, char **argv) {{ (void)argc; (void)argv;\n{body}\nreturn 0; }}\n"
        );
        place.write("program.c", &text);
        let line = head.lines().count() + 2;
        let says = format!("function {name} in a native program at program.c:{line}");
        let noted = agree(&place, &["program.c"]);
        assert!(noted.contains(&says), "{noted:?}");
    }
}

#[test]
fn what_build_refuses_beside_functions_is_said() {
    let place = Place::new();
    // `cover` refuses it itself, if it is executed.
    place.write(
        "program.c",
        "int main(int argc, char **argv) { (void)argv;\nif (argc > 9) __asm__ volatile(\"nop\");\nreturn 0; }\n",
    );
    let noted = agree(&place, &["program.c"]);
    assert_eq!(noted, ["inline assembly in a native program at program.c:2"]);
    // A source in another language.
    place.write(
        "module.ll",
        "define i32 @main(i32 %n, ptr %v) {\n  ret i32 0\n}\n",
    );
    let noted = agree(&place, &["module.ll"]);
    assert_eq!(
        noted,
        ["a native program of module.ll: only sources in C and C++"]
    );
    // A function of the program itself is none of the system's.
    place.write(
        "program.c",
        "int mq_odd(void);\nint main(void) { return mq_odd(); }\n",
    );
    place.write("other.c", "int mq_odd(void) { return 0; }\n");
    let words = ["cover", "program.c", "other.c", "-o", "set"];
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.out.contains(NOTE), "{ended:?}");
    let words = [
        "build",
        "program.c",
        "other.c",
        "--schedules",
        "set",
        "-o",
        "program",
    ];
    assert_eq!(place.selvedge(&words).code, Some(0));
}

#[test]
fn a_page_says_what_build_refuses() {
    let place = Place::new();
    place.write("program.c", &never_calls(&["sem_open"]));
    let words = ["cover", "program.c", "--html", "page.html"];
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    let says = "<p><code>build</code> refuses: function sem_open in a native program at program.c:3</p>";
    assert!(page.contains(says), "{page}");
}
