//! No two keys have one number, and each number leads back to its key.

use super::*;
use crate::word::*;
use std::collections::HashMap;

/// The number of a kind of key. A new kind does not compile until it has one, and the tests fail
/// until it is among [`kinds`].
fn kind(key: WordKey) -> usize {
    match key {
        WordKey::KeyCount => 0,
        WordKey::KeyDestructor(..) => 1,
        WordKey::KeyValue(..) => 2,
        WordKey::ExitHandlerCount => 3,
        WordKey::ExitHandler(..) => 4,
        WordKey::Cleanup(..) => 5,
        WordKey::CxxState(..) => 6,
        WordKey::ThreadDestructorCount(..) => 7,
        WordKey::ThreadDestructor(..) => 8,
        WordKey::AtExit(..) => 9,
        WordKey::Freed(..) => 10,
        WordKey::SignalMask(..) => 11,
        WordKey::SignalAction(..) => 12,
        WordKey::ActsFor(..) => 34,
        WordKey::Record(..) => 13,
        WordKey::EntropyCount(..) => 14,
        WordKey::RandomTable(..) => 15,
        WordKey::RandomPlace => 16,
        WordKey::Clock(..) => 17,
        WordKey::UsedDescriptors(..) => 18,
        WordKey::OpenFileCount => 19,
        WordKey::FileCount => 20,
        WordKey::NameCount => 21,
        WordKey::StreamCount => 22,
        WordKey::PipeSignalIgnored => 23,
        WordKey::Descriptor(..) => 24,
        WordKey::OpenFile(..) => 25,
        WordKey::File(..) => 26,
        WordKey::Name(..) => 27,
        WordKey::Stream(..) => 28,
        WordKey::Pinned(..) => 29,
        WordKey::Landing(..) => 30,
        WordKey::Socket(..) => 31,
        WordKey::Interest(..) => 32,
        WordKey::WorkingDirectory => 33,
        WordKey::FileMask => 36,
        WordKey::ThreadName(..) => 35,
        WordKey::Panic(..) => 37,
    }
}

const KINDS: usize = 38;

/// The ends of a range, what is beside them, and some numbers between.
fn sample(end: u32) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(u64::from(end));
    let mut all = vec![0, 1, 2, end / 2, end.saturating_sub(2), end - 1];
    all.extend((0..6).map(|_| random.u32(..end)));
    all.retain(|&n| n < end);
    all.sort_unstable();
    all.dedup();
    all
}

/// Keys of one parameter.
fn of_one(end: u32, key: impl Fn(u32) -> WordKey) -> Vec<WordKey> {
    sample(end).into_iter().map(key).collect()
}

/// Keys of two parameters.
fn of_two(ends: [u32; 2], key: impl Fn(u32, u32) -> WordKey) -> Vec<WordKey> {
    let key = &key;
    let second = sample(ends[1]);
    let pairs = sample(ends[0]).into_iter();
    pairs
        .flat_map(|a| second.iter().map(move |&b| key(a, b)))
        .collect()
}

fn of_thread(key: impl Fn(ThreadId) -> WordKey) -> Vec<WordKey> {
    of_one(THREADS, |t| key(ThreadId::from_index(t as usize)))
}

/// Keys of each kind, with every field.
fn kinds() -> Vec<WordKey> {
    let thread = |t: u32| ThreadId::from_index(t as usize);
    let mut all = vec![
        WordKey::KeyCount,
        WordKey::ExitHandlerCount,
        WordKey::RandomPlace,
        WordKey::OpenFileCount,
        WordKey::FileCount,
        WordKey::NameCount,
        WordKey::StreamCount,
        WordKey::PipeSignalIgnored,
        WordKey::WorkingDirectory,
        WordKey::FileMask,
    ];
    all.extend(of_one(MAX_KEYS, WordKey::KeyDestructor));
    all.extend(of_two([THREADS, MAX_KEYS], |t, key| {
        WordKey::KeyValue(thread(t), key)
    }));
    all.extend(of_thread(WordKey::Cleanup));
    all.extend(of_thread(WordKey::CxxState));
    all.extend(of_thread(WordKey::ThreadDestructorCount));
    all.extend(of_thread(WordKey::Clock));
    for &field in LandingField::ALL {
        all.extend(of_thread(|t| WordKey::Landing(t, field)));
    }
    for &field in PanicField::ALL {
        all.extend(of_thread(|t| WordKey::Panic(t, field)));
    }
    for &part in Callback::ALL {
        all.extend(of_one(MAX_EXIT_HANDLERS, |i| WordKey::ExitHandler(i, part)));
        all.extend(of_two([THREADS, MAX_THREAD_DESTRUCTORS], |t, i| {
            WordKey::ThreadDestructor(thread(t), i, part)
        }));
    }
    all.extend(of_two([THREADS, MAX_AT_EXIT], WordKey::AtExit));
    all.extend(of_one(THREADS, WordKey::Freed));
    all.extend(of_one(THREADS, WordKey::SignalMask));
    all.extend(of_one(THREADS, WordKey::ActsFor));
    all.extend(of_two([THREADS, 2], WordKey::ThreadName));
    for &field in SignalField::ALL {
        all.extend(of_one(MAX_SIGNAL + 1, |s| WordKey::SignalAction(s, field)));
    }
    for &field in RecordField::ALL {
        all.extend(of_two([THREADS, MAX_RECORDS], |region, access| {
            WordKey::Record(region, access, field)
        }));
    }
    all.extend(of_one(THREADS, WordKey::EntropyCount));
    all.extend(of_one(MAX_RANDOM, WordKey::RandomTable));
    all.extend(of_one(MAX_PEER_DESCRIPTORS / 64, WordKey::UsedDescriptors));
    all.extend(of_one(MAX_PEER_DESCRIPTORS, WordKey::Descriptor));
    for &field in OpenFileField::ALL {
        all.extend(of_one(MAX_FILE_NUMBERS, |n| WordKey::OpenFile(n, field)));
    }
    for &field in FileField::ALL {
        all.extend(of_one(MAX_FILE_NUMBERS, |n| WordKey::File(n, field)));
    }
    for &field in NameField::ALL {
        all.extend(of_one(MAX_FILE_NUMBERS, |n| WordKey::Name(n, field)));
    }
    for &field in StreamField::ALL {
        all.extend(of_one(MAX_FILE_NUMBERS, |n| WordKey::Stream(n, field)));
    }
    all.extend(of_two([THREADS, MAX_PINNED], WordKey::Pinned));
    all.extend(of_two([MAX_FILE_NUMBERS, MAX_PINNED], WordKey::Interest));
    for &field in SocketField::ALL {
        all.extend(of_one(MAX_FILE_NUMBERS, |n| WordKey::Socket(n, field)));
    }
    all
}

#[test]
fn keys_do_not_collide() {
    let mut by_number: HashMap<WordNumber, WordKey> = HashMap::new();
    let mut seen = [false; KINDS];
    for key in kinds() {
        seen[kind(key)] = true;
        if let Some(other) = by_number.insert(key.number(), key) {
            assert_eq!(other, key, "two keys have the number {:x?}", key.number());
        }
        assert_eq!(WordKey::of(key.number()), Some(key), "{:x?}", key.number());
    }
    assert_eq!(seen, [true; KINDS], "keys of each kind are looked at");
}

#[test]
fn a_thread_has_a_word_of_its_own() {
    for key in kinds() {
        let first = key.of_first_thread();
        let same = matches!(key.owner(), WordOwner::Process | WordOwner::Region(_));
        assert_eq!(kind(first), kind(key));
        if same || key.owner() == WordOwner::Thread(ThreadId::from_index(0)) {
            assert_eq!(first, key);
        } else {
            assert_ne!(first, key);
            assert_eq!(first.owner(), WordOwner::Thread(ThreadId::from_index(0)));
        }
    }
}

#[test]
fn what_is_no_key_has_none() {
    let after_keys = WordNumber(OF_THREADS + THREAD_DESTRUCTOR_COUNT + 1);
    for number in [WordNumber(0), WordNumber(RECORDS - 1), after_keys] {
        assert_eq!(WordKey::of(number), None, "{number:x?}");
    }
    // Not every number of a record is a field.
    let last = WordKey::Stream(3, StreamField::Text).number().0;
    assert_eq!(WordKey::of(WordNumber(last + 1)), None);
}
