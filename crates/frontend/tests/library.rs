//! The model library: lib/*.c against the libc of this machine, compiled natively, with every name
//! of ours prefixed, and compared on fixed and random arguments by tests/library/compare.c and its
//! parts.

use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

fn sources(room: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(room.join("lib")).expect("the library's directory");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

#[test]
fn the_model_library_agrees_with_libc() {
    let room = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = &Path::new(env!("CARGO_TARGET_TMPDIR")).join("model-library");
    std::fs::create_dir_all(directory).expect("a directory");
    let mut objects = Vec::new();
    let mut renames = String::new();
    for source in sources(room) {
        let object = directory
            .join(source.file_name().expect("a name"))
            .with_extension("o");
        let flags = [
            "-std=gnu17",
            "-g",
            "-fno-builtin",
            "-fsanitize=undefined",
            "-fno-sanitize-recover=all",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-c",
        ];
        run(Command::new("clang-22")
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&object));
        for name in run(Command::new("nm")
            .args(["--defined-only", "--extern-only", "--format=just-symbols"])
            .arg(&object))
        .lines()
        {
            renames.push_str(&format!("{name} model_{name}\n"));
        }
        objects.push(object);
    }
    let list = directory.join("renames");
    std::fs::write(&list, renames).expect("the list of names");
    for object in &objects {
        run(Command::new("objcopy")
            .arg("--redefine-syms")
            .arg(&list)
            .arg(object));
    }
    let program = directory.join("compare");
    let flags = [
        "-std=gnu17",
        "-g",
        "-fno-builtin",
        "-fsanitize=undefined",
        "-fno-sanitize-recover=all",
    ];
    run(Command::new("clang-22")
        .args(flags)
        .args(
            ["compare", "posix", "expressions", "system"]
                .map(|part| room.join(format!("tests/library/{part}.c"))),
        )
        .args(&objects)
        .arg("-o")
        .arg(&program));
    assert_eq!(run(&mut Command::new(&program)), "0 differences\n");
}

/// Parts of libstdc++: linked into a native program, they take the place of the shared object's.
#[test]
fn the_parts_of_containers_keep_what_they_promise() {
    let room = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model-library-containers");
    let parts = ["cxx_tree", "cxx_list", "cxx_hash"].map(|part| room.join(format!("lib/{part}.cc")));
    let flags = [
        "-std=gnu++17",
        "-g",
        "-O1",
        "-fsanitize=undefined,address",
        "-fno-sanitize-recover=all",
        "-Wall",
        "-Wextra",
        "-Wno-deprecated",
        "-Werror",
    ];
    run(Command::new("clang++-22")
        .args(flags)
        .arg(room.join("tests/library/containers.cc"))
        .args(parts)
        .arg("-o")
        .arg(&program));
    assert_eq!(run(&mut Command::new(&program)), "0 differences\n");
}
