//! Hidden words: data of models outside of memory and synchronisation objects.
//!
//! A model names a word by a [`WordKey`] and accesses it by `State::word` and `State::set_word`. So
//! it is part of the state, its fingerprint and its undo log. Only this file converts keys into
//! numbers and back.
//!
//! Only a thread itself accesses its words. Words of the process are accessed only by visible
//! actions, or while there is one thread. A word that was never set is 0.

use crate::memory::OWNERS;
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
    /// How many destructors of thread-local variables a thread has still to run.
    ThreadDestructorCount(ThreadId),
    /// Such a destructor.
    ThreadDestructor(ThreadId, u32, Callback),
    /// An address that a thread's variables had when it ended the process: region, index.
    AtExit(u32, u32),
    /// Whether the thread with this region has freed memory.
    Freed(u32),
    /// The signals that the thread with this region blocks.
    SignalMask(u32),
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
    }
}

fields! {
    /// Of an open file.
    OpenFileField {
        /// Its file, and whether it may be read and written.
        File,
        /// `O_APPEND` and `O_NONBLOCK`.
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
        /// Where in its content a pipe's first byte is.
        Start,
        /// How many open files read from it.
        Readers,
        /// How many open files write to it.
        Writers,
        /// How many names it has.
        Links,
        /// The value of an event counter.
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

/// The number under which a word is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct WordNumber(u32);

impl WordNumber {
    /// As a number for fingerprints.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The key with this number.
    ///
    /// # Panics
    /// Never: a number is made from a key only.
    pub fn key(self) -> WordKey {
        WordKey::of(self).unwrap_or_else(|| unreachable!("word {:#x} has no key", self.0))
    }
}

// ---- numbers
// -------------------------------------------------------------------------------------------------

// Where the numbers of each kind of key begin. They are part of fingerprints. What follows a
// beginning up to the next one is the kind's own.
const RECORDS: u32 = 0x2000_0000;
const KEY_COUNT: u32 = 0x4000_0000;
const EXIT_HANDLER_COUNT: u32 = 0x4000_0001;
const KEY_DESTRUCTORS: u32 = 0x4000_0400;
const EXIT_HANDLERS: u32 = 0x4001_0000;
const AT_EXIT: u32 = 0x5000_0000;
const FREED: u32 = 0x6000_0000;
const USED_DESCRIPTORS: u32 = 0x6600_0000;
const OPEN_FILE_COUNT: u32 = 0x6600_0020;
const FILE_COUNT: u32 = 0x6600_0021;
const NAME_COUNT: u32 = 0x6600_0022;
const STREAM_COUNT: u32 = 0x6600_0023;
const PIPE_SIGNAL_IGNORED: u32 = 0x6600_0024;
const DESCRIPTORS: u32 = 0x6601_0000;
const OPEN_FILES: u32 = 0x6610_0000;
const FILES: u32 = 0x6620_0000;
const NAMES: u32 = 0x6630_0000;
const STREAMS: u32 = 0x6640_0000;
const PINNED: u32 = 0x6700_0000;
const SOCKETS: u32 = 0x6900_0000;
const INTERESTS: u32 = 0x6b00_0000;
const RANDOM_TABLE: u32 = 0x7261_0000;
const RANDOM_PLACE: u32 = RANDOM_TABLE + MAX_RANDOM;
const SIGNAL_MASKS: u32 = 0x7300_0000;
const ENTROPY_COUNTS: u32 = 0x7301_0000;
const SIGNAL_ACTIONS: u32 = 0x7302_0000;
const CLOCKS: u32 = 0x7469_0000;
const OF_THREADS: u32 = 0x8000_0000;
const THREAD_DESTRUCTORS: u32 = 0xc000_0000;

/// Words of a thread: the values of keys, then these.
const CLEANUP: u32 = MAX_KEYS;
const CXX_STATE: u32 = MAX_KEYS + 1;
const THREAD_DESTRUCTOR_COUNT: u32 = MAX_KEYS + 2;
const LANDING: u32 = MAX_KEYS + 4;
const LANDING_SELECTOR: u32 = LANDING + LandingField::Selector as u32;
/// So many numbers (as a power of two) are a thread's, in each of the two ranges by thread.
const THREAD_SHIFT: u32 = 11;

// How many numbers one record has, as a power of two.
const CALLBACK_SHIFT: u32 = 1;
const RECORD_SHIFT: u32 = 1;
const SIGNAL_SHIFT: u32 = 2;
const OPEN_FILE_SHIFT: u32 = 2;
const FILE_SHIFT: u32 = 3;
const NAME_SHIFT: u32 = 1;
const STREAM_SHIFT: u32 = 4;
const SOCKET_SHIFT: u32 = 4;
const PINNED_SHIFT: u32 = MAX_PINNED.trailing_zeros();
const RECORDS_SHIFT: u32 = MAX_RECORDS.trailing_zeros() + RECORD_SHIFT;
const AT_EXIT_SHIFT: u32 = MAX_AT_EXIT.trailing_zeros();

impl WordKey {
    /// The number under which the word is stored.
    #[inline]
    pub fn number(self) -> WordNumber {
        WordNumber(match self {
            WordKey::KeyCount => KEY_COUNT,
            WordKey::KeyDestructor(key) => KEY_DESTRUCTORS + key,
            WordKey::KeyValue(thread, key) => own(OF_THREADS, thread, key),
            WordKey::ExitHandlerCount => EXIT_HANDLER_COUNT,
            WordKey::ExitHandler(index, part) => EXIT_HANDLERS + (index << CALLBACK_SHIFT | part as u32),
            WordKey::Cleanup(thread) => own(OF_THREADS, thread, CLEANUP),
            WordKey::CxxState(thread) => own(OF_THREADS, thread, CXX_STATE),
            WordKey::Landing(thread, field) => own(OF_THREADS, thread, LANDING + field as u32),
            WordKey::ThreadDestructorCount(thread) => own(OF_THREADS, thread, THREAD_DESTRUCTOR_COUNT),
            WordKey::ThreadDestructor(thread, index, part) => {
                own(THREAD_DESTRUCTORS, thread, index << CALLBACK_SHIFT | part as u32)
            }
            WordKey::AtExit(region, index) => AT_EXIT + (region << AT_EXIT_SHIFT | index),
            WordKey::Freed(region) => FREED + region,
            WordKey::SignalMask(region) => SIGNAL_MASKS + region,
            WordKey::SignalAction(signal, field) => SIGNAL_ACTIONS + (signal << SIGNAL_SHIFT | field as u32),
            WordKey::Record(region, access, field) => {
                RECORDS + (region << RECORDS_SHIFT | access << RECORD_SHIFT | field as u32)
            }
            WordKey::EntropyCount(region) => ENTROPY_COUNTS + region,
            WordKey::RandomTable(place) => RANDOM_TABLE + place,
            WordKey::RandomPlace => RANDOM_PLACE,
            WordKey::Clock(thread) => CLOCKS + thread.index() as u32,
            WordKey::UsedDescriptors(part) => USED_DESCRIPTORS + part,
            WordKey::OpenFileCount => OPEN_FILE_COUNT,
            WordKey::FileCount => FILE_COUNT,
            WordKey::NameCount => NAME_COUNT,
            WordKey::StreamCount => STREAM_COUNT,
            WordKey::PipeSignalIgnored => PIPE_SIGNAL_IGNORED,
            WordKey::Descriptor(fd) => DESCRIPTORS + fd,
            WordKey::OpenFile(number, field) => OPEN_FILES + (number << OPEN_FILE_SHIFT | field as u32),
            WordKey::File(number, field) => FILES + (number << FILE_SHIFT | field as u32),
            WordKey::Name(number, field) => NAMES + (number << NAME_SHIFT | field as u32),
            WordKey::Stream(number, field) => STREAMS + (number << STREAM_SHIFT | field as u32),
            WordKey::Pinned(region, index) => PINNED + (region << PINNED_SHIFT | index),
            WordKey::Socket(number, field) => SOCKETS + (number << SOCKET_SHIFT | field as u32),
            WordKey::Interest(file, index) => INTERESTS + (file << PINNED_SHIFT | index),
        })
    }

    /// The key with a number; `None` for a number that no key has.
    pub fn of(number: WordNumber) -> Option<WordKey> {
        let number = number.0;
        // What is left of a number behind the beginning of its range: record and field.
        let split = |first: u32, shift: u32| {
            let offset = number - first;
            (offset >> shift, offset & ((1 << shift) - 1))
        };
        Some(match number {
            RECORDS..KEY_COUNT => {
                let (access, field) = split(RECORDS, RECORD_SHIFT);
                let (region, access) = (access / MAX_RECORDS, access % MAX_RECORDS);
                WordKey::Record(region, access, RecordField::at(field)?)
            }
            KEY_COUNT => WordKey::KeyCount,
            EXIT_HANDLER_COUNT => WordKey::ExitHandlerCount,
            KEY_DESTRUCTORS..EXIT_HANDLERS => WordKey::KeyDestructor(number - KEY_DESTRUCTORS),
            EXIT_HANDLERS..AT_EXIT => {
                let (index, part) = split(EXIT_HANDLERS, CALLBACK_SHIFT);
                WordKey::ExitHandler(index, Callback::at(part)?)
            }
            AT_EXIT..FREED => {
                let (region, index) = split(AT_EXIT, AT_EXIT_SHIFT);
                WordKey::AtExit(region, index)
            }
            FREED..USED_DESCRIPTORS => WordKey::Freed(number - FREED),
            USED_DESCRIPTORS..OPEN_FILE_COUNT => WordKey::UsedDescriptors(number - USED_DESCRIPTORS),
            OPEN_FILE_COUNT => WordKey::OpenFileCount,
            FILE_COUNT => WordKey::FileCount,
            NAME_COUNT => WordKey::NameCount,
            STREAM_COUNT => WordKey::StreamCount,
            PIPE_SIGNAL_IGNORED => WordKey::PipeSignalIgnored,
            DESCRIPTORS..OPEN_FILES => WordKey::Descriptor(number - DESCRIPTORS),
            OPEN_FILES..FILES => {
                let (open, field) = split(OPEN_FILES, OPEN_FILE_SHIFT);
                WordKey::OpenFile(open, OpenFileField::at(field)?)
            }
            FILES..NAMES => {
                let (file, field) = split(FILES, FILE_SHIFT);
                WordKey::File(file, FileField::at(field)?)
            }
            NAMES..STREAMS => {
                let (name, field) = split(NAMES, NAME_SHIFT);
                WordKey::Name(name, NameField::at(field)?)
            }
            STREAMS..PINNED => {
                let (stream, field) = split(STREAMS, STREAM_SHIFT);
                WordKey::Stream(stream, StreamField::at(field)?)
            }
            PINNED..SOCKETS => {
                let (region, index) = split(PINNED, PINNED_SHIFT);
                WordKey::Pinned(region, index)
            }
            INTERESTS..RANDOM_TABLE => {
                let (file, index) = split(INTERESTS, PINNED_SHIFT);
                WordKey::Interest(file, index)
            }
            SOCKETS..INTERESTS => {
                let (number, field) = split(SOCKETS, SOCKET_SHIFT);
                WordKey::Socket(number, SocketField::at(field)?)
            }
            RANDOM_TABLE..RANDOM_PLACE => WordKey::RandomTable(number - RANDOM_TABLE),
            RANDOM_PLACE => WordKey::RandomPlace,
            SIGNAL_MASKS..ENTROPY_COUNTS => WordKey::SignalMask(number - SIGNAL_MASKS),
            ENTROPY_COUNTS..SIGNAL_ACTIONS => WordKey::EntropyCount(number - ENTROPY_COUNTS),
            SIGNAL_ACTIONS..CLOCKS => {
                let (signal, field) = split(SIGNAL_ACTIONS, SIGNAL_SHIFT);
                WordKey::SignalAction(signal, SignalField::at(field)?)
            }
            CLOCKS..OF_THREADS => WordKey::Clock(ThreadId::from_index((number - CLOCKS) as usize)),
            OF_THREADS..THREAD_DESTRUCTORS => {
                let (thread, word) = split(OF_THREADS, THREAD_SHIFT);
                let thread = ThreadId::from_index(thread as usize);
                match word {
                    0..MAX_KEYS => WordKey::KeyValue(thread, word),
                    CLEANUP => WordKey::Cleanup(thread),
                    CXX_STATE => WordKey::CxxState(thread),
                    LANDING..=LANDING_SELECTOR => WordKey::Landing(thread, LandingField::at(word - LANDING)?),
                    THREAD_DESTRUCTOR_COUNT => WordKey::ThreadDestructorCount(thread),
                    _ => return None,
                }
            }
            THREAD_DESTRUCTORS.. => {
                let (thread, word) = split(THREAD_DESTRUCTORS, THREAD_SHIFT);
                let thread = ThreadId::from_index(thread as usize);
                let (index, part) = (word >> CALLBACK_SHIFT, word & ((1 << CALLBACK_SHIFT) - 1));
                WordKey::ThreadDestructor(thread, index, Callback::at(part)?)
            }
            _ => return None,
        })
    }

    /// Whose word it is.
    pub fn owner(self) -> WordOwner {
        match self {
            WordKey::KeyValue(thread, _)
            | WordKey::Cleanup(thread)
            | WordKey::CxxState(thread)
            | WordKey::Landing(thread, _)
            | WordKey::ThreadDestructorCount(thread)
            | WordKey::ThreadDestructor(thread, ..)
            | WordKey::Clock(thread) => WordOwner::Thread(thread),
            WordKey::AtExit(region, _)
            | WordKey::Freed(region)
            | WordKey::SignalMask(region)
            | WordKey::Record(region, ..)
            | WordKey::EntropyCount(region)
            | WordKey::Pinned(region, _) => WordOwner::Region(region),
            WordKey::KeyCount
            | WordKey::KeyDestructor(_)
            | WordKey::ExitHandlerCount
            | WordKey::ExitHandler(..)
            | WordKey::SignalAction(..)
            | WordKey::RandomTable(_)
            | WordKey::RandomPlace
            | WordKey::UsedDescriptors(_)
            | WordKey::OpenFileCount
            | WordKey::FileCount
            | WordKey::NameCount
            | WordKey::StreamCount
            | WordKey::PipeSignalIgnored
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

/// The number of a word of a thread.
#[inline]
fn own(first: u32, thread: ThreadId, word: u32) -> u32 {
    first + ((thread.index() as u32) << THREAD_SHIFT | word)
}

// Each range has room for all its keys.
const _: () = {
    assert!(RECORDS + (THREADS << RECORDS_SHIFT) <= KEY_COUNT);
    assert!(KEY_DESTRUCTORS + MAX_KEYS <= EXIT_HANDLERS);
    assert!(EXIT_HANDLERS + (MAX_EXIT_HANDLERS << CALLBACK_SHIFT) <= AT_EXIT);
    assert!(AT_EXIT + (THREADS << AT_EXIT_SHIFT) <= FREED);
    assert!(FREED + THREADS <= USED_DESCRIPTORS);
    assert!(USED_DESCRIPTORS + MAX_DESCRIPTORS / 64 <= OPEN_FILE_COUNT);
    assert!(DESCRIPTORS + MAX_DESCRIPTORS <= OPEN_FILES);
    assert!(OPEN_FILES + (MAX_FILE_NUMBERS << OPEN_FILE_SHIFT) <= FILES);
    assert!(FILES + (MAX_FILE_NUMBERS << FILE_SHIFT) <= NAMES);
    assert!(NAMES + (MAX_FILE_NUMBERS << NAME_SHIFT) <= STREAMS);
    assert!(STREAMS + (MAX_FILE_NUMBERS << STREAM_SHIFT) <= PINNED);
    assert!(PINNED + (THREADS << PINNED_SHIFT) <= SOCKETS);
    assert!(SOCKETS + (MAX_FILE_NUMBERS << SOCKET_SHIFT) <= INTERESTS);
    assert!(INTERESTS + (MAX_FILE_NUMBERS << PINNED_SHIFT) <= RANDOM_TABLE);
    assert!(SIGNAL_MASKS + THREADS <= ENTROPY_COUNTS);
    assert!(ENTROPY_COUNTS + THREADS <= SIGNAL_ACTIONS);
    assert!(SIGNAL_ACTIONS + ((MAX_SIGNAL + 1) << SIGNAL_SHIFT) <= CLOCKS);
    assert!(CLOCKS + THREADS <= OF_THREADS);
    assert!(OF_THREADS + (THREADS << THREAD_SHIFT) <= THREAD_DESTRUCTORS);
    assert!(LANDING_SELECTOR < 1 << THREAD_SHIFT);
    assert!(MAX_THREAD_DESTRUCTORS << CALLBACK_SHIFT <= 1 << THREAD_SHIFT);
};

#[cfg(test)]
mod tests;
