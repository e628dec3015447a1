//! Files, standard input, pipes, and waiting for them: a small POSIX, deterministic, all of it in
//! the state.
//!
//! There is no real file system behind it. Standard input is a regular file, empty unless the
//! options say otherwise. A file exists if the options name it or the program has created it; one
//! may be created in the working directory, in `/tmp`, `/var/tmp`, and where the options' files
//! are. `/dev/null` and `/dev/zero` exist, what else lies in `/dev`, `/proc` and `/sys` is
//! unsupported. Times of files are 0, their owner is user 1000. What is written to descriptors 1
//! and 2 goes to the captured output.
//!
//! **Shared state.** Each operation is a sequence of visible actions as soon as there are several
//! threads, as in a kernel:
//!
//! | action | object | class |
//! | --- | --- | --- |
//! | looking up what a descriptor stands for | the descriptor | `Look`: two look-ups commute |
//! | opening, closing, naming: the lowest free number is taken or given back | the table | `Hidden` |
//! | making a descriptor stand for an open file, or for none | the descriptor | `Hidden` |
//! | reading, writing, seeking, the file's length and flags | the file | `Hidden`; `HiddenWait` if it may block |
//! | an operation of a stream (`stream_calls`) | the stream | `HiddenWait`: one thread has it at a time |
//!
//! So two threads that use different files, or open descriptors of one pipe, commute where real
//! ones do, and what a call looked up it keeps, whoever closes the descriptor meanwhile. (Closing
//! an open file for good while another thread waits in an operation on it is unsupported: POSIX
//! does not say what happens.)
//!
//! **Happens-before.** What is written to a pipe, and the closing of its last writing end, happens
//! before what reads it: all earlier writes, since the pipe's lock orders them. Regular files and
//! the locks of streams order nothing: data that two threads hand each other otherwise must not
//! rely on them. Accesses to the program's buffers are ordinary ones, of the bytes that are really
//! transferred. Under visibility `memory`, transferring to or from memory that threads share is
//! unsupported while there are several.
//!
//! **Kinds.** What differs from one kind of file to the next is in [`description`], with an
//! implementation for each kind in `kinds`. What a file is ready for, and which object wakes those
//! that wait for it, is there, too: reads, writes and polls ask it, and know no kind.
//!
//! Contents are objects of the machine's memory that no pointer of the program reaches; transfers
//! copy bytes with whatever is known of them, undefined bits included.
//!
//! Missed: SIGPIPE ends the process, and is unsupported unless it is ignored; directories; locks of
//! files.

mod action;
mod buffer;
mod captured;
mod condition;
mod content;
mod description;
mod descriptors;
mod errno;
mod kinds;
mod lookup;
mod names;
mod open;
mod operation;
mod pin;
mod poll;
mod polled;
mod stream_calls;
mod stream_fields;
mod stream_lock;
mod stream_ops;
mod stream_write;
mod streams;
mod table;
mod transfer;
mod wait;

pub(crate) use names::load;
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
        .or_else(|| descriptors::find(name))
        .or_else(|| transfer::find(name))
        .or_else(|| kinds::find_event(name))
        .or_else(|| kinds::find_socket(name))
        .or_else(|| poll::find(name))
        .or_else(|| stream_lock::find(name))
        .or_else(|| stream_ops::find(name))
}
