//! A part of the hunt: a few hundred programs with fixed seeds, each checked in several ways.
//! `cargo xtask hunt` checks more (docs/hunt.md).

use selvedge_hunt::compare::Disagreement;
use selvedge_hunt::product::Way;
use selvedge_hunt::work::{Case, Counts, Listener, Settings, hunt};
use std::ops::Range;
use std::path::Path;

const SEEDS: Range<u64> = 0..320;

#[derive(Default)]
struct Collector(Vec<String>);

impl Listener for Collector {
    fn begins(&mut self, _: u64, _: &Way) {}

    fn disagrees(&mut self, case: &Case, way: &Way, disagreement: &Disagreement) {
        let Disagreement { class, detail } = disagreement;
        let text = format!("seed {}: {}: {class}: {detail}", case.seed, way.name());
        println!("{text}");
        self.0.push(text);
    }
}

#[test]
fn product_and_enumerator_agree() {
    let settings = Settings {
        directory: Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned(),
    };
    let mut counts = Counts::default();
    let mut found = Collector::default();
    hunt(SEEDS, &settings, &mut counts, &mut found).unwrap_or_else(|error| panic!("{error:#}"));
    println!("{counts:#?}");
    assert!(found.0.is_empty(), "{:#?}", found.0);
    let count = |name: &str| counts.0.get(name).copied().unwrap_or(0);
    // The programs are diverse, and most runs decide.
    assert!(count("programs without a fault") * 10 > count("programs"));
    assert!(count("programs with races") * 8 > count("programs"));
    let undecided: u64 = counts
        .0
        .iter()
        .filter(|(name, _)| name.starts_with("unknown"))
        .map(|(_, n)| n)
        .sum();
    assert!(undecided * 5 < count("runs"), "{undecided} runs are undecided");
}
