//! Random programs of Rust whose threads send to one channel, and whose main thread receives.

use fastrand::Rng;
use std::fmt::Write;

/// How many messages a block of a channel without a limit holds.
const BLOCK: usize = 31;

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let limit = [None, None, Some(1), Some(2), Some(3)][random.usize(..5)];
    let channel = match limit {
        None => "channel::<u16>()".to_owned(),
        Some(limit) => format!("sync_channel::<u16>({limit})"),
    };
    // Now and then the channel comes to its second block.
    let before = match limit {
        None if random.bool() => random.usize(BLOCK - 3..BLOCK + 2),
        None => random.usize(..2),
        Some(limit) => random.usize(..limit + 1),
    };
    let taken = random.usize(..before.min(4) + 1);
    let mut text = format!(
        "#![allow(unused)]\nuse std::sync::mpsc::*;\nuse std::thread;\nfn main() {{\n    let (tx, rx) = {channel};\n"
    );
    let mut line = |what: &str| {
        writeln!(text, "    {what}").unwrap_or_else(|e| panic!("{e}"));
    };
    line(&format!("for n in 0..{before} {{ tx.send(n).unwrap(); }}"));
    line(&format!("for _ in 0..{taken} {{ rx.recv().unwrap(); }}"));
    for thread in 0..1 + random.usize(..2) {
        line("let own = tx.clone();");
        let operations: Vec<String> = (0..1 + random.usize(..2))
            .map(|n| match limit.is_some() && random.bool() {
                true => format!("own.try_send({}).is_ok();", 100 + 10 * thread + n),
                false => format!("own.send({}).is_ok();", 100 + 10 * thread + n),
            })
            .collect();
        line(&format!("thread::spawn(move || {{ {} }});", operations.join(" ")));
    }
    line(["drop(tx);", ""][random.usize(..2)]);
    line("let mut n = 0u64;");
    for _ in 0..1 + random.usize(..3) {
        let operation = [
            "rx.recv().map_or(7, u64::from)",
            "rx.try_recv().map_or(9, u64::from)",
        ][random.usize(..2)];
        line(&format!("n = n * 1000 + {operation};"));
    }
    line(["drop(rx);", ""][random.usize(..2)]);
    line("std::hint::black_box(n);");
    text.push_str("}\n");
    text
}
