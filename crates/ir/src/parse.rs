//! Parses the text format. The head of `print.rs` shows the grammar by example.
//!
//! Recursive descent over a stream of tokens with one token of look-ahead. The parser allocates
//! only what the text itself contains, and no rule of the grammar is recursive, so neither a huge
//! number nor deep nesting can exhaust memory or the stack.
//!
//! The parser checks the form only. [`verify`](crate::verify) checks whether ids exist and types
//! agree. So a test can write down a broken module.

mod inst;
mod lexer;
mod shape;

use crate::{
    Block, BlockId, FuncId, Function, Global, GlobalId, Local, LocalId, Module, Operand, Reg, RegInfo,
    Relocation, Stmt, Symbol, Type,
};
use lexer::{Lexer, Token};
use selvedge_base::{FileId, Span, StmtId};

/// Why a text is not a module, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Reads a module in the text format.
///
/// # Errors
/// At the first token that does not fit the grammar. A module that was parsed may still be
/// ill-formed: see [`verify`](crate::verify).
pub fn parse(text: &str) -> Result<Module> {
    let mut parser = Parser::new(text)?;
    let mut module = Module::default();
    loop {
        match parser.token {
            Token::End => return Ok(module),
            Token::Word("file") => parser.file(&mut module)?,
            Token::Word("shape") => parser.shape(&mut module)?,
            Token::Word("made") => parser.made(&mut module)?,
            Token::Word("stmt") => parser.stmt(&mut module)?,
            Token::Word("global") => parser.global(&mut module)?,
            Token::Word("func") => parser.func(&mut module)?,
            Token::Word("constructors") => parser.functions(&mut module.constructors)?,
            Token::Word("destructors") => parser.functions(&mut module.destructors)?,
            _ => {
                return parser.expected(
                    "`file`, `shape`, `stmt`, `global`, `func`, `made`, `constructors` or `destructors`",
                );
            }
        }
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token not yet consumed.
    token: Token<'t>,
    /// Where it starts.
    start: usize,
}

// The definitions.
impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self> {
        let mut lexer = Lexer::new(text);
        let (token, start) = lexer.next()?;
        Ok(Parser { lexer, token, start })
    }

    fn file(&mut self, module: &mut Module) -> Result<()> {
        self.keyword("file")?;
        self.definition("file", module.files.len())?;
        let path = self.text()?;
        module.files.push(path);
        Ok(())
    }

    fn stmt(&mut self, module: &mut Module) -> Result<()> {
        self.keyword("stmt")?;
        self.definition("s", module.stmts.len())?;
        let func = self.func_id()?;
        self.sign('#')?;
        let ordinal = self.integer("an ordinal")?;
        let span = if self.is_word("at") {
            self.span()?
        } else {
            Span::default()
        };
        module.stmts.push(Stmt { func, ordinal, span });
        Ok(())
    }

    fn global(&mut self, module: &mut Module) -> Result<()> {
        self.keyword("global")?;
        self.definition("g", module.globals.len())?;
        let mut global = Global {
            name: self.text()?,
            size: self.attribute("size")?,
            align: self.attribute("align")?,
            init: Vec::new(),
            relocations: Vec::new(),
            undefined: Vec::new(),
            thread_local: false,
            constant: false,
            external: false,
            span: Span::default(),
            shape: None,
        };
        while let Token::Word(word) = self.token {
            match word {
                "at" => global.span = self.span()?,
                "typed" => global.shape = self.optional_shape()?,
                "thread_local" => global.thread_local = self.flag("thread_local")?,
                "constant" => global.constant = self.flag("constant")?,
                "external" => global.external = self.flag("external")?,
                "init" => {
                    self.advance()?;
                    while let Token::Quoted(quoted) = self.token {
                        lexer::unescape_bytes(quoted, &mut global.init).or_else(|why| self.fail(why))?;
                        self.advance()?;
                    }
                }
                "reloc" => global.relocations.push(self.relocation()?),
                "undef" => global.undefined.push(self.undefined_range()?),
                _ => break,
            }
        }
        module.globals.push(global);
        Ok(())
    }

    fn relocation(&mut self) -> Result<Relocation> {
        let offset = self.attribute("reloc")?;
        let symbol = match self.token {
            Token::Word(word) if id_number(word, "g").is_some() => {
                Symbol::Global(GlobalId(self.id("g", "a global")?))
            }
            _ => Symbol::Func(self.func_id()?),
        };
        let addend = self.offset()?;
        Ok(Relocation {
            offset,
            symbol,
            addend,
        })
    }

    fn undefined_range(&mut self) -> Result<(u64, u64)> {
        let start = self.attribute("undef")?;
        self.sign('.')?;
        self.sign('.')?;
        Ok((start, self.integer("the end of a range")?))
    }

    fn func(&mut self, module: &mut Module) -> Result<()> {
        self.keyword("func")?;
        self.definition("f", module.functions.len())?;
        let name = self.text()?;
        let display = match self.token {
            Token::Word("display") => {
                self.advance()?;
                self.text()?
            }
            _ => name.clone(),
        };
        let mut function = Function {
            name,
            display,
            params: self.parenthesised(Self::reg)?,
            ..Function::default()
        };
        self.sign('-')?;
        self.sign('>')?;
        function.returns = self.parenthesised(Self::ty)?;
        while let Token::Word(word) = self.token {
            match word {
                "varargs" => function.varargs = self.flag("varargs")?,
                "library" => function.library = self.flag("library")?,
                "at" => function.span = self.span()?,
                _ => break,
            }
        }
        if self.accept('{')? {
            self.body(&mut function)?;
        }
        module.functions.push(function);
        Ok(())
    }

    fn body(&mut self, function: &mut Function) -> Result<()> {
        loop {
            match self.token {
                Token::Word("regs") => self.regs(function)?,
                Token::Word("local") => self.local(function)?,
                Token::Word(word) if id_number(word, "b").is_some() => {
                    self.definition("b", function.blocks.len())?;
                    self.sign(':')?;
                    let block = self.block()?;
                    function.blocks.push(block);
                }
                Token::Sign('}') => return self.advance(),
                _ => return self.expected("`regs`, `local`, a block or `}`"),
            }
        }
    }

    fn regs(&mut self, function: &mut Function) -> Result<()> {
        self.keyword("regs")?;
        loop {
            if self.definition("r", function.regs.len())? {
                self.sign(':')?;
            }
            let ty = self.ty()?;
            let name = match self.token {
                Token::Quoted(_) => Some(self.text()?),
                _ => None,
            };
            let shape = self.optional_shape()?;
            function.regs.push(RegInfo { ty, name, shape });
            if !self.accept(',')? {
                return Ok(());
            }
        }
    }

    fn local(&mut self, function: &mut Function) -> Result<()> {
        self.keyword("local")?;
        self.definition("l", function.locals.len())?;
        let local = Local {
            name: self.text()?,
            size: self.attribute("size")?,
            align: self.attribute("align")?,
            scoped: self.flag("scoped")?,
            shape: self.optional_shape()?,
        };
        function.locals.push(local);
        Ok(())
    }

    fn block(&mut self) -> Result<Block> {
        let mut insts = Vec::new();
        loop {
            let stmt = StmtId(self.id("s", "a statement")?);
            match self.terminator()? {
                Some(term) => {
                    return Ok(Block {
                        insts,
                        term,
                        term_stmt: stmt,
                    });
                }
                None => insts.push(crate::Inst {
                    stmt,
                    kind: self.inst()?,
                }),
            }
        }
    }

    fn functions(&mut self, list: &mut Vec<FuncId>) -> Result<()> {
        self.advance()?;
        loop {
            list.push(self.func_id()?);
            if !self.accept(',')? {
                return Ok(());
            }
        }
    }
}

// What occurs everywhere: ids, types, operands, places.
impl<'t> Parser<'t> {
    fn func_id(&mut self) -> Result<FuncId> {
        Ok(FuncId(self.id("f", "a function")?))
    }

    fn block_id(&mut self) -> Result<BlockId> {
        Ok(BlockId(self.id("b", "a block")?))
    }

    fn local_id(&mut self) -> Result<LocalId> {
        Ok(LocalId(self.id("l", "a local")?))
    }

    fn reg(&mut self) -> Result<Reg> {
        Ok(Reg(self.id("r", "a register")?))
    }

    fn ty(&mut self) -> Result<Type> {
        let ty = match self.token {
            Token::Word("f32") => Type::F32,
            Token::Word("f64") => Type::F64,
            Token::Word("ptr") => Type::Ptr,
            Token::Word(word) => match id_number(word, "i").and_then(|bits| u8::try_from(bits).ok()) {
                Some(bits) => Type::Int(bits),
                None => return self.expected("a type"),
            },
            _ => return self.expected("a type"),
        };
        self.advance()?;
        Ok(ty)
    }

    fn operand(&mut self) -> Result<Operand> {
        let word = match self.token {
            Token::Number(value) => {
                self.advance()?;
                self.sign(':')?;
                return Ok(Operand::Const(value, self.ty()?));
            }
            Token::Word(word) => word,
            _ => return self.expected("an operand"),
        };
        match word.as_bytes().first() {
            _ if word == "undef" || word == "poison" => {
                self.advance()?;
                self.sign(':')?;
                let ty = self.ty()?;
                Ok(if word == "undef" {
                    Operand::Undef(ty)
                } else {
                    Operand::Poison(ty)
                })
            }
            Some(b'r') => Ok(Operand::Reg(self.reg()?)),
            Some(b'g') => {
                let global = GlobalId(self.id("g", "a global")?);
                Ok(Operand::Global(global, self.offset()?))
            }
            Some(b'f') => {
                let func = self.func_id()?;
                if self.accept('.')? {
                    return Ok(Operand::Block(func, self.block_id()?));
                }
                Ok(Operand::Func(func))
            }
            _ => self.expected("an operand"),
        }
    }

    /// `+n`, `-n` or nothing.
    fn offset(&mut self) -> Result<i64> {
        match self.token {
            Token::Sign('+') => {
                self.advance()?;
                self.integer("an offset")
            }
            Token::Sign('-') => self.signed("an offset"),
            _ => Ok(0),
        }
    }

    fn span(&mut self) -> Result<Span> {
        self.keyword("at")?;
        let file = FileId(self.id("file", "a file")?);
        self.sign(':')?;
        let line = self.integer("a line")?;
        self.sign(':')?;
        let column = self.integer("a column")?;
        Ok(Span { file, line, column })
    }

    fn text(&mut self) -> Result<String> {
        let Token::Quoted(quoted) = self.token else {
            return self.expected("text in quotes");
        };
        let text = lexer::unescape_text(quoted).or_else(|why| self.fail(why))?;
        self.advance()?;
        Ok(text)
    }

    /// A keyword with its number: `size 8`.
    fn attribute<N: TryFrom<u128>>(&mut self, name: &'static str) -> Result<N> {
        self.keyword(name)?;
        self.integer(name)
    }

    fn parenthesised<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.sign('(')?;
        self.list(')', item)
    }

    /// Items separated by commas, up to the closing sign.
    fn list<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.accept(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.accept(close)? {
                return Ok(items);
            }
            self.sign(',')?;
        }
    }
}

// Tokens.
impl<'t> Parser<'t> {
    fn advance(&mut self) -> Result<()> {
        (self.token, self.start) = self.lexer.next()?;
        Ok(())
    }

    /// An error at the current token.
    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.lexer.error(self.start, message.into()))
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match self.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Quoted(_) => "text in quotes".to_owned(),
            Token::Sign(sign) => format!("`{}`", sign.escape_debug()),
            Token::End => "the end".to_owned(),
        };
        self.fail(format!("expected {what}, found {found}"))
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    fn keyword(&mut self, word: &str) -> Result<()> {
        if !self.is_word(word) {
            return self.expected(&format!("`{word}`"));
        }
        self.advance()
    }

    /// Whether the word is next; consumes it if so.
    fn flag(&mut self, word: &str) -> Result<bool> {
        let there = self.is_word(word);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.token != Token::Sign(sign) {
            return self.expected(&format!("`{sign}`"));
        }
        self.advance()
    }

    /// Whether the sign is next; consumes it if so.
    fn accept(&mut self, sign: char) -> Result<bool> {
        let there = self.token == Token::Sign(sign);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn integer<N: TryFrom<u128>>(&mut self, what: &str) -> Result<N> {
        let Token::Number(number) = self.token else {
            return self.expected(what);
        };
        let Ok(number) = N::try_from(number) else {
            return self.fail(format!("{number} is too large for {what}"));
        };
        self.advance()?;
        Ok(number)
    }

    /// A number with or without a minus sign.
    fn signed(&mut self, what: &str) -> Result<i64> {
        if !self.accept('-')? {
            return self.integer(what);
        }
        let Token::Number(magnitude) = self.token else {
            return self.expected(what);
        };
        let Some(number) = 0i64.checked_sub_unsigned(u64::try_from(magnitude).unwrap_or(u64::MAX)) else {
            return self.fail(format!("-{magnitude} is too large for {what}"));
        };
        self.advance()?;
        Ok(number)
    }

    /// The number of an id such as `r12`.
    fn id(&mut self, prefix: &str, what: &str) -> Result<u32> {
        let Token::Word(word) = self.token else {
            return self.expected(what);
        };
        let Some(number) = id_number(word, prefix) else {
            return self.expected(&format!("{what} (`{prefix}` and a number)"));
        };
        self.advance()?;
        Ok(number)
    }

    /// The optional id before a definition. Returns whether it is present. It is an error if the id
    /// is present but not the next one.
    fn definition(&mut self, prefix: &str, next: usize) -> Result<bool> {
        let Token::Word(word) = self.token else {
            return Ok(false);
        };
        match id_number(word, prefix) {
            Some(number) if number as usize == next => self.advance().map(|()| true),
            Some(_) => self.expected(&format!("`{prefix}{next}`, the next one")),
            None => Ok(false),
        }
    }
}

/// The number of an id with this prefix.
fn id_number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    // `parse` alone would also accept a sign.
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
