//! Names in LLVM's text form.

/// The first symbol of a line, without quotes.
pub(crate) fn symbol(line: &str) -> Option<&str> {
    let rest = line.split_once('@')?.1;
    if let Some(quoted) = rest.strip_prefix('"') {
        return quoted.split('"').next();
    }
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Whether a character may stand in a name without quotes.
pub(crate) fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-$._".contains(c)
}
