//! Hashes that stand for a state, or for a part of one.
//!
//! Two states with the same hash are taken for the same state, so a coincidence is a wrong verdict.
//! There are two ways to a [`Digest`]: the keyed 128-bit hash of contents, and the combination of
//! such hashes. So no hash of 64 bits, no index that depends on the order of exploration, and no
//! product with a small number can become one by accident.
//!
//! The key is the [`Domain`]: the kind of part that is hashed. What the part belongs to (its
//! address, its thread by hierarchical name) is hashed with its contents. XXH3's seed is no key for
//! short inputs: it is added to the input's words, so that another seed and another input may
//! cancel out. Each domain therefore has a secret of its own, which is 1,536 random bits.
//!
//! Combination is a sum modulo 2^128: the hash of a *multiset* of parts (Bellare and Micciancio,
//! EUROCRYPT 1997, AdHash). It commutes. Where order matters, hash the sequence; see
//! [`Digest::words`].

use std::fmt;
use std::iter::Sum;
use xxhash_rust::xxh3::xxh3_128_with_secret;

/// Bytes of a secret: as many as XXH3 uses.
const SECRET: usize = 192;

/// A kind of part: the key of the hash.
pub struct Domain([u8; SECRET]);

impl Domain {
    /// The domain of this name. Different names have unrelated keys.
    #[must_use]
    pub const fn new(name: &str) -> Domain {
        let name = name.as_bytes();
        // FNV-1a names the stream; SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) fills the
        // secret.
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
    /// Of no part.
    pub const EMPTY: Digest = Digest(0);

    /// Of a part with these contents.
    #[inline]
    #[must_use]
    pub fn of_bytes(domain: &Domain, contents: &[u8]) -> Digest {
        Digest(xxh3_128_with_secret(contents, &domain.0))
    }

    /// Of a part with these contents.
    #[inline]
    #[must_use]
    pub fn of_words(domain: &Domain, contents: &[u64]) -> Digest {
        // Room for the usual lengths, as little as does.
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

    /// The same for at most N words.
    #[inline]
    fn of_few<const N: usize>(domain: &Domain, contents: &[u64]) -> Digest {
        let mut bytes = [[0; 8]; N];
        let places = bytes.iter_mut().zip(contents);
        places.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        Digest::of_bytes(domain, bytes[..contents.len()].as_flattened())
    }

    /// The parts of both.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Digest) -> Digest {
        Digest(self.0.wrapping_add(other.0))
    }

    /// What [`with`](Self::with) added is taken away again.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Digest) -> Digest {
        Digest(self.0.wrapping_sub(other.0))
    }

    /// The parts of `count` equal ones: of a counter to which several threads add without order. It
    /// is not 0 for any count but 0 unless the hash is a multiple of 2^64, so nothing else than a
    /// counter may be hashed in this way.
    #[inline]
    #[must_use]
    pub const fn times(self, count: u64) -> Digest {
        Digest(self.0.wrapping_mul(count as u128))
    }

    /// As contents of another part, where it matters in which place a digest stands.
    #[inline]
    #[must_use]
    pub const fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// Only so many of its bits, for tests that show what coincidences do. The upper ones: sums of
    /// such hashes have no others.
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

    /// The sum of what each of several owners has tells who has which: no digest is a multiple of a
    /// number for the owner.
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
