//! Rust's read-write locks as claims, and as the library has them: random programs have the same
//! outcomes.
//!
//! Each program adds up what its threads have seen, and has a line that fails for each sum. All
//! findings of both explorations are compared: those lines, whether there is a deadlock, and
//! whether there is a data race.

use crate::outcomes::found;
use fastrand::Rng;
use selvedge_base::usual_or_long;
use std::fmt::Write;

/// The greatest number of sums.
const MOST_SUMS: u32 = 128;

/// A program in the making.
struct Program {
    rng: Rng,
    locks: u32,
    /// What operations it has.
    operations: &'static [&'static str],
    /// Whether it has a cell that is no atomic.
    cell: bool,
    /// The number of sums so far.
    sums: u32,
}

impl Program {
    fn new(seed: u64) -> Program {
        let mut rng = Rng::with_seed(seed);
        const SORTS: [&[&str]; 3] = [
            &["read", "read", "write"],
            &["read", "write", "write", "try_write"],
            &["read", "write", "try_read", "try_write"],
        ];
        let (locks, sort, cell) = (1 + rng.u32(0..4) / 3, rng.usize(0..3), rng.u32(0..3) == 0);
        Program {
            rng,
            locks,
            operations: SORTS[sort],
            cell,
            sums: 1,
        }
    }

    /// Adds an expression that is less than `base` to the sum, so that it can be told.
    fn see(&mut self, expression: &str, base: u32) -> String {
        if self.sums * base > MOST_SUMS {
            return String::new();
        }
        let factor = self.sums;
        self.sums *= base;
        format!("sum += {factor} * ({expression}).min({});\n", base - 1)
    }

    /// The body of a thread that takes a lock so many times.
    fn thread(&mut self, most: u32) -> String {
        let (mut text, mut held) = (String::new(), Vec::new());
        let mut taken = 0;
        while taken < most || !held.is_empty() {
            if !held.is_empty() && (taken == most || self.rng.u32(0..9) < 4) {
                let guard = held.swap_remove(self.rng.usize(0..held.len()));
                let _ = writeln!(text, "drop({guard});");
                continue;
            }
            taken += 1;
            let guard = format!("guard{taken}");
            let (lock, which) = (
                self.rng.u32(0..self.locks),
                self.rng.usize(0..self.operations.len()),
            );
            let operation = self.operations[which];
            let writes = operation.ends_with("write");
            let (mutable, changes) = match writes {
                true => ("mut ", "*guard += 1;"),
                false => ("", "let _ = *guard;"),
            };
            if operation.starts_with("try") {
                let _ = writeln!(
                    text,
                    "let got = LOCKS[{lock}].{operation}().is_ok_and(|{mutable}guard| {{ {changes} true }});"
                );
                text += &self.see("u32::from(got)", 2);
                continue;
            }
            let _ = writeln!(
                text,
                "let {mutable}{guard} = LOCKS[{lock}].{operation}().unwrap();"
            );
            text += &self.see(&format!("*{guard}"), 3);
            if writes {
                let _ = writeln!(text, "*{guard} += 1;");
            }
            if self.cell && self.rng.bool() {
                text += match writes || self.rng.u32(0..6) == 0 {
                    true => "unsafe { *CELL.0.get() += 1 };\n",
                    false => "unsafe { CELL.0.get().read() };\n",
                };
            }
            held.push(guard);
        }
        text
    }

    fn text(mut self) -> String {
        let threads = 2 + self.rng.u32(0..4) / 3;
        let mut text = String::from(
            "use std::cell::UnsafeCell;\nuse std::sync::RwLock;\nuse std::thread;\n\
             extern \"C\" {\n    fn abort() -> !;\n}\n\
             struct Cell(UnsafeCell<i32>);\nunsafe impl Sync for Cell {}\n\
             static CELL: Cell = Cell(UnsafeCell::new(0));\n",
        );
        let locks = vec!["RwLock::new(0)"; self.locks as usize].join(", ");
        let _ = writeln!(text, "static LOCKS: [RwLock<u32>; {}] = [{locks}];", self.locks);
        for number in 0..threads {
            let most = 1 + self.rng.u32(0..if threads == 2 { 3 } else { 2 });
            let body = self.thread(most);
            let _ = writeln!(
                text,
                "fn thread{number}() -> u32 {{\nlet mut sum = 0;\n{body}sum\n}}"
            );
        }
        text += "fn main() {\n";
        let before = self.rng.u32(0..5) < 2;
        if before {
            let operation = self.operations[self.rng.usize(0..2)];
            let _ = writeln!(text, "let first = LOCKS[0].{operation}();");
        }
        for number in 1..threads {
            let _ = writeln!(text, "let other{number} = thread::spawn(thread{number});");
        }
        if before {
            text += "drop(first);\n";
        }
        text += "let mut sum = thread0();\n";
        for number in 1..threads {
            let _ = writeln!(text, "sum += other{number}.join().unwrap();");
        }
        for sum in 0..self.sums {
            let _ = writeln!(text, "if sum == {sum} {{ unsafe {{ abort() }} }}");
        }
        text + "}\n"
    }
}

#[test]
fn claims_have_the_outcomes_of_the_library() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program.rs");
    let mut compared = 0;
    for seed in 0..usual_or_long(4, 200) {
        let text = Program::new(seed).text();
        std::fs::write(&program, &text).unwrap();
        let modelled = found(&program, "modelled");
        if let (Some(modelled), Some(executed)) = (&modelled, found(&program, "executed")) {
            assert_eq!(*modelled, executed, "seed {seed}:\n{text}");
            compared += 1;
        }
    }
    assert!(compared > 3, "{compared} programs were compared");
}
