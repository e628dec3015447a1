//! Standard input as a stream of requests of one size, each with any bytes, and then the end.
//!
//! A read asks for one whole request. It gets that, or finds the end: both are explored, and the
//! end stays the end. What was read is an input in the program's memory; of the stream the state
//! has only whether the end was found, and how many requests came where there is a limit. So two
//! states that differ in nothing else have the same future whatever the number of requests was.
//!
//! Missing: everything but `read`. A read of another size may get parts of two requests, and the
//! program would decide by how they are divided.

use crate::hidden::HiddenObject;
use crate::libc::files::buffer;
use crate::libc::files::description::{Answer, FileDescription};
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::symbolic::Source;
use crate::vm::Vm;
use crate::word::FileField;
use selvedge_expr::CmpOp;
use selvedge_model::{Action, InputKind, ObjectId, Op};

/// The kind of streams of requests.
pub(in crate::libc::files) const REQUESTS: Requests = Requests;

/// Streams of requests; see the documentation of the module.
pub(in crate::libc::files) struct Requests;

/// The length of a stream whose end was found. Before, it is the number of requests that came, if
/// there is a limit on these, and else 0.
const ENDED: u64 = u64::MAX;

impl FileDescription for Requests {
    fn what(&self) -> &'static str {
        "a stream of requests (only read() of whole ones is supported)"
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn closed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        match table::length(cx.state, open.file) == ENDED {
            true => Ok(()),
            false => Err(self.unsupported("closing it before its end")),
        }
    }

    fn available(&self, _: &State, _: &OpenFile, _: u64, _: Option<u64>) -> Answer<u64> {
        Err(self.unsupported("a buffered read"))
    }
}

/// Makes standard input a stream of requests.
pub(in crate::libc::files) fn declare(state: &mut State, stdin: u32) {
    table::set_field(state, stdin, FileField::Kind, Kind::Requests as u64 | 0o644 << 8);
}

/// Reads a request into memory, and returns how many bytes came: 0 at the end.
pub(in crate::libc::files) fn read(cx: &mut Cx<'_>, (file, to, count): (u32, u64, u64)) -> Result<u64, Stop> {
    let Some(requests) = cx.program.options.requests else {
        return Err(Flow::Unsupported(
            "a stream of requests that was not declared".into(),
        ));
    };
    let came = table::length(cx.state, file);
    if came == ENDED {
        return Ok(0);
    }
    if count != requests.size {
        return Err(Flow::Unsupported(format!(
            "a read of {count} bytes of a stream of requests of {} bytes",
            requests.size
        )));
    }
    let full = requests.most.is_some_and(|most| came >= most);
    let comes = !full && comes(cx)?;
    if comes {
        buffer::access(cx, to, count, true)?;
    }
    if !full {
        cx.input(&COMES);
    }
    if !comes {
        table::set_length(cx.state, file, ENDED);
        return Ok(0);
    }
    let (program, thread, site) = (cx.program, cx.thread, cx.site);
    cx.state
        .make_symbolic(program, thread, site, to, count, "request");
    if requests.most.is_some() {
        table::set_length(cx.state, file, came + 1);
    }
    Ok(count)
}

/// The input that says whether another request comes.
const COMES: Source<'static> = Source {
    name: "another request",
    kind: InputKind::Scalar {
        bits: 1,
        signed: false,
    },
    size: 1,
};

/// Whether another request comes. Nothing changes before that is known.
fn comes(cx: &mut Cx<'_>) -> Result<bool, Stop> {
    let value = cx.state.coming_bit(cx.program, cx.thread, 0);
    let tags = &cx.state.memory.tags;
    let zero = tags.arena.constant(1, 0);
    let condition = tags.arena.compare(CmpOp::Ne, tags.expr(value, 1), zero);
    cx.holds(condition)
}

impl Vm {
    /// True if an action reads a request: what comes next, or the end, is not decided yet.
    pub fn reads_request(&self, action: &Action) -> bool {
        let stdin = table::stdin_file();
        self.program.options.requests.is_some()
            && action.op == Op::Hidden
            && action.object == HiddenObject::File(stdin).id()
            && table::kind(&self.state, stdin) == Kind::Requests
            && table::length(&self.state, stdin) != ENDED
    }
}
