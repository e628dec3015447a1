//! Stack objects: the beginning and end of locals, and when their end is a scheduling point.

use crate::memory::{Kind, Life, Maker, Object, Site};
use crate::visible;
use crate::vm::Vm;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, LimitKind, ObjectId, Op as Visible};

impl Vm {
    /// The last stack object of the current frame, whose first is number `first`.
    pub(super) fn last_local(&self, thread: ThreadId, first: usize) -> Option<u64> {
        let locals = &self.state.thread(thread).locals;
        locals.get(first..).and_then(|own| own.last()).copied()
    }

    /// Makes the object of a local when its function begins; `None` (and a notice) if there is no
    /// room. A local with a scope of its own gets an address, and its life begins later.
    pub(super) fn enter_local(&mut self, thread: ThreadId, ip: u32, local: usize) -> Option<u64> {
        let site = self.site(thread, ip);
        let func = self.state.thread(thread).core.frame.func;
        let program = self.program.clone();
        let local = &program.code[func.index()].locals[local];
        let kind = if local.private {
            Kind::PrivateStack
        } else {
            Kind::Stack
        };
        let object = Object {
            size: local.size,
            kind,
            life: if local.begins { Life::Unborn } else { Life::Live },
            zeroed: false,
            by: Maker::Other,
            protection: 0,
            name: local.name,
            made: site,
            ended: Site::default(),
            reborn: false,
        };
        self.allocate_local(thread, ip, object, u64::from(local.align))
    }

    /// The action of a local's end, if it is a scheduling point because another thread may know its
    /// address.
    pub(super) fn end_action(&self, thread: ThreadId, ip: u32, base: u64) -> Option<Action> {
        let (_, object) = self.state.memory.object_at(base)?;
        if object.life != Life::Live {
            return None;
        }
        self.life_action(thread, ip, base)
    }

    /// The action of the beginning or end of a local's life, if it is a scheduling point: the
    /// address stays the same, so another thread may know it before the life begins.
    pub(super) fn life_action(&self, thread: ThreadId, ip: u32, base: u64) -> Option<Action> {
        if !visible::shows_lives(&self.program, &self.state, thread) {
            return None;
        }
        let (base, object) = self.state.memory.object_at(base)?;
        let shared = object.kind == Kind::Stack;
        let stmt = self.site(thread, ip).stmt;
        shared.then(|| Action {
            stmt,
            blocks: self.program.blocks_at(base),
            ..Action::on(thread, Visible::Destroy, ObjectId::heap(base))
        })
    }

    /// Ends a thread's last locals, down to `count`, as long as no other thread can observe it.
    pub(super) fn end_private_locals(&mut self, thread: ThreadId, count: usize, ip: u32) {
        let site = self.site(thread, ip);
        while self.state.thread(thread).locals.len() > count
            && let Some(&base) = self.state.thread(thread).locals.last()
            && self.end_action(thread, ip, base).is_none()
        {
            self.end_local(thread, base, Life::Returned, site);
        }
    }

    /// Begins the life of a local that has an address. Its bytes are undefined, even if it lived
    /// before.
    pub(super) fn begin_life(&mut self, base: u64, site: Site) {
        if let Some((base, object)) = self.state.memory.object_at(base) {
            self.state.forget_syncs(base, object.size.max(1));
            self.state.memory.begin_life(base, site);
            self.note_life(base, site);
        }
    }

    /// Ends the scope of a local; it keeps its address until its function returns.
    pub(super) fn end_life(&mut self, base: u64, site: Site) {
        if let Some((base, object)) = self.state.memory.object_at(base)
            && object.life == Life::Live
        {
            self.note_life(base, site);
            self.state.memory.end_life(base, site);
        }
    }

    /// Records the beginning or the end of a local's life as a write of all its bytes for the race
    /// detector, like `free`. If other threads may know the address of a local, they must know by
    /// happens-before that it lives.
    fn note_life(&mut self, base: u64, site: Site) {
        if self.state.unjoined() > 0
            && let Some((base, object)) = self.state.memory.object_at(base)
            && object.life == Life::Live
            && object.kind == Kind::Stack
        {
            self.state.memory.record(base, object.size, true, site);
        }
    }

    /// Ends a stack object for good, whether its scope has ended before or not.
    pub(super) fn end_object(&mut self, thread: ThreadId, base: u64, life: Life, site: Site) {
        self.note_life(base, site);
        self.state.end_object(thread, base, life, site);
    }

    pub(super) fn end_local(&mut self, thread: ThreadId, base: u64, life: Life, site: Site) {
        self.end_object(thread, base, life, site);
        self.state.pop_local(thread);
    }

    pub(super) fn allocate_local(
        &mut self,
        thread: ThreadId,
        ip: u32,
        object: Object,
        align: u64,
    ) -> Option<u64> {
        let region = self.state.thread(thread).region;
        match self.state.allocate(region, object, align) {
            Ok(base) => {
                self.state.push_local(thread, base);
                Some(base)
            }
            Err(_) => {
                let text = format!("no room for a local object of {} bytes", object.size);
                self.limit(thread, ip, LimitKind::Memory, text);
                None
            }
        }
    }
}
