//! Deciding a query given as text.

use crate::{Answer, Options, Query, chain};
use selvedge_expr::smtlib::{self, ParseError};
use selvedge_expr::{Arena, Evaluator};
use std::fmt::Write as _;

/// Why a text was not decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The text is not of the form that is read.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

/// Decides the assertions of an SMT-LIB script as the log writes them. The result is `sat` with the
/// values of the inputs, as Z3 prints models, `unsat`, or `unknown` with the reason as a comment.
///
/// # Errors
/// If the script cannot be read.
pub fn solve_text(text: &str, options: Options) -> Result<String, Error> {
    let arena = Arena::new();
    let goal = smtlib::parse(text, &arena)?;
    let query = Query {
        path: &[],
        goal: &goal,
        hint: None,
    };
    let answer = chain(options).check(&arena, &query);
    Ok(match answer {
        Answer::Unsat => "unsat\n".to_owned(),
        Answer::Unknown(reason) => format!("unknown\n; {reason}\n"),
        Answer::Sat(model) => {
            let mut evaluator = Evaluator::new();
            if goal.iter().any(|&e| evaluator.eval(&arena, e, &model) == 0) {
                return Ok("unknown\n; the model does not satisfy the assertions\n".to_owned());
            }
            let mut text = "sat\n(\n".to_owned();
            for (input, value) in model.iter() {
                let key = arena.input_key(input);
                let width = usize::from(arena.width(arena.input_expr(input)));
                // Writing to a string does not fail.
                let _ = writeln!(
                    text,
                    "  (define-fun i_{}_{}_{} () (_ BitVec {width}) #b{value:0width$b})",
                    key.thread, key.ordinal, key.byte
                );
            }
            text + ")\n"
        }
    })
}
