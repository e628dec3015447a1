//! Prints the format.

use crate::{MAGIC, Schedule, VERSION};
use std::fmt;

/// Text with `\`, line feeds and carriage returns escaped.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['\\', '\n', '\r']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'\\' => "\\\\",
                b'\n' => "\\n",
                _ => "\\r",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MAGIC} {VERSION}")?;
        for input in &self.inputs {
            writeln!(f, "input {}", Escaped(input))?;
        }
        for (name, value) in &self.options {
            writeln!(f, "option {} {}", Escaped(name), Escaped(value))?;
        }
        for step in &self.steps {
            write!(f, "step {} {}", step.thread, step.alternative)?;
            if step.note.is_empty() {
                writeln!(f)?;
            } else {
                writeln!(f, " {}", Escaped(&step.note))?;
            }
        }
        Ok(())
    }
}
