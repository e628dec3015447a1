//! Runs one schedule of a program: always the first enabled thread, or at random with a seed. For a
//! look at the machine.
use selvedge_base::Id;
use selvedge_model::{Choice, Describe, Machine, Undo};
use std::path::PathBuf;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = PathBuf::from(args.next().expect("a C file"));
    let seed: u64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let loaded =
        selvedge_frontend::load(&[file], &selvedge_frontend::Options::default()).unwrap_or_else(|e| {
            eprintln!("{e}");
            std::process::exit(2)
        });
    let program =
        selvedge_vm::Program::new(loaded.module, selvedge_vm::Options::default()).expect("a program");
    for (_, name) in program.missing() {
        println!("missing: {name}");
    }
    let mut vm = selvedge_vm::Vm::new(program).expect("a machine");
    let start = vm.mark();
    let mut x = seed;
    loop {
        let enabled: Vec<_> = vm
            .pending()
            .iter()
            .enumerate()
            .filter(|(_, p)| p.is_enabled())
            .collect();
        if enabled.is_empty() {
            break;
        }
        x = x
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let pick = if seed == 0 {
            0
        } else {
            (x >> 33) as usize % enabled.len()
        };
        let (thread, pending) = enabled[pick];
        let alternative = if seed == 0 {
            0
        } else {
            (x >> 50) as u16 % pending.alternatives
        };
        let thread = selvedge_base::ThreadId::from_index(thread);
        let text = vm.action_text(&pending.action);
        let event = vm.step(Choice { thread, alternative });
        println!(
            "{thread} {text} line {} -> {:?} ({} accesses)",
            vm.location(event.action.stmt).line,
            event.outcome,
            vm.accesses().len()
        );
        for notice in vm.notices() {
            println!("  {notice:?}");
        }
    }
    for (i, p) in vm.pending().iter().enumerate() {
        println!("thread {i}: {:?}", p.status);
    }
    println!("instructions {}", vm.instructions);
    println!("output: {}", String::from_utf8_lossy(&vm.output()));
    vm.undo(start);
}
