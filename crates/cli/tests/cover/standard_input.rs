//! Standard input that comes in pieces is the same input.

use crate::support::Place;
use std::time::Duration;

/// Ends with 0 if the first read gets the whole input and the second one its end.
const READS: &str = "#include <pthread.h>
#include <unistd.h>
static void *start(void *argument) { return argument; }
int main(void) {
    char bytes[8];
    pthread_t thread;
    ssize_t none = read(0, bytes, 0), count = read(0, bytes, 3), more = read(0, bytes, sizeof bytes), end = read(0, bytes, 1);
    pthread_create(&thread, 0, start, 0);
    pthread_join(thread, 0);
    return none != 0 || count != 3 || more != 2 || end != 0;
}
";

#[test]
fn a_read_gets_what_comes_later() {
    let place = Place::new();
    place.write("program.c", READS);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-stdin", "5", "-o", "set"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("standard input is read with"), "{ended:?}");
    place.build("set");
    for milliseconds in [0, 100] {
        let pause = Duration::from_millis(milliseconds);
        let (ended, _) = place.serve_slowly("program", b"abcde", 0, pause);
        assert_eq!(ended.code, Some(0), "{milliseconds}: {ended:?}");
    }
}

/// A function of the program's own with that name stays what it is.
#[test]
fn an_own_function_is_no_system_call() {
    let place = Place::new();
    place.write(
        "program.c",
        "#include <pthread.h>\nstatic int read(int n) { return n - 1; }\n\
         static void *start(void *u) { return u; }\n\
         int main(int argc, char **argv) { pthread_t t; pthread_create(&t, 0, start, 0); pthread_join(t, 0); return read(argc); }",
    );
    let ended = place.selvedge(&["cover", "program.c", "-o", "set"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    place.build("set");
    let (ended, _) = place.serve("program", b"", 0);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}
