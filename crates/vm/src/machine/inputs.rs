//! The inputs that a machine was asked for, with values.

use super::vm::Vm;
use crate::state::thread_name;
use crate::symbolic::{Asked, MEMORY};
use selvedge_base::{Location, StmtId};
use selvedge_model::{Input, InputKind};

impl Vm {
    /// The inputs of the present path, with values that take it.
    pub(crate) fn inputs_of_path(&self) -> Vec<Input> {
        let path = &self.state.path();
        let arena = &self.state.memory.tags.arena;
        let concrete = |asked: &Asked| Input {
            name: asked.name.to_string(),
            thread: match asked.is_of_thread() {
                true => thread_name(&self.state, asked.thread),
                false => MEMORY.to_owned(),
            },
            bytes: match &asked.fixed {
                Some(bytes) => bytes[..asked.size as usize].to_vec(),
                None => {
                    let mut bytes = Vec::new();
                    for &key in &asked.pieces {
                        let value = arena.find_input(key).map_or(0, |id| path.model().value(id));
                        let room = (asked.size as usize - bytes.len()).min(match asked.kind {
                            InputKind::Bytes => 1,
                            _ => 8,
                        });
                        bytes.extend_from_slice(&value.to_le_bytes()[..room]);
                    }
                    bytes
                }
            },
            kind: asked.kind,
            location: if asked.site.stmt == StmtId(0) {
                Location::default()
            } else {
                self.program.location(asked.site.stmt)
            },
        };
        path.asked().iter().map(concrete).collect()
    }
}
