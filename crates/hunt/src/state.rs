//! The complete state of a program. The set of visited states stores whole states and no hashes of
//! them.
//!
//! Happens-before is represented without counting clocks. A *record* is the last access of one
//! thread to one location in one way. It has a set of bits: the clocks that include the access.
//! These are the clocks of threads, of locks, of release sequences and so on. A later access races
//! with the record if the clock of the accessing thread does not include it.
//!
//! A newer access of the same thread, location and way replaces the older one. A clock that
//! includes the newer access also includes the older one, so a later access that races with the
//! older one also races with the newer one. Therefore endless programs have finitely many states.

use crate::program::{LOCALS, MAX_THREADS, Program};

/// No thread.
pub const NOBODY: u8 = u8::MAX;
/// The state of a `pthread_once` control whose routine has ended.
pub const DONE: u8 = u8::MAX;
/// The maximum number of heap cells for each thread.
pub const CELLS: usize = 3;

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    NotStarted,
    /// At the instruction `pc`.
    Running,
    /// In the wait set of a condition variable.
    Waiting,
    /// Woken; waits for the mutex.
    Woken,
    /// Arrived at this barrier, which waits for other threads.
    Arrived(u8),
    /// Released by a barrier; whether as its serial thread.
    Released(bool),
    Finished,
    /// Stopped by a false assumption or its own fault; takes no further step.
    Parked,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    pub pc: u16,
    pub status: Status,
    pub locals: [i16; LOCALS],
    /// The function's pointer: null (0), or the number of a cell plus one.
    pub pointer: u8,
    pub key: i16,
    pub own: i16,
    /// The number of cells that it has taken.
    pub cells: u8,
    pub timed_out: bool,
    /// A cancellation is requested; cancellation is disabled; cancellation is in progress.
    pub cancel: bool,
    pub uncancellable: bool,
    pub cancelled: bool,
}

/// A way to access a location.
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
    /// The clocks that include the access.
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
    /// The owner, and how many times it holds the mutex.
    pub mutexes: Vec<(u8, u8)>,
    pub rwlocks: Vec<RwLock>,
    pub semaphores: Vec<u8>,
    pub spins: Vec<u8>,
    pub onces: Vec<u8>,
    /// The thread that is in an atomic block.
    pub holder: u8,
    pub ended: bool,
    pub records: Vec<Record>,
}

/// The positions of the clocks' bits, and the numbers of the locations.
#[derive(Clone, Debug)]
pub struct Layout {
    threads: u32,
    mutexes: u32,
    rwlocks: u32,
    semaphores: u32,
    barriers: u32,
    spins: u32,
    onces: u32,
    /// For each location that is accessed atomically, its first bit. It has one bit for each
    /// thread, for the release sequence that the thread heads.
    pub atomics: Vec<Option<u32>>,
    /// The number of bits in use.
    pub bits: u32,
    /// The first location of each global.
    pub globals: Vec<u8>,
    pub pointers: u8,
    pub cells: u8,
}

/// The clocks.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The clock of a thread.
    Thread(usize),
    /// The clock that the thread will join at an acquire fence.
    AcquireFence(usize),
    /// The thread's clock at its last release fence.
    ReleaseFence(usize),
    /// The clock of the thread that woke this one.
    Wakeup(usize),
    Mutex(usize),
    Writers(usize),
    Readers(usize),
    Semaphore(usize),
    Barrier(usize),
    Spin(usize),
    Once(usize),
    /// The one lock of all atomic blocks.
    Blocks,
}

impl Layout {
    /// The layout for a program; `atomics` says which globals are accessed atomically.
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

    /// The bits of the release sequences of an atomic location, and the position of the first bit.
    pub fn released(&self, location: u8) -> (u64, u32) {
        let first = self.atomics[usize::from(location)].unwrap_or(63);
        (((1u64 << self.threads) - 1) << first, first)
    }
}

impl State {
    /// The initial state.
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

    /// The clocks in `to` join the clocks in `from`.
    pub fn learn(&mut self, to: u64, from: u64) {
        for record in &mut self.records {
            if record.known & from != 0 {
                record.known |= to;
            }
        }
    }

    /// Clears the clocks in `to`.
    pub fn forget(&mut self, to: u64) {
        for record in &mut self.records {
            record.known &= !to;
        }
    }

    /// Removes records that no later access can race with: the clocks of all other threads that can
    /// move include them.
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
        // A thread that is not yet created will inherit the clock of its creator, which can move.
        self.records.retain(|r| live & !(1 << r.thread) & !r.known != 0);
    }
}
