//! What messages take, as measured with a server on the same machine.

use selvedge_cluster::nats::{Access, Server};
use selvedge_cluster::wire::{Beat, Hand, Token};
use selvedge_explore::kept::{Common, Part};
use selvedge_session::apart::Task;
use std::time::{Duration, Instant};

/// Latencies in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// From the publication of a message to the answer of the server that it is kept.
    pub kept: u64,
    /// From the publication of a message to its arrival, if somebody waits for it.
    pub arrives: u64,
    /// What a client needs to send a message that is not kept.
    pub sends: u64,
    /// The time in which the server can take one message that it keeps.
    pub server: u64,
}

const TIMES: u64 = 300;

/// Measures a server to which nobody else is connected.
pub fn measure(url: &str) -> Latencies {
    let server = Server::connect(url, &Access::default(), 1).expect("a server");
    let tasks = server.tasks().expect("its tasks");
    let hand = |number| Hand {
        run: "latencies".to_owned(),
        token: Token {
            incarnation: fastrand::u64(..),
            number,
        },
        module: "m".repeat(32),
        terms: "t".repeat(32),
        regions: Vec::new(),
        common: Common::default(),
        task: Task::Part(Part::Whole),
        slice: 2_000,
    };
    let take = || {
        let begun = Instant::now();
        // A request for tasks that is used up is made again.
        loop {
            let turn = server.take(&tasks, Duration::from_secs(1)).expect("an answer");
            if let Some(turn) = turn {
                return turn;
            }
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
    };
    let (mut kept, mut arrives) = (Vec::new(), Vec::new());
    for number in 0..TIMES {
        let begun = Instant::now();
        assert!(server.hand(&[hand(number)]).is_empty());
        kept.push(begun.elapsed());
        let turn = take();
        arrives.push(begun.elapsed());
        server.done(turn);
    }
    let many: Vec<Hand> = (0..TIMES).map(hand).collect();
    let begun = Instant::now();
    assert!(server.hand(&many).is_empty());
    let all = begun.elapsed();
    (0..TIMES).for_each(|_| server.done(take()));
    let beat = Beat {
        worker: "host.1.1".to_owned(),
        tool: "0".to_owned(),
        has: None,
        since: 0,
    };
    let begun = Instant::now();
    (0..TIMES).for_each(|_| server.beat(&beat));
    let sends = begun.elapsed();
    Latencies {
        kept: median(kept),
        arrives: median(arrives),
        sends: sends.as_nanos() as u64 / TIMES,
        server: all.as_nanos() as u64 / TIMES,
    }
}

fn median(mut times: Vec<Duration>) -> u64 {
    times.sort();
    times[times.len() / 2].as_nanos() as u64
}

impl Latencies {
    /// About the double, and more, of what was measured with nats-server 2.9 on the same machine
    /// (0.07 ms, 0.16 ms, 0.5 µs and 12 µs), as between machines of one network.
    pub const MEASURED: Latencies = Latencies {
        kept: 300_000,
        arrives: 300_000,
        sends: 10_000,
        server: 30_000,
    };

    /// Nothing takes any time, and the coordinator computes at once.
    pub const NONE: Latencies = Latencies {
        kept: 0,
        arrives: 0,
        sends: 0,
        server: 0,
    };

    /// True for [`NONE`](Latencies::NONE).
    pub fn is_none(&self) -> bool {
        self.kept == 0
    }
}
