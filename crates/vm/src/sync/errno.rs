//! Error numbers of Linux that threading functions return.

pub(super) const EPERM: i32 = 1;
pub(super) const ESRCH: i32 = 3;
pub(super) const EAGAIN: i32 = 11;
pub(super) const ENOMEM: i32 = 12;
pub(super) const EBUSY: i32 = 16;
pub(super) const EINVAL: i32 = 22;
pub(super) const ERANGE: i32 = 34;
pub(super) const EDEADLK: i32 = 35;
pub(super) const ENOTSUP: i32 = 95;
pub(super) const ETIMEDOUT: i32 = 110;
pub(super) const EOWNERDEAD: i32 = 130;
pub(super) const ENOTRECOVERABLE: i32 = 131;
