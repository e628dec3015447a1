//! Hashes that represent a state, or a part of one.
//!
//! Two states with the same hash are treated as the same state, so a collision is a wrong verdict.
//! There are only two ways to make a [`Digest`]: the keyed 128-bit hash of contents, and the
//! combination of such hashes. Therefore a hash of 64 bits, an index that depends on the order of
//! exploration, or a product with a small number cannot become a digest by accident.
//!
//! The key is the [`Domain`]: the kind of part that is hashed. The owner of the part (its address,
//! its thread by hierarchical name) is hashed with its contents. XXH3's seed is no key for short
//! inputs: it is added to the input's words, so a different seed and a different input may cancel
//! out. Therefore each domain has a secret of its own, which is 1,536 pseudo-random bits.
//!
//! Combination is a sum modulo 2^128: the hash of a *multiset* of parts (Bellare and Micciancio,
//! EUROCRYPT 1997, AdHash). It commutes. If order matters, hash the sequence; see
//! [`Digest::words`].

use std::fmt;
use std::iter::Sum;
use xxhash_rust::xxh3::xxh3_128_with_secret;

/// The number of bytes in a secret: as many as XXH3 uses.
const SECRET: usize = 192;

/// A kind of part: the key of the hash.
pub struct Domain([u8; SECRET]);

impl Domain {
    /// The domain of this name. Different names have unrelated keys.
    #[must_use]
    pub const fn new(name: &str) -> Domain {
        let name = name.as_bytes();
        // FNV-1a hashes the name to the start of a stream; SplitMix64 (Steele, Lea and Flood,
        // OOPSLA 2014) fills the secret from it.
        let (mut stream, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
        while at < name.len() {
            stream = (stream ^ name[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            at += 1;
        }
        let mut secret = [0; SECRET];
        let mut place = 0;
        while place < SECRET {
            stream = stream.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let a = (stream ^ stream >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            let word = (b ^ b >> 31).to_le_bytes();
            let mut byte = 0;
            while byte < 8 {
                secret[place + byte] = word[byte];
                byte += 1;
            }
            place += 8;
        }
        Domain(secret)
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Domain")
    }
}

/// The hash of a part of a state, or of several parts. See the module's documentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(u128);

impl Digest {
    /// The digest of no part.
    pub const EMPTY: Digest = Digest(0);

    /// The digest of a part with these contents.
    #[inline]
    #[must_use]
    pub fn of_bytes(domain: &Domain, contents: &[u8]) -> Digest {
        Digest(xxh3_128_with_secret(contents, &domain.0))
    }

    /// The digest of a part with these contents.
    #[inline]
    #[must_use]
    pub fn of_words(domain: &Domain, contents: &[u64]) -> Digest {
        // A buffer for each usual length, as small as possible.
        match contents.len() {
            0..=2 => Digest::of_few::<2>(domain, contents),
            3..=6 => Digest::of_few::<6>(domain, contents),
            7..=16 => Digest::of_few::<16>(domain, contents),
            17..=32 => Digest::of_few::<32>(domain, contents),
            _ => {
                let bytes: Vec<[u8; 8]> = contents.iter().map(|word| word.to_le_bytes()).collect();
                Digest::of_bytes(domain, bytes.as_flattened())
            }
        }
    }

    /// The digest of at most N words.
    #[inline]
    fn of_few<const N: usize>(domain: &Domain, contents: &[u64]) -> Digest {
        let mut bytes = [[0; 8]; N];
        let places = bytes.iter_mut().zip(contents);
        places.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        Digest::of_bytes(domain, bytes[..contents.len()].as_flattened())
    }

    /// The digest of the parts of both.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Digest) -> Digest {
        Digest(self.0.wrapping_add(other.0))
    }

    /// Undoes [`with`](Self::with): removes the parts of `other`.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Digest) -> Digest {
        Digest(self.0.wrapping_sub(other.0))
    }

    /// The digest of `count` equal parts. It serves for a counter to which several threads add in
    /// any order. For `count > 0` the result can be 0 only if the hash is a multiple of 2^64;
    /// therefore only counters may be hashed in this way.
    #[inline]
    #[must_use]
    pub const fn times(self, count: u64) -> Digest {
        Digest(self.0.wrapping_mul(count as u128))
    }

    /// The digest as contents of another part. Needed where the position of a digest matters.
    #[inline]
    #[must_use]
    pub const fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// A digest with only `bits` of its bits, for tests that show the effect of collisions. It
    /// keeps the upper bits: sums of such digests have no other bits.
    #[must_use]
    pub const fn weakened(self, bits: u32) -> Digest {
        match bits {
            128.. => self,
            _ => Digest(self.0 & !(u128::MAX >> bits)),
        }
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Sum for Digest {
    fn sum<I: Iterator<Item = Digest>>(parts: I) -> Digest {
        parts.fold(Digest::EMPTY, Digest::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const ONE: Domain = Domain::new("one");
    const OTHER: Domain = Domain::new("other");

    #[test]
    fn a_digest_depends_on_domain_length_and_order() {
        let mut seen = HashSet::new();
        for domain in [&ONE, &OTHER] {
            for contents in [
                &[][..],
                &[0],
                &[0, 0],
                &[0, 1],
                &[1, 0],
                &[1, 1],
                &[0; 3],
                &[0; 40],
                &[0; 41],
            ] {
                assert!(seen.insert(Digest::of_words(domain, contents)), "{contents:?}");
            }
        }
    }

    /// With a seed in place of a secret, words that differ by the difference of two seeds had one
    /// hash.
    #[test]
    fn the_key_is_not_added_to_the_contents() {
        let mut seen = HashSet::new();
        for domain in [&ONE, &OTHER] {
            for a in 0..64 {
                for b in 0..64 {
                    assert!(seen.insert(Digest::of_words(domain, &[a << 32, b << 32])));
                }
            }
        }
    }

    /// The sum of the parts of several owners determines which owner has which part: no digest is a
    /// multiple of a number for the owner.
    #[test]
    fn sums_over_owners_do_not_meet_by_arithmetic() {
        let mut seen = HashSet::new();
        let part = |owner, index| Digest::of_words(&ONE, &[owner, index]);
        for first in 0..200 {
            for second in 0..200 {
                assert!(seen.insert(part(0, first).with(part(1, second))));
            }
        }
    }

    #[test]
    fn parts_are_taken_away_and_counted() {
        let [a, b] = [1, 2].map(|n| Digest::of_words(&ONE, &[n]));
        assert_eq!(a.with(b).without(a), b);
        assert_eq!([a, b, a].into_iter().sum::<Digest>(), a.times(2).with(b));
        assert_eq!(a.times(0), Digest::EMPTY);
        assert_eq!(a.weakened(128), a);
        assert_eq!(a.weakened(0), Digest::EMPTY);
    }
}
