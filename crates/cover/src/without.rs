//! What keeps sets small and their programs fast, and can be left out to measure how much it does.
//!
//! A set that was made without something is as right as any other one, or there is none: without
//! what it takes, programs are refused by name.

use std::collections::BTreeSet;

/// Something that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Optimisation {
    /// Atomic accesses and output are operations only where nothing else orders them. Without: all
    /// of the program's own are.
    Places,
    /// An operation does not wait for what follows from other waits.
    Edges,
    /// The time that threads compute counts when it is decided who moves. Without: operations only.
    Time,
    /// Parts from which equal schedules lead to equal parts are one.
    Parts,
    /// Parts that no operation tells apart are combined. Without: such programs are refused.
    Combined,
    /// General states have facts. Without: their numbers may be any.
    Facts,
    /// A thread asks for a decision only if its own future differs by it. Without: for each one.
    Asked,
    /// A thread asks as late as it can. Without: as early as the decision is known to be made.
    Late,
    /// Arrivals at barriers are counted. Without: who leaves looks at each of them.
    Barriers,
}

impl Optimisation {
    /// All of them.
    pub const ALL: [Optimisation; 9] = [
        Optimisation::Places,
        Optimisation::Edges,
        Optimisation::Time,
        Optimisation::Parts,
        Optimisation::Combined,
        Optimisation::Facts,
        Optimisation::Asked,
        Optimisation::Late,
        Optimisation::Barriers,
    ];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Optimisation::Places => "places",
            Optimisation::Edges => "edges",
            Optimisation::Time => "time",
            Optimisation::Parts => "parts",
            Optimisation::Combined => "combined",
            Optimisation::Facts => "facts",
            Optimisation::Asked => "asked",
            Optimisation::Late => "late",
            Optimisation::Barriers => "barriers",
        }
    }

    /// Whether it is one of the native program. The set is the same then.
    pub const fn is_of_program(self) -> bool {
        matches!(
            self,
            Optimisation::Asked | Optimisation::Late | Optimisation::Barriers
        )
    }
}

/// What is left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Without(BTreeSet<Optimisation>);

impl Without {
    /// One thing.
    pub fn one(optimisation: Optimisation) -> Without {
        Without(BTreeSet::from([optimisation]))
    }

    /// A list of names, with commas between them.
    ///
    /// # Errors
    /// A text that says which name is none.
    pub fn parse(text: &str) -> Result<Without, String> {
        let named = |word: &str| {
            let mut all = Optimisation::ALL.into_iter();
            all.find(|one| one.word() == word).ok_or_else(|| {
                let all = Optimisation::ALL.map(Optimisation::word);
                format!("`{word}` is none of {}", all.join(", "))
            })
        };
        text.split(',').map(named).collect::<Result<_, _>>().map(Without)
    }

    /// Whether this is left out.
    pub fn has(&self, optimisation: Optimisation) -> bool {
        self.0.contains(&optimisation)
    }

    /// All that is left out.
    pub fn iter(&self) -> impl Iterator<Item = Optimisation> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_that_of_one_thing() {
        for one in Optimisation::ALL {
            assert_eq!(Without::parse(one.word()), Ok(Without::one(one)));
        }
        let two = Without::parse("edges,late").unwrap();
        assert_eq!(
            two.iter().collect::<Vec<_>>(),
            [Optimisation::Edges, Optimisation::Late]
        );
        let said = Without::parse("edges,dge").unwrap_err();
        assert!(said.starts_with("`dge` is none of places, edges, "), "{said}");
    }
}
