//! Files, standard input, pipes, and waiting for them: a small deterministic POSIX. All of its
//! state is in the machine's state.
//!
//! There is no real file system. Standard input is a regular file, which is empty unless the
//! options say otherwise. A file or directory exists if the options name it or the program has
//! created it. Some directories always exist (`system`); the working directory at the start is
//! `/home/user/work`. The program can create files there, in `/home/user`, `/tmp`, `/var/tmp`, and
//! in directories of its own and of the options. `/dev/null`, `/dev/zero`,
//! `/dev/random` and `/dev/urandom` exist, and the directory `/dev/shm`; everything else in `/dev`,
//! `/proc` and `/sys` is unsupported. Times of files are 0, and their owner is user
//! 1000. Data written to descriptors 1 and 2 goes to the captured output.
//!
//! **Shared state.** When there are several threads, each operation is a sequence of visible
//! actions, as in a kernel:
//!
//! | action | object | class |
//! | --- | --- | --- |
//! | look up a descriptor | the descriptor | `Look`: two look-ups commute |
//! | open, close, name: the lowest free number is reserved or released | the table | `Hidden` |
//! | make a descriptor refer to an open file, or to none | the descriptor | `Hidden` |
//! | read, write, seek, access the file's length and flags | the file | `Hidden`; `HiddenWait` if it may block |
//! | an operation of a stream (`stream_calls`) | the stream | `HiddenWait`: one thread holds it at a time |
//!
//! So two threads that use different files, or open descriptors of one pipe, commute whenever real
//! ones do. A call keeps what it has looked up, even if another thread closes the descriptor.
//! (Closing the last descriptor of an open file while another thread waits in an operation on it is
//! unsupported. POSIX does not define this case.)
//!
//! **Happens-before.** All writes to a pipe, and the closing of its last writing end, happen before
//! a later read, since the pipe's lock orders them. Regular files order nothing: threads must not
//! rely on them to hand over other data. The lock of a stream orders like a mutex. Accesses to the
//! program's buffers are ordinary accesses to the bytes that are really transferred. Under
//! visibility `memory`, transfers to or from shared memory are unsupported while there are several
//! threads.
//!
//! **Kinds.** The differences between kinds of files are in [`description`], with an implementation
//! for each kind in `kinds`. This includes the readiness of a file, and the object that wakes
//! waiting threads. Reads, writes and polls use this interface and depend on no kind.
//!
//! Contents are objects of the machine's memory that no pointer of the program reaches. Transfers
//! copy bytes with all information about them, including undefined bits.
//!
//! Missed: SIGPIPE would end the process, and is unsupported unless it is ignored. Locks of ranges
//! of files keep other processes out, of which there are none.

mod action;
mod buffer;
mod captured;
mod condition;
mod content;
mod description;
mod descriptors;
mod directory_reads;
mod entries;
mod errno;
mod flock;
mod given;
mod kinds;
mod locks;
mod lookup;
mod map_file;
mod memory_streams;
mod name_calls;
mod names;
mod open;
mod operation;
mod paths;
mod pin;
mod poll;
mod polled;
mod ripe;
mod status;
mod stream_calls;
mod stream_fields;
mod stream_lock;
mod stream_ops;
mod stream_write;
mod streams;
mod system;
mod table;
mod transfer;
mod wait;

pub(crate) use given::load;
pub(crate) use poll::NAMES as POLLS;
pub(crate) use stream_fields::objects as stream_objects;
pub(crate) use table::ignore_pipe_signal;
pub(crate) use wait::{blocked_text, status, waits_for};

pub(super) use captured::{is_output as is_output_descriptor, put_text};
pub(super) use stream_write::{
    FPUTC, FPUTC_UNLOCKED, FPUTS, FPUTS_UNLOCKED, FWRITE, FWRITE_UNLOCKED, Writer, formatted,
    perform as perform_writer, prepare as prepare_writer,
};

use crate::native::Native;

/// The models of this module.
pub fn find(name: &str) -> Option<Native> {
    open::find(name)
        .or_else(|| name_calls::find(name))
        .or_else(|| status::find(name))
        .or_else(|| directory_reads::find(name))
        .or_else(|| descriptors::find(name))
        .or_else(|| transfer::find(name))
        .or_else(|| flock::find(name))
        .or_else(|| map_file::find(name))
        .or_else(|| kinds::find_epoll(name))
        .or_else(|| kinds::find_event(name))
        .or_else(|| kinds::find_queue(name))
        .or_else(|| kinds::find_timer(name))
        .or_else(|| kinds::find_signals(name))
        .or_else(|| kinds::find_socket(name))
        .or_else(|| poll::find(name))
        .or_else(|| stream_lock::find(name))
        .or_else(|| stream_ops::find(name))
        .or_else(|| memory_streams::find(name))
}
