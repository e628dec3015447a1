//! Expressions over symbolic inputs: hash-consed, canonical, evaluated without recursion.
//!
//! An [`Arena`] holds the nodes. Its constructors simplify, so most questions about a program's
//! branches are answered when the branch condition is built. An [`Expr`] is four bytes;
//! [`Arena::node`] gives its node.

mod arena;
pub mod bits;
pub mod build;
mod display;
mod eval;
mod facts;
pub mod float;
mod inputs;
mod node;
mod renaming;
mod renamings;
pub mod smtlib;
mod substitute;

pub use arena::{Arena, MAX_WIDTH, Size};
pub use display::Shown;
pub use eval::{Assignment, Evaluator, eval};
pub use facts::Facts;
pub use inputs::InputSet;
pub use node::{
    BinOp, CmpOp, Expr, FBinOp, FCmpOp, FPred, FUnOp, InputId, InputKey, Node, TableId, UnOp, Width,
};
pub use renaming::Renaming;
pub use selvedge_base::Digest;
