//! Explores a toy and prints its counts and speed: `steps [unprotected|locked|sections] THREADS
//! [JOBS]`.

use selvedge_explore::{Config, Control, Stop, dpor};
use selvedge_model::NoDetector;
use selvedge_model::toy::{Toy, ToyMachine};
use std::time::Instant;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |i: usize, default: usize| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let sections = [r#"["lock", "m"], ["unlock", "m"]"#; 8].join(",");
    let code = match arguments.get(1).map(String::as_str) {
        Some("locked") => r#"["lock", "m"], ["add", "x", 1], ["unlock", "m"]"#,
        Some("sections") => &sections,
        _ => r#"["read", "x", "r"], ["write", "x", "r"]"#,
    };
    let threads = vec![format!("[{code}]"); number(2, 4)].join(",");
    let toy = Toy::parse(&format!(r#"{{"vars": {{"x": 0}}, "threads": [{threads}]}}"#))?;
    let machine = ToyMachine::new(&toy)?;
    let config = Config {
        stop: Stop::Never,
        jobs: number(3, 1),
        ..Config::default()
    };
    let start = Instant::now();
    let report = dpor::explore(&|| (machine.clone(), NoDetector), &config, &Control::new());
    let seconds = start.elapsed().as_secs_f64();
    println!("{:?}", report.statistics);
    println!(
        "{seconds:.3} s, {:.0} events/s",
        report.statistics.events as f64 / seconds
    );
    Ok(())
}
