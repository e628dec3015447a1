//! Operands, arithmetic and memory: what each instruction requires of its operands and results.

use super::{broken, check};

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
