//! What tests share that walk along all executions of small programs: loading them, the choices at
//! a state, notices in words.

use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Machine, Notice, Op};
use selvedge_vm::{Options, Program, Vm};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file with a program, in a folder of the test's own; a text in the language of LLVM begins with
/// its target.
pub fn write(test: &str, name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    let is_ir = text.starts_with("target");
    let path = folder.join(format!("{name}.{}", if is_ir { "ll" } else { "c" }));
    std::fs::write(&path, text).expect("the temporary directory is writable");
    path
}

/// The program in a file.
pub fn load(path: PathBuf, options: Options) -> Arc<Program> {
    let loaded = selvedge_frontend::load(&[path], &selvedge_frontend::Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"))
}

/// What may come next.
pub fn choices(vm: &Vm) -> Vec<Choice> {
    let enabled = vm.pending().iter().enumerate().filter(|(_, p)| p.is_enabled());
    // Nobody comes between an action and the data choice that its effect comes with.
    let mut pending = vm.pending().iter().enumerate();
    let only = pending.position(|(i, p)| {
        p.action.op == Op::Choose && p.is_enabled() && vm.is_incomplete(ThreadId::from_index(i))
    });
    enabled
        .filter(|(thread, _)| only.is_none_or(|only| only == *thread))
        .flat_map(|(i, p)| {
            (0..p.alternatives).map(move |alternative| Choice {
                thread: ThreadId::from_index(i),
                alternative,
            })
        })
        .collect()
}

/// A notice as tests compare it.
pub fn told(notice: &Notice) -> String {
    match notice {
        Notice::Fault(fault) => format!("{:?} at {}", fault.kind, fault.stmt.0),
        other => format!("{other:?}"),
    }
}
