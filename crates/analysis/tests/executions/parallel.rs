//! Threads and locks in executions: at each step, the statements of all frames of all living
//! threads may run in parallel in pairs, and each thread holds the locks that it surely holds.

use selvedge_analysis::pointsto::Limits;
use selvedge_analysis::slice::{Callers, Ending, Slicer, Statement};
use selvedge_analysis::threads::{FIRST, KindId, Meetings};
use selvedge_analysis::{Held, Locks, Place, PointsTo, Threads};
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_ir::{InstKind, Module};
use selvedge_model::{Action, Machine};
use selvedge_vm::thread::Stage;
use selvedge_vm::{Program, Vm};
use std::collections::{BTreeSet, HashMap};

/// What is checked of one program.
pub struct Watch<'a> {
    module: &'a Module,
    threads: Threads<'a>,
    slicer: Slicer<'a>,
    /// Of a reader and a writer: whether the one may read from the other.
    reads: HashMap<[StmtId; 2], bool>,
    locks: Locks<'a>,
    /// The instructions and terminators of each statement.
    places: HashMap<StmtId, Vec<Statement>>,
    parallel: HashMap<[(KindId, StmtId); 2], bool>,
    overlap: HashMap<[KindId; 2], bool>,
    /// Of each statement: what each of its instructions surely holds, and whether no other thread
    /// may run beside it.
    held: HashMap<StmtId, (Vec<Vec<Held>>, bool)>,
}

/// How much was compared.
#[derive(Default, Debug)]
pub struct Seen {
    /// Pairs of statements of two threads.
    pub pairs: u64,
    /// Bytes that were read.
    pub reads: u64,
    /// Assertions that the order of threads does not matter to, and others, that were executed.
    pub settled: u64,
    pub open: u64,
    /// Statements at which threads stood.
    pub positions: u64,
    /// Locks that were surely held.
    pub locks: u64,
    /// Those beside which no other thread may run.
    pub alone: u64,
}

/// Where a thread stands.
#[derive(Clone)]
pub struct Position {
    thread: ThreadId,
    kinds: Vec<KindId>,
    stmts: Vec<StmtId>,
}

/// The points-to sets of a program.
pub fn points_to(module: &Module) -> PointsTo {
    let modelled = |name: &str| selvedge_vm::models::find(name).is_some();
    PointsTo::within(Limits::default(), module, module.function("main"), &modelled)
}

impl<'a> Watch<'a> {
    pub fn of(module: &'a Module, points_to: &'a PointsTo) -> Watch<'a> {
        let mut places: HashMap<StmtId, Vec<Statement>> = HashMap::new();
        for (id, function) in module.functions.iter_ids() {
            for (block, what) in function.blocks.iter_ids() {
                let stmts = what.insts.iter().map(|inst| inst.stmt).chain([what.term_stmt]);
                for (index, stmt) in stmts.enumerate() {
                    let (block, index) = (block.index() as u32, index as u32);
                    places.entry(stmt).or_default().push((id, Place { block, index }));
                }
            }
        }
        let entry = module.function("main");
        let mut slicer = Slicer::new(module, points_to, Ending::Excluded, Callers::ToldApart);
        let meetings = Meetings::of(Threads::of(module, points_to, entry));
        slicer.with_strong_updates(move |one, other| meetings.may_meet(one, other));
        Watch {
            module,
            slicer,
            reads: HashMap::new(),
            threads: Threads::of(module, points_to, entry),
            locks: Locks::of(module, points_to),
            places,
            parallel: HashMap::new(),
            overlap: HashMap::new(),
            held: HashMap::new(),
        }
    }

    /// Whether the facts say that two threads may exist at the same time.
    pub fn has_threads(&self) -> bool {
        self.threads.kinds().count() > 1
    }

    fn places(&self, stmt: StmtId) -> &[Statement] {
        self.places.get(&stmt).map_or(&[], Vec::as_slice)
    }

    /// Whether a step begins with a read that the slicer does not expect. `written`: by whom each
    /// byte was last written, if that is known. The accesses behind the step's action need not be
    /// complete.
    pub fn unexpected(
        &mut self,
        vm: &Vm,
        action: &Action,
        written: &mut HashMap<u64, StmtId>,
        seen: &mut Seen,
    ) -> Option<String> {
        let bytes = |at: u64, size: u32| at..at + u64::from(size);
        let mut objection = None;
        let of_action = || bytes(action.object.0, action.size);
        if action.reads_memory() && self.is_plain(action.stmt) {
            for byte in of_action() {
                let Some(&writer) = written.get(&byte).filter(|w| self.is_plain(**w)) else {
                    continue;
                };
                seen.reads += 1;
                if !self.may_read_from(action.stmt, writer) {
                    let at = |stmt: StmtId| self.module.stmts[stmt].span;
                    let (reads, wrote) = (at(action.stmt), at(writer));
                    objection = Some(format!("{reads:?} reads what {wrote:?} has written"));
                }
            }
        }
        if action.writes_memory() {
            written.extend(of_action().map(|byte| (byte, action.stmt)));
        }
        for access in vm.accesses().iter().filter(|access| access.write) {
            if (access.address, access.stmt) != (action.object.0, action.stmt) {
                bytes(access.address, access.size).for_each(|byte| _ = written.remove(&byte));
            }
        }
        objection
    }

    /// Whether a statement is a plain access, and not the beginning or the end of a variable.
    fn is_plain(&self, stmt: StmtId) -> bool {
        self.places(stmt).iter().any(|&(function, place)| {
            let block = &self.module.functions[function].blocks[Id::from_index(place.block as usize)];
            let inst = block.insts.get(place.index as usize);
            inst.is_some_and(|inst| matches!(inst.kind, InstKind::Load { .. } | InstKind::Store { .. }))
        })
    }

    fn may_read_from(&mut self, reader: StmtId, writer: StmtId) -> bool {
        if let Some(&known) = self.reads.get(&[reader, writer]) {
            return known;
        }
        let (readers, writers) = (self.places(reader).to_vec(), self.places(writer).to_vec());
        let mut pairs = readers.iter().flat_map(|&r| writers.iter().map(move |&w| (r, w)));
        let may = pairs.any(|(r, w)| self.slicer.may_read_from(r, w));
        self.reads.insert([reader, writer], may);
        may
    }

    /// Where all living threads stand.
    pub fn positions(&self, vm: &Vm) -> Vec<Position> {
        let threads = (0..vm.pending().len()).map(ThreadId::from_index);
        let living = threads.filter(|&t| vm.state.thread(t).core.stage != Stage::Finished);
        let position = |thread: ThreadId| {
            let created = vm.state.thread(thread).created.stmt;
            let sites = self.places(created).iter();
            let kinds = match thread.index() {
                0 => vec![FIRST],
                _ => sites.filter_map(|&site| self.threads.created_at(site)).collect(),
            };
            let stmts = vm.frames(thread).iter().map(|frame| frame.stmt).collect();
            Position { thread, kinds, stmts }
        };
        living.map(position).collect()
    }

    /// What contradicts the facts in a state, and after the step that led there: `before`: where
    /// the threads stood before it, with the thread that stepped and the statements of its
    /// accesses.
    pub fn objection(
        &mut self,
        program: &Program,
        vm: &Vm,
        before: (&[Position], ThreadId, &[StmtId]),
        seen: &mut Seen,
    ) -> Option<String> {
        let positions = self.positions(vm);
        for (number, one) in positions.iter().enumerate() {
            if let Some(why) = self.unheld(program, vm, one, seen) {
                return Some(why);
            }
            for other in &positions[..number] {
                if let Some(why) = self.apart(one, other, seen) {
                    return Some(why);
                }
            }
        }
        let (before, thread, stmts) = before;
        let stmts: BTreeSet<StmtId> = stmts.iter().copied().collect();
        let own = before.iter().find(|position| position.thread == thread)?;
        let stepped = Position {
            stmts: stmts.into_iter().collect(),
            ..own.clone()
        };
        let mut others = before.iter().filter(|position| position.thread != thread);
        others.find_map(|other| self.apart(&stepped, other, seen))
    }

    /// Why two threads cannot stand where they stand.
    fn apart(&mut self, one: &Position, other: &Position, seen: &mut Seen) -> Option<String> {
        let threads = &self.threads;
        let kinds = |position: &Position| position.kinds.clone();
        let overlap = kinds(one).into_iter().any(|a| {
            let mut with = kinds(other).into_iter();
            let mut overlap = |b| {
                *self
                    .overlap
                    .entry([a, b])
                    .or_insert_with(|| threads.overlap(a, b))
            };
            with.any(&mut overlap)
        });
        if !overlap {
            return Some(format!(
                "threads of kinds {:?} and {:?} exist",
                one.kinds, other.kinds
            ));
        }
        for &stmt in &one.stmts {
            for &there in &other.stmts {
                if self.places(stmt).is_empty() || self.places(there).is_empty() {
                    continue; // the machine's own
                }
                seen.pairs += 1;
                let allowed = kinds(one).into_iter().any(|a| {
                    kinds(other)
                        .into_iter()
                        .any(|b| self.parallel((a, stmt), (b, there)))
                });
                if !allowed {
                    let place = |stmt: StmtId| self.module.stmts[stmt].span;
                    return Some(format!(
                        "{:?} at {:?} and {:?} at {:?} run in parallel",
                        one.kinds,
                        place(stmt),
                        other.kinds,
                        place(there)
                    ));
                }
            }
        }
        None
    }

    fn parallel(&mut self, one: (KindId, StmtId), other: (KindId, StmtId)) -> bool {
        if let Some(&known) = self.parallel.get(&[one, other]) {
            return known;
        }
        let parallel = self.places(one.1).iter().any(|&at| {
            let mut places = self.places(other.1).iter();
            places.any(|&there| self.threads.parallel((one.0, at), (other.0, there)))
        });
        self.parallel.insert([one, other], parallel);
        parallel
    }

    /// A lock that a thread surely holds, and does not hold.
    fn unheld(&mut self, program: &Program, vm: &Vm, position: &Position, seen: &mut Seen) -> Option<String> {
        let holds = |held: &Held| {
            vm.state.thread(position.thread).held.iter().any(|actual| {
                let object = vm.state.memory.object_at(actual.object.0);
                object.is_some_and(|(base, object)| {
                    let offset = actual.object.0.wrapping_sub(base) as i64;
                    program.global_of(&object) == Some(held.lock.global)
                        && offset == held.lock.offset
                        && (held.shared || !actual.shared)
                })
            })
        };
        for &stmt in &position.stmts {
            if !self.held.contains_key(&stmt) {
                let places = self.places(stmt).iter();
                let all = places.clone().map(|&place| self.locks.held(place)).collect();
                let alone = places.clone().all(|&place| self.threads.beside(place).is_empty());
                self.held
                    .insert(stmt, (all, alone && !self.places(stmt).is_empty()));
            }
            let (all, alone) = &self.held[&stmt];
            seen.positions += 1;
            seen.alone += u64::from(*alone);
            seen.locks += all.iter().map(|held| held.len() as u64).sum::<u64>();
            if !all.is_empty() && !all.iter().any(|held| held.iter().all(holds)) {
                let at = self.module.stmts[stmt].span;
                return Some(format!("{:?} at {at:?} does not hold {all:?}", position.thread));
            }
        }
        None
    }
}
