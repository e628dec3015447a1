//! Paths: from the text of a path to the file that it leads to.
//!
//! A path is followed name by name, as a kernel does, all of it in one action on the table of
//! descriptors and names. Symbolic links are followed in between, and at the end if the caller asks
//! for it.

use super::content::{self, too_many};
use super::entries::{self, Entry};
use super::errno::{EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR};
use super::system::{DEVICES, MACHINE, ROOT};
use super::table::{self, Kind};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;

/// The maximum length of a path.
pub(super) const PATH_MAX: usize = 4096;
/// The maximum length of a component of a path.
const NAME_MAX: usize = 255;
/// The maximum number of symbolic links on the way to a file.
const LINKS_MAX: u32 = 40;

/// The place of a name that stands for no file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The directory.
    pub directory: u32,
    /// The name in it.
    pub name: Vec<u8>,
    /// Only a directory may be created, since a slash follows the name.
    pub slash: bool,
}

/// The last component of a path that leads to a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Last {
    /// A name: the entry and the directory that it is in. The entry is `None` for a directory that
    /// always exists.
    Name(Option<u32>, u32),
    /// `.`, or no component at all.
    Dot,
    /// `..`.
    DotDot,
}

/// The result of following a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// A file that is no directory: its number, its entry and the directory of that.
    File(u32, u32, u32),
    /// A device.
    Device(Kind),
    /// A directory.
    Directory(u32, Last),
    /// No file, but one could be created.
    Nothing(Place),
    /// No file; the error number says why.
    Error(i32),
}

/// How to treat a symbolic link at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// Its target counts.
    Follow,
    /// The link itself counts, unless a slash follows its name.
    Keep,
    /// The name itself counts, also if a slash follows it: for calls that change names.
    Name,
}

/// Follows a path from the working directory.
pub(super) fn resolve(cx: &Cx<'_>, path: &[u8], link: Link) -> Result<Found, Stop> {
    resolve_from(cx, entries::working_directory(cx.state), path, link)
}

/// Follows a path from a directory.
pub(super) fn resolve_from(cx: &Cx<'_>, directory: u32, path: &[u8], link: Link) -> Result<Found, Stop> {
    if path.is_empty() {
        return Ok(Found::Error(ENOENT));
    }
    if path.len() >= PATH_MAX {
        return Ok(Found::Error(ENAMETOOLONG));
    }
    let state = &*cx.state;
    let mut way = Way {
        directory,
        last: Last::Dot,
        rest: Vec::new(),
        slash: false,
        links: 0,
    };
    way.put(path);
    while let Some(part) = way.rest.pop() {
        match way.step(state, &part, link) {
            Step::Goes => {}
            Step::Ends(found) => return Ok(found),
            // This machine has no control groups.
            Step::Device if path == b"/proc/self/cgroup" => return Ok(Found::Error(ENOENT)),
            Step::Device => {
                return match way.directory == DEVICES && way.rest.is_empty() && !way.slash {
                    true if part == b"null" => Ok(Found::Device(Kind::Null)),
                    true if part == b"zero" => Ok(Found::Device(Kind::Zero)),
                    true if part == b"random" || part == b"urandom" => Ok(Found::Device(Kind::Random)),
                    _ => {
                        let path = String::from_utf8_lossy(path);
                        let what = format!(
                            "file {path}, which depends on the machine (--file {path}=PATH gives it)"
                        );
                        Err(Flow::Unsupported(what))
                    }
                };
            }
        }
    }
    Ok(Found::Directory(way.directory, way.last))
}

/// A path that was followed in part.
struct Way {
    directory: u32,
    last: Last,
    /// The components that are left, the next one last.
    rest: Vec<Vec<u8>>,
    /// A slash follows the last component.
    slash: bool,
    links: u32,
}

enum Step {
    Goes,
    Ends(Found),
    /// A file that depends on the real machine, or a device.
    Device,
}

impl Way {
    /// Puts a path in front of what is left.
    fn put(&mut self, path: &[u8]) {
        if self.rest.is_empty() {
            self.slash |= path.ends_with(b"/");
        }
        if path.starts_with(b"/") {
            (self.directory, self.last) = (ROOT, Last::Dot);
        }
        let parts = path.split(|&b| b == b'/').filter(|part| !part.is_empty());
        let parts: Vec<Vec<u8>> = parts.map(<[u8]>::to_vec).collect();
        self.rest.extend(parts.into_iter().rev());
    }

    fn step(&mut self, state: &State, part: &[u8], link: Link) -> Step {
        if part.len() > NAME_MAX {
            return Step::Ends(Found::Error(ENAMETOOLONG));
        }
        if entries::rights(state, self.directory) & 1 == 0 {
            return Step::Ends(Found::Error(EACCES));
        }
        match part {
            b"." => {
                self.last = Last::Dot;
                return Step::Goes;
            }
            b".." => {
                self.last = Last::DotDot;
                return match entries::parent(state, self.directory) {
                    Some((above, _)) => {
                        self.directory = above;
                        Step::Goes
                    }
                    None => Step::Ends(Found::Error(ENOENT)),
                };
            }
            _ => {}
        }
        let is_last = self.rest.is_empty();
        let slash = self.slash && link != Link::Name;
        let Some(Entry { number, file }) = entries::find(state, self.directory, part) else {
            if MACHINE.contains(&self.directory) {
                return Step::Device;
            }
            return Step::Ends(match is_last {
                // Nothing can be created in a directory that was removed.
                true if entries::parent(state, self.directory).is_some() => Found::Nothing(Place {
                    directory: self.directory,
                    name: part.to_vec(),
                    slash: self.slash,
                }),
                _ => Found::Error(ENOENT),
            });
        };
        match (table::kind(state, file), number) {
            (Kind::Directory, _) => {
                self.last = Last::Name(number, self.directory);
                self.directory = file;
                Step::Goes
            }
            (Kind::Link, _) if !is_last || slash || link == Link::Follow => {
                self.links += 1;
                if self.links > LINKS_MAX {
                    return Step::Ends(Found::Error(ELOOP));
                }
                let target = target(state, file);
                self.put(&target);
                Step::Goes
            }
            (_, Some(number)) if is_last && !slash => Step::Ends(Found::File(file, number, self.directory)),
            _ => Step::Ends(Found::Error(ENOTDIR)),
        }
    }
}

/// The target of a symbolic link.
pub(super) fn target(state: &State, file: u32) -> Vec<u8> {
    entries::bytes(state, table::content(state, file), table::length(state, file))
}

/// Creates an empty file at a place without one. The inner error is an error number.
pub(super) fn create(
    cx: &mut Cx<'_>,
    place: &Place,
    kind: Kind,
    mode: u32,
) -> Result<Result<u32, i32>, Stop> {
    if let Some(error) = may_change(cx.state, place.directory) {
        return Ok(Err(error));
    }
    let Some(file) = table::new_file(cx.state, kind, mode) else {
        return Err(too_many());
    };
    entries::give(cx, place.directory, &place.name, file)?;
    Ok(Ok(file))
}

/// The error if the process may not add or remove names in a directory.
pub(super) fn may_change(state: &State, directory: u32) -> Option<i32> {
    (entries::rights(state, directory) & 3 != 3).then_some(EACCES)
}

/// Stores the target of a symbolic link that was created.
pub(super) fn set_target(cx: &mut Cx<'_>, file: u32, target: &[u8]) -> Result<(), Stop> {
    let base = content::allocate(cx, target.len() as u64)?;
    entries::poke(cx.state, base, target);
    table::set_content(cx.state, file, base);
    table::set_length(cx.state, file, target.len() as u64);
    Ok(())
}

/// The error number for a path without a file that could be opened.
pub(super) fn no_file(found: &Found) -> Option<i32> {
    match found {
        Found::Nothing(_) => Some(ENOENT),
        Found::Error(error) => Some(*error),
        Found::Directory(..) => Some(EISDIR),
        Found::File(..) | Found::Device(_) => None,
    }
}
