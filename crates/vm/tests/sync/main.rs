//! The threading models: each primitive in small C programs, over all interleavings, with the
//! outcomes that POSIX allows and the fault of each misuse.

mod cancel;
mod cond;
mod cxx;
mod explorer;
mod locks;
mod others;
mod threads;
mod undo;
