//! Text: what is written reads back as the same thing; what is not such a text is refused.

use crate::{build, generate};
use selvedge_expr::{Arena, Assignment, Evaluator, Expr, smtlib};

fn truths(arena: &Arena, built: &[Expr]) -> Vec<Expr> {
    built.iter().copied().filter(|&e| arena.width(e) == 1).collect()
}

/// Reading into another arena gives expressions of the same values; into the same one mostly the
/// same expressions.
#[test]
fn what_is_written_reads_back() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut evaluator = Evaluator::new();
    let (mut read, mut same) = (0, 0);
    for round in 0..3_000 {
        let kind = [
            generate::Kind::Bits,
            generate::Kind::Memory,
            generate::Kind::Floats,
        ][round % 3];
        let program = generate::program(&mut rng, &[1, 8, 32, 64], kind);
        let (first, second) = (Arena::new(), Arena::new());
        let asserted = truths(&first, &build(&first, &program));
        let text = smtlib::write(&first, &asserted);
        let again = smtlib::parse(&text, &second).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(asserted.len(), again.len());
        read += again.len();
        same += asserted
            .iter()
            .zip(&again)
            .filter(|&(&x, &y)| first.hash(x) == second.hash(y))
            .count();
        for _ in 0..4 {
            let (mut a, mut b) = (Assignment::new(), Assignment::new());
            for (i, &width) in program.inputs.iter().enumerate() {
                let value = generate::interesting(&mut rng, width);
                for (arena, assignment) in [(&first, &mut a), (&second, &mut b)] {
                    if let Some(id) = arena.find_input(generate::key(i)) {
                        assignment.set(id, value);
                    }
                }
            }
            for (&x, &y) in asserted.iter().zip(&again) {
                assert_eq!(
                    evaluator.eval(&first, x, &a),
                    evaluator.eval(&second, y, &b),
                    "{text}"
                );
            }
        }
    }
    assert!(same * 100 > read * 98, "{same} of {read} are the same");
}

#[test]
fn the_text_of_a_query() {
    let arena = Arena::new();
    let key = |byte| selvedge_expr::InputKey {
        thread: 0,
        ordinal: 1,
        byte,
    };
    let (x, y) = (arena.input(key(0), 32), arena.input(key(1), 32));
    let sum = arena.binary(selvedge_expr::BinOp::Add, x, y);
    let small = arena.compare(selvedge_expr::CmpOp::Ult, sum, arena.constant(32, 100));
    let odd = arena.extract(sum, 0, 1);
    let less = arena.compare(selvedge_expr::CmpOp::Slt, x, y);
    let either = arena.or(less, odd);
    assert_eq!(
        smtlib::write(&arena, &[small, either]),
        "(set-logic QF_BV)\n\
         (declare-const i_0_1_0 (_ BitVec 32))\n\
         (declare-const i_0_1_1 (_ BitVec 32))\n\
         (define-fun n0 () (_ BitVec 32) (bvadd i_0_1_0 i_0_1_1))\n\
         (assert (bvult n0 #x00000064))\n\
         (assert (not (and (not (= ((_ extract 0 0) n0) #b1)) (bvsle i_0_1_1 i_0_1_0))))\n\
         (check-sat)\n"
    );
    assert_eq!(
        arena.display(either).to_string(),
        "((in0.1[0] + in0.1[1])[0] || (in0.1[0] <s in0.1[1]))"
    );
}

#[test]
fn other_texts_are_refused() {
    let cases = [
        ("(assert", "line 1: the text ends in a list"),
        (")", "line 1: a parenthesis too many"),
        ("\n\nfoo", "line 3: 'foo' outside of a command"),
        (
            "(declare-const x (_ BitVec 8))",
            "line 1: 'x' is not an input, i_THREAD_ORDINAL_PIECE",
        ),
        (
            "(declare-const i_0_0_0 (_ BitVec 200))",
            "line 1: a bit-vector is of 1 to 128 bits",
        ),
        (
            "(declare-const i_0_0_0 Int)",
            "line 1: a bit-vector sort was expected",
        ),
        ("(assert #b1)", "line 1: what is asserted is not a Bool"),
        (
            "(assert (= #b1 #x1))",
            "line 1: '=' of 2 such arguments is not known",
        ),
        ("(assert (bvult #x1 y))", "line 1: 'y' is not known"),
        (
            "(assert (= ((_ extract 9 0) #xff) #xff))",
            "line 1: '(_ extract …)' of 8 bits",
        ),
        (
            "(assert (= (selvedge_ctpop_8 #x1) #x1))",
            "line 1: 'selvedge_ctpop_8' of other arguments than it has",
        ),
        (
            "(assert (= (selvedge_select_99999999999999_8_8 #xff) #x01))",
            "line 1: 'selvedge_select_99999999999999_8_8' of other arguments than it has",
        ),
        (
            "(define-fun selvedge_x (",
            "line 1: the function 'selvedge_x' is not known",
        ),
        (
            "(define-fun selvedge_fma_32 (",
            "line 1: the text ends in a definition",
        ),
        (
            "(assert (= #x112233445566778899aabbccddeeff0011 #x1))",
            "line 1: the constant '#x112233445566778899aabbccddeeff0011'",
        ),
        ("(define-fun n0 () Bool #x1)", "line 1: 'n0' is not of its sort"),
        ("(push 1)", "line 1: '1' is not known"),
    ];
    for (text, message) in cases {
        match smtlib::parse(text, &Arena::new()) {
            Ok(read) => panic!("{text} was read as {read:?}"),
            Err(e) => assert_eq!(e.to_string(), message, "{text}"),
        }
    }
}

/// No text makes the reader panic: pieces of good texts in any order.
#[test]
fn damaged_texts_are_errors() {
    let mut rng = fastrand::Rng::with_seed(12);
    for _ in 0..2_000 {
        let program = generate::program(&mut rng, &[1, 8, 32], generate::Kind::Floats);
        let arena = Arena::new();
        let asserted = truths(&arena, &build(&arena, &program));
        let mut text = smtlib::write(&arena, &asserted).into_bytes();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..text.len());
            match rng.u8(..3) {
                0 => text[at] = b"()01 x_#b-"[rng.usize(..10)],
                1 => drop(text.drain(at..(at + rng.usize(1..20)).min(text.len()))),
                _ => text.insert(at, b"()19 _"[rng.usize(..6)]),
            }
            if text.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&text);
        let _ = smtlib::parse(&text, &Arena::new());
    }
}
