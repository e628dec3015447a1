//! Places in the source, as a module in LLVM's text form has them.

use std::collections::BTreeMap;

/// The places of a module's debug information.
pub(crate) struct Places<'a> {
    /// Of each place its line, column and scope.
    places: BTreeMap<&'a str, (u32, u32, &'a str)>,
    /// The file of each scope.
    scopes: BTreeMap<&'a str, &'a str>,
    /// The name of each file.
    files: BTreeMap<&'a str, &'a str>,
}

impl<'a> Places<'a> {
    pub(crate) fn of(module: &'a str) -> Places<'a> {
        let mut all = Places {
            places: BTreeMap::new(),
            scopes: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        for line in module.lines() {
            let Some((number, node)) = line.strip_prefix('!').and_then(|line| line.split_once(" = ")) else {
                continue;
            };
            let node = node.strip_prefix("distinct ").unwrap_or(node);
            if node.starts_with("!DILocation(") {
                let number_of = |name| field(node, name)?.parse().ok();
                let line = number_of("line: ");
                if let (Some(line), Some(scope)) = (line, field(node, "scope: !")) {
                    let column = number_of("column: ").unwrap_or(0);
                    all.places.insert(number, (line, column, scope));
                }
            } else if node.starts_with("!DIFile(") {
                let name = node.split_once("filename: \"");
                let name = name.and_then(|(_, rest)| rest.split('"').next());
                all.files.extend(name.map(|name| (number, name)));
            } else if node.starts_with("!DISubprogram(") || node.starts_with("!DILexicalBlock") {
                all.scopes
                    .extend(field(node, " file: !").map(|file| (number, file)));
                // A function's own place.
                if let Some(line) = field(node, " line: ").and_then(|line| line.parse().ok()) {
                    all.places.insert(number, (line, 0, number));
                }
            }
        }
        all
    }

    /// The place that a line of the module names last.
    pub(crate) fn of_line(&self, line: &str) -> Option<(&'a str, u32, u32)> {
        let (_, number) = line.rsplit_once("!dbg !")?;
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        self.at(&number[..end])
    }

    /// File, line and column of the place with this number.
    pub(crate) fn at(&self, place: &str) -> Option<(&'a str, u32, u32)> {
        let &(line, column, scope) = self.places.get(place)?;
        let file = self.files.get(self.scopes.get(scope)?)?;
        Some((file, line, column))
    }
}

/// What stands behind a field's name.
fn field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let rest = node.split_once(name)?.1;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some(&rest[..end])
}
