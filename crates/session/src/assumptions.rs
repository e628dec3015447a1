//! The assumptions on which a verdict rests, as text.

use crate::options::{Dependence, Options, Strategy};
use crate::plan::Plan;
use crate::setup::Setup;
use crate::unwritten;
use selvedge_analysis::{cxx_snapshots, rust_backoff};
use selvedge_base::StmtId;
use selvedge_ir::{BinOp, Function, Inst, InstKind};
use selvedge_model::Property;
use selvedge_vm::Program;
use std::collections::BTreeSet;

/// The assumptions on which a verdict rests.
pub(crate) fn assumptions(
    options: &Options,
    plan: Plan,
    setup: &Setup,
    program: Option<&Program>,
) -> Vec<String> {
    let mut list = vec![
        "sequential consistency: atomic accesses of every order take effect in one order".to_owned(),
        format!(
            "what is no input is fixed: the program's arguments, standard input and the files that it finds (nothing and none, unless they are given), {}, the user, the host, two processors and 1 GiB of memory, what clocks and the system's random numbers say",
            match setup.vm.environment.is_empty() {
                true => "an empty environment",
                false => "the environment that --env gives",
            }
        ),
        "malloc and its relatives do not fail".to_owned(),
        match plan.quarantine.filter(|_| !plan.keeps_dead) {
            None => "freed memory is not used again".to_owned(),
            Some(length) => format!(
                "the memory of a dead object is used again after {length} later dead ones of its thread and size, the handle of a joined thread after a later joined one of its creator, and the number of a key after its deletion, and a use of memory and handles is noticed until then \
                 (--quarantine)"
            ),
        },
    ];
    if setup.vm.unwritten_inputs {
        list.push(unwritten::ASSUMPTION.to_owned());
    }
    let fingerprints = match (plan.cuts_off(), plan.recalls(options)) {
        (true, _) if plan.strategy == Strategy::Stateful => Some("--strategy stateful"),
        (true, _) => Some("--cutoffs on"),
        (_, true) => Some("--recall on"),
        _ => None,
    };
    if let Some(option) = fingerprints {
        list.push(format!(
            "states with the same fingerprint of 128 bits are the same ({option})"
        ));
    }
    if program.is_some_and(|program| cxx_snapshots::are_strengthened(&program.module)) {
        list.push(
            "std::atomic<std::shared_ptr> gives its lock back with memory_order_release, where libstdc++ 12 writes relaxed in load (docs/semantics.md)"
                .to_owned(),
        );
    }
    if program.is_some_and(Program::starts_rust) {
        list.push(
            "Rust's runtime starts with SIGSEGV and SIGBUS ignored, and finds the key for the ends of threads, and standard output with its buffer; a source is of its package's edition, or of 2021 if it has none (--cflags --edition=YEAR; docs/rust.md)"
                .to_owned(),
        );
    }
    if program.is_some_and(Program::claims) {
        list.push(
            "who waits for a mutex or a read-write lock of Rust's standard library, parking_lot or dashmap gets it once it is free, who waits for a closure that runs once goes on once it has ended, a scope ends once its threads have, and who waits for a condition variable there goes on once it is notified; how they wait is not executed (--rust-locks modelled)"
                .to_owned(),
        );
    }
    if setup.frontend.rust_claims
        && program.is_some_and(|program| rust_backoff::has_counters(&program.module))
    {
        list.push(
            "crossbeam, parking_lot and dashmap look in vain without an effect, so that one look before a thread parks has the outcomes of ten (--rust-locks modelled)"
                .to_owned(),
        );
    }
    if program.is_some_and(Program::joins_channels) {
        list.push(
            "operations on channels of Rust's standard library have the outcomes of operations one after the other, as its queues are linearisable; how they overlap is not executed (--rust-locks modelled)"
                .to_owned(),
        );
    }
    if setup.vm.symbolic_stdin.is_some() || setup.vm.stdin.is_some() {
        list.push(
            "standard input is a file: each read gets all that it asks for, as far as there is input"
                .to_owned(),
        );
    }
    if let Some(path) = &setup.given.test_case {
        list.push(format!("the inputs are those of {} (--input)", path.display()));
    }
    list.extend(
        program
            .filter(|program| plan.turns && program.takes_turns())
            .and_then(turns),
    );
    list.push(if setup.vm.timeouts {
        "timed waits may time out at any moment (until a time that is 68 years ahead or more: never)"
            .to_owned()
    } else {
        "timed waits never time out (--timeouts off)".to_owned()
    });
    let reads_clocks = program.is_some_and(|program| program.longest_time() > 0);
    if reads_clocks && setup.vm.clock_steps != Some(0) {
        list.push(
            "a clock is one second later each time that a thread reads it: no thread sees that less has passed"
                .to_owned(),
        );
    }
    if let Some(steps) = setup.vm.clock_steps {
        list.push(format!(
            "the clock of each thread goes on {steps} times and then stands still (--clock-steps)"
        ));
    }
    if !setup.vm.spurious_wakeups && program.is_none_or(Program::waits) {
        list.push(
            "waits on condition variables and futexes end only when signalled (--spurious-wakeups off)"
                .to_owned(),
        );
    }
    if !setup.vm.weak_failures && program.is_none_or(Program::has_weak_exchanges) {
        list.push(
            "weak compare-exchanges fail only where the values differ (--weak-cas-failures off)".to_owned(),
        );
    }
    if setup.vm.early_handles {
        list.push(
            "a new thread finds its handle where pthread_create puts it (--thread-handles early)".to_owned(),
        );
    }
    list.extend(program.and_then(addresses));
    list.extend(program.and_then(handlers));
    list.extend(program.and_then(waits_for_signals));
    list.extend(program.and_then(whole_copies));
    list.extend(program.and_then(sockets));
    if options.properties.contains(&Property::Overflow) {
        list.extend(program.and_then(shifts));
    }
    list.extend(program.and_then(time_outs_of_sockets));
    if !setup.vm.peers.is_empty() {
        list.push(
            "what the threads of the program do is ordered by what they exchange with peers; a client may do something as soon as its socket listens, a server when somebody has connected (--client, --server, --symbolic-packet)"
                .to_owned(),
        );
    }
    if !setup.vm.other_peers {
        list.push(
            "nobody connects or sends but the peers that are given, so who waits for another one waits for ever, and so does who waits for that thread; neither is a deadlock (--other-peers off)"
                .to_owned(),
        );
    }
    list.extend(program.and_then(ready_descriptors));
    list.extend(program.and_then(timers));
    list.extend(program.and_then(directory_order));
    list.extend(program.and_then(named_semaphores));
    list.extend(program.and_then(message_queues));
    if !setup.vm.visibility.includes_plain() {
        list.push(
            "data-race freedom for the reduction to synchronisation points, which was checked".to_owned(),
        );
    }
    if setup.vm.visibility.includes_plain() && !options.properties.contains(&Property::DataRace) {
        list.push(
            "a plain access of at most 8 bytes, and a piece of 8 bytes that the library copies, happens at once (data races are not asked for)"
                .to_owned(),
        );
    }
    if setup.vm.visibility.includes_plain() {
        list.extend(program.and_then(thread_locals));
    }
    if plan.dependence == Dependence::Predicate {
        list.push(
            "what matters to nothing that was asked for neither faults nor runs for ever, as in the executions explored (--dependence predicate)"
                .to_owned(),
        );
        list.push(
            "no address is a number in the program's initial data, and none results from copying a part of a pointer over another one (--dependence predicate)"
                .to_owned(),
        );
    }
    if let Some(unroll) = setup.vm.unroll {
        list.push(format!(
            "loops are followed {unroll} times within one step (--unroll)"
        ));
    }
    if !setup.absent.is_empty() {
        list.push(format!(
            "the inputs are the whole program: weak symbols that they do not define are null ({})",
            setup.absent.join(", ")
        ));
    }
    list.extend(program.and_then(|program| taken_for_ours(setup, program)));
    if setup.vm.entry != "main" {
        list.push(format!("the program begins at {}", setup.vm.entry));
    }
    list
}

/// The maximum number of places that a line names.
const PLACES: usize = 3;

/// The assumption that functions which an input has as machine code behave like those of the C
/// library.
fn taken_for_ours(setup: &Setup, program: &Program) -> Option<String> {
    let modelled = setup.machine_code.iter();
    let modelled = modelled.filter(|(id, _)| program.missing().all(|(missing, _)| missing != **id));
    let named: Vec<&str> = modelled.map(|(_, named)| named.as_str()).collect();
    let more = match named.len().saturating_sub(PLACES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named
        .get(..named.len().min(PLACES))
        .filter(|named| !named.is_empty())?;
    Some(format!(
        "machine code does what the functions of the C library do that have its names ({}{more})",
        named.join(", ")
    ))
}

/// The assumption that objects have the addresses that the machine gives them, if the program
/// depends on addresses.
fn addresses(program: &Program) -> Option<String> {
    let places = places(program, program.address_uses())?;
    Some(format!(
        "addresses of different objects have one order and one value each, which decide what happens at {places}"
    ))
}

/// The assumption that the program does not tell identical threads apart.
fn turns(program: &Program) -> Option<String> {
    let places = places(program, program.turns())?;
    Some(format!(
        "threads with the same function, and arguments with which it does the same, are interchangeable, which was checked: they are explored in one order at {places} (--symmetry)"
    ))
}

/// The assumption that only the program itself sends signals, if it has handlers.
fn handlers(program: &Program) -> Option<String> {
    let places = places(program, program.handlers())?;
    Some(format!(
        "no signal comes from outside: the handlers set at {places} run only for what the program sends itself"
    ))
}

/// The assumption that no thread uses another thread's variables at the moment when that thread
/// ends, if there are thread-local variables.
fn thread_locals(program: &Program) -> Option<String> {
    let some = program.module.globals.iter().any(|global| global.thread_local);
    some.then(|| {
        "no thread uses a thread-local variable of another one that may end at that moment (--visibility memory)".into()
    })
}

/// The assumption that no handler runs in the middle of a copy.
fn whole_copies(program: &Program) -> Option<String> {
    let module = &program.module;
    let touched = module
        .function(selvedge_analysis::signal_points::COPIES)
        .is_some();
    touched.then(|| {
        "no signal arrives in the middle of a copy of several bytes (an assignment of structures, memcpy, strcpy and the like) of memory that a handler may access".into()
    })
}

/// The assumption about shifts that clang has not marked as signed.
fn shifts(program: &Program) -> Option<String> {
    let own = |function: &&Function| !function.library;
    let shifts = |inst: &Inst| {
        matches!(
            inst.kind,
            InstKind::Bin {
                op: BinOp::Shl,
                nsw: false,
                ..
            }
        )
    };
    let functions = program.module.functions.iter().filter(own);
    let mut insts = functions
        .flat_map(|function| function.blocks.iter())
        .flat_map(|block| block.insts.iter());
    insts.any(shifts).then(|| {
        "no shift to the left overflows that clang has not marked as one of a signed number: it marks them in C sources, but for functions with no_sanitize, and in nothing else (--property overflow)".into()
    })
}

/// The assumption that the signals for which `sigwait` waits come.
fn waits_for_signals(program: &Program) -> Option<String> {
    let has = |name| program.module.function(name).is_some();
    let waits = ["sigwait", "sigwaitinfo", "sigtimedwait", "signalfd"]
        .into_iter()
        .any(has);
    waits.then(|| {
        "a signal that a thread waits for with sigwait, signalfd or the like may come from outside at any moment, and comes in the end".into()
    })
}

/// The assumptions about the network, if the program has sockets.
fn sockets(program: &Program) -> Option<String> {
    let has = |name| program.module.function(name).is_some();
    (has("socket") || has("socketpair")).then(|| {
        "what is sent arrives at once, whole and in order, no datagram is lost, and no other process uses the addresses of the program's sockets".into()
    })
}

/// When time-outs of sockets are set. Where a thread is seen to wait, that is unsupported.
/// But not every strategy explores an order in which it waits.
fn time_outs_of_sockets(program: &Program) -> Option<String> {
    let sets = program.options.timeouts && program.module.function("setsockopt").is_some();
    sets.then(|| "a time-out of a socket is set while no other thread waits in a call on it".into())
}

/// The order in which ready descriptors are reported.
fn ready_descriptors(program: &Program) -> Option<String> {
    let has = |name| program.module.function(name).is_some();
    (has("epoll_wait") || has("epoll_pwait")).then(|| {
        "epoll_wait reports ready descriptors in the order in which they were added to the set".into()
    })
}

/// When timers expire.
fn timers(program: &Program) -> Option<String> {
    let makes = program.module.function("timerfd_create").is_some();
    makes.then(|| {
        "a timer may expire at any moment after it was armed, and does so in the end; a periodic one expires once or twice between two reads"
            .into()
    })
}

/// The order of the entries of a directory.
fn directory_order(program: &Program) -> Option<String> {
    let reads = program.module.function("__selvedge_getdents").is_some();
    reads.then(|| {
        "the entries of a directory come in the order in which their names were first created".into()
    })
}

/// What named semaphores there are.
fn named_semaphores(program: &Program) -> Option<String> {
    let opens = program.module.function("sem_open").is_some();
    opens.then(|| "no named semaphore exists at first, and no other process uses the program's".into())
}

/// What message queues there are.
fn message_queues(program: &Program) -> Option<String> {
    let opens = program.module.function("mq_open").is_some();
    opens.then(|| {
        "no message queue exists at first, no other process uses the program's, and an operation on one happens before later ones of other threads"
            .into()
    })
}

/// The places of statements, the first of them by name.
fn places(program: &Program, stmts: BTreeSet<StmtId>) -> Option<String> {
    let mut places: Vec<(String, u32, u32)> = Vec::new();
    for stmt in stmts {
        let at = program.location(stmt);
        let place = (at.file, at.line, at.column);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.sort_unstable();
    let more = places.len().saturating_sub(PLACES);
    let named: Vec<String> = places
        .iter()
        .take(PLACES)
        .map(|(file, line, column)| format!("{file}:{line}:{column}"))
        .collect();
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}
