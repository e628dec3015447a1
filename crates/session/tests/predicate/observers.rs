//! Write-write pruning on random C programs whose threads write more than they read: the same
//! findings as under conflict dependence.
//!
//! `SELVEDGE_OBSERVERS=FROM..TO` runs other seeds.

use crate::{Also, agree, compared, generate, seen_with};
use selvedge_model::Verdict;
use selvedge_session::{Dependence, Strategy};
use std::fmt::Write;
use std::ops::Range;

const SEEDS: Range<u64> = 0..80;

#[derive(Default, Debug)]
struct Counts {
    programs: u32,
    violated: u32,
    verified: u32,
    fewer: u32,
    too_large: u32,
}

const START: &str = r"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static int a, b, table[2];
static atomic_int u;
static struct pair { int one, two; } s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
";

/// A program by its number. Every fourth one is one of those for slices.
fn program(seed: u64) -> String {
    if seed % 4 == 3 {
        return generate::program(seed);
    }
    let mut random = fastrand::Rng::with_seed(seed ^ 0x0b5);
    let mut text = START.to_owned();
    let threads = 2 + usize::from(seed.is_multiple_of(8));
    for thread in 0..threads {
        let _ = writeln!(text, "static void *t{thread}(void *arg)\n{{\n    int r = 0;");
        for _ in 0..random.usize(1..=5 - threads) {
            text += &piece(&mut random, thread);
        }
        text += "    (void)r;\n    return arg;\n}\n";
    }
    text += "int main(void)\n{\n    pthread_t id[3];\n    int r = 0;\n    struct pair copy = {0, 0};\n    b = 1;\n";
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&id[{thread}], 0, t{thread}, 0);");
    }
    if random.bool() {
        text += &piece(&mut random, threads);
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
    }
    text += "    memcpy(&copy, &s, sizeof copy);\n";
    for _ in 0..2 {
        let place = ["a", "b", "u", "s.one", "copy.one", "copy.two", "table[0]"];
        let place = place[random.usize(..place.len())];
        let value = 10 * random.usize(1..=threads) + random.usize(..2);
        let _ = writeln!(text, "    assert({place} != {value} || r);");
    }
    text + "    return 0;\n}\n"
}

fn piece(random: &mut fastrand::Rng, thread: usize) -> String {
    let place = ["a", "a", "b", "u", "s.one", "s.two", "table[0]"];
    let at = place[random.usize(..place.len())];
    let value = 10 * (thread + 1) + random.usize(..2);
    match random.u32(..14) {
        0..6 => format!("    {at} = {value};\n"),
        6 => format!("    r = {at};\n"),
        7 => format!("    assert({at} != {value});\n"),
        8 => format!("    if ({at} == 10)\n        b = {value};\n"),
        9 => format!("    r = atomic_fetch_add(&u, {value});\n"),
        10 => format!("    pthread_mutex_lock(&m);\n    {at} = {value};\n    pthread_mutex_unlock(&m);\n"),
        11 => format!("    s = (struct pair){{{value}, {value}}};\n"),
        12 => format!("    memset(&s, {thread}, sizeof s);\n    {at} = {value};\n"),
        _ => format!("    {at} += 1;\n"),
    }
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let name = format!("observer{seed}");
    let (path, program) =
        compared::load("predicate", &name, &program(seed)).unwrap_or_else(|e| panic!("{e}"));
    let explored = |by, also| seen_with(&path, &program, (by, Strategy::Dpor, also), false);
    let all = explored(Dependence::Conflict, Also::Nothing);
    let few = explored(Dependence::Predicate, Also::Prune);
    let (Some(all), Some(few)) = (all, few) else {
        counts.too_large += 1;
        return Ok(());
    };
    counts.programs += 1;
    counts.violated += u32::from(all.seen.verdict == Verdict::Violated);
    counts.verified += u32::from(all.seen.verdict == Verdict::Verified);
    counts.fewer += u32::from(few.executions < all.executions);
    agree(&path, "prune", &all, &few)
}

#[test]
fn writes_that_no_read_tells_apart_lose_nothing() {
    let counts = compared::all("SELVEDGE_OBSERVERS", SEEDS, compare);
    let enough = counts.violated > 10 && counts.verified > 10 && counts.fewer > 20;
    assert!(
        compared::chosen("SELVEDGE_OBSERVERS").is_some() || enough,
        "{counts:?}"
    );
}
