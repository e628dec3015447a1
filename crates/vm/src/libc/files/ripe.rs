//! Decides which files that time makes ready to read are ready now.
//!
//! Whether the moment has come that makes an armed timer expire is not known, and can be observed
//! by an operation on its descriptor only. So the operation decides it, by one input for each such
//! file. The state then says it, so that the next operation observes the same. Before all is
//! decided, nothing changes.

use super::table::OpenFile;
use crate::native::{Cx, Stop};
use crate::symbolic::Source;
use selvedge_expr::CmpOp;
use selvedge_model::InputKind;

/// The input that says whether a timer has expired.
const EXPIRED: Source<'static> = Source {
    name: "a timer has expired",
    kind: InputKind::Scalar {
        bits: 1,
        signed: false,
    },
    size: 1,
};

/// Decides which of these files are ready now. If the operation goes on only when one of them is
/// (`some`), the last one is if no other one is.
pub(super) fn decide(cx: &mut Cx<'_>, mut files: Vec<OpenFile>, some: bool) -> Result<(), Stop> {
    // Several descriptors may stand for one file.
    files.sort_by_key(|open| open.file);
    files.dedup_by_key(|open| open.file);
    let last = files.len().saturating_sub(1);
    let (mut ready, mut asked) = (Vec::new(), 0);
    for (index, open) in files.iter().enumerate() {
        if some && index == last && ready.is_empty() {
            ready.push(*open);
        } else {
            if is_ready(cx, asked)? {
                ready.push(*open);
            }
            asked += 1;
        }
    }
    for _ in 0..asked {
        cx.input(&EXPIRED);
    }
    for open in ready {
        open.description().ripen(cx.state, &open);
    }
    Ok(())
}

/// The answer of the input that comes `later` inputs after the next one.
fn is_ready(cx: &Cx<'_>, later: u32) -> Result<bool, Stop> {
    let value = cx.state.coming_bit(cx.program, cx.thread, later);
    let tags = &cx.state.memory.tags;
    let zero = tags.arena.constant(1, 0);
    cx.holds(tags.arena.compare(CmpOp::Ne, tags.expr(value, 1), zero))
}
