//! The finding for threads that wait in loops for ever.

use crate::text::list;
use selvedge_model::{Describe, Fault, FaultKind, Look, Spin};

/// The maximum number of objects that the message names.
const MOST_NAMED: usize = 3;

/// The finding. Of the threads that might end, it names the one whose loop comes first in the
/// program. It is the same at every point of the threads' rounds.
pub(crate) fn spin_fault<M: Describe + ?Sized>(machine: &M, spins: &[Spin]) -> Option<Fault> {
    let ends = spins.iter().filter(|spin| spin.may_end && !spin.looks.is_empty());
    let spin = ends.min_by_key(|spin| spin.looks.iter().map(|look| look.stmt).collect::<Vec<_>>())?;
    let name = machine.thread_name(spin.thread);
    let mut seen: Vec<String> = Vec::new();
    for look in &spin.looks {
        let text = seen_by(machine, look);
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    let more = seen.len().saturating_sub(MOST_NAMED);
    seen.truncate(MOST_NAMED);
    if more > 0 {
        seen.push(format!("{more} more"));
    }
    let related = spins.iter().flat_map(|spin| {
        let name = machine.thread_name(spin.thread);
        spin.looks.iter().map(move |look| {
            let text = format!(
                "thread {name}: sees {} here, again and again",
                seen_by(machine, look)
            );
            (text, look.stmt, look.context)
        })
    });
    let first = spin.looks.first()?;
    Some(Fault {
        kind: FaultKind::Spin,
        message: format!(
            "thread {name} waits in a loop for ever: it sees {}, and no thread changes that any more",
            list(&seen)
        ),
        stmt: first.stmt,
        context: first.context,
        related: related.collect(),
        object: first.object,
    })
}

/// `` `flag` = 0 ``; for a lock or semaphore that is tried without success: `` `lock` not free ``;
/// for a wait that times out: `` no signal on `changed` ``.
fn seen_by<M: Describe + ?Sized>(machine: &M, look: &Look) -> String {
    let name = machine.bytes_name(look.object, u64::from(look.size));
    if look.waits {
        return format!("no signal on {name}");
    }
    if look.size == 0 {
        return format!("{name} not free");
    }
    match machine.value(look.object, look.size) {
        Some(value) => format!("{name} = {value}"),
        None => name,
    }
}
