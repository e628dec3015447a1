//! A socket as a file.

use super::{
    Field, HEADER, INET, LONGEST_TIME, RECEIVE_TIME, SEND_TIME, UNIX, add, connect, family, first_datagram,
    get, has, has_connection, is, link, message, no_more_comes, no_more_goes, set, space, take_error,
};
use crate::hidden::HiddenObject;
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Way, Written};
use crate::libc::files::errno::{EAGAIN, ECONNRESET, EINVAL, ENOTCONN, EPIPE, ESPIPE};
use crate::libc::files::kinds::ring;
use crate::libc::files::table::{self, OpenFile};
use crate::native::{Cx, Stop};
use crate::state::State;
use selvedge_model::ObjectId;

/// Sockets that carry a stream of bytes.
pub(in crate::libc::files) const STREAM: Socket = Socket { stream: true };
/// Sockets that carry datagrams.
pub(in crate::libc::files) const DATAGRAM: Socket = Socket { stream: false };

/// The kind of sockets; see the documentation of the module above.
pub(in crate::libc::files) struct Socket {
    stream: bool,
}

impl FileDescription for Socket {
    fn what(&self) -> &'static str {
        "a socket"
    }

    fn woken_by(&self, file: u32) -> Option<ObjectId> {
        Some(HiddenObject::File(file).id())
    }

    fn reaches(&self, state: &State, file: u32) -> Option<u32> {
        link(state, file, Field::Peer)
    }

    fn gives_name_back(&self, state: &State, file: u32) -> bool {
        !self.stream || link(state, file, Field::Peer).is_none()
    }

    fn is_open_to_others(&self, state: &State, open: &OpenFile) -> bool {
        let file = open.file;
        let bound = get(state, file, Field::Address) != 0 || has(state, file, is::NAMED);
        has(state, file, is::LISTENING) || !self.stream && bound && link(state, file, Field::Peer).is_none()
    }

    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        let file = open.file;
        let error = get(state, file, Field::Error) != 0;
        if has(state, file, is::LISTENING) {
            return Ok(Readiness {
                readable: has_connection(state, file),
                writable: false,
                hangup: has(state, file, is::READ_SHUT),
                ended: has(state, file, is::READ_SHUT),
                error,
            });
        }
        if !self.stream {
            let shut = |bit| has(state, file, bit);
            return Ok(Readiness {
                readable: table::length(state, file) > 0 || error || shut(is::READ_SHUT),
                writable: link(state, file, Field::Peer)
                    .is_none_or(|peer| ring::room(state, peer) >= space(65_536)),
                hangup: shut(is::READ_SHUT | is::WRITE_SHUT),
                ended: shut(is::READ_SHUT),
                error,
            });
        }
        if !has(state, file, is::CONNECTED) {
            return Ok(Readiness {
                readable: no_more_comes(state, file),
                writable: true,
                hangup: true,
                ended: no_more_comes(state, file),
                error,
            });
        }
        let (comes, goes) = (!no_more_comes(state, file), !no_more_goes(state, file));
        Ok(Readiness {
            readable: table::length(state, file) > 0 || !comes,
            writable: !goes || self.can_write(state, open, 1),
            hangup: !comes && !goes,
            ended: !comes,
            error,
        })
    }

    fn unaccepted(&self, state: &State, file: u32) -> Option<u32> {
        link(state, file, Field::First)
    }

    fn refuse(&self, state: &mut State, file: u32) {
        let Some(waiting) = connect::first(state, file) else {
            return;
        };
        if let Some(peer) = link(state, waiting, Field::Peer) {
            add(state, peer, is::ENDED | is::UNREAD | is::RESET);
            set(state, peer, Field::Error, ECONNRESET as u64);
        }
        add(state, waiting, is::CLOSED);
    }

    fn closed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        let file = open.file;
        let unread = table::length(cx.state, file) > 0;
        if self.stream
            && let Some(peer) = link(cx.state, file, Field::Peer)
        {
            add(cx.state, peer, is::ENDED | is::UNREAD);
            if unread {
                set(cx.state, peer, Field::Error, ECONNRESET as u64);
                if family(cx.state, peer) == INET {
                    add(cx.state, peer, is::RESET);
                }
            }
        }
        add(cx.state, file, is::CLOSED);
        if unread {
            ring::drop_first(cx.state, file, table::length(cx.state, file));
        }
        Ok(())
    }

    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        let file = open.file;
        let error = get(state, file, Field::Error) != 0;
        if !self.stream {
            return table::length(state, file) > 0 || error || has(state, file, is::READ_SHUT);
        }
        table::length(state, file) > 0
            || no_more_comes(state, file)
            || error
            || !has(state, file, is::CONNECTED)
    }

    fn waits_to_read(&self) -> &'static str {
        "waits for what is sent to a socket"
    }

    fn available(&self, state: &State, open: &OpenFile, count: u64, _: Option<u64>) -> Answer<u64> {
        let file = open.file;
        if !self.stream {
            return Ok(match first_datagram(state, file) {
                _ if get(state, file, Field::Error) != 0 => Err(get(state, file, Field::Error) as i32),
                Some((bytes, _)) => Ok(bytes.min(count)),
                None if has(state, file, is::READ_SHUT) => Ok(0),
                None => Err(EAGAIN),
            });
        }
        if !has(state, file, is::CONNECTED) {
            return Ok(Err(if family(state, file) == UNIX {
                EINVAL
            } else {
                ENOTCONN
            }));
        }
        let held = table::length(state, file);
        Ok(match get(state, file, Field::Error) as i32 {
            _ if held > 0 => Ok(held.min(count)),
            0 | EPIPE if no_more_comes(state, file) => Ok(0),
            0 => Err(EAGAIN),
            error => Err(error),
        })
    }

    fn told(&self, state: &mut State, open: &OpenFile) {
        take_error(state, open.file);
    }

    fn read(
        &self,
        cx: &mut Cx<'_>,
        open: &OpenFile,
        to: u64,
        bytes: u64,
        _: Option<u64>,
    ) -> Result<(), Stop> {
        let file = open.file;
        if self.stream {
            if bytes > 0 {
                ring::take(cx, file, to, bytes);
            }
        } else if let Some((whole, _)) = first_datagram(cx.state, file) {
            ring::copy(cx, file, HEADER, to, bytes);
            ring::drop_first(cx.state, file, space(whole));
        }
        Ok(())
    }

    fn can_write(&self, state: &State, open: &OpenFile, room: u64) -> bool {
        let file = open.file;
        let Some(peer) = link(state, file, Field::Peer) else {
            return true;
        };
        if !self.stream {
            return has(state, peer, is::CLOSED) || ring::room(state, peer) >= space(room);
        }
        no_more_goes(state, file)
            || has(state, file, is::UNREAD)
            || get(state, file, Field::Error) != 0
            || ring::room(state, peer) >= room
    }

    fn waits_to_write(&self) -> &'static str {
        "waits for room at the other end of a socket"
    }

    fn time_out(&self, state: &State, file: u32, way: Way) -> u64 {
        let shift = if way == Way::In { RECEIVE_TIME } else { SEND_TIME };
        get(state, file, Field::Options) >> shift & LONGEST_TIME
    }

    fn sends_nothing(&self) -> bool {
        true
    }

    fn needed(&self, count: u64) -> u64 {
        if self.stream { count.min(1) } else { count }
    }

    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        let to = link(cx.state, open.file, Field::Peer);
        message::send(cx, open, bytes, to, false)
    }

    fn seek(&self, _: &mut Cx<'_>, _: &OpenFile, _: i64, _: i32) -> Answer<u64> {
        Ok(Err(ESPIPE))
    }

    fn truncate(&self, _: &mut Cx<'_>, _: &OpenFile, _: u64) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn synchronise(&self) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o140_000,
            length: 0,
        })
    }
}
