//! A set of schedules for all inputs of a program, as data. `selvedge cover` writes it and
//! `selvedge build` reads it.
//!
//! A schedule is a list of *operations*, in one order in which they can happen. A native program
//! keeps only a part of that order: the operations of each thread follow each other, and each
//! operation waits for the operations of other threads that are listed after the word `after`.
//! Threads are named hierarchically, and operations are counted by thread, from 1.
//!
//! ```text
//! selvedge-cover 1
//! input main.c
//! option symbolic-arg 1
//! object 0 global m 0
//! schedule 2
//! witness 0 61 argv[1]
//! op 0 create 0.1 done
//! op 0.1 lock o0 done after 0:1
//! ```
//!
//! Where a program reads requests, each read of one is an operation, `request`, and the version is
//! 2. If they have no end, schedules begin or end within an execution. A *part* begins at a state
//! at which a request is read: it says which operations the threads stand before. Part 0 is the
//! begin of the program.
//!
//! ```text
//! selvedge-cover 2
//! part 1
//! stands 0 request -
//! stands 0.1 wait o0
//! schedule 1 from 0 to 1
//! schedule 1 from 1 to 1
//! schedule 1 from 1
//! ```
//!
//! An execution follows a schedule from part 0, then one from the part that this leads to, and so
//! on. Operations are counted by thread from the begin of the part. Each operation also waits for
//! all operations of all earlier parts.
//!
//! An atomic access or a call of a library function is an operation, `at`, if nothing else orders
//! it with those of other threads. Its object is its place in the program, and the version is 3.
//!
//! ```text
//! selvedge-cover 3
//! object 1 place rmw main.c:12:5
//! op 0.1 at o1 done after 0:3
//! ```
//!
//! `schedule` says how many classes of inputs follow it. The `witness` lines are the inputs of one
//! class: the thread that asks for the input, its bytes and its name. `#` begins a comment line.

mod parse;
mod print;

pub use parse::CoverError;
use std::fmt;

/// The newest version of the format. Sets are written in the oldest one that has what they have.
pub const COVER_VERSION: u32 = 3;

/// The first word of the first line.
pub(crate) const COVER_MAGIC: &str = "selvedge-cover";

/// A set of schedules.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cover {
    /// The program's sources.
    pub inputs: Vec<String>,
    /// Options that the set is valid for, by name.
    pub options: Vec<(String, String)>,
    /// The objects that operations act on.
    pub objects: Vec<Object>,
    /// The parts but for the first one, part 0, which is the begin of the program.
    pub parts: Vec<Part>,
    /// The schedules.
    pub schedules: Vec<Order>,
}

/// A state at which a request is read: schedules begin there, and others lead there.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Part {
    /// The operations that the threads stand before; those that have ended are not there.
    pub stands: Vec<(String, Label)>,
}

/// A synchronisation object, by a name that is valid in the machine and in the native program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// In a global variable, at this offset in bytes. `NAME#2/3` is a variable that several sources
    /// have, each its own: the one of the second of the three sources that have it.
    Global(String, u64),
    /// Initialised by the operation with this number of this thread.
    Made(String, u32),
    /// Initialised by no call; the operation with this number of this thread is the first one on
    /// it.
    Met(String, u32),
    /// No object, but a place in the program, as [`site`](crate::site) says it.
    Place(String),
}

/// One schedule.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Order {
    /// The number of classes of inputs that follow this schedule. A class is a path of the program
    /// through its branches.
    pub classes: u64,
    /// The part that it begins with.
    pub from: usize,
    /// The part that it leads to; `None`: it leads to the end.
    pub to: Option<usize>,
    /// Inputs of one class.
    pub witness: Vec<Witness>,
    /// The operations.
    pub steps: Vec<Step>,
}

/// An input of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The thread that asked for it.
    pub thread: String,
    /// What the program calls it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// An operation without its outcome. A thread publishes it when it arrives at the operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// What it does.
    pub operation: Operation,
    /// Its target.
    pub target: Target,
}

/// The target of an operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// The thread itself.
    Nothing,
    /// An object of the set, by number.
    Object(usize),
    /// A condition variable, and the mutex of the wait.
    Wait(usize, usize),
    /// A thread.
    Thread(String),
}

/// One operation of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The thread.
    pub thread: String,
    /// The operation.
    pub label: Label,
    /// Its outcome.
    pub outcome: Outcome,
    /// The operations of other threads that it waits for: thread and number.
    pub after: Vec<(String, u32)>,
    /// The place in the source, for people. It is not part of the order.
    pub place: String,
}

/// The outcome of an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// It has its usual effect.
    Done,
    /// The lock or semaphore of a try operation is not free, or a wait times out. After a timeout,
    /// the thread performs a second `Wake` operation, which takes the mutex.
    Failed,
    /// It completes a barrier, and its thread is the serial thread.
    Serial,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// The operations that a schedule orders. Their numbers here are known to the native runtime.
    Operation {
        /// `pthread_create`.
        Create = "create",
        /// `pthread_join`.
        Join = "join",
        /// `pthread_detach`.
        Detach = "detach",
        /// The end of a thread.
        End = "end",
        /// The end of the process, by the main thread.
        Exit = "exit",
        /// Takes a mutex or a spin lock, or a read-write lock for writing.
        Lock = "lock",
        /// Tries to take it.
        TryLock = "try-lock",
        /// Releases it. For a read-write lock: whether it was taken for reading or for writing.
        Unlock = "unlock",
        /// Takes a read-write lock for reading.
        ReadLock = "read-lock",
        /// Tries to take it for reading.
        TryReadLock = "try-read-lock",
        /// Releases a mutex and begins to wait on a condition variable.
        Sleep = "sleep",
        /// Ends the wait: takes the mutex again after a wake-up, or gives up waiting.
        Wake = "wake",
        /// Wakes one waiting thread.
        Signal = "signal",
        /// Wakes all waiting threads.
        Broadcast = "broadcast",
        /// Adds to a semaphore.
        Post = "post",
        /// Takes from it.
        Wait = "wait",
        /// Tries to take from it.
        TryWait = "try-wait",
        /// Reads its value.
        Value = "value",
        /// Arrives at a barrier.
        Arrive = "arrive",
        /// Leaves the barrier.
        Leave = "leave",
        /// `pthread_once`: begins the routine, or continues if it has ended.
        Once = "once",
        /// The routine has ended.
        OnceDone = "once-done",
        /// Initialises an object.
        Init = "init",
        /// Destroys it.
        Destroy = "destroy",
        /// An atomic access or a call of a library function, as a whole.
        At = "at",
        /// Reads a request, or finds the end of standard input, if it was declared as requests.
        Request = "request",
    }
}

impl Operation {
    /// The operation with this word.
    pub fn from_word(word: &str) -> Option<Operation> {
        Operation::ALL.iter().copied().find(|op| op.word() == word)
    }
}

impl Outcome {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Failed => "failed",
            Outcome::Serial => "serial",
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Global(name, 0) => write!(f, "{name}"),
            Object::Global(name, offset) => write!(f, "{name}+{offset}"),
            Object::Place(name) => write!(f, "{name}"),
            Object::Made(thread, number) | Object::Met(thread, number) => {
                write!(f, "object({thread}:{number})")
            }
        }
    }
}

impl Part {
    /// The threads that have not ended.
    pub fn threads(&self) -> impl Iterator<Item = &str> {
        self.stands.iter().map(|(thread, _)| thread.as_str())
    }
}

impl Cover {
    /// Whether the program reads requests.
    pub fn has_requests(&self) -> bool {
        let mut steps = self.schedules.iter().flat_map(|order| &order.steps);
        !self.parts.is_empty() || steps.any(|step| step.label.operation == Operation::Request)
    }

    /// The oldest version of the format that has what the set has.
    pub(crate) fn version(&self) -> u32 {
        match () {
            () if self
                .objects
                .iter()
                .any(|object| matches!(object, Object::Place(_))) =>
            {
                COVER_VERSION
            }
            () if self.has_requests() => 2,
            () => 1,
        }
    }

    /// A part; `None` for part 0, and for those that do not exist.
    pub fn part(&self, number: usize) -> Option<&Part> {
        self.parts.get(number.checked_sub(1)?)
    }

    /// An operation as a text: `lock m`.
    pub fn text(&self, label: &Label) -> String {
        let word = label.operation.word();
        match &label.target {
            Target::Nothing => word.to_owned(),
            Target::Object(number) => format!("{word} {}", self.object_text(*number)),
            Target::Wait(condition, mutex) => {
                let (condition, mutex) = (self.object_text(*condition), self.object_text(*mutex));
                format!("{word} {condition} {mutex}")
            }
            Target::Thread(name) => format!("{word} {name}"),
        }
    }

    fn object_text(&self, number: usize) -> String {
        let known = self.objects.get(number);
        known.map_or_else(|| format!("o{number}"), Object::to_string)
    }

    /// The names of all threads in order; the main thread is first.
    pub fn threads(&self) -> Vec<String> {
        let key = |name: &str| -> Vec<u32> { name.split('.').map(|n| n.parse().unwrap_or(0)).collect() };
        let steps = self.schedules.iter().flat_map(|order| &order.steps);
        let mut names: Vec<String> = steps.map(|step| step.thread.clone()).collect();
        names.push("0".to_owned());
        let parts = self.parts.iter();
        names.extend(parts.flat_map(Part::threads).map(str::to_owned));
        names.sort_by_key(|name| key(name));
        names.dedup();
        names
    }
}
