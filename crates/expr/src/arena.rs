//! The arena: the storage of nodes, each once. Equal nodes have one name, so comparing two
//! expressions compares two numbers.
//!
//! An arena belongs to one worker. It only grows. All methods take a shared reference, because
//! making an expression changes nothing that a caller can observe. The constructors are in
//! [`build`](crate::build).

use crate::facts::Facts;
use crate::inputs::{InputSet, InputSets};
use crate::node::{Expr, InputId, InputKey, Node, TableId, Width};
use crate::renamings::Renamings;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use selvedge_base::{Digest, Domain};
use std::cell::{Cell, Ref, RefCell};
use std::hash::BuildHasher;
use std::rc::Rc;

/// Hash-consed expressions.
#[derive(Debug)]
pub struct Arena {
    inner: RefCell<Inner>,
    /// The nesting depth of constructors. A rule that examines deeper nodes gives up below a fixed
    /// depth, so no shape of expression can exhaust the stack.
    pub(crate) depth: Cell<u32>,
    /// What was computed to rename inputs.
    pub(crate) renamings: RefCell<Renamings>,
}

/// The widest value.
pub const MAX_WIDTH: Width = 128;

#[derive(Debug)]
pub(crate) struct Inner {
    nodes: Vec<Node>,
    meta: Vec<Meta>,
    hashes: Vec<Digest>,
    facts: Vec<Facts>,
    /// The names by their nodes and widths.
    names: HashTable<Expr>,
    inputs: Vec<(InputKey, Expr)>,
    input_ids: FxHashMap<InputKey, InputId>,
    tables: Vec<Table>,
    table_ids: FxHashMap<Rc<[Expr]>, TableId>,
    sets: InputSets,
}

#[derive(Clone, Copy, Debug)]
struct Meta {
    inputs: InputSet,
    width: Width,
    /// Whether a node below, or this one, does floating-point arithmetic.
    float: bool,
}

/// An interned table with the common properties of its elements.
#[derive(Debug)]
struct Table {
    elements: Rc<[Expr]>,
    hash: Digest,
    inputs: InputSet,
    float: bool,
    facts: Facts,
}

/// How big an arena is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Distinct nodes.
    pub nodes: usize,
    /// Their approximate size in bytes.
    pub bytes: usize,
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

const FALSE: Expr = Expr::from_index(0);
const TRUE: Expr = Expr::from_index(1);

impl Arena {
    /// An arena with the two truth values.
    pub fn new() -> Arena {
        let arena = Arena {
            depth: Cell::new(0),
            renamings: RefCell::default(),
            inner: RefCell::new(Inner {
                nodes: Vec::new(),
                meta: Vec::new(),
                hashes: Vec::new(),
                facts: Vec::new(),
                names: HashTable::new(),
                inputs: Vec::new(),
                input_ids: FxHashMap::default(),
                tables: Vec::new(),
                table_ids: FxHashMap::default(),
                sets: InputSets::default(),
            }),
        };
        arena.intern(Node::Const(0), 1);
        arena.intern(Node::Const(1), 1);
        arena
    }

    /// The node that an expression names.
    #[inline]
    pub fn node(&self, e: Expr) -> Node {
        self.inner.borrow().nodes[e.index() as usize]
    }

    /// The width of its value in bits.
    #[inline]
    pub fn width(&self, e: Expr) -> Width {
        self.inner.borrow().meta[e.index() as usize].width
    }

    /// Its value, if it is a constant.
    #[inline]
    pub fn as_const(&self, e: Expr) -> Option<u128> {
        match self.node(e) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is the constant *true* (1 of width 1).
    #[inline]
    pub fn is_true(&self, e: Expr) -> bool {
        e == TRUE
    }

    /// Whether it is the constant *false*.
    #[inline]
    pub fn is_false(&self, e: Expr) -> bool {
        e == FALSE
    }

    /// A hash of its structure: the same in every arena, whatever was made before.
    #[inline]
    pub fn hash(&self, e: Expr) -> Digest {
        self.inner.borrow().hashes[e.index() as usize]
    }

    /// An unsigned interval that holds every value it can have: least and greatest.
    #[inline]
    pub fn range(&self, e: Expr) -> (u128, u128) {
        let facts = self.facts(e);
        (facts.low, facts.high)
    }

    /// The bits that are certainly 0 and those that are certainly 1.
    #[inline]
    pub fn known_bits(&self, e: Expr) -> (u128, u128) {
        let facts = self.facts(e);
        (facts.zeros, facts.ones)
    }

    /// All that is known of its value.
    #[inline]
    pub fn facts(&self, e: Expr) -> Facts {
        self.inner.borrow().facts[e.index() as usize]
    }

    /// The inputs that it depends on, sorted.
    pub fn inputs_of(&self, e: Expr) -> Rc<[InputId]> {
        let inner = self.inner.borrow();
        inner.sets.get(inner.meta[e.index() as usize].inputs).clone()
    }

    /// The number of the set of inputs that it depends on: equal numbers are equal sets.
    #[inline]
    pub fn input_set(&self, e: Expr) -> InputSet {
        self.inner.borrow().meta[e.index() as usize].inputs
    }

    /// The members of a set of inputs, sorted.
    pub fn input_set_members(&self, set: InputSet) -> Rc<[InputId]> {
        self.inner.borrow().sets.get(set).clone()
    }

    /// The union of two sets of inputs.
    pub fn input_set_union(&self, a: InputSet, b: InputSet) -> InputSet {
        self.inner.borrow_mut().sets.union(a, b)
    }

    /// Whether floating-point arithmetic occurs in it.
    #[inline]
    pub fn contains_float(&self, e: Expr) -> bool {
        self.inner.borrow().meta[e.index() as usize].float
    }

    /// How many inputs there are; their numbers are below.
    pub fn inputs(&self) -> usize {
        self.inner.borrow().inputs.len()
    }

    /// The name of an input.
    ///
    /// # Panics
    /// If the number is not of this arena.
    pub fn input_key(&self, input: InputId) -> InputKey {
        self.inner.borrow().inputs[input.0 as usize].0
    }

    /// The expression of an input.
    ///
    /// # Panics
    /// If the number is not of this arena.
    pub fn input_expr(&self, input: InputId) -> Expr {
        self.inner.borrow().inputs[input.0 as usize].1
    }

    /// The number of the input with this name, if there is one.
    pub fn find_input(&self, key: InputKey) -> Option<InputId> {
        self.inner.borrow().input_ids.get(&key).copied()
    }

    /// The elements of a table.
    pub fn table(&self, table: TableId) -> Rc<[Expr]> {
        self.inner.borrow().tables[table.0 as usize].elements.clone()
    }

    /// The element of a table with this index; the last one beyond its end.
    pub fn table_element(&self, table: TableId, index: u128) -> Expr {
        self.view().table_element(table, index)
    }

    /// How many nodes there are; the indexes of expressions are below.
    #[inline]
    pub fn len(&self) -> usize {
        self.inner.borrow().nodes.len()
    }

    /// Never: an arena has the truth values.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The nodes, for a reader with many queries; nothing can be made meanwhile.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View(self.inner.borrow())
    }

    /// How many nodes there are, and their bytes: takes time.
    pub fn size(&self) -> Size {
        let inner = self.inner.borrow();
        let node = size_of::<Node>() + size_of::<Meta>() + size_of::<u128>() + size_of::<Facts>();
        let tables: usize = inner
            .tables
            .iter()
            .map(|t| t.elements.len() * 4 + size_of::<Table>())
            .sum();
        Size {
            nodes: inner.nodes.len(),
            bytes: inner.nodes.capacity() * node
                + inner.names.allocation_size()
                + tables
                + inner.sets.bytes(),
        }
    }

    /// A constant; bits above the width are dropped.
    ///
    /// # Panics
    /// If the width is not 1 to 128.
    pub fn constant(&self, width: Width, value: u128) -> Expr {
        assert!((1..=MAX_WIDTH).contains(&width), "a value of {width} bits");
        self.intern(Node::Const(value & crate::bits::mask(width)), width)
    }

    /// A truth value.
    #[inline]
    pub fn truth(&self, value: bool) -> Expr {
        if value { TRUE } else { FALSE }
    }

    /// The input with this name.
    ///
    /// # Panics
    /// If the width is not 1 to 128, or if an input of this name has another width.
    pub fn input(&self, key: InputKey, width: Width) -> Expr {
        assert!((1..=MAX_WIDTH).contains(&width), "an input of {width} bits");
        let inner = &mut *self.inner.borrow_mut();
        if let Some(&id) = inner.input_ids.get(&key) {
            let e = inner.inputs[id.0 as usize].1;
            assert_eq!(
                inner.meta[e.index() as usize].width,
                width,
                "the width of {key:?}"
            );
            return e;
        }
        let id = InputId(inner.inputs.len() as u32);
        inner
            .inputs
            .push((key, Expr::from_index(inner.nodes.len() as u32)));
        inner.input_ids.insert(key, id);
        inner.intern(Node::Input(id), width)
    }

    /// The name of a node; a new one if there was none. The node must be in canonical form.
    #[inline]
    pub(crate) fn intern(&self, node: Node, width: Width) -> Expr {
        self.inner.borrow_mut().intern(node, width)
    }

    /// The number of a table of equally wide elements.
    pub(crate) fn intern_table(&self, elements: &[Expr]) -> TableId {
        let inner = &mut *self.inner.borrow_mut();
        if let Some(&id) = inner.table_ids.get(elements) {
            return id;
        }
        let id = TableId(inner.tables.len() as u32);
        let table = inner.describe_table(elements);
        inner.table_ids.insert(table.elements.clone(), id);
        inner.tables.push(table);
        id
    }
}

/// The nodes of an arena, borrowed once.
pub(crate) struct View<'a>(Ref<'a, Inner>);

impl View<'_> {
    #[inline(always)]
    pub(crate) fn node(&self, e: Expr) -> Node {
        self.0.nodes[e.index() as usize]
    }

    #[inline(always)]
    pub(crate) fn width(&self, e: Expr) -> Width {
        self.0.meta[e.index() as usize].width
    }

    /// The element with this index; the last one beyond the end.
    pub(crate) fn table_element(&self, table: TableId, index: u128) -> Expr {
        let elements = &self.0.tables[table.0 as usize].elements;
        let last = elements.len() - 1;
        elements[usize::try_from(index).map_or(last, |i| i.min(last))]
    }
}

fn name_hash(node: Node, width: Width) -> u64 {
    FxBuildHasher.hash_one((node, width))
}

static NODE: Domain = Domain::new("expression");
static INPUT: Domain = Domain::new("expression input");
static TABLE: Domain = Domain::new("expression table");

/// The hash of a node that is no input from those of its children and of its table.
pub(crate) fn hash_of(node: Node, width: Width, table: Digest, child: impl Fn(Expr) -> Digest) -> Digest {
    let (kind, detail) = node.shape();
    let shape = u64::from(kind) | u64::from(width) << 8 | u64::from(detail) << 16;
    let [low, high] = match node {
        Node::Const(value) => [value as u64, (value >> 64) as u64],
        _ => table.words(),
    };
    let (mut words, mut len) = ([shape, low, high, 0, 0, 0, 0, 0, 0], 3);
    for e in node.children() {
        words[len..len + 2].copy_from_slice(&child(e).words());
        len += 2;
    }
    Digest::of_words(&NODE, &words[..len])
}

/// The hash of a table from those of its elements.
pub(crate) fn table_hash(elements: impl Iterator<Item = Digest>) -> Digest {
    let words: Vec<u64> = elements.flat_map(Digest::words).collect();
    Digest::of_words(&TABLE, &words)
}

impl Inner {
    fn intern(&mut self, node: Node, width: Width) -> Expr {
        let hash = name_hash(node, width);
        let same = |&e: &Expr| {
            let i = e.index() as usize;
            self.nodes[i] == node && self.meta[i].width == width
        };
        if let Some(&known) = self.names.find(hash, same) {
            return known;
        }
        let facts = self.facts_of(node, width);
        if let Some(value) = facts.value()
            && !matches!(node, Node::Const(_))
        {
            return self.intern(Node::Const(value), width);
        }
        let meta = self.meta_of(node, width);
        let structure = self.structure(node, width);
        let e = Expr::from_index(self.nodes.len() as u32);
        self.nodes.push(node);
        self.meta.push(meta);
        self.hashes.push(structure);
        self.facts.push(facts);
        let (nodes, meta) = (&self.nodes, &self.meta);
        self.names.insert_unique(hash, e, |e| {
            let i = e.index() as usize;
            name_hash(nodes[i], meta[i].width)
        });
        e
    }

    fn meta_of(&mut self, node: Node, width: Width) -> Meta {
        let mut meta = Meta {
            inputs: InputSet::EMPTY,
            width,
            float: node.is_float(),
        };
        match node {
            Node::Input(id) => meta.inputs = self.sets.single(id),
            Node::Select(table, _) => {
                let table = &self.tables[table.0 as usize];
                meta.inputs = table.inputs;
                meta.float = table.float;
            }
            _ => {}
        }
        for child in node.children() {
            let child = self.meta[child.index() as usize];
            meta.inputs = self.sets.union(meta.inputs, child.inputs);
            meta.float |= child.float;
        }
        meta
    }

    fn facts_of(&self, node: Node, width: Width) -> Facts {
        let of = |e: Expr| self.facts[e.index() as usize];
        let width_of = |e: Expr| self.meta[e.index() as usize].width;
        match node {
            Node::Const(value) => Facts::exactly(value, width),
            Node::Unary(op, a) => Facts::unary(op, width, of(a)),
            Node::Binary(op, a, b) => Facts::binary(op, width, of(a), of(b)),
            Node::Ite(_, a, b) => of(a).join(of(b)),
            Node::Extract(a, low) => of(a).extract(low, width),
            Node::Concat(a, b) => of(a).concat(of(b), width_of(b), width),
            Node::Zext(a) => of(a).zext(width_of(a), width),
            Node::Sext(a) => of(a).sext(width_of(a), width),
            Node::Select(table, _) => self.tables[table.0 as usize].facts,
            Node::Input(_)
            | Node::Compare(..)
            | Node::MulOverflows(..)
            | Node::FBinary(..)
            | Node::FUnary(..)
            | Node::FCompare(..)
            | Node::Fma(..)
            | Node::FConvert(_)
            | Node::ToInt(..)
            | Node::FromInt(..) => Facts::any(width),
        }
    }

    /// Hashes the node, with its children's hashes in place of their names.
    fn structure(&self, node: Node, width: Width) -> Digest {
        let child = |e: Expr| self.hashes[e.index() as usize];
        match node {
            Node::Input(id) => {
                let key = self.inputs[id.0 as usize].0;
                let words = [key.thread, key.ordinal, key.byte].map(u64::from);
                Digest::of_words(&INPUT, &[words.as_slice(), &[u64::from(width)]].concat())
            }
            Node::Select(table, _) => hash_of(node, width, self.tables[table.0 as usize].hash, child),
            _ => hash_of(node, width, Digest::EMPTY, child),
        }
    }

    fn describe_table(&mut self, elements: &[Expr]) -> Table {
        let mut inputs = InputSet::EMPTY;
        let mut float = false;
        for &e in elements {
            let meta = self.meta[e.index() as usize];
            inputs = self.sets.union(inputs, meta.inputs);
            float |= meta.float;
        }
        let facts = elements
            .iter()
            .map(|e| self.facts[e.index() as usize])
            .reduce(Facts::join);
        Table {
            elements: elements.into(),
            hash: table_hash(elements.iter().map(|e| self.hashes[e.index() as usize])),
            inputs,
            float,
            facts: facts.unwrap_or(Facts::any(1)),
        }
    }
}
