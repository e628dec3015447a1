//! `compile_commands.json` as an input: which of its sources are part of the program.
//!
//! A build makes several programs, and the file does not say which source belongs to which program.
//! So its sources are treated like the members of an archive: a source that is also given by name
//! is always used; the others are used if the program refers to a symbol that they define. Options
//! (`targets`) select sources where this is not enough.

use super::{Inputs, same};
use crate::item::{Item, Source};
use crate::request::Role;
use crate::{Error, Options, files};
use selvedge_objects::{Malformed, allowed, database};
use std::path::{Path, PathBuf};

/// The file of a directory that was given.
pub(super) fn of_directory(directory: &Path) -> Result<PathBuf, Error> {
    let places = [
        directory.join(database::NAME),
        directory.join("build").join(database::NAME),
    ];
    let found = places.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| Error::Directory {
        path: directory.to_owned(),
    })
}

impl Inputs {
    pub(super) fn database(&mut self, path: &Path, options: &Options) -> Result<(), Error> {
        let unreadable = |source| Error::NoFile {
            path: path.to_owned(),
            source,
        };
        let damaged = |detail| Error::Damaged {
            path: path.to_owned(),
            detail,
        };
        let text = files::read_text(path, files::LARGEST).map_err(unreadable)?;
        let place = path.parent().unwrap_or(Path::new(""));
        let entries = database::entries(&text, place).map_err(|Malformed(detail)| damaged(detail))?;
        for target in &options.targets {
            if !entries.iter().any(|entry| entry.is_for(target)) {
                return Err(damaged(format!("it has no source of a target `{target}`")));
            }
        }
        let mut found = Vec::new();
        let mut kept: Vec<database::Entry> = Vec::new();
        for entry in entries {
            if !options.trust
                && let Some(flag) = allowed::first_unknown(&entry.flags)
            {
                return Err(Error::Untrusted {
                    path: path.to_owned(),
                    source_file: entry.file.clone(),
                    flag: flag.to_owned(),
                });
            }
            let given = self.given(&entry.path());
            let role = match options.targets.iter().any(|target| entry.is_for(target)) {
                true => Role::Program,
                false => Role::Database,
            };
            if given.is_none() && kept.iter().any(|other| other.means_the_same(&entry)) {
                if role == Role::Database {
                    continue;
                }
                found.retain(|item| !matches!(item, Item::Source(source, Role::Database) if source.path() == entry.path()));
            }
            kept.push(entry.clone());
            let source = Source {
                file: entry.file,
                directory: Some(entry.directory),
                language: Some(entry.language),
                flags: entry.flags,
                foreign: true,
            };
            match given {
                // One that the command line names is compiled as the build does it. Of several
                // ways, the first one counts, or that of the target.
                Some(place) => {
                    if let Item::Source(named, _) = &mut self.items[place]
                        && (!named.foreign || role == Role::Program)
                    {
                        let own = if named.foreign {
                            Vec::new()
                        } else {
                            std::mem::take(&mut named.flags)
                        };
                        *named = source;
                        // Options that the command line has for it come last, and win.
                        named.flags.extend(own);
                    }
                }
                None => found.push(Item::Source(source, role)),
            }
        }
        let missing = found.iter().find_map(|item| match item {
            Item::Source(source, _) if !source.path().exists() => Some(source.path()),
            _ => None,
        });
        if let Some(missing) = missing {
            let note = format!(
                "{} names sources that do not exist (such as {}): what they define is missing",
                path.display(),
                missing.display()
            );
            self.native.notes.push(note);
            found.retain(|item| !matches!(item, Item::Source(source, _) if !source.path().exists()));
        }
        self.items.extend(found);
        Ok(())
    }

    /// The place of a source that the command line names.
    fn given(&self, path: &Path) -> Option<usize> {
        let named =
            |item: &Item| matches!(item, Item::Source(source, Role::Program) if same(&source.path(), path));
        self.items.iter().position(named)
    }
}
