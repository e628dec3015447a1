//! Inputs that cannot be loaded: each gets its own error, and none brings the process down.

use selvedge_frontend::{Error, Loaded, Options, load};
use std::path::PathBuf;
use std::process::Command;

fn file(test: &str, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("errors")
        .join(test);
    std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
    let path = dir.join(name);
    std::fs::write(&path, content).expect("the temporary directory is writable");
    path
}

fn try_c(test: &str, source: &str) -> Result<Loaded, Error> {
    load(&[file(test, "input.c", source)], &Options::default())
}

fn fails(path: PathBuf) -> Error {
    match load(&[path], &Options::default()) {
        Ok(_) => panic!("loaded"),
        Err(error) => error,
    }
}

/// Bitcode of a small program.
fn bitcode(test: &str) -> Vec<u8> {
    let source = file(
        test,
        "good.c",
        "#include <stdio.h>\nstruct S { int a; double b; } s = {1, 2}; int *p = &s.a;\n\
         int f(int x) { switch (x) { case 1: return 2; default: return x * *p; } }\n\
         int main(void) { int i, t = 0; for (i = 0; i < 3; i++) t += f(i); printf(\"%d\\n\", t); return 0; }\n",
    );
    let output = Command::new("clang-22")
        .args(["-g", "-emit-llvm", "-c", "-o", "-"])
        .arg(source)
        .output();
    output.expect("clang-22 runs").stdout
}

#[test]
fn nothing_given() {
    assert!(matches!(load(&[], &Options::default()), Err(Error::NoInput)));
}

#[test]
fn missing_file() {
    assert!(matches!(
        fails(PathBuf::from("/nonexistent/x.c")),
        Error::NoFile { .. }
    ));
}

#[test]
fn directory() {
    assert!(matches!(
        fails(PathBuf::from(env!("CARGO_TARGET_TMPDIR"))),
        Error::Directory { .. }
    ));
}

#[test]
fn unknown_extension() {
    assert!(matches!(
        fails(file("extension", "x.txt", "hello")),
        Error::UnknownKind { .. }
    ));
}

#[test]
fn not_bitcode() {
    assert!(matches!(
        fails(file("not_bitcode", "x.bc", "hello world")),
        Error::NotBitcode { .. }
    ));
    assert!(matches!(
        fails(file("not_bitcode", "empty.bc", "")),
        Error::NotBitcode { .. }
    ));
}

#[test]
fn truncated_bitcode() {
    let good = bitcode("truncated");
    for len in [5, 100, good.len() / 2, good.len() - 8] {
        let error = fails(file("truncated", "x.bc", &good[..len]));
        assert!(matches!(error, Error::InvalidBitcode { .. }), "{len}: {error}");
    }
}

#[test]
fn broken_text() {
    let error = fails(file("broken_text", "x.ll", "define i32 @main() { ret i32 %x }"));
    assert!(matches!(error, Error::InvalidBitcode { .. }), "{error}");
}

#[test]
fn other_target() {
    let text = "target datalayout = \"e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128\"\n\
                target triple = \"aarch64-unknown-linux-gnu\"\ndefine i32 @main() { ret i32 0 }";
    let error = fails(file("other_target", "x.ll", text));
    assert!(matches!(error, Error::OtherTarget { .. }), "{error}");
}

#[test]
fn other_target_in_bitcode() {
    let source = file("other_target", "x.c", "int main(void) { return 0; }");
    for target in ["i386-linux-gnu", "aarch64-linux-gnu", "x86_64-linux-gnux32"] {
        let mut clang = Command::new("clang-22");
        clang
            .arg(format!("--target={target}"))
            .args(["-g", "-emit-llvm", "-c", "-o", "-"])
            .arg(&source);
        let error = fails(file(
            "other_target",
            "x.bc",
            clang.output().expect("clang-22 runs").stdout,
        ));
        assert!(matches!(error, Error::OtherTarget { .. }), "{target}: {error}");
    }
}

#[test]
fn other_target_by_flag() {
    let source = file("other_target", "y.c", "int main(void) { return 0; }");
    let options = Options {
        cflags: vec!["-m32".into()],
        ..Options::default()
    };
    assert!(matches!(
        load(&[source], &options),
        Err(Error::OtherTarget { .. })
    ));
}

#[test]
fn does_not_compile() {
    match try_c("does_not_compile", "int main(void) { return x; }") {
        Err(Error::CompilerFailed { stderr, .. }) => assert!(stderr.contains("undeclared"), "{stderr}"),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[test]
fn no_entry() {
    let error = try_c("no_entry", "int f(void) { return 0; }").map(|_| ());
    assert!(matches!(error, Err(Error::NoEntry { .. })));
    // A declaration is no entry either.
    let error = try_c("no_entry", "int main(void); int f(void) { return main(); }").map(|_| ());
    assert!(matches!(error, Err(Error::NoEntry { .. })));
}

#[test]
fn two_mains() {
    let a = file("two_mains", "a.c", "int main(void) { return 0; }");
    let b = file("two_mains", "b.c", "int main(void) { return 1; }");
    match load(&[a, b], &Options::default()) {
        Err(Error::DuplicateSymbol { symbol }) => assert_eq!(symbol, "main"),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[test]
fn messages_are_one_paragraph() {
    for error in [
        fails(PathBuf::from("/nonexistent/x.c")),
        fails(file("messages", "x.bc", "hello")),
    ] {
        let text = error.to_string();
        assert!(!text.is_empty() && !text.contains('\n'), "{text}");
    }
}

/// `ret i32 ptrtoint (i32 4 to i32)`: LLVM reads it, and its verifier looks at no constants. The
/// statement is not supported, and the program can be loaded.
#[test]
fn constant_that_converts_no_pointer() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/malformed/constant_cast.bc");
    let loaded = load(&[path], &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let text = loaded.module.to_string();
    assert!(text.contains("a constant that LLVM does not allow"), "{text}");
}
