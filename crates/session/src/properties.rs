//! `--property`: a list of names, or a SV-COMP property file.

use selvedge_frontend::files;
use selvedge_model::Property;
use std::collections::BTreeSet;
use std::path::Path;

/// The properties that are on by default.
pub fn default() -> BTreeSet<Property> {
    use Property::*;
    [
        Assertion, ErrorCall, Deadlock, DataRace, Deref, Free, Memory, Pthread, Arithmetic,
    ]
    .into()
}

/// Reads the option's value.
///
/// # Errors
/// In words, what is no property, or why the file cannot be used.
pub fn parse(value: &str) -> Result<BTreeSet<Property>, String> {
    if value.ends_with(".prp") {
        let text = files::read_text(Path::new(value), files::LARGEST)
            .map_err(|e| format!("cannot read {value}: {e}"))?;
        return from_prp(&text).map_err(|e| format!("{value}: {e}"));
    }
    let mut properties = BTreeSet::new();
    for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        properties.extend(named(name)?);
    }
    Ok(properties)
}

/// The properties of a name. Names that SV-COMP has too have the same meaning as there.
fn named(name: &str) -> Result<&'static [Property], String> {
    use Property::*;
    Ok(match name {
        "assertion" => &[Assertion, ErrorCall],
        "unreach-call" => &[ErrorCall],
        "deadlock" | "no-deadlock" => &[Deadlock],
        "data-race" | "no-data-race" => &[DataRace],
        "memory" => &[Deref, Free, Memory],
        "valid-memsafety" => &[Deref, Free, Leak],
        "valid-deref" => &[Deref],
        "valid-free" => &[Free],
        "leak" | "valid-memtrack" => &[Leak],
        "cleanup" | "valid-memcleanup" => &[Cleanup],
        "pthread" => &[Pthread],
        "arithmetic" => &[Arithmetic],
        "overflow" | "no-overflow" => &[Overflow],
        "termination" => return Err(TERMINATION.to_owned()),
        other => {
            return Err(format!(
                "`{other}` is not a property: expected assertion, deadlock, data-race, memory, leak, cleanup, pthread, arithmetic or overflow, \
                or SV-COMP's unreach-call, no-data-race, no-deadlock, no-overflow, valid-memsafety, valid-deref, \
                valid-free, valid-memtrack or valid-memcleanup"
            ));
        }
    })
}

const TERMINATION: &str = "the property `termination` is not available yet";

/// What SV-COMP's property files say for a property that is theirs too.
pub fn formula(name: &str) -> Option<&'static str> {
    Some(match name {
        "valid-deref" => "G valid-deref",
        "valid-free" => "G valid-free",
        "valid-memtrack" => "G valid-memtrack",
        "valid-memcleanup" => "G valid-memcleanup",
        "no-data-race" => "G ! data-race",
        "no-deadlock" => "G ! deadlock",
        "no-overflow" => "G ! overflow",
        "unreach-call" => "G ! call(reach_error())",
        _ => return None,
    })
}

/// `CHECK( init(main()), LTL(G ! data-race) )`, one or more: exactly these properties.
///
/// # Errors
/// In words, what is no property.
pub fn from_prp(text: &str) -> Result<BTreeSet<Property>, String> {
    let mut properties = BTreeSet::new();
    for check in text.split("CHECK").skip(1) {
        let words: String = check.split_whitespace().collect();
        let unknown = || format!("unknown property `{}`", check.trim());
        let formula = words
            .strip_prefix("(init(main()),LTL(")
            .and_then(|rest| rest.strip_suffix("))"))
            .ok_or_else(unknown)?;
        let name = match formula {
            "Gvalid-deref" => "valid-deref",
            "Gvalid-free" => "valid-free",
            "Gvalid-memtrack" => "valid-memtrack",
            "Gvalid-memcleanup" => "valid-memcleanup",
            "G!data-race" => "no-data-race",
            "G!deadlock" => "no-deadlock",
            "G!overflow" => "no-overflow",
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" => "unreach-call",
            // Asked for by a file it is a task that nothing can be said of, and no wrong usage.
            "Fend" => {
                properties.insert(Property::Termination);
                continue;
            }
            _ => return Err(unknown()),
        };
        properties.extend(named(name)?);
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
            parse("assertion"),
            Ok([Property::Assertion, Property::ErrorCall].into())
        );
        assert_eq!(parse("unreach-call"), Ok([Property::ErrorCall].into()));
        assert_eq!(
            parse("valid-memsafety"),
            parse("valid-deref,valid-free,valid-memtrack")
        );
        assert_eq!(
            parse("leak,valid-memcleanup"),
            Ok([Property::Leak, Property::Cleanup].into())
        );
        let prp = "CHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )";
        assert_eq!(from_prp(prp), Ok([Property::Deref, Property::Leak].into()));
        assert_eq!(
            from_prp("CHECK( init(main()), LTL(G valid-memcleanup) )"),
            Ok([Property::Cleanup].into())
        );
        let prp =
            "CHECK( init(main()), LTL(G ! call(reach_error())) )\nCHECK( init(main()), LTL(G valid-free) )";
        assert_eq!(from_prp(prp), Ok([Property::ErrorCall, Property::Free].into()));
        assert_eq!(
            from_prp("CHECK( init(main()), LTL(G ! data-race) )"),
            Ok([Property::DataRace].into())
        );
        assert_eq!(
            from_prp("CHECK( init(main()), LTL(F end) )"),
            Ok([Property::Termination].into())
        );
        for name in [
            "valid-deref",
            "valid-memtrack",
            "no-data-race",
            "no-deadlock",
            "unreach-call",
        ] {
            let prp = format!("CHECK( init(main()), LTL({}) )", formula(name).unwrap());
            assert_eq!(from_prp(&prp), parse(name), "{name}");
        }
        assert_eq!(formula("assertion"), None);
        for unknown in [
            "CHECK( init(main()), LTL(G ! call(other())) )",
            "CHECK( init(start()), LTL(G ! data-race) )",
            "CHECK( init(main()), LTL(G valid-deref & G valid-free) )",
        ] {
            assert!(from_prp(unknown).is_err(), "{unknown}");
        }
        assert!(from_prp("nothing").is_err());
    }
}
