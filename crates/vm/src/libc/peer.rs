//! What peers are told of their scripts (`crates/frontend/lib/peer.c` of the model library).

use super::{Answer, plain};
use crate::native::{Cx, Flow, Native};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__selvedge_peer_count" => {
            plain!(|cx: &mut Cx<'_>| -> Answer { Ok(Flow::int(cx.program.options.peers.len() as i32)) })
        }
        "__selvedge_peer_byte" => plain!(byte),
        _ => return None,
    })
}

/// Where the steps of a script begin: behind its port. Only a peer with a connection asks for
/// them.
const STEPS: u64 = 9;

/// A byte of a peer's script; -1 behind its end.
fn byte(cx: &mut Cx<'_>) -> Answer {
    let (peer, at) = (cx.int(0)?, cx.word(1)?);
    if at >= STEPS {
        cx.program.note_peer(peer as usize);
    }
    let script = cx.program.options.peers.get(peer as usize);
    let byte = script.and_then(|script| script.get(usize::try_from(at).ok()?));
    Ok(Flow::int(byte.map_or(-1, |&byte| byte.into())))
}
