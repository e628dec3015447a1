//! What only tests set: deliberate mistakes, which an oracle must notice, and checks at each step.
//!
//! Only feature `laboratory`, which dev-dependencies switch on, has room for them. Without it a
//! [`ForTests`] has no size and [`is`](ForTests::is) is `false` at compile time: nothing of the
//! mistake or check is in the product.

use std::marker::PhantomData;

/// A value that only tests set; else `T::default()`, which does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForTests<T> {
    #[cfg(feature = "laboratory")]
    value: T,
    kind: PhantomData<T>,
}

#[cfg(feature = "laboratory")]
impl<T: Default> Default for ForTests<T> {
    fn default() -> Self {
        ForTests::new(T::default())
    }
}

#[cfg(not(feature = "laboratory"))]
impl<T> Default for ForTests<T> {
    fn default() -> Self {
        ForTests { kind: PhantomData }
    }
}

#[cfg(feature = "laboratory")]
impl<T> ForTests<T> {
    /// With this value.
    pub fn new(value: T) -> Self {
        let kind = PhantomData;
        ForTests { value, kind }
    }
}

impl<T: Copy + PartialEq> ForTests<T> {
    /// Whether it was set to this value, which is not the default.
    #[inline(always)]
    pub fn is(&self, value: T) -> bool {
        #[cfg(feature = "laboratory")]
        return self.value == value;
        #[cfg(not(feature = "laboratory"))]
        {
            let _ = value;
            false
        }
    }
}
