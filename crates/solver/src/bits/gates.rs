//! Boolean circuits with structural hashing.
//!
//! A circuit of and, exclusive or, multiplexer and majority gates over literals that carry their
//! negation: an and-inverter graph (Kuehlmann et al., "Robust Boolean reasoning", TCAD 2002,
//! section II) with three more kinds of gates, because adders, comparisons and table look-ups are
//! made of them and their clauses propagate better than those of the and-gates they would become.
//! Equal gates are one gate; constants, equal and opposite operands fold.
//!
//! The circuit only grows. A query takes the part of it that its constraints need (`cnf`).

use rustc_hash::FxHashMap;

/// A wire: a gate, perhaps negated. `FALSE` and `TRUE` are the two literals of gate 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Lit(u32);

impl Lit {
    pub(super) const FALSE: Lit = Lit(0);
    pub(super) const TRUE: Lit = Lit(1);

    pub(super) fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// Number of the gate in its circuit.
    pub(super) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    pub(super) fn is_constant(self) -> bool {
        self.0 <= 1
    }

    /// The literal, negated if `flip`.
    pub(super) fn flip_if(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }

    /// The literal of the gate that is not negated.
    fn positive(self) -> Lit {
        Lit(self.0 & !1)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// A gate. Operands belong to earlier gates, so that numbers are a topological order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Gate {
    /// Gate 0.
    False,
    /// A bit that nothing determines: of an input, or of the result of a division by a constant,
    /// which `Circuit::definition` constrains.
    Free,
    /// Both; the smaller operand first.
    And(Lit, Lit),
    /// Exactly one; neither operand is negated, the smaller first.
    Xor(Lit, Lit),
    /// The second operand if the first, else the third; neither of the first two is negated.
    Mux(Lit, Lit, Lit),
    /// At least two; in ascending order, and at most one operand is negated.
    Majority(Lit, Lit, Lit),
}

/// The gates made so far.
pub(super) struct Circuit {
    gates: Vec<Gate>,
    numbers: FxHashMap<Gate, u32>,
    definitions: FxHashMap<u32, Lit>,
    divisions: FxHashMap<Division, (Vec<Lit>, Vec<Lit>)>,
}

/// A dividend and a divisor.
pub(super) type Division = (Vec<Lit>, Vec<Lit>);

impl Circuit {
    pub(super) fn new() -> Circuit {
        Circuit {
            gates: vec![Gate::False],
            numbers: FxHashMap::default(),
            definitions: FxHashMap::default(),
            divisions: FxHashMap::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }

    pub(super) fn gate(&self, number: usize) -> Gate {
        self.gates[number]
    }

    /// The conditions that must hold wherever this gate is used. For every value of the inputs
    /// there is a value of the other free gates for which all of these conditions hold, so they
    /// never exclude an input.
    pub(super) fn definition(&self, number: usize) -> Option<Lit> {
        self.definitions.get(&(number as u32)).copied()
    }

    /// Says that `bits`, all free and new, are defined by `definition`.
    pub(super) fn define(&mut self, bits: &[Lit], definition: Lit) {
        for bit in bits {
            self.definitions.insert(bit.gate() as u32, definition);
        }
    }

    /// Records a condition that always holds and is useful where the gate is used. An existing
    /// definition stays.
    pub(super) fn assume_with(&mut self, lit: Lit, consequence: Lit) {
        if !lit.is_constant() {
            self.definitions.entry(lit.gate() as u32).or_insert(consequence);
        }
    }

    /// Quotient and remainder of a division that was built before: free bits are not found by their
    /// structure.
    pub(super) fn division(&self, division: &Division) -> Option<(Vec<Lit>, Vec<Lit>)> {
        self.divisions.get(division).cloned()
    }

    pub(super) fn remember_division(&mut self, division: Division, result: (Vec<Lit>, Vec<Lit>)) {
        self.divisions.insert(division, result);
    }

    /// A new bit that nothing determines.
    pub(super) fn free(&mut self) -> Lit {
        self.gates.push(Gate::Free);
        Lit((self.gates.len() as u32 - 1) << 1)
    }

    fn make(&mut self, gate: Gate) -> Lit {
        let next = self.gates.len() as u32;
        let number = *self.numbers.entry(gate).or_insert(next);
        if number == next {
            self.gates.push(gate);
        }
        Lit(number << 1)
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        match self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            Some(Absorbed::Is(lit)) => lit,
            Some(Absorbed::And(x, y)) => self.and(x, y),
            None => self.make(Gate::And(a, b)),
        }
    }

    /// Rules for `a and b` where `b` is itself an and-gate with `a` in it.
    fn absorb(&self, a: Lit, b: Lit) -> Option<Absorbed> {
        let Gate::And(x, y) = self.gates[b.gate()] else {
            return None;
        };
        if b.is_negated() {
            // a & !(x & y)
            if x == !a || y == !a {
                Some(Absorbed::Is(a))
            } else if x == a {
                Some(Absorbed::And(a, !y))
            } else if y == a {
                Some(Absorbed::And(a, !x))
            } else {
                None
            }
        } else if x == a || y == a {
            Some(Absorbed::Is(b))
        } else if x == !a || y == !a {
            Some(Absorbed::Is(Lit::FALSE))
        } else {
            None
        }
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let positive = if a == b {
            Lit::FALSE
        } else if a == Lit::FALSE {
            b
        } else {
            self.make(Gate::Xor(a, b))
        };
        positive.flip_if(flip)
    }

    /// `a` if `condition`, else `b`.
    pub(super) fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        if condition.is_negated() {
            return self.mux(!condition, b, a);
        }
        if condition == Lit::FALSE {
            return b;
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(condition, b);
        }
        if a == Lit::TRUE || a == condition {
            return self.or(condition, b);
        }
        if a == Lit::FALSE || a == !condition {
            return self.and(!condition, b);
        }
        if b == Lit::TRUE || b == !condition {
            return self.or(!condition, a);
        }
        if b == Lit::FALSE || b == condition {
            return self.and(condition, a);
        }
        let flip = a.is_negated();
        self.make(Gate::Mux(condition, a.flip_if(flip), b.flip_if(flip)))
            .flip_if(flip)
    }

    /// Whether at least two of the three hold.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut operands = [a, b, c];
        operands.sort_unstable();
        let [a, b, c] = operands;
        if a == Lit::FALSE {
            return self.and(b, c);
        }
        if a == Lit::TRUE {
            return self.or(b, c);
        }
        // In ascending order, equal and opposite operands are neighbours.
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let negated = operands.iter().filter(|lit| lit.is_negated()).count();
        let flip = negated >= 2;
        let [a, b, c] = operands.map(|lit| lit.flip_if(flip));
        self.make(Gate::Majority(a, b, c)).flip_if(flip)
    }

    /// Whether all of them hold.
    pub(super) fn all(&mut self, lits: &[Lit]) -> Lit {
        match lits {
            [] => Lit::TRUE,
            [lit] => *lit,
            _ => {
                let (low, high) = lits.split_at(lits.len() / 2);
                let (low, high) = (self.all(low), self.all(high));
                self.and(low, high)
            }
        }
    }

    /// Whether one of them holds.
    pub(super) fn any(&mut self, lits: &[Lit]) -> Lit {
        match lits {
            [] => Lit::FALSE,
            [lit] => *lit,
            _ => {
                let (low, high) = lits.split_at(lits.len() / 2);
                let (low, high) = (self.any(low), self.any(high));
                self.or(low, high)
            }
        }
    }
}

enum Absorbed {
    Is(Lit),
    And(Lit, Lit),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value of a literal when the free gates have the bits of `free` in order of their making.
    fn value(circuit: &Circuit, lit: Lit, free: u32) -> bool {
        let mut values = Vec::new();
        let mut next = 0;
        for number in 0..circuit.len() {
            let get = |lit: Lit| -> bool { values[lit.gate()] ^ lit.is_negated() };
            let value = match circuit.gate(number) {
                Gate::False => false,
                Gate::Free => {
                    next += 1;
                    free >> (next - 1) & 1 != 0
                }
                Gate::And(a, b) => get(a) && get(b),
                Gate::Xor(a, b) => get(a) != get(b),
                Gate::Mux(c, a, b) => get(if get(c) { a } else { b }),
                Gate::Majority(a, b, c) => u8::from(get(a)) + u8::from(get(b)) + u8::from(get(c)) >= 2,
            };
            values.push(value);
        }
        values[lit.gate()] ^ lit.is_negated()
    }

    #[test]
    fn random_circuits_compute_what_they_were_asked_to() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..300 {
            let mut circuit = Circuit::new();
            let mut known: Vec<(Lit, u16)> = vec![(Lit::FALSE, 0), (Lit::TRUE, u16::MAX)];
            for bit in 0..4 {
                let column = (0..16u16)
                    .filter(|row| row >> bit & 1 != 0)
                    .map(|row| 1 << row)
                    .sum();
                known.push((circuit.free(), column));
            }
            for _ in 0..60 {
                let mut pick = || {
                    let (lit, column) = known[random.usize(..known.len())];
                    let flip = random.bool();
                    (lit.flip_if(flip), if flip { !column } else { column })
                };
                let ((a, x), (b, y), (c, z)) = (pick(), pick(), pick());
                known.push(match random.u8(..5) {
                    0 => (circuit.and(a, b), x & y),
                    1 => (circuit.or(a, b), x | y),
                    2 => (circuit.xor(a, b), x ^ y),
                    3 => (circuit.mux(a, b, c), x & y | !x & z),
                    _ => (circuit.majority(a, b, c), x & y | x & z | y & z),
                });
            }
            for (lit, column) in known {
                for row in 0..16 {
                    assert_eq!(value(&circuit, lit, row), column >> row & 1 != 0);
                }
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut circuit = Circuit::new();
        let (a, b, c) = (circuit.free(), circuit.free(), circuit.free());
        assert_eq!(circuit.majority(a, b, c), circuit.majority(c, a, b));
        assert_eq!(circuit.majority(!a, !b, !c), !circuit.majority(a, b, c));
        assert_eq!(circuit.mux(a, b, c), circuit.mux(!a, c, b));
        assert_eq!(circuit.xor(!a, b), !circuit.xor(b, a));
        let gates = circuit.len();
        let ab = circuit.and(a, b);
        assert_eq!(circuit.and(a, ab), ab);
        assert_eq!(circuit.and(!a, ab), Lit::FALSE);
        assert_eq!(circuit.and(a, !ab), circuit.and(a, !b));
        assert_eq!(circuit.len(), gates + 2);
    }
}
