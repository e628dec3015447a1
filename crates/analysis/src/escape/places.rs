//! The objects that a function follows addresses to, and which addresses are stored where in them.

use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::LocalId;
use smallvec::SmallVec;

/// The number of a place: first the locals, then what each parameter points to, then what is
/// pointed to from there.
pub(super) type PlaceId = u32;

/// So many different offsets in one place are told apart; more count as all.
const OFFSETS: usize = 4;
/// So many addresses are followed in one place. More are let out.
const STORED: usize = 32;
/// So many places of a function are found by loads. What more loads give is let out.
const LOADED: usize = 64;
/// So many loads in a row are followed.
const DEPTH: u8 = 2;

/// Bytes of an object, from where an address points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Range {
    start: i64,
    end: i64,
}

/// All bytes.
pub(super) const ALL: Range = Range {
    start: i64::MIN,
    end: i64::MAX,
};

impl Range {
    /// So many bytes from an offset on; all if one of the two is not known.
    pub fn new(start: Option<i64>, len: Option<u64>) -> Range {
        let len = len.and_then(|len| i64::try_from(len).ok());
        let end = start.zip(len).and_then(|(start, len)| start.checked_add(len));
        match (start, end) {
            (Some(start), Some(end)) => Range { start, end },
            _ => ALL,
        }
    }

    /// The same bytes of an address that is so far ahead; all if that is not known.
    pub fn moved(self, by: Option<i64>) -> Range {
        let moved = by.and_then(|by| {
            Some(Range {
                start: self.start.checked_add(by)?,
                end: self.end.checked_add(by)?,
            })
        });
        moved.unwrap_or(ALL)
    }

    fn overlaps(self, other: Range) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// An address: where in a place, if that is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Value {
    pub place: PlaceId,
    pub offset: Option<i64>,
}

impl Value {
    /// The address that is so far ahead.
    pub fn moved(self, by: Option<i64>) -> Value {
        let offset = self
            .offset
            .zip(by)
            .and_then(|(offset, by)| offset.checked_add(by));
        Value { offset, ..self }
    }
}

/// The addresses that something may hold, in order.
pub(super) type Values = SmallVec<[Value; 2]>;

/// Adds an address; true if it was not there.
pub(super) fn add(values: &mut Values, value: Value) -> bool {
    let same = values.iter().filter(|known| known.place == value.place);
    let anywhere = Value {
        offset: None,
        ..value
    };
    if values.contains(&value) || values.contains(&anywhere) {
        return false;
    }
    let value = if value.offset.is_none() || same.count() >= OFFSETS {
        values.retain(|known| known.place != value.place);
        anywhere
    } else {
        value
    };
    if let Err(at) = values.binary_search(&value) {
        values.insert(at, value);
    }
    true
}

/// Whose object it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// A local of the function.
    Local,
    /// What a parameter points to.
    Param,
    /// What an address points to that was there, in a place that is no local, before the function
    /// was called; or that another function stored there.
    Loaded(PlaceId, Range),
}

/// An object, or several, to which addresses are followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub origin: Origin,
    /// So many loads lead there from a parameter.
    pub depth: u8,
    /// Its address goes nowhere but into accesses, results and places.
    pub stays: bool,
    /// The bytes of which the contents may be known to anybody, and all that can be reached by
    /// addresses there.
    pub known: Vec<Range>,
    /// The addresses that are stored there.
    pub stored: Vec<(Range, Value)>,
}

impl Place {
    pub fn new(origin: Origin, depth: u8) -> Place {
        Place {
            origin,
            depth,
            stays: true,
            known: Vec::new(),
            stored: Vec::new(),
        }
    }
}

/// The places of a function.
#[derive(Debug)]
pub(super) struct Places {
    places: Vec<Place>,
    loaded: FxHashMap<(PlaceId, Range), PlaceId>,
    /// The places that have to be looked at again.
    open: Vec<PlaceId>,
    /// Whether anything was added since it was asked last.
    changed: bool,
}

impl Places {
    pub fn new(locals: usize, params: usize) -> Places {
        let locals = std::iter::repeat_n(Origin::Local, locals);
        let origins = locals.chain(std::iter::repeat_n(Origin::Param, params));
        Places {
            places: origins.map(|origin| Place::new(origin, 0)).collect(),
            loaded: FxHashMap::default(),
            open: Vec::new(),
            changed: false,
        }
    }

    pub fn all(&self) -> &[Place] {
        &self.places
    }

    pub fn origin(&self, place: PlaceId) -> Origin {
        self.places[place as usize].origin
    }

    /// Whether a local is private.
    pub fn is_private(&self, local: LocalId) -> bool {
        self.places[local.index()].stays
    }

    /// Whether anything was added since it was asked last.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Anybody may have an address in this place.
    pub fn let_out(&mut self, place: PlaceId) {
        let it = &mut self.places[place as usize];
        if std::mem::replace(&mut it.stays, false) {
            self.changed = true;
            self.let_out_contents(place, ALL);
        }
        self.settle();
    }

    /// Anybody may have what is in these bytes.
    pub fn let_out_contents(&mut self, place: PlaceId, range: Range) {
        let known = &mut self.places[place as usize].known;
        let is_within = |known: &Range| known.start <= range.start && range.end <= known.end;
        if !known.iter().any(is_within) {
            let range = match known.len() < STORED {
                true => range,
                false => ALL,
            };
            known.retain(|known| !(range.start <= known.start && known.end <= range.end));
            known.push(range);
            self.changed = true;
            self.open.push(place);
        }
        self.settle();
    }

    /// Lets out what is stored where it may be known.
    fn settle(&mut self) {
        while let Some(place) = self.open.pop() {
            let it = &self.places[place as usize];
            let is_known = |range: &Range| it.known.iter().any(|known| known.overlaps(*range));
            let out = it.stored.iter().filter(|(range, _)| is_known(range));
            let out: SmallVec<[PlaceId; 8]> = out.map(|(_, value)| value.place).collect();
            for place in out {
                let it = &mut self.places[place as usize];
                if std::mem::replace(&mut it.stays, false) {
                    self.changed = true;
                    it.known = vec![ALL];
                    self.open.push(place);
                }
            }
        }
    }

    /// An address is stored. Its object must live at least as long as the place: a local's address
    /// may be in a local of the same call, and no address in an object that may be older.
    pub fn store(&mut self, place: PlaceId, range: Range, value: Value) {
        let lives = match self.origin(place) {
            Origin::Local => true,
            Origin::Param => self.origin(value.place) != Origin::Local,
            Origin::Loaded(..) => false,
        };
        let it = &mut self.places[place as usize];
        if it.stored.contains(&(range, value)) {
            return;
        }
        if !lives || it.stored.len() >= STORED {
            return self.let_out(value.place);
        }
        it.stored.push((range, value));
        self.changed = true;
        self.open.push(place);
        self.settle();
    }

    /// The addresses that a load from these bytes of a place may give.
    pub fn load(&mut self, place: PlaceId, range: Range) -> Values {
        let mut values = Values::new();
        let it = &self.places[place as usize];
        for &(stored, value) in &it.stored {
            if stored.overlaps(range) {
                add(&mut values, value);
            }
        }
        if it.origin != Origin::Local {
            match self.loaded(place, range) {
                Some(place) => {
                    let offset = Some(0);
                    add(&mut values, Value { place, offset });
                }
                None => self.let_out_contents(place, range),
            }
        }
        values
    }

    /// What the addresses point to that were in these bytes of a place; none if that is followed no
    /// further.
    fn loaded(&mut self, from: PlaceId, range: Range) -> Option<PlaceId> {
        if let Some(&known) = self.loaded.get(&(from, range)) {
            return Some(known);
        }
        let depth = self.places[from as usize].depth + 1;
        if depth > DEPTH || self.loaded.len() >= LOADED {
            return None;
        }
        let place = self.places.len() as PlaceId;
        self.places.push(Place::new(Origin::Loaded(from, range), depth));
        self.loaded.insert((from, range), place);
        self.changed = true;
        Some(place)
    }
}
