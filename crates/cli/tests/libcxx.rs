//! Programs of C++ with libc++: each says in its first line which verdict is right. A third of them
//! is tried, all with `SELVEDGE_LONG`.

use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_base::{turn, usual_or_long};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let mut arguments = Arguments::from_args();
    // Each check is a process of its own, and uses one core.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libcxx");
    let entries = std::fs::read_dir(folder).expect("the programs are there");
    let mut programs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    programs.sort();
    assert!(programs.len() >= 30, "only {} programs", programs.len());
    let trials = programs.into_iter().filter_map(|program| {
        let name = program.file_name()?.to_string_lossy().into_owned();
        let is_tried = turn(&name, usual_or_long(3, 1)) == 0;
        is_tried.then(|| Trial::test(name, move || is_right(&program)))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

/// Whether a program has the verdict of its first line: `// true`, or `// false(KIND)` with the
/// beginning of the kind of the first finding.
fn is_right(program: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(program)?;
    let wanted = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// "))
        .ok_or("no verdict in the first line")?;
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--finding", "none", "--progress", "never"])
        .args(["--max-time", "120s"])
        .args(["--cflags", "-stdlib=libc++ -std=c++20"])
        .arg(program)
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = said.lines().last().unwrap_or_default();
    let kind = wanted
        .strip_prefix("false(")
        .and_then(|rest| rest.strip_suffix(')'));
    let holds = match kind {
        Some(kind) => verdict.starts_with("false(") && said.contains(&format!("error[{kind}")),
        None => verdict == wanted,
    };
    match holds {
        true => Ok(()),
        false => Err(format!(
            "wanted {wanted}:\n{said}{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}
