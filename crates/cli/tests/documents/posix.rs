//! docs/posix.md lists the functions of POSIX and Linux that threads, files, sockets, signals and
//! time need: each with what Selvedge makes of it. The list is posix.txt; the answers are asked of
//! the models themselves. `cargo xtask bless` writes the document.

use libtest_mimic::Failed;
use std::fmt::Write as _;
use std::path::Path;

const HEAD: &str = "# Functions of POSIX\n
Which functions of POSIX.1-2024, and of Linux and glibc beside it, a program may call. *Modelled*: the machine does it. *Linked*: C code
from the model library, which is executed like the program. *Unsupported*: a call makes the verdict *unknown*, with its place. What a function
that is there cannot do (a flag, an option) is unsupported by name, too; [semantics.md](semantics.md) says what has been left out.
The functions of `<math.h>`, `<ctype.h>`, `<wchar.h>` and C++ are not in this list. A test holds it against the product.
";

/// A function of the list. Where a macro of the header calls another function, that one counts.
struct Function<'a> {
    name: &'a str,
    called: &'a str,
}

fn function(word: &str) -> Function<'_> {
    let (name, called) = word.split_once('=').unwrap_or((word, word));
    Function { name, called }
}

/// The document, and how many functions there are: modelled, linked, unsupported.
fn document() -> (String, [usize; 3]) {
    let (mut text, mut counts) = (HEAD.to_owned(), [0; 3]);
    for line in include_str!("posix.txt").lines() {
        if let Some(section) = line.strip_prefix("# ") {
            let _ = write!(
                text,
                "\n## {section}\n\n| header | modelled | linked | unsupported |\n| --- | --- | --- | --- |\n"
            );
            continue;
        }
        let Some((header, words)) = line.split_once(": ") else {
            continue;
        };
        let mut cells: [Vec<&str>; 3] = Default::default();
        for Function { name, called } in words.split_whitespace().map(function) {
            let modelled = selvedge_vm::models::find(called).is_some() || selvedge_ir::returns_twice(called);
            let kind = match (modelled, selvedge_frontend::library_has(called)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            counts[kind] += 1;
            cells[kind].push(name);
        }
        let cells = cells.map(|names| names.join(", "));
        let _ = writeln!(
            text,
            "| `<{header}>` | {} | {} | {} |",
            cells[0], cells[1], cells[2]
        );
    }
    (text, counts)
}

/// A test: the document says what is so.
pub fn is_true(root: &Path) -> Result<(), Failed> {
    let path = root.join("docs/posix.md");
    let (expected, counts) = document();
    if counts.iter().any(|&count| count < 50) {
        return Err(format!("{counts:?} functions are too few: the list was not read").into());
    }
    if std::env::var_os("SELVEDGE_BLESS").is_some() {
        std::fs::write(&path, expected)?;
        return Ok(());
    }
    match std::fs::read_to_string(&path)? == expected {
        true => Ok(()),
        false => Err("docs/posix.md is not up to date: cargo xtask bless".into()),
    }
}
