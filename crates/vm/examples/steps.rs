//! Steps down one schedule and back up again, many times: what a visible step costs, do and undo.
use selvedge_base::Id;
use selvedge_model::{Choice, Machine, Undo};
use std::path::PathBuf;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = PathBuf::from(args.next().expect("a C file"));
    let rounds: u64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(1000);
    let loaded =
        selvedge_frontend::load(&[file], &selvedge_frontend::Options::default()).unwrap_or_else(|e| {
            eprintln!("{e}");
            std::process::exit(2)
        });
    let program =
        selvedge_vm::Program::new(loaded.module, selvedge_vm::Options::default()).expect("a program");
    let mut vm = selvedge_vm::Vm::new(program).expect("a machine");
    let start = vm.mark();
    let (mut steps, clock) = (0u64, std::time::Instant::now());
    for _ in 0..rounds {
        while let Some(thread) = vm.pending().iter().position(|p| p.is_enabled()) {
            vm.step(Choice {
                thread: selvedge_base::ThreadId::from_index(thread),
                alternative: 0,
            });
            steps += 1;
        }
        vm.undo(start);
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{steps} steps, {:.2} million steps/s, {} instructions of the program",
        steps as f64 / seconds / 1e6,
        vm.instructions
    );
}
