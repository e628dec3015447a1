//! Reading what is written: `declare-const` of inputs, `define-fun` without parameters, `assert`. A
//! shift-reduce reader: a list is evaluated when it closes, so nesting costs no stack.

use super::helpers::{Helper, PREFIX};
use super::write::{binary_name, compare_name};
use crate::arena::{Arena, MAX_WIDTH};
use crate::bits::mask;
use crate::node::{BinOp, CmpOp, Expr, InputKey, UnOp, Width};
use rustc_hash::FxHashMap;

/// Why a text could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

/// An item of an open list.
#[derive(Clone, Debug)]
enum Item<'t> {
    Symbol(&'t str),
    /// A term; `true`: of sort Bool.
    Term(Expr, bool),
    /// `(_ name 1 2)`.
    Indexed(&'t str, Vec<u32>),
    /// `()`, and what a command leaves.
    Nothing,
}

/// The assertions of a script, in order.
///
/// # Errors
/// If the text is not of the form that [`write`](super::write) makes.
pub fn parse(text: &str, arena: &Arena) -> Result<Vec<Expr>, ParseError> {
    let mut reader = Reader {
        arena,
        names: FxHashMap::default(),
        assertions: Vec::new(),
        line: 1,
    };
    reader.script(text)?;
    Ok(reader.assertions)
}

struct Reader<'a, 't> {
    arena: &'a Arena,
    names: FxHashMap<&'t str, (Expr, bool)>,
    assertions: Vec<Expr>,
    line: usize,
}

/// Tokens with the lines they are on.
struct Tokens<'t> {
    text: &'t str,
    line: usize,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = (&'t str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.text.trim_start();
            self.line += self.text[..self.text.len() - rest.len()].matches('\n').count();
            self.text = rest;
            if !rest.starts_with(';') {
                break;
            }
            self.text = rest.find('\n').map_or("", |end| &rest[end..]);
        }
        let first = self.text.chars().next()?;
        let end = match first {
            '(' | ')' => 1,
            '"' | '|' => self.text[1..].find(first).map_or(self.text.len(), |end| end + 2),
            _ => self
                .text
                .find(|c: char| c.is_whitespace() || "();\"|".contains(c))
                .unwrap_or(self.text.len()),
        };
        let (token, rest) = self.text.split_at(end);
        let line = self.line;
        self.line += token.matches('\n').count();
        self.text = rest;
        Some((token, line))
    }
}

impl<'t> Reader<'_, 't> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError {
            line: self.line,
            message: message.into(),
        })
    }

    fn script(&mut self, text: &'t str) -> Result<(), ParseError> {
        let mut open: Vec<Vec<Item<'t>>> = Vec::new();
        let mut tokens = Tokens { text, line: 1 };
        while let Some((token, line)) = tokens.next() {
            self.line = line;
            match token {
                "(" => open.push(Vec::new()),
                ")" => {
                    let Some(list) = open.pop() else {
                        return self.error("a parenthesis too many");
                    };
                    let item = self.reduce(list)?;
                    match open.last_mut() {
                        Some(list) => list.push(item),
                        None if matches!(item, Item::Nothing) => {}
                        None => return self.error("a command was expected"),
                    }
                }
                _ => {
                    let Some(list) = open.last_mut() else {
                        return self.error(format!("'{token}' outside of a command"));
                    };
                    let defines = matches!(list[..], [Item::Symbol("define-fun" | "declare-fun")]);
                    if defines && token.starts_with(PREFIX) {
                        if Helper::from_name(token).is_none() {
                            return self.error(format!("the function '{token}' is not known"));
                        }
                        // Known by name; its definition is skipped.
                        let mut depth = open.len();
                        open.clear();
                        while depth > 0 {
                            match tokens.next() {
                                Some(("(", _)) => depth += 1,
                                Some((")", _)) => depth -= 1,
                                Some(_) => {}
                                None => return self.error("the text ends in a definition"),
                            }
                        }
                    } else {
                        list.push(Item::Symbol(token));
                    }
                }
            }
        }
        if open.is_empty() {
            Ok(())
        } else {
            self.error("the text ends in a list")
        }
    }

    /// A closed list.
    fn reduce(&mut self, list: Vec<Item<'t>>) -> Result<Item<'t>, ParseError> {
        match &list[..] {
            [] => Ok(Item::Nothing),
            [Item::Symbol("_"), Item::Symbol(name), numbers @ ..] => {
                let mut values = Vec::new();
                for number in numbers {
                    match number {
                        Item::Symbol(text) => values.push(text.parse().ok()),
                        _ => values.push(None),
                    }
                }
                let Some(values) = values.into_iter().collect() else {
                    return self.error(format!("an index of '{name}' is not a number"));
                };
                Ok(Item::Indexed(name, values))
            }
            [
                Item::Symbol("set-logic" | "set-info" | "set-option" | "check-sat" | "get-model" | "exit"),
                ..,
            ] => Ok(Item::Nothing),
            [Item::Symbol("declare-const"), Item::Symbol(name), sort]
            | [
                Item::Symbol("declare-fun"),
                Item::Symbol(name),
                Item::Nothing,
                sort,
            ] => self.declare(name, sort),
            [
                Item::Symbol("define-fun"),
                Item::Symbol(name),
                Item::Nothing,
                sort,
                value,
            ] => {
                let (value, is_bool) = self.term(value)?;
                let same = match sort {
                    Item::Symbol("Bool") => is_bool,
                    sort => !is_bool && self.bit_vector(sort)? == self.arena.width(value),
                };
                if !same {
                    return self.error(format!("'{name}' is not of its sort"));
                }
                self.names.insert(name, (value, is_bool));
                Ok(Item::Nothing)
            }
            [Item::Symbol("assert"), value] => match self.term(value)? {
                (value, true) => {
                    self.assertions.push(value);
                    Ok(Item::Nothing)
                }
                _ => self.error("what is asserted is not a Bool"),
            },
            [Item::Symbol(name), arguments @ ..] => {
                let arguments = arguments
                    .iter()
                    .map(|a| self.term(a))
                    .collect::<Result<Vec<_>, _>>()?;
                let (value, is_bool) = self.apply(name, &arguments)?;
                Ok(Item::Term(value, is_bool))
            }
            [Item::Indexed(name, numbers), argument] => {
                let (a, is_bool) = self.term(argument)?;
                if is_bool {
                    return self.error(format!("'{name}' of a Bool"));
                }
                Ok(Item::Term(self.apply_indexed(name, numbers, a)?, false))
            }
            _ => self.error("a list that does not begin with a function"),
        }
    }

    fn bit_vector(&self, sort: &Item<'t>) -> Result<Width, ParseError> {
        match sort {
            Item::Indexed("BitVec", widths) => match widths[..] {
                [width] if (1..=u32::from(MAX_WIDTH)).contains(&width) => Ok(width as Width),
                _ => self.error("a bit-vector is of 1 to 128 bits"),
            },
            _ => self.error("a bit-vector sort was expected"),
        }
    }

    fn declare(&mut self, name: &'t str, sort: &Item<'t>) -> Result<Item<'t>, ParseError> {
        let width = self.bit_vector(sort)?;
        let parts: Vec<u32> = name
            .strip_prefix("i_")
            .map(|rest| rest.split('_').filter_map(|part| part.parse().ok()).collect())
            .unwrap_or_default();
        let [thread, ordinal, byte] = parts[..] else {
            return self.error(format!("'{name}' is not an input, i_THREAD_ORDINAL_PIECE"));
        };
        let key = InputKey {
            thread,
            ordinal,
            byte,
        };
        if let Some(id) = self.arena.find_input(key)
            && self.arena.width(self.arena.input_expr(id)) != width
        {
            return self.error(format!("the input '{name}' has another width"));
        }
        self.names.insert(name, (self.arena.input(key, width), false));
        Ok(Item::Nothing)
    }

    fn term(&self, item: &Item<'t>) -> Result<(Expr, bool), ParseError> {
        match item {
            Item::Term(e, is_bool) => Ok((*e, *is_bool)),
            Item::Symbol("true") => Ok((self.arena.truth(true), true)),
            Item::Symbol("false") => Ok((self.arena.truth(false), true)),
            Item::Symbol(text) => {
                if let Some(&known) = self.names.get(text) {
                    return Ok(known);
                }
                let (digits, radix, per_digit) = if let Some(digits) = text.strip_prefix("#x") {
                    (digits, 16, 4)
                } else if let Some(digits) = text.strip_prefix("#b") {
                    (digits, 2, 1)
                } else {
                    return self.error(format!("'{text}' is not known"));
                };
                let width = digits.len() * per_digit;
                match u128::from_str_radix(digits, radix) {
                    Ok(value) if width <= usize::from(MAX_WIDTH) && !digits.starts_with('+') => {
                        Ok((self.arena.constant(width as Width, value), false))
                    }
                    _ => self.error(format!("the constant '{text}'")),
                }
            }
            Item::Indexed(name, numbers) => match (name.strip_prefix("bv"), &numbers[..]) {
                (Some(value), &[width]) if (1..=u32::from(MAX_WIDTH)).contains(&width) => {
                    match value.parse::<u128>() {
                        Ok(value) if value <= mask(width as Width) => {
                            Ok((self.arena.constant(width as Width, value), false))
                        }
                        _ => self.error(format!("the constant '{name}' of {width} bits")),
                    }
                }
                _ => self.error(format!("'(_ {name} …)' is not a term")),
            },
            Item::Nothing => self.error("a term was expected"),
        }
    }

    fn apply_indexed(&self, name: &str, numbers: &[u32], a: Expr) -> Result<Expr, ParseError> {
        let width = u32::from(self.arena.width(a));
        let most = u32::from(MAX_WIDTH);
        match (name, numbers) {
            ("extract", &[high, low]) if low <= high && high < width => {
                Ok(self.arena.extract(a, low as Width, (high - low + 1) as Width))
            }
            ("zero_extend", &[by]) if by <= most - width => Ok(self.arena.zext(a, (width + by) as Width)),
            ("sign_extend", &[by]) if by <= most - width => Ok(self.arena.sext(a, (width + by) as Width)),
            _ => self.error(format!("'(_ {name} …)' of {width} bits")),
        }
    }

    fn apply(&self, name: &str, arguments: &[(Expr, bool)]) -> Result<(Expr, bool), ParseError> {
        let arena = self.arena;
        let values: Vec<Expr> = arguments.iter().map(|a| a.0).collect();
        let bools = arguments.iter().filter(|a| a.1).count();
        let all_bool = bools == arguments.len();
        let no_bool = bools == 0;
        let width = |i: usize| arena.width(values[i]);
        if name.starts_with(PREFIX) {
            return match Helper::from_name(name) {
                Some(helper)
                    if no_bool
                        && values.len() == helper.arity()
                        && values.iter().map(|&v| arena.width(v)).eq(helper.parameters()) =>
                {
                    Ok((self.apply_helper(helper, &values), helper.is_bool()))
                }
                _ => self.error(format!("'{name}' of other arguments than it has")),
            };
        }
        match (name, &values[..]) {
            ("not", &[a]) if all_bool => return Ok((arena.not(a), true)),
            ("and", values) if all_bool => {
                return Ok((
                    values.iter().fold(arena.truth(true), |x, &y| arena.and(x, y)),
                    true,
                ));
            }
            ("or", values) if all_bool => {
                return Ok((
                    values.iter().fold(arena.truth(false), |x, &y| arena.or(x, y)),
                    true,
                ));
            }
            ("=>", &[a, b]) if all_bool => return Ok((arena.or(arena.not(a), b), true)),
            ("xor", &[a, b]) if all_bool => return Ok((arena.compare(CmpOp::Ne, a, b), true)),
            ("ite", &[c, a, b])
                if arguments[0].1 && arguments[1].1 == arguments[2].1 && width(1) == width(2) =>
            {
                return Ok((arena.ite(c, a, b), arguments[1].1));
            }
            ("bvnot", &[a]) if no_bool => return Ok((arena.not(a), false)),
            ("bvneg", &[a]) if no_bool => return Ok((arena.unary(UnOp::Neg, a), false)),
            ("concat", &[a, b]) if no_bool && u32::from(width(0)) + u32::from(width(1)) <= 128 => {
                return Ok((arena.concat(a, b), false));
            }
            ("=" | "distinct", &[a, b]) if (all_bool || no_bool) && width(0) == width(1) => {
                let op = if name == "=" { CmpOp::Eq } else { CmpOp::Ne };
                return Ok((arena.compare(op, a, b), true));
            }
            (_, &[a, b]) if no_bool && width(0) == width(1) => {
                if let Some(op) = BINARY.into_iter().find(|&op| binary_name(op) == name) {
                    return Ok((arena.binary(op, a, b), false));
                }
                if let Some(op) = COMPARE.into_iter().find(|&op| compare_name(op) == name) {
                    return Ok((arena.compare(op, a, b), true));
                }
            }
            _ => {}
        }
        self.error(format!(
            "'{name}' of {} such arguments is not known",
            values.len()
        ))
    }

    /// A function of the text's own; the arguments are of its widths.
    fn apply_helper(&self, helper: Helper, a: &[Expr]) -> Expr {
        let arena = self.arena;
        match helper {
            Helper::Unary(op, _) => arena.unary(op, a[0]),
            Helper::MulOverflows(signed, _) => arena.mul_overflows(signed, a[0], a[1]),
            Helper::Select(n, ..) => arena.select(&a[..n], a[n]),
            Helper::FBinary(op, _) => arena.fbinary(op, a[0], a[1]),
            Helper::FUnary(op, _) => arena.funary(op, a[0]),
            Helper::FCompare(op, _) => arena.fcompare(op.pred(), a[0], a[1]),
            Helper::Fma(_) => arena.fma(a[0], a[1], a[2]),
            Helper::FConvert(_, to) => arena.fconvert(a[0], to),
            Helper::ToInt(signed, _, to) => arena.to_int(signed, a[0], to),
            Helper::FromInt(signed, _, to) => arena.from_int(signed, a[0], to),
        }
    }
}

const BINARY: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::URem,
    BinOp::SDiv,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];

const COMPARE: [CmpOp; 8] = [
    CmpOp::Ult,
    CmpOp::Ule,
    CmpOp::Ugt,
    CmpOp::Uge,
    CmpOp::Slt,
    CmpOp::Sle,
    CmpOp::Sgt,
    CmpOp::Sge,
];
