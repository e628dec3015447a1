//! An oracle counts only once it was seen to fail: some random toy notices each mistake.
//! `--nocapture` prints which.

use crate::random::{Outcome, outcome};
use selvedge_explore::reads::Weaken;
use selvedge_model::toy::{Toy, mixed_toy, random_toy, waking_toy};

fn toys() -> impl Iterator<Item = Toy> {
    (0..2_000).map(|seed| match seed % 4 {
        0 | 1 => random_toy(seed),
        2 => mixed_toy(seed),
        _ => waking_toy(seed),
    })
}

#[test]
fn every_mistake_is_noticed() {
    let mut open = vec![
        Weaken::Atomicity,
        Weaken::Revisits,
        Weaken::Dropped,
        Weaken::StaleDecision,
        Weaken::Waiting,
        Weaken::LastWrite,
        Weaken::SourceByPlace,
        Weaken::Decisions,
    ];
    for (number, toy) in toys().enumerate() {
        if open.is_empty() {
            break;
        }
        let Outcome::Same(executions) = outcome(&toy, Weaken::Nothing) else {
            continue;
        };
        if executions > 20 {
            continue;
        }
        open.retain(|&weaken| {
            let found = outcome(&toy, weaken);
            // A machine that cannot follow notices, too.
            let noticed = matches!(found, Outcome::Wrong(_) | Outcome::Uncovered(_));
            if noticed {
                println!("{weaken:?}: noticed by toy {number}: {found:?}");
            }
            !noticed
        });
    }
    assert_eq!(open, [], "not noticed");
}
