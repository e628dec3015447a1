//! Directories that always exist. Their files have the highest numbers, and their names are in no
//! hidden word.

use crate::word::MAX_FILE_NUMBERS;

/// So many file numbers, the highest ones, belong to directories that always exist.
pub(super) const RESERVED: u32 = 16;

/// A directory that always exists.
struct System {
    /// The place of its parent in the list.
    parent: u32,
    name: &'static [u8],
    mode: u32,
    /// Whether it belongs to the process's user; otherwise it belongs to user 0.
    own: bool,
}

const fn system(parent: u32, name: &'static [u8], mode: u32, own: bool) -> System {
    System {
        parent,
        name,
        mode,
        own,
    }
}

const SYSTEM: [System; 12] = [
    system(0, b"", 0o755, false),
    system(0, b"dev", 0o755, false),
    system(0, b"etc", 0o755, false),
    system(0, b"home", 0o755, false),
    system(0, b"proc", 0o555, false),
    system(0, b"sys", 0o555, false),
    system(0, b"tmp", 0o1777, false),
    system(0, b"var", 0o755, false),
    system(3, b"user", 0o755, true),
    system(7, b"tmp", 0o1777, false),
    system(8, b"work", 0o755, true),
    system(1, b"shm", 0o1777, false),
];
const _: () = assert!(SYSTEM.len() <= RESERVED as usize);

const fn numbered(place: u32) -> u32 {
    MAX_FILE_NUMBERS - 1 - place
}

/// The directory `/`.
pub(super) const ROOT: u32 = numbered(0);
/// The working directory at the start, `/home/user/work`.
pub(super) const HOME: u32 = numbered(10);
/// Directories whose entries depend on the real machine.
pub(super) const MACHINE: [u32; 3] = [numbered(1), numbered(4), numbered(5)];
/// The device directory.
pub(super) const DEVICES: u32 = numbered(1);

fn system_directory(file: u32) -> Option<&'static System> {
    SYSTEM.get((MAX_FILE_NUMBERS - 1).checked_sub(file)? as usize)
}

/// Whether a directory always exists.
pub(super) fn is_one(file: u32) -> bool {
    system_directory(file).is_some()
}

/// The permission bits of a directory that always exists, until they are changed.
pub(super) fn mode(file: u32) -> u32 {
    system_directory(file).map_or(0o755, |system| system.mode)
}

/// The user that a file belongs to.
pub(super) fn owner(file: u32) -> u32 {
    match system_directory(file) {
        Some(system) if !system.own => 0,
        _ => 1000,
    }
}

/// The directory that one is in, and its name there.
pub(super) fn parent(file: u32) -> Option<(u32, &'static [u8])> {
    system_directory(file).map(|system| (numbered(system.parent), system.name))
}

/// Those that are in a directory, each with its place in the list.
pub(super) fn within(directory: u32) -> impl Iterator<Item = (u32, &'static [u8], u32)> {
    let all = (0u32..).zip(&SYSTEM).skip(1);
    all.filter(move |(_, system)| numbered(system.parent) == directory)
        .map(|(place, system)| (place, system.name, numbered(place)))
}
