//! How efficient many machines are: searches that are too large to be made, in virtual time, with
//! the coordinator of the product (docs/cluster.md).
//!
//!     machines record FILE DEFINE       prints the shape of a search: a file of `shapes`
//!     machines latencies URL            measures a server
//!     machines simulate [WORKERS]       prints a table
//!     machines simulate WORKERS free    the same if messages and the coordinator took no time
//!     machines chain                    prints how much parallelism the searches have

mod chain;
mod clock;
mod latencies;
mod record;
mod shape;
mod work;
mod world;

use chain::Chain;
use latencies::Latencies;
use shape::Shape;
use std::path::Path;
use world::World;

/// The executions of the searches.
const SIZE: u64 = 1_000_000_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["record", file, define] => {
            let recorded = record::record(file, define);
            print!("{}", shape::write(&format!("{file} {define}"), &recorded));
        }
        ["latencies", url] => println!("{:?}", latencies::measure(url)),
        ["simulate"] => simulate("1,10,100,1000", Latencies::MEASURED),
        ["simulate", workers] => simulate(workers, Latencies::MEASURED),
        ["simulate", workers, "free"] => simulate(workers, Latencies::NONE),
        ["chain"] => chain(),
        _ => panic!("which of record, latencies, simulate, chain?"),
    }
}

/// The searches, with the time of an execution in nanoseconds if it is not the recorded one.
const SEARCHES: [(&str, Option<u64>); 5] = [
    ("one_mutex", None),
    ("one_mutex", Some(100_000)),
    ("one_mutex", Some(1_000_000)),
    ("bounded_queue", None),
    ("bounded_queue", Some(100_000)),
];

fn shape(name: &str, cost: Option<u64>) -> Shape {
    let shapes = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/machines/shapes");
    let text = std::fs::read_to_string(shapes.join(format!("{name}.txt"))).expect("a shape");
    Shape::read(&text, SIZE, cost)
}

fn chain() {
    println!("| search | time of an execution | parallelism | if entries were known early |");
    println!("| --- | ---: | ---: | ---: |");
    for (name, cost) in SEARCHES {
        let shape = shape(name, cost);
        let [late, early] = [false, true].map(|early| Chain::parallelism(&shape, early));
        println!(
            "| `{name}` | {} µs | {late:.0} | {early:.0} |",
            shape.cost / 1_000
        );
    }
}

fn simulate(workers: &str, latencies: Latencies) {
    println!(
        "| search | time of an execution | workers | efficiency | workers wait | coordinator busy | server busy | parts |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, cost) in SEARCHES {
        let shape = shape(name, cost);
        for workers in workers.split(',') {
            let workers = workers.parse().expect("a number");
            let outcome = World::run(&shape, workers, latencies);
            println!(
                "| `{name}` | {} µs | {workers} | {:.3} | {:.0} % | {:.0} % | {:.0} % | {} |",
                shape.cost / 1_000,
                outcome.efficiency,
                outcome.idle * 100.0,
                outcome.coordinator * 100.0,
                outcome.server * 100.0,
                outcome.parts
            );
        }
    }
}
