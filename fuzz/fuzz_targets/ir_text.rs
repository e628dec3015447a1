//! Any text: reading and verifying it never panics, and what was read survives being printed and
//! read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_ir::{parse, verify};

fuzz_target!(|text: &str| {
    let Ok(module) = parse(text) else { return };
    let verdict = verify(&module);
    let printed = module.to_string();
    let again = parse(&printed).expect("printed text is of the format");
    assert_eq!(again, module, "the same module comes out of\n{printed}");
    assert_eq!(verify(&again), verdict);
});
