//! Definitions that reach uses, compared with a walk along all paths backwards from each use.

use selvedge_analysis::unreached::never_reached;
use selvedge_analysis::{CallGraph, Cfg, DefUse, Definition, Place};
use selvedge_base::{Id, Span, StmtId};
use selvedge_ir::{
    Block, BlockId, Function, Inst, InstKind, Module, Operand, Reg, RegInfo, Terminator, Type,
};
use std::collections::BTreeSet;

const REGISTERS: usize = 3;

/// A function of copies between a few registers, with random jumps.
fn random(seed: u64) -> Function {
    let mut rng = fastrand::Rng::with_seed(seed);
    let blocks = rng.usize(1..7);
    let mut function = Function {
        params: vec![Reg::from_index(0)],
        ..Function::default()
    };
    for _ in 0..REGISTERS {
        function.regs.push(RegInfo::unnamed(Type::I32));
    }
    for _ in 0..blocks {
        let mut register = || Reg::from_index(rng.usize(0..REGISTERS));
        let copies = [(register(), register()), (register(), register())];
        let cond = Operand::Reg(register());
        let insts = copies[..rng.usize(0..3)].iter().map(|&(dst, from)| Inst {
            stmt: StmtId(0),
            kind: InstKind::Copy {
                dst,
                value: Operand::Reg(from),
            },
        });
        let insts = insts.collect();
        let mut to = || BlockId::from_index(rng.usize(0..blocks));
        let (then, otherwise) = (to(), to());
        let term = match rng.u32(0..4) {
            0 => Terminator::Return(smallvec::smallvec![cond]),
            1 => Terminator::Jump(then),
            _ => Terminator::Branch {
                cond,
                then,
                otherwise,
            },
        };
        function.blocks.push(Block {
            insts,
            term,
            term_stmt: StmtId(0),
        });
    }
    function.span = Span::default();
    function
}

/// Where a register read at a place comes from, step by step backwards along each path.
fn backwards(function: &Function, cfg: &Cfg, place: Place, register: Reg) -> Vec<Definition> {
    let reached = cfg.reachable();
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut work = vec![(place.block as usize, place.index as usize)];
    while let Some((block, index)) = work.pop() {
        if !seen.insert((block, index)) {
            continue;
        }
        if index > 0 {
            let mut assigns = false;
            let inst = &function.blocks[BlockId::from_index(block)].insts[index - 1];
            inst.kind.for_each_result(|r| assigns |= r == register);
            match assigns {
                true => {
                    found.insert(Definition::At(Place {
                        block: block as u32,
                        index: index as u32 - 1,
                    }));
                }
                false => work.push((block, index - 1)),
            }
            continue;
        }
        if block == 0 {
            found.insert(match register.index() {
                0 => Definition::Parameter,
                _ => Definition::Missing,
            });
        }
        for before in cfg.predecessors(BlockId::from_index(block)) {
            if reached[before.index()] {
                let len = function.blocks[before].insts.len();
                work.push((before.index(), len));
            }
        }
    }
    found.into_iter().collect()
}

#[test]
fn what_a_use_may_see() {
    let (mut uses, mut several, mut missing) = (0, 0, 0);
    for seed in 0..3_000 {
        let function = random(seed);
        let cfg = Cfg::of(&Module::default(), &function, |_| false);
        let found = DefUse::of(&function, &cfg);
        for &block in cfg.reverse_post_order() {
            let insts = &function.blocks[block].insts;
            let mut check = |index: usize, operand: Operand| {
                let Operand::Reg(register) = operand else { return };
                let place = Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                let wanted = backwards(&function, &cfg, place, register);
                let mut got = found.definitions(place, register).to_vec();
                got.sort_unstable();
                assert_eq!(got, wanted, "seed {seed}: {place:?} {register:?}");
                for &definition in &got {
                    assert!(found.uses(definition).contains(&(place, register)));
                }
                uses += 1;
                several += u64::from(got.len() > 1);
                missing += u64::from(got.contains(&Definition::Missing));
            };
            for (index, inst) in insts.iter().enumerate() {
                inst.kind.for_each_operand(|operand| check(index, operand));
            }
            let term = &function.blocks[block].term;
            term.for_each_operand(|operand| check(insts.len(), operand));
        }
    }
    assert!(several > 1_000 && missing > 1_000, "{uses} {several} {missing}");
}

const CALLS: &str = r#"
stmt f0#0
global "table" size 8 align 8 init "\0\0\0\0\0\0\0\0" reloc 0 f2
func "main" () -> () {
b0:
  s0 call f4(f1 as ptr)
  s0 call f1()
  s0 call f6()
  s0 return
}
func "worker" () -> () {
b0:
  s0 call f5(1:i64)
  s0 return
}
func "table_entry" () -> () {
b0:
  s0 return
}
func "indirect" (r0) -> () {
  regs r0: ptr
b0:
  s0 call *r0()
  s0 return
}
func "pthread_create" (r0) -> () {
  regs r0: ptr
}
func "malloc" (r0) -> () {
  regs r0: i64
}
func "even" () -> () {
b0:
  s0 call f7()
  s0 return
}
func "odd" () -> () {
b0:
  s0 call f6()
  s0 return
}
"#;

/// In each function, block 3 is unreachable behind a switch of what blocks 1 and 2 assign.
const ENDS: &str = r#"
stmt f0#0
func "all" (r0) -> () {
  regs r0: i1, r1: i32, r2: i32
b0:
  s0 branch r0, b1, b2
b1:
  s0 r2 = copy 7:i32
  s0 r1 = copy r2
  s0 jump b4
b2:
  s0 r1 = copy 1:i32
  s0 jump b4
b3:
  s0 unreachable
b4:
  s0 switch i32 r1, b3 [7: b5, 1: b5]
b5:
  s0 return
}
func "one_is_no_case" (r0) -> () {
  regs r0: i1, r1: i32
b0:
  s0 branch r0, b1, b2
b1:
  s0 r1 = copy 7:i32
  s0 jump b4
b2:
  s0 r1 = copy 1:i32
  s0 jump b4
b3:
  s0 unreachable
b4:
  s0 switch i32 r1, b3 [1: b5]
b5:
  s0 return
}
func "one_leads_there" (r0) -> () {
  regs r0: i1, r1: i32
b0:
  s0 branch r0, b1, b2
b1:
  s0 r1 = copy 7:i32
  s0 jump b4
b2:
  s0 r1 = copy 1:i32
  s0 jump b4
b3:
  s0 unreachable
b4:
  s0 switch i32 r1, b5 [1: b3]
b5:
  s0 return
}
func "anything" (r0, r1) -> () {
  regs r0: i1, r1: i32
b0:
  s0 branch r0, b1, b4
b1:
  s0 r1 = copy 1:i32
  s0 jump b4
b2:
  s0 unreachable
b3:
  s0 unreachable
b4:
  s0 switch i32 r1, b3 [1: b5]
b5:
  s0 return
}
func "another_way" (r0) -> () {
  regs r0: i1, r1: i32
b0:
  s0 r1 = copy 1:i32
  s0 branch r0, b3, b4
b1:
  s0 return
b2:
  s0 return
b3:
  s0 unreachable
b4:
  s0 switch i32 r1, b3 [1: b5]
b5:
  s0 return
}
"#;

#[test]
fn a_switch_that_has_a_case_for_all_values_does_not_fall_through() {
    let module = selvedge_ir::parse(ENDS).expect("a program that parses");
    for function in module.functions.iter() {
        let cfg = Cfg::of(&module, function, |_| false);
        let never: Vec<usize> = never_reached(function, &cfg).iter().map(|b| b.index()).collect();
        let expected: &[usize] = if function.name == "all" { &[3] } else { &[] };
        assert_eq!(never, expected, "{}", function.name);
    }
}

#[test]
fn who_may_run_whom() {
    let module = selvedge_ir::parse(CALLS).expect("a program that parses");
    let graph = CallGraph::of(&module);
    let named = |ids: Vec<usize>| -> Vec<&str> {
        ids.into_iter()
            .map(|f| module.functions.as_slice()[f].name.as_str())
            .collect()
    };
    let ids = |set: Vec<bool>| (0..set.len()).filter(|&f| set[f]).collect::<Vec<_>>();
    let function = |name| module.function(name).expect("a function");
    let callees = |name| named(graph.callees(function(name)).map(|f| f.index()).collect());
    assert_eq!(callees("main"), ["worker", "pthread_create", "even"]);
    assert_eq!(
        named(graph.taken().map(|f| f.index()).collect()),
        ["worker", "table_entry"]
    );
    // A library function that is not known runs whatever it can get; malloc runs nothing.
    assert_eq!(callees("pthread_create"), ["worker", "table_entry"]);
    assert!(callees("malloc").is_empty());
    assert_eq!(callees("indirect"), ["worker", "table_entry"]);
    assert_eq!(named(ids(graph.recursive())), ["even", "odd"]);
    let reached = named(ids(graph.reachable([function("worker")])));
    assert_eq!(reached, ["worker", "malloc"]);
    let reaching = named(ids(graph.reaching(|f| f == function("odd"))));
    assert_eq!(reaching, ["main", "even", "odd"]);
}
