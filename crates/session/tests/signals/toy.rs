//! Random programs whose threads send each other signals, as data and as C.

use fastrand::Rng;
use std::fmt::Write;

/// A statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Statement {
    /// Reads an atomic variable, then writes twice the value and a number there.
    Change(u8, u8),
    /// The same for the plain variable of the thread that executes it.
    ChangeOwn(u8),
    /// An atomic addition.
    Add(u8, u8),
    Lock,
    Unlock,
    /// Waits for a signal of the condition variable; the mutex is held.
    Wait,
    Notify,
    /// Takes from the semaphore; writes a number to the variable if a handler interrupts that.
    Take(u8),
    Post,
    /// Sends a signal to a thread.
    Kill(u8, u8),
    /// Sends a signal to the process.
    KillProcess(u8),
    /// Sends a signal to itself.
    Raise(u8),
    Block(u8),
    Unblock(u8),
    /// Unblocks both signals: what each thread does first.
    Open,
    /// Waits for any signal.
    Suspend,
}

/// A program: what each thread executes, what the handler of each signal does, whether calls are
/// restarted after it.
#[derive(Clone, Debug)]
pub struct Toy {
    pub threads: Vec<Vec<Statement>>,
    pub handlers: [Vec<Statement>; 2],
    pub restarts: [bool; 2],
    /// Whether main takes signals, too, while the others run.
    pub main_takes: bool,
}

/// The values of the final state are taken modulo this.
pub const VALUES: u32 = 64;

impl Toy {
    pub fn random(seed: u64) -> Toy {
        let mut rng = Rng::with_seed(seed);
        let rng = &mut rng;
        let count = if rng.usize(..4) == 0 { 3 } else { 2 };
        let mut threads: Vec<Vec<Statement>> = (0..count).map(|_| thread(rng)).collect();
        // Somebody sends something.
        let to = rng.u8(..count as u8);
        let send = match rng.usize(..4) {
            0 => Statement::KillProcess(rng.u8(..2)),
            _ => Statement::Kill(to, rng.u8(..2)),
        };
        let from = (usize::from(to) + 1) % count;
        let at = rng.usize(..=threads[from].len());
        threads[from].insert(at, send);
        let handler = |rng: &mut Rng, signal| {
            let count = rng.usize(1..3);
            (0..count).map(|_| in_handler(rng, signal)).collect()
        };
        Toy {
            threads,
            handlers: [handler(rng, 0), handler(rng, 1)],
            restarts: [rng.bool(), rng.bool()],
            main_takes: rng.usize(..4) == 0,
        }
    }
}

/// A statement of the handler of a signal. Only the first one sends the other, so that there is an
/// end.
fn in_handler(rng: &mut Rng, signal: u8) -> Statement {
    match rng.usize(..8) {
        0..=2 => Statement::ChangeOwn(rng.u8(1..4)),
        3 => Statement::Change(rng.u8(..2), rng.u8(1..4)),
        4 | 5 => Statement::Add(rng.u8(..2), rng.u8(1..4)),
        6 if signal == 0 => Statement::Kill(rng.u8(..2), 1),
        _ => Statement::Post,
    }
}

fn thread(rng: &mut Rng) -> Vec<Statement> {
    let mut all = Vec::new();
    let count = if rng.usize(..4) == 0 { 2 } else { 1 };
    for _ in 0..count {
        match rng.usize(..16) {
            0..=2 => all.push(Statement::ChangeOwn(rng.u8(1..4))),
            3 => all.push(Statement::Change(rng.u8(..2), rng.u8(1..4))),
            4 => all.push(Statement::Add(rng.u8(..2), rng.u8(1..4))),
            5 | 6 => all.extend([Statement::Lock, change(rng), Statement::Unlock]),
            7 => all.extend([Statement::Lock, Statement::Wait, Statement::Unlock]),
            8 => all.extend([Statement::Lock, Statement::Notify, Statement::Unlock]),
            9 => all.push(Statement::Take(rng.u8(..2))),
            10 => all.push(Statement::Post),
            11 => all.push(Statement::Kill(rng.u8(..2), rng.u8(..2))),
            12 => all.push(Statement::Raise(rng.u8(..2))),
            13 | 14 => {
                let signal = rng.u8(..2);
                all.extend([Statement::Block(signal), change(rng), Statement::Unblock(signal)]);
            }
            _ => all.push(Statement::Suspend),
        }
    }
    all
}

fn change(rng: &mut Rng) -> Statement {
    match rng.bool() {
        true => Statement::ChangeOwn(rng.u8(1..4)),
        false => Statement::Change(rng.u8(..2), rng.u8(1..4)),
    }
}

const BEGIN: &str = "#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static _Atomic unsigned x0, x1;
static volatile unsigned own0, own1, own2, own3;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static pthread_t t[3];
static void block(int how, int n) { sigset_t set; sigemptyset(&set); sigaddset(&set, n); pthread_sigmask(how, &set, 0); }
static void all(int how) { sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR1); sigaddset(&set, SIGUSR2); pthread_sigmask(how, &set, 0); }
static void suspend(void) { sigset_t set; sigemptyset(&set); sigsuspend(&set); }
static int me(void) { for (int i = 0; i < COUNT; i++) if (pthread_equal(t[i], pthread_self())) return i; return 3; }
static void change_own(unsigned n)
{
    switch (me()) {
    case 0: own0 = own0 * 2 + n; break;
    case 1: own1 = own1 * 2 + n; break;
    case 2: own2 = own2 * 2 + n; break;
    default: own3 = own3 * 2 + n;
    }
}
";

const SIGNALS: [&str; 2] = ["SIGUSR1", "SIGUSR2"];

/// A program in C, and the line of its first assertion: the n-th one fails if the final value is n.
/// No thread begins before all handles are known, and none is joined before all have ended.
pub fn c(toy: &Toy) -> (String, u32) {
    let count = toy.threads.len();
    let mut text = BEGIN.replace("COUNT", &count.to_string());
    for signal in 0..2 {
        _ = write!(text, "static void h{signal}(int n) {{ (void)n;");
        for &statement in &toy.handlers[signal] {
            _ = write!(text, " {}", line(statement, None));
        }
        text.push_str(" }\n");
    }
    text.push_str("static sem_t go, fin;\n");
    for (number, thread) in toy.threads.iter().enumerate() {
        _ = writeln!(
            text,
            "static void *f{number}(void *p) {{\n    sem_wait(&go); all(SIG_UNBLOCK);"
        );
        for &statement in thread {
            _ = writeln!(text, "    {}", line(statement, Some(number)));
        }
        text.push_str("    all(SIG_BLOCK); sem_post(&fin);\n    return p;\n}\n");
    }
    text.push_str("int main(void) {\n    sem_init(&s, 0, 0); sem_init(&go, 0, 0); sem_init(&fin, 0, 0);\n");
    text.push_str("    all(SIG_BLOCK);\n");
    for (signal, name) in SIGNALS.iter().enumerate() {
        let flags = if toy.restarts[signal] { "SA_RESTART" } else { "0" };
        _ = writeln!(
            text,
            "    struct sigaction a{signal} = {{.sa_handler = h{signal}, .sa_flags = {flags}}}; sigaction({name}, &a{signal}, 0);"
        );
    }
    for number in 0..count {
        _ = writeln!(text, "    pthread_create(&t[{number}], 0, f{number}, 0);");
    }
    if toy.main_takes {
        text.push_str("    all(SIG_UNBLOCK);\n");
    }
    for _ in 0..count {
        text.push_str("    sem_post(&go);\n");
    }
    for _ in 0..count {
        text.push_str("    while (sem_wait(&fin)) ;\n");
    }
    if toy.main_takes {
        text.push_str("    all(SIG_BLOCK);\n");
    }
    for number in 0..count {
        _ = writeln!(text, "    pthread_join(t[{number}], 0);");
    }
    _ = writeln!(
        text,
        "    unsigned f = (x0 + 3 * x1 + 5 * own0 + 7 * own1 + 11 * own2 + 13 * own3) % {VALUES};"
    );
    let first = text.lines().count() as u32 + 1;
    for value in 0..VALUES {
        _ = writeln!(text, "    assert(f != {value});");
    }
    text.push_str("}\n");
    (text, first)
}

fn line(statement: Statement, thread: Option<usize>) -> String {
    match statement {
        Statement::Change(x, n) => format!("{{ unsigned v = x{x}; x{x} = v * 2 + {n}; }}"),
        Statement::ChangeOwn(n) => match thread {
            Some(number) => format!("own{number} = own{number} * 2 + {n};"),
            None => format!("change_own({n});"),
        },
        Statement::Add(x, n) => format!("x{x} += {n};"),
        Statement::Lock => "pthread_mutex_lock(&m);".into(),
        Statement::Unlock => "pthread_mutex_unlock(&m);".into(),
        Statement::Wait => "pthread_cond_wait(&c, &m);".into(),
        Statement::Notify => "pthread_cond_signal(&c);".into(),
        Statement::Take(x) => format!("if (sem_wait(&s)) x{x} += 7;"),
        Statement::Post => "sem_post(&s);".into(),
        Statement::Kill(to, signal) => format!("pthread_kill(t[{to}], {});", SIGNALS[usize::from(signal)]),
        Statement::KillProcess(signal) => format!("kill(getpid(), {});", SIGNALS[usize::from(signal)]),
        Statement::Raise(signal) => format!("raise({});", SIGNALS[usize::from(signal)]),
        Statement::Block(signal) => format!("block(SIG_BLOCK, {});", SIGNALS[usize::from(signal)]),
        Statement::Unblock(signal) => format!("block(SIG_UNBLOCK, {});", SIGNALS[usize::from(signal)]),
        Statement::Open => "all(SIG_UNBLOCK);".into(),
        Statement::Suspend => "suspend();".into(),
    }
}
