//! Names of values in the user's notation: `count`, `accounts[1].next->count`, `*head`. Nothing is
//! computed, and no function is called.

use crate::value::Term;
use crate::value::expand::{element, member, pointee};
use selvedge_vm::Vm;

/// The maximum number of operators in an expression.
const MOST_LEVELS: u32 = 64;

/// Evaluates an expression; `variable` finds variables by name.
///
/// # Errors
/// A text that says why the expression is invalid.
pub(crate) fn evaluate(vm: &Vm, text: &str, variable: &dyn Fn(&str) -> Option<Term>) -> Result<Term, String> {
    let mut reader = Reader {
        vm,
        rest: text.trim(),
        variable,
    };
    let mut term = reader.prefixed(MOST_LEVELS)?;
    if !reader.rest.is_empty() {
        return Err(format!(
            "`{}` cannot be read: names, `.`, `->`, `[number]` and `*` are known",
            reader.rest
        ));
    }
    term.path = text.trim().to_owned();
    Ok(term)
}

struct Reader<'a> {
    vm: &'a Vm,
    rest: &'a str,
    variable: &'a dyn Fn(&str) -> Option<Term>,
}

impl<'a> Reader<'a> {
    fn accept(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        if let Some(rest) = rest {
            self.rest = rest.trim_start();
        }
        rest.is_some()
    }

    fn prefixed(&mut self, levels: u32) -> Result<Term, String> {
        if levels == 0 {
            return Err("the expression is too deep".to_owned());
        }
        if self.accept("*") {
            let pointer = self.prefixed(levels - 1)?;
            return pointee(self.vm, &pointer)
                .ok_or_else(|| format!("`{}` points to nothing whose type is known", pointer.path));
        }
        let mut term = if self.accept("(") {
            let inner = self.prefixed(levels - 1)?;
            if !self.accept(")") {
                return Err("a `)` is missing".to_owned());
            }
            inner
        } else {
            let name = self.name();
            match (self.variable)(name) {
                _ if name.is_empty() => return Err("a name is missing".to_owned()),
                Some(term) => term,
                None => return Err(format!("there is no variable `{name}` here")),
            }
        };
        for _ in 0..MOST_LEVELS {
            term = if self.accept("->") || self.accept(".") {
                self.member(&term)?
            } else if self.accept("[") {
                let number = self.number()?;
                if !self.accept("]") {
                    return Err("a `]` is missing".to_owned());
                }
                element(self.vm, &term, number)
                    .ok_or_else(|| format!("`{}` has no element {number}", term.path))?
            } else {
                return Ok(term);
            };
        }
        Err("the expression is too long".to_owned())
    }

    /// A member of a structure, or of the structure that a pointer points to.
    fn member(&mut self, of: &Term) -> Result<Term, String> {
        let name = self.name();
        let direct = member(self.vm, of, name);
        let found = direct.or_else(|| member(self.vm, &pointee(self.vm, of)?, name));
        found.ok_or_else(|| format!("`{}` has no member `{name}`", of.path))
    }

    /// A name, with its namespaces.
    fn name(&mut self) -> &'a str {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '~');
        let mut end = 0;
        let text = self.rest;
        while let Some(c) = text[end..].chars().next() {
            if part(c) {
                end += c.len_utf8();
            } else if text[end..].starts_with("::") {
                end += 2;
            } else {
                break;
            }
        }
        let (name, rest) = text.split_at(end);
        self.rest = rest.trim_start();
        name
    }

    fn number(&mut self) -> Result<u64, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit());
        let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let number = digits.parse().map_err(|_| "an index is a number".to_owned())?;
        self.rest = rest.trim_start();
        Ok(number)
    }
}
