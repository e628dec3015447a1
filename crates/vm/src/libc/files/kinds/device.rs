//! `/dev/null`, `/dev/zero`, `/dev/random`: they discard what is written.

use crate::libc::entropy;
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::errno::EINVAL;
use crate::libc::files::table::OpenFile;
use crate::native::{Cx, Stop};
use crate::state::State;
use crate::value::Value;
use selvedge_model::ObjectId;

/// `/dev/null`: a read returns the end of the file.
pub(in crate::libc::files) const NULL: Device = Device {
    what: "/dev/null",
    read: Reads::Nothing,
};

/// `/dev/zero`: an endless sequence of zeros.
pub(in crate::libc::files) const ZERO: Device = Device {
    what: "/dev/zero",
    read: Reads::Zeros,
};

/// `/dev/random` and `/dev/urandom`: bytes as those of `getrandom`.
pub(in crate::libc::files) const RANDOM: Device = Device {
    what: "/dev/random",
    read: Reads::Random,
};

/// What a read returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Nothing,
    Zeros,
    Random,
}

/// The most random bytes of one read: a buffer of a stream.
const MOST_RANDOM: u64 = 4096;

/// The devices; see the documentation of the module.
pub(in crate::libc::files) struct Device {
    what: &'static str,
    read: Reads,
}

impl FileDescription for Device {
    fn what(&self) -> &'static str {
        self.what
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn ready(&self, _: &State, _: &OpenFile) -> Result<Readiness, Stop> {
        Ok(Readiness {
            readable: true,
            writable: true,
            ..Readiness::default()
        })
    }

    fn emptied(&self, _: &mut Cx<'_>, _: u32) -> Result<(), Stop> {
        Ok(())
    }

    fn takes_positions(&self) -> bool {
        true
    }

    fn available(&self, _: &State, _: &OpenFile, count: u64, _: Option<u64>) -> Answer<u64> {
        Ok(Ok(if self.read == Reads::Nothing { 0 } else { count }))
    }

    fn read(&self, cx: &mut Cx<'_>, _: &OpenFile, to: u64, bytes: u64, _: Option<u64>) -> Result<(), Stop> {
        match self.read {
            Reads::Random if bytes > MOST_RANDOM => {
                Err(self.unsupported("reading more than 4,096 bytes at once"))
            }
            Reads::Random => {
                entropy::poke(cx, to, bytes);
                Ok(())
            }
            _ => {
                if bytes > 0 {
                    cx.state.memory.fill(to, bytes, Value::new(0));
                }
                Ok(())
            }
        }
    }

    fn write(&self, _: &mut Cx<'_>, _: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        Ok(Ok(Written::All(bytes.count)))
    }

    fn print(&self, _: &mut Cx<'_>, _: &OpenFile, _: &[u8]) -> Result<(), Stop> {
        Ok(())
    }

    fn seek(&self, _: &mut Cx<'_>, _: &OpenFile, _: i64, _: i32) -> Answer<u64> {
        Ok(Ok(0))
    }

    fn truncate(&self, _: &mut Cx<'_>, _: &OpenFile, _: u64) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn synchronise(&self) -> Answer<()> {
        Ok(Ok(()))
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o020_000,
            length: 0,
        })
    }
}
