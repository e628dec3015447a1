//! Objects of the machine's memory for contents of files and buffers of streams.

use crate::memory::{Kind as MemoryKind, Life, Maker, Object, Site};
use crate::native::{Cx, Flow, Stop};
use crate::word::MAX_FILE_NUMBERS;
use selvedge_model::LimitKind;

/// `O_NONBLOCK` and `O_APPEND` on Linux.
pub(super) const NONBLOCK: u64 = 0o4000;
pub(super) const APPEND: u64 = 0o2000;
/// A property of the descriptor, not of the open file.
pub(super) const CLOSE_ON_EXEC: u64 = 0o2_000_000;

/// A hidden object for contents.
pub(super) fn hidden_object(size: u64, made: Site) -> Object {
    Object {
        size,
        kind: MemoryKind::Global,
        life: Life::Live,
        zeroed: true,
        by: Maker::Other,
        protection: 0,
        name: 0,
        made,
        ended: Site::default(),
        reborn: false,
    }
}

/// A new hidden object of the acting thread.
pub(super) fn allocate(cx: &mut Cx<'_>, size: u64) -> Result<u64, Stop> {
    let object = hidden_object(size, cx.site);
    let region = cx.state.thread(cx.thread).region;
    cx.state.memory.allocate(region, object, 16).map_err(|_| {
        Flow::Limit(
            LimitKind::Memory,
            "more contents of files than the machine can hold".into(),
        )
    })
}

/// The limit when numbers are exhausted.
pub(super) fn too_many() -> Stop {
    Flow::Limit(
        LimitKind::Memory,
        format!(
            "more than {} files or streams opened in one execution",
            MAX_FILE_NUMBERS
        ),
    )
}
