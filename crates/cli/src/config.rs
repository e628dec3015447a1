//! `selvedge.toml`: options of `check` by their long names, read as if they stood first on the command line.

use clap::CommandFactory;
use std::ffi::OsString;
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

/// The arguments of `check` that the nearest configuration file gives and the environment does not.
pub(crate) fn arguments(directory: &Path) -> Result<Vec<OsString>, Error> {
    let Some(path) = directory
        .ancestors()
        .map(|d| d.join("selvedge.toml"))
        .find(|p| p.is_file())
    else {
        return Ok(Vec::new());
    };
    let text = match std::fs::read_to_string(&path) {
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
        let flag = matches!(key.as_str(), "quiet" | "verbose" | "coverage");
        let list = matches!(
            key.as_str(),
            "include" | "define" | "symbolic-args" | "symbolic-file" | "file"
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
