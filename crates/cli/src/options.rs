//! From the command line to the options of a session.

use crate::args::{
    BoundedPolling, CheckArgs, InputArgs, MoreStatistics, RustLocks, SearchOrder, StopAt, StrategyOption,
    ThreadHandles,
};
use selvedge_explore::{Order, Stop};
use selvedge_model::Property;
use selvedge_session::{Checkpoints, Given, Options, Setup, TestCases};
use selvedge_vm::SolverOptions;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the command line asks for. `interrupted` ends the run.
pub(crate) fn options(
    args: &CheckArgs,
    properties: BTreeSet<Property>,
    interrupted: &Arc<AtomicBool>,
) -> Options {
    let cases = args.given.emit_tests.as_deref();
    Options {
        setup: setup(args, &properties),
        properties,
        strategy: match args.strategy {
            StrategyOption::Auto => None,
            StrategyOption::Given(strategy) => Some(strategy),
        },
        dependence: args.dependence,
        symmetry: args.symmetry,
        awaits: args.awaits.on(),
        confined: args.confined.on(),
        additions: args.additions.on(),
        sleep_sets: args.sleep_sets.on(),
        peek: args.peek.on(),
        write_write_pruning: args.write_write_pruning.on(),
        recall: args.recall.on(),
        visibility: args.visibility,
        counts_choices: !args.statistics.is_empty(),
        necessary_choices: args.statistics.contains(&MoreStatistics::NecessaryChoices),
        search: match args.search {
            SearchOrder::Dfs => Order::DepthFirst,
            SearchOrder::Bfs => Order::BreadthFirst,
            SearchOrder::Random => Order::Random,
            SearchOrder::Coverage => Order::Coverage,
        },
        cutoffs: args.cutoffs.on(),
        partial: args.k,
        quarantine: args.quarantine,
        dump_unfolding: args.dump_unfolding.is_some(),
        max_executions: args.max_executions,
        max_events: args.max_events,
        stop: match args.stop {
            StopAt::First => Stop::First,
            StopAt::Never => Stop::Never,
        },
        jobs: args.jobs.map(usize::from),
        seed: args.seed,
        coverage: args.given.coverage.is_some(),
        test_cases: cases.map(|directory| TestCases::at(directory, Arc::clone(interrupted))),
        apart: args.cluster.is_some(),
        checkpoints: Checkpoints {
            file: args.checkpoint.clone(),
            interval: args.checkpoint_interval,
            resume: args.resume.clone(),
        },
    }
}

fn setup(args: &CheckArgs, properties: &BTreeSet<Property>) -> Setup {
    let looks_for_memory = [Property::Leak, Property::Cleanup]
        .iter()
        .any(|asked| properties.contains(asked));
    let mut vm = selvedge_vm::Options {
        timeouts: args.timeouts.on(),
        clock_steps: args.clock_steps,
        spurious_wakeups: args.spurious_wakeups.on(),
        weak_failures: args.weak_cas_failures.on(),
        early_handles: args.thread_handles == ThreadHandles::Early,
        other_peers: args.other_peers.on(),
        args: args.args.clone(),
        entry: args.source.entry.clone(),
        unroll: args.unroll,
        input_size: args.given.input_size,
        symbolic_args: args.given.argument_sizes(),
        environment: args.given.env.clone(),
        symbolic_stdin: args.given.symbolic_stdin,
        symbolic_files: args.given.symbolic_file.clone(),
        solver: solver(&args.given),
        ..Default::default()
    };
    let given = Given {
        stdin: args.given.stdin.clone(),
        files: args.given.file.clone(),
        trees: args.given.dir.clone(),
        peers: args.given.peers(),
        test_case: args.given.input.clone(),
    };
    given.fill(&mut vm);
    Setup {
        epochs: false,
        one_block_class: false,
        predicate: None,
        inputs: args.inputs.clone(),
        frontend: selvedge_frontend::Options {
            poll_once: args.bounded_polling == BoundedPolling::Once,
            scratch_registers: true,
            rust_claims: args.rust_locks == RustLocks::Modelled,
            rust_threads_kept: !looks_for_memory,
            ..args.source.frontend()
        },
        vm,
        given,
        absent: Vec::new(),
        machine_code: Default::default(),
    }
}

fn solver(given: &InputArgs) -> SolverOptions {
    let mut options = SolverOptions::default();
    if let Some(timeout) = given.solver_timeout {
        options.timeout = timeout.0;
    }
    options.layers.clone_from(&given.solver_layers);
    if let Some(layers) = &mut options.layers {
        layers.retain(|layer| layer != "none");
    }
    options.log_queries.clone_from(&given.log_queries);
    options
}
