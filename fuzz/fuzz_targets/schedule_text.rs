//! Any text: reading it as a schedule never panics, and what was read survives being printed and
//! read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_schedule::Schedule;

fuzz_target!(|text: &str| {
    let Ok(schedule) = text.parse::<Schedule>() else {
        return;
    };
    let printed = schedule.to_string();
    let again = printed
        .parse::<Schedule>()
        .expect("printed text is of the format");
    assert_eq!(again, schedule, "the same schedule comes out of\n{printed}");
});
