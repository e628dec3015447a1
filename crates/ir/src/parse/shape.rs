//! Types of the source.

use super::{Parser, Result, Token};
use crate::{Field, Module, Parts, Scalar, Shape, ShapeId};
use selvedge_base::StmtId;

impl Parser<'_> {
    pub(super) fn shape(&mut self, module: &mut Module) -> Result<()> {
        self.keyword("shape")?;
        self.definition("shape", module.shapes.len())?;
        let (name, size) = (self.text()?, self.attribute("size")?);
        let parts = match self.token {
            Token::Word("value") => {
                self.advance()?;
                let Token::Word(word) = self.token else {
                    return self.expected("a kind of value");
                };
                let Some(scalar) = Scalar::from_name(word) else {
                    return self.expected("a kind of value");
                };
                self.advance()?;
                Parts::Value(scalar)
            }
            Token::Word("elements") => {
                self.advance()?;
                let shape = self.shape_id()?;
                let stride = self.attribute("by")?;
                Parts::Elements { shape, stride }
            }
            Token::Word("fields") => {
                self.advance()?;
                Parts::Fields(self.fields()?)
            }
            _ => Parts::Opaque,
        };
        module.shapes.push(Shape { name, size, parts });
        Ok(())
    }

    fn fields(&mut self) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        while let Token::Number(_) = self.token {
            fields.push(Field {
                offset: self.integer("an offset")?,
                name: self.text()?,
                shape: self.shape_id()?,
            });
            if !self.accept(',')? {
                break;
            }
        }
        Ok(fields)
    }

    pub(super) fn made(&mut self, module: &mut Module) -> Result<()> {
        self.keyword("made")?;
        let stmt = StmtId(self.id("s", "a statement")?);
        let shape = self.shape_id()?;
        module.made.insert(stmt, shape);
        Ok(())
    }

    /// `typed` and a shape, or nothing.
    pub(super) fn optional_shape(&mut self) -> Result<Option<ShapeId>> {
        if !self.is_word("typed") {
            return Ok(None);
        }
        self.advance()?;
        Ok(Some(self.shape_id()?))
    }

    fn shape_id(&mut self) -> Result<ShapeId> {
        Ok(ShapeId(self.id("shape", "a shape")?))
    }
}
