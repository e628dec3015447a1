//! A part that was left out and had given units away: what it explores alone has gaps, and says so.

use selvedge_cluster::Left;
use selvedge_cluster::wire::{Hand, Token};
use selvedge_explore::Stop;
use selvedge_explore::kept::{Begun, Common, GivenUnit, Part, Progress};
use selvedge_session::apart::{Elsewhere, Explored, Made, Outcome, Phase, Task, Terms, hash};
use selvedge_session::{
    Error, Options, PartsWorker, Source, Strategy, Symmetry, Unobserved, check, check_apart,
};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A source of the whole search, of which two units are given away.
struct Two {
    part: Mutex<Option<Part>>,
    made: Mutex<Option<Made>>,
    wanted: AtomicUsize,
}

impl Source for Two {
    fn next(&self) -> Option<Part> {
        self.part.lock().unwrap().take()
    }
    fn made(&self, made: Made) {
        *self.made.lock().unwrap() = Some(made);
    }
    fn wanted(&self) -> usize {
        self.wanted.load(Relaxed)
    }
    fn gave(&self, units: usize) {
        self.wanted.fetch_sub(units, Relaxed);
    }
    fn is_due(&self) -> bool {
        self.wanted() == 0
    }
}

/// Executions of a part alone, and whether that is all of it.
#[derive(Default)]
struct Alone {
    seen: Mutex<Vec<(u64, bool)>>,
}

impl Alone {
    fn explore(&self, phase: &Phase<'_>) -> Result<(), Error> {
        let module = Terms::module_bytes(phase.module)?;
        let worker = PartsWorker::new(&module, &phase.terms, &[])?;
        let two = Two {
            part: Mutex::new(Some(Part::Whole)),
            made: Mutex::default(),
            wanted: AtomicUsize::new(2),
        };
        worker.explore(&phase.common(), &two);
        let made = two.made.into_inner().unwrap().unwrap();
        let Outcome::Part(Progress::Begun(begun)) = made.outcome else {
            panic!("{:?}", made.outcome);
        };
        assert_eq!(begun.given.len(), 2);
        let left = |part: Part, common: &Common| -> Result<_, Error> {
            let hand = Hand {
                run: "run".to_owned(),
                token: Token {
                    incarnation: 1,
                    number: 1,
                },
                module: hash(&module),
                terms: hash(&phase.terms.bytes()?),
                regions: made.learned.regions.clone(),
                common: common.clone(),
                task: Task::Part(part),
                slice: 1,
            };
            let left = Left {
                module: module.clone(),
                terms: phase.terms.bytes()?,
                hand: hand.bytes().unwrap(),
            };
            let explored = Left::read(&left.bytes().unwrap()).unwrap().explore()?;
            let executions = explored.record.statistics.executions;
            self.seen.lock().unwrap().push((executions, explored.is_whole));
            Ok(())
        };
        for given in &begun.given {
            left(Part::Unit(given.unit.clone()), &made.common)?;
        }
        left(Part::Rest(begun.clone()), &made.common)?;
        // The same without the gaps: what nobody has is explored by the part itself.
        let given: Vec<GivenUnit> = Vec::new();
        left(Part::Rest(Begun { given, ..begun }), &made.common)
    }
}

impl Elsewhere for Alone {
    fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error> {
        Alone::explore(self, phase)?;
        Err(Error::Program("enough".to_owned()))
    }
}

#[test]
fn a_part_with_gaps_says_that_it_is_not_whole() {
    let mut options = Options {
        strategy: Some(Strategy::Dpor),
        stop: Stop::Never,
        symmetry: Symmetry::Off,
        ..Options::default()
    };
    options.setup.frontend.define = vec!["N=7".to_owned()];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    options.setup.inputs = vec![root.join("benches/one_mutex.c")];
    let loaded = options.setup.load().unwrap();
    let all = check(&loaded, &options, &Unobserved).unwrap();
    let all = all.report.statistics.executions;
    let alone = Alone::default();
    let error = check_apart(&loaded, &options, &Unobserved, &alone).err();
    assert_eq!(error, Some(Error::Program("enough".to_owned())));
    let seen = alone.seen.into_inner().unwrap();
    let [(first, true), (second, true), (rest, false), (whole, true)] = seen[..] else {
        panic!("{seen:?} of {all}");
    };
    assert_eq!(whole, all, "{seen:?}");
    assert!(first > 0 && second > 0 && rest > 0, "{seen:?}");
    assert!(rest + first + second <= all && rest < all, "{seen:?} of {all}");
}
