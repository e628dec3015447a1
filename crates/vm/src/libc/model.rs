//! Turns a library function into a native model.

/// A plain model from a function that returns `Ok` or an early result.
macro_rules! plain {
    ($model:expr) => {
        crate::native::Native::Plain(|cx| match $model(cx) {
            Ok(flow) | Err(flow) => flow,
        })
    };
}
pub(super) use plain;

/// The result of the models in this module.
pub(super) type Answer = Result<crate::native::Flow, crate::native::Stop>;
