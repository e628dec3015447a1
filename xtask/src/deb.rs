//! `make deb`: a Debian package of the command, with its man page, completions, integrations, and
//! the licences of everything that is linked in.

use crate::process::{build_release, capture, cargo, run};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that the command needs at run time: the compiler, LLVM, the headers that programs
/// include.
const DEPENDS: &str =
    "libc6 (>= 2.36), libgcc-s1, libstdc++6 (>= 12), libz3-4, clang-22, libllvm22, libc6-dev";
/// Packages that programs in C++, `selvedge build`, and native runs with sanitizers also need.
const RECOMMENDS: &str = "libstdc++-12-dev, llvm-22, lld-22, libclang-rt-22-dev";

/// Packages the given command; if there is none, builds it first.
pub fn package(built: Option<&str>) -> Result<()> {
    let selvedge = match built {
        Some(built) => PathBuf::from(built),
        None => build_release()?,
    };
    let text = capture(Command::new(&selvedge).arg("--version"))?;
    let version = text
        .split_whitespace()
        .nth(1)
        .context("selvedge --version names no version")?;
    let root = PathBuf::from("target/deb");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    install(&selvedge, &root.join("usr/bin/selvedge"))?;
    run(Command::new("strip").arg(root.join("usr/bin/selvedge")))?;
    let page = capture(Command::new(&selvedge).arg("man"))?;
    compressed(&root.join("usr/share/man/man1/selvedge.1"), &page)?;
    for (shell, path) in [
        ("bash", "usr/share/bash-completion/completions/selvedge"),
        ("zsh", "usr/share/zsh/vendor-completions/_selvedge"),
        ("fish", "usr/share/fish/vendor_completions.d/selvedge.fish"),
    ] {
        let text = capture(Command::new(&selvedge).args(["completions", shell]))?;
        write(&root.join(path), &text)?;
    }
    let files = capture(Command::new("git").args(["ls-files", "integrations", "examples"]))?;
    for file in files.lines() {
        install(Path::new(file), &root.join("usr/share/selvedge").join(file))?;
    }
    let documents = root.join("usr/share/doc/selvedge");
    write(&documents.join("copyright"), &copyright()?)?;
    compressed(&documents.join("changelog"), &fs::read_to_string("CHANGELOG.md")?)?;
    compressed(&documents.join("third-party-licenses.txt"), &licences()?)?;
    write(&root.join("DEBIAN/control"), &control(version, &root)?)?;
    let file = format!("target/selvedge_{version}_amd64.deb");
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "--build"])
        .args([&root, &PathBuf::from(&file)]))?;
    println!("{file}");
    Ok(())
}

fn control(version: &str, root: &Path) -> Result<String> {
    let size = capture(Command::new("du").arg("-sk").arg(root.join("usr")))?;
    let size = size.split_whitespace().next().unwrap_or("0");
    Ok(format!(
        "Package: selvedge\nVersion: {version}\nArchitecture: amd64\nSection: devel\nPriority: optional\n\
         Maintainer: The developers of Selvedge <selvedge@localhost>\nInstalled-Size: {size}\n\
         Depends: {DEPENDS}\nRecommends: {RECOMMENDS}\n\
         Description: checks multithreaded C, C++ and Rust programs over all schedules\n \
         It runs a program in every order of its threads that can matter, with arbitrary\n \
         inputs, and reports an error with a schedule that reproduces it, or that there\n \
         is none.\n"
    ))
}

/// Our own licences, as a Debian copyright file.
fn copyright() -> Result<String> {
    let mut text = String::from(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: selvedge\n\nFiles: *\nCopyright: The developers of Selvedge\nLicense: MIT or Apache-2.0\n \
         The libraries that are linked in are listed in third-party-licenses.txt.gz.\n",
    );
    for (name, file) in [("MIT", "LICENSE-MIT"), ("Apache-2.0", "LICENSE-APACHE")] {
        let _ = writeln!(text, "\nLicense: {name}");
        for line in fs::read_to_string(file)?.lines() {
            let line = if line.trim().is_empty() { "." } else { line };
            let _ = writeln!(text, " {line}");
        }
    }
    Ok(text)
}

/// The licence of each library that is linked into the command, with its text.
fn licences() -> Result<String> {
    let arguments = [
        "metadata",
        "--format-version",
        "1",
        "--filter-platform",
        "x86_64-unknown-linux-gnu",
    ];
    let metadata: Value = serde_json::from_str(&capture(cargo().args(arguments))?)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let by_id: BTreeMap<&str, &Value> = packages
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes = metadata["resolve"]["nodes"].as_array().context("no nodes")?;
    let nodes: BTreeMap<&str, &Value> = nodes
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let own = by_id.iter().find(|(_, package)| package["name"] == "selvedge");
    let (own, _) = own.context("no package selvedge")?;
    let (mut linked, mut left) = (BTreeSet::new(), vec![*own]);
    while let Some(id) = left.pop() {
        if !linked.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            // Only normal dependencies count: those of tests and build scripts are not linked in.
            if kinds.into_iter().any(|kind| kind["kind"].is_null())
                && let Some((id, _)) = nodes.get_key_value(dependency["pkg"].as_str().unwrap_or_default())
            {
                left.push(id);
            }
        }
    }
    let mut text = String::from("Libraries that are linked into selvedge, and their licences.\n");
    for id in linked {
        let package = by_id[id];
        if package["source"].is_null() {
            continue; // ours
        }
        let name = format!("{} {}", word(&package["name"]), word(&package["version"]));
        let _ = writeln!(
            text,
            "\n{}\n{name}: {}\n",
            "=".repeat(80),
            word(&package["license"])
        );
        let manifest = PathBuf::from(word(&package["manifest_path"]));
        let texts = texts(manifest.parent().context("a manifest without a directory")?)?;
        if texts.is_empty() && word(&package["license"]).is_empty() {
            bail!("{name} has neither a licence nor its text");
        }
        for file in texts {
            text.push_str(&String::from_utf8_lossy(&fs::read(file)?));
            text.push('\n');
        }
    }
    Ok(text)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The files in a directory that contain licences.
fn texts(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let begins = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ];
        if path.is_file() && begins.iter().any(|begin| name.starts_with(begin)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn install(from: &Path, to: &Path) -> Result<()> {
    made(to)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

fn write(to: &Path, text: &str) -> Result<()> {
    made(to)?;
    fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))?;
    // Independent of the umask.
    fs::set_permissions(to, fs::Permissions::from_mode(0o644))?;
    Ok(())
}

fn compressed(to: &Path, text: &str) -> Result<()> {
    write(to, text)?;
    run(Command::new("gzip").args(["-9n", "-f"]).arg(to))
}

fn made(to: &Path) -> Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(())
}
