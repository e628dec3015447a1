//! Values that only tests set: deliberate mistakes that an oracle must find, and checks at each
//! step.
//!
//! These values exist only with the feature `laboratory`, which dev-dependencies enable. Without
//! it, a [`ForTests`] has size zero and [`is`](ForTests::is) is `false` at compile time. So no
//! mistake and no check is in the product.

use std::marker::PhantomData;

/// A value that only tests set. Otherwise it is `T::default()`, which has no effect.
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
    /// True if it was set to this value, which must not be the default.
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

/// True in the builds that tests are made of.
pub const IS_LABORATORY: bool = cfg!(feature = "laboratory");

/// How many random systems a test looks at: as many as fit into each run of the tests, or, with
/// `SELVEDGE_LONG` set (`cargo xtask nightly`), as many as a night has room for.
#[cfg(feature = "laboratory")]
pub fn usual_or_long(usual: u64, long: u64) -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() {
        long
    } else {
        usual
    }
}

/// Which of so many turns has what has this name. Others that come or go do not change it.
#[cfg(feature = "laboratory")]
pub fn turn(name: &str, turns: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64(name.as_bytes()) % turns
}
