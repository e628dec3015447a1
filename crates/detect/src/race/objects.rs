//! Records of synchronisation objects: the positions of their clocks. Records are permanent. Their
//! clocks are all zero while an execution has not used them.

use super::store::Store;
use rustc_hash::FxHashMap;
use selvedge_model::ObjectId;

/// The name of the record of `size` bytes from an address: of the operations on an object of that
/// size, or of an atomic variable. Objects of different sizes may begin at one address, one after
/// the other, where memory is used again.
pub(crate) const fn sized(address: u64, size: u64) -> ObjectId {
    ObjectId(address | size << SIZE_SHIFT)
}

/// The first byte and the size of such a record.
pub(crate) const fn bytes_of(id: ObjectId) -> Option<(u64, u64)> {
    match id.0 >> SIZE_SHIFT {
        size if id.is_address() && size != 0 => Some((id.0 & ((1 << SIZE_SHIFT) - 1), size)),
        _ => None,
    }
}

/// Addresses have fewer bits.
const SIZE_SHIFT: u32 = 48;

/// One object's clocks and words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) index: u32,
    clocks: u32,
}

impl Object {
    /// The clock released by a lock, a semaphore or an atomic variable.
    pub(crate) const fn released(self) -> u32 {
        self.clocks
    }
    /// The clock released by readers of a read-write lock.
    pub(crate) const fn read_released(self) -> u32 {
        self.clocks + 1
    }
    /// For each thread, the name of the origin of its last operation on the object.
    pub(crate) const fn touched(self) -> u32 {
        self.clocks + 2
    }
    const CLOCKS: usize = 3;
}

/// The data that does not change during an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// True if its bytes are marked as those of an object, granule by granule.
    pub(crate) marked: bool,
    /// True if a plain access ever touched one of its granules. Then operations must check these.
    pub(crate) plain: bool,
    /// For an atomic variable: for each thread the clock of its release, for release sequences of
    /// several threads; 0 means none yet.
    pub(crate) heads: Vec<u32>,
    /// For an atomic variable: the index of its words plus one (the owner of the release sequence
    /// plus one; whether there are several).
    pub(crate) words: Option<usize>,
}

/// All objects.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    ids: FxHashMap<ObjectId, u32>,
    objects: Vec<Object>,
    facts: Vec<Facts>,
    last: (ObjectId, u32),
}

impl Objects {
    pub(crate) fn new() -> Self {
        Objects {
            ids: FxHashMap::default(),
            objects: Vec::new(),
            facts: Vec::new(),
            last: (ObjectId(u64::MAX), 0),
        }
    }

    /// The record of an object.
    #[inline]
    pub(crate) fn get(&mut self, store: &mut Store, id: ObjectId) -> Object {
        if self.last.0 == id {
            return self.objects[self.last.1 as usize];
        }
        let index = match self.ids.get(&id) {
            Some(&index) => index,
            None => self.create(store, id),
        };
        self.last = (id, index);
        self.objects[index as usize]
    }

    fn create(&mut self, store: &mut Store, id: ObjectId) -> u32 {
        let index = self.objects.len() as u32;
        let clocks = store.new_clocks(Object::CLOCKS);
        self.objects.push(Object { index, clocks });
        self.facts.push(Facts::default());
        self.ids.insert(id, index);
        index
    }

    /// The record of an object, if it has one.
    pub(crate) fn find(&self, id: ObjectId) -> Option<Object> {
        self.ids.get(&id).map(|&index| self.objects[index as usize])
    }

    /// The number of objects.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// All records.
    pub(crate) fn all(&self) -> impl Iterator<Item = (ObjectId, Object)> + '_ {
        self.ids
            .iter()
            .map(|(&id, &index)| (id, self.objects[index as usize]))
    }

    pub(crate) fn facts_of(&self, object: Object) -> &Facts {
        &self.facts[object.index as usize]
    }

    pub(crate) fn facts(&mut self, object: Object) -> &mut Facts {
        &mut self.facts[object.index as usize]
    }

    /// A new object begins its life at the same address: earlier releases do not count.
    pub(crate) fn forget(&mut self, store: &mut Store, object: Object, threads: usize) {
        store.clear(object.released(), threads);
        store.clear(object.read_released(), threads);
        let facts = &self.facts[object.index as usize];
        if let Some(words) = facts.words {
            store.set(super::Space::Records, words, 0);
            store.set(super::Space::Records, words + 1, 0);
        }
        for (thread, &head) in facts.heads.iter().enumerate() {
            if head != 0 {
                store.set_tick(head, thread, 0);
            }
        }
    }
}
