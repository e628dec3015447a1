//! Checks that links in Markdown files to other files of the tree have a target.

use std::path::Path;

/// Adds a problem for each relative link of `file` whose target does not exist.
pub fn check(file: &Path, text: &str, problems: &mut Vec<String>) {
    let directory = file.parent().unwrap_or(Path::new(""));
    for (number, line) in text.lines().enumerate() {
        for target in targets(line) {
            let path = target.split('#').next().unwrap_or("");
            if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                continue;
            }
            if !directory.join(path).exists() {
                problems.push(format!(
                    "{}:{}: the link {target} leads nowhere",
                    file.display(),
                    number + 1
                ));
            }
        }
    }
}

/// The targets in the parentheses of each `[text](target)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(move |(start, _)| {
        let rest = &line[start + 2..];
        rest.find(')').map(|end| &rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_link_is_a_problem_and_a_web_address_is_not() {
        let mut problems = Vec::new();
        check(
            Path::new("README.md"),
            "[a](no-such-file.md) [b](https://example.org/x) [c](#part)",
            &mut problems,
        );
        assert_eq!(problems, ["README.md:1: the link no-such-file.md leads nowhere"]);
    }
}
