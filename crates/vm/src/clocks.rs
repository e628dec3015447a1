//! What clocks say, in seconds.

/// What clocks of the date say first: 14 November 2023.
pub(crate) const EPOCH: u64 = 1_700_000_000;
/// What monotonic clocks say first: seconds since the start of the machine. More than [`MIDDLE`].
pub(crate) const UPTIME: u64 = 40_000;
/// Half way between the two.
pub(crate) const BETWEEN: u64 = (EPOCH + UPTIME) / 2;
/// The last time that a clock reaches by waiting, 68 years after the start: later ones do not come.
pub(crate) const LAST: u64 = 1 << 31;

/// The width of the unknown of a clock where clocks are relative (`symbolic/clock.rs`).
pub(crate) const UNKNOWN_BITS: u8 = 16;
/// The value of the unknown, and the seconds that no clock exceeds.
pub(crate) const MIDDLE: u64 = 1 << (UNKNOWN_BITS - 1);

/// Whether a point in time is one that a clock may come to.
pub(crate) fn is_near(seconds: u64) -> bool {
    (UPTIME..EPOCH + LAST).contains(&seconds)
}
