//! What a kept state costs: saves and restores a state with 64 MiB of live memory and a few
//! threads.
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Machine, Snapshot};
use std::time::Instant;

const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return p; }
int main(void) {
  for (int i = 0; i < 64; i++) memset(malloc(1 << 20), i, 1 << 20);
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
"#;

fn main() {
    let fingerprints = std::env::args().nth(1).is_some_and(|a| a == "fingerprints");
    let path = std::env::temp_dir().join(format!("selvedge-snapshot-{}.c", std::process::id()));
    std::fs::write(&path, PROGRAM).expect("a temporary file");
    let loaded = selvedge_frontend::load(
        std::slice::from_ref(&path),
        &selvedge_frontend::Options::default(),
    );
    let _ = std::fs::remove_file(&path);
    let options = selvedge_vm::Options {
        fingerprints,
        ..selvedge_vm::Options::default()
    };
    let program =
        selvedge_vm::Program::new(loaded.expect("clang compiles it").module, options).expect("a program");
    let mut vm = selvedge_vm::Vm::new(program).expect("a machine");
    let step = |vm: &mut selvedge_vm::Vm| {
        let thread = vm
            .pending()
            .iter()
            .rposition(|p| p.is_enabled())
            .expect("something is enabled");
        vm.step(Choice {
            thread: ThreadId::from_index(thread),
            alternative: 0,
        });
    };
    (0..10).for_each(|_| step(&mut vm));
    println!("{} threads", vm.pending().len());
    const ROUNDS: u32 = 100_000;
    let clock = Instant::now();
    for _ in 0..ROUNDS {
        std::hint::black_box(vm.save());
    }
    println!("save and drop: {:?}", clock.elapsed() / ROUNDS);
    let kept = vm.save();
    let clock = Instant::now();
    for _ in 0..ROUNDS {
        vm.restore(&kept);
    }
    println!("restore: {:?}", clock.elapsed() / ROUNDS);
    let clock = Instant::now();
    for _ in 0..ROUNDS {
        step(&mut vm);
        vm.restore(&kept);
    }
    println!("step and restore: {:?}", clock.elapsed() / ROUNDS);
    let clock = Instant::now();
    for _ in 0..ROUNDS {
        let kept = vm.save();
        step(&mut vm);
        vm.restore(&kept);
    }
    println!("save, step and restore: {:?}", clock.elapsed() / ROUNDS);
}
