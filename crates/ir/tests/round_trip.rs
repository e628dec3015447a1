//! The text format: parsing what was printed gives the same module, and no text makes the parser or
//! the verifier panic.

mod generator;

use proptest::prelude::*;
use selvedge_ir::{parse, verify};

/// If the text is a module, prints and parses it again: the result must be the same module. No text
/// may cause a panic.
fn check_text(text: &str) {
    let Ok(module) = parse(text) else { return };
    let _ = verify(&module);
    let printed = module.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error} in\n{printed}"));
    assert_eq!(again, module, "from\n{printed}");
}

/// A change to a text: removes some bytes at a position and inserts others.
#[derive(Clone, Debug)]
struct Change {
    place: prop::sample::Index,
    removed: usize,
    inserted: String,
}

fn change() -> impl Strategy<Value = Change> {
    let words: &[&str] = &[
        "",
        " ",
        "\n",
        ";",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        "=",
        "+",
        "-",
        "*",
        ".",
        "#",
        "->",
        "\"",
        "\\",
        "0",
        "1",
        "4294967295",
        "4294967296",
        "18446744073709551616",
        "0xffffffffffffffffffffffffffffffff",
        "340282366920938463463374607431768211456",
        "-9223372036854775808",
        "-9223372036854775809",
        "r0",
        "r99",
        "b1",
        "f0",
        "f32",
        "g0",
        "l0",
        "s0",
        "i0",
        "i1",
        "i255",
        "i256",
        "ptr",
        "undef",
        "poison:f64",
        "regs",
        "local",
        "func",
        "global",
        "file",
        "stmt",
        "return",
        "call",
        "load",
        "store",
        "atomic",
        "é",
        "\u{0}",
        "\u{2028}",
    ];
    let inserted = prop_oneof![
        prop::sample::select(words).prop_map(str::to_owned),
        prop::collection::vec(any::<char>(), 0..4).prop_map(|chars| chars.into_iter().collect()),
    ];
    (any::<prop::sample::Index>(), 0..12usize, inserted).prop_map(|(place, removed, inserted)| Change {
        place,
        removed,
        inserted,
    })
}

impl Change {
    fn apply(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let start = self.place.index(chars.len() + 1);
        let end = (start + self.removed).min(chars.len());
        let before: String = chars[..start].iter().collect();
        let after: String = chars[end..].iter().collect();
        before + &self.inserted + &after
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn well_formed_modules_round_trip(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let module = generator::module(&bytes);
        prop_assert_eq!(verify(&module), Ok(()));
        let text = module.to_string();
        match parse(&text) {
            Ok(again) => prop_assert_eq!(again, module, "from\n{}", text),
            Err(error) => prop_assert!(false, "{} in\n{}", error, text),
        }
    }

    #[test]
    fn changed_texts_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..1500),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        let text = generator::module(&bytes).to_string();
        check_text(&changes.iter().fold(text, |text, change| change.apply(&text)));
    }

    #[test]
    fn any_text_never_panics(text in any::<String>()) {
        check_text(&text);
    }
}

#[test]
fn every_kind_of_instruction_is_generated() {
    // Guards the property above against a generator that never makes some construct.
    let mut text = String::new();
    let mut state = 1u64;
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..3000)
            .map(|_| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        text += &generator::module(&bytes).to_string();
    }
    let words = "copy cmp fcmp select overflow sat fshl fshr fma local lifetime_start lifetime_end alloca stack_save \
        stack_restore gep load store rmw cmpxchg fence memcpy memmove memset call va_start va_copy pause unsupported \
        jump branch switch goto return unreachable trap nsw nuw inbounds volatile atomic weak single_thread \
        varargs library scoped thread_local constant external init reloc undef display constructors destructors";
    let operations = selvedge_ir::BinOp::ALL.iter().map(|op| op.name());
    let operations = operations.chain(selvedge_ir::UnOp::ALL.iter().map(|op| op.name()));
    let operations = operations.chain(selvedge_ir::CastOp::ALL.iter().map(|op| op.name()));
    for word in words.split_whitespace().chain(operations) {
        assert!(
            text.contains(&format!(" {word} "))
                || text.contains(&format!(" {word}\n"))
                || text.contains(&format!("\n{word} ")),
            "{word}"
        );
    }
}
