//! A state of a program, whole: it is its own key among the states seen, so no hash stands for it.
//!
//! Happens-before needs no counting clocks. A *record* stands for the last access of one thread to
//! one location in one way, and keeps as a set of bits which clocks include it: those of threads,
//! of locks, of release sequences and so on. A later access races with it if the accessing thread's
//! clock does not include it. An older access of the same thread, location and way is included
//! wherever the newer one is, and who is unordered with the older one and still to come is
//! unordered with the newer one; so the newer one takes its place, and states of endless programs
//! stay finitely many.

use crate::program::{LOCALS, MAX_THREADS, Program};

/// No thread.
pub const NOBODY: u8 = u8::MAX;
/// What `pthread_once` was done with.
pub const DONE: u8 = u8::MAX;
/// Cells of the heap that each thread may take.
pub const CELLS: usize = 3;

/// What a thread is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    NotStarted,
    /// At the instruction `pc`.
    Running,
    /// In the wait set of a condition variable.
    Waiting,
    /// Out of it, and wants the mutex.
    Woken,
    /// Arrived at a barrier that waits for others.
    Arrived(u8),
    /// Let go by a barrier; as its serial thread, or not.
    Released(bool),
    Finished,
    /// A false assumption, or a fault of its own: it never moves again.
    Parked,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    pub pc: u16,
    pub status: Status,
    pub locals: [i16; LOCALS],
    /// The function's pointer: null, or a cell's number plus one.
    pub pointer: u8,
    pub key: i16,
    pub own: i16,
    /// Cells taken.
    pub cells: u8,
    pub timed_out: bool,
    /// A cancellation was asked for, it is disabled, it is under way.
    pub cancel: bool,
    pub uncancellable: bool,
    pub cancelled: bool,
}

/// Ways of access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Way {
    pub write: bool,
    pub atomic: bool,
}

/// The last access of a thread to a location in one way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Record {
    pub location: u8,
    pub thread: u8,
    pub way: Way,
    /// The clocks that include it.
    pub known: u64,
}

/// A read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RwLock {
    pub writer: u8,
    pub readers: [u8; MAX_THREADS],
}

/// A cell of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    Unused,
    Live(i16),
    Freed,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub threads: Vec<Thread>,
    pub values: Vec<i16>,
    pub pointers: Vec<u8>,
    pub cells: Vec<Cell>,
    /// Owner and how often.
    pub mutexes: Vec<(u8, u8)>,
    pub rwlocks: Vec<RwLock>,
    pub semaphores: Vec<u8>,
    pub spins: Vec<u8>,
    pub onces: Vec<u8>,
    /// Who is in an atomic block.
    pub holder: u8,
    pub ended: bool,
    pub records: Vec<Record>,
}

/// Where the clocks' bits and the locations are.
#[derive(Clone, Debug)]
pub struct Layout {
    threads: u32,
    mutexes: u32,
    rwlocks: u32,
    semaphores: u32,
    barriers: u32,
    spins: u32,
    onces: u32,
    /// The first bit of each location that is accessed atomically: one for each thread that heads a
    /// release sequence.
    pub atomics: Vec<Option<u32>>,
    /// Bits used.
    pub bits: u32,
    /// The first location of each global.
    pub globals: Vec<u8>,
    pub pointers: u8,
    pub cells: u8,
}

/// The clocks.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// What a thread knows.
    Thread(usize),
    /// What it will know at an acquire fence.
    AcquireFence(usize),
    /// What it knew at its last release fence.
    ReleaseFence(usize),
    /// What whoever woke it knew.
    Wakeup(usize),
    Mutex(usize),
    Writers(usize),
    Readers(usize),
    Semaphore(usize),
    Barrier(usize),
    Spin(usize),
    Once(usize),
    /// The one lock that atomic blocks take.
    Blocks,
}

impl Layout {
    /// The layout of a program's states; `atomics` says which globals are accessed atomically.
    pub fn new(program: &Program, atomics: &[bool]) -> Layout {
        let threads = program.threads.len() as u32;
        let mut next = 4 * threads + 1;
        let mut take = |count: usize| {
            let first = next;
            next += count as u32;
            first
        };
        let mutexes = take(program.mutexes.len());
        let rwlocks = take(2 * program.rwlocks);
        let semaphores = take(program.semaphores.len());
        let barriers = take(program.barriers.len());
        let spins = take(program.spins);
        let onces = take(program.onces.len());
        let mut globals = Vec::new();
        let mut bits = Vec::new();
        for (global, &atomic) in program.globals.iter().zip(atomics) {
            globals.push(bits.len() as u8);
            for _ in 0..global.len() {
                bits.push(atomic.then(|| take(threads as usize)));
            }
        }
        let pointers = bits.len() as u8;
        let cells = pointers + program.pointers as u8;
        Layout {
            threads,
            mutexes,
            rwlocks,
            semaphores,
            barriers,
            spins,
            onces,
            atomics: bits,
            bits: next,
            globals,
            pointers,
            cells,
        }
    }

    /// The bit of a clock.
    pub fn bit(&self, clock: Clock) -> u64 {
        let n = self.threads;
        let at = match clock {
            Clock::Thread(t) => t as u32,
            Clock::AcquireFence(t) => n + t as u32,
            Clock::ReleaseFence(t) => 2 * n + t as u32,
            Clock::Wakeup(t) => 3 * n + t as u32,
            Clock::Blocks => 4 * n,
            Clock::Mutex(i) => self.mutexes + i as u32,
            Clock::Writers(i) => self.rwlocks + 2 * i as u32,
            Clock::Readers(i) => self.rwlocks + 2 * i as u32 + 1,
            Clock::Semaphore(i) => self.semaphores + i as u32,
            Clock::Barrier(i) => self.barriers + i as u32,
            Clock::Spin(i) => self.spins + i as u32,
            Clock::Once(i) => self.onces + i as u32,
        };
        1 << at
    }

    /// The bits of the release sequences of an atomic location: all of them, and the first.
    pub fn released(&self, location: u8) -> (u64, u32) {
        let first = self.atomics[usize::from(location)].unwrap_or(63);
        (((1u64 << self.threads) - 1) << first, first)
    }
}

impl State {
    /// The beginning.
    pub fn first(program: &Program) -> State {
        let thread = |argument: i16, status| {
            let mut locals = [0; LOCALS];
            locals[usize::from(crate::program::ARGUMENT)] = argument;
            Thread {
                pc: 0,
                status,
                locals,
                pointer: 0,
                key: 0,
                own: 0,
                cells: 0,
                timed_out: false,
                cancel: false,
                uncancellable: false,
                cancelled: false,
            }
        };
        let status = |i| {
            if i == 0 {
                Status::Running
            } else {
                Status::NotStarted
            }
        };
        let threads = program.threads.iter().enumerate();
        let globals = program.globals.iter();
        State {
            threads: threads
                .map(|(i, &(_, argument))| thread(argument, status(i)))
                .collect(),
            values: globals.flat_map(|g| vec![g.initial; g.len()]).collect(),
            pointers: vec![0; program.pointers],
            cells: if program.pointers > 0 {
                vec![Cell::Unused; CELLS * program.threads.len()]
            } else {
                Vec::new()
            },
            mutexes: vec![(NOBODY, 0); program.mutexes.len()],
            rwlocks: vec![
                RwLock {
                    writer: NOBODY,
                    readers: [0; MAX_THREADS],
                };
                program.rwlocks
            ],
            semaphores: program.semaphores.clone(),
            spins: vec![NOBODY; program.spins],
            onces: vec![NOBODY - 1; program.onces.len()],
            holder: NOBODY,
            ended: false,
            records: Vec::new(),
        }
    }

    /// `to` learns what `from` includes.
    pub fn learn(&mut self, to: u64, from: u64) {
        for record in &mut self.records {
            if record.known & from != 0 {
                record.known |= to;
            }
        }
    }

    /// `to` includes nothing any more.
    pub fn forget(&mut self, to: u64) {
        for record in &mut self.records {
            record.known &= !to;
        }
    }

    /// Leaves out records that all who could race with them include.
    pub fn prune(&mut self) {
        let mut live = 0u64;
        for (i, thread) in self.threads.iter().enumerate() {
            if !matches!(
                thread.status,
                Status::NotStarted | Status::Finished | Status::Parked
            ) {
                live |= 1 << i;
            }
        }
        // Threads to come know what their creator does, and that is a live one.
        self.records.retain(|r| live & !(1 << r.thread) & !r.known != 0);
    }
}
