//! The memory as fragments for fingerprints: all fragments, and the change that a step made to
//! them.
//!
//! Only bytes of live objects count, and only those that differ from the contents of a new object
//! (zero or undefined). So large untouched objects cost nothing, and ending an object removes its
//! bytes.

use super::address::{CLASSES, MIN_SHIFT};
use super::page::{CHUNK, PAGE, Page, Partial};
use super::undo::Entry;
use super::unwritten::WRITTEN;
use super::{Kind, Life, Memory, Object, Parts};
use crate::fingerprint::{FragmentKind, Keys, mixed};
use crate::value::{Tag, Tags};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, Id};
use selvedge_expr::Expr;

/// Up to this number, entries are searched one by one.
const FEW: usize = 16;

/// The number of log entries after which the stop flag is polled.
const LOOK: usize = 1 << 16;

pub(super) const UNDEFINED: u128 = 0xff00;

/// The contents of a byte with its definedness. Two bytes have equal contents exactly if no program
/// can distinguish them (except for collisions of the hashes of expressions).
#[inline]
pub(super) fn content(tags: &Tags, data: u8, undefined: bool, partial: Option<Partial>) -> u128 {
    match (undefined, partial) {
        (false, _) => u128::from(data),
        (true, None) => UNDEFINED,
        (true, Some(partial)) => special(tags, data, partial),
    }
}

#[cold]
fn special(tags: &Tags, data: u8, partial: Partial) -> u128 {
    special_as(tags, data, partial, &|expr| tags.arena.hash(expr))
}

/// The contents of a byte, with other names for expressions.
fn special_as(tags: &Tags, data: u8, partial: Partial, name: &dyn Fn(Expr) -> Digest) -> u128 {
    let Partial {
        mask,
        poison,
        expr,
        home,
    } = partial;
    match expr {
        Some(expr) => {
            let [low, high] = name(expr).words();
            mixed(&[u64::from(mask) << 8 | 1, home, low, high])
        }
        None if poison == 0 => {
            let written = u128::from(home == WRITTEN);
            u128::from(data & !mask) | u128::from(mask) << 8 | written << 16
        }
        None => {
            let tag = Tag(poison);
            mixed(&[
                u64::from(data) << 8 | 2,
                tag.cause(),
                tags.home(tag).unwrap_or(0),
                0,
            ])
        }
    }
}

pub(super) const fn fresh(object: &Object) -> u128 {
    if object.zeroed { 0 } else { UNDEFINED }
}

pub(super) fn in_page(tags: &Tags, page: &Page, offset: usize) -> u128 {
    let undefined = page.chunks[offset / CHUNK].undefined >> (offset % CHUNK) & 1 == 1;
    let partial = if undefined {
        page.partial
            .as_ref()
            .and_then(|p| p.get(&(offset as u16)))
            .copied()
    } else {
        None
    };
    content(tags, page.data[offset], undefined, partial)
}

/// The record of an object. With `places`, it contains where a live heap object was allocated.
fn record(base: u64, object: &Object, places: bool) -> [u64; 3] {
    let place = match object.kind {
        Kind::Heap if places && object.life == Life::Live => object.made.stmt.index() as u64,
        _ => 0,
    };
    [
        base,
        object.size,
        object.kind as u64
            | (object.life as u64) << 8
            | u64::from(object.zeroed) << 16
            | (object.by as u64) << 17
            | u64::from(object.reborn) << 19
            | place << 24,
    ]
}

/// The memory before a step, as far as the undo log has it.
#[derive(Default)]
struct Before<'a> {
    /// Chunks, in the order of first writes.
    chunks: Vec<(u64, u64, &'a [u8; CHUNK])>,
    /// Chunks by address; filled only if objects changed.
    index: FxHashMap<u64, usize>,
    partials: FxHashMap<u64, Option<Partial>>,
    objects: Vec<(u64, Object)>,
    /// The addresses of `objects`.
    bases: FxHashSet<u64>,
    /// Pages that were dropped, by first address.
    pages: FxHashMap<u64, &'a Page>,
    /// Pages of large slots that were not there before the step, by first address.
    made: FxHashSet<u64>,
    /// By how many slots arenas have grown.
    bumped: FxHashMap<(u32, u32), i64>,
}

impl Before<'_> {
    /// The undefined bytes and the data of a chunk before the step. `page`: the page that contained
    /// it.
    fn chunk<'a>(&'a self, address: u64, page: &'a Page) -> (u64, &'a [u8; CHUNK]) {
        match self.index.get(&address) {
            Some(&i) => {
                let (_, undefined, data) = self.chunks[i];
                (undefined, data)
            }
            None => page.chunk(address),
        }
    }
}

/// The first address of a page.
const fn page_address(owner: u32, class: u32, page: u32) -> u64 {
    let offset = page * PAGE as u32;
    Parts { owner, class, offset }.address()
}

/// The bytes of a chunk from one address to another, one bit each.
const fn bits_of(chunk: u64, from: u64, to: u64) -> u64 {
    if from >= to {
        return 0;
    }
    (u64::MAX >> (CHUNK as u64 - (to - from))) << (from - chunk)
}

/// Those of some bytes of a chunk that may have other contents than in a new object, by number.
/// `is_plain`: a byte that is not simply defined is simply undefined.
fn unlike_fresh(
    object: &Object,
    is_plain: bool,
    (undefined, data): (u64, &[u8; CHUNK]),
    bytes: u64,
) -> impl Iterator<Item = u64> + use<> {
    let mut left = bytes;
    if is_plain && !object.zeroed {
        left &= !undefined;
    } else if is_plain {
        let set = data.iter().enumerate();
        left &= set.fold(undefined, |set, (i, &byte)| set | u64::from(byte != 0) << i);
    }
    std::iter::from_fn(move || {
        let next = (left != 0).then(|| u64::from(left.trailing_zeros()));
        left &= left.wrapping_sub(1);
        next
    })
}

impl Memory {
    /// Calls `f` with all fragments.
    pub(crate) fn each_fragment(&self, f: &mut dyn FnMut(FragmentKind, &[u64])) {
        for owner in 0..self.owners.len() as u32 {
            for class in 0..CLASSES as u32 {
                let Some(arena) = self.arena(Parts {
                    owner,
                    class,
                    offset: 0,
                }) else {
                    continue;
                };
                let place = u64::from(owner) << 8 | u64::from(class);
                if arena.next > 0 {
                    f(FragmentKind::Arena, &[place, u64::from(arena.next)]);
                }
                for (i, &slot) in arena.free.iter().enumerate() {
                    f(FragmentKind::FreeSlot, &[place, i as u64, u64::from(slot)]);
                }
                for slot in 0..arena.next {
                    let base = Parts {
                        owner,
                        class,
                        offset: slot << (MIN_SHIFT + class),
                    }
                    .address();
                    let object = arena.object(slot);
                    f(FragmentKind::Object, &record(base, object, self.places));
                    self.each_protection(base, object, f);
                    if object.life == Life::Live {
                        self.each_byte(base, object, f);
                    }
                }
            }
        }
    }

    fn each_byte(&self, base: u64, object: &Object, f: &mut dyn FnMut(FragmentKind, &[u64])) {
        let (mut at, end) = (base, base + object.size);
        while at < end {
            let stop = ((at & !(PAGE as u64 - 1)) + PAGE as u64).min(end);
            if let Some(page) = self.page(at) {
                for address in at..stop {
                    let mut byte = in_page(&self.tags, page, address as usize % PAGE);
                    if let Some(counted) = self.counted(address, byte) {
                        f(FragmentKind::Counter, &counted);
                        byte = 0;
                    }
                    if byte != fresh(object) {
                        f(FragmentKind::Byte, &[address, byte as u64, (byte >> 64) as u64]);
                    }
                }
            }
            at = stop;
        }
    }

    /// Calls `f` with the fragments of all symbolic bytes, by address, under other names for their
    /// expressions.
    pub(crate) fn each_symbolic_byte(
        &self,
        name: &dyn Fn(Expr) -> Digest,
        f: &mut dyn FnMut(FragmentKind, &[u64]),
    ) {
        for owner in 0..self.owners.len() as u32 {
            for class in 0..CLASSES as u32 {
                let at = |offset| Parts { owner, class, offset };
                let Some(arena) = self.arena(at(0)) else { continue };
                for (number, page) in arena.symbolic_pages() {
                    let Some(partial) = &page.partial else { continue };
                    if self.stop.is_set() {
                        return; // no states are compared any more
                    }
                    let symbolic = partial.iter().filter(|(_, p)| p.expr.is_some());
                    let mut offsets: Vec<u16> = symbolic.map(|(&offset, _)| offset).collect();
                    offsets.sort_unstable();
                    for offset in offsets {
                        let offset = usize::from(offset);
                        let address = at((number * PAGE + offset) as u32).address();
                        let is_live = self.object_at(address).is_some_and(|(base, object)| {
                            object.life == Life::Live && address < base + object.size
                        });
                        let undefined = page.chunks[offset / CHUNK].undefined >> (offset % CHUNK) & 1 == 1;
                        if is_live && undefined {
                            let byte =
                                special_as(&self.tags, page.data[offset], partial[&(offset as u16)], name);
                            f(FragmentKind::Byte, &[address, byte as u64, (byte >> 64) as u64]);
                        }
                    }
                }
            }
        }
    }

    /// New minus old hashes of all fragments that changed since a position of the undo log, where a
    /// step began.
    pub(crate) fn changed_fragments(&self, mark: usize, keys: &Keys) -> Digest {
        if self.log.len() == mark {
            return Digest::EMPTY;
        }
        let (before, mut delta) = self.before(mark, keys);
        for &(base, old) in &before.objects {
            if self.stop.is_set() {
                return Digest::EMPTY; // no states are compared any more
            }
            delta = delta.with(self.changed_object(base, &old, &before, keys));
        }
        for &(address, undefined, data) in &before.chunks {
            if self.stop.is_set() {
                return Digest::EMPTY;
            }
            delta = delta.with(self.changed_chunk(address, undefined, data, &before, keys));
        }
        delta
    }

    /// Reads the log. Also returns the change of arenas.
    fn before(&self, mark: usize, keys: &Keys) -> (Before<'_>, Digest) {
        let log = &self.log[mark..];
        let (mut chunks, mut objects, mut pages) = (0, 0, 0);
        for entry in log {
            match entry {
                Entry::Chunk { .. } => chunks += 1,
                Entry::Object { .. } => objects += 1,
                Entry::Page { .. } => pages += 1,
                _ => {}
            }
        }
        let mut saved_chunks = self.saved_chunks[self.saved_chunks.len() - chunks..].iter();
        let mut saved_objects = self.saved_objects[self.saved_objects.len() - objects..].iter();
        let mut saved_pages = self.saved_pages[self.saved_pages.len() - pages..].iter();
        let mut before = Before::default();
        let mut seen_chunks = (chunks > FEW).then(FxHashSet::default);
        let mut frees: Vec<(u32, u32, Option<u32>)> = Vec::new();
        for (at, entry) in log.iter().enumerate() {
            if at % LOOK == LOOK - 1 && self.stop.is_set() {
                return (Before::default(), Digest::EMPTY);
            }
            match *entry {
                Entry::Chunk { address, undefined } => {
                    // Values written after a page was dropped are not the values from before the
                    // step. A chunk may have been saved more than once in a step; the first time
                    // counts.
                    if let Some(data) = saved_chunks.next()
                        && !before.pages.contains_key(&(address & !(PAGE as u64 - 1)))
                        && match &mut seen_chunks {
                            None => before.chunks.iter().all(|c| c.0 != address),
                            Some(seen) => seen.insert(address),
                        }
                    {
                        before.chunks.push((address, undefined, data));
                    }
                }
                Entry::Partial { address, old } => {
                    if !before.pages.contains_key(&(address & !(PAGE as u64 - 1))) {
                        before.partials.entry(address).or_insert(old);
                    }
                }
                Entry::Object { base } => {
                    if let Some(old) = saved_objects.next()
                        && before.bases.insert(base)
                    {
                        before.objects.push((base, *old));
                    }
                }
                Entry::Made { owner, class, page } => {
                    let first = page_address(owner, class, page);
                    if !before.pages.contains_key(&first) {
                        before.made.insert(first);
                    }
                }
                Entry::Page { owner, class, page } => {
                    let first = page_address(owner, class, page);
                    if let Some(Some(old)) = saved_pages.next()
                        && !before.made.contains(&first)
                    {
                        before.pages.entry(first).or_insert(old);
                    }
                }
                Entry::Bumped { owner, class } => *before.bumped.entry((owner, class)).or_insert(0) += 1,
                Entry::Lowered { owner, class } => *before.bumped.entry((owner, class)).or_insert(0) -= 1,
                Entry::TookFree { owner, class, slot } => frees.push((owner, class, Some(slot))),
                Entry::GaveFree { owner, class } => frees.push((owner, class, None)),
            }
        }
        if !before.objects.is_empty() {
            before.index = before.chunks.iter().enumerate().map(|(i, c)| (c.0, i)).collect();
        }
        let mut delta = self.changed_free_lists(&frees, keys);
        for (&(owner, class), &count) in &before.bumped {
            let next = i64::from(self.next(owner, class));
            let place = u64::from(owner) << 8 | u64::from(class);
            let hash = |next: i64| match next {
                0 => Digest::EMPTY,
                _ => keys.pair(FragmentKind::Arena, place, next as u64),
            };
            delta = delta.with(hash(next)).without(hash(next - count));
        }
        (before, delta)
    }

    /// True if objects were made or ended, or have changed otherwise, since a position of the undo
    /// log.
    pub(crate) fn has_changed_objects(&self, mark: usize) -> bool {
        let of_objects = |entry: &Entry| {
            !matches!(
                entry,
                Entry::Chunk { .. } | Entry::Partial { .. } | Entry::Made { .. }
            )
        };
        self.log[mark..].iter().any(of_objects)
    }

    /// True if some bytes differ from their values at a position of the undo log, where a step
    /// began. A byte counts as changed if more than its value may have changed.
    pub(crate) fn has_changed(&self, mark: usize, address: u64, size: u64) -> bool {
        let log = &self.log[mark..];
        let saved = log.iter().filter(|entry| matches!(entry, Entry::Chunk { .. }));
        let saved = self.saved_chunks.len() - saved.count();
        let mut saved = self.saved_chunks[saved..].iter();
        let end = address.saturating_add(size);
        let mut seen: Vec<u64> = Vec::new();
        for entry in log {
            match *entry {
                Entry::Chunk {
                    address: chunk,
                    undefined,
                } => {
                    let Some(old) = saved.next() else { return true };
                    let meets = chunk < end && address < chunk + CHUNK as u64;
                    if !meets || seen.contains(&chunk) {
                        continue;
                    }
                    // The first save in a step counts.
                    seen.push(chunk);
                    let Some(page) = self.page(chunk) else { return true };
                    let first = chunk as usize % PAGE;
                    let now = page.chunks[first / CHUNK].undefined;
                    let differs = |at: u64| {
                        let i = (at - chunk) as usize;
                        page.data[first + i] != old[i] || (now ^ undefined) >> i & 1 == 1
                    };
                    if (address.max(chunk)..end.min(chunk + CHUNK as u64)).any(differs) {
                        return true;
                    }
                }
                Entry::Partial { address: byte, .. } if (address..end).contains(&byte) => return true,
                Entry::Object { base } => {
                    let size = self.object_at(base).map_or(u64::MAX, |(_, object)| object.size);
                    if base < end && address < base.saturating_add(size) {
                        return true;
                    }
                }
                Entry::Page { .. } => return true,
                Entry::Partial { .. }
                | Entry::Made { .. }
                | Entry::Bumped { .. }
                | Entry::Lowered { .. }
                | Entry::TookFree { .. }
                | Entry::GaveFree { .. } => {}
            }
        }
        false
    }

    fn next(&self, owner: u32, class: u32) -> u32 {
        self.arena(Parts {
            owner,
            class,
            offset: 0,
        })
        .map_or(0, |a| a.next)
    }

    /// Reverses the changes of the free lists: slots that were taken, and slots that were added
    /// (`None`).
    fn changed_free_lists(&self, changes: &[(u32, u32, Option<u32>)], keys: &Keys) -> Digest {
        let mut delta = Digest::EMPTY;
        // For each arena: how much of the present list is left, and the entries above it.
        let mut lists: FxHashMap<(u32, u32), (usize, Vec<u32>)> = FxHashMap::default();
        for &(owner, class, taken) in changes.iter().rev() {
            let Some(arena) = self.arena(Parts {
                owner,
                class,
                offset: 0,
            }) else {
                continue;
            };
            let (len, above) = lists
                .entry((owner, class))
                .or_insert_with(|| (arena.free.len(), Vec::new()));
            let place = u64::from(owner) << 8 | u64::from(class);
            let entry = |at: usize, slot: u32| {
                keys.words(FragmentKind::FreeSlot, &[place, at as u64, u64::from(slot)])
            };
            match taken {
                Some(slot) => {
                    delta = delta.without(entry(*len + above.len(), slot));
                    above.push(slot);
                }
                None => {
                    let slot = above.pop().unwrap_or_else(|| {
                        *len = len.saturating_sub(1);
                        arena.free.get(*len).copied().unwrap_or(0)
                    });
                    delta = delta.with(entry(*len + above.len(), slot));
                }
            }
        }
        delta
    }

    /// The change of an object whose record was written: all of its bytes, before and now.
    fn changed_object(&self, base: u64, old: &Object, before: &Before<'_>, keys: &Keys) -> Digest {
        let new = self.object_at(base).map(|(_, object)| object);
        let mut delta = new.map_or(Digest::EMPTY, |new| {
            keys.words(FragmentKind::Object, &record(base, &new, self.places))
        });
        let existed = Parts::of(base).is_some_and(|p| {
            let bumped = before.bumped.get(&(p.owner, p.class)).copied().unwrap_or(0);
            i64::from(p.slot()) < i64::from(self.next(p.owner, p.class)) - bumped
        });
        if existed {
            let record = keys.words(FragmentKind::Object, &record(base, old, self.places));
            delta = delta.without(record);
            self.each_protection(base, old, &mut |kind, words| {
                delta = delta.without(keys.words(kind, words));
            });
        }
        if let Some(new) = &new {
            self.each_protection(base, new, &mut |kind, words| {
                delta = delta.with(keys.words(kind, words));
            });
        }
        let old_end = if existed && old.life == Life::Live {
            base + old.size
        } else {
            base
        };
        let new = new.filter(|new| new.life == Life::Live);
        let new_end = base + new.map_or(0, |new| new.size);
        let (mut at, end) = (base, old_end.max(new_end));
        while at < end {
            let first = at & !(PAGE as u64 - 1);
            let stop = (first + PAGE as u64).min(end);
            let page = self.page(at);
            let old_page = match before.made.contains(&first) {
                true => None,
                false => before.pages.get(&first).copied().or(page),
            };
            while (page.is_some() || old_page.is_some()) && at < stop {
                let chunk = at & !(CHUNK as u64 - 1);
                let next = (chunk + CHUNK as u64).min(stop);
                if let Some(page) = old_page {
                    let (undefined, data) = before.chunk(chunk, page);
                    let is_plain = page.partial.is_none();
                    let bytes = bits_of(chunk, at, next.min(old_end));
                    for i in unlike_fresh(old, is_plain, (undefined, data), bytes) {
                        let byte = self.byte_before(chunk + i, page, (undefined, data), before);
                        delta = delta.without(self.byte_hash(old, (chunk + i, byte), keys));
                    }
                }
                if let (Some(page), Some(new)) = (page, &new) {
                    let bytes = bits_of(chunk, at, next.min(new_end));
                    let is_plain = page.partial.is_none();
                    for i in unlike_fresh(new, is_plain, page.chunk(chunk), bytes) {
                        let byte = in_page(&self.tags, page, (chunk + i) as usize % PAGE);
                        delta = delta.with(self.byte_hash(new, (chunk + i, byte), keys));
                    }
                }
                at = next;
            }
            at = stop;
        }
        delta
    }

    /// A byte before the step. `page`: the page that contained it; then the chunk as it was.
    fn byte_before(
        &self,
        address: u64,
        page: &Page,
        (undefined, data): (u64, &[u8; CHUNK]),
        before: &Before<'_>,
    ) -> u128 {
        let offset = address as usize % PAGE;
        let data = data[offset % CHUNK];
        if undefined >> (offset % CHUNK) & 1 == 0 {
            return u128::from(data);
        }
        let partial = match before.partials.get(&address) {
            Some(old) => *old,
            None => page
                .partial
                .as_ref()
                .and_then(|p| p.get(&(offset as u16)))
                .copied(),
        };
        content(&self.tags, data, true, partial)
    }

    /// The change of a chunk that was written: those of its bytes whose objects existed all the
    /// time.
    fn changed_chunk(
        &self,
        address: u64,
        undefined: u64,
        data: &[u8; CHUNK],
        before: &Before<'_>,
        keys: &Keys,
    ) -> Digest {
        let Some(page) = self.page(address) else {
            return Digest::EMPTY;
        };
        let first = address as usize % PAGE;
        let plain = page.partial.is_none() && before.partials.is_empty();
        let mut written = u64::MAX;
        if plain {
            written = undefined ^ page.chunks[first / CHUNK].undefined;
            for (i, (now, was)) in page.data[first..first + CHUNK].iter().zip(data).enumerate() {
                written |= u64::from(now != was) << i;
            }
        }
        if written == 0 {
            return Digest::EMPTY;
        }
        let mut delta = Digest::EMPTY;
        let mut at = address;
        while at < address + CHUNK as u64 {
            let Some(parts) = Parts::of(at) else { return delta };
            let stop = (parts.base() + (1 << (MIN_SHIFT + parts.class))).min(address + CHUNK as u64);
            let from = std::mem::replace(&mut at, stop);
            let Some((base, object)) = self.object_at(from) else {
                continue;
            };
            let changed = !before.bases.is_empty() && before.bases.contains(&base);
            if object.life != Life::Live || changed {
                continue;
            }
            for byte in from..stop.min(base + object.size) {
                let i = (byte - address) as usize;
                if written >> i & 1 == 0 {
                    continue;
                }
                let new = in_page(&self.tags, page, first + i);
                let was = undefined >> i & 1 == 1;
                let partial = match before.partials.get(&byte) {
                    Some(old) => *old,
                    None if was => page
                        .partial
                        .as_ref()
                        .and_then(|p| p.get(&((first + i) as u16)))
                        .copied(),
                    None => None,
                };
                let old = content(&self.tags, data[i], was, partial);
                if old != new {
                    let hash = |content| self.byte_hash(&object, (byte, content), keys);
                    delta = delta.with(hash(new)).without(hash(old));
                }
            }
        }
        delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Maker, Refused, Site};
    use crate::value::{Poison, Value};
    use selvedge_expr::InputKey;

    const SIZES: [u64; 4] = [24, 100, 1_000, 6_000];

    fn all(memory: &Memory) -> Digest {
        let mut sum = Digest::EMPTY;
        memory.each_fragment(&mut |kind, words| sum = sum.with(Keys::SOUND.words(kind, words)));
        sum
    }

    fn object(random: &mut fastrand::Rng) -> Object {
        Object {
            size: SIZES[random.usize(..SIZES.len())],
            kind: if random.bool() {
                Kind::PrivateStack
            } else {
                Kind::Heap
            },
            life: Life::Live,
            zeroed: random.bool(),
            by: Maker::Other,
            protection: 0,
            name: 0,
            made: Site::default(),
            ended: Site::default(),
            reborn: false,
        }
    }

    fn value(memory: &Memory, random: &mut fastrand::Rng) -> Value {
        let bits = random.u64(..);
        match random.u8(..10) {
            0 => Value::UNDEF,
            1 => memory.tags.value(bits, random.u64(..)),
            2 => Value::poison(bits, Poison::NoArgument),
            3 => {
                let key = InputKey {
                    thread: 1,
                    ordinal: random.u32(..3),
                    byte: 0,
                };
                memory.tags.of(memory.tags.arena.input(key, 64))
            }
            4 => Value::new(0),
            _ => Value::new(bits),
        }
    }

    /// The change that a step makes is the difference of all fragments, whatever the step does.
    #[test]
    fn changes_are_differences() {
        let mut random = fastrand::Rng::with_seed(5);
        for round in 0..400 {
            let mut memory = Memory::default();
            memory.set_unwritten_inputs(round % 2 == 1);
            let mut bases: Vec<(u64, Object)> = Vec::new();
            for step in 0..8 {
                memory.begin_step();
                let (mark, before) = (memory.mark(), all(&memory));
                for _ in 0..random.usize(1..6) {
                    match random.u8(..8) {
                        0 | 1 => {
                            let object = object(&mut random);
                            let base = memory.allocate(1, object, 8).unwrap_or_default();
                            bases.retain(|&(other, _)| other != base);
                            bases.push((base, object));
                        }
                        2 if !bases.is_empty() => {
                            let (base, object) = bases[random.usize(..bases.len())];
                            memory.end_object(base, Life::Freed, Site::default());
                            if object.kind == Kind::PrivateStack {
                                bases.retain(|&(other, _)| other != base);
                            }
                        }
                        3 if !bases.is_empty() => {
                            let which = random.usize(..bases.len());
                            let (base, object) = bases[which];
                            let zeroed = random.bool();
                            bases[which].1 = Object { zeroed, ..object };
                            memory.reuse(base, bases[which].1);
                        }
                        5 if !bases.is_empty() => {
                            let (base, _) = bases[random.usize(..bases.len())];
                            let pages = random.u64(..2)..random.u64(..4);
                            let refused = [None, Some(Refused::All), Some(Refused::Writes)];
                            memory.protect(base, pages, refused[random.usize(..3)]);
                        }
                        4 if bases.len() > 1 => {
                            let [to, from] = [0, 1].map(|_| bases[random.usize(..bases.len())]);
                            memory.copy(to.0, from.0, to.1.size.min(from.1.size));
                        }
                        _ if !bases.is_empty() => {
                            let (base, object) = bases[random.usize(..bases.len())];
                            let at = base + random.u64(..=object.size - 8);
                            let value = value(&memory, &mut random);
                            memory.poke_checked(at, random.u64(1..=8), value);
                        }
                        _ => {}
                    }
                }
                let changed = memory.changed_fragments(mark, &Keys::SOUND);
                assert_eq!(before.with(changed), all(&memory), "round {round}, step {step}");
                if random.u8(..4) == 0 {
                    let known = bases.clone();
                    memory.undo(mark);
                    assert_eq!(all(&memory), before, "round {round}, step {step}");
                    bases = known;
                    bases.retain(|&(base, _)| memory.object_at(base).is_some());
                    for (base, object) in &mut bases {
                        *object = memory.object_at(*base).map_or(*object, |(_, object)| object);
                    }
                }
            }
        }
    }
}
