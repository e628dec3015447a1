//! What the documents say a command prints is what it prints: each `console` block of README.md
//! and of `docs/` is run, command by command, in a directory of its own for each document.
//!
//! A block whose first line is a comment with the name of a file (`// queue.c`, `# project.yml`) is
//! written to that file first; a `diff` block changes lines of one. In an output, a line `…` stands
//! for any lines, and `…` within a line for any text. A command without an output shown may print
//! anything, but must not fail.
//!
//! Commands outside of these blocks (editors and other projects are needed for them) must at least
//! be ones that the command line accepts.

mod page;
mod posix;

use libtest_mimic::{Arguments, Failed, Trial};
use page::{Command, Part, matches, parts, unrun};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process;

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap();
    let mut pages = vec![root.join("README.md")];
    collect(&root.join("docs"), &mut pages);
    pages.sort();
    let mut trials = vec![
        Trial::test("wrong outputs are noticed", wrong_outputs),
        Trial::test("the table of functions of POSIX", {
            let root = root.clone();
            move || posix::is_true(&root)
        }),
        Trial::test("each page is in the table of contents", {
            let (root, pages) = (root.clone(), pages.clone());
            move || contents(&root, &pages)
        }),
    ];
    for page in pages {
        let name = page.strip_prefix(&root).unwrap().display().to_string();
        let root = root.clone();
        trials.push(Trial::test(name, move || run(&root, &page)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn collect(directory: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// Runs one page.
fn run(root: &Path, page: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(page)?;
    for (line, arguments) in unrun(&text) {
        accepted(&arguments).map_err(|error| format!("line {line}: {error}"))?;
    }
    let parts = parts(&text)?;
    if parts.is_empty() {
        return Ok(());
    }
    follow(root, &parts)
}

/// Writes the files of a page and runs its commands, in their order.
fn follow(root: &Path, parts: &[Part]) -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let here = place.path();
    std::fs::create_dir_all(here.join("target/release"))?;
    let command = Path::new(env!("CARGO_BIN_EXE_selvedge"));
    // By this name, whatever the profile.
    symlink(command, here.join("target/release/selvedge"))?;
    // Copied, because findings outside of the directory are not replayed without --trust.
    for shared in ["examples", "integrations", "docs/unfolding"] {
        let to = here.join(shared);
        std::fs::create_dir_all(to.parent().unwrap())?;
        let copied = process::Command::new("cp")
            .arg("-r")
            .args([root.join(shared), to])
            .status()?;
        assert!(copied.success(), "{shared} can be copied");
    }
    for part in parts {
        match part {
            Part::File { name, text } => {
                let path = here.join(name);
                std::fs::create_dir_all(path.parent().unwrap())?;
                std::fs::write(path, text)?;
            }
            Part::Edit { name, old, new } => {
                let path = here.join(name);
                let text = std::fs::read_to_string(&path)?;
                if text.matches(old.as_str()).count() != 1 {
                    return Err(format!("{name} does not have these lines once:\n{old}\n{text}").into());
                }
                std::fs::write(path, text.replace(old, new))?;
            }
            Part::Command(command) => execute(here, command)?,
        }
    }
    Ok(())
}

fn execute(here: &Path, command: &Command) -> Result<(), Failed> {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!(
        "{}:{path}:/usr/lib/llvm-22/bin",
        here.join("target/release").display()
    );
    let script = format!("exec 2>&1\n{}", command.text);
    let output = process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(here)
        .env("PATH", path)
        .env("HOME", here)
        .env_remove("SELVEDGE_FORMAT")
        .output()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code().unwrap_or(-1);
    // 10 is a finding; where nothing can be said, the page has to show it.
    let open = command.output.iter().any(|line| line.starts_with("unknown("));
    if !(matches!(code, 0 | 10) || code == 5 && open) {
        let what = format!(
            "line {}: `{}` ends with {code}:\n{printed}",
            command.line, command.text
        );
        return Err(what.into());
    }
    if !command.output.is_empty() {
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        if !matches(&command.output, &lines) {
            let what = format!(
                "line {}: `{}` does not print what is shown, but:\n{printed}",
                command.line, command.text
            );
            return Err(what.into());
        }
    }
    Ok(())
}

/// Whether the command line accepts the arguments of a command that is not run.
fn accepted(arguments: &[String]) -> Result<(), String> {
    let end = arguments.iter().position(|argument| argument == "--");
    let own = &arguments[..end.unwrap_or(arguments.len())];
    if matches!(own.first().map(String::as_str), Some("cc" | "c++")) {
        return Ok(());
    }
    let output = process::Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(own)
        .arg("--help")
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    // The files of other projects are not here.
    match output.status.success() || said.contains("No such file") {
        true => Ok(()),
        false => Err(format!("`selvedge {}` is not accepted: {}", own.join(" "), said)),
    }
}

/// Each page of `docs/` is in SUMMARY.md, so it is in the site, and no page links to a file outside
/// of `docs/`, which the site does not have. (That links lead somewhere is checked by tidy.)
fn contents(root: &Path, pages: &[PathBuf]) -> Result<(), Failed> {
    let docs = root.join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md"))?;
    for page in pages {
        let Ok(name) = page.strip_prefix(&docs) else {
            continue;
        };
        let text = std::fs::read_to_string(page)?;
        let outside = "../".repeat(name.components().count());
        if text.contains(&format!("]({outside}")) {
            return Err(format!("docs/{} has a link out of docs", name.display()).into());
        }
        let link = format!("]({})", name.display());
        if name != Path::new("SUMMARY.md") && !summary.contains(&link) {
            return Err(format!("docs/SUMMARY.md has no link to {}", name.display()).into());
        }
    }
    Ok(())
}

/// The oracle is seen to fail: pages with a wrong output, a failing command, an unknown option.
fn wrong_outputs() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = |text: &str| follow(&root, &parts(text).unwrap());
    let file = "```c\n// a.c\nint main(void) { return 0; }\n```\n";
    let console = |lines: &str| format!("{file}```console\n{lines}\n```\n");
    page(&console("$ selvedge check a.c\nverified: …\n…\ntrue"))?;
    for wrong in [
        "$ selvedge check a.c\n…\nfalse(no-data-race)",
        "$ selvedge check a.c\nverified: …",
        "$ selvedge check b.c",
        "$ selvedge check --speed a.c",
    ] {
        if page(&console(wrong)).is_ok() {
            return Err(format!("not noticed: {wrong}").into());
        }
    }
    let (_, arguments) = unrun("    selvedge check --speed a.c\n").remove(0);
    match accepted(&arguments) {
        Ok(()) => Err("an unknown option was accepted".into()),
        Err(_) => Ok(()),
    }
}
