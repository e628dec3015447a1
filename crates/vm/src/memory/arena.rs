//! Arenas: the slots of one size class of one owner, with their pages. All parts are shared between
//! snapshots until they are written (`unshared`), in chunks, so that a write after a snapshot
//! copies little.

use super::Memory;
#[cfg(feature = "laboratory")]
use super::MemoryState;
use super::address::{CLASSES, MIN_SHIFT, Parts};
use super::object::{Kind, Life, Maker, Object, Site};
use super::page::{PAGE, Page};
use super::undo::Entry;
use std::collections::BTreeSet;
use std::rc::Rc;

const GROUP: usize = 64;
type PageGroup = [Option<Rc<Page>>; GROUP];

const NOTHING: Object = Object {
    size: 0,
    kind: Kind::Heap,
    life: Life::Freed,
    zeroed: false,
    by: Maker::Other,
    protection: 0,
    name: 0,
    made: Site {
        stmt: selvedge_base::StmtId(0),
        context: selvedge_base::ContextId(0),
    },
    ended: Site {
        stmt: selvedge_base::StmtId(0),
        context: selvedge_base::ContextId(0),
    },
    reborn: false,
};

/// Mutable access to the contents of an `Rc`, which are copied first if a snapshot shares them.
/// (`Rc::make_mut`, with the common case inline.)
#[inline(always)]
pub(crate) fn unshared<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    if Rc::get_mut(shared).is_none() {
        copy(shared);
    }
    match Rc::get_mut(shared) {
        Some(own) => own,
        None => unreachable!("nobody else has it any more"),
    }
}

#[cold]
#[inline(never)]
fn copy<T: Clone>(shared: &mut Rc<T>) {
    *shared = Rc::new((**shared).clone());
}

/// All arenas of one owner.
#[derive(Clone, Default)]
pub(super) struct Owner {
    arenas: [Option<Rc<Arena>>; CLASSES],
}

/// The slots of one size class.
#[derive(Clone, Default)]
pub(super) struct Arena {
    /// The first slot that was never used.
    pub next: u32,
    /// Slots of private stack objects that can be reused, last in first out.
    pub free: Vec<u32>,
    objects: Vec<Rc<[Object; GROUP]>>,
    pages: Vec<Rc<PageGroup>>,
    /// The numbers of the pages that have, or had at some time, a symbolic byte.
    symbolic: BTreeSet<u32>,
}

impl Arena {
    /// Makes room for the records and pages of a slot. The room is never freed, also not when the
    /// slot is undone.
    pub fn reserve(&mut self, slot: u32, class: u32) {
        while self.objects.len() * GROUP <= slot as usize {
            self.objects.push(Rc::new([NOTHING; GROUP]));
        }
        let end = (slot as usize + 1) << (MIN_SHIFT + class);
        while self.pages.len() * GROUP * PAGE < end {
            self.pages.push(Rc::new([const { None }; GROUP]));
        }
    }

    #[inline]
    pub fn object(&self, slot: u32) -> &Object {
        &self.objects[slot as usize / GROUP][slot as usize % GROUP]
    }

    #[inline]
    pub fn object_mut(&mut self, slot: u32) -> &mut Object {
        &mut unshared(&mut self.objects[slot as usize / GROUP])[slot as usize % GROUP]
    }

    #[inline]
    pub fn page(&self, page: usize) -> Option<&Rc<Page>> {
        self.pages.get(page / GROUP)?[page % GROUP].as_ref()
    }

    /// The pages that exist and may have symbolic bytes, by number.
    pub fn symbolic_pages(&self) -> impl Iterator<Item = (usize, &Page)> {
        let numbers = self.symbolic.iter().map(|&number| number as usize);
        numbers.filter_map(|number| Some((number, &**self.page(number)?)))
    }

    /// The place of a page, if there is room for it. Copies the group if it is shared and the page
    /// is present.
    pub fn page_slot(&mut self, page: usize) -> Option<&mut Option<Rc<Page>>> {
        let group = self.pages.get_mut(page / GROUP)?;
        group[page % GROUP].as_ref()?;
        Some(&mut unshared(group)[page % GROUP])
    }

    /// The place of a page, present or not.
    pub fn page_place(&mut self, page: usize) -> &mut Option<Rc<Page>> {
        &mut unshared(&mut self.pages[page / GROUP])[page % GROUP]
    }
}

#[cfg(feature = "laboratory")]
impl Arena {
    /// Whether each page with a symbolic byte is noted.
    fn notes_symbolic_pages(&self) -> bool {
        let pages = self.pages.iter().flat_map(|group| group.iter()).zip(0..);
        pages.into_iter().all(|(page, number)| {
            let partials = page.iter().filter_map(|page| page.partial.as_ref());
            let mut bytes = partials.flat_map(|partial| partial.values());
            self.symbolic.contains(&number) || bytes.all(|byte| byte.expr.is_none())
        })
    }
}

impl Memory {
    /// Whether each page with a symbolic byte is noted. Slow; a check for tests.
    #[cfg(feature = "laboratory")]
    pub(crate) fn notes_symbolic_pages(&self) -> bool {
        let owners = self.owners.iter().flatten();
        let mut arenas = owners.flat_map(|owner| owner.arenas.iter().flatten());
        arenas.all(|arena| arena.notes_symbolic_pages())
    }

    #[inline]
    pub(super) fn arena(&self, parts: Parts) -> Option<&Arena> {
        self.owners
            .get(parts.owner as usize)?
            .as_ref()?
            .arenas
            .get(parts.class as usize)?
            .as_deref()
    }

    pub(super) fn arena_mut(&mut self, owner: u32, class: u32) -> &mut Arena {
        if owner as usize >= self.owners.len() {
            self.owners.resize(owner as usize + 1, None);
        }
        let owner = unshared(self.owners[owner as usize].get_or_insert_default());
        unshared(owner.arenas[class as usize].get_or_insert_default())
    }

    /// Notes that the page of an address gets a symbolic byte.
    pub(super) fn note_symbolic(&mut self, address: u64) {
        let Some(parts) = Parts::of(address) else { return };
        let page = (parts.offset as usize / PAGE) as u32;
        if self
            .arena(parts)
            .is_some_and(|arena| !arena.symbolic.contains(&page))
        {
            self.arena_mut(parts.owner, parts.class).symbolic.insert(page);
        }
    }

    #[inline]
    pub(super) fn page(&self, address: u64) -> Option<&Page> {
        let parts = Parts::of(address)?;
        self.arena(parts)?
            .page(parts.offset as usize / PAGE)
            .map(|p| &**p)
    }

    /// The page of an address within a reserved slot, made if it is missing, unshared.
    #[inline]
    pub(super) fn page_mut(&mut self, address: u64) -> &mut Page {
        page_of(&mut self.owners, address, &mut self.log)
    }

    /// Saves the present state: everything becomes shared.
    #[cfg(feature = "laboratory")]
    pub fn save(&mut self) -> MemoryState {
        self.flush();
        MemoryState {
            owners: self.owners.clone(),
        }
    }

    /// Restores a saved state and empties the undo log.
    #[cfg(feature = "laboratory")]
    pub fn restore(&mut self, state: &MemoryState) {
        self.flush();
        self.forget_log();
        self.owners.clone_from(&state.owners);
    }
}

/// The page of an address within a reserved slot, made if it is missing, unshared.
///
/// A page that several small slots share has the contents that `blank` gave it, whenever it was
/// made. A page of a large slot begins with those of its present object. So that it was made is
/// undone: another object may have been there before.
#[inline]
pub(super) fn page_of<'a>(
    owners: &'a mut [Option<Rc<Owner>>],
    address: u64,
    log: &mut Vec<Entry>,
) -> &'a mut Page {
    let found = Parts::of(address).and_then(|parts| {
        let owner = unshared(owners.get_mut(parts.owner as usize)?.as_mut()?);
        Some((parts, unshared(owner.arenas[parts.class as usize].as_mut()?)))
    });
    let Some((parts, arena)) = found else {
        unreachable!("page of {address:#x}: callers check the object first");
    };
    let index = parts.offset as usize / PAGE;
    let place = &mut unshared(&mut arena.pages[index / GROUP])[index % GROUP];
    if place.is_none() {
        let large = 1usize << (MIN_SHIFT + parts.class) >= PAGE;
        let slot = parts.slot() as usize;
        let zeroed = large && arena.objects[slot / GROUP][slot % GROUP].zeroed;
        *place = Some(Rc::new(if zeroed { Page::zeroed() } else { Page::undefined() }));
        if large {
            log.push(Entry::Made {
                owner: parts.owner,
                class: parts.class,
                page: index as u32,
            });
        }
    }
    match place {
        Some(page) => unshared(page),
        None => unreachable!("just made"),
    }
}
