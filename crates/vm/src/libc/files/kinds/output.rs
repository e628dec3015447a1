//! The captured output of the program: descriptors 1 and 2, unless they are redirected.
//!
//! No program can read the output back, so writing to it is not an action.

use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::errno::{EINVAL, ESPIPE};
use crate::libc::files::table::OpenFile;
use crate::libc::holes::{self, Hole};
use crate::libc::open_text;
use crate::native::{Cx, Stop};
use crate::state::State;
use selvedge_model::ObjectId;

/// The captured output.
pub(in crate::libc::files) const OUTPUT: Output = Output;

/// The kind of the captured output; see the documentation of the module.
pub(in crate::libc::files) struct Output;

/// The description of a printed byte, for faults.
const BYTE: &str = "byte of an output";

impl FileDescription for Output {
    fn what(&self) -> &'static str {
        "the standard output"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn ready(&self, _: &State, _: &OpenFile) -> Result<Readiness, Stop> {
        Ok(Readiness {
            writable: true,
            ..Readiness::default()
        })
    }

    fn write(&self, cx: &mut Cx<'_>, _: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        if bytes.buffered {
            print_buffer(cx, bytes.from, bytes.count)?;
        } else {
            let text = open_text::range(cx, bytes.from, bytes.count, BYTE)?;
            cx.state.print_open(&text.bytes, &text.holes);
        }
        Ok(Ok(Written::All(bytes.count)))
    }

    fn print(&self, cx: &mut Cx<'_>, _: &OpenFile, text: &[u8]) -> Result<(), Stop> {
        cx.state.print(text);
        Ok(())
    }

    fn seek(&self, _: &mut Cx<'_>, _: &OpenFile, _: i64, _: i32) -> Answer<u64> {
        Ok(Err(ESPIPE))
    }

    fn truncate(&self, _: &mut Cx<'_>, _: &OpenFile, _: u64) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn synchronise(&self) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o010_000,
            length: 0,
        })
    }
}

/// Prints bytes from the buffer of a stream.
fn print_buffer(cx: &mut Cx<'_>, from: u64, bytes: u64) -> Result<(), Stop> {
    let (mut text, mut open) = (Vec::new(), Vec::new());
    for at in from..from + bytes {
        let byte = cx.state.memory.peek_checked(at, 1);
        if byte.is_symbolic() {
            open.push(Hole {
                at: text.len(),
                spec: holes::CHARACTER,
                value: byte,
            });
            text.extend_from_slice(holes::MARK);
        } else if byte.is_concrete() {
            text.push(byte.bits as u8);
        } else {
            return Err(cx.undefined(byte, BYTE));
        }
    }
    cx.state.print_open(&text, &open);
    Ok(())
}
