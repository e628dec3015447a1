//! `--property`: a list of names, or a SV-COMP property file.

use selvedge_model::Property;
use std::collections::BTreeSet;

/// The properties that are on by default.
pub(crate) fn default() -> BTreeSet<Property> {
    use Property::*;
    [Assertion, Deadlock, DataRace, Memory, Pthread, Arithmetic].into()
}

/// Reads the option's value.
pub(crate) fn parse(value: &str) -> Result<BTreeSet<Property>, String> {
    if value.ends_with(".prp") {
        let text = std::fs::read_to_string(value).map_err(|e| format!("cannot read {value}: {e}"))?;
        return from_prp(&text).map_err(|e| format!("{value}: {e}"));
    }
    value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(one)
        .collect()
}

fn one(name: &str) -> Result<Property, String> {
    use Property::*;
    match name {
        "assertion" | "unreach-call" => Ok(Assertion),
        "deadlock" | "no-deadlock" => Ok(Deadlock),
        "data-race" | "no-data-race" => Ok(DataRace),
        "memory" => Ok(Memory),
        "leak" | "valid-memtrack" => Ok(Leak),
        "cleanup" | "valid-memcleanup" => Ok(Cleanup),
        "pthread" => Ok(Pthread),
        "arithmetic" => Ok(Arithmetic),
        "overflow" | "no-overflow" => Ok(Overflow),
        "termination" => Err("the property `termination` is not available yet".to_owned()),
        other => Err(format!(
            "`{other}` is not a property: expected assertion, deadlock, data-race, memory, leak, cleanup, pthread, arithmetic or overflow"
        )),
    }
}

/// `CHECK( init(main()), LTL(G ! data-race) )`, one or more.
fn from_prp(text: &str) -> Result<BTreeSet<Property>, String> {
    let mut properties = BTreeSet::new();
    for check in text.split("CHECK").skip(1) {
        let formula = check.split_once("LTL(").map_or("", |(_, f)| f);
        let words: String = formula.split_whitespace().collect::<Vec<_>>().join(" ");
        let found: &[Property] = if words.contains("F end") {
            return Err("the property `termination` is not available yet".to_owned());
        } else if words.contains("data-race") {
            &[Property::DataRace]
        } else if words.contains("deadlock") {
            &[Property::Deadlock]
        } else if words.contains("call(") {
            &[Property::Assertion]
        } else if words.contains("valid-memtrack") {
            &[Property::Leak]
        } else if words.contains("valid-memcleanup") {
            &[Property::Cleanup]
        } else if words.contains("valid-free") || words.contains("valid-deref") {
            &[Property::Memory]
        } else if words.contains("overflow") {
            &[Property::Overflow]
        } else {
            return Err(format!("unknown property `{}`", check.trim()));
        };
        properties.extend(found);
    }
    if properties.is_empty() {
        Err("there is no CHECK(…) in it".to_owned())
    } else {
        Ok(properties)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files() {
        assert_eq!(
            parse("data-race, overflow"),
            Ok([Property::DataRace, Property::Overflow].into())
        );
        assert!(parse("speed").is_err());
        assert_eq!(
            parse("leak,valid-memcleanup"),
            Ok([Property::Leak, Property::Cleanup].into())
        );
        let prp = "CHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )";
        assert_eq!(from_prp(prp), Ok([Property::Memory, Property::Leak].into()));
        assert_eq!(
            from_prp("CHECK( init(main()), LTL(G valid-memcleanup) )"),
            Ok([Property::Cleanup].into())
        );
        let prp =
            "CHECK( init(main()), LTL(G ! call(reach_error())) )\nCHECK( init(main()), LTL(G valid-free) )";
        assert_eq!(from_prp(prp), Ok([Property::Assertion, Property::Memory].into()));
        assert_eq!(
            from_prp("CHECK( init(main()), LTL(G ! data-race) )"),
            Ok([Property::DataRace].into())
        );
        assert!(from_prp("CHECK( init(main()), LTL(F end) )").is_err());
        assert!(from_prp("nothing").is_err());
    }
}
