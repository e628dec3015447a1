//! Options of the compiler that run no code. A file from an untrusted source may use these only.

/// Options without a value: language, warnings, code generation.
const FLAGS: [&str; 57] = [
    "-w",
    "-g",
    "-g0",
    "-g1",
    "-g2",
    "-g3",
    "-ggdb",
    "-gdwarf-4",
    "-gdwarf-5",
    "-ansi",
    "-pedantic",
    "-pedantic-errors",
    "-pthread",
    "-m64",
    "-fblocks",
    "-fcommon",
    "-fno-common",
    "-fdeclspec",
    "-fexceptions",
    "-fno-exceptions",
    "-frtti",
    "-fno-rtti",
    "-ffast-math",
    "-fno-fast-math",
    "-fmath-errno",
    "-fno-math-errno",
    "-ffreestanding",
    "-fhosted",
    "-fbuiltin",
    "-fno-builtin",
    "-fgnu89-inline",
    "-finline-functions",
    "-fno-inline",
    "-fno-inline-functions",
    "-fms-extensions",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-fPIC",
    "-fpic",
    "-fno-pic",
    "-fPIE",
    "-fpie",
    "-fno-pie",
    "-fshort-enums",
    "-fno-short-enums",
    "-fsigned-char",
    "-funsigned-char",
    "-fstack-protector",
    "-fstack-protector-strong",
    "-fno-stack-protector",
    "-fstrict-aliasing",
    "-fno-strict-aliasing",
    "-ftrapv",
    "-fwrapv",
    "-fno-wrapv",
    "-fno-unroll-loops",
    "-fno-vectorize",
];

/// Options with a plain value in the same word.
const PREFIXES: [&str; 15] = [
    "-O",
    "-std=",
    "-W",
    "-march=",
    "-mtune=",
    "-mcpu=",
    "-msse",
    "-mno-sse",
    "-mavx",
    "-mno-avx",
    "-mbmi",
    "-mcx16",
    "-fvisibility=",
    "-ffp-contract=",
    "-fno-builtin-",
];

/// The rest of the word goes to another tool, and can name files and programs.
const PASSED_ON: [&str; 3] = ["-Wl,", "-Wa,", "-Wp,"];

/// Options of the code generator and the preprocessor with a plain value.
const VALUES: [&str; 14] = [
    "-fabi-version=",
    "-falign-functions=",
    "-fcf-protection=",
    "-fconstexpr-",
    "-fdebug-prefix-map=",
    "-fdiagnostics-",
    "-fexcess-precision=",
    "-ffile-prefix-map=",
    "-fmacro-prefix-map=",
    "-fmax-",
    "-fmessage-length=",
    "-fpack-struct=",
    "-ftemplate-depth=",
    "-ftls-model=",
];

/// Options that name headers, directories of headers, or macros.
const HEADERS: [&str; 11] = [
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
    "-D",
    "-U",
    "-working-directory",
];

/// Whether the option neither loads code nor names a file or a directory.
#[must_use]
pub fn is_harmless(flag: &str) -> bool {
    if FLAGS.contains(&flag) {
        return true;
    }
    if PASSED_ON.iter().any(|prefix| flag.starts_with(prefix)) {
        return false;
    }
    if flag.len() > 2 && (flag.starts_with("-D") || flag.starts_with("-U")) {
        return true;
    }
    let plain = |rest: &str| {
        rest.chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-_=.".contains(c))
    };
    PREFIXES
        .iter()
        .find_map(|prefix| flag.strip_prefix(prefix))
        .is_some_and(plain)
}

/// The first option of a build that could run code; sources and outputs are not in `words`. Such
/// options are plugins, programs in other directories, options for other programs, and all unknown
/// options. Headers may be in any directory.
#[must_use]
pub fn first_unknown(words: &[String]) -> Option<&str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if HEADERS.contains(&word.as_str()) {
            words.next();
            continue;
        }
        // A header for the compiler proper.
        if let ["-Xclang", "-include", "-Xclang", _, ..] = [
            Some(word),
            words.as_slice().first(),
            words.as_slice().get(1),
            words.as_slice().get(2),
        ]
        .map(|word| word.map_or("", String::as_str))
        {
            words.nth(2);
            continue;
        }
        let lower = |rest: &str| {
            rest.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-+.".contains(c))
        };
        let known = is_harmless(word)
            || HEADERS.iter().any(|option| word.starts_with(option))
            || VALUES.iter().any(|prefix| word.starts_with(prefix))
            // An option without a value names no file.
            || word.strip_prefix("-f").is_some_and(lower)
            || word.strip_prefix("-m").is_some_and(lower) && word != "-mllvm"
            || word.strip_prefix("-Wp,").is_some_and(|rest| rest.starts_with("-D") && !rest.contains(','));
        if !known {
            return Some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_may_ask_for_headers_and_macros() {
        let words = |text: &str| crate::split(text);
        assert_eq!(
            first_unknown(&words(
                "-I /x -I../y -isystem z -include config.h -DX='a b' -std=gnu11 -fPIC -fno-tree-pre -mavx2 -march=native -Wp,-D_F=2 -Xclang -include -Xclang x.h -pthread"
            )),
            None
        );
        for bad in [
            "-fplugin=x.so",
            "-fpass-plugin=x.so",
            "-Xclang",
            "-mllvm",
            "-B.",
            "-B",
            "-specs=x",
            "--config=x",
            "--config",
            "@x",
            "-Wp,-include,/x",
            "-wrapper",
            "-fmodule-file=x",
            "-fmodules-cache-path=x",
            "-ccc-gcc-name",
            "-resource-dir=x",
            "x.c",
            "-ivfsoverlay",
            "-fprofile-use=x",
            "-frewrite-map-file=x",
            "-Xpreprocessor",
            "--gcc-toolchain=x",
        ] {
            assert_eq!(first_unknown(&words(&format!("-DX {bad} -DY"))), Some(bad));
        }
    }
}
