//! Arithmetic on words of wires.
//!
//! A word is a slice of literals, the lowest bit first. Everything is total and has the meaning of
//! SMT-LIB's theory of bit vectors (division by zero, shifts by the width or more).

use super::gates::{Circuit, Lit};

pub(super) type Word = Vec<Lit>;

/// `width` low bits of a number; the width may be more than the number has.
pub(super) fn constant(width: usize, value: u128) -> Word {
    let bit = |bit: usize| bit < 128 && value >> bit & 1 != 0;
    (0..width).map(|at| Lit::constant(bit(at))).collect()
}

/// The number, if all bits are constant and it fits.
pub(super) fn as_constant(word: &[Lit]) -> Option<u128> {
    word.iter()
        .enumerate()
        .try_fold(0, |value, (bit, &lit)| match lit {
            Lit::FALSE => Some(value),
            Lit::TRUE if bit < 128 => Some(value | 1 << bit),
            _ => None,
        })
}

pub(super) fn not(word: &[Lit]) -> Word {
    word.iter().map(|&lit| !lit).collect()
}

pub(super) fn zext(word: &[Lit], width: usize) -> Word {
    extend(word, width, Lit::FALSE)
}

pub(super) fn sext(word: &[Lit], width: usize) -> Word {
    extend(word, width, sign(word))
}

fn extend(word: &[Lit], width: usize, with: Lit) -> Word {
    let mut word = word.to_vec();
    word.resize(width, with);
    word
}

/// The highest bit.
pub(super) fn sign(word: &[Lit]) -> Lit {
    word.last().copied().unwrap_or(Lit::FALSE)
}

impl Circuit {
    pub(super) fn zip(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Circuit, Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    /// `a` if `condition`, else `b`.
    pub(super) fn choose(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| self.mux(condition, a, b))
            .collect()
    }

    /// `a + b + carry`, and the carry out.
    pub(super) fn add_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Word, Lit) {
        let sum = a
            .iter()
            .zip(b)
            .map(|(&a, &b)| {
                let half = self.xor(a, b);
                let sum = self.xor(half, carry);
                carry = self.majority(a, b, carry);
                sum
            })
            .collect();
        (sum, carry)
    }

    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_carry(a, b, Lit::FALSE).0
    }

    pub(super) fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_carry(a, &not(b), Lit::TRUE).0
    }

    pub(super) fn neg(&mut self, a: &[Lit]) -> Word {
        let zero = constant(a.len(), 0);
        self.sub(&zero, a)
    }

    /// `-a` if `condition`, else `a`.
    pub(super) fn neg_if(&mut self, condition: Lit, a: &[Lit]) -> Word {
        let flipped: Word = a.iter().map(|&lit| self.xor(lit, condition)).collect();
        let zero = constant(a.len(), 0);
        self.add_carry(&flipped, &zero, condition).0
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Word = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(&same)
    }

    /// Unsigned `a < b`, or `a <= b` with `or_equal`: the borrow of `a - b`.
    pub(super) fn below(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        a.iter().zip(b).fold(Lit::constant(or_equal), |below, (&a, &b)| {
            self.majority(!a, b, below)
        })
    }

    /// Signed `a < b`, or `a <= b` with `or_equal`.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for word in [&mut a, &mut b] {
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
        }
        self.below(&a, &b, or_equal)
    }

    /// The low `a.len()` bits of the product.
    pub(super) fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let constants = |word: &[Lit]| word.iter().filter(|lit| lit.is_constant()).count();
        let (a, b) = if constants(a) > constants(b) {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(factor) = as_constant(b) {
            return self.mul_constant(a, factor);
        }
        let width = a.len();
        let mut product = constant(width, 0);
        for (shift, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let row: Word = a[..width - shift].iter().map(|&lit| self.and(lit, bit)).collect();
            let sum = self.add(&product[shift..], &row);
            product.truncate(shift);
            product.extend(sum);
        }
        product
    }

    /// Product with a constant, with as few additions and subtractions as its canonical signed
    /// digits have non-zero ones (Reitwiesner, "Binary arithmetic", 1960).
    fn mul_constant(&mut self, a: &[Lit], factor: u128) -> Word {
        let width = a.len();
        let mut product = constant(width, 0);
        let bit = |position: usize| position < 128 && factor >> position & 1 != 0;
        let mut carry = false;
        for shift in 0..width {
            // The digit is 0, 1 or -1 such that no two neighbours are both non-zero.
            let here = bit(shift) ^ carry;
            let next = bit(shift + 1);
            carry = if carry {
                bit(shift) || next
            } else {
                bit(shift) && next
            };
            if !here {
                continue;
            }
            let (low, high) = product.split_at(shift);
            let row = &a[..width - shift];
            let sum = if carry {
                self.sub(high, row)
            } else {
                self.add(high, row)
            };
            product = [low, &sum].concat();
        }
        product
    }

    /// Unsigned quotient and remainder; by zero: all ones, and the dividend.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        match as_constant(b) {
            Some(divisor) if divisor != 0 => self.divide_by_constant(a, divisor),
            _ => self.divide_by_word(a, b),
        }
    }

    /// Restoring division, one comparison and subtraction for each bit of the quotient; and what
    /// follows from it: the remainder is less than the divisor, and quotient times divisor plus
    /// remainder is the dividend.
    ///
    /// The divider computes forwards without search. What programs know of a division are the
    /// consequences, and those are out of reach for a search in the divider (32 bits: not within 20
    /// s), but here the same gates again.
    fn divide_by_word(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let key = (a.to_vec(), b.to_vec());
        if let Some(done) = self.division(&key) {
            return done;
        }
        let (quotient, rest) = self.divide_restoring(a, b);
        let width = a.len();
        let small = self.below(&rest, b, false);
        let product = self.mul(&quotient, b);
        let sum = self.add(&product, &rest);
        let same = self.equal(&sum, a);
        let divided = self.and(same, small);
        let by_zero = !self.any(b);
        let consequence = self.or(divided, by_zero);
        for bit in 0..width {
            self.assume_with(quotient[bit], consequence);
            self.assume_with(rest[bit], consequence);
        }
        self.remember_division(key, (quotient.clone(), rest.clone()));
        (quotient, rest)
    }

    fn divide_restoring(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        let divisor = zext(b, width + 1);
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest = constant(width + 1, 0);
        for bit in (0..width).rev() {
            rest.insert(0, a[bit]);
            rest.truncate(width + 1);
            let (difference, no_borrow) = self.add_carry(&rest, &not(&divisor), Lit::TRUE);
            quotient[bit] = no_borrow;
            rest = self.choose(no_borrow, &difference, &rest);
        }
        rest.truncate(width);
        (quotient, rest)
    }

    /// Quotient and remainder as free bits with `a = quotient * divisor + rest` and `rest <
    /// divisor`: exactly one pair fits each dividend, and the multiplication has few additions.
    fn divide_by_constant(&mut self, a: &[Lit], divisor: u128) -> (Word, Word) {
        let width = a.len();
        if divisor.is_power_of_two() {
            let shift = divisor.trailing_zeros() as usize;
            let mut quotient = a[shift..].to_vec();
            quotient.resize(width, Lit::FALSE);
            return (quotient, zext(&a[..shift], width));
        }
        let key = (a.to_vec(), constant(width, divisor));
        if let Some(done) = self.division(&key) {
            return done;
        }
        // The divisor has `bits` bits, so the quotient has at most `width - bits + 1`, and their
        // product fits in `width + 1` bits: an overflow cannot hide.
        let bits = 128 - divisor.leading_zeros() as usize;
        let quotient: Word = (0..width - bits + 1).map(|_| self.free()).collect();
        let rest: Word = (0..bits).map(|_| self.free()).collect();
        let wide = width + 2;
        let product = self.mul_constant(&zext(&quotient, wide), divisor);
        let sum = self.add(&product, &zext(&rest, wide));
        let same = self.equal(&sum, &zext(a, wide));
        let small = self.below(&rest, &constant(bits, divisor), false);
        let definition = self.and(same, small);
        self.define(&quotient, definition);
        self.define(&rest, definition);
        let both = (zext(&quotient, width), zext(&rest, width));
        self.remember_division(key, both.clone());
        both
    }

    /// Signed quotient, rounded towards zero, and remainder with the sign of the dividend.
    pub(super) fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (negative, opposite) = (sign(a), self.xor(sign(a), sign(b)));
        let (a, b) = (self.neg_if(sign(a), a), self.neg_if(sign(b), b));
        let (quotient, rest) = self.divide(&a, &b);
        (self.neg_if(opposite, &quotient), self.neg_if(negative, &rest))
    }

    /// `a << amount`.
    pub(super) fn shl(&mut self, a: &[Lit], amount: &[Lit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, amount, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    pub(super) fn lshr(&mut self, a: &[Lit], amount: &[Lit]) -> Word {
        self.shift_right(a, amount, Lit::FALSE)
    }

    pub(super) fn ashr(&mut self, a: &[Lit], amount: &[Lit]) -> Word {
        self.shift_right(a, amount, sign(a))
    }

    /// A barrel shifter; `fill` comes in at the top.
    fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut far = Vec::new();
        for (stage, &bit) in amount.iter().enumerate() {
            match 1usize.checked_shl(stage as u32).filter(|&by| by < width) {
                Some(by) => {
                    let moved: Word = (0..width)
                        .map(|position| word.get(position + by).copied().unwrap_or(fill))
                        .collect();
                    word = self.choose(bit, &moved, &word);
                }
                None => far.push(bit),
            }
        }
        let far = self.any(&far);
        word.iter().map(|&lit| self.mux(far, fill, lit)).collect()
    }

    /// Number of bits set.
    pub(super) fn count_ones(&mut self, a: &[Lit]) -> Word {
        let width = a.len();
        let sum = self.count(a);
        let mut sum = zext(&sum, width.max(sum.len()));
        // The count can be as large as the width, which a word of one bit holds, too (1 = 1).
        sum.truncate(width);
        sum
    }

    fn count(&mut self, bits: &[Lit]) -> Word {
        if bits.len() <= 1 {
            return bits.to_vec();
        }
        let (low, high) = bits.split_at(bits.len() / 2);
        let (low, high) = (self.count(low), self.count(high));
        let width = low.len().max(high.len()) + 1;
        self.add(&zext(&low, width), &zext(&high, width))
    }

    /// Number of zeros below the lowest bit set; of zero, the width (modulo two to the width).
    pub(super) fn trailing_zeros(&mut self, a: &[Lit]) -> Word {
        let width = a.len();
        (0..width)
            .rev()
            .fold(constant(width, width as u128), |count, bit| {
                self.choose(a[bit], &constant(width, bit as u128), &count)
            })
    }

    /// Element `index` of a table that is not empty; the last one if there are fewer. All elements
    /// are of one width.
    pub(super) fn select(&mut self, table: &[Word], index: &[Lit]) -> Word {
        let mut layer: Vec<Word> = table.to_vec();
        let mut bits = index.iter();
        let last = layer[layer.len() - 1].clone();
        while layer.len() > 1 {
            let Some(&bit) = bits.next() else {
                // The index cannot reach the rest.
                return layer.swap_remove(0);
            };
            layer = layer
                .chunks(2)
                .map(|pair| match pair {
                    [even, odd] => self.choose(bit, odd, even),
                    [even] => self.choose(bit, &last, even),
                    _ => Word::new(),
                })
                .collect();
        }
        let beyond: Word = bits.copied().collect();
        let beyond = self.any(&beyond);
        self.choose(beyond, &last, &layer[0])
    }
}
