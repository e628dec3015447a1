//! Names for people.

/// The demangled form of a C++ or Rust linkage name; other names as they are.
pub fn demangle(name: &str) -> String {
    if is_rust(name)
        && let Ok(rust) = rustc_demangle::try_demangle(name)
    {
        return format!("{rust:#}");
    }
    if name.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(name)
        && let Ok(text) = symbol.demangle()
    {
        return text.replace("_GLOBAL__N_1", "(anonymous namespace)");
    }
    name.to_owned()
}

/// Whether a name is a mangled Rust name. Legacy Rust names look like C++ names that end with a
/// hash.
fn is_rust(name: &str) -> bool {
    let hash = name.rfind("17h").map(|at| &name.as_bytes()[at + 3..]);
    let ends =
        |hash: &[u8]| hash.len() > 16 && hash[..16].iter().all(u8::is_ascii_hexdigit) && hash[16] == b'E';
    name.starts_with("_R") || hash.is_some_and(ends)
}
