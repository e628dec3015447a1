//! How long typical queries take: `cargo bench -p selvedge-solver`.
//!
//! The machine's way of asking: a branch is evaluated under the hint, and only the other side is a
//! query. Times are the processor's, not the clock's, so that what else runs matters less.

use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Expr, InputKey, Width, eval};
use selvedge_solver::{Answer, Options, Query, Solver, chain};
use std::time::Duration;

fn main() {
    report("bytes compared with constants, path of 4,000", bytes);
    report("sorting 5 numbers of 32 bits, all 120 paths", sorting);
    report("product of two numbers of 16 bits", products);
    report("decimal digits of a number of 32 bits", digits);
    report("unknown divisor of 16 bits", divisors);
    report("table of 256 bytes, read with a byte", table);
    report("checksum of 16 bytes", checksum);
}

/// Runs a scenario; it returns the number of its queries.
fn report(name: &str, scenario: fn(&Arena, &mut dyn Solver) -> u32) {
    let only = std::env::args().nth(1).filter(|word| !word.starts_with('-'));
    if only.is_some_and(|word| !name.contains(&word)) {
        return;
    }
    let arena = Arena::new();
    let mut solver = chain(Options::default());
    let start = processor_time();
    let queries = scenario(&arena, &mut *solver);
    let time = processor_time() - start;
    let each = time / queries.max(1);
    println!("{name}: {queries} queries, {time:.1?}, {each:.1?} each");
    let mut inner = String::new();
    for layer in solver.statistics().layers {
        let answered = layer.sat + layer.unsat + layer.unknown;
        if answered > 0 {
            inner += &format!("  {} {answered}", layer.name);
            if layer.time > Duration::ZERO {
                inner += &format!(" ({:.1?}, {} conflicts)", layer.time, layer.conflicts);
            }
        }
    }
    println!("   answered by:{inner}");
}

/// Time that this thread had a processor.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

fn input(arena: &Arena, ordinal: u32, width: Width) -> Expr {
    let key = InputKey {
        thread: 0,
        ordinal,
        byte: 0,
    };
    arena.input(key, width)
}

/// The path of one execution.
struct Path<'a> {
    arena: &'a Arena,
    solver: &'a mut dyn Solver,
    constraints: Vec<Expr>,
    hint: Assignment,
    queries: u32,
}

impl<'a> Path<'a> {
    fn new(arena: &'a Arena, solver: &'a mut dyn Solver) -> Path<'a> {
        Path {
            arena,
            solver,
            constraints: Vec::new(),
            hint: Assignment::new(),
            queries: 0,
        }
    }

    fn ask(&mut self, goal: Expr) -> Option<Assignment> {
        self.queries += 1;
        let query = Query {
            path: &self.constraints,
            goal: &[goal],
            hint: Some(&self.hint),
        };
        match self.solver.check(self.arena, &query) {
            Answer::Sat(model) => Some((*model).clone()),
            Answer::Unsat => None,
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }

    /// A branch: goes the way of the hint, after asking for the other.
    fn branch(&mut self, condition: Expr) -> Option<Assignment> {
        let taken = eval(self.arena, condition, &self.hint) != 0;
        let (this, other) = if taken {
            (condition, self.arena.not(condition))
        } else {
            (self.arena.not(condition), condition)
        };
        let model = self.ask(other);
        self.constraints.push(this);
        model
    }
}

fn bytes(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let mut path = Path::new(arena, solver);
    for ordinal in 0..1000 {
        let byte = input(arena, ordinal, 8);
        let wide = arena.zext(byte, 32);
        for letter in [b'\n', b' ', b'"', b'\\'] {
            path.branch(arena.compare(CmpOp::Eq, wide, arena.constant(32, letter.into())));
        }
    }
    path.queries
}

fn sorting(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let numbers: Vec<Expr> = (0..5).map(|ordinal| input(arena, ordinal, 32)).collect();
    let mut path = Path::new(arena, solver);
    let mut leaves = 0;
    insertion(&mut path, numbers, 1, 1, &mut leaves);
    assert_eq!(leaves, 120);
    path.queries
}

/// Insertion sort from a state on: both sides of each comparison.
fn insertion(path: &mut Path<'_>, numbers: Vec<Expr>, sorted: usize, at: usize, leaves: &mut u32) {
    if sorted == numbers.len() {
        *leaves += 1;
        return;
    }
    if at == 0 {
        return insertion(path, numbers, sorted + 1, sorted + 1, leaves);
    }
    let condition = path.arena.compare(CmpOp::Sgt, numbers[at - 1], numbers[at]);
    let length = path.constraints.len();
    let hint = path.hint.clone();
    let taken = eval(path.arena, condition, &hint) != 0;
    let other = path.branch(condition);
    for (taken, hint) in [(taken, Some(hint)), (!taken, other)] {
        let Some(hint) = hint else { continue };
        path.hint = hint;
        path.constraints.truncate(length);
        let side = if taken {
            condition
        } else {
            path.arena.not(condition)
        };
        path.constraints.push(side);
        let mut numbers = numbers.clone();
        if taken {
            numbers.swap(at - 1, at);
            insertion(path, numbers, sorted, at - 1, leaves);
        } else {
            insertion(path, numbers, sorted + 1, sorted + 1, leaves);
        }
    }
    path.constraints.truncate(length);
}

fn products(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let (a, b) = (input(arena, 0, 16), input(arena, 1, 16));
    let product = arena.binary(BinOp::Mul, arena.zext(a, 32), arena.zext(b, 32));
    let mut path = Path::new(arena, solver);
    for number in [
        12_345_678,
        63_001,
        4_294_836_225,
        1_000_003,
        2_147_395_600,
        99_400_891,
        3_215_031_751,
        65_537,
    ] {
        let goal = arena.compare(CmpOp::Eq, product, arena.constant(32, number));
        path.ask(goal);
        path.ask(arena.and(goal, arena.compare(CmpOp::Ult, arena.constant(16, 255), a)));
    }
    path.queries
}

fn digits(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let mut number = input(arena, 0, 32);
    let ten = arena.constant(32, 10);
    let mut path = Path::new(arena, solver);
    for digit in [7, 3, 0, 9, 9, 1, 2, 8] {
        let last = arena.binary(BinOp::URem, number, ten);
        let goal = arena.compare(CmpOp::Eq, last, arena.constant(32, digit));
        if let Some(model) = path.ask(goal) {
            path.hint = model;
            path.constraints.push(goal);
        }
        number = arena.binary(BinOp::UDiv, number, ten);
        path.branch(arena.compare(CmpOp::Eq, number, arena.constant(32, 0)));
    }
    path.queries
}

fn divisors(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let (a, b) = (input(arena, 0, 16), input(arena, 1, 16));
    let mut path = Path::new(arena, solver);
    for number in [3, 10, 255, 4_000] {
        let quotient = arena.binary(BinOp::UDiv, a, b);
        let rest = arena.binary(BinOp::URem, a, b);
        let first = arena.compare(CmpOp::Eq, quotient, arena.constant(16, number));
        let second = arena.compare(CmpOp::Eq, rest, arena.constant(16, 7));
        path.ask(arena.and(first, second));
    }
    path.queries
}

fn table(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let mut random = 1u8;
    let elements: Vec<Expr> = (0..256)
        .map(|_| {
            random = random.wrapping_mul(141).wrapping_add(71);
            arena.constant(8, random.into())
        })
        .collect();
    let mut path = Path::new(arena, solver);
    for ordinal in 0..20 {
        let (a, b) = (input(arena, 2 * ordinal, 8), input(arena, 2 * ordinal + 1, 8));
        let (a, b) = (arena.select(&elements, a), arena.select(&elements, b));
        let sum = arena.binary(BinOp::Xor, a, b);
        path.branch(arena.compare(CmpOp::Eq, sum, arena.constant(8, 99)));
    }
    path.queries
}

fn checksum(arena: &Arena, solver: &mut dyn Solver) -> u32 {
    let mut path = Path::new(arena, solver);
    let mut sum = arena.constant(32, 5381);
    for ordinal in 0..16 {
        let byte = arena.zext(input(arena, ordinal, 8), 32);
        sum = arena.binary(BinOp::Mul, sum, arena.constant(32, 33));
        sum = arena.binary(BinOp::Add, sum, byte);
        path.branch(arena.compare(
            CmpOp::Eq,
            arena.binary(BinOp::And, sum, arena.constant(32, 0xffff)),
            arena.constant(32, 0xbeef),
        ));
    }
    path.queries
}
