//! Hidden objects: objects of visible actions of models that are not in the program's memory.
//!
//! A [`HiddenObject`] is for actions what a `WordKey` is for the state. Only this file converts one
//! into the number of an [`ObjectId`] and back.

use crate::memory::OWNERS;
use crate::word::{MAX_FILE_NUMBERS, MAX_PEER_DESCRIPTORS};
use selvedge_model::ObjectId;

/// A hidden object of a model. (The objects of classes of atomic blocks, `ObjectId::blocks`, have
/// other numbers.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HiddenObject {
    /// The keys of thread-specific data.
    Keys,
    /// The exit handlers.
    ExitHandlers,
    /// The generator of `rand`.
    Random,
    /// The table of descriptors and names, for opening, closing and naming files.
    Descriptors,
    /// All files that a poll may wait for as one object, in programs that poll.
    Polled,
    /// What a descriptor stands for.
    Descriptor(u32),
    /// A file.
    File(u32),
    /// A stream.
    Stream(u32),
    /// The name of the thread with this region.
    ThreadName(u32),
}

const KEYS: u32 = 0x101;
const EXIT_HANDLERS: u32 = 0x102;
const TABLE: u32 = 0x6600_0000;
const POLLED: u32 = 0x6600_0008;
const DESCRIPTORS: u32 = 0x6610_0000;
const FILES: u32 = 0x6620_0000;
const STREAMS: u32 = 0x6640_0000;
const THREAD_NAMES: u32 = 0x6700_0000;
const RANDOM: u32 = 0x7261_6e64;
/// The distance between the numbers of one kind.
const STEP: u32 = 8;

const _: () = {
    assert!(DESCRIPTORS + STEP * MAX_PEER_DESCRIPTORS <= FILES);
    assert!(FILES + STEP * MAX_FILE_NUMBERS <= STREAMS);
    assert!(STREAMS + STEP * MAX_FILE_NUMBERS <= THREAD_NAMES);
    assert!(THREAD_NAMES + STEP * OWNERS <= RANDOM);
};

impl HiddenObject {
    /// The object of actions.
    pub const fn id(self) -> ObjectId {
        ObjectId::hidden(match self {
            HiddenObject::Keys => KEYS,
            HiddenObject::ExitHandlers => EXIT_HANDLERS,
            HiddenObject::Random => RANDOM,
            HiddenObject::Descriptors => TABLE,
            HiddenObject::Polled => POLLED,
            HiddenObject::Descriptor(fd) => DESCRIPTORS + STEP * fd,
            HiddenObject::File(file) => FILES + STEP * file,
            HiddenObject::Stream(stream) => STREAMS + STEP * stream,
            HiddenObject::ThreadName(region) => THREAD_NAMES + STEP * region,
        })
    }

    /// The hidden object that an object of actions is, if it is one of these.
    pub fn of(object: ObjectId) -> Option<HiddenObject> {
        let number = object.0.checked_sub(ObjectId::hidden(0).0)?;
        let number = u32::try_from(number).ok()?;
        Some(match number {
            KEYS => HiddenObject::Keys,
            EXIT_HANDLERS => HiddenObject::ExitHandlers,
            RANDOM => HiddenObject::Random,
            TABLE => HiddenObject::Descriptors,
            POLLED => HiddenObject::Polled,
            DESCRIPTORS..FILES => HiddenObject::Descriptor((number - DESCRIPTORS) / STEP),
            FILES..STREAMS => HiddenObject::File((number - FILES) / STEP),
            STREAMS..THREAD_NAMES => HiddenObject::Stream((number - STREAMS) / STEP),
            THREAD_NAMES..RANDOM => HiddenObject::ThreadName((number - THREAD_NAMES) / STEP),
            _ => return None,
        })
    }

    /// In words, for reports.
    pub fn text(self) -> String {
        match self {
            HiddenObject::Keys => "the keys of thread-specific data".into(),
            HiddenObject::ExitHandlers => "the list of exit handlers".into(),
            HiddenObject::Random => "the generator of `rand`".into(),
            HiddenObject::Descriptors => "the table of descriptors".into(),
            HiddenObject::Polled => "a pipe".into(),
            HiddenObject::Descriptor(fd) => format!("descriptor {fd}"),
            HiddenObject::File(1) => "standard input".into(),
            HiddenObject::File(2) => "standard output".into(),
            HiddenObject::File(file) => format!("file {file}"),
            HiddenObject::ThreadName(_) => "the name of a thread".into(),
            HiddenObject::Stream(0) => "stream stdin".into(),
            HiddenObject::Stream(stream) => format!("stream {stream}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_model::BlockClass;
    use std::collections::HashSet;

    #[test]
    fn hidden_objects_do_not_collide() {
        let mut all = vec![
            HiddenObject::Keys,
            HiddenObject::ExitHandlers,
            HiddenObject::Random,
            HiddenObject::Descriptors,
            HiddenObject::Polled,
        ];
        all.extend((0..MAX_PEER_DESCRIPTORS).map(HiddenObject::Descriptor));
        all.extend((0..MAX_FILE_NUMBERS).map(HiddenObject::File));
        all.extend((0..MAX_FILE_NUMBERS).map(HiddenObject::Stream));
        all.extend((0..OWNERS).map(HiddenObject::ThreadName));
        let classes = (0..=u8::MAX).map(|n| ObjectId::blocks(BlockClass(n)));
        let mut seen: HashSet<ObjectId> = classes.clone().collect();
        assert_eq!(seen.len(), 256);
        for object in all {
            // One for each kind of object: a new one does not compile until it is looked at.
            match object {
                HiddenObject::Keys | HiddenObject::ExitHandlers | HiddenObject::Random => {}
                HiddenObject::Descriptors | HiddenObject::Polled => {}
                HiddenObject::Descriptor(_) | HiddenObject::File(_) | HiddenObject::Stream(_) => {}
                HiddenObject::ThreadName(_) => {}
            }
            assert!(seen.insert(object.id()), "{object:?}");
            assert_eq!(HiddenObject::of(object.id()), Some(object));
        }
        for (n, class) in (0..=u8::MAX).zip(classes) {
            assert_eq!(HiddenObject::of(class), None);
            assert_eq!(class.as_blocks(), Some(BlockClass(n)));
        }
    }
}
