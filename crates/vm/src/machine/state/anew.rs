//! Synchronisation objects that the program makes anew by writing over them.
//!
//! Objects are kept beside memory. A write of the program to the bytes of one ends it, as storage
//! that is reused ends the object there (placement new, an assignment of an initialiser, memory of
//! an allocator of the program's own). What is there from then on is read from the bytes, as with
//! an object that was never used.

use super::{State, Undo};
use crate::memory::Site;
use crate::sync::{Once, SyncObject};
use std::rc::Rc;

/// An object that was in use when the program wrote over it.
pub(crate) struct InUse {
    pub what: &'static str,
    pub site: Site,
}

/// Whether some thread holds it, waits for it, or is within it, as far as it knows.
fn is_in_use(object: &SyncObject) -> bool {
    match *object {
        SyncObject::Mutex(mutex) => mutex.owner.is_some(),
        SyncObject::Cond { waiters, .. } => waiters > 0,
        SyncObject::RwLock { writer, readers } => writer.is_some() || readers > 0,
        SyncObject::Barrier { arrived, leaving, .. } => arrived > 0 || leaving > 0,
        SyncObject::Spin { owner } => owner.is_some(),
        SyncObject::Once(once) => matches!(once, Once::Running(_)),
        SyncObject::Sem { .. } | SyncObject::Destroyed { .. } => false,
    }
}

impl State {
    /// Forgets the objects that the program has written over. Adds their addresses to `anew`.
    ///
    /// # Errors
    /// One of them is in use.
    #[cold]
    pub(crate) fn forget_overwritten(&mut self, anew: &mut Vec<u64>) -> Result<(), InUse> {
        for (from, size, site) in self.memory.take_written() {
            let end = from.saturating_add(size);
            let known = self.syncs.iter();
            let met = known.filter(|&(&at, object)| at < end && from < at + object.kind().size());
            let mut met: Vec<(u64, SyncObject)> = met.map(|(&at, &object)| (at, object)).collect();
            met.sort_unstable_by_key(|&(at, _)| at);
            for (address, object) in met {
                if is_in_use(&object) {
                    let what = object.kind().name();
                    return Err(InUse { what, site });
                }
                let old = Rc::make_mut(&mut self.syncs).remove(&address);
                self.log.syncs.push(old);
                self.log.entries.push(Undo::Sync(address));
                anew.push(address);
            }
        }
        Ok(())
    }
}
