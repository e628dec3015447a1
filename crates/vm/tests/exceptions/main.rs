//! Random C++ programs that throw, run natively and in the machine: the same output.
//!
//! That the comparison notices mistakes is seen by planting some in what the machine is given: the
//! order of clauses, cleanups that are passed by, a base class that is not known.
//!
//! `SELVEDGE_EXCEPTIONS=first..last` runs other seeds; each is a source of many programs.

mod generator;

use selvedge_base::ThreadId;
use selvedge_frontend as frontend;
use selvedge_ir::{GlobalId, Module, Symbol, Terminator};
use selvedge_model::{Choice, Machine, Notice};
use selvedge_vm::{Options, Program, Vm};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

fn native(source: &Path) -> Vec<u8> {
    let binary = source.with_extension("out");
    let compiled = Command::new("clang++-22")
        .args(["-O0", "-w", "-std=c++17"])
        .arg(source)
        .arg("-o")
        .arg(&binary)
        .status();
    assert!(
        compiled.expect("clang++-22 runs").success(),
        "{}",
        source.display()
    );
    let output = Command::new("timeout").arg("20").arg(&binary).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}: {}", source.display(), output.status);
    let _ = std::fs::remove_file(binary);
    output.stdout
}

fn load(source: &Path) -> Module {
    let loaded = frontend::load(&[source.to_owned()], &frontend::Options::default());
    let loaded = loaded.unwrap_or_else(|e| panic!("{}: {e}", source.display()));
    Arc::unwrap_or_clone(loaded.module)
}

/// What the machine prints, and what stopped it.
fn machine(module: Module) -> (Vec<u8>, Option<Notice>) {
    let program = Program::new(module, Options::default()).expect("a program");
    let mut vm = Vm::new(program).expect("a machine");
    while vm.pending()[0].is_enabled() {
        vm.step(Choice {
            thread: ThreadId(0),
            alternative: 0,
        });
        if let Some(notice) = vm.notices().first() {
            return (vm.state.output().to_vec(), Some(notice.clone()));
        }
    }
    (vm.state.output().to_vec(), None)
}

/// What a program prints natively, and what the machine is given.
#[derive(Clone)]
struct Compiled {
    source: PathBuf,
    expected: Vec<u8>,
    module: Module,
}

/// The programs of a seed. Every third source ends without a handler.
fn compiled(seed: u64) -> Compiled {
    static MADE: Mutex<BTreeMap<u64, Compiled>> = Mutex::new(BTreeMap::new());
    let make = || {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("exceptions");
        std::fs::create_dir_all(&directory).expect("a directory");
        let source = directory.join(format!("{seed}.cc"));
        std::fs::write(&source, generator::source(seed, seed.is_multiple_of(3)))
            .expect("the directory is ours");
        Compiled {
            expected: native(&source),
            module: load(&source),
            source,
        }
    };
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(seed).or_insert_with(make).clone()
}

fn seeds() -> Range<u64> {
    let given = std::env::var("SELVEDGE_EXCEPTIONS").ok();
    let given = given.as_deref().and_then(|text| text.split_once(".."));
    match given {
        Some((first, last)) => first.parse().expect("a seed")..last.parse().expect("a seed"),
        None => 0..7,
    }
}

#[test]
fn output_as_native() {
    let mut wrong = Vec::new();
    for seed in seeds() {
        let Compiled {
            source,
            expected,
            module,
        } = compiled(seed);
        let (output, notice) = machine(module);
        if output == expected && notice.is_none() {
            continue;
        }
        let text = [&output, &expected].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let differs = text[0]
            .lines()
            .zip(text[1].lines())
            .find(|(is, wanted)| is != wanted);
        println!("{}: {differs:?}, {notice:?}", source.display());
        wrong.push(seed);
    }
    assert!(wrong.is_empty(), "different: {wrong:?}");
}

/// Whether the comparison notices what is done to a program.
fn notices(mistake: impl Fn(&mut Module)) -> bool {
    (0..7).any(|seed| {
        let Compiled {
            expected, mut module, ..
        } = compiled(seed);
        mistake(&mut module);
        let (output, notice) = machine(module);
        output != expected || notice.is_some()
    })
}

fn pads(module: &mut Module, change: impl Fn(&mut selvedge_ir::Pad)) {
    for function in module.functions.iter_mut() {
        for block in function.blocks.iter_mut() {
            if let Terminator::Invoke { pad, .. } = &mut block.term {
                change(pad);
            }
        }
    }
}

/// Describes classes of one kind as if they were of another.
fn describe(module: &mut Module, is: &str, as_if: &str) {
    let [from, to] = [is, as_if].map(|name| module.global(name).expect("descriptions of both kinds"));
    let same = |symbol: Symbol, global: GlobalId| matches!(symbol, Symbol::Global(id) if id == global);
    for global in module.globals.iter_mut() {
        for relocation in global.relocations.iter_mut().filter(|r| same(r.symbol, from)) {
            relocation.symbol = Symbol::Global(to);
        }
    }
}

#[test]
fn another_order_of_handlers_is_noticed() {
    assert!(notices(|module| pads(module, |pad| pad.clauses.reverse())));
}

#[test]
fn cleanups_that_are_passed_by_are_noticed() {
    assert!(notices(|module| pads(module, |pad| pad.cleanup = false)));
}

#[test]
fn a_base_that_is_not_known_is_noticed() {
    let (single, none) = (
        "_ZTVN10__cxxabiv120__si_class_type_infoE",
        "_ZTVN10__cxxabiv117__class_type_infoE",
    );
    assert!(notices(|module| describe(module, single, none)));
}

#[test]
fn bases_of_the_wrong_kind_are_noticed() {
    let (multiple, none) = (
        "_ZTVN10__cxxabiv121__vmi_class_type_infoE",
        "_ZTVN10__cxxabiv117__class_type_infoE",
    );
    assert!(notices(|module| describe(module, multiple, none)));
}
