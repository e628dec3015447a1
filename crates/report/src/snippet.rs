//! Source lines with marks, as compilers show them.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use selvedge_base::Location;
use std::collections::BTreeMap;

/// The texts of source files by path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources(BTreeMap<String, String>);

impl Sources {
    /// The text of a file, if it could be read.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// All files with their texts, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

impl FromIterator<(String, String)> for Sources {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(files: I) -> Self {
        Sources(files.into_iter().collect())
    }
}

/// A place with what to say about it.
pub(crate) struct Mark<'a> {
    pub(crate) location: &'a Location,
    pub(crate) label: String,
    pub(crate) stack: &'a [Location],
}

/// Renders a title, the main place and the others with their source lines.
pub(crate) fn render(
    title: &str,
    kind: &str,
    first: &Mark<'_>,
    others: &[Mark<'_>],
    sources: &Sources,
    color: bool,
) -> String {
    let mut groups = vec![group(
        Level::ERROR.primary_title(title).id(kind),
        first,
        AnnotationKind::Primary,
        sources,
    )];
    for mark in others {
        groups.push(group(
            Level::NOTE.secondary_title(mark.label.as_str()),
            mark,
            AnnotationKind::Context,
            sources,
        ));
    }
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&groups)
}

fn group<'a>(
    title: annotate_snippets::Title<'a>,
    mark: &'a Mark<'_>,
    kind: AnnotationKind,
    sources: &'a Sources,
) -> Group<'a> {
    let (location, callers) = own(mark.location, mark.stack);
    let Location {
        file, line, column, ..
    } = location;
    let mut group = match sources
        .get(file)
        .and_then(|text| Some((text, span(text, *line, *column)?)))
    {
        Some((text, span)) => {
            let mut annotation = kind.span(span);
            if kind == AnnotationKind::Primary && !mark.label.is_empty() {
                annotation = annotation.label(mark.label.as_str());
            }
            Group::with_title(title).element(Snippet::source(text).path(file.as_str()).annotation(annotation))
        }
        None if file.is_empty() => Group::with_title(title)
            .element(Level::NOTE.message("the place is not known (no debug information)")),
        None => Group::with_title(title).element(
            annotate_snippets::Origin::path(file.as_str())
                .line(*line as usize)
                .char_column(*column as usize),
        ),
    };
    if !location.function.is_empty() {
        group = group.element(Level::NOTE.message(format!("in {}", location.function)));
    }
    for frames in callers.chunk_by(|a, b| a.is_of_system() && b.is_of_system()) {
        let text = match frames {
            [one] => format!("called from {}", place(one)),
            many => format!("called through {} functions of a library", many.len()),
        };
        group = group.element(Level::NOTE.message(text));
    }
    group
}

/// The innermost place that is none of a system header, and the places that it was called from; the
/// place itself if there is none.
pub(crate) fn own<'a>(location: &'a Location, stack: &'a [Location]) -> (&'a Location, &'a [Location]) {
    if !location.is_of_system() {
        return (location, stack);
    }
    let first = stack.iter().position(|place| !place.is_of_system());
    first.map_or((location, stack), |first| (&stack[first], &stack[first + 1..]))
}

/// `main (bank.c:12:5)`.
pub(crate) fn place(location: &Location) -> String {
    let at = match (location.file.as_str(), location.line, location.column) {
        ("", ..) => "unknown place".to_owned(),
        (file, 0, _) => file.to_owned(),
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    };
    if location.function.is_empty() {
        at
    } else {
        format!("{} ({at})", location.function)
    }
}

/// The bytes of the word (or the character) at a line and column.
fn span(text: &str, line: u32, column: u32) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for _ in 1..line.max(1) {
        start += text.get(start..)?.find('\n')? + 1;
    }
    if line == 0 {
        return None;
    }
    let line_text = text.get(start..)?.split('\n').next()?;
    let offset = (column.max(1) as usize - 1).min(line_text.len());
    let indent = line_text.len() - line_text.trim_start().len();
    let offset = if column == 0 { indent } else { offset };
    let rest = line_text.get(offset..)?;
    let word = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let length = if word > 0 {
        word
    } else {
        rest.chars().next().map_or(0, char::len_utf8)
    };
    Some(start + offset..start + offset + length)
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_are_words() {
        let text = "int x;\n  counter++;\n";
        assert_eq!(span(text, 2, 3), Some(9..16));
        assert_eq!(span(text, 2, 0), Some(9..16));
        assert_eq!(span(text, 2, 10), Some(16..17));
        assert_eq!(span(text, 9, 1), None);
        assert_eq!(span(text, 0, 1), None);
        assert_eq!(span("é", 1, 2), None, "inside a character");
    }
}
