//! `selvedge.toml`: options of `check` by their long names, read as if they stood first on the
//! command line.

use clap::CommandFactory;
use selvedge_frontend::files;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: {message}", path.display())]
    Parse { path: PathBuf, message: String },
    #[error("{}: there is no option `{key}`", path.display())]
    Unknown { path: PathBuf, key: String },
    #[error("{}: `{key}` must be a string, a number, a boolean or a list of strings", path.display())]
    Value { path: PathBuf, key: String },
}

/// The name of the file in the current directory.
const NAME: &str = "selvedge.toml";

/// The file that is read: the one that the user names, else the one in the current directory. One
/// in a directory above is not: whoever can write there would choose the options of the compiler,
/// which run code.
fn file(directory: &Path, named: Option<&Path>) -> Option<PathBuf> {
    match named {
        Some(path) => Some(path.to_owned()),
        // A link that leads nowhere is a mistake, and not the same as no file.
        None => Some(directory.join(NAME)).filter(|path| path.symlink_metadata().is_ok()),
    }
}

/// What to say of a file in a directory above, which somebody may have meant.
pub(crate) fn unread(directory: &Path, named: Option<&Path>) -> Option<String> {
    if file(directory, named).is_some() {
        return None;
    }
    let mut above = directory
        .ancestors()
        .skip(1)
        .map(|directory| directory.join(NAME));
    let found = above.find(|path| path.is_file())?;
    Some(format!(
        "note: {} is not read, since it is not in the current directory; --config names a file to be read",
        found.display()
    ))
}

/// The file that the command line or the environment names.
pub(crate) fn named(given: &[OsString]) -> Option<PathBuf> {
    let options = given.iter().take_while(|word| *word != "--");
    let mut named = None;
    let mut value = false;
    for word in options {
        if std::mem::take(&mut value) {
            named = Some(word.into());
        } else if word == "--config" {
            value = true;
        } else if let Some(path) = word.as_bytes().strip_prefix(b"--config=") {
            named = Some(OsStr::from_bytes(path).into());
        }
    }
    named.or_else(|| std::env::var_os("SELVEDGE_CONFIG").map(PathBuf::from))
}

/// The word of a command line that is an option, and also the name of a file: whoever names files
/// can give them names of options, and `*.c` puts them on the command line.
pub(crate) fn ambiguous(given: &[OsString]) -> Option<&OsString> {
    let mut words = given.iter().skip(2).take_while(|word| *word != "--");
    words.find(|word| {
        word.len() > 1 && word.as_bytes().starts_with(b"-") && Path::new(word).symlink_metadata().is_ok()
    })
}

/// The arguments of `check` that the configuration file gives and the environment does not.
pub(crate) fn arguments(directory: &Path, named: Option<&Path>) -> Result<Vec<OsString>, Error> {
    let Some(path) = file(directory, named) else {
        return Ok(Vec::new());
    };
    let text = match files::read_text(&path, files::LARGEST) {
        Ok(text) => text,
        Err(source) => return Err(Error::Read { path, source }),
    };
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(error) => {
            return Err(Error::Parse {
                path,
                message: error.to_string(),
            });
        }
    };
    let command = crate::args::Cli::command();
    let known: Vec<&str> = command
        .find_subcommand("check")
        .into_iter()
        .flat_map(|check| check.get_arguments().filter_map(|a| a.get_long()))
        .filter(|&name| name != "config")
        .collect();
    let mut arguments = Vec::new();
    for (key, value) in &table {
        if !known.contains(&key.as_str()) {
            return Err(Error::Unknown {
                path,
                key: key.clone(),
            });
        }
        let variable = format!("SELVEDGE_{}", key.to_uppercase().replace('-', "_"));
        if std::env::var_os(variable).is_some() {
            continue;
        }
        let flag = matches!(key.as_str(), "quiet" | "verbose" | "coverage" | "trust");
        let list = matches!(
            key.as_str(),
            "include"
                | "define"
                | "env"
                | "symbolic-args"
                | "symbolic-file"
                | "file"
                | "dir"
                | "client"
                | "server"
                | "symbolic-packet"
                | "file-cflags"
                | "target"
        );
        let texts: Vec<String> = match value {
            toml::Value::Boolean(true) if flag => {
                arguments.push(format!("--{key}").into());
                continue;
            }
            toml::Value::Boolean(false) if flag => continue,
            toml::Value::Boolean(value) => vec![if *value { "on" } else { "off" }.to_owned()],
            toml::Value::String(text) => vec![text.clone()],
            toml::Value::Integer(number) => vec![number.to_string()],
            toml::Value::Array(items) => {
                let texts: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
                match texts {
                    Some(texts) if list => texts.into_iter().map(str::to_owned).collect(),
                    Some(texts) => vec![texts.join(if key == "cflags" { " " } else { "," })],
                    None => {
                        return Err(Error::Value {
                            path,
                            key: key.clone(),
                        });
                    }
                }
            }
            _ => {
                return Err(Error::Value {
                    path,
                    key: key.clone(),
                });
            }
        };
        arguments.extend(texts.into_iter().map(|text| format!("--{key}={text}").into()));
    }
    Ok(arguments)
}

/// The command line with the file's arguments behind `check`, and `-std=…` as clang has it.
pub(crate) fn complete(given: Vec<OsString>, from_file: Vec<OsString>) -> Vec<OsString> {
    let mut out = Vec::with_capacity(given.len() + from_file.len());
    let mut program_args = false;
    let check = given.get(1).is_some_and(|word| word == "check");
    for (i, argument) in given.into_iter().enumerate() {
        program_args |= argument == "--";
        let std = argument
            .to_str()
            .filter(|_| !program_args)
            .and_then(|a| a.strip_prefix("-std="))
            .map(|s| format!("--std={s}"));
        out.push(std.map_or(argument, OsString::from));
        if i == 1 && check {
            out.extend(from_file.iter().cloned());
        }
    }
    out
}
