//! Every generated test case, run natively, does what the machine said: it prints the same and ends
//! in the same way, and no two cases of a program take the same way through it. The native program
//! is compiled with its inputs read back (`selvedge runtime`), and with clang's trace of edges.
//!
//! A program says in comments: `// options: …` for `selvedge check`; `// cases: N`, how many cases
//! there are; `// same-ways` if different inputs may take the same edges (two labels of one case,
//! another thread's turn).

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

/// How many cases there are at least, over all programs.
const CASES: usize = 500;

struct Program {
    source: PathBuf,
    name: String,
    options: Vec<String>,
    cases: usize,
    same_ways: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/programs");
    let programs: Vec<Program> = sources(&folder).into_iter().map(read).collect();
    let cases: usize = programs.iter().map(|program| program.cases).sum();
    let mut trials: Vec<Trial> = programs
        .into_iter()
        .map(|program| Trial::test(program.name.clone(), move || test(&program)))
        .collect();
    trials.push(Trial::test("there are enough cases", move || {
        check(cases >= CASES, || format!("only {cases} cases"))
    }));
    trials.push(Trial::test("a wrong case is noticed", move || {
        wrong_cases(&folder.join("bubble_sort.c"))
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Other inputs, another exit code and another output than the machine said are seen.
fn wrong_cases(source: &Path) -> Result<(), Failed> {
    let program = read(source.to_owned());
    let place = std::env::temp_dir().join(format!("selvedge-generated-noticed-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    emit(&program, &place)?;
    let binary = compile(&program, &place)?;
    let (case, inputs) = (
        place.join("cases/test000001.json"),
        place.join("cases/test000001.ktest"),
    );
    run(&binary, &case, &place)?;
    let other = std::fs::read(place.join("cases/test000002.ktest"))?;
    let right = std::fs::read(&inputs)?;
    std::fs::write(&inputs, other)?;
    check(run(&binary, &case, &place).is_err(), || "other inputs".to_owned())?;
    std::fs::write(&inputs, right)?;
    let text = std::fs::read_to_string(&case)?;
    for (what, wrong) in [
        ("exit code", text.replace("\"code\": 0", "\"code\": 1")),
        (
            "output",
            text.replace("\"output_bytes\": \"", "\"output_bytes\": \"2e"),
        ),
    ] {
        check(wrong != text, || format!("{what}: nothing to replace"))?;
        std::fs::write(&case, wrong)?;
        check(run(&binary, &case, &place).is_err(), || what.to_owned())?;
    }
    std::fs::remove_dir_all(&place)?;
    Ok(())
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    sources.sort();
    sources
}

fn read(source: PathBuf) -> Program {
    let text = std::fs::read_to_string(&source).expect("a program can be read");
    let comment = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(':'))
    };
    Program {
        name: source
            .file_stem()
            .expect("it has a name")
            .to_string_lossy()
            .into_owned(),
        options: comment("options")
            .unwrap_or("")
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
        cases: comment("cases")
            .and_then(|number| number.trim().parse().ok())
            .expect("a program says how many cases it has"),
        same_ways: text.lines().any(|line| line == "// same-ways"),
        source,
    }
}

fn check(holds: bool, message: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message().into()) }
}

fn test(program: &Program) -> Result<(), Failed> {
    let place = std::env::temp_dir().join(format!(
        "selvedge-generated-{}-{}",
        program.name,
        std::process::id()
    ));
    std::fs::create_dir_all(&place)?;
    let result = test_in(program, &place);
    if result.is_ok() {
        std::fs::remove_dir_all(&place)?;
    }
    result
}

fn test_in(program: &Program, place: &Path) -> Result<(), Failed> {
    emit(program, place)?;
    let binary = compile(program, place)?;
    let mut files = sources(&place.join("cases"));
    files.retain(|path| path.extension().is_some_and(|e| e == "json"));
    check(files.len() == program.cases, || {
        format!("{} cases instead of {}", files.len(), program.cases)
    })?;
    let mut ways: BTreeMap<Vec<u8>, PathBuf> = BTreeMap::new();
    for file in files {
        let way = run(&binary, &file, place).map_err(|error| format!("{}: {error}", file.display()))?;
        if let Some(other) = ways.insert(way, file.clone())
            && !program.same_ways
        {
            let message = format!("{} and {} take the same way", other.display(), file.display());
            return Err(message.into());
        }
    }
    Ok(())
}

fn emit(program: &Program, place: &Path) -> Result<(), Failed> {
    let emitted = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([
            "check",
            "--emit-tests",
            "cases",
            "--finding",
            "none",
            "--stop",
            "never",
        ])
        .args(&program.options)
        .arg(&program.source)
        .current_dir(place)
        .output()?;
    let code = emitted.status.code();
    check(matches!(code, Some(0 | 10)), || {
        format!("exit code {code:?}: {}", text(&emitted))
    })
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn compile(program: &Program, place: &Path) -> Result<PathBuf, Failed> {
    let runtime = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg("runtime")
        .output()?;
    std::fs::write(place.join("inputs.c"), runtime.stdout)?;
    let object = place.join("program.o");
    let binary = place.join("program");
    let compiler = |arguments: &[&str], files: &[&Path], out: &Path| -> Result<(), Failed> {
        let output = Command::new("clang-22")
            .args(["-w", "-g", "-O0", "-pthread"])
            .args(arguments)
            .args(files)
            .arg("-o")
            .arg(out)
            .output()?;
        check(output.status.success(), || text(&output))
    };
    compiler(
        &["-c", "-fsanitize-coverage=trace-pc-guard"],
        &[&program.source],
        &object,
    )?;
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/trace.c");
    compiler(&[], &[&object, &place.join("inputs.c"), &trace], &binary)?;
    Ok(binary)
}

/// Runs a case and compares; what it took on its way.
fn run(binary: &Path, file: &Path, place: &Path) -> Result<Vec<u8>, String> {
    let case = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let case: Value = serde_json::from_str(&case).map_err(|e| e.to_string())?;
    let expected = bytes(&case["output_bytes"])?;
    let trace = place.join("trace");
    let mut command = Command::new("timeout");
    command
        .args([
            "--preserve-status",
            "-s",
            "KILL",
            "10",
            "sh",
            "-c",
            "exec \"$@\" 2>&1",
            "sh",
        ])
        .arg(binary)
        .current_dir(place)
        .env("SELVEDGE_INPUTS", file.with_extension("ktest"))
        .env("TRACE", &trace)
        .stdin(Stdio::null());
    let mut stdin = Vec::new();
    for input in case["inputs"].as_array().into_iter().flatten() {
        let name = input["name"].as_str().unwrap_or_default();
        let value = bytes(&input["bytes"])?;
        if name.starts_with("argv[") {
            let end = value.iter().position(|&b| b == 0).unwrap_or(value.len());
            command.arg(std::ffi::OsString::from(os_string(&value[..end])));
        } else if name == "stdin" {
            stdin = value;
        } else if let Some(name) = name.strip_prefix("file:") {
            std::fs::write(place.join(name), value).map_err(|e| e.to_string())?;
        }
    }
    if !stdin.is_empty() {
        let path = place.join("stdin");
        std::fs::write(&path, stdin).map_err(|e| e.to_string())?;
        command.stdin(std::fs::File::open(path).map_err(|e| e.to_string())?);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    let (code, signal) = (output.status.code(), output.status.signal());
    if let Some(wanted) = case["exit"]["code"].as_i64() {
        if code.map(i64::from) != Some(wanted) {
            return Err(format!(
                "exit code {wanted} expected: {}: {}",
                output.status,
                text(&output)
            ));
        }
        if output.stdout != expected {
            return Err(format!(
                "prints {:?} instead of {:?}",
                text(&output),
                String::from_utf8_lossy(&expected)
            ));
        }
    } else if let Some(wanted) = case["exit"]["signal"].as_i64() {
        // A shell and `timeout` report a signal as 128 and its number.
        let by = signal.or(code.map(|code| code - 128)).map(i64::from);
        if by != Some(wanted) {
            return Err(format!(
                "signal {wanted} expected: {}: {}",
                output.status,
                text(&output)
            ));
        }
        // Behind it comes what the C library says of the abort.
        if !output.stdout.starts_with(&expected) {
            return Err(format!("prints {:?}", text(&output)));
        }
    } else if case["faults"].as_array().is_none_or(Vec::is_empty) {
        return Err("the case has no end".to_owned());
    }
    std::fs::read(&trace).map_err(|e| e.to_string())
}

fn os_string(bytes: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    let text = value.as_str().ok_or("no text of bytes")?;
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|e| e.to_string()))
        .collect()
}
