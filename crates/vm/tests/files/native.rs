//! Programs with one thread print in the machine what they print natively.

use selvedge_base::ThreadId;
use selvedge_frontend as frontend;
use selvedge_model::{Choice, Machine};
use selvedge_vm::{Options, Program, Vm};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STDIN: &str = "first line\nsecond\n";

/// What the program prints in the machine.
fn ours(path: &Path) -> String {
    let loaded =
        frontend::load(&[path.to_owned()], &frontend::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        stdin: Some(STDIN.into()),
        files: vec![("given".into(), b"abcdef".to_vec())],
        ..Options::default()
    };
    let program = Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"));
    let mut vm = Vm::new(program).unwrap_or_else(|e| panic!("{e}"));
    let thread = ThreadId(0);
    while vm.pending()[0].is_enabled() {
        vm.step(Choice {
            thread,
            alternative: 0,
        });
        assert!(
            vm.notices().is_empty(),
            "{:?}\n{}",
            vm.notices(),
            String::from_utf8_lossy(vm.state.output())
        );
    }
    String::from_utf8_lossy(vm.state.output()).into_owned()
}

/// What it prints as a process, in a directory of its own.
fn native(path: &Path) -> String {
    let name = path.file_stem().expect("name").to_owned();
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("files")
        .join(&name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("scratch directory");
    std::fs::write(directory.join("given"), "abcdef").expect("scratch file");
    std::fs::write(directory.join("stdin"), STDIN).expect("scratch file");
    let program = directory.join("program");
    let compiled = Command::new("clang-22")
        .args(["-w", "-O0", "-lm", "-o"])
        .args([&program, path])
        .status();
    assert!(compiled.expect("clang-22 runs").success());
    let output = Command::new(&program)
        .current_dir(&directory)
        .env_clear()
        .stdin(Stdio::from(
            std::fs::File::open(directory.join("stdin")).expect("stdin"),
        ))
        .output()
        .expect("program runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn compare(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/files")
        .join(name);
    let (ours, native) = (ours(&path), native(&path));
    let lines = ours.lines().zip(native.lines()).enumerate();
    let differences: Vec<String> = lines
        .filter(|(_, (a, b))| a != b)
        .map(|(line, (a, b))| format!("line {} of {name}: {a:?}, natively {b:?}", line + 1))
        .collect();
    assert!(differences.is_empty(), "{differences:#?}");
    assert_eq!(ours.lines().count(), native.lines().count());
    assert!(ours.lines().count() > 20);
}

#[test]
fn descriptors_as_native() {
    compare("descriptors.c");
}

#[test]
fn file_mask_as_native() {
    compare("file_mask.c");
}

#[test]
fn closing_by_exec_as_native() {
    compare("closed_by_exec.c");
}

#[test]
fn streams_as_native() {
    compare("streams.c");
}

#[test]
fn streams_in_memory_as_native() {
    compare("memory_streams.c");
}

#[test]
fn devices_as_native() {
    compare("devices.c");
}

#[test]
fn temporary_files_as_native() {
    compare("temporary.c");
}

#[test]
fn attributes_as_native() {
    compare("attributes.c");
}

#[test]
fn directories_as_native() {
    compare("directories.c");
}

#[test]
fn queues_and_copies_as_native() {
    compare("queues.c");
}

#[test]
fn scanning_as_native() {
    compare("scan.c");
}

#[test]
fn event_counters_as_native() {
    compare("eventfd.c");
}

#[test]
fn timers_as_native() {
    compare("timerfd.c");
}

#[test]
fn mappings_and_locks_as_native() {
    compare("mappings.c");
}

#[test]
fn sets_of_descriptors_as_native() {
    compare("epoll.c");
}

#[test]
fn sockets_as_native() {
    compare("sockets.c");
}
