//! The numbers under which hidden words are stored.

use super::{
    Callback, FileField, LandingField, MAX_AT_EXIT, MAX_EXIT_HANDLERS, MAX_FILE_NUMBERS, MAX_KEYS,
    MAX_PEER_DESCRIPTORS, MAX_PINNED, MAX_RANDOM, MAX_RECORDS, MAX_SIGNAL, MAX_THREAD_DESTRUCTORS, NameField,
    OpenFileField, PanicField, RecordField, SignalField, SocketField, StreamField, THREADS, WordKey,
};
use selvedge_base::{Id, ThreadId};

/// The number under which a word is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct WordNumber(u32);

impl WordNumber {
    /// As a number for fingerprints.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Whether it is the number of a [`WordKey::Record`].
    pub fn is_record(self) -> bool {
        (RECORDS..KEY_COUNT).contains(&self.0)
    }

    /// The key with this number.
    ///
    /// # Panics
    /// Never: a number is made from a key only.
    pub fn key(self) -> WordKey {
        WordKey::of(self).unwrap_or_else(|| unreachable!("word {:#x} has no key", self.0))
    }
}

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
const WORKING_DIRECTORY: u32 = 0x6600_0025;
const FILE_MASK: u32 = 0x6600_0026;
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
const ACTS_FOR: u32 = 0x7310_0000;
const THREAD_NAMES: u32 = 0x7320_0000;
const CLOCKS: u32 = 0x7469_0000;
const OF_THREADS: u32 = 0x8000_0000;
const THREAD_DESTRUCTORS: u32 = 0xc000_0000;

/// Words of a thread: the values of keys, then these.
const CLEANUP: u32 = MAX_KEYS;
const CXX_STATE: u32 = MAX_KEYS + 1;
const THREAD_DESTRUCTOR_COUNT: u32 = MAX_KEYS + 2;
const LANDING: u32 = MAX_KEYS + 4;
const LANDING_SELECTOR: u32 = LANDING + LandingField::Selector as u32;
const PANIC: u32 = LANDING_SELECTOR + 1;
const PANIC_LENGTH: u32 = PANIC + PanicField::Length as u32;
/// So many numbers (as a power of two) are a thread's, in each of the two ranges by thread.
const THREAD_SHIFT: u32 = 11;

// How many numbers one record has, as a power of two.
const CALLBACK_SHIFT: u32 = 1;
const RECORD_SHIFT: u32 = 1;
const SIGNAL_SHIFT: u32 = 3;
const OPEN_FILE_SHIFT: u32 = 2;
const FILE_SHIFT: u32 = 3;
const NAME_SHIFT: u32 = 2;
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
            WordKey::Panic(thread, field) => own(OF_THREADS, thread, PANIC + field as u32),
            WordKey::ThreadDestructorCount(thread) => own(OF_THREADS, thread, THREAD_DESTRUCTOR_COUNT),
            WordKey::ThreadDestructor(thread, index, part) => {
                own(THREAD_DESTRUCTORS, thread, index << CALLBACK_SHIFT | part as u32)
            }
            WordKey::AtExit(region, index) => AT_EXIT + (region << AT_EXIT_SHIFT | index),
            WordKey::Freed(region) => FREED + region,
            WordKey::ThreadName(region, half) => THREAD_NAMES + (region << 1 | half),
            WordKey::SignalMask(region) => SIGNAL_MASKS + region,
            WordKey::ActsFor(region) => ACTS_FOR + region,
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
            WordKey::WorkingDirectory => WORKING_DIRECTORY,
            WordKey::FileMask => FILE_MASK,
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
            WORKING_DIRECTORY => WordKey::WorkingDirectory,
            FILE_MASK => WordKey::FileMask,
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
            THREAD_NAMES..CLOCKS => {
                let (region, half) = split(THREAD_NAMES, 1);
                WordKey::ThreadName(region, half)
            }
            SIGNAL_ACTIONS..ACTS_FOR => {
                let (signal, field) = split(SIGNAL_ACTIONS, SIGNAL_SHIFT);
                WordKey::SignalAction(signal, SignalField::at(field)?)
            }
            ACTS_FOR..THREAD_NAMES => WordKey::ActsFor(number - ACTS_FOR),
            CLOCKS..OF_THREADS => WordKey::Clock(ThreadId::from_index((number - CLOCKS) as usize)),
            OF_THREADS..THREAD_DESTRUCTORS => {
                let (thread, word) = split(OF_THREADS, THREAD_SHIFT);
                let thread = ThreadId::from_index(thread as usize);
                match word {
                    0..MAX_KEYS => WordKey::KeyValue(thread, word),
                    CLEANUP => WordKey::Cleanup(thread),
                    CXX_STATE => WordKey::CxxState(thread),
                    LANDING..=LANDING_SELECTOR => WordKey::Landing(thread, LandingField::at(word - LANDING)?),
                    PANIC..=PANIC_LENGTH => WordKey::Panic(thread, PanicField::at(word - PANIC)?),
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
    assert!(USED_DESCRIPTORS + MAX_PEER_DESCRIPTORS / 64 <= OPEN_FILE_COUNT);
    assert!(DESCRIPTORS + MAX_PEER_DESCRIPTORS <= OPEN_FILES);
    assert!(OPEN_FILES + (MAX_FILE_NUMBERS << OPEN_FILE_SHIFT) <= FILES);
    assert!(FILES + (MAX_FILE_NUMBERS << FILE_SHIFT) <= NAMES);
    assert!(NAMES + (MAX_FILE_NUMBERS << NAME_SHIFT) <= STREAMS);
    assert!(STREAMS + (MAX_FILE_NUMBERS << STREAM_SHIFT) <= PINNED);
    assert!(PINNED + (THREADS << PINNED_SHIFT) <= SOCKETS);
    assert!(SOCKETS + (MAX_FILE_NUMBERS << SOCKET_SHIFT) <= INTERESTS);
    assert!(INTERESTS + (MAX_FILE_NUMBERS << PINNED_SHIFT) <= RANDOM_TABLE);
    assert!(SIGNAL_MASKS + THREADS <= ENTROPY_COUNTS);
    assert!(ENTROPY_COUNTS + THREADS <= SIGNAL_ACTIONS);
    assert!(SIGNAL_ACTIONS + ((MAX_SIGNAL + 1) << SIGNAL_SHIFT) <= ACTS_FOR);
    assert!(ACTS_FOR + THREADS <= THREAD_NAMES);
    assert!(THREAD_NAMES + 2 * THREADS <= CLOCKS);
    assert!(CLOCKS + THREADS <= OF_THREADS);
    assert!(OF_THREADS + (THREADS << THREAD_SHIFT) <= THREAD_DESTRUCTORS);
    assert!(LANDING_SELECTOR < 1 << THREAD_SHIFT);
    assert!(MAX_THREAD_DESTRUCTORS << CALLBACK_SHIFT <= 1 << THREAD_SHIFT);
};

// Each record has room for all its fields.
const _: () = {
    assert!(RecordField::ALL.len() <= 1 << RECORD_SHIFT);
    assert!(SignalField::ALL.len() <= 1 << SIGNAL_SHIFT);
    assert!(OpenFileField::ALL.len() <= 1 << OPEN_FILE_SHIFT);
    assert!(FileField::ALL.len() <= 1 << FILE_SHIFT);
    assert!(NameField::ALL.len() <= 1 << NAME_SHIFT);
    assert!(StreamField::ALL.len() <= 1 << STREAM_SHIFT);
    assert!(SocketField::ALL.len() <= 1 << SOCKET_SHIFT);
};

#[cfg(test)]
mod tests;
