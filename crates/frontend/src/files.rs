//! Reading files that a user names: only regular files, of a bounded length.
//!
//! A pipe or a device may never end, or block its reader for ever, and reading it may have effects.
//! Files under /proc and /sys give information about other processes and the machine. None of them
//! is a program or its input.

use rustix::fs::{OFlags, fstatfs};
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The maximum size of a file. A larger file is no program, and no input of one.
pub const LARGEST: u64 = 1 << 30;

/// File systems whose regular files are views of the system: proc, sysfs, debugfs, tracefs,
/// securityfs, cgroup, cgroup2.
const VIEWS: [u64; 7] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
];

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// What the system says, or that it is no regular file, or that it is longer.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Reads a text file in the same way.
///
/// # Errors
/// Those of [`read`], or that it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| io::Error::other("it is not a text in UTF-8"))
}

/// Opens a regular file.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    regular(&std::fs::metadata(path)?)?;
    // Another file may have the name by now. A pipe does not block with this flag, and is refused
    // below.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    regular(&file.metadata()?)?;
    let kind = fstatfs(&file)?.f_type.cast_unsigned();
    if VIEWS.contains(&(kind as u64)) {
        return Err(io::Error::other("it is a view of the system, not a file"));
    }
    Ok(file)
}

fn regular(meta: &Metadata) -> io::Result<()> {
    if meta.is_file() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "it is {}, not a regular file",
        kind(meta.file_type())
    )))
}

fn kind(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something else"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    fn refused(path: &str) -> String {
        match read(Path::new(path), 10) {
            Ok(_) => panic!("{path} was read"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_no_file() {
        assert_eq!(refused("/dev/zero"), "it is a device, not a regular file");
        assert_eq!(refused("/"), "it is a directory, not a regular file");
        assert_eq!(
            refused("/proc/self/environ"),
            "it is a view of the system, not a file"
        );
        assert_eq!(refused("/proc/kmsg"), "it is a view of the system, not a file");
        let place = std::env::temp_dir().join(format!("selvedge-files-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let pipe = place.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let socket = place.join("socket");
        let _bound = UnixListener::bind(&socket).unwrap();
        let link = place.join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        let long = place.join("long");
        std::fs::write(&long, "eleven byte").unwrap();
        let text = |path: &Path| refused(path.to_str().unwrap());
        assert_eq!(text(&pipe), "it is a pipe, not a regular file");
        assert_eq!(text(&link), "it is a pipe, not a regular file");
        assert_eq!(text(&socket), "it is a socket, not a regular file");
        assert_eq!(text(&long), "it has more than 10 bytes");
        assert_eq!(read(&long, 11).unwrap(), b"eleven byte");
        std::fs::remove_dir_all(&place).unwrap();
    }
}
