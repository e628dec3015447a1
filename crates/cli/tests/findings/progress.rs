//! Progress, and what the report says of it.

use std::process::Command;

/// Threads that meet at three locks, several hundred executions.
const MEETING: &str = r#"#include <pthread.h>
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x[3];
static void *meet(void *p) {
    long n = (long)p;
    for (int i = 0; i < 2; i++) {
        int k = (n + i) % 3;
        pthread_mutex_lock(&m[k]);
        x[k] = 3 * x[k] + n;
        pthread_mutex_unlock(&m[k]);
    }
    return 0;
}
int main(void) {
    pthread_t t[5];
    for (long i = 0; i < 5; i++)
        pthread_create(&t[i], 0, meet, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], 0);
    return 0;
}
"#;

#[test]
fn progress_ends_with_the_counts_of_the_report() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("meeting.c"), MEETING).unwrap();
    for strategy in ["dpor", "unfold", "stateful", "auto"] {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args([
                "check",
                "--strategy",
                strategy,
                "--progress",
                "always",
                "--format",
                "json",
                "meeting.c",
            ])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let counts = &report["statistics"];
        let count = |name: &str| counts[name].as_u64().unwrap();
        let last = said.lines().last().unwrap();
        let shown = format!(
            "{} executions, {} events,",
            count("all_executions"),
            count("all_events")
        );
        assert!(last.contains(&shown), "{strategy}: {last}: {counts}");
        // Another exploration is never forgotten, and nothing is counted twice.
        let own = count("executions") + count("cut_executions");
        match strategy {
            "auto" => assert!(count("all_executions") >= own, "{counts}"),
            _ => assert_eq!(
                (count("all_executions"), count("all_events")),
                (own, count("events")),
                "{strategy}"
            ),
        }
        if matches!(strategy, "unfold" | "stateful") {
            assert!(last.contains("about 100 % of the known tree"), "{last}");
            assert!(count("estimates") >= 4, "{counts}");
            let error = counts["estimate_error"].as_f64().unwrap();
            assert!((0.0..0.5).contains(&error), "{strategy}: {error}");
        }
    }
}
