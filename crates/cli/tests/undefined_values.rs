//! What LLVM's Language Reference says of undef, poison and the lives of locals, rule by rule: one
//! small program in LLVM's text each, because for C it is clang that decides what reaches the
//! machine.
//!
//! A value that may be any value must never be one in particular: a program for which some choice
//! of it is a violation is not `true`.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is wanted of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    True,
    /// With a finding of this kind.
    False(&'static str),
    /// With these words in the reason.
    Unknown(&'static str),
}
use Wanted::{False, True, Unknown};

const ABORT: &str = "assertion.abort";
const UNDEFINED: &str = "memory.uninitialized";

/// The body of `main` for instructions, of which `%bad` says whether to abort.
fn aborts_if_bad(instructions: &str) -> String {
    format!(
        "define i32 @main() {{\n{instructions}\n  br i1 %bad, label %yes, label %no\n\
         yes:\n  call void @abort()\n  unreachable\nno:\n  ret i32 0\n}}\n{DECLARATIONS}"
    )
}

/// The same for instructions of which nothing is used.
fn ends(instructions: &str) -> String {
    format!("define i32 @main() {{\n{instructions}\n  ret i32 0\n}}\n{DECLARATIONS}")
}

const DECLARATIONS: &str = "declare void @abort()
declare void @llvm.assume(i1)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.abs.i32(i32, i1)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@number = global i32 7
@byte = global i8 2
@null = global ptr null
@most = global i32 -1
@least = global i32 -2147483648
@big = global double 1.0e30
@huge = global i64 4611686018427387904
";

static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// Checks a program; its last line and all of what was said.
fn check(text: &str) -> (String, String) {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("undefined-values-{}-{number}.ll", std::process::id()));
    std::fs::write(
        &file,
        format!("target triple = \"x86_64-unknown-linux-gnu\"\n{text}"),
    )
    .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--finding", "none", "--progress", "never"])
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default().to_owned();
    (last, said + &String::from_utf8_lossy(&output.stderr))
}

/// Checks programs and says which are not as wanted.
fn hold(rules: &[(&str, Wanted, String)]) {
    let mut broken = Vec::new();
    for (rule, wanted, text) in rules {
        let (last, said) = check(text);
        let holds = match wanted {
            True => last == "true",
            False(kind) => last.starts_with("false(") && said.contains(&format!("error[{kind}]")),
            Unknown(reason) => last.starts_with("unknown(") && last.contains(reason),
        };
        if !holds {
            broken.push(format!("{rule}: wanted {wanted:?}, got {last}\n{said}"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn bad(rule: &'static str, wanted: Wanted, instructions: &str) -> (&'static str, Wanted, String) {
    (rule, wanted, aborts_if_bad(instructions))
}

fn unused(rule: &'static str, wanted: Wanted, instructions: &str) -> (&'static str, Wanted, String) {
    (rule, wanted, ends(instructions))
}

#[test]
fn freeze_gives_any_value() {
    hold(&[
        bad(
            "of undef",
            False(ABORT),
            "%a = freeze i32 undef\n %bad = icmp eq i32 %a, 77",
        ),
        bad(
            "of poison",
            False(ABORT),
            "%a = freeze i32 poison\n %bad = icmp eq i32 %a, -5",
        ),
        bad(
            "of memory",
            False(ABORT),
            "%p = alloca i64\n %u = load i64, ptr %p\n %a = freeze i64 %u\n %bad = icmp eq i64 %a, 1234567890123",
        ),
        bad("of a truth value", False(ABORT), "%bad = freeze i1 undef"),
        bad(
            "the same at each use",
            True,
            "%a = freeze i32 undef\n %d = sub i32 %a, %a\n %bad = icmp ne i32 %d, 0",
        ),
        bad(
            "another one each time",
            False(ABORT),
            "%a = freeze i32 undef\n %b = freeze i32 undef\n %bad = icmp ne i32 %a, %b",
        ),
        bad(
            "what is defined stays",
            True,
            "%n = load i32, ptr @number\n %a = freeze i32 %n\n %bad = icmp ne i32 %a, 7",
        ),
        bad(
            "bits that are defined stay",
            True,
            "%p = alloca i32\n store i8 9, ptr %p\n %u = load i32, ptr %p\n %a = freeze i32 %u\n\
             %l = and i32 %a, 255\n %bad = icmp ne i32 %l, 9",
        ),
        bad(
            "bits that are not may be anything",
            False(ABORT),
            "%p = alloca i32\n store i8 9, ptr %p\n %u = load i32, ptr %p\n %a = freeze i32 %u\n\
             %bad = icmp eq i32 %a, 4105",
        ),
        bad(
            "a defined half of a wide value stays",
            True,
            "%p = alloca i128\n store i64 3, ptr %p\n %u = load i128, ptr %p\n %a = freeze i128 %u\n\
             %l = trunc i128 %a to i64\n %bad = icmp ne i64 %l, 3",
        ),
        bad(
            "the other half may be anything",
            False(ABORT),
            "%p = alloca i128\n store i64 3, ptr %p\n %u = load i128, ptr %p\n %a = freeze i128 %u\n\
             %h = lshr i128 %a, 64\n %l = trunc i128 %h to i64\n %bad = icmp eq i64 %l, 5",
        ),
        bad(
            "each lane for itself",
            False(ABORT),
            "%a = freeze <2 x i32> <i32 1, i32 poison>\n %e = extractelement <2 x i32> %a, i32 1\n\
             %bad = icmp eq i32 %e, 6",
        ),
        bad(
            "a lane that is defined stays",
            True,
            "%a = freeze <2 x i32> <i32 1, i32 poison>\n %e = extractelement <2 x i32> %a, i32 0\n\
             %bad = icmp ne i32 %e, 1",
        ),
        unused(
            "an address that may be anything",
            False("memory.null-dereference"),
            "%a = freeze ptr poison\n store i32 1, ptr %a",
        ),
    ]);
}

#[test]
fn undefined_values_decide_nothing() {
    hold(&[
        bad("a branch on undef", False(UNDEFINED), "%bad = and i1 undef, true"),
        bad(
            "a branch on poison",
            False(UNDEFINED),
            "%bad = and i1 poison, true",
        ),
        bad(
            "a bit that is defined whatever the others are",
            True,
            "%p = alloca i32\n %u = load i32, ptr %p\n %z = and i32 %u, 0\n %bad = icmp ne i32 %z, 0",
        ),
        (
            "a switch on poison",
            False(UNDEFINED),
            "define i32 @main() {\n  switch i32 poison, label %a [ i32 1, label %a ]\na:\n  ret i32 0\n}"
                .into(),
        ),
        unused(
            "a store through poison",
            False(UNDEFINED),
            "store i32 1, ptr poison",
        ),
        unused("division by undef", False(UNDEFINED), "%x = udiv i32 1, undef"),
        unused("a call through undef", False(UNDEFINED), "call void undef()"),
        unused("a poison value that nobody uses", True, "%x = add i32 poison, 1"),
        unused(
            "a choice by poison that nobody uses",
            True,
            "%x = select i1 poison, i32 1, i32 2\n %y = add i32 %x, 1",
        ),
        bad(
            "a choice by poison",
            False(UNDEFINED),
            "%x = select i1 poison, i32 1, i32 2\n %bad = icmp eq i32 %x, 1",
        ),
        bad(
            "a choice by undef",
            False(UNDEFINED),
            "%x = select i1 undef, i32 1, i32 2\n %bad = icmp eq i32 %x, 1",
        ),
        bad(
            "a choice by undef between equal values",
            True,
            "%n = load i32, ptr @number\n %x = select i1 undef, i32 %n, i32 7\n %bad = icmp ne i32 %x, 7",
        ),
        bad(
            "a choice by undef among addresses",
            False(UNDEFINED),
            "%x = select i1 undef, ptr @number, ptr @most\n %n = load i32, ptr %x\n %bad = icmp eq i32 %n, 3",
        ),
        bad(
            "a wide choice by undef",
            False(UNDEFINED),
            "%x = select i1 undef, i128 1, i128 2\n %bad = icmp eq i128 %x, 1",
        ),
        bad(
            "copied bytes without a value",
            False(UNDEFINED),
            "%a = alloca i32\n %b = alloca i32\n store i32 poison, ptr %a\n\
             call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 4, i1 false)\n\
             %x = load i32, ptr %b\n %bad = icmp eq i32 %x, 1",
        ),
        unused(
            "unreachable code",
            False("assertion.unreachable"),
            "unreachable\nnever:",
        ),
    ]);
}

#[test]
fn flags_that_do_not_hold_give_poison() {
    let loads = "%m = load i32, ptr @most\n %n = load i32, ptr @number\n %l = load i32, ptr @least\n\
                 %d = load double, ptr @big\n";
    // Each broken, and each kept.
    let flagged = [
        ("add nuw", "%x = add nuw i32 %m, 1", "%x = add nuw i32 %n, 1"),
        ("sub nuw", "%x = sub nuw i32 %n, 8", "%x = sub nuw i32 %n, 7"),
        ("mul nuw", "%x = mul nuw i32 %m, 2", "%x = mul nuw i32 %n, 2"),
        ("shl nuw", "%x = shl nuw i32 %m, 1", "%x = shl nuw i32 %n, 1"),
        (
            "shl nuw by a variable",
            "%x = shl nuw i32 %m, %n",
            "%x = shl nuw i32 %n, %n",
        ),
        (
            "lshr exact",
            "%x = lshr exact i32 %n, 1",
            "%x = lshr exact i32 %l, 1",
        ),
        (
            "ashr exact",
            "%x = ashr exact i32 %m, 1",
            "%x = ashr exact i32 %l, 1",
        ),
        (
            "udiv exact",
            "%x = udiv exact i32 %n, 2",
            "%x = udiv exact i32 %n, 7",
        ),
        (
            "sdiv exact",
            "%x = sdiv exact i32 %n, 2",
            "%x = sdiv exact i32 %n, 7",
        ),
        (
            "or disjoint",
            "%x = or disjoint i32 %n, 1",
            "%x = or disjoint i32 %n, 8",
        ),
        (
            "zext nneg",
            "%w = zext nneg i32 %m to i64\n %x = trunc i64 %w to i32",
            "%w = zext nneg i32 %n to i64\n %x = trunc i64 %w to i32",
        ),
        (
            "uitofp nneg",
            "%f = uitofp nneg i32 %m to double\n %x = fptosi double 1.0 to i32\n %g = fcmp oeq double %f, 1.0\n %y = select i1 %g, i32 1, i32 2",
            "%f = uitofp nneg i32 %n to double\n %x = fptosi double %f to i32",
        ),
        (
            "trunc nuw",
            "%s = trunc nuw i32 %m to i8\n %x = zext i8 %s to i32",
            "%s = trunc nuw i32 %n to i8\n %x = zext i8 %s to i32",
        ),
        (
            "trunc nsw",
            "%s = trunc nsw i32 %l to i8\n %x = zext i8 %s to i32",
            "%s = trunc nsw i32 %m to i8\n %x = zext i8 %s to i32",
        ),
        (
            "icmp samesign",
            "%c = icmp samesign ult i32 %m, 1\n %x = zext i1 %c to i32",
            "%c = icmp samesign ult i32 %n, 1\n %x = zext i1 %c to i32",
        ),
        (
            "ctlz of zero",
            "%z = sub i32 %n, 7\n %x = call i32 @llvm.ctlz.i32(i32 %z, i1 true)",
            "%x = call i32 @llvm.ctlz.i32(i32 %n, i1 true)",
        ),
        (
            "abs of the least",
            "%x = call i32 @llvm.abs.i32(i32 %l, i1 true)",
            "%x = call i32 @llvm.abs.i32(i32 %m, i1 true)",
        ),
        (
            "fptosi",
            "%x = fptosi double %d to i32",
            "%x = fptosi double 4.0 to i32",
        ),
        (
            "a shift too far",
            "%v = add i32 %n, 25\n %x = shl i32 1, %v",
            "%x = shl i32 1, %n",
        ),
        (
            "an element outside",
            "%x = extractelement <2 x i32> <i32 1, i32 2>, i32 %n",
            "%i = sub i32 %n, 6\n %x = extractelement <2 x i32> <i32 1, i32 2>, i32 %i",
        ),
        (
            "an element outside, constant",
            "%x = extractelement <2 x i32> <i32 1, i32 2>, i32 9",
            "%x = extractelement <2 x i32> <i32 1, i32 2>, i32 1",
        ),
        (
            "an insertion outside",
            "%v = insertelement <2 x i32> <i32 1, i32 2>, i32 3, i32 %n\n %x = extractelement <2 x i32> %v, i32 0",
            "%i = sub i32 %n, 6\n %v = insertelement <2 x i32> <i32 1, i32 2>, i32 3, i32 %i\n %x = extractelement <2 x i32> %v, i32 0",
        ),
        (
            "an insertion outside, constant",
            "%v = insertelement <2 x i32> <i32 1, i32 2>, i32 3, i32 2\n %x = extractelement <2 x i32> %v, i32 0",
            "%v = insertelement <2 x i32> <i32 1, i32 2>, i32 3, i32 1\n %x = extractelement <2 x i32> %v, i32 0",
        ),
        (
            "a lane without a source",
            "%v = shufflevector <2 x i32> <i32 1, i32 2>, <2 x i32> poison, <2 x i32> <i32 poison, i32 1>\n %x = extractelement <2 x i32> %v, i32 0",
            "%v = shufflevector <2 x i32> <i32 1, i32 2>, <2 x i32> poison, <2 x i32> <i32 poison, i32 1>\n %x = extractelement <2 x i32> %v, i32 1",
        ),
        (
            "!range",
            "%s = load i8, ptr @byte, !range !0\n %x = zext i8 %s to i32",
            "%s = load i8, ptr @byte, !range !1\n %x = zext i8 %s to i32",
        ),
    ];
    let mut rules = Vec::new();
    for (flag, broken, kept) in flagged {
        let metadata = "!0 = !{i8 0, i8 2}\n!1 = !{i8 0, i8 1, i8 2, i8 4}\n";
        let used = |instructions: &str| {
            let last = if instructions.contains("%y =") { "%y" } else { "%x" };
            aborts_if_bad(&format!(
                "{loads}{instructions}\n %bad = icmp eq i32 {last}, 123456"
            )) + metadata
        };
        rules.push((flag, False(UNDEFINED), used(broken)));
        rules.push((flag, True, used(kept)));
        rules.push((flag, True, ends(&format!("{loads}{broken}")) + metadata));
    }
    let pointer = "%p = load ptr, ptr @null, !nonnull !0\n %bad = icmp eq ptr %p, null";
    rules.push((
        "!nonnull",
        False(UNDEFINED),
        aborts_if_bad(pointer) + "!0 = !{}\n",
    ));
    hold(&rules);
}

#[test]
fn shifts_that_nobody_moved_are_faults_where_they_stand() {
    let program = |attributes: &str| {
        ends("%n = load i32, ptr @number\n %v = add i32 %n, 25\n %x = shl i32 1, %v")
            .replace("@main() {", &format!("@main() {attributes} {{"))
    };
    hold(&[
        (
            "of the programmer",
            False("arithmetic.shift"),
            program("optnone noinline"),
        ),
        ("of an optimiser", True, program("")),
    ]);
}

#[test]
fn assumptions_hold_or_are_faults() {
    const BROKEN: &str = "assertion.unreachable";
    hold(&[
        unused(
            "that holds",
            True,
            "%n = load i32, ptr @number\n %c = icmp eq i32 %n, 7\n call void @llvm.assume(i1 %c)",
        ),
        unused(
            "that does not",
            False(BROKEN),
            "%n = load i32, ptr @number\n %c = icmp eq i32 %n, 8\n call void @llvm.assume(i1 %c)",
        ),
        unused("of undef", False(UNDEFINED), "call void @llvm.assume(i1 undef)"),
        unused(
            "with a bundle",
            True,
            "call void @llvm.assume(i1 true) [\"align\"(ptr @number, i64 4)]",
        ),
        unused(
            "about any value",
            False(BROKEN),
            "%a = freeze i32 undef\n %c = icmp ne i32 %a, 3\n call void @llvm.assume(i1 %c)",
        ),
    ]);
}

#[test]
fn addresses_do_not_wrap_within_their_object() {
    hold(&[
        unused(
            "an index that comes back around",
            False("memory.out-of-bounds"),
            "%i = load i64, ptr @huge\n %p = getelementptr inbounds i32, ptr @number, i64 %i\n %x = load i32, ptr %p",
        ),
        unused(
            "two indices that do",
            False("memory.out-of-bounds"),
            "%i = load i64, ptr @huge\n %p = getelementptr inbounds [1 x i32], ptr @number, i64 %i, i64 %i\n\
             %x = load i32, ptr %p",
        ),
        (
            "an input that comes back around",
            False("memory.out-of-bounds"),
            format!(
                "define i32 @main() {{\n %i = call i64 @__VERIFIER_nondet_long()\n %c = icmp slt i64 %i, 100000000000\n\
                 br i1 %c, label %no, label %yes\nyes:\n %k = and i64 %i, 15\n %z = icmp eq i64 %k, 0\n\
                 br i1 %z, label %use, label %no\nuse:\n %h = icmp eq i64 %i, 4611686018427387904\n\
                 br i1 %h, label %read, label %no\nread:\n %p = getelementptr inbounds i32, ptr @number, i64 %i\n\
                 %x = load i32, ptr %p\n br label %no\nno:\n ret i32 0\n}}\n\
                 declare i64 @__VERIFIER_nondet_long()\n{DECLARATIONS}"
            ),
        ),
        unused(
            "one that may wrap",
            True,
            "%i = load i64, ptr @huge\n %p = getelementptr i32, ptr @number, i64 %i\n %x = load i32, ptr %p",
        ),
        unused(
            "one that nobody uses",
            True,
            "%i = load i64, ptr @huge\n %p = getelementptr inbounds i32, ptr @number, i64 %i",
        ),
        bad(
            "an address laundered",
            True,
            "%p = call ptr @llvm.launder.invariant.group.p0(ptr @number)\n %x = load i32, ptr %p\n\
             %bad = icmp ne i32 %x, 7",
        ),
    ]);
}

#[test]
fn integers_that_are_no_whole_bytes() {
    hold(&[
        bad(
            "come back as they went",
            True,
            "%p = alloca i24\n store i24 -2, ptr %p\n %x = load i24, ptr %p\n %bad = icmp ne i24 %x, -2",
        ),
        bad(
            "a truth value comes back",
            True,
            "%p = alloca i1\n store i1 true, ptr %p\n %x = load i1, ptr %p\n %bad = xor i1 %x, true",
        ),
        bad(
            "their low bits are in memory",
            True,
            "%p = alloca i8\n store i3 5, ptr %p\n %x = load i8, ptr %p\n %l = and i8 %x, 7\n %bad = icmp ne i8 %l, 5",
        ),
        bad(
            "what is above them is not",
            False(UNDEFINED),
            "%p = alloca i8\n store i3 5, ptr %p\n %x = load i8, ptr %p\n %bad = icmp ne i8 %x, 5",
        ),
        bad(
            "loaded from other bytes",
            False(UNDEFINED),
            "%x = load i1, ptr @byte\n %bad = and i1 %x, true",
        ),
    ]);
}

#[test]
fn locals_live_from_their_start_to_their_end() {
    let twice = |between: &str, end: &str| {
        format!(
            "%a = alloca [8 x i8], align 8\n %p = getelementptr inbounds i8, ptr %a, i64 4\n\
             {between}\n {end}"
        )
    };
    let start = "call void @llvm.lifetime.start.p0(ptr %a)\n";
    let end = "call void @llvm.lifetime.end.p0(ptr %a)\n";
    let write = "store i32 1, ptr %p\n";
    let read = |name: &str| format!("%{name} = load i32, ptr %p\n");
    hold(&[
        bad(
            "an address from before",
            True,
            &twice(
                &format!("{start}{write}{}{end}", read("v")),
                "%bad = icmp ne i32 %v, 1",
            ),
        ),
        bad(
            "the same address in a second life",
            True,
            &twice(
                &format!("{start}{write}{end}{start}{write}{}{end}", read("v")),
                "%bad = icmp ne i32 %v, 1",
            ),
        ),
        bad(
            "a second life begins undefined",
            False(UNDEFINED),
            &twice(
                &format!("{start}{write}{end}{start}{}{end}", read("v")),
                "%bad = icmp ne i32 %v, 1",
            ),
        ),
        bad(
            "a start within a life undoes what was written",
            False(UNDEFINED),
            &twice(
                &format!("{start}{write}{start}{}{end}", read("v")),
                "%bad = icmp ne i32 %v, 1",
            ),
        ),
        unused(
            "before its start",
            False("memory.use-after-scope"),
            &twice(&format!("{write}{start}{end}"), ""),
        ),
        unused(
            "after its end",
            False("memory.use-after-scope"),
            &twice(&format!("{start}{end}{write}"), ""),
        ),
        unused(
            "after the end of a second life",
            False("memory.use-after-scope"),
            &twice(&format!("{start}{end}{start}{end}{write}"), ""),
        ),
        unused(
            "an end without a life",
            True,
            &twice(&format!("{end}{start}{end}{end}"), ""),
        ),
        unused("an end alone", True, &twice(&format!("{write}{end}"), "")),
        unused(
            "a local that is read and written as a whole",
            False("memory.use-after-scope"),
            "%a = alloca i32\n call void @llvm.lifetime.start.p0(ptr %a)\n store i32 1, ptr %a\n\
             call void @llvm.lifetime.end.p0(ptr %a)\n %v = load i32, ptr %a",
        ),
        (
            "a scope that begins while another thread looks",
            False("data-race"),
            format!(
                "define i32 @main() {{\n %a = alloca i32\n %t = alloca i64\n\
                 %e = call i32 @pthread_create(ptr %t, ptr null, ptr @look, ptr %a)\n {start} %h = load i64, ptr %t\n\
                 %j = call i32 @pthread_join(i64 %h, ptr null)\n {end} ret i32 0\n}}\n\
                 define ptr @look(ptr %there) {{\n %x = load i32, ptr %there\n ret ptr null\n}}\n\
                 declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n{DECLARATIONS}"
            ),
        ),
        unused(
            "markers of nothing",
            True,
            "call void @llvm.lifetime.start.p0(ptr poison)",
        ),
    ]);
}

#[test]
fn sizes_that_wrap_are_no_sizes() {
    hold(&[
        unused(
            "constant",
            Unknown("no room"),
            "%a = alloca i64, i64 -1\n store i64 1, ptr %a",
        ),
        unused(
            "of bytes",
            Unknown("no room"),
            "%a = alloca i8, i64 -1\n store i8 1, ptr %a",
        ),
        unused(
            "computed",
            Unknown("no room"),
            "%i = load i64, ptr @huge\n %a = alloca i64, i64 %i\n store i64 1, ptr %a",
        ),
        (
            "elsewhere than in the first block",
            Unknown("no room"),
            "define i32 @main() {\n  br label %next\nnext:\n  %a = alloca i64, i64 2305843009213693953\n\
             store i64 1, ptr %a\n  ret i32 0\n}"
                .into(),
        ),
    ]);
}

#[test]
fn variables_that_nothing_defines_are_unknown_where_they_are_used() {
    let nowhere = |what: &'static str, instructions: &str| {
        let declared = "@limit = external global i32\n@list = external global [0 x i32]\n\
                        %hidden = type opaque\n@thing = external global %hidden\n\
                        @mine = external thread_local global i32\n@maybe = extern_weak global i32\n";
        (what, declared.to_owned() + &ends(instructions))
    };
    let unknown = |(what, text): (&'static str, String), name: &'static str| (what, Unknown(name), text);
    hold(&[
        unknown(nowhere("read", "%x = load i32, ptr @limit"), "`limit`"),
        unknown(nowhere("written", "store i32 1, ptr @limit"), "`limit`"),
        unknown(
            nowhere(
                "copied",
                "%a = alloca i32\n call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr @limit, i64 4, i1 false)",
            ),
            "`limit`",
        ),
        unknown(
            nowhere("changed", "%x = atomicrmw add ptr @limit, i32 1 seq_cst"),
            "`limit`",
        ),
        unknown(
            nowhere(
                "far within",
                "%p = getelementptr inbounds i32, ptr @list, i64 1000\n %x = load i32, ptr %p",
            ),
            "`list`",
        ),
        unknown(nowhere("of no known type", "%x = load i8, ptr @thing"), "`thing`"),
        unknown(nowhere("of each thread", "%x = load i32, ptr @mine"), "`mine`"),
        {
            let (what, text) = nowhere(
                "an address that is only compared",
                "%c = icmp eq ptr @limit, @list\n br i1 %c, label %a, label %a\na:",
            );
            (what, True, text)
        },
        {
            let (what, text) = nowhere(
                "weak and tested",
                "%c = icmp eq ptr @maybe, null\n br i1 %c, label %b, label %a\na:\n call void @abort()\n unreachable\nb:",
            );
            (what, True, text)
        },
    ]);
}
