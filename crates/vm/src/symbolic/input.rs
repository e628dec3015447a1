//! Inputs: values that come from outside and may be anything.
//!
//! The name of an input is the thread that requests it and its number among that thread's inputs,
//! so it is the same in every interleaving. With fixed inputs (`Options::inputs`) it has the given
//! bytes, and nothing is symbolic.

use super::path::{Arm, Asked};
use super::source::Source;
use crate::memory::Site;
use crate::program::Program;
use crate::state::{State, thread_name};
use crate::value::{Symbol, Value};
use selvedge_base::ThreadId;
use selvedge_expr::{Expr, InputKey, Node};
use selvedge_model::{Input, InputKind};

impl State {
    /// A new input of a thread, in pieces, the lowest first: words of an integer or a float, bytes
    /// of an object.
    pub(crate) fn input(
        &mut self,
        program: &Program,
        thread: ThreadId,
        site: Site,
        source: &Source<'_>,
    ) -> Vec<Value> {
        let core = self.own_core(thread);
        let ordinal = core.inputs;
        core.inputs += 1;
        let region = self.thread(thread).region;
        let widths: Vec<u8> = match source.kind {
            InputKind::Scalar { bits, .. } | InputKind::Float { bits } if bits > 64 => {
                vec![64, (bits - 64) as u8]
            }
            InputKind::Scalar { bits, .. } | InputKind::Float { bits } => vec![bits as u8],
            InputKind::Bytes => vec![8; source.size as usize],
        };
        let fixed = program
            .options
            .inputs
            .as_deref()
            .map(|inputs| fixed(inputs, &thread_name(self, thread), ordinal, source.size));
        let (mut values, mut pieces, mut at) = (Vec::new(), Vec::new(), 0);
        for (i, &width) in widths.iter().enumerate() {
            let bytes = usize::from(width.div_ceil(8));
            values.push(match &fixed {
                Some(given) => {
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(&given[at..at + bytes]);
                    Value::new(u64::from_le_bytes(word) & (u64::MAX >> (64 - width)))
                }
                None => {
                    let key = InputKey {
                        thread: region,
                        ordinal,
                        // On another path, this number may belong to an input of another width,
                        // which is another input.
                        byte: i as u32 | u32::from(width) << 24,
                    };
                    pieces.push(key);
                    let tags = &self.memory.tags;
                    tags.symbolic(Symbol {
                        expr: tags.arena.input(key, width),
                        undefined: 0,
                        home: 0,
                    })
                }
            });
            at += bytes;
        }
        self.ask(Asked {
            thread,
            name: source.name.into(),
            site,
            kind: source.kind,
            size: source.size,
            pieces,
            fixed,
        });
        values
    }

    /// The value that an input of a thread has if it is one bit: the next one, or one that comes
    /// `later` inputs after it. It is not requested.
    pub(crate) fn coming_bit(&self, program: &Program, thread: ThreadId, later: u32) -> Value {
        let ordinal = self.thread(thread).core.inputs + later;
        if let Some(inputs) = program.options.inputs.as_deref() {
            let given = fixed(inputs, &thread_name(self, thread), ordinal, 1);
            return Value::new(u64::from(given[0] & 1));
        }
        let tags = &self.memory.tags;
        let key = InputKey {
            thread: self.thread(thread).region,
            ordinal,
            byte: 1 << 24,
        };
        tags.symbolic(Symbol {
            expr: tags.arena.input(key, 1),
            undefined: 0,
            home: 0,
        })
    }

    /// Makes a writable range of memory an input.
    pub(crate) fn make_symbolic(
        &mut self,
        program: &Program,
        thread: ThreadId,
        site: Site,
        address: u64,
        size: u64,
        name: &str,
    ) {
        let source = Source {
            name,
            kind: InputKind::Bytes,
            size,
        };
        let bytes = self.input(program, thread, site, &source);
        for (i, byte) in bytes.into_iter().enumerate() {
            self.memory.poke_checked(address + i as u64, 1, byte);
        }
    }

    /// Adds a condition that a fresh input can satisfy, with this value.
    pub(crate) fn restrict(&mut self, thread: ThreadId, input: Expr, value: u128, condition: Expr) {
        let mut model = (**self.path().model()).clone();
        if let Node::Input(id) = self.memory.tags.arena.node(input) {
            model.set(id, value);
        }
        let arm = Arm {
            condition,
            model: model.into(),
            name: self.memory.tags.arena.hash(condition),
            fact: None,
            only: false,
        };
        self.constrain(thread, &arm);
    }
}

/// The bytes of a thread's n-th input; zeros where none are given.
fn fixed(inputs: &[Input], thread: &str, ordinal: u32, size: u64) -> Vec<u8> {
    let mut own = inputs.iter().filter(|input| input.thread == thread);
    let mut bytes = own
        .nth(ordinal as usize)
        .map(|input| input.bytes.clone())
        .unwrap_or_default();
    bytes.resize((size as usize).max(16), 0);
    bytes
}
