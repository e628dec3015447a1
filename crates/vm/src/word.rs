//! Hidden words: data of models outside of memory and synchronisation objects.
//!
//! A model names a word by a [`WordKey`] and accesses it by `State::word` and `State::set_word`. So
//! it is part of the state, its fingerprint and its undo log. Only `number` converts keys into
//! numbers and back.
//!
//! Only a thread itself accesses its words. Words of the process are accessed only by visible
//! actions, or while there is one thread. A word that was never set is 0.

mod number;

use crate::memory::OWNERS;
pub(crate) use number::WordNumber;
use selvedge_base::{Id, ThreadId};

/// The maximum number of keys of thread-specific data.
pub(crate) const MAX_KEYS: u32 = 1024;
/// The maximum number of exit handlers.
pub(crate) const MAX_EXIT_HANDLERS: u32 = 1 << 15;
/// The maximum number of destructors of thread-local variables in one thread.
pub(crate) const MAX_THREAD_DESTRUCTORS: u32 = 1 << 10;
/// The maximum number of accesses of one library call that are stored between its parts.
pub(crate) const MAX_RECORDS: u32 = 1 << 15;
/// The maximum number of addresses that are stored for a thread that ends the process.
pub(crate) const MAX_AT_EXIT: u32 = 1 << 16;
/// The maximum number of open files, files, names and streams that an execution may create.
pub(crate) const MAX_FILE_NUMBERS: u32 = 1 << 16;
/// The maximum number of descriptors: the usual limit of a process.
pub(crate) const MAX_DESCRIPTORS: u32 = 1024;
/// Descriptors from there on and below this are those of peers from outside, which are threads of
/// the machine: the program cannot name them.
pub(crate) const MAX_PEER_DESCRIPTORS: u32 = 2048;
/// The maximum number of descriptors for which one call may wait.
pub(crate) const MAX_PINNED: u32 = 64;
/// The highest number of a signal; the lowest is 1.
const MAX_SIGNAL: u32 = 64;
/// The number of words in the table of `rand`.
const MAX_RANDOM: u32 = 31;
/// Numbers of threads and of their regions are below this.
const THREADS: u32 = OWNERS;

/// The name of a hidden word. A `region` is a thread's memory region, the same in every
/// interleaving; `thread` is its number, which depends on the order of creations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordKey {
    // ---- threads and the process
    /// How many keys of thread-specific data were created.
    KeyCount,
    /// A live key: its destructor with marks in the lowest bits; 0 if it does not exist.
    KeyDestructor(u32),
    /// A thread's value of a key.
    KeyValue(ThreadId, u32),
    /// How many exit handlers are registered and were not yet run.
    ExitHandlerCount,
    /// An exit handler.
    ExitHandler(u32, Callback),
    /// The innermost cleanup buffer of a thread.
    Cleanup(ThreadId),
    /// The `std::thread::_State` that a thread has to delete.
    CxxState(ThreadId),
    /// The exception that a thread takes to a landing pad.
    Landing(ThreadId, LandingField),
    /// The message of the panic of a thread, until it is caught.
    Panic(ThreadId, PanicField),
    /// How many destructors of thread-local variables a thread has still to run.
    ThreadDestructorCount(ThreadId),
    /// Such a destructor.
    ThreadDestructor(ThreadId, u32, Callback),
    /// An address that a thread's variables had when it ended the process: region, index.
    AtExit(u32, u32),
    /// Whether the thread with this region has freed memory.
    Freed(u32),
    /// A part of a thread's name: region, which half.
    ThreadName(u32, u32),
    /// The signals that the thread with this region blocks.
    SignalMask(u32),
    /// The handle of the thread in whose place the thread with this region runs a handler; 0: none.
    ActsFor(u32),
    /// What the process does about a signal.
    SignalAction(u32, SignalField),

    // ---- library calls
    /// What an access of the present call has read: region, number of the access.
    Record(u32, u32, RecordField),
    /// How often the thread with this region has asked for random bytes.
    EntropyCount(u32),
    /// The table of `rand`.
    RandomTable(u32),
    /// One more than the place of the next number in it; 0: not yet seeded.
    RandomPlace,
    /// Seconds gone by on a thread's clock.
    Clock(ThreadId),

    // ---- files
    /// Which descriptors are taken, 64 a word.
    UsedDescriptors(u32),
    /// How many open files were made.
    OpenFileCount,
    /// How many files were made.
    FileCount,
    /// How many names were made.
    NameCount,
    /// How many streams were made.
    StreamCount,
    /// Whether SIGPIPE is ignored.
    PipeSignalIgnored,
    /// One more than the working directory; 0: the one at the start.
    WorkingDirectory,
    /// Which rights files are created without, changed by those at the start (022).
    FileMask,
    /// What a descriptor stands for.
    Descriptor(u32),
    /// An open file.
    OpenFile(u32, OpenFileField),
    /// A file.
    File(u32, FileField),
    /// A file's name.
    Name(u32, NameField),
    /// A stream.
    Stream(u32, StreamField),
    /// An open file that the present call of a thread has looked up: region, index.
    Pinned(u32, u32),
    /// What a file is as a socket.
    Socket(u32, SocketField),
    /// An entry of a set of descriptors: file, index.
    Interest(u32, u32),
}

impl WordKey {
    /// Whether the word says something of a thread, and nothing of a new thread in its place. What
    /// only grows is not meant: names of inputs, times; nor what the old thread has left behind.
    pub(crate) fn ends_with(self, thread: ThreadId, region: u32) -> bool {
        let stays = matches!(
            self,
            WordKey::EntropyCount(_) | WordKey::Clock(_) | WordKey::Freed(_) | WordKey::AtExit(..)
        );
        !stays
            && match (self, self.owner()) {
                (WordKey::ThreadName(owner, _), _) | (_, WordOwner::Region(owner)) => owner == region,
                (_, WordOwner::Thread(owner)) => owner == thread,
                (_, WordOwner::Process) => false,
            }
    }
}

/// Declares fields of a record: they are numbered in order.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum $name {
            $($(#[$field_doc])* $field,)*
        }

        impl $name {
            const ALL: &[$name] = &[$($name::$field,)*];

            fn at(offset: u32) -> Option<$name> {
                $name::ALL.get(offset as usize).copied()
            }
        }
    };
}

fields! {
    /// A function to be called later.
    Callback {
        /// Its address.
        Function,
        /// Its argument.
        Argument,
    }
}

fields! {
    /// What a landing pad is told.
    LandingField {
        /// The address of the exception.
        Exception,
        /// What the clauses of the call said.
        Selector,
    }
}

fields! {
    /// The text that is a message.
    PanicField {
        /// Its address; 0: there is none.
        Address,
        /// Its length in bytes.
        Length,
    }
}

fields! {
    /// What a read has found.
    RecordField {
        /// The bits of the value.
        Bits,
        /// Its tag.
        Tag,
    }
}

fields! {
    /// What the process does about a signal.
    SignalField {
        /// SIG_DFL or SIG_IGN.
        Handler,
        /// Signals that a handler would block.
        Mask,
        /// The flags of `sigaction`.
        Flags,
        /// One more than the region of the thread that has changed it beside others.
        ChangedBy,
        /// How many threads that one had created then.
        ChangedAt,
        /// One more than the region of the thread that has looked at it beside others, or the
        /// largest number if several have.
        LookedAtBy,
    }
}

fields! {
    /// Of an open file.
    OpenFileField {
        /// Its file, and whether it may be read and written.
        File,
        /// `O_APPEND` and `O_NONBLOCK`, and its lock (`flock`).
        Flags,
        /// Its position.
        Position,
        /// How many further descriptors stand for it.
        Shares,
    }
}

fields! {
    /// Of a file.
    FileField {
        /// Its kind and its mode.
        Kind,
        /// The object that holds its bytes; 0 if it has none yet.
        Content,
        /// How many bytes are in it.
        Length,
        /// Where in its content a pipe's first byte is; the period of a timer; whether a regular
        /// file was mapped so that changes of it show.
        Start,
        /// How many open files read from it.
        Readers,
        /// How many open files write to it.
        Writers,
        /// How many names it has.
        Links,
        /// The value of an event counter, what a timer does, the locks of a regular file.
        Counter,
    }
}

fields! {
    /// Of a socket.
    SocketField {
        /// The family of its addresses.
        Family,
        /// What became of it: bits.
        State,
        /// One more than the socket at the other end; 0: none.
        Peer,
        /// Its own address.
        Address,
        /// The address of the other end.
        PeerAddress,
        /// Of one that listens: the first connection that nobody has accepted, as for `Peer`.
        First,
        /// The last one.
        Last,
        /// Of a connection that nobody has accepted: the one behind it.
        Next,
        /// How many wait.
        Waiting,
        /// How many may wait.
        Backlog,
        /// The error that the next operation answers.
        Error,
        /// What `setsockopt` has set: bits.
        Options,
    }
}

fields! {
    /// Of a name.
    NameField {
        /// The object that holds its text.
        Text,
        /// One more than the file that it stands for; 0: none.
        File,
        /// The directory that it is in.
        Directory,
    }
}

fields! {
    /// Of a stream.
    StreamField {
        /// Address of the `FILE`.
        Address,
        /// Descriptor, and how it may be used.
        Descriptor,
        /// Address of the buffer, 0 before it is needed.
        Buffer,
        /// Its size, 0: the usual one.
        Size,
        /// Where unread bytes begin in it.
        Begin,
        /// Where they end.
        End,
        /// How many bytes wait to be written.
        Pending,
        /// How many of them the present flush has written.
        Flushed,
        /// Flags of the stream.
        Flags,
        /// The region of the thread that has it.
        Holder,
        /// How often it was taken.
        Depth,
        /// Where a seek goes.
        Offset,
        /// From where its offset counts.
        Whence,
        /// Where it came to.
        Position,
        /// A text that the present call has made and is writing.
        Text,
    }
}

/// Whose word it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordOwner {
    /// The process's.
    Process,
    /// Of the thread with this number.
    Thread(ThreadId),
    /// Of the thread with this region.
    Region(u32),
}

impl WordKey {
    /// Whose word it is.
    pub fn owner(self) -> WordOwner {
        match self {
            WordKey::KeyValue(thread, _)
            | WordKey::Cleanup(thread)
            | WordKey::CxxState(thread)
            | WordKey::Landing(thread, _)
            | WordKey::Panic(thread, _)
            | WordKey::ThreadDestructorCount(thread)
            | WordKey::ThreadDestructor(thread, ..)
            | WordKey::Clock(thread) => WordOwner::Thread(thread),
            WordKey::AtExit(region, _)
            | WordKey::Freed(region)
            | WordKey::SignalMask(region)
            | WordKey::ActsFor(region)
            | WordKey::Record(region, ..)
            | WordKey::EntropyCount(region)
            | WordKey::Pinned(region, _) => WordOwner::Region(region),
            WordKey::KeyCount
            | WordKey::KeyDestructor(_)
            | WordKey::ExitHandlerCount
            | WordKey::ExitHandler(..)
            | WordKey::SignalAction(..)
            | WordKey::ThreadName(..)
            | WordKey::RandomTable(_)
            | WordKey::RandomPlace
            | WordKey::UsedDescriptors(_)
            | WordKey::OpenFileCount
            | WordKey::FileCount
            | WordKey::NameCount
            | WordKey::StreamCount
            | WordKey::PipeSignalIgnored
            | WordKey::WorkingDirectory
            | WordKey::FileMask
            | WordKey::Descriptor(_)
            | WordKey::OpenFile(..)
            | WordKey::File(..)
            | WordKey::Name(..)
            | WordKey::Stream(..)
            | WordKey::Socket(..)
            | WordKey::Interest(..) => WordOwner::Process,
        }
    }

    /// The same word of the first thread: a name for the word beside its owner.
    pub fn of_first_thread(self) -> WordKey {
        let first = ThreadId::from_index(0);
        match self {
            WordKey::KeyValue(_, key) => WordKey::KeyValue(first, key),
            WordKey::Cleanup(_) => WordKey::Cleanup(first),
            WordKey::CxxState(_) => WordKey::CxxState(first),
            WordKey::Landing(_, field) => WordKey::Landing(first, field),
            WordKey::Panic(_, field) => WordKey::Panic(first, field),
            WordKey::ThreadDestructorCount(_) => WordKey::ThreadDestructorCount(first),
            WordKey::ThreadDestructor(_, index, part) => WordKey::ThreadDestructor(first, index, part),
            WordKey::Clock(_) => WordKey::Clock(first),
            other => other,
        }
    }

    /// Whether the word is the tag of a value: its number depends on what was interned before.
    pub const fn is_tag(self) -> bool {
        matches!(self, WordKey::Record(_, _, RecordField::Tag))
    }
}
