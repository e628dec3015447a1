//! Offsets of pointers in an object: one byte, or bytes at a regular distance.

/// The bytes `at + k · stride` from an object's start, for all integers `k`; one byte if the stride
/// is 0.
///
/// An index that is not constant may have any value. So an offset with a stride covers the whole
/// object, including fields beside an array within it: an index outside such an array but inside
/// the object is no fault of the machine's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offset {
    /// In bytes; if there is a stride, at least 0 and less than it.
    at: i64,
    /// In bytes.
    stride: u64,
}

impl Offset {
    /// The object's start.
    pub const START: Offset = Offset { at: 0, stride: 0 };
    /// Any byte.
    pub const ANY: Offset = Offset { at: 0, stride: 1 };

    /// One byte.
    pub const fn exact(at: i64) -> Offset {
        Offset { at, stride: 0 }
    }

    /// Bytes at a distance of `stride`; for `stride` 0, one byte.
    pub fn strided(at: i64, stride: u64) -> Offset {
        let at = match i64::try_from(stride) {
            Ok(0) => at,
            Ok(modulus) => at.rem_euclid(modulus),
            // No object is that long. At most one of these offsets is within an object, and it is
            // not known which.
            Err(_) => return Offset::ANY,
        };
        Offset { at, stride }
    }

    /// The byte, if it is one.
    pub fn byte(self) -> Option<i64> {
        (self.stride == 0).then_some(self.at)
    }

    /// The first byte, and the distance to the next; 0 if it is one byte.
    pub fn parts(self) -> (i64, u64) {
        (self.at, self.stride)
    }

    /// After adding `offset` and any multiple of `stride` bytes.
    pub fn plus(self, offset: i64, stride: u64) -> Offset {
        Offset::strided(self.at.wrapping_add(offset), gcd(self.stride, stride))
    }

    /// Whether `width` bytes here and `other_width` bytes at the other may have a byte in common.
    /// `None`: all bytes from here on, and before.
    pub fn overlaps(self, width: Option<u64>, other: Offset, other_width: Option<u64>) -> bool {
        let (Some(width), Some(other_width)) = (width, other_width) else {
            return true;
        };
        let distance = i128::from(self.at) - i128::from(other.at);
        let (width, other_width) = (i128::from(width), i128::from(other_width));
        match gcd(self.stride, other.stride) {
            0 => distance < other_width && -distance < width,
            stride => {
                let stride = i128::from(stride);
                let behind = distance.rem_euclid(stride);
                behind < other_width || stride - behind < width
            }
        }
    }
}

/// The greatest common divisor; of 0 and a number, that number.
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All first bytes near the object's start.
    fn bytes(offset: Offset) -> Vec<i64> {
        match offset.byte() {
            Some(at) => vec![at],
            None => {
                let (at, stride) = offset.parts();
                (-80..80).map(|k| at + k * stride as i64).collect()
            }
        }
    }

    fn random(rng: &mut fastrand::Rng) -> Offset {
        let stride = rng.u64(0..9);
        Offset::strided(rng.i64(-9..9), stride)
    }

    #[test]
    fn overlap_is_as_defined() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut both = [0; 2];
        for _ in 0..20_000 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let (m, n) = (rng.i64(1..6), rng.i64(1..6));
            let common = |&x: &i64| bytes(b).iter().any(|&y| x < y + n && y < x + m);
            let expected = bytes(a).iter().filter(|x| x.abs() < 60).any(common);
            assert_eq!(
                a.overlaps(Some(m as u64), b, Some(n as u64)),
                expected,
                "{a:?} {m} {b:?} {n}"
            );
            assert_eq!(b.overlaps(Some(n as u64), a, Some(m as u64)), expected);
            both[usize::from(expected)] += 1;
        }
        assert!(both.iter().all(|&n| n > 1_000), "{both:?}");
    }

    #[test]
    fn a_sum_has_all_sums() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..5_000 {
            let (from, by, stride) = (random(&mut rng), rng.i64(-20..20), rng.u64(0..9));
            let to = from.plus(by, stride);
            for at in bytes(from).into_iter().filter(|at| at.abs() < 40) {
                for k in -3..4 {
                    let sum = Offset::exact(at + by + k * stride as i64);
                    assert!(to.overlaps(Some(1), sum, Some(1)), "{from:?} + {by} + k {stride}");
                }
            }
        }
    }

    #[test]
    fn strides_beyond_any_object_are_any_byte() {
        assert_eq!(Offset::strided(8, u64::MAX), Offset::ANY);
        assert!(Offset::exact(i64::MIN).plus(-1, 0).byte().is_some());
    }
}
