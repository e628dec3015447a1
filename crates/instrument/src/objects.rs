//! Which module has the global variables that a set names.

use crate::refused::Refused;
use crate::symbol::symbol;
use selvedge_schedule::cover::{Cover, Object};

/// A definition of a global variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Definition {
    /// The number of the module.
    module: usize,
    /// Other modules do not see it.
    own: bool,
}

/// For each object of a set that lies in a global variable, the number of the module that has it.
///
/// # Errors
/// If no module has one of them, or it cannot be told which one has.
pub(crate) fn owners(modules: &[String], cover: &Cover) -> Result<Vec<Option<usize>>, Refused> {
    let owner = |object: &Object| match object {
        Object::Global(name, _) => owner(modules, name).map(Some),
        Object::Made(..) | Object::Met(..) | Object::Place(_) => Ok(None),
    };
    cover.objects.iter().map(owner).collect()
}

fn owner(modules: &[String], name: &str) -> Result<usize, Refused> {
    let (plain, place) = place(name);
    let found = definitions(modules, plain);
    let own = found.iter().filter(|definition| definition.own).count();
    let several = || {
        Refused::Unsupported(format!(
            "a native program in which several sources have a global variable `{plain}`, not all of them as `static` ones of their own"
        ))
    };
    match (place, &found[..]) {
        (_, []) => Err(Refused::Misfit(format!(
            "the program has no global variable `{plain}`"
        ))),
        (None, [only]) => Ok(only.module),
        // Definitions of one variable, of which the linker takes one.
        (None, [first, ..]) if own == 0 => Ok(first.module),
        (Some((at, all)), _) if own == all && found.len() == all => Ok(found[at - 1].module),
        _ => Err(several()),
    }
}

/// The name of the variable in the source, and which of how many it is.
pub(crate) fn place(name: &str) -> (&str, Option<(usize, usize)>) {
    let parts = name.rsplit_once('#').and_then(|(plain, place)| {
        let (at, all) = place.split_once('/')?;
        let (at, all) = (at.parse().ok()?, all.parse().ok()?);
        (1..=all).contains(&at).then_some((plain, Some((at, all))))
    });
    parts.unwrap_or((name, None))
}

/// The definitions of a global variable, in the order of the modules.
fn definitions(modules: &[String], name: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    for (module, text) in modules.iter().enumerate() {
        for line in text.lines().filter(|line| line.starts_with('@')) {
            let Some((_, rest)) = line.split_once(" = ") else {
                continue;
            };
            if symbol(line) != Some(name) {
                continue;
            }
            let words = || {
                rest.split(' ')
                    .take_while(|word| !matches!(*word, "global" | "constant"))
            };
            let has = |known: &[&str]| words().any(|word| known.contains(&word));
            if !has(&["external", "extern_weak", "available_externally"]) {
                let own = has(&["internal", "private"]);
                found.push(Definition { module, own });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(texts: [&str; 3]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn variables_of_several_sources_are_told_apart() {
        let own = "@m = internal global i32 0\n@\"n n\" = dso_local global i32 0";
        let all = modules([own, "@m = external global i32", own]);
        assert_eq!(owner(&all, "m#1/2"), Ok(0));
        assert_eq!(owner(&all, "m#2/2"), Ok(2));
        for unclear in ["m", "m#2/3"] {
            assert!(matches!(owner(&all, unclear), Err(Refused::Unsupported(_))));
        }
        assert!(matches!(owner(&all, "k"), Err(Refused::Misfit(_))));
        // Inline variables: any of them.
        assert_eq!(owner(&all, "n n"), Ok(0));
        let mixed = modules([own, "@m = global i32 0", own]);
        assert!(matches!(owner(&mixed, "m#1/2"), Err(Refused::Unsupported(_))));
    }
}
