//! What a section of a mutex does, as uses of objects.

use selvedge_model::OpClass;

/// Uses of objects, as [`Action::for_each_use`](selvedge_model::Action::for_each_use) gives them.
pub(super) type Uses = Vec<(u64, u8, OpClass)>;

/// The class in which a section uses its mutex: independent of itself, dependent on all that is
/// done otherwise with a mutex.
pub(super) const KNOWN: OpClass = OpClass::Value;
/// The class if it is not known what the section accesses: dependent on itself, too.
pub(super) const UNKNOWN: OpClass = OpClass::Acquire;

/// All bytes of an object that is used as a whole.
const ALL_BYTES: u8 = 0xff;

/// What a section does.
#[derive(Debug)]
pub(super) struct Contents {
    pub mutex: u64,
    /// The first use is that of the mutex.
    pub uses: Uses,
    /// False if it turned out to be no section: by the published rules, it is a single action then.
    pub whole: bool,
}

impl Contents {
    /// The use of the mutex, in this class.
    pub fn new(mutex: u64, class: OpClass) -> Self {
        Contents {
            mutex,
            uses: vec![(mutex, ALL_BYTES, class)],
            whole: true,
        }
    }

    /// Adds a use of an access.
    pub fn add(&mut self, (key, bytes, class): (u64, u8, OpClass)) {
        // A section that adds counts as one that writes.
        let class = match class {
            OpClass::Add => OpClass::Write,
            other => other,
        };
        // Bytes that are written are not also read. So one key and set of bytes has one use.
        let written = |uses: &Uses| {
            let writes = uses.iter().filter(|one| one.0 == key && one.2 == OpClass::Write);
            writes.fold(0, |all, one| all | one.1)
        };
        if class == OpClass::Write {
            let all = bytes | written(&self.uses);
            self.uses.retain_mut(|one| {
                let memory = one.0 == key && matches!(one.2, OpClass::Read | OpClass::Write);
                one.1 &= if memory { !all } else { ALL_BYTES };
                one.1 != 0
            });
            self.uses.push((key, all, class));
            return;
        }
        let new = bytes & !written(&self.uses);
        let same = |one: &&mut (u64, u8, OpClass)| one.0 == key && one.2 == class;
        match self.uses.iter_mut().find(same) {
            Some(one) => one.1 |= new,
            None if new != 0 => self.uses.push((key, new, class)),
            None => {}
        }
    }
}
