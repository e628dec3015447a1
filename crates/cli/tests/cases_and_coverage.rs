//! Options about inputs, `--emit-tests` and `--coverage` as users and scripts see them.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-cases-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap_or(-1),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.join(folder))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Two orders: 0 * 2 + 1 + 5 = 6 and (0 + 5) * 2 + 1 = 11.
const ORDERS: &str = r#"#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int unused(int a) {
    return a + 1;
}
static void *worker(void *p) {
    pthread_mutex_lock(&m);
    x = x * 2 + 1;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    x += 5;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    switch (x) {
    case 6:
        puts("six");
        break;
    case 11:
        puts("eleven");
        exit(3);
    default:
        return unused(x);
    }
    return x > 0 && x < 7 ? 0 : 1;
}
"#;

const LCOV: &str = "TN:
SF:a.c
FN:6,unused
FN:9,worker
FN:15,main
FNDA:0,unused
FNDA:1,worker
FNDA:1,main
FNF:3
FNH:2
BRDA:22,0,0,0
BRDA:22,0,1,1
BRDA:22,0,2,1
BRDA:32,0,0,1
BRDA:32,0,1,0
BRF:5
BRH:3
DA:6,0
DA:7,0
DA:9,1
DA:10,1
DA:11,1
DA:12,1
DA:13,1
DA:15,1
DA:16,1
DA:17,1
DA:18,1
DA:19,1
DA:20,1
DA:21,1
DA:22,1
DA:24,1
DA:25,1
DA:27,1
DA:28,1
DA:30,0
DA:32,1
DA:33,1
LF:22
LH:19
end_of_record
";

#[test]
fn coverage_is_that_of_all_executions() {
    let place = Place::new("lcov");
    place.write("a.c", ORDERS);
    for jobs in ["1", "2"] {
        let (code, out, err) = place.run(&["check", "-j", jobs, "--coverage=cover.info", "a.c"]);
        assert_eq!(code, 0, "{out}{err}");
        assert_eq!(place.read("cover.info"), LCOV, "{jobs}");
        let summary = "reached 19 of 22 lines, 3 of 5 branches, 2 of 3 functions";
        assert!(out.contains(summary), "{out}");
    }
    let (code, out, err) = place.run(&["check", "--coverage", "--format", "json", "a.c"]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        value["coverage"]["lines"],
        serde_json::json!({"found": 22, "hit": 19})
    );
    assert_eq!(
        value["coverage"]["files"][0]["not_reached"],
        serde_json::json!([6, 7, 30])
    );
    let (_, out, _) = place.run(&["check", "--format", "json", "a.c"]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["coverage"], Value::Null);
    let (code, _, err) = place.run(&["check", "--coverage=missing/c.info", "a.c"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn coverage_changes_nothing_else() {
    let place = Place::new("same");
    place.write("a.c", ORDERS);
    for visibility in ["sync", "memory"] {
        let run = |more: &[&str]| {
            let all = ["check", "-j", "1", "--format", "json", "--visibility", visibility];
            let arguments: Vec<&str> = all.iter().chain(more).copied().chain(["a.c"]).collect();
            let (_, out, err) = place.run(&arguments);
            let mut value: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
            // The ways out of branches are jumps that are not there otherwise.
            for name in [
                "seconds",
                "peak_memory_bytes",
                "instructions",
                "all_executions",
                "all_events",
                "estimates",
                "estimate_error",
            ] {
                value["statistics"][name] = Value::Null;
            }
            value["coverage"] = Value::Null;
            // With coverage there is one exploration; else samples check its proof.
            value["also"] = Value::Null;
            value
        };
        assert_eq!(run(&[]), run(&["--coverage"]), "{visibility}");
    }
}

#[test]
fn each_execution_gives_a_case() {
    let place = Place::new("emit");
    place.write("a.c", ORDERS);
    let (code, out, err) = place.run(&["check", "-j", "2", "--emit-tests", "cases", "a.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("test cases written: 2"), "{err}");
    assert_eq!(
        place.names("cases"),
        [
            "test000001.json",
            "test000001.ktest",
            "test000002.json",
            "test000002.ktest"
        ]
    );
    let cases: Vec<Value> = [1, 2]
        .iter()
        .map(|n| serde_json::from_str(&place.read(&format!("cases/test00000{n}.json"))).unwrap())
        .collect();
    let mut seen: Vec<(&Value, &Value)> = cases.iter().map(|c| (&c["exit"]["code"], &c["output"])).collect();
    seen.sort_by_key(|(code, _)| code.as_i64());
    assert_eq!(seen[0], (&Value::from(0), &Value::from("six\n")));
    assert_eq!(seen[1], (&Value::from(3), &Value::from("eleven\n")));
    let new: Vec<usize> = cases
        .iter()
        .map(|case| case["new_lines"][0]["lines"].as_array().unwrap().len())
        .collect();
    assert_eq!(new.iter().sum::<usize>(), 19, "each line is new once");
    let (code, _, err) = place.run(&["check", "--emit-tests", "cases", "a.c"]);
    assert_eq!(code, 1, "what is there is not mixed with what comes: {err}");
    let (code, out, err) = place.run(&["check", "--input", "cases/test000001.ktest", "a.c"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_fault_ends_its_case() {
    let place = Place::new("fault");
    place.write(
        "a.c",
        "#include <assert.h>\n#include <stdio.h>\nint main(void) { puts(\"x\"); assert(0); }\n",
    );
    place.run(&["check", "--emit-tests", "cases", "a.c"]);
    let case: Value = serde_json::from_str(&place.read("cases/test000001.json")).unwrap();
    assert_eq!(case["end"], "fault");
    assert_eq!(case["exit"], serde_json::json!({"signal": 6}));
    assert_eq!(case["faults"], serde_json::json!(["assertion"]));
    assert_eq!(case["output"], "x\n");
}

#[test]
fn a_first_race_discards_the_cases_so_far() {
    let place = Place::new("race");
    place.write(
        "a.c",
        "#include <pthread.h>\nint x;\nstatic void *w(void *p) { x = 1; return p; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); int y = x; pthread_join(t, 0); return y; }\n",
    );
    let (code, out, err) = place.run(&["check", "--property", "assertion", "--emit-tests", "cases", "a.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("visibility memory"), "{out}");
    assert_eq!(place.names("cases").len(), 4, "{err}");
}

#[test]
fn bad_values_are_refused() {
    let place = Place::new("bad");
    place.write("a.c", ORDERS);
    place.write("no.ktest", "KTEST");
    for (arguments, code, says) in [
        (&["--symbolic-args", "2"][..], 1, "N:BYTES"),
        (&["--symbolic-args", "65:1"], 1, "at most 64"),
        (&["--symbolic-file", "x"], 1, "NAME:BYTES"),
        (&["--symbolic-file", ":3"], 1, "NAME:BYTES"),
        (&["--symbolic-stdin", "many"], 1, "many"),
        (&["--input-size", "-1"], 1, "-1"),
        (&["--solver-timeout", "soon"], 1, "expected a time"),
        (&["--solver-layers", "cream"], 1, "independence"),
        (&["--emit-tests", "a.c"], 1, "a.c"),
        (&["--input", "missing.ktest"], 2, "missing.ktest"),
        (&["--input", "no.ktest"], 2, "cut off"),
        (&["--input", "a.c"], 2, "not a .ktest file"),
    ] {
        let all: Vec<&str> = ["check"]
            .iter()
            .chain(arguments)
            .copied()
            .chain(["a.c"])
            .collect();
        let (got, out, err) = place.run(&all);
        assert_eq!(got, code, "{arguments:?}: {out}{err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
    }
}

#[test]
fn the_configuration_file_knows_the_options() {
    let place = Place::new("toml");
    place.write("a.c", ORDERS);
    place.write("selvedge.toml", "coverage = true\nemit-tests = \"cases\"\n");
    let (code, out, err) = place.run(&["check", "a.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("reached 19 of 22 lines"), "{out}");
    assert_eq!(place.names("cases").len(), 4);
    place.write("selvedge.toml", "coverage = \"cover.info\"\n");
    assert_eq!(place.run(&["check", "a.c"]).0, 0);
    assert_eq!(place.read("cover.info"), LCOV);
}

#[test]
fn the_runtime_is_a_file_of_c() {
    let place = Place::new("runtime");
    let (code, out, _) = place.run(&["runtime"]);
    assert_eq!(code, 0);
    place.write("inputs.c", &out);
    for standard in ["-std=c11", "-std=gnu17"] {
        let status = Command::new("clang-22")
            .args([standard, "-Wall", "-Wextra", "-Werror", "-c", "inputs.c"])
            .current_dir(&place.0)
            .status()
            .unwrap();
        assert!(status.success());
    }
}

/// Fails only with one input of each thread, and in one order.
const BOTH: &str = "#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *p) {
    int mine = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    shared = mine * 3;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int x = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    assert(shared != 21 || x != 4);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
";

#[test]
fn a_finding_has_its_inputs() {
    let place = Place::new("both");
    place.write("a.c", BOTH);
    let (code, out, err) = place.run(&["check", "a.c"]);
    assert_eq!(code, 10, "{out}{err}");
    for input in [
        "__VERIFIER_nondet_int = 4 (int, thread 0, a.c:16)",
        "__VERIFIER_nondet_int = 7 (int, thread 0.1, a.c:7)",
    ] {
        assert!(out.contains(input), "{out}");
    }
    let (code, again, err) = place.run(&["replay", "FINDING.json"]);
    assert_eq!(code, 10, "{again}{err}");
    assert!(again.contains("nondet_int = 7"), "{again}");
    let (code, out, err) = place.run(&["check", "--input", "FINDING.ktest", "--format", "json", "a.c"]);
    assert_eq!(code, 10, "{out}{err}");
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["statistics"]["branches_explored"], 0);
    assert_eq!(value["findings"][0]["inputs"][1]["bytes"], "07000000");
    // With other inputs no schedule fails, and the edited finding is not seen again.
    let json = place.read("FINDING.json").replace("07000000", "08000000");
    place.write("FINDING.json", &json);
    assert_eq!(place.run(&["replay", "FINDING.json"]).0, 5);
    place.write("a.c", &BOTH.replace("= __VERIFIER_nondet_int()", "= 5"));
    let (code, out, err) = place.run(&["check", "a.c"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn the_configuration_file_lists_sources_of_input() {
    let place = Place::new("sources");
    place.write(
        "a.c",
        "int main(int argc, char **argv) { return argc == 3 && argv[2][0] == 'x' && argv[2][1] == 0; }\n",
    );
    place.write("selvedge.toml", "symbolic-args = [\"1:1\", \"1:2\"]\n");
    let (code, out, err) = place.run(&["check", "--emit-tests", "cases", "a.c"]);
    assert_eq!(code, 0, "{out}{err}");
    let texts: Vec<String> = place
        .names("cases")
        .iter()
        .filter(|name| name.ends_with(".json"))
        .map(|name| place.read(&format!("cases/{name}")))
        .collect();
    assert_eq!(
        texts.len(),
        2,
        "one for each way out of the only branch on an input"
    );
    assert!(texts.iter().all(|text| text.contains("\"argv[2]\"")), "{texts:?}");
}
