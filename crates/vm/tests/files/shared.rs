//! Memory that threads share, where all accesses are actions.

use super::HEADERS;
use super::explorer::run_with;
use selvedge_vm::{Options, Visibility};

#[test]
fn visibility_memory() {
    let memory = || Options {
        visibility: Visibility::Memory,
        ..Options::default()
    };
    let body = |kind: &str| {
        format!(
            r#"{HEADERS}
static int ends[2];
static void *send(void *p) {{ write(ends[1], "a", 1); return p; }}
int main(void) {{
    pthread_t t; {kind} char text[4] = "";
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    read(ends[0], text, 1);
    pthread_join(t, NULL);
    SAY("%s", text);
}}"#
        )
    };
    let outcomes = run_with(&body("static"), memory());
    assert!(
        outcomes
            .unsupported
            .iter()
            .any(|u| u.contains("visibility memory")),
        "{outcomes:?}"
    );
}
