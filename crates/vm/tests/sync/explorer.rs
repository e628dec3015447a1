//! Every interleaving of a small program, by brute force.

use selvedge_base::{Id, ThreadId};
use selvedge_frontend as frontend;
use selvedge_model::{Choice, FaultKind, Machine, Notice, Status, Undo};
use selvedge_vm::{Options, Program, Recalling, Vm};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What all executions of a program come to.
#[derive(Default, Debug)]
pub struct Outcomes {
    pub faults: BTreeSet<FaultKind>,
    pub messages: BTreeSet<String>,
    /// Some execution ends with a blocked thread.
    pub deadlock: bool,
    /// What the executions print.
    pub outputs: BTreeSet<String>,
    pub unsupported: BTreeSet<String>,
    pub executions: u64,
}

impl Outcomes {
    /// No execution goes wrong, and these are the outputs.
    #[track_caller]
    pub fn prints(&self, expected: &[&str]) {
        assert!(
            self.faults.is_empty() && !self.deadlock && self.unsupported.is_empty(),
            "{self:?}"
        );
        assert_eq!(
            self.outputs.iter().map(String::as_str).collect::<Vec<_>>(),
            expected
        );
    }

    /// Exactly this fault is found in some execution.
    #[track_caller]
    pub fn faults(&self, kind: FaultKind) {
        assert_eq!(self.faults.iter().collect::<Vec<_>>(), [&kind], "{self:?}");
        assert!(self.unsupported.is_empty(), "{self:?}");
    }

    /// Some execution ends with a blocked thread, and nothing else is wrong.
    #[track_caller]
    pub fn deadlocks(&self) {
        assert!(
            self.deadlock && self.faults.is_empty() && self.unsupported.is_empty(),
            "{self:?}"
        );
    }
}

const PRELUDE: &str = "
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include <time.h>
#include <threads.h>
#include <sched.h>
#define SAY(...) printf(__VA_ARGS__)
static const struct timespec later = { 1000, 0 };
";

pub fn load(body: &str, extension: &str, options: Options) -> Arc<Program> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // Several test programs have this file, and may run at the same time.
    let program = env!("CARGO_CRATE_NAME");
    let name = format!("{program}-{}.{extension}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let text = if extension == "c" {
        format!("#define _GNU_SOURCE{PRELUDE}\n#line 1\n{body}")
    } else {
        body.to_owned()
    };
    std::fs::write(&path, text).expect("scratch file");
    let loaded = frontend::load(&[path], &frontend::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"))
}

/// All outcomes of a C program.
#[track_caller]
pub fn run(body: &str) -> Outcomes {
    run_with(body, Options::default())
}

#[track_caller]
pub fn run_with(body: &str, options: Options) -> Outcomes {
    explore(load(body, "c", options))
}

pub fn explore(program: Arc<Program>) -> Outcomes {
    let mut vm = Vm::new(Arc::clone(&program)).unwrap_or_else(|e| panic!("{e}"));
    let mut outcomes = Outcomes::default();
    walk(&mut vm, &mut outcomes);
    for make in [Vm::new, Vm::fusing] {
        let vm = make(Arc::clone(&program)).unwrap_or_else(|e| panic!("{e}"));
        let mut vm = Recalling::checked(vm);
        vm.undo(0); // as after the first execution
        let executions = walk_checked(&mut vm);
        assert!(vm.is_spoiled() || executions > 0);
    }
    outcomes
}

/// All executions of a machine that compares what it recalls with what happens; how many there are.
fn walk_checked(vm: &mut Recalling) -> u64 {
    let choices = choices(vm);
    let mut executions = u64::from(choices.is_empty());
    for choice in choices {
        let mark = vm.mark();
        vm.step(choice);
        executions += if vm.notices().iter().any(|n| matches!(n, Notice::Fault(_))) {
            1
        } else {
            walk_checked(vm)
        };
        vm.undo(mark);
    }
    executions
}

/// The choices to try: all, or only a thread whose next action no other one minds.
pub fn choices(vm: &impl Machine) -> Vec<Choice> {
    let enabled = || vm.pending().iter().enumerate().filter(|(_, p)| p.is_enabled());
    let local = enabled().find(|(_, p)| p.action.is_local()).map(|(i, _)| i);
    let tried = enabled().filter(|(i, _)| local.is_none_or(|l| l == *i));
    tried
        .flat_map(|(i, p)| {
            (0..p.alternatives).map(move |alternative| Choice {
                thread: ThreadId::from_index(i),
                alternative,
            })
        })
        .collect()
}

fn walk(vm: &mut Vm, outcomes: &mut Outcomes) {
    let choices = choices(vm);
    if choices.is_empty() {
        outcomes.executions += 1;
        assert!(outcomes.executions < 200_000, "too many executions");
        outcomes.deadlock |= vm.pending().iter().any(|p| p.status == Status::Blocked);
        outcomes
            .outputs
            .insert(String::from_utf8_lossy(vm.state.output()).into_owned());
        return;
    }
    for choice in choices {
        let mark = vm.mark();
        vm.step(choice);
        for notice in vm.notices() {
            match notice {
                Notice::Fault(fault) => {
                    outcomes.faults.insert(fault.kind);
                    outcomes.messages.insert(fault.message.clone());
                }
                Notice::Unsupported(unsupported) => {
                    outcomes.unsupported.insert(unsupported.what.clone());
                }
                other => panic!("{other:?}"),
            }
        }
        if vm.notices().iter().any(|n| matches!(n, Notice::Fault(_))) {
            outcomes.executions += 1;
        } else {
            walk(vm, outcomes);
        }
        vm.undo(mark);
    }
}
