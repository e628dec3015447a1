//! What is said of lost memory: places, threads and numbers, a schedule that shows it again,
//! SV-COMP's property files.

use std::path::PathBuf;
use std::process::Command;

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-leaks-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        let output = command.args(arguments).current_dir(&self.0).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap_or(-1), text)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A thread loses two of three blocks that it has allocated in one place; main keeps the third.
/// Then main may run for ever.
const PROGRAM: &str = "#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *kept;
static void keep(int size) {
    char *made = malloc(size);
    pthread_mutex_lock(&lock);
    kept = made;
    pthread_mutex_unlock(&lock);
}
static void *work(void *unused) {
    keep(10);
    keep(20);
    keep(30);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    while (FOREVER) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
";

#[test]
fn a_leak_has_its_place_and_is_seen_again() {
    let place = Place::new("again");
    place.write("a.c", PROGRAM);
    for (strategy, forever) in [
        ("dpor", "-DFOREVER=0"),
        ("unfold", "-DFOREVER=0"),
        ("unfold", "-DFOREVER=1"),
    ] {
        let check = ["check", "--strategy", strategy, forever, "a.c"];
        let (code, out) = place.run(&check);
        assert!(out.ends_with("true\n") && code == 0, "nobody asked: {out}");
        let (code, out) = place.run(&[&check[..], &["--property", "memory,leak"]].concat());
        assert_eq!(code, 10, "{out}");
        for part in [
            "error[memory.leak]: 30 bytes in 2 blocks that thread 0.1 allocated here",
            "a.c:6:18",
            "called from work (a.c:12:5)",
            "false(valid-memtrack)",
        ] {
            assert!(out.contains(part), "{part}: {out}");
        }
        let (code, out) = place.run(&["replay", "FINDING.json"]);
        assert!(out.ends_with("false(valid-memtrack)\n") && code == 10, "{out}");
    }
}

#[test]
fn property_files_ask_for_it() {
    let place = Place::new("files");
    place.write("a.c", PROGRAM);
    let check = |formulas: &[&str]| {
        let checks: Vec<String> = formulas
            .iter()
            .map(|f| format!("CHECK( init(main()), LTL({f}) )\n"))
            .collect();
        place.write("p.prp", &checks.concat());
        let options = ["check", "-DFOREVER=0", "--finding", "none"];
        place.run(&[&options[..], &["--property", "p.prp", "a.c"]].concat())
    };
    let (_, out) = check(&["G valid-free", "G valid-deref"]);
    assert!(out.ends_with("true\n"), "{out}");
    let (_, out) = check(&["G valid-free", "G valid-deref", "G valid-memtrack"]);
    assert!(out.ends_with("false(valid-memtrack)\n"), "{out}");
    let (_, out) = check(&["G valid-memcleanup"]);
    assert!(out.ends_with("false(valid-memcleanup)\n"), "{out}");
    assert!(out.contains("60 bytes in 3 blocks"), "{out}");
}
