//! A directory of the host, with all that is in it, as options and schedules name it.

use selvedge_frontend::files;
use selvedge_vm::GivenEntry;
use std::fs::{self, FileType};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// The maximum number of bytes of a file.
const MOST_BYTES: u64 = 1 << 20;
/// The maximum number of bytes of all files in a tree.
const MOST_IN_ALL: u64 = 16 * MOST_BYTES;
/// The maximum number of files, directories and links in a tree.
const MOST_ENTRIES: usize = 4096;
/// The maximum number of directories within each other.
const MOST_LEVELS: usize = 64;

/// A directory that the program is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenTree {
    /// The text of the command line.
    pub text: String,
    /// What is in it, each by the program's path for it. A directory comes before what is in it.
    pub entries: Vec<(String, GivenEntry)>,
}

/// Parses `HOST=NAME`, or `HOST` for both, and reads the directory.
///
/// # Errors
/// The expected form, or why the directory cannot be read, as text.
pub fn given_tree(text: &str) -> Result<GivenTree, String> {
    let (host, name) = text.split_once('=').unwrap_or((text, text));
    if host.is_empty() || name.is_empty() {
        return Err("expected HOST or HOST=NAME".to_owned());
    }
    let mut reader = Reader {
        entries: vec![(name.to_owned(), GivenEntry::Directory)],
        bytes: 0,
    };
    reader.directory(Path::new(host), name, 0)?;
    Ok(GivenTree {
        text: text.to_owned(),
        entries: reader.entries,
    })
}

struct Reader {
    entries: Vec<(String, GivenEntry)>,
    bytes: u64,
}

impl Reader {
    fn directory(&mut self, host: &Path, name: &str, level: usize) -> Result<(), String> {
        let failed = |error| format!("cannot read {}: {error}", host.display());
        let mut names = Vec::new();
        for entry in fs::read_dir(host).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let own = entry
                .file_name()
                .into_string()
                .map_err(|_| format!("cannot copy {}: its name is not UTF-8", entry.path().display()))?;
            names.push(own);
        }
        if level >= MOST_LEVELS {
            return Err(format!("more than {MOST_LEVELS} directories within each other"));
        }
        names.sort_unstable();
        for own in names {
            if self.entries.len() >= MOST_ENTRIES {
                return Err(format!("more than {MOST_ENTRIES} files and directories"));
            }
            self.entry(&host.join(&own), format!("{name}/{own}"), level)?;
        }
        Ok(())
    }

    fn entry(&mut self, host: &Path, name: String, level: usize) -> Result<(), String> {
        let failed = |error| format!("cannot read {}: {error}", host.display());
        let status = fs::symlink_metadata(host).map_err(failed)?;
        let kind = status.file_type();
        if kind.is_dir() {
            self.entries.push((name.clone(), GivenEntry::Directory));
            return self.directory(host, &name, level + 1);
        }
        if kind.is_symlink() {
            let target = fs::read_link(host).map_err(failed)?;
            let target = target.to_str().filter(|target| stays_inside(target, level));
            let target = target.ok_or_else(|| {
                format!(
                    "cannot copy {}: a symbolic link that leads out of the tree",
                    host.display()
                )
            })?;
            self.entries.push((name, GivenEntry::Link(target.to_owned())));
            return Ok(());
        }
        if let Some(what) = special(kind) {
            return Err(format!("cannot copy {}: it is {what}", host.display()));
        }
        let bytes = files::read(host, MOST_BYTES).map_err(failed)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MOST_IN_ALL {
            return Err(format!("more than {MOST_IN_ALL} bytes in all"));
        }
        let executable = status.mode() & 0o100 != 0;
        self.entries.push((name, GivenEntry::File { bytes, executable }));
        Ok(())
    }
}

/// The text for a file that is neither a regular one, a directory nor a link.
fn special(kind: FileType) -> Option<&'static str> {
    if kind.is_fifo() {
        Some("a pipe")
    } else if kind.is_socket() {
        Some("a socket")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("a device")
    } else {
        None
    }
}

/// Whether the target of a link stays in the tree, by its text. The link is in a directory so many
/// levels below the root of the tree.
fn stays_inside(target: &str, level: usize) -> bool {
    let mut depth = level as i64;
    !target.starts_with('/')
        && target.split('/').all(|part| {
            depth += match part {
                "" | "." => 0,
                ".." => -1,
                _ => 1,
            };
            depth >= 0
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_tree_is_read_in_order() {
        let host = tempfile::tempdir().expect("a directory");
        let at = |name: &str| host.path().join(name);
        fs::create_dir_all(at("b/empty")).expect("directories");
        fs::write(at("b/text"), "x").expect("a file");
        fs::write(at("a"), "y").expect("a file");
        fs::set_permissions(at("a"), fs::Permissions::from_mode(0o755)).expect("a mode");
        symlink("../a", at("b/link")).expect("a link");
        let text = format!("{}=data", host.path().display());
        let file = |text: &str, executable| GivenEntry::File {
            bytes: text.into(),
            executable,
        };
        let expected = [
            ("data", GivenEntry::Directory),
            ("data/a", file("y", true)),
            ("data/b", GivenEntry::Directory),
            ("data/b/empty", GivenEntry::Directory),
            ("data/b/link", GivenEntry::Link("../a".to_owned())),
            ("data/b/text", file("x", false)),
        ];
        let expected = expected.map(|(name, entry)| (name.to_owned(), entry));
        assert_eq!(given_tree(&text).expect("a tree").entries, expected);
    }

    #[test]
    fn what_is_not_copied_is_named() {
        for (target, inside) in [
            ("/etc", false),
            ("../x", false),
            ("x/../../y", false),
            ("x", true),
        ] {
            let host = tempfile::tempdir().expect("a directory");
            symlink(target, host.path().join("link")).expect("a link");
            let tree = given_tree(&host.path().display().to_string());
            match tree {
                Ok(_) => assert!(inside, "{target}"),
                Err(error) => assert!(!inside && error.contains("link: a symbolic link"), "{error}"),
            }
        }
        let host = tempfile::tempdir().expect("a directory");
        let text = host.path().display().to_string();
        let _socket = std::os::unix::net::UnixListener::bind(host.path().join("s")).expect("a socket");
        assert!(
            given_tree(&text)
                .expect_err("a socket")
                .contains("/s: it is a socket")
        );
        assert!(given_tree("nowhere=x").is_err());
        assert!(given_tree("=x").is_err());
        assert!(given_tree("x=").is_err());
    }

    #[test]
    fn a_tree_has_bounds() {
        let host = tempfile::tempdir().expect("a directory");
        let text = host.path().display().to_string();
        let file = fs::File::create(host.path().join("large")).expect("a file");
        file.set_len(MOST_BYTES + 1).expect("a length");
        assert!(
            given_tree(&text)
                .expect_err("too large")
                .contains("more than 1048576 bytes")
        );
        file.set_len(MOST_BYTES).expect("a length");
        for i in 0..16 {
            let file = fs::File::create(host.path().join(format!("{i}"))).expect("a file");
            file.set_len(MOST_BYTES).expect("a length");
        }
        assert!(given_tree(&text).expect_err("too large").contains("in all"));
        let host = tempfile::tempdir().expect("a directory");
        for i in 0..MOST_ENTRIES {
            fs::create_dir(host.path().join(format!("{i}"))).expect("a directory");
        }
        let error = given_tree(&host.path().display().to_string()).expect_err("too many");
        assert!(error.contains("more than 4096 files"), "{error}");
    }
}
