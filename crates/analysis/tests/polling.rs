//! Bounded polling loops, compared with what the rewriting promises, on random loops. An
//! interpreter runs the function before and after, with a list of values that the loads read. Some
//! loops call functions that load, or that compute.

use selvedge_analysis::polling::poll_once;
use selvedge_base::Id;
use selvedge_ir::{
    BinOp, BlockId, Callee, FuncId, InstKind, IntPred, Module, Operand, Reg, Terminator, parse, verify,
};
use std::collections::BTreeSet;
use std::fmt::Write;

const LOOPS: u64 = 60_000;
/// Rounds after which a loop counts as endless.
const MOST_STEPS: usize = 400;
/// Registers: four of 32 bits, three of one bit, and one for the
/// condition of each block.
const WORDS: u32 = 4;
const BITS: u32 = 3;

struct Generator {
    rng: fastrand::Rng,
    /// Whether instructions leave register 0, the counter, and register 3, which is loaded, alone.
    /// That makes loops that fulfil the conditions more often.
    tidy: bool,
    /// Whether functions are called.
    calls: bool,
    text: String,
}

/// An argument of a call.
fn typed(operand: &str) -> String {
    match operand.starts_with('r') {
        true => format!("{operand} as i32"),
        false => operand.to_owned(),
    }
}

const LOAD: &str = "load atomic acquire i32 g0, align 4";

impl Generator {
    fn word(&mut self) -> String {
        match self.rng.u32(0..6) {
            0 | 1 => format!("{}:i32", self.rng.u32(0..4)),
            _ => format!("r{}", self.rng.u32(0..WORDS)),
        }
    }

    fn bit(&mut self) -> String {
        format!("r{}", WORDS + self.rng.u32(0..BITS))
    }

    fn inst(&mut self) {
        let word = match self.tidy {
            true => self.rng.u32(1..WORDS - 1),
            false => self.rng.u32(0..WORDS),
        };
        let bit = WORDS + self.rng.u32(0..BITS);
        let (a, b) = (self.word(), self.word());
        let (c, d) = (self.bit(), self.bit());
        let calls = if self.calls { 14 } else { 12 };
        let line = match self.rng.u32(0..calls) {
            12 => format!("r{word} = call f3({})", typed(&a)),
            13 => "call f4()".to_owned(),
            // What a counter looks like.
            0 | 1 => format!("r{word} = add r{word}, 1:i32"),
            2 => format!("r{word} = sub r{word}, 1:i32"),
            3 => format!("r{word} = add {a}, {b}"),
            4 => format!("r{word} = copy {a}"),
            5 => format!("r{word} = select {c}, {a}, {b}"),
            6 | 7 => {
                let op = ["eq", "ne", "ult"][self.rng.usize(0..3)];
                format!("r{bit} = cmp {op} i32 r{word}, {a}")
            }
            8 => format!("r{bit} = or {c}, {d}"),
            9 => format!("r{bit} = and {c}, {d}"),
            10 => format!("r{bit} = select {c}, 1:i1, {d}"),
            _ => format!("r{bit} = select {c}, {d}, 0:i1"),
        };
        let _ = writeln!(self.text, "  s0 {line}");
    }

    /// A comparison of a register with a constant, maybe joined with another condition.
    fn condition_on(&mut self, word: u32, block: u32) -> String {
        let (bit, other, constant) = (self.bit(), self.bit(), self.rng.u32(0..4));
        // No other instruction reads it.
        let own = format!("r{}", WORDS + BITS + block - 1);
        let bit = if self.tidy { own.clone() } else { bit };
        let op = ["eq", "ne", "ult"][self.rng.usize(0..3)];
        let _ = writeln!(self.text, "  s0 {bit} = cmp {op} i32 r{word}, {constant}:i32");
        if self.tidy && self.rng.bool() {
            let _ = writeln!(self.text, "  s0 {other} = cmp eq i32 r0, {constant}:i32");
        }
        let joined = match self.rng.u32(0..8) {
            0 => format!("or {bit}, {other}"),
            1 => format!("and {other}, {bit}"),
            2 => format!("select {other}, 1:i1, {bit}"),
            3 => format!("select {bit}, {other}, 0:i1"),
            _ => return bit,
        };
        let _ = writeln!(self.text, "  s0 {own} = {joined}");
        own
    }

    fn insts(&mut self, most: u32) {
        for _ in 0..self.rng.u32(0..=most) {
            self.inst();
        }
    }

    /// A register that is computed right before the load, and may be read before that.
    fn computes_anew(&mut self) {
        if self.rng.bool() {
            self.text.push_str("  s0 r2 = copy r1\n");
        }
        let _ = writeln!(self.text, "  s0 r1 = copy {}:i32", self.rng.u32(0..5));
    }

    /// A function with a loop: block 0 enters it, up to three blocks are in it, each of which may
    /// leave to a block that returns a register.
    fn function(seed: u64) -> String {
        let mut g = Generator {
            rng: fastrand::Rng::with_seed(seed),
            tidy: !seed.is_multiple_of(3),
            calls: seed % 4 >= 2,
            text: String::new(),
        };
        let blocks = g.rng.u32(1..4);
        let loads_in = 1 + g.rng.u32(0..blocks);
        let loaded = if g.tidy { WORDS - 1 } else { g.rng.u32(0..WORDS) };
        let counts_in = 1 + g.rng.u32(0..blocks);
        g.text
            .push_str("stmt f0#0\nglobal \"x\" size 4 align 4\nfunc \"f\" () -> (i32) {\n");
        g.text
            .push_str("  regs r0: i32, r1: i32, r2: i32, r3: i32, r4: i1, r5: i1, r6: i1, r7: i1, r8: i1, r9: i1\nb0:\n");
        for reg in 0..WORDS {
            let _ = writeln!(g.text, "  s0 r{reg} = copy {}:i32", g.rng.u32(0..5));
        }
        for reg in WORDS..WORDS + BITS + 3 {
            let _ = writeln!(g.text, "  s0 r{reg} = copy {}:i1", g.rng.u32(0..2));
        }
        // A loop may be entered behind the load.
        let _ = writeln!(g.text, "  s0 jump b{}", 1 + g.rng.u32(0..blocks));
        for block in 1..=blocks {
            let _ = writeln!(g.text, "b{block}:");
            g.insts(2);
            if g.tidy && block == loads_in && g.rng.u32(0..3) == 0 {
                g.computes_anew();
            }
            if block == loads_in {
                let load = match g.calls && g.rng.u32(0..4) > 0 {
                    true => format!("call f1({})", typed(&g.argument())),
                    false => LOAD.to_owned(),
                };
                let _ = writeln!(g.text, "  s0 r{loaded} = {load}");
            }
            g.insts(1);
            if g.tidy && block == counts_in {
                let op = if g.rng.bool() { "add" } else { "sub" };
                let _ = writeln!(g.text, "  s0 r0 = {op} r0, 1:i32");
            }
            let next = block % blocks + 1;
            let exit = blocks + block;
            let mut condition = g.bit();
            if block == loads_in && g.rng.u32(0..3) > 0 {
                condition = g.condition_on(loaded, block);
            } else if g.rng.u32(0..3) > 0 {
                let word = match g.tidy {
                    true => [0, loaded][g.rng.usize(0..2)],
                    false => g.rng.u32(0..WORDS),
                };
                condition = g.condition_on(word, block);
            }
            let _ = match g.rng.u32(0..5) {
                0 if blocks > 1 => writeln!(g.text, "  s0 jump b{next}"),
                1 => writeln!(g.text, "  s0 branch {condition}, b{next}, b{exit}"),
                _ => writeln!(g.text, "  s0 branch {condition}, b{exit}, b{next}"),
            };
        }
        for exit in blocks + 1..=2 * blocks {
            let reg = g.rng.u32(0..WORDS);
            let _ = writeln!(g.text, "b{exit}:\n  s0 return r{reg}");
        }
        g.text.push_str("}\n");
        if g.calls {
            let functions = g.functions();
            g.text = g
                .text
                .replacen("global", "stmt f1#0\nstmt f2#0\nstmt f3#0\nstmt f4#0\nglobal", 1);
            for (number, function) in functions.iter().enumerate() {
                // Each has a statement of its own.
                g.text += &function.replace("s0 ", &format!("s{} ", number + 1));
            }
        }
        g.text
    }

    fn argument(&mut self) -> String {
        match self.rng.u32(0..3) {
            0 => "r1".to_owned(),
            1 => self.word(),
            _ => format!("{}:i32", self.rng.u32(0..3)),
        }
    }

    /// Functions that load (`f1`, `f2`), that compute (`f3`), and that wait (`f4`).
    fn functions(&mut self) -> [String; 4] {
        let body = match self.rng.u32(0..10) {
            0 | 1 => format!("b0:\n  s0 r1 = {LOAD}\n  s0 return r1"),
            2 => format!("b0:\n  s0 r1 = {LOAD}\n  s0 r1 = add r1, r0\n  s0 return r1"),
            // One of two places.
            3 => format!(
                "b0:\n  s0 switch i32 r0, b1 [1: b2]\nb1:\n  s0 r1 = {LOAD}\n  s0 jump b3\n\
                 b2:\n  s0 r1 = {LOAD}\n  s0 r1 = sub 3:i32, r1\n  s0 jump b3\nb3:\n  s0 return r1"
            ),
            // Not on each path.
            4 => format!(
                "b0:\n  s0 r2 = cmp eq i32 r0, 1:i32\n  s0 branch r2, b1, b2\n\
                 b1:\n  s0 return 2:i32\nb2:\n  s0 r1 = {LOAD}\n  s0 return r1"
            ),
            5 => "b0:\n  s0 r1 = call f2(r0 as i32)\n  s0 call f4()\n  s0 return r1".to_owned(),
            // The rest is not one look: two loads, on all paths or on one, a loop.
            6 => format!("b0:\n  s0 r1 = {LOAD}\n  s0 r0 = {LOAD}\n  s0 r1 = add r1, r0\n  s0 return r1"),
            7 => format!(
                "b0:\n  s0 r1 = {LOAD}\n  s0 r0 = call f2(r0 as i32)\n  s0 r1 = sub r1, r0\n  s0 return r1"
            ),
            8 => format!(
                "b0:\n  s0 r1 = {LOAD}\n  s0 r2 = cmp eq i32 r1, 1:i32\n  s0 branch r2, b1, b2\n\
                 b1:\n  s0 r1 = {LOAD}\n  s0 return r1\nb2:\n  s0 return r1"
            ),
            _ => format!(
                "b0:\n  s0 r1 = {LOAD}\n  s0 r2 = cmp eq i32 r1, r0\n  s0 branch r2, b0, b1\n\
                 b1:\n  s0 return r1"
            ),
        };
        let function = |name: &str, body: &str| {
            format!("func \"{name}\" (r0) -> (i32) {{\n  regs r0: i32, r1: i32, r2: i1\n{body}\n}}\n")
        };
        [
            function("f1", &body),
            function("f2", &format!("b0:\n  s0 r1 = {LOAD}\n  s0 return r1")),
            function("f3", "b0:\n  s0 r1 = add r0, 1:i32\n  s0 return r1"),
            "func \"f4\" () -> () {\nb0:\n  s0 pause\n  s0 return\n}\n".to_owned(),
        ]
    }
}

/// A loop whose register 1 is computed right before the load: `first` stands before that.
fn computed_right_before_the_load(first: &str) -> Module {
    let text = format!(
        "stmt f0#0\nglobal \"x\" size 4 align 4\nfunc \"f\" () -> (i32) {{\n  regs r0: i32, r1: i32, r2: i32, r3: i32, r4: i1, r5: i1\n\
         b0:\n  s0 r0 = copy 0:i32\n  s0 r1 = copy 1:i32\n  s0 r2 = copy 0:i32\n  s0 jump b1\n\
         b1:\n{first}  s0 r1 = copy 3:i32\n  s0 r3 = load atomic acquire i32 g0, align 4\n\
         \x20 s0 r4 = cmp eq i32 r3, 2:i32\n  s0 branch r4, b3, b2\n\
         b2:\n  s0 r0 = add r0, 1:i32\n  s0 r5 = cmp eq i32 r0, 4:i32\n  s0 branch r5, b4, b1\n\
         b3:\n  s0 return r2\nb4:\n  s0 return r1\n}}\n"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn what_is_computed_right_before_the_load_is_the_same_in_all_rounds() {
    assert_eq!(poll_once(&mut computed_right_before_the_load("")), 1);
    // Unless it is read before that: then the first round differs.
    assert_eq!(
        poll_once(&mut computed_right_before_the_load("  s0 r2 = copy r1\n")),
        0
    );
}

/// How many loops are rewritten of a function that looks until it finds 2, or until `counts` say
/// so: they compute r7 from the counter r0, the fixed r1, and the other registers.
fn rewritten(step: &str, counts: &str, leaves: &str) -> usize {
    let text = format!(
        "stmt f0#0\nglobal \"x\" size 4 align 4\nfunc \"f\" () -> (i32) {{\n  regs r0: i32, r1: i32, r2: i32, r3: i32, r4: i1, r5: i1, r6: i1, r7: i1, r8: i8\n\
         b0:\n  s0 r0 = copy 0:i32\n  s0 r1 = load i32 g0, align 4\n  s0 r6 = copy 1:i1\n  s0 r2 = copy 0:i32\n  s0 r8 = copy 0:i8\n  s0 jump b1\n\
         b1:\n  s0 r3 = load atomic acquire i32 g0, align 4\n\
         \x20 s0 r4 = cmp eq i32 r3, 2:i32\n  s0 branch r4, b3, b2\n\
         b2:\n{step}\n{counts}\n  s0 branch r7, {leaves}\n\
         b3:\n  s0 return r2\nb4:\n  s0 return r2\n}}\n"
    );
    poll_once(&mut parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

#[test]
fn only_loops_that_end_are_rewritten() {
    let up = "  s0 r0 = add r0, 1:i32";
    let counts = |counts: &str| rewritten(up, &format!("  s0 {counts}"), "b4, b1");
    let stays = |counts: &str| rewritten(up, &format!("  s0 {counts}"), "b1, b4");
    assert_eq!(counts("r7 = cmp eq i32 r0, 4:i32"), 1);
    assert_eq!(counts("r7 = cmp eq i32 r0, r1"), 1);
    assert_eq!(stays("r7 = cmp ult i32 r0, 4:i32"), 1);
    assert_eq!(stays("r7 = cmp ult i32 r0, r1"), 1);
    assert_eq!(
        counts("r5 = cmp eq i32 r0, 4:i32\n  s0 fence single_thread acquire\n  s0 r7 = xor r5, 1:i1"),
        1
    );
    // Some are never left by their count, or may not be.
    assert_eq!(counts("r7 = cmp ult i32 r0, 0:i32"), 0);
    assert_eq!(counts("r7 = cmp ult i32 r0, r1"), 0);
    assert_eq!(stays("r7 = cmp ule i32 r0, r1"), 0);
    assert_eq!(stays("r7 = cmp sge i32 r0, 2147483648:i32"), 0);
    assert_eq!(stays("r5 = cmp ne i32 r0, 4:i32\n  s0 r7 = or r6, r5"), 0);
    // A counter takes all values if it goes by an odd number, and is changed once.
    let by = |step: &str| rewritten(step, "  s0 r7 = cmp eq i32 r0, 4:i32", "b4, b1");
    assert_eq!(by("  s0 r0 = sub r0, 3:i32"), 1);
    assert_eq!(by("  s0 r0 = add r0, 2:i32"), 0);
    assert_eq!(by("  s0 r0 = add r0, 1:i32\n  s0 r0 = sub r0, 1:i32"), 0);
    assert_eq!(by("  s0 r5 = copy r6\n  s0 r2 = add r2, 1:i32"), 0);
    // Of a wider number only what fits.
    let wide = |constant: u32| {
        let counts = format!("  s0 r0 = zext i8 r8\n  s0 r7 = cmp eq i32 r0, {constant}:i32");
        rewritten("  s0 r8 = add r8, 1:i8", &counts, "b4, b1")
    };
    assert_eq!((wide(200), wide(300)), (1, 0));
}

/// How a run ended: the block that returned, and the value; `None` if it does not end.
type End = Option<(BlockId, u128)>;

/// Runs a module's first function; the k-th load reads `value(k)`. The end, and how many loads
/// there were.
fn run(module: &Module, value: impl Fn(usize) -> u128) -> (End, usize) {
    let (mut loads, mut steps) = (0, 0);
    let mut next = || {
        loads += 1;
        value(loads - 1)
    };
    let end = call(module, FuncId::from_index(0), &[], (&mut next, &mut steps));
    (end, loads)
}

fn call(
    module: &Module,
    id: FuncId,
    args: &[u128],
    (next, steps): (&mut dyn FnMut() -> u128, &mut usize),
) -> End {
    let function = &module.functions[id];
    let mut regs = vec![0; function.regs.len()];
    for (param, &arg) in function.params.iter().zip(args) {
        regs[param.index()] = arg;
    }
    let mut at = BlockId::from_index(0);
    while *steps < MOST_STEPS {
        *steps += 1;
        let block = &function.blocks[at];
        for inst in &block.insts {
            let (dst, value) = match inst.kind {
                InstKind::Load { dst, .. } => (dst, next()),
                InstKind::Call {
                    ref results,
                    callee: Callee::Direct(callee),
                    ref args,
                    ..
                } => {
                    let args: Vec<u128> = args.iter().map(|&arg| get(arg, &regs)).collect();
                    let (_, value) = call(module, callee, &args, (&mut *next, &mut *steps))?;
                    match results.first() {
                        Some(&dst) => (dst, value),
                        None => continue,
                    }
                }
                InstKind::Pause => continue,
                ref kind => compute(kind, &regs),
            };
            regs[dst.index()] = value;
        }
        at = match block.term {
            Terminator::Jump(to) => to,
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => match get(cond, &regs) {
                0 => otherwise,
                _ => then,
            },
            Terminator::Switch {
                value,
                ref cases,
                default,
                ..
            } => {
                let value = get(value, &regs);
                let case = cases.iter().find(|case| case.0 == value);
                case.map_or(default, |case| case.1)
            }
            Terminator::Return(ref values) => {
                return Some((at, values.first().map_or(0, |&value| get(value, &regs))));
            }
            ref other => panic!("{other:?}"),
        };
    }
    None
}

fn get(operand: Operand, regs: &[u128]) -> u128 {
    match operand {
        Operand::Reg(reg) => regs[reg.index()],
        Operand::Const(value, _) => value,
        other => panic!("{other:?}"),
    }
}

fn compute(kind: &InstKind, regs: &[u128]) -> (Reg, u128) {
    let get = |operand| get(operand, regs);
    match *kind {
        InstKind::Copy { dst, value } => (dst, get(value)),
        InstKind::Select { dst, cond, a, b } => (dst, if get(cond) != 0 { get(a) } else { get(b) }),
        InstKind::Bin { dst, op, a, b, .. } => {
            let (a, b) = (get(a), get(b));
            let value = match op {
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                BinOp::And => a & b,
                BinOp::Or => a | b,
                other => panic!("{other:?}"),
            };
            (dst, value & 0xffff_ffff)
        }
        InstKind::Cmp { dst, pred, a, b, .. } => {
            let (a, b) = (get(a), get(b));
            let holds = match pred {
                IntPred::Eq => a == b,
                IntPred::Ne => a != b,
                IntPred::Ult => a < b,
                other => panic!("{other:?}"),
            };
            (dst, u128::from(holds))
        }
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn a_rewritten_loop_ends_as_the_loop_does() {
    let (mut rewritten, mut called, mut decided, mut several) = (0, 0, 0, 0);
    for seed in 0..LOOPS {
        let text = Generator::function(seed);
        let before: Module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut after = before.clone();
        if poll_once(&mut after) == 0 {
            assert_eq!(after, before, "seed {seed}");
            continue;
        }
        rewritten += 1;
        called += u64::from(text.contains("= call f1("));
        let ends = |value| run(&after, |_| value);
        let by_value = (0..4).filter_map(|value| Some(ends(value).0?.0));
        decided += u64::from(by_value.collect::<BTreeSet<_>>().len() > 1);
        verify(&after).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{after}"));
        let (before, after) = (&before, &after);
        // Nothing is added: one value for all loads.
        for value in 0..4 {
            let (end, _) = run(before, |_| value);
            let (again, loads) = run(after, |_| value);
            if end.is_some() {
                assert!(loads <= 1, "seed {seed}: {loads} loads\n{text}");
                assert_eq!(again, end, "seed {seed}, all loads read {value}\n{text}");
            }
        }
        // Nothing is lost: the last value alone.
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..30 {
            let values: Vec<u128> = (0..MOST_STEPS).map(|_| u128::from(rng.u32(0..4))).collect();
            let (end, loads) = run(before, |k| values[k]);
            if end.is_some() && loads > 0 {
                several += u64::from(loads > 1);
                let (again, _) = run(after, |_| values[loads - 1]);
                assert_eq!(
                    again,
                    end,
                    "seed {seed}, {loads} loads: {:?}\n{text}",
                    &values[..loads]
                );
            }
        }
    }
    println!(
        "{rewritten} loops rewritten, {called} that call what loads, {decided} with an exit by value, {several} runs of several loads"
    );
    // The test has to say something.
    assert!(rewritten > 1_000 && called > 300 && decided > 200 && several > 3_000);
}
