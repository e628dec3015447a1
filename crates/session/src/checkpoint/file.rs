//! The file of a checkpoint.

use crate::plan::Plan;
use crate::write_file::is_device;
use selvedge_explore::kept::State;
use selvedge_frontend::files;
use selvedge_vm::{Carried, Visibility};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// The beginning of the first line; the number is the version of the format.
const MAGIC: &str = "selvedge-checkpoint 2 ";

/// What a checkpoint belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Belongs {
    /// The version of this program.
    pub(crate) tool: String,
    /// A hash of the checked program.
    pub(crate) program: String,
    /// Options with their values, in a fixed order.
    pub(crate) options: Vec<(String, String)>,
}

/// The phase of a session to which an exploration belongs. An exploration may show that it has to
/// be repeated in another way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Phase {
    strategy: String,
    all_accesses: bool,
    /// True for machines that show each action as an event, after machines with few events have
    /// shown that this is necessary.
    pub(crate) stepping: bool,
}

/// The data that another process needs, besides the program and the options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    pub(crate) belongs: Belongs,
    pub(crate) phase: Phase,
    /// What the program has learned from its machines.
    pub(crate) carried: Carried,
    /// The exploration.
    pub(crate) state: State,
}

impl Phase {
    pub(crate) fn of(plan: Plan, stepping: bool) -> Phase {
        Phase {
            strategy: plan.strategy.word().to_owned(),
            all_accesses: plan.visibility == Visibility::Memory,
            stepping,
        }
    }

    /// The plan of the exploration, which begins as `first`.
    pub(crate) fn plan(&self, first: Plan) -> Plan {
        assert!(!first.strategy.matches_states());
        Plan {
            visibility: match self.all_accesses {
                true => Visibility::Memory,
                false => Visibility::Sync,
            },
            ..first
        }
    }
}

impl Checkpoint {
    /// Writes the file. A reader finds this checkpoint or the previous one.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let body = serde_json::to_string(self)?;
        let text = format!("{MAGIC}{:032x}\n{body}\n", xxh3_128(body.as_bytes()));
        if is_device(path) {
            return std::fs::write(path, text);
        }
        // The name is the same each time, so a process that is killed here leaves one file and not
        // many.
        let mut name = path
            .file_name()
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?
            .to_owned();
        name.push(".new");
        let temporary = path.with_file_name(name);
        let written = write_through(&temporary, text.as_bytes());
        let result = written.and_then(|()| std::fs::rename(&temporary, path));
        if result.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        result
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The reason why it cannot be used, as text.
    pub(crate) fn read(path: &Path, expected: &Belongs) -> Result<Checkpoint, String> {
        let text =
            files::read_text(path, files::LARGEST).map_err(|error| format!("cannot be read: {error}"))?;
        if !text.starts_with("selvedge-checkpoint ") {
            return Err("is no checkpoint".to_owned());
        }
        let damaged = || "is damaged: it was cut short or changed".to_owned();
        let rest = text
            .strip_prefix(MAGIC)
            .ok_or("was made by another version of selvedge")?;
        let (hash, body) = rest.split_once('\n').ok_or_else(damaged)?;
        let body = body.strip_suffix('\n').ok_or_else(damaged)?;
        if hash != format!("{:032x}", xxh3_128(body.as_bytes())) {
            return Err(damaged());
        }
        // The version is checked before the rest, because another version may have other fields.
        let named = serde_json::from_str::<Named>(body).map_err(|_| damaged())?;
        if named.belongs.tool != expected.tool {
            let tool = named.belongs.tool;
            return Err(format!(
                "was made by version {tool} of selvedge, and this is {}",
                expected.tool
            ));
        }
        let checkpoint = serde_json::from_str::<Checkpoint>(body).map_err(|_| damaged())?;
        checkpoint.belongs.is(expected)?;
        Ok(checkpoint)
    }
}

/// The part of a checkpoint that identifies it.
#[derive(Deserialize)]
struct Named {
    belongs: Belongs,
}

impl Belongs {
    /// Compares with the expected value. The error names the difference.
    fn is(&self, expected: &Belongs) -> Result<(), String> {
        let values = |of: &Belongs, name: &str| {
            let all = of.options.iter().filter(|(n, _)| n == name);
            all.map(|(_, value)| value.clone()).collect::<Vec<_>>().join(", ")
        };
        for (name, _) in self.options.iter().chain(&expected.options) {
            let (then, now) = (values(self, name), values(expected, name));
            if then != now {
                return Err(format!(
                    "was made with another {name}: `{then}`, and now it is `{now}`"
                ));
            }
        }
        if self.program != expected.program {
            return Err("is of another program, or of one that has been changed since".to_owned());
        }
        Ok(())
    }
}

/// Writes a file to the disk.
fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::kept::{RecordState, SampleState};

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            belongs: Belongs {
                tool: "1".to_owned(),
                program: "p".to_owned(),
                options: vec![("stop".to_owned(), "first".to_owned())],
            },
            phase: Phase {
                strategy: "random".to_owned(),
                all_accesses: false,
                stepping: true,
            },
            carried: Carried::default(),
            state: State::Sample(SampleState {
                done: 3,
                length: 4,
                of_length: 5,
                scheduler: vec![u64::MAX],
                record: RecordState::default(),
            }),
        }
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("checkpoint");
        let written = checkpoint();
        written.write(&file).unwrap();
        assert_eq!(Checkpoint::read(&file, &written.belongs), Ok(written.clone()));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);

        let refused = |change: &dyn Fn(&mut Belongs), word: &str| {
            let mut expected = written.belongs.clone();
            change(&mut expected);
            let error = Checkpoint::read(&file, &expected).unwrap_err();
            assert!(error.contains(word), "{error}");
        };
        refused(&|b| b.tool = "2".to_owned(), "version 1");
        refused(&|b| b.program = "q".to_owned(), "another program");
        refused(&|b| b.options[0].1 = "never".to_owned(), "another stop");
        refused(&|b| b.options.clear(), "another stop");
        refused(
            &|b| b.options.push(("seed".to_owned(), "1".to_owned())),
            "another seed",
        );

        let text = std::fs::read(&file).unwrap();
        for length in 0..text.len() {
            std::fs::write(&file, &text[..length]).unwrap();
            assert!(Checkpoint::read(&file, &written.belongs).is_err(), "{length}");
        }
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] ^= 1;
            std::fs::write(&file, &changed).unwrap();
            assert!(Checkpoint::read(&file, &written.belongs).is_err(), "{at}");
        }
    }
}
