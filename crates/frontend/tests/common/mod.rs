//! What the tests of the front end share: snippets to modules, and looking into them.

use selvedge_frontend::{Loaded, Options, load};
use selvedge_ir::{FuncId, InstKind, Terminator};
use std::path::{Path, PathBuf};

/// A file with this content, in a directory of its own for the test.
pub fn file(test: &str, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
    let path = dir.join(name);
    std::fs::write(&path, content).expect("the temporary directory is writable");
    path
}

/// Loads one C file that must load, and checks the module.
pub fn c(test: &str, source: &str) -> Loaded {
    let loaded =
        load(&[file(test, "input.c", source)], &Options::default()).unwrap_or_else(|e| panic!("{test}: {e}"));
    check(&loaded);
    loaded
}

/// Whether the verifier of the intermediate representation is content.
pub fn check(loaded: &Loaded) {
    if let Err(errors) = selvedge_ir::verify(&loaded.module) {
        let text: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
        panic!("malformed module: {}", text.join("\n"));
    }
}

/// The function of this name.
pub fn func(loaded: &Loaded, name: &str) -> FuncId {
    loaded
        .module
        .function(name)
        .unwrap_or_else(|| panic!("no function {name}"))
}

/// All instructions of a function, block by block.
pub fn insts(loaded: &Loaded, name: &str) -> Vec<InstKind> {
    let function = &loaded.module.functions[func(loaded, name)];
    function
        .blocks
        .iter()
        .flat_map(|b| b.insts.iter().map(|i| i.kind.clone()))
        .collect()
}

/// All terminators of a function.
pub fn terms(loaded: &Loaded, name: &str) -> Vec<Terminator> {
    let function = &loaded.module.functions[func(loaded, name)];
    function.blocks.iter().map(|b| b.term.clone()).collect()
}

/// What is unsupported in a function.
pub fn unsupported(loaded: &Loaded, name: &str) -> Vec<String> {
    let what = |kind| match kind {
        InstKind::Unsupported { what } => Some(what),
        _ => None,
    };
    insts(loaded, name).into_iter().filter_map(what).collect()
}
