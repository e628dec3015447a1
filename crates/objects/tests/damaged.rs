//! Sections are added and read again. Damaged bytes never cause a panic: what is read is rejected
//! or lies within the file.

use fastrand::Rng;
use selvedge_objects::archive;
use selvedge_objects::elf::{Added, Elf};
use selvedge_objects::record::{Head, Record, SECTION, records};

fn record(source: &str, bitcode: &'static [u8]) -> Record<'static> {
    let mut head = Head::new(source.to_owned(), "/there".to_owned());
    head.read.push(("a.h".to_owned(), [1, u64::MAX]));
    Record { head, bitcode }
}

/// The file with an additional section of notes.
fn with(bytes: &[u8], notes: &[u8]) -> Vec<u8> {
    let Added { tail, head } = Elf::parse(bytes).unwrap().with_notes(SECTION, notes).unwrap();
    let mut out = [bytes, &tail].concat();
    out[..head.len()].copy_from_slice(&head);
    out
}

/// This test program: a file that a real linker has made.
fn own() -> Vec<u8> {
    std::fs::read(std::env::current_exe().unwrap()).unwrap()
}

#[test]
fn sections_are_added_and_read() {
    let bytes = own();
    let before = Elf::parse(&bytes).unwrap();
    assert!(before.is_program() && before.sections(SECTION).next().is_none());
    let (one, two) = (record("a.c", b"BC1"), record("b.c", b"BC-longer"));
    let once = with(&bytes, &one.note().unwrap());
    // A linker concatenates sections and may pad between them with zeros.
    let joined = [two.note().unwrap(), vec![0; 8], one.note().unwrap()].concat();
    let twice = with(&once, &joined);
    let elf = Elf::parse(&twice).unwrap();
    let found: Vec<_> = elf
        .sections(SECTION)
        .flat_map(|section| records(section).unwrap())
        .collect();
    assert_eq!(found, [one.clone(), two, one]);
    assert_eq!(elf.defined(), before.defined());
    assert_eq!(elf.dynamic(), before.dynamic());
    assert!(
        elf.dynamic()
            .needed
            .iter()
            .any(|name| name.starts_with("libc.so"))
    );
    assert!(
        elf.defined()
            .iter()
            .any(|symbol| symbol.name == "main" && symbol.function)
    );
}

#[test]
fn another_version_is_named() {
    let mut note = record("a.c", b"BC").note().unwrap();
    // The version is the first field of the head: after 12 bytes, a name of 12, and a length.
    assert_eq!(note[28], 1);
    note[28] = 9;
    assert!(
        records(&note)
            .unwrap_err()
            .to_string()
            .contains("another version of selvedge (9")
    );
}

#[test]
fn damaged_sections() {
    let note = [
        record("a.c", b"BC1").note().unwrap(),
        record("b", b"").note().unwrap(),
    ]
    .concat();
    let mut random = Rng::with_seed(3);
    for length in 0..note.len() {
        let _ = records(&note[..length]);
    }
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..200_000 {
        let mut bad = note.clone();
        for _ in 0..random.u32(1..4) {
            let at = random.usize(..bad.len());
            bad[at] = random.u8(..);
        }
        match records(&bad) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000 && accepted > 1000, "{refused} {accepted}");
}

#[test]
fn damaged_files() {
    let bytes = with(&own(), &record("a.c", b"BC1").note().unwrap());
    let mut random = Rng::with_seed(4);
    let (mut refused, mut accepted) = (0, 0);
    let mut bad = bytes.clone();
    for round in 0..20_000 {
        // Damage the header, or the section table, which is the last part of the file.
        let tail = bytes.len() - 4096.min(bytes.len());
        let places: Vec<usize> = (0..random.u32(1..4))
            .map(|_| {
                if round % 2 == 0 {
                    random.usize(..64)
                } else {
                    random.usize(tail..bytes.len())
                }
            })
            .collect();
        for &at in &places {
            bad[at] = if random.bool() { random.u8(..) } else { 0xff };
        }
        match Elf::parse(&bad) {
            Ok(elf) => {
                accepted += 1;
                for section in elf.sections(SECTION) {
                    let _ = records(section);
                }
                let _ = elf.dynamic();
                let _ = elf.is_program();
                if round % 50 == 0 {
                    let _ = elf.defined();
                    let _ = elf.with_notes(SECTION, b"xxxx");
                }
            }
            Err(_) => refused += 1,
        }
        for at in places {
            bad[at] = bytes[at];
        }
    }
    assert!(refused > 1000 && accepted > 1000, "{refused} {accepted}");
    for length in (0..bytes.len()).step_by(bytes.len() / 97) {
        let _ = Elf::parse(&bytes[..length]);
    }
}

#[test]
fn damaged_archives() {
    let mut text = archive::MAGIC.to_vec();
    for (name, contents) in [
        ("//", "a_long_name_of_a_member.o/\n"),
        ("/0", "abcd"),
        ("#1/4", "x.o\0yz"),
        ("b.o/", ""),
    ] {
        text.extend(format!("{name:<48}{:<10}`\n{contents}", contents.len()).bytes());
        if contents.len() % 2 == 1 {
            text.push(b'\n');
        }
    }
    let members = archive::members(&text).unwrap();
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["a_long_name_of_a_member.o", "x.o", "b.o"]);
    let mut random = Rng::with_seed(5);
    for _ in 0..200_000 {
        let mut bad = text.clone();
        for _ in 0..random.u32(1..5) {
            let at = random.usize(..bad.len());
            bad[at] = *random.choice(b"0123456789/ \x00\xff`\n#".iter()).unwrap();
        }
        bad.truncate(random.usize(..=bad.len()));
        for member in archive::members(&bad).into_iter().flatten() {
            assert!(
                member
                    .place
                    .is_none_or(|place| place.end <= bad.len() && place.start <= place.end)
            );
        }
    }
}
