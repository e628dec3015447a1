//! Compiles the model library (`lib/*.c` and `lib/*.cc`, parts of a C and a C++ library in bitcode)
//! into one module that is built into the crate, and lists the names it defines. `lib/streams` and
//! `lib/libcxx`, parts of libc++, make two more such modules. Without sources, all are empty.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let library = make(Path::new("lib"), "library", &out, &[]);
    // What libc++ has by the same name as libstdc++ is the library's.
    println!("cargo:rerun-if-changed=include/libcxx");
    make(Path::new("lib/libcxx"), "libcxx", &out, &library);
    // A module of its own: programs without streams need not wait until it is read. What it has in
    // common with the other one, such as functions of strings, is that one's.
    make(Path::new("lib/streams"), "streams", &out, &library);
}

/// Makes `NAME.bc` and `NAME.names` of the sources in a directory: a module, and the names that it
/// defines without those of `others`, which are returned.
fn make(sources: &Path, name: &str, out: &Path, others: &[String]) -> Vec<String> {
    println!("cargo:rerun-if-changed={}", sources.display());
    let mut files: Vec<PathBuf> = fs::read_dir(sources)
        .map(|dir| dir.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    files.retain(|p| p.extension().is_some_and(|e| e == "c" || e == "cc" || e == "h"));
    files.sort();
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    files.retain(|p| p.extension().is_some_and(|e| e != "h"));
    let (module, list) = (out.join(format!("{name}.bc")), out.join(format!("{name}.names")));
    if files.is_empty() {
        fs::write(module, b"").expect("OUT_DIR is writable");
        fs::write(list, b"").expect("OUT_DIR is writable");
        return Vec::new();
    }
    // One translation unit out of all sources would let their static names clash; so compile each
    // and link.
    let mut units = Vec::new();
    let mut names = Vec::new();
    for file in &files {
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or("unit");
        let unit = out.join(format!("{name}-{stem}.ll"));
        compile(file, &unit);
        names.extend(defined(
            &fs::read_to_string(&unit).expect("the compiler wrote it"),
        ));
        units.push(unit);
    }
    names.sort();
    names.dedup();
    names.retain(|n| others.binary_search(n).is_err());
    fs::write(list, names.join("\n")).expect("OUT_DIR is writable");
    run(tool("llvm-link").args(&units).arg("-o").arg(&module));
    names
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
    if source.parent().is_some_and(|folder| folder.ends_with("libcxx")) {
        // Our headers, which programs get, too.
        clang.args(["-stdlib=libc++", "-std=gnu++20", "-isystem", "include/libcxx"]);
    } else if plus {
        // What C++20 names otherwise is made by files of their own.
        let newer = source
            .file_stem()
            .is_some_and(|s| s.to_string_lossy().ends_with("20"));
        clang.args([
            if newer { "-std=gnu++20" } else { "-std=gnu++17" },
            "-Wno-deprecated",
        ]);
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
