//! The verifier, seen to fail: each case breaks one invariant of a well-formed module and names all errors that must
//! come of it.

use selvedge_ir::{FunctionBuilder, InstKind, ModuleBuilder, Operand, Problem, Type, parse, verify};

const MODULE: &str = r#"
file "a.c"
stmt f0#0 at file0:1:1
stmt f1#0
stmt f2#0
stmt f0#1
global "x" size 24 align 8 init "0123456789abcdef" reloc 0 g1+4 reloc 8 f2 undef 16..20 at file0:1:1
global "y" size 4 align 4
global "" size 1 align 1
global "" size 1 align 1
func "main" () -> (i32) at file0:1:1 {
  regs r0: i32, r1: i64, r2: ptr, r3: f32, r4: f64, r5: i1, r6: i8, r7: i128
  regs r8: i1, r9: i32
  local "buffer" size 16 align 16
  local "inner" size 4 align 4 scoped
b0:
  s0 r0 = copy 1:i32
  s0 r0 = add nsw r0, 7:i32
  s0 r4 = fadd r4, 0x0:f64
  s0 r1 = ctpop r1
  s0 r3 = fsqrt r3
  s0 r2 = freeze g0+4
  s0 r0 = trunc i64 r1
  s0 r1 = sext i32 r0
  s0 r0 = fptosi f32 r3
  s0 r4 = uitofp i32 r0
  s0 r3 = fptrunc f64 r4
  s0 r4 = fpext f32 r3
  s0 r2 = bitcast i64 r1
  s0 r5 = cmp eq ptr r2, 0:ptr
  s0 r5 = fcmp olt f32 r3, undef:f32
  s0 r0 = select r5, r0, poison:i32
  s0 r0, r5 = overflow sadd r0, 2:i32
  s0 r0 = sat uadd r0, 3:i32
  s0 r0 = smin r0, 4:i32
  s0 r1 = fshl r1, r1, 9:i64
  s0 r4 = fma r4, r4, r4
  s0 r2 = local l0
  s0 lifetime_start l1
  s0 lifetime_end l1
  s0 r2 = alloca r1, align 16
  s0 r2 = stack_save
  s0 stack_restore r2
  s0 r2 = gep inbounds f0.b0, -8 [r0:32 * 4]
  s0 r0 = load atomic acquire i32 g1, align 4
  s0 store atomic release i32 r0, g1, align 4
  s0 r9 = rmw add acq_rel i32 g1, 5:i32
  s0 r3 = rmw fadd acq_rel f32 g1, r3
  s0 r4 = rmw xchg acq_rel f64 g0, r4
  s0 r9, r8 = cmpxchg seq_cst acquire i32 g1, r0, 6:i32
  s0 fence seq_cst
  s0 memcpy g0, g0+8, 8:i64
  s0 memset g0+1, r6, 7:i32
  s0 r9, r6 = call f1(r2 as ptr, 10:i32)
  s0 r9, r6 = call f1(r2 as ptr, 11:i32, r4 as f64)
  s0 call *r2(r3 as f32)
  s0 call f3(12:i64)
  s0 va_copy r2, g0+16
  s3 switch i32 r9, b1 [0: b1, 1: b2]
b1:
  s3 branch r5, b3, b2
b2:
  s3 goto r2 [b1, b3]
b3:
  s3 jump b4
b4:
  s3 return r0
b5:
  s3 trap
}
func "work" (r0, r1) -> (i32, i8) varargs {
  regs r0: ptr, r1: i32
b0:
  s1 va_start r0
  s1 return r1, 1:i8
}
func "init" () -> () {
b0:
  s2 return
}
func "printf" (r0) -> (i32) varargs {
  regs r0: ptr
}
constructors f2
destructors f2
"#;

/// Replaces a part of the module, which must occur once, and says what the verifier reports.
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
fn operands() {
    let at = |problem: &str| format!("f0 b0 instruction 0: {problem}");
    let cases = [
        ("copy r99", "r99 does not exist"),
        ("copy 4294967296:i32", "0x100000000 does not fit i32"),
        ("copy 0:i200", "there is no integer type i200"),
        ("copy undef:i0", "there is no integer type i0"),
        ("copy g99", "g99 does not exist"),
        ("copy f99", "f99 does not exist"),
        ("copy f99.b0", "f99.b0 does not exist"),
        ("copy f0.b99", "f0.b99 does not exist"),
        ("copy f3.b0", "f3.b0 does not exist"),
        ("copy poison:i64", "the value is i64, must be i32"),
    ];
    for (replacement, problem) in cases {
        assert_eq!(broken("copy 1:i32", replacement)[0], at(problem), "{replacement}");
    }
    check(&[(
        "r0 = copy 1:i32",
        "r99 = copy 1:i32",
        &["f0 b0 instruction 0: r99 does not exist"],
    )]);
}

#[test]
fn arithmetic() {
    let number = |n: usize, problem: &str| vec![format!("f0 b0 instruction {n}: {problem}")];
    let cases = [
        (
            1,
            "add nsw r0, 7:i32",
            "add nsw r0, 7:i64",
            "an operand is i64, must be i32",
        ),
        (
            1,
            "add nsw r0, 7:i32",
            "fadd r0, r0",
            "the result is i32, must be a floating-point number",
        ),
        (
            2,
            "fadd r4, 0x0:f64",
            "xor r4, r4",
            "the result is f64, must be an integer or a pointer",
        ),
        (3, "ctpop r1", "ctpop r0", "an operand is i32, must be i64"),
        (4, "fsqrt r3", "bswap r3", "the result is f32, must be an integer"),
        (5, "freeze g0+4", "freeze r1", "the operand is i64, must be ptr"),
        (
            6,
            "trunc i64 r1",
            "trunc i64 r0",
            "the operand is i32, must be i64",
        ),
        (
            6,
            "trunc i64 r1",
            "trunc i32 r0",
            "trunc does not convert i32 to i32",
        ),
        (
            7,
            "sext i32 r0",
            "sext i128 r7",
            "sext does not convert i128 to i64",
        ),
        (
            8,
            "fptosi f32 r3",
            "fptosi i32 r0",
            "fptosi does not convert i32 to i32",
        ),
        (
            9,
            "uitofp i32 r0",
            "uitofp ptr r2",
            "uitofp does not convert ptr to f64",
        ),
        (
            10,
            "fptrunc f64 r4",
            "fptrunc f32 r3",
            "fptrunc does not convert f32 to f32",
        ),
        (
            11,
            "fpext f32 r3",
            "fpext f64 r4",
            "fpext does not convert f64 to f64",
        ),
        (
            12,
            "bitcast i64 r1",
            "bitcast i32 r0",
            "bitcast does not convert i32 to ptr",
        ),
        (
            13,
            "r5 = cmp eq ptr",
            "r0 = cmp eq ptr",
            "the result is i32, must be i1",
        ),
        (
            13,
            "cmp eq ptr r2, 0:ptr",
            "cmp eq ptr r2, 0:i64",
            "an operand is i64, must be ptr",
        ),
        (
            13,
            "cmp eq ptr r2, 0:ptr",
            "cmp eq f32 r3, r3",
            "the type compared is f32, must be an integer or a pointer",
        ),
        (
            14,
            "fcmp olt f32 r3, undef:f32",
            "fcmp olt i32 r0, r0",
            "the type compared is i32, must be a floating-point number",
        ),
        (
            15,
            "select r5, r0, poison:i32",
            "select r0, r0, r0",
            "the condition is i32, must be i1",
        ),
        (
            15,
            "select r5, r0, poison:i32",
            "select r5, r0, r1",
            "an operand is i64, must be i32",
        ),
        (
            16,
            "overflow sadd r0, 2:i32",
            "overflow sadd r0, 2:i64",
            "an operand is i64, must be i32",
        ),
        (
            16,
            "r0, r5 = overflow",
            "r0, r9 = overflow",
            "the overflow flag is i32, must be i1",
        ),
        (
            17,
            "sat uadd r0, 3:i32",
            "sat uadd r0, r1",
            "an operand is i64, must be i32",
        ),
        (
            18,
            "smin r0, 4:i32",
            "smin r0, r1",
            "an operand is i64, must be i32",
        ),
        (
            19,
            "fshl r1, r1, 9:i64",
            "fshl r1, r1, 9:i32",
            "an operand is i32, must be i64",
        ),
        (
            20,
            "r4 = fma r4, r4, r4",
            "r4 = fma r4, r4, r3",
            "an operand is f32, must be f64",
        ),
    ];
    for (n, part, replacement, problem) in cases {
        assert_eq!(
            broken(part, replacement),
            number(n, problem),
            "{part} => {replacement}"
        );
    }
    let same = broken(
        "r0, r5 = overflow sadd r0, 2:i32",
        "r5, r5 = overflow sadd r8, r8",
    );
    assert_eq!(same, number(16, "two results in r5"));
}

#[test]
fn memory() {
    let cases = [
        (21, "r2 = local l0", "r2 = local l9", "l9 does not exist"),
        (
            21,
            "r2 = local l0",
            "r1 = local l0",
            "the address is i64, must be ptr",
        ),
        (22, "lifetime_start l1", "lifetime_start l9", "l9 does not exist"),
        (22, "lifetime_start l1", "lifetime_start l0", "l0 is not scoped"),
        (23, "lifetime_end l1", "lifetime_end l0", "l0 is not scoped"),
        (
            24,
            "alloca r1, align 16",
            "alloca r1, align 24",
            "the alignment 24 is not a power of two",
        ),
        (
            24,
            "alloca r1, align 16",
            "alloca r2, align 8",
            "the size is ptr, must be an integer of at most 64 bits",
        ),
        (
            25,
            "r2 = stack_save",
            "r0 = stack_save",
            "the token is i32, must be a pointer or i64",
        ),
        (
            26,
            "stack_restore r2",
            "stack_restore r3",
            "the token is f32, must be a pointer or i64",
        ),
        (
            27,
            "f0.b0, -8 [r0:32",
            "r1, -8 [r0:32",
            "the base is i64, must be ptr",
        ),
        (
            27,
            "-8 [r0:32",
            "-8 [r0:64",
            "the index is i32, the term says 64 bits",
        ),
        (
            27,
            "-8 [r0:32",
            "-8 [r7:128",
            "the index is i128, must be an integer of at most 64 bits",
        ),
        (
            28,
            "acquire i32 g1, align 4",
            "acquire i32 g1, align 5",
            "the alignment 5 is not a power of two",
        ),
        (
            28,
            "acquire i32 g1, align 4",
            "acquire i64 g1, align 4",
            "the result is i32, must be i64",
        ),
        (
            28,
            "acquire i32 g1, align 4",
            "acquire i32 r1, align 4",
            "the address is i64, must be ptr",
        ),
        (
            28,
            "load atomic acquire",
            "load atomic release",
            "a load cannot be release",
        ),
        (
            28,
            "load atomic acquire",
            "load atomic acq_rel",
            "a load cannot be acq_rel",
        ),
        (
            29,
            "release i32 r0, g1, align 4",
            "release i32 r1, g1, align 4",
            "the value is i64, must be i32",
        ),
        (
            29,
            "release i32 r0, g1, align 4",
            "release i32 r0, g1, align 0",
            "the alignment 0 is not a power of two",
        ),
        (
            29,
            "release i32 r0, g1, align 4",
            "release i32 r0, r1, align 4",
            "the address is i64, must be ptr",
        ),
        (
            29,
            "store atomic release",
            "store atomic acquire",
            "a store cannot be acquire",
        ),
        (
            30,
            "r9 = rmw add acq_rel i32 g1, 5:i32",
            "r9 = rmw add acq_rel i32 g1, r1",
            "the value is i64, must be i32",
        ),
        (
            30,
            "r9 = rmw add acq_rel i32 g1, 5:i32",
            "r4 = rmw add acq_rel f64 g1, r4",
            "the type is f64, must be an integer or a pointer",
        ),
        (
            31,
            "r3 = rmw fadd acq_rel f32 g1, r3",
            "r0 = rmw fadd acq_rel i32 g1, r0",
            "the type is i32, must be a floating-point number",
        ),
        (
            32,
            "r4 = rmw xchg",
            "r3 = rmw xchg",
            "the result is f32, must be f64",
        ),
        (
            33,
            "r9, r8 = cmpxchg",
            "r9, r1 = cmpxchg",
            "the success flag is i64, must be i1",
        ),
        (
            33,
            "r9, r8 = cmpxchg",
            "r1, r8 = cmpxchg",
            "the old value is i64, must be i32",
        ),
        (
            33,
            "i32 g1, r0, 6:i32",
            "i32 g1, r1, 6:i32",
            "the expected value is i64, must be i32",
        ),
        (
            33,
            "i32 g1, r0, 6:i32",
            "i32 g1, r0, r1",
            "the new value is i64, must be i32",
        ),
        (
            33,
            "seq_cst acquire",
            "seq_cst release",
            "a failing compare-and-swap cannot be release",
        ),
        (34, "fence seq_cst", "fence relaxed", "a fence cannot be relaxed"),
        (
            35,
            "memcpy g0, g0+8, 8:i64",
            "memcpy r1, g0+8, 8:i64",
            "the destination is i64, must be ptr",
        ),
        (
            35,
            "memcpy g0, g0+8, 8:i64",
            "memcpy g0, r1, 8:i64",
            "the source is i64, must be ptr",
        ),
        (
            35,
            "memcpy g0, g0+8, 8:i64",
            "memcpy g0, g0, g0",
            "the length is ptr, must be an integer of at most 64 bits",
        ),
        (
            36,
            "memset g0+1, r6, 7:i32",
            "memset g0, r5, r0",
            "the value is i1, must be an integer of at least 8 bits",
        ),
    ];
    for (n, part, replacement, problem) in cases {
        let expected = [format!("f0 b0 instruction {n}: {problem}")];
        assert_eq!(broken(part, replacement), expected, "{part} => {replacement}");
    }
    let same = broken(
        "r9, r8 = cmpxchg seq_cst acquire i32 g1, r0, 6:i32",
        "r5, r5 = cmpxchg seq_cst acquire i1 g1, r5, r5",
    );
    assert_eq!(same, ["f0 b0 instruction 33: two results in r5"]);
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
    // Cannot be written down in the text format.
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
