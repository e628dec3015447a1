//! Integers of 256 bits, as optimisers make them of products of two wide numbers: what the machine
//! computes is what the processor computes. And Rust prints `u128` and `i128` with them.

use selvedge_base::usual_or_long;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

fn check(program: &Path) -> (String, Output) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(["check", "--quiet", "--finding", "none"]);
    let output = command.arg(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    (text.lines().last().unwrap_or_default().to_owned(), output)
}

/// A number with few or many bits.
fn number(random: &mut fastrand::Rng) -> u128 {
    match random.u32(..8) {
        0 => 0,
        1 => u128::MAX,
        2 => 1 << random.u32(..128),
        _ => random.u128(..) >> random.u32(..128),
    }
}

/// One row: `(((a * b) >> shifts[0]) * c) >> shifts[1]`, in 256 bits.
struct Row {
    factors: [u128; 2],
    constant: u128,
    negative: bool,
    shifts: [u32; 2],
}

fn row(random: &mut fastrand::Rng) -> Row {
    let mut shift = || {
        let edges = [0, 1, 63, 64, 127, 128, 129, 179, 192, 255];
        match random.bool() {
            true => edges[random.usize(..edges.len())],
            false => random.u32(..256),
        }
    };
    let shifts = [shift(), shift()];
    Row {
        factors: [number(random), number(random)],
        constant: number(random),
        negative: random.bool(),
        shifts,
    }
}

/// The program that computes all rows, and does `then` with the register `%r` of each.
fn program(rows: &[Row], then: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    let mut body = String::new();
    for (n, row) in rows.iter().enumerate() {
        let sign = if row.negative && row.constant != 0 {
            "-"
        } else {
            ""
        };
        for (name, value) in ["a", "b"].iter().zip(row.factors) {
            writeln!(text, "@{name}{n} = global i128 {value}").unwrap();
        }
        writeln!(
            body,
            "br label %row{n}\nrow{n}:\n\
             %a{n} = load volatile i128, ptr @a{n}\n\
             %b{n} = load volatile i128, ptr @b{n}\n\
             %x{n} = zext i128 %a{n} to i256\n\
             %y{n} = zext i128 %b{n} to i256\n\
             %p{n} = mul i256 %x{n}, %y{n}\n\
             %s{n} = lshr i256 %p{n}, {}\n\
             %q{n} = mul i256 %s{n}, {sign}{}\n\
             %t{n} = lshr i256 %q{n}, {}\n\
             %r{n} = trunc i256 %t{n} to i128\n\
             %n{n} = trunc i256 %t{n} to i17\n\
             %w{n} = zext i17 %n{n} to i128\n\
             {}",
            row.shifts[0],
            row.constant,
            row.shifts[1],
            then(n)
        )
        .unwrap();
    }
    format!(
        "{text}@format = constant [20 x i8] c\"%016lx%016lx %05lx\\0A\\00\"\n\
         declare i32 @printf(ptr, ...)\ndeclare void @abort()\n\
         define i32 @main() {{\nentry:\n{body}ret i32 0\nwrong:\ncall void @abort()\nunreachable\n}}\n"
    )
}

fn print(n: usize) -> String {
    format!(
        "%h{n} = lshr i128 %r{n}, 64\n\
         %hi{n} = trunc i128 %h{n} to i64\n\
         %lo{n} = trunc i128 %r{n} to i64\n\
         %na{n} = trunc i128 %w{n} to i64\n\
         call i32 (ptr, ...) @printf(ptr @format, i64 %hi{n}, i64 %lo{n}, i64 %na{n})"
    )
}

#[test]
fn products_are_those_of_the_processor() {
    let mut random = fastrand::Rng::with_seed(usual_or_long(1, 2));
    let rows: Vec<Row> = (0..usual_or_long(200, 5000)).map(|_| row(&mut random)).collect();
    let directory = tempfile::tempdir().unwrap();
    let (source, native) = (
        directory.path().join("native.ll"),
        directory.path().join("native"),
    );
    std::fs::write(&source, program(&rows, print)).unwrap();
    let compiled = Command::new("clang-22")
        .args(["-O0", "-w", "-o"])
        .args([&native, &source])
        .status()
        .unwrap();
    assert!(compiled.success());
    let printed = Command::new(&native).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let expected: Vec<[u128; 2]> = printed
        .lines()
        .map(|line| {
            let (wide, narrow) = line.split_once(' ').unwrap();
            [wide, narrow].map(|number| u128::from_str_radix(number, 16).unwrap())
        })
        .collect();
    assert_eq!(expected.len(), rows.len());
    let compared = |wrong: Option<usize>| {
        program(&rows, |n| {
            let [wide, narrow] = expected[n];
            let wide = wide ^ u128::from(wrong == Some(n));
            format!(
                "%c{n} = icmp eq i128 %r{n}, {wide}\nbr i1 %c{n}, label %more{n}, label %wrong\nmore{n}:\n\
                 %d{n} = icmp eq i128 %w{n}, {narrow}\nbr i1 %d{n}, label %done{n}, label %wrong\ndone{n}:"
            )
        })
    };
    let path = directory.path().join("program.ll");
    for (wrong, verdict) in [(None, "true"), (Some(rows.len() - 1), "false(unreach-call)")] {
        std::fs::write(&path, compared(wrong)).unwrap();
        let (found, output) = check(&path);
        assert_eq!(found, verdict, "{output:?}");
    }
}

/// What flags promise: if it does not hold, the result is poison, and a use of it a finding.
#[test]
fn flags_are_checked() {
    const HIGHEST: &str = "170141183460469231731687303715884105728"; // 2^127
    // 2^129 is `%p`, 2^128 + 2^127 `%o`.
    let cases = [
        (
            "%v = mul nuw i256 %p, 85070591730234615865843651857942052864",
            true,
        ), // 2^126
        (&format!("%v = mul nuw i256 %p, {HIGHEST}"), false),
        ("%v = mul nuw i256 %p, %p", false),
        ("%v = mul i256 %p, %p", true),
        // 2^256 + 2^255, in which only the sum of the parts is too large.
        (&format!("%v = mul nuw i256 %o, {HIGHEST}"), true),
        (
            "%v = mul nuw i256 %o, 255211775190703847597530955573826158592",
            false,
        ), // 2^127 + 2^126
        ("%n = trunc nuw i256 %p to i128\n%v = zext i128 %n to i256", false),
        ("%n = trunc nuw i256 %h to i128\n%v = zext i128 %n to i256", true),
        (
            "%n = trunc nuw nsw i256 %h to i128\n%v = zext i128 %n to i256",
            false,
        ),
        ("%n = trunc nuw i256 %h to i64\n%v = zext i64 %n to i256", false),
        (
            "%n = trunc nuw nsw i256 %f to i64\n%v = zext i64 %n to i256",
            true,
        ),
        ("%n = trunc nuw nsw i256 %f to i3\n%v = zext i3 %n to i256", false),
        ("%n = trunc nuw i256 %f to i3\n%v = zext i3 %n to i256", true),
        ("%n = trunc nsw i256 %f to i4\n%v = zext i4 %n to i256", true),
        ("%v = zext nneg i128 %a to i256", false),
        ("%v = zext nneg i128 %b to i256", true),
        // A poison half is not lost in a shift.
        ("%m = zext nneg i128 %a to i256\n%v = lshr i256 %m, 130", false),
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.ll");
    for (code, fits) in cases {
        let text = format!(
            "@a = global i128 {HIGHEST}\n@b = global i128 4\n@c = global i128 3\n\
             define i32 @main() {{\n\
             %a = load volatile i128, ptr @a\n%b = load volatile i128, ptr @b\n\
             %c = load volatile i128, ptr @c\n\
             %h = zext i128 %a to i256\n%f = zext i128 %b to i256\n%t = zext i128 %c to i256\n\
             %p = mul i256 %h, %f\n%o = mul i256 %h, %t\n\
             {code}\n\
             %l = trunc i256 %v to i64\n%z = icmp eq i64 %l, 12345\n\
             br i1 %z, label %one, label %two\none:\nret i32 1\ntwo:\nret i32 0\n}}\n"
        );
        std::fs::write(&path, text).unwrap();
        let (verdict, output) = check(&path);
        let expected = if fits { "true" } else { "false(" };
        assert!(verdict.starts_with(expected), "{code}: {output:?}");
    }
}

/// All else that has such a value is unsupported.
#[test]
fn other_operations_are_unsupported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.ll");
    for code in [
        "%v = add i256 %x, %x",
        "%v = mul nsw i256 %x, %x",
        "%v = lshr i256 %x, %x",
        "%v = lshr exact i256 %x, 1",
        "%v = sext i128 %a to i256",
        "store i256 %x, ptr @a",
        "%v = icmp eq i256 %x, 1",
    ] {
        let text = format!(
            "@a = global [4 x i128] zeroinitializer\ndefine i32 @main() {{\n\
             %a = load volatile i128, ptr @a\n%x = zext i128 %a to i256\n{code}\nret i32 0\n}}\n"
        );
        std::fs::write(&path, text).unwrap();
        let (verdict, output) = check(&path);
        assert!(
            verdict.starts_with("unknown(unsupported: "),
            "{code}: {verdict} {output:?}"
        );
    }
}

#[test]
fn rust_prints_wide_numbers() {
    let mut random = fastrand::Rng::with_seed(usual_or_long(3, 4));
    let mut values = vec![0, 1, u64::MAX.into(), 1 << 64, u128::MAX, 1 << 127];
    values.extend([10u128.pow(16), 10u128.pow(16) - 1, 10u128.pow(32), 10u128.pow(38)]);
    values.extend((0..usual_or_long(30, 500)).map(|_| number(&mut random)));
    let mut checks = String::new();
    for value in values {
        let signed = value as i128;
        writeln!(
            checks,
            "    assert_eq!(format!(\"{{}} {{:e}}\", black_box({value}u128), black_box({value}u128)), \"{value} {value:e}\");\n    \
             assert_eq!(black_box({signed}i128).to_string(), \"{signed}\");"
        )
        .unwrap();
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.rs");
    let source = format!("use std::hint::black_box;\nfn main() {{\n{checks}}}\n");
    std::fs::write(&path, source).unwrap();
    let (verdict, output) = check(&path);
    assert_eq!(verdict, "true", "{output:?}");
}
