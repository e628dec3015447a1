//! What cannot be expressed in the theories of the solver.

/// An operation that is not expressed, by name.
pub(super) type Unsupported = &'static str;
