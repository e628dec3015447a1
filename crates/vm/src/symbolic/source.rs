//! What a model says of an input that it requests.

use selvedge_model::InputKind;

/// The description of a requested input.
pub(crate) struct Source<'a> {
    /// The program's name for it.
    pub name: &'a str,
    /// The interpretation of its bytes.
    pub kind: InputKind,
    /// Its size in bytes.
    pub size: u64,
}
