//! The accesses to some places that the detector holds, so that two executions can be compared
//! ([`Held`]).
//!
//! Parts and names are those of the [digest](super::digest). Clocks are only joined, copied and
//! dropped, whatever they contain. Assume that after one execution each clock covers only accesses
//! that it also covers after the other. Then the same holds after the same later events, and each
//! race that these bring after the other execution comes after this one, too.

use super::RaceDetector;
use super::digest::{About, Kept, Names, Summary, hash};
use super::objects::bytes_of;
use super::shadow::{Entry, Kind, granules};
use selvedge_model::{Held, Pending, Places, RaceCandidate};

impl RaceDetector {
    /// The accesses held for these places. Part of a granule counts as the whole granule.
    pub(super) fn candidates(&self, pending: &[Pending], names: Names, places: &Places) -> Held {
        let clocks = self.clocks(pending, &names);
        let floor = clocks.floor.clone();
        let mut summary = Summary::new(names, clocks);
        let (mut candidates, mut kept) = (Vec::new(), Vec::new());
        self.shadow
            .for_each(&self.store, places, &floor, |granule, entries| {
                kept.clear();
                kept.extend(
                    entries
                        .iter()
                        .filter_map(|&(entry, bytes)| summary.keep(entry, bytes)),
                );
                summary.candidates(About::Bytes, [0, granule, 0], &kept, &mut candidates);
            });
        for (id, object) in self.objects.all() {
            let Some((address, size)) = bytes_of(id) else {
                continue;
            };
            if !places.meets(granules(address, address.saturating_add(size))) {
                continue;
            }
            kept.clear();
            let ticks = self.store.ticks(object.touched(), self.width());
            for (thread, &name) in ticks.iter().enumerate() {
                if let Some(origin) = self.store.origin(name) {
                    kept.extend(summary.keep(Entry::new(thread, Kind::ATOMIC_WRITE, origin), 1));
                }
            }
            let place = summary.names.object(id);
            summary.candidates(About::Object, place, &kept, &mut candidates);
        }
        for (start, end, entry) in self.shadow.ranges() {
            if places.meets(granules(start, end))
                && let Some(kept) = summary.keep(entry, 1)
            {
                summary.candidates(About::Range, [0, start, end], &[kept], &mut candidates);
            }
        }
        Held::new(candidates)
    }
}

impl Summary {
    /// Adds the accesses to one place that no other access subsumes.
    fn candidates(
        &mut self,
        about: About,
        place: [u64; 3],
        kept: &[Kept],
        candidates: &mut Vec<RaceCandidate>,
    ) {
        for this in kept {
            let others = kept.iter().filter(|other| other.bytes & this.bytes != 0);
            let bytes = others
                .filter(|other| self.stands_for(other, this))
                .fold(this.bytes, |bytes, other| bytes & !other.bytes);
            if bytes != 0 {
                let [kind, a, b] = place;
                let [c, d] = self.access(&this.entry, None).words();
                candidates.push(RaceCandidate {
                    what: hash(about, &[kind, a, b, c, d]),
                    bytes,
                    covered_by: self.covering_clocks(this),
                });
            }
        }
    }
}
