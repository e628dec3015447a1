//! Records of the objects that threads synchronise on: where their clocks are. Records are
//! permanent; their clocks are all zero where an execution has not used them yet.

use super::store::Store;
use rustc_hash::FxHashMap;
use selvedge_model::ObjectId;

/// One object's clocks and words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) index: u32,
    clocks: u32,
}

impl Object {
    /// What was known at releases: of a lock, a semaphore, an atomic variable.
    pub(crate) const fn released(self) -> u32 {
        self.clocks
    }
    /// What was known when readers released a read-write lock.
    pub(crate) const fn read_released(self) -> u32 {
        self.clocks + 1
    }
    /// By thread: the name of the origin of its last operation on the object.
    pub(crate) const fn touched(self) -> u32 {
        self.clocks + 2
    }
    const CLOCKS: usize = 3;
}

/// What does not change during an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// So many bytes are marked as the object's, granule by granule.
    pub(crate) covers: u64,
    /// A plain access touched one of its granules once: operations must look at them.
    pub(crate) plain: bool,
    /// Of an atomic variable: clocks of releases by thread, for release sequences of several
    /// threads; 0: none yet.
    pub(crate) heads: Vec<u32>,
    /// Of an atomic variable: how many bytes the widest access to it has; else 0.
    pub(crate) size: u64,
    /// Of an atomic variable: its words' index plus one (owner of the release sequence plus one,
    /// whether it has several).
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

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// All records.
    pub(crate) fn all(&self) -> impl Iterator<Item = (ObjectId, Object)> + '_ {
        self.ids
            .iter()
            .map(|(&id, &index)| (id, self.objects[index as usize]))
    }

    /// The record with this number.
    pub(crate) fn by_index(&self, index: u32) -> Object {
        self.objects[index as usize]
    }

    pub(crate) fn facts_of(&self, object: Object) -> &Facts {
        &self.facts[object.index as usize]
    }

    pub(crate) fn facts(&mut self, object: Object) -> &mut Facts {
        &mut self.facts[object.index as usize]
    }

    /// A new object begins its life at the same address: nothing that was released before counts.
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
