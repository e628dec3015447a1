//! Prints the format.

use super::{COVER_MAGIC, Cover, Label, Object, Order, Step, Target};
use crate::print::Escaped;
use std::fmt;

impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{COVER_MAGIC} {}", self.version())?;
        for input in &self.inputs {
            writeln!(f, "input {}", Escaped(input))?;
        }
        for (name, value) in &self.options {
            writeln!(f, "option {} {}", Escaped(name), Escaped(value))?;
        }
        for (number, object) in self.objects.iter().enumerate() {
            match object {
                Object::Global(name, offset) => {
                    writeln!(f, "object {number} global {offset} {}", Escaped(name))?;
                }
                Object::Made(thread, by) => writeln!(f, "object {number} made {thread} {by}")?,
                Object::Place(name) => writeln!(f, "object {number} place {}", Escaped(name))?,
                Object::Met(thread, by) => writeln!(f, "object {number} met {thread} {by}")?,
            }
        }
        for (number, part) in self.parts.iter().enumerate() {
            writeln!(f, "part {}", number + 1)?;
            for (thread, label) in &part.stands {
                write!(f, "stands {thread} ")?;
                write_label(f, label)?;
                writeln!(f)?;
            }
        }
        let has_parts = !self.parts.is_empty();
        let mut orders = self.schedules.iter();
        orders.try_for_each(|order| write_order(f, order, has_parts))
    }
}

fn write_order(f: &mut fmt::Formatter<'_>, order: &Order, has_parts: bool) -> fmt::Result {
    write!(f, "schedule {}", order.classes)?;
    if has_parts {
        write!(f, " from {}", order.from)?;
    }
    if let Some(to) = order.to {
        write!(f, " to {to}")?;
    }
    writeln!(f)?;
    for witness in &order.witness {
        write!(f, "witness {} ", witness.thread)?;
        if witness.bytes.is_empty() {
            write!(f, "-")?;
        }
        for byte in &witness.bytes {
            write!(f, "{byte:02x}")?;
        }
        writeln!(f, " {}", Escaped(&witness.name))?;
    }
    order.steps.iter().try_for_each(|step| write_step(f, step))
}

fn write_label(f: &mut fmt::Formatter<'_>, label: &Label) -> fmt::Result {
    write!(f, "{}", label.operation.word())?;
    match &label.target {
        Target::Nothing => write!(f, " -"),
        Target::Object(number) => write!(f, " o{number}"),
        Target::Wait(condition, mutex) => write!(f, " o{condition},o{mutex}"),
        Target::Thread(name) => write!(f, " {name}"),
    }
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
    write!(f, "op {} ", step.thread)?;
    write_label(f, &step.label)?;
    write!(f, " {}", step.outcome.word())?;
    if !step.after.is_empty() {
        write!(f, " after")?;
    }
    for (thread, number) in &step.after {
        write!(f, " {thread}:{number}")?;
    }
    if !step.place.is_empty() {
        write!(f, " # {}", Escaped(&step.place))?;
    }
    writeln!(f)
}
