//! The parser: the example of `print.rs`, what may be omitted, and the positions of errors.

use selvedge_base::{FileId, Span};
use selvedge_ir::{Operand, Terminator, Type, parse, verify};

const EXAMPLE: &str = r#"file file0 "counter.c"
stmt s0 f0#0 at file0:4:9
global g0 "x" size 4 align 4 at file0:1:5 init "\x05\0\0\0"
func f0 "get" display "get()" () -> (i32) at file0:3:1 {
  regs r0: i32 "v"
b0:
  s0 r0 = load i32 g0, align 4
  s0 return r0
}
constructors f0
"#;

#[test]
fn the_example_is_in_printed_form() {
    let module = parse(EXAMPLE).expect("the example is well-formed");
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(module.to_string(), EXAMPLE);
    assert_eq!(module.globals.as_slice()[0].init, [5, 0, 0, 0]);
    let span = Span {
        file: FileId(0),
        line: 4,
        column: 9,
    };
    assert_eq!(module.stmts.as_slice()[0].span, span);
}

#[test]
fn ids_of_definitions_may_be_left_out() {
    let short = r#"
        file "counter.c" stmt f0#0 at file0:4:9 ; the rest of a line is a comment
        global "x" size 4 align 4 at file0:1:5 init "\x05" "\0\0\0"
        func "get" display "get()" () -> (i32) at file0:3:1 {
            regs i32 "v"
            b0: s0 r0 = load i32 g0, align 4 s0 return r0
        }
        constructors f0"#;
    assert_eq!(parse(short), parse(EXAMPLE));
}

#[test]
fn a_function_may_be_named_like_a_type() {
    let text = "func \"a\" () -> () { b0: s0 return f64, 0x1:f64, g64-1, f64.b0 }";
    let module = parse(text).expect("well-formed in form");
    let Terminator::Return(values) = &module.functions.as_slice()[0].blocks.as_slice()[0].term else {
        panic!("not a return");
    };
    assert!(matches!(values[0], Operand::Func(_)));
    assert_eq!(values[1], Operand::Const(1, Type::F64));
    assert!(matches!(values[2], Operand::Global(_, -1)));
    assert!(matches!(values[3], Operand::Block(..)));
}

/// The position and the message of the parse error.
fn error(text: &str) -> String {
    parse(text).expect_err("not of the format").to_string()
}

#[test]
fn errors_have_places() {
    let in_body = |inst: &str| error(&format!("func \"a\" () -> () {{\nb0:\n  s0 {inst}\n}}"));
    let cases = [
        (error("\n  fil \"a\""), "2:3: expected `file`, `shape`, `stmt`"),
        (error("file \"é\" \"b\""), "1:10: expected `file`"),
        (error("file \"a\nfile \"b\""), "1:6: the closing quote is missing"),
        (error("file \"\\q\""), "1:6: unknown escape"),
        (error("file \"\\u{d800}\""), "1:6: `\\u{…}` needs"),
        (
            error("file file1 \"a\""),
            "1:6: expected `file0`, the next one, found `file1`",
        ),
        (
            error("global \"a\" size 1 align 4294967296"),
            "1:25: 4294967296 is too large for align",
        ),
        (
            error("global \"a\" size 18446744073709551616 align 1"),
            "1:17: 18446744073709551616 is too large for size",
        ),
        (
            error("global \"a\" size 1 align 1 init \"\\xg0\""),
            "1:32: `\\x` needs two",
        ),
        (
            error("func \"a\" (r0, ) -> ()"),
            "1:15: expected a register, found `)`",
        ),
        (
            error("func \"a\" () -> () {"),
            "1:20: expected `regs`, `local`, a block or `}`, found the end",
        ),
        (
            error("func \"a\" () -> () { regs r4294967295: i32 }"),
            "1:26: expected `r0`, the next one",
        ),
        (
            in_body("r0 = frob r1"),
            "3:11: no instruction with this number of results (1) is called `frob`",
        ),
        (
            in_body("r0, r1 = add r1, r2"),
            "3:15: no instruction with this number of results (2) is called `add`",
        ),
        (in_body("pause 1"), "3:12: expected a statement, found `1`"),
        (in_body("r0 = add r1 r2"), "3:18: expected `,`, found `r2`"),
        (in_body("r0 = copy 1"), "4:1: expected `:`, found `}`"),
        (in_body("r0 = copy 1:i256"), "3:18: expected a type, found `i256`"),
        (
            in_body("r4294967296 = copy 1:i1"),
            "3:6: no instruction without a result",
        ),
        (
            in_body("call f0(r1)"),
            "3:16: expected `as` and the type of the argument",
        ),
        (
            in_body("r0 = copy g0-9223372036854775809"),
            "3:19: -9223372036854775809 is too large for an offset",
        ),
        (
            in_body("r0 = copy 0x1ffffffffffffffffffffffffffffffff:i1"),
            "is not a number of 128 bits",
        ),
        (in_body("r0 = copy 0x+1:i1"), "3:16: `0x` is not a number"),
        (in_body("r0 = copy 🦀"), "3:16: expected an operand, found `🦀`"),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "found {found:?}, expected {expected:?}");
    }
}
