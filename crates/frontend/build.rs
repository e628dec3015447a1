//! Compiles the model library (`lib/*.c` and `lib/*.cc`, parts of a C and a C++ library in bitcode)
//! into one module that is built into the crate, and lists the names it defines. Without sources,
//! both are empty.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=lib");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut sources: Vec<PathBuf> = fs::read_dir("lib")
        .map(|dir| dir.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    sources.retain(|p| p.extension().is_some_and(|e| e == "c" || e == "cc"));
    sources.sort();
    if sources.is_empty() {
        fs::write(out.join("library.bc"), b"").expect("OUT_DIR is writable");
        fs::write(out.join("library.names"), b"").expect("OUT_DIR is writable");
        return;
    }
    // One translation unit out of all sources would let their static names clash; so compile each
    // and link.
    let mut units = Vec::new();
    let mut names = Vec::new();
    for source in &sources {
        let stem = source.file_stem().and_then(|s| s.to_str()).unwrap_or("unit");
        let unit = out.join(format!("{stem}.ll"));
        compile(source, &unit);
        names.extend(defined(
            &fs::read_to_string(&unit).expect("the compiler wrote it"),
        ));
        units.push(unit);
    }
    names.sort();
    names.dedup();
    fs::write(out.join("library.names"), names.join("\n")).expect("OUT_DIR is writable");
    let linked = out.join("library.bc");
    run(tool("llvm-link").args(&units).arg("-o").arg(&linked));
}

/// Tools of LLVM 22, by the name that has the version or in its own directory.
fn tool(name: &str) -> Command {
    let own = Path::new("/usr/lib/llvm-22/bin").join(name);
    let prefix = env::var_os("LLVM_SYS_221_PREFIX").map(|p| Path::new(&p).join("bin").join(name));
    match prefix.filter(|p| p.exists()).or(own.exists().then_some(own)) {
        Some(path) => Command::new(path),
        None => Command::new(format!("{name}-22")),
    }
}

fn compile(source: &Path, unit: &Path) {
    let plus = source.extension().is_some_and(|e| e == "cc");
    let mut clang = tool(if plus { "clang++" } else { "clang" });
    if plus {
        clang.args(["-std=gnu++17", "-Wno-deprecated"]);
    } else {
        clang.args(["-std=gnu17", "-ffreestanding"]);
    }
    clang.args(["-O0", "-g", "-fno-builtin", "-fdebug-compilation-dir=selvedge"]);
    clang.args(["-Wall", "-Wno-unused-command-line-argument"]);
    clang.args([
        "-Xclang",
        "-disable-O0-optnone",
        "-Xclang",
        "-disable-llvm-passes",
    ]);
    clang.args([
        "-Xclang",
        "-fsanitize-address-use-after-scope",
        "-fno-discard-value-names",
    ]);
    run(clang.args(["-emit-llvm", "-S", "-o"]).arg(unit).arg(source));
}

/// The names of symbols with external linkage that a module of text defines.
fn defined(text: &str) -> Vec<String> {
    let local = |line: &str| line.contains(" internal ") || line.contains(" private ");
    let name = |line: &str| {
        let rest = line.split_once('@')?.1;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '$'))?;
        (end > 0).then(|| rest[..end].to_owned())
    };
    text.lines()
        .filter(|line| line.starts_with("define ") || (line.starts_with('@') && !line.contains(" external ")))
        .filter(|line| !local(line.split('(').next().unwrap_or(line)))
        .filter_map(name)
        .filter(|n| !n.starts_with("llvm."))
        .collect()
}

fn run(command: &mut Command) {
    let status = command.status();
    let done = status.as_ref().is_ok_and(|s| s.success());
    assert!(
        done,
        "building the model library needs LLVM 22: {command:?}: {status:?}"
    );
}
