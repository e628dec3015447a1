//! Slices against what they promise: a statement outside the slice may compute anything, and what
//! the sliced statement does stays the same. Random programs with pointers, arrays, loops, calls
//! through pointers and threads run with one instruction outside the slice replaced by a constant.

mod program;

use program::program;
use selvedge_analysis::pointsto::Limits;
use selvedge_analysis::slice::{Callers, Ending, Reason, Slice, Slicer, Statement};
use selvedge_analysis::threads::Meetings;
use selvedge_analysis::{Place, PointsTo, Threads};
use selvedge_base::{Id, ThreadId, usual_or_long};
use selvedge_ir::{BlockId, FuncId, InstKind, Module, Operand, Reg, Type};
use selvedge_model::{Choice, Describe, LimitKind, Machine, Notice};
use selvedge_vm::{Options, Program, Vm};
use std::path::Path;
use std::sync::Arc;

const STEPS: usize = 400;

/// What a program prints in its one order of steps, also if a loop does not end; none if it faults
/// or takes too long.
fn run(module: Module) -> Option<Vec<u8>> {
    let program = Program::new(module, Options::default()).ok()?;
    let mut vm = Vm::new(program).ok()?;
    for _ in 0..STEPS {
        let enabled = (0..vm.pending().len()).find(|&t| vm.pending()[t].is_enabled());
        let Some(thread) = enabled else {
            return Some(vm.output());
        };
        let thread = ThreadId::from_index(thread);
        vm.step(Choice {
            thread,
            alternative: 0,
        });
        let recursion = |n: &Notice| matches!(n, Notice::Limit(limit) if limit.kind == LimitKind::Recursion);
        if vm.notices().iter().any(recursion) {
            return None; // a fault: the stack is full
        }
        let is_limit = |n: &Notice| matches!(n, Notice::Limit(_));
        if vm.notices().iter().any(is_limit) {
            return Some(vm.output());
        }
        let ends = |n: &Notice| matches!(n, Notice::Fault(_) | Notice::Unsupported(_));
        if vm.notices().iter().any(ends) {
            return None;
        }
    }
    None
}

/// The instruction with its result, or what it stores, replaced by a number.
fn replaced(
    kind: &InstKind,
    number: u128,
    other: impl Fn(FuncId) -> Option<FuncId>,
    types: impl Fn(Reg) -> Type,
) -> Option<InstKind> {
    use InstKind as K;
    let constant = |ty: Type| match ty {
        Type::Int(_) => Some(Operand::Const(number & (u128::MAX >> (128 - ty.bits())), ty)),
        _ => None,
    };
    match kind {
        K::Copy { dst, .. }
        | K::Bin { dst, .. }
        | K::Cmp { dst, .. }
        | K::Select { dst, .. }
        | K::Cast { dst, .. }
        | K::Load { dst, .. } => {
            let value = constant(types(*dst))?;
            Some(K::Copy { dst: *dst, value })
        }
        K::Store {
            ptr,
            value: Operand::Func(stored),
            ty,
            align,
            volatile,
            order,
        } => Some(K::Store {
            ptr: *ptr,
            value: Operand::Func(other(*stored)?),
            ty: *ty,
            align: *align,
            volatile: *volatile,
            order: *order,
        }),
        K::Store {
            ptr,
            ty,
            align,
            volatile,
            order,
            ..
        } => {
            let value = constant(*ty)?;
            Some(K::Store {
                ptr: *ptr,
                value,
                ty: *ty,
                align: *align,
                volatile: *volatile,
                order: *order,
            })
        }
        _ => None,
    }
}

/// All instructions of the user's functions.
fn instructions(module: &Module) -> Vec<Statement> {
    let mut all = Vec::new();
    for (id, function) in module.functions.iter_ids().filter(|(_, f)| !f.library) {
        for (block, what) in function.blocks.iter_ids() {
            all.extend((0..what.insts.len()).map(|index| {
                let place = Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                (id, place)
            }));
        }
    }
    all
}

fn kind(module: &Module, (function, place): Statement) -> &InstKind {
    let block = &module.functions[function].blocks[BlockId::from_index(place.block as usize)];
    &block.insts[place.index as usize].kind
}

fn with(module: &Module, at: Statement, kind: InstKind) -> Module {
    let mut changed = module.clone();
    let mut functions: Vec<_> = changed.functions.iter().cloned().collect();
    let mut blocks: Vec<_> = functions[at.0.index()].blocks.iter().cloned().collect();
    blocks[at.1.block as usize].insts[at.1.index as usize].kind = kind;
    functions[at.0.index()].blocks = blocks.into_iter().collect();
    changed.functions = functions.into_iter().collect();
    changed
}

#[derive(Default, Debug)]
struct Counts {
    programs: u32,
    outside: u32,
    ran: u32,
    inside_changed: u32,
    /// Statements that are in the slice only if callers are merged.
    fewer: usize,
    /// Those that are in it only if most points-to sets are the wide one.
    coarser: usize,
    /// Those that are in it only without strong updates.
    overwritten: usize,
}

fn load(name: &str, text: &str) -> Module {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slice");
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, text).expect("the temporary directory is writable");
    let options = selvedge_frontend::Options::default();
    let loaded = selvedge_frontend::load(&[path], &options);
    Arc::unwrap_or_clone(loaded.unwrap_or_else(|e| panic!("{name}: {e}")).module)
}

fn line_of(module: &Module, (function, place): Statement) -> u32 {
    let block = &module.functions[function].blocks[BlockId::from_index(place.block as usize)];
    let inst = block.insts.get(place.index as usize);
    module.stmts[inst.map_or(block.term_stmt, |inst| inst.stmt)]
        .span
        .line
}

/// The statements of the line with `SLICE`.
fn asked(module: &Module, text: &str) -> Vec<Statement> {
    let line = text.lines().position(|l| l.contains("SLICE"));
    let line = line.expect("it is there") as u32 + 1;
    let on_line = |&at: &Statement| line_of(module, at) == line;
    instructions(module).into_iter().filter(on_line).collect()
}

/// Each statement leads to one that was asked for, by statements of the slice.
fn assert_explained(slice: &Slice, name: &str) {
    for &statement in slice.keys() {
        let (mut at, mut steps) = (statement, 0);
        while slice[&at].0 != Reason::Asked {
            (at, steps) = (slice[&at].1, steps + 1);
            assert!(
                steps <= slice.len(),
                "{name}: {statement:?} leads to nothing asked for"
            );
        }
    }
}

fn check(seed: u64, counts: &mut Counts) {
    let text = program(seed);
    let module = load(&seed.to_string(), &text);
    let Some(expected) = run(module.clone()) else {
        return;
    };
    let modelled = |name: &str| selvedge_vm::models::find(name).is_some();
    let points_to = PointsTo::of(&module, module.function("main"), &modelled);
    let all = instructions(&module);
    let asked = asked(&module, &text);
    let meetings = Meetings::of(Threads::of(&module, &points_to, module.function("main")));
    let of = |callers, strong| {
        let mut slicer = Slicer::new(&module, &points_to, Ending::Possible, callers);
        if strong {
            slicer.with_strong_updates(|one, other| meetings.may_meet(one, other));
        }
        slicer.of(asked.clone())
    };
    let slice = of(Callers::ToldApart, true);
    let (weak, merged) = (of(Callers::ToldApart, false), of(Callers::Merged, false));
    let more = slice.keys().find(|at| !weak.contains_key(at));
    assert_eq!(
        more, None,
        "seed {seed}: it is in no slice without strong updates"
    );
    let more = slice.keys().find(|at| !merged.contains_key(at));
    assert_eq!(more, None, "seed {seed}: it is in no slice with callers merged");
    assert_explained(&slice, &format!("seed {seed}"));
    let coarse = PointsTo::within(Limits { objects: 2 }, &module, module.function("main"), &modelled);
    let coarse = Slicer::new(&module, &coarse, Ending::Possible, Callers::ToldApart).of(asked.clone());
    let more = weak.keys().find(|at| !coarse.contains_key(at));
    assert_eq!(
        more, None,
        "seed {seed}: it is in no slice with coarse points-to sets"
    );
    counts.programs += 1;
    counts.fewer += merged.len() - weak.len();
    counts.overwritten += weak.len() - slice.len();
    counts.coarser += coarse.len() - weak.len();
    let mut random = fastrand::Rng::with_seed(seed);
    let first = ["f0", "f1"].iter().find_map(|name| module.function(name));
    // A helper stays one: others write what the facts say that no call there writes.
    let instead = |stored: FuncId| match module.functions[stored].name.starts_with('h') {
        true => module.function("h1"),
        false => first,
    };
    for &at in &all {
        let types = |register: Reg| module.functions[at.0].regs[register].ty;
        let number = u128::from(random.u32(..9));
        let Some(other) = replaced(kind(&module, at), number, instead, types) else {
            continue;
        };
        let inside = slice.contains_key(&at);
        counts.outside += u32::from(!inside);
        if inside && random.u32(..4) > 0 {
            continue;
        }
        let Some(found) = run(with(&module, at, other.clone())) else {
            continue;
        };
        counts.ran += 1;
        if inside {
            counts.inside_changed += u32::from(found != expected);
            continue;
        }
        let name = &module.functions[at.0].name;
        assert_eq!(
            found, expected,
            "seed {seed}: {name} {:?}, now {other:?}:\n{text}",
            at.1
        );
    }
}

/// The lines of a program's slice from the line with `SLICE`. `strong`: with strong updates.
fn lines(name: &str, text: &str, strong: bool) -> Vec<u32> {
    let module = load(name, text);
    let modelled = |name: &str| selvedge_vm::models::find(name).is_some();
    let entry = module.function("main");
    let points_to = PointsTo::of(&module, entry, &modelled);
    let meetings = Meetings::of(Threads::of(&module, &points_to, entry));
    let mut slicer = Slicer::new(&module, &points_to, Ending::Possible, Callers::ToldApart);
    if strong {
        slicer.with_strong_updates(|one, other| meetings.may_meet(one, other));
    }
    let slice = slicer.of(asked(&module, text));
    assert_explained(&slice, name);
    let mut lines: Vec<u32> = slice.keys().map(|&at| line_of(&module, at)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.retain(|&line| line > 0);
    lines
}

/// A call may end the process, or not come back for a loop, by what its function looks at.
#[test]
fn a_slice_has_what_decides_whether_a_call_comes_back() {
    let text = r#"#include <stdio.h>
#include <stdlib.h>
static int a, b, c, d, e;
static void leave(void)
{
    if (a == 7) // in
        exit(0); // in
    e = d;
}
static void turn(void)
{
    while (b) // in
        d++;
}
static void straight(void)
{
    if (c)
        d = 2;
}
int main(int argc, char **argv) // in
{
    a = argc; // in
    b = 1; // in
    c = argc;
    leave(); // in
    turn(); // in
    straight();
    printf("1\n"); // in SLICE
    return 0;
}
"#;
    expect("returns", text);
}

/// What goes in at one call does not come out at another.
#[test]
fn calls_are_told_apart() {
    let text = r#"#include <stdio.h>
static int a, b, c, d, e, seen;
static int same(int n) { return n; } // in
static int twice(int n) { return same(n) + same(n); } // in
static int down(int n, int m) // in
{
    return n ? down(n - 1, m) : m; // in
}
static int of_variable(int n) // in
{
    int own[2] = {n, n}; // in
    return own[n & 1]; // in
}
static void note(int n) // in
{
    seen = n; // in
}
int main(int argc, char **argv) // in
{
    a = argc; // in
    b = argc + 1;
    int x = twice(a); // in
    int y = twice(b);
    int u = down(a, a + 1); // in
    int v = down(b, y);
    c = argc + 2; // in
    d = argc + 3;
    int w = of_variable(c); // in
    int z = of_variable(d);
    e = argc + 4; // in
    note(e); // in
    printf("%d\n", x + u + w + seen); // in SLICE
    return y + v + z;
}
"#;
    expect("contexts", text);
}

/// Memory is not told apart by calls: each call of a function that writes it may have done so.
#[test]
fn memory_is_written_in_any_call() {
    let text = r#"#include <pthread.h>
#include <stdio.h>
static int seen;
static int note(int n) // in
{
    seen = n; // in
    return n;
}
static void *work(void *n) // in
{
    note(*(int *)n); // in
    return n; // in
}
static int first(int *n) { return *n; } // in
static int get(void) { return seen; } // in
int main(int argc, char **argv) // in
{
    int a = argc, b = argc + 1, c = argc + 2; // in
    void *got = 0; // in
    pthread_t t;
    pthread_create(&t, 0, work, &b); // in
    pthread_join(t, &got); // in
    first(&c);
    note(a); // in
    printf("%d %d\n", get(), first(got)); // in SLICE
    return 0; // in: main may be joined, too
}
"#;
    expect("memory", text);
}

/// A call may reach a variable of another call of the same function.
#[test]
fn a_variable_may_be_one_of_another_call() {
    let text = r#"#include <stdio.h>
static int a, seen, *other;
static int f(int n, int begins);
static void within(void)
{
    seen = f(1, 0); // in
}
static int f(int n, int begins) // in
{
    int x = n; // in
    if (begins) { // in
        other = &x; // in
        within(); // in
    }
    return *other; // in
}
int main(int argc, char **argv) // in
{
    a = argc; // in
    f(a, 1); // in
    printf("%d\n", seen); // in SLICE
    return 0;
}
"#;
    expect("activations", text);
}

#[test]
fn lines_of_a_slice() {
    let text = r#"#include <pthread.h>
#include <stdio.h>
static int a, b, c, d;
static int odd;
static struct { pthread_mutex_t lock; int value; } s;
static void one(void) { a = 1; } // in
static void two(void) { a = 2; } // in
static void three(void) { b = 3; }
static void (*call)(void);
static void *work(void *unused)
{
    pthread_mutex_lock(&s.lock);
    a += s.value; // in
    d = 1;
    pthread_mutex_unlock(&s.lock);
    return unused;
}
int main(void) // in: the address of t
{
    pthread_t t;
    s.value = 7; // in
    odd = c & 1; // in
    call = one; // in
    if (odd) // in
        call = two; // in
    call(); // in
    b = a;
    three();
    pthread_create(&t, 0, work, 0); // in
    printf("%d\n", a); // in SLICE
    return 0;
}
"#;
    expect("lines", text);
}

/// A store kills what it covers as a whole, and only where it surely goes.
#[test]
fn what_is_surely_overwritten_is_left_out() {
    let text = r#"#include <stdio.h>
static union { int whole; unsigned char bytes[4]; } parts;
static int x, y, z;
int main(int argc, char **argv) // in
{
    int *where = argc > 1 ? &y : &z; // in
    x = 1;
    x = argc; // in
    parts.whole = 300; // in
    parts.bytes[0] = 1; // in
    y = 5; // in
    *where = 6; // in
    printf("%d %d %d\n", x, parts.whole, y); // in SLICE
    return 0;
}
"#;
    expect_with("overwritten", text, true);
}

fn expect(name: &str, text: &str) {
    expect_with(name, text, false);
}

/// Each line with `// in` is in the slice, and no other that has a statement.
fn expect_with(name: &str, text: &str, strong: bool) {
    let expected = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("// in"));
    let expected: Vec<u32> = expected.map(|(number, _)| number as u32 + 1).collect();
    let found = lines(name, text, strong);
    let code = |line: &u32| text.lines().nth(*line as usize - 1).unwrap_or("").to_owned();
    let missing: Vec<String> = expected.iter().filter(|l| !found.contains(l)).map(code).collect();
    let more: Vec<String> = found.iter().filter(|l| !expected.contains(l)).map(code).collect();
    assert!(
        missing.is_empty() && more.is_empty(),
        "missing {missing:#?}, more {more:#?}"
    );
}

#[test]
fn what_is_outside_a_slice_does_not_matter() {
    let mut counts = Counts::default();
    let seeds = std::env::var("SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(usual_or_long(30, 60));
    for seed in 0..seeds {
        check(seed, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.programs > 14 && counts.outside > 240, "{counts:?}");
    // Else slices could be whole programs, or replacing could do nothing.
    assert!(counts.inside_changed > 22, "{counts:?}");
    assert!(
        counts.fewer > 22 && counts.coarser > 0 && counts.overwritten > 0,
        "{counts:?}"
    );
}
