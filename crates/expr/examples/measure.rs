//! How fast expressions are built and evaluated: `cargo run --release -p selvedge-expr --example
//! measure`.

use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Evaluator, Expr, InputKey};

/// Processor time, which other programs on the machine disturb less than they do the clock.
struct Instant(f64);

impl Instant {
    fn now() -> Instant {
        let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
        Instant(nanoseconds.unwrap_or(f64::NAN) / 1e9)
    }

    fn elapsed(&self) -> f64 {
        Instant::now().0 - self.0
    }
}

fn main() {
    let arena = Arena::new();
    let inputs: Vec<Expr> = (0..64)
        .map(|byte| {
            let key = InputKey {
                thread: 0,
                ordinal: 0,
                byte,
            };
            arena.input(key, 8)
        })
        .collect();
    let ops = [
        BinOp::Add,
        BinOp::Xor,
        BinOp::Mul,
        BinOp::And,
        BinOp::Sub,
        BinOp::Or,
    ];

    let mut rng = fastrand::Rng::with_seed(1);
    let mut words: Vec<Expr> = inputs.iter().map(|&b| arena.zext(b, 32)).collect();
    let before = arena.size();
    let (start, calls) = (Instant::now(), 1_000_000);
    for i in 0..calls {
        let (a, b) = (words[rng.usize(..64)], words[rng.usize(..64)]);
        let e = arena.binary(ops[i % ops.len()], a, b);
        words[rng.usize(..64)] = e;
    }
    let after = arena.size();
    let seconds = start.elapsed();
    println!(
        "new nodes: {:.2} M constructor calls/s, {:.2} M nodes/s, {} bytes a node",
        calls as f64 / seconds / 1e6,
        (after.nodes - before.nodes) as f64 / seconds / 1e6,
        after.bytes / after.nodes
    );

    let start = Instant::now();
    for i in 0..calls {
        let (a, b) = (inputs[i % 64], inputs[i / 64 % 64]);
        arena.compare(CmpOp::Ult, a, b);
    }
    let seconds = start.elapsed();
    println!(
        "known nodes: {:.2} M constructor calls/s",
        calls as f64 / seconds / 1e6
    );

    let start = Instant::now();
    for i in 0..calls {
        let byte = arena.zext(inputs[i % 64], 32);
        arena.compare(CmpOp::Eq, byte, arena.constant(32, i as u128 / 64 % 256));
    }
    let seconds = start.elapsed();
    println!(
        "extended byte == constant: {:.2} M/s",
        calls as f64 / seconds / 1e6
    );

    // A branch condition of 20 nodes or so.
    let mut sum = arena.zext(inputs[0], 32);
    for &b in &inputs[1..8] {
        sum = arena.binary(BinOp::Add, sum, arena.zext(b, 32));
    }
    let condition = arena.compare(CmpOp::Ult, sum, arena.constant(32, 700));
    let assignment: Assignment = inputs
        .iter()
        .flat_map(|&b| arena.inputs_of(b).to_vec())
        .map(|id| (id, 77))
        .collect();
    let mut evaluator = Evaluator::new();
    let nodes = 24;
    let start = Instant::now();
    let mut trues = 0;
    for _ in 0..calls {
        trues += evaluator.eval(&arena, condition, &assignment);
    }
    let seconds = start.elapsed();
    println!(
        "small conditions: {:.0} ns each, about {:.1} ns a node ({trues} true)",
        seconds / calls as f64 * 1e9,
        seconds / calls as f64 * 1e9 / f64::from(nodes)
    );

    let start = Instant::now();
    evaluator.forget();
    for i in 0..arena.size().nodes as u32 {
        evaluator.eval_same(&arena, Expr::from_index(i), &assignment);
    }
    let seconds = start.elapsed();
    println!(
        "all nodes once: {:.1} ns a node",
        seconds / arena.size().nodes as f64 * 1e9
    );
}
