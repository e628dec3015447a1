//! How a library function becomes a native model.

/// A plain model from a function that answers `Ok` or leaves early.
macro_rules! plain {
    ($model:expr) => {
        crate::native::Native::Plain(|cx| match $model(cx) {
            Ok(flow) | Err(flow) => flow,
        })
    };
}
pub(super) use plain;

/// What the models of this module answer.
pub(super) type Answer = Result<crate::native::Flow, crate::native::Stop>;
