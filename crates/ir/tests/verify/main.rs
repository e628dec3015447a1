//! Failures of the verifier: each case breaks one invariant of a well-formed module and lists all
//! errors that must result.

mod insts;

use selvedge_ir::{FunctionBuilder, InstKind, ModuleBuilder, Operand, Problem, Type, parse, verify};

const MODULE: &str = include_str!("../text/well_formed.ir");

/// Replaces a part of the module, which must occur exactly once, and returns what the verifier
/// reports.
fn broken(part: &str, replacement: &str) -> Vec<String> {
    assert_eq!(MODULE.matches(part).count(), 1, "{part}");
    let module = parse(&MODULE.replace(part, replacement)).expect("only the meaning is broken");
    let errors = verify(&module).err().unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn the_module_is_well_formed() {
    let module = parse(MODULE).expect("the text is of the format");
    assert_eq!(verify(&module), Ok(()));
}

fn check(cases: &[(&str, &str, &[&str])]) {
    for (part, replacement, expected) in cases {
        assert_eq!(broken(part, replacement), *expected, "{part} => {replacement}");
    }
}

#[test]
fn names_statements_and_lists() {
    check(&[
        (
            "global \"y\"",
            "global \"x\"",
            &["g1: another one is called \"x\" too"],
        ),
        (
            "func \"work\"",
            "func \"main\"",
            &["f1: another one is called \"main\" too"],
        ),
        ("func \"work\"", "func \"\"", &["f1: the name is empty"]),
        (
            "stmt f1#0",
            "stmt f1#0 at file7:1:0",
            &["s1: file7 does not exist"],
        ),
        ("stmt f1#0", "stmt f1#0 at file7:0:1", &[]),
        (
            "stmt f0#1",
            "stmt f0#0",
            &["s3: another statement of f0 has the ordinal 0 too"],
        ),
        ("stmt f0#1", "stmt f0#1 stmt f9#0", &["s4: f9 does not exist"]),
        (
            "s0 lifetime_end l1",
            "s9 lifetime_end l1",
            &["f0 b0 instruction 23: s9 does not exist"],
        ),
        (
            "s0 lifetime_end l1",
            "s1 lifetime_end l1",
            &["f0 b0 instruction 23: s1 is a statement of f1"],
        ),
        (
            "s3 trap",
            "s1 trap",
            &["f0 b5 terminator: s1 is a statement of f1"],
        ),
        (
            "constructors f2",
            "constructors f9",
            &["module: f9 does not exist"],
        ),
        (
            "destructors f2",
            "destructors f1",
            &["module: the constructor or destructor f1 takes parameters"],
        ),
    ]);
}

#[test]
fn globals() {
    check(&[
        (
            "\"y\" size 4 align 4",
            "\"y\" size 4 align 12",
            &["g1: the alignment 12 is not a power of two"],
        ),
        (
            "\"y\" size 4 align 4",
            "\"y\" size 4 align 0",
            &["g1: the alignment 0 is not a power of two"],
        ),
        (
            "16..20 at file0:1:1",
            "16..20 at file1:1:1",
            &["g0: file1 does not exist"],
        ),
        (
            "\"y\" size 4 align 4",
            "\"y\" size 4 align 4 init \"12345\"",
            &["g1: 5 initial bytes in 4"],
        ),
        (
            "reloc 8 f2",
            "reloc 9 f2",
            &["g0: the relocation at 9 is not within the initial bytes"],
        ),
        (
            "reloc 8 f2",
            "reloc 18446744073709551615 f2",
            &["g0: the relocation at 18446744073709551615 is not within the initial bytes"],
        ),
        (
            "reloc 8 f2",
            "reloc 7 f2",
            &["g0: the relocations at 0 and 7 overlap"],
        ),
        ("reloc 8 f2", "reloc 8 f9", &["g0: f9 does not exist"]),
        ("reloc 0 g1+4", "reloc 0 g9", &["g0: g9 does not exist"]),
        (
            "16..20",
            "16..16",
            &["g0: the undefined range 16..16 is empty or not within the global"],
        ),
        (
            "16..20",
            "16..25",
            &["g0: the undefined range 16..25 is empty or not within the global"],
        ),
    ]);
}

#[test]
fn heads_of_functions() {
    check(&[
        (
            "(i32) at file0:1:1",
            "(i32) at file2:1:1",
            &["f0: file2 does not exist"],
        ),
        ("\"printf\" (r0)", "\"printf\" (r1)", &["f3: r1 does not exist"]),
        (
            "\"printf\" (r0)",
            "\"printf\" (r0, r0)",
            &["f3: two parameters in r0"],
        ),
        (
            "\"printf\" (r0) -> (i32)",
            "\"printf\" (r0) -> (i0)",
            &["f3: there is no integer type i0"],
        ),
        (
            "r9: i32",
            "r9: i32, r10: i129",
            &["f0: there is no integer type i129"],
        ),
        (
            "size 16 align 16",
            "size 16 align 3",
            &["f0: the alignment 3 is not a power of two"],
        ),
    ]);
}

#[test]
fn calls() {
    let cases = [
        (
            37,
            "call f1(r2 as ptr, 10:i32)",
            "call f9(r2 as ptr, 10:i32)",
            "f9 does not exist",
        ),
        (
            37,
            "call f1(r2 as ptr, 10:i32)",
            "call f1(r2 as ptr)",
            "1 arguments for 2 parameters",
        ),
        (
            37,
            "call f1(r2 as ptr, 10:i32)",
            "call f1(r2 as ptr, 10:i64)",
            "an argument is i64, must be i32",
        ),
        (
            37,
            "r9, r6 = call f1(r2 as ptr, 10:i32)",
            "r9 = call f1(r2 as ptr, 10:i32)",
            "1 results of 2",
        ),
        (
            37,
            "r9, r6 = call f1(r2 as ptr, 10:i32)",
            "r9, r1 = call f1(r2 as ptr, 1:i32)",
            "a result is i64, must be i8",
        ),
        (39, "call *r2(", "call *r1(", "the callee is i64, must be ptr"),
        (
            39,
            "(r3 as f32)",
            "(r3 as f64)",
            "an argument is f32, must be f64",
        ),
        (
            39,
            "call *r2(r3 as f32)",
            "r1, r1 = call *r2(r3 as f32)",
            "two results in r1",
        ),
        (
            39,
            "call *r2(r3 as f32)",
            "r99 = call *r2(r3 as f32)",
            "r99 does not exist",
        ),
        (
            40,
            "call f3(12:i64)",
            "call f2(12:i64)",
            "1 arguments for 0 parameters",
        ),
        (
            41,
            "va_copy r2, g0+16",
            "va_copy r2, r1",
            "the source is i64, must be ptr",
        ),
        (
            41,
            "va_copy r2, g0+16",
            "va_start r2",
            "va_start in a function without variable arguments",
        ),
    ];
    for (n, part, replacement, problem) in cases {
        let expected = [format!("f0 b0 instruction {n}: {problem}")];
        assert_eq!(broken(part, replacement), expected, "{part} => {replacement}");
    }
    check(&[(
        "s1 va_start r0",
        "s1 va_start r1",
        &["f1 b0 instruction 0: the list is i32, must be ptr"],
    )]);
}

#[test]
fn terminators() {
    check(&[
        ("jump b4", "jump b6", &["f0 b3 terminator: f0.b6 does not exist"]),
        (
            "branch r5, b3",
            "branch r5, b9",
            &["f0 b1 terminator: f0.b9 does not exist"],
        ),
        (
            "branch r5, b3",
            "branch r0, b3",
            &["f0 b1 terminator: the condition is i32, must be i1"],
        ),
        (
            "switch i32 r9, b1",
            "switch i32 r1, b1",
            &["f0 b0 terminator: the value is i64, must be i32"],
        ),
        (
            "switch i32 r9, b1",
            "switch ptr r2, b1",
            &["f0 b0 terminator: the type switched on is ptr, must be an integer"],
        ),
        (
            "switch i32 r9, b1",
            "switch i32 r9, b9",
            &["f0 b0 terminator: f0.b9 does not exist"],
        ),
        (
            "[0: b1, 1: b2]",
            "[0: b1, 0: b2]",
            &["f0 b0 terminator: two cases of 0"],
        ),
        (
            "[0: b1, 1: b2]",
            "[0: b1, 1: b9]",
            &["f0 b0 terminator: f0.b9 does not exist"],
        ),
        (
            "[0: b1, 1: b2]",
            "[4294967296: b1]",
            &["f0 b0 terminator: 0x100000000 does not fit i32"],
        ),
        (
            "goto r2 [b1, b3]",
            "goto r1 [b1, b3]",
            &["f0 b2 terminator: the address is i64, must be ptr"],
        ),
        (
            "goto r2 [b1, b3]",
            "goto r2 [b1, b9]",
            &["f0 b2 terminator: f0.b9 does not exist"],
        ),
        (
            "s3 return r0",
            "s3 return r1",
            &["f0 b4 terminator: the returned value is i64, must be i32"],
        ),
        ("s3 return r0", "s3 return", &["f0 b4 terminator: 0 results of 1"]),
        ("s2 return", "s2 return r0", &["f2 b0 terminator: 1 results of 0"]),
    ]);
}

#[test]
fn arguments_and_their_types_pair() {
    // The text format cannot express this.
    let mut module = ModuleBuilder::new();
    let callee = module.declare("puts", &[Type::Ptr], &[Type::I32]);
    let mut main = FunctionBuilder::new("main");
    main.call(callee, &[(Operand::null(), Type::Ptr)], &[Type::I32]);
    main.ret(&[]);
    module.define(main);
    let mut module = module.finish();
    assert_eq!(verify(&module), Ok(()));

    let inst = module
        .functions
        .iter_mut()
        .flat_map(|f| f.blocks.iter_mut())
        .flat_map(|b| &mut b.insts)
        .next();
    let Some(InstKind::Call { types, .. }) = inst.map(|inst| &mut inst.kind) else {
        panic!("no call");
    };
    types.clear();
    let errors = verify(&module).expect_err("types are missing");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].problem, Problem::ArgumentTypes { args: 1, types: 0 });
}
