//! The C program of a toy.

use crate::toy::{Action, Own, Statement, Toy, VALUES};
use std::fmt::Write;

const BEGIN: &str = "#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static _Atomic unsigned x0, x1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s0, s1, go, fin;
static pthread_t t[4];
static volatile unsigned left = 2;
static void block(int how, int n) { sigset_t set; sigemptyset(&set); sigaddset(&set, n); pthread_sigmask(how, &set, 0); }
static void all(int how) { sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR1); sigaddset(&set, SIGUSR2); pthread_sigmask(how, &set, 0); }
static void suspend(void) { sigset_t set; sigemptyset(&set); sigsuspend(&set); }
static void await(int n) { sigset_t set; int got; sigemptyset(&set); sigaddset(&set, n); sigwait(&set, &got); assert(got == n); }
static void again(int n) { if (left) { left--; raise(n); } }
";

const SIGNALS: [&str; 2] = ["SIGUSR1", "SIGUSR2"];

/// What a statement of a thread or handler is written with.
struct Writer<'a> {
    toy: &'a Toy,
    /// The thread; none in a handler.
    thread: Option<usize>,
}

/// The number of the plain variable of a thread.
pub fn own_of(toy: &Toy, thread: usize) -> usize {
    if thread == toy.main_number() { 3 } else { thread }
}

/// A program in C, and the line of its first assertion: the n-th one fails if the final value is n.
/// No thread begins before all handles are known, and none is joined before all have ended.
pub fn c(toy: &Toy) -> (String, u32) {
    let (count, late) = (toy.threads.len(), toy.is_late());
    let mut text = BEGIN.to_owned();
    variables(toy, &mut text);
    for signal in 0..2 {
        _ = write!(text, "static void h{signal}(int n) {{ (void)n;");
        for &statement in &toy.handlers[signal].code {
            _ = write!(text, " {}", Writer { toy, thread: None }.line(statement));
        }
        text.push_str(" }\n");
    }
    text.push_str("static void act(int n, int what) {\n    struct sigaction a = {0};\n");
    for (signal, name) in SIGNALS.iter().enumerate() {
        let handler = &toy.handlers[signal];
        let flags = [
            (handler.restarts, "SA_RESTART"),
            (handler.nests, "SA_NODEFER"),
            (handler.resets, "SA_RESETHAND"),
        ];
        let flags: String = (flags.iter().filter(|flag| flag.0))
            .map(|flag| format!(" | (int){}", flag.1))
            .collect();
        _ = write!(
            text,
            "    if (n == {name}) {{ a.sa_handler = h{signal}; a.sa_flags = 0{flags};"
        );
        if handler.blocks_other {
            _ = write!(text, " sigaddset(&a.sa_mask, {});", SIGNALS[1 - signal]);
        }
        text.push_str(" }\n");
    }
    text.push_str("    if (what == 1) a.sa_handler = SIG_IGN;\n    if (what == 2) a.sa_handler = SIG_DFL;\n");
    text.push_str("    sigaction(n, &a, 0);\n}\n");
    for (number, thread) in toy.threads.iter().enumerate() {
        let waits = count > 1 && !(late && number + 1 == count);
        _ = writeln!(text, "static void *f{number}(void *p) {{");
        begin(toy, number, &mut text);
        text.push_str(if waits { "    sem_wait(&go);" } else { "   " });
        text.push_str(" all(SIG_UNBLOCK);\n");
        body(toy, number, thread, &mut text);
        text.push_str("    all(SIG_BLOCK);\n");
        end(toy, number, &mut text);
        text.push_str("    sem_post(&fin);\n    return p;\n}\n");
    }
    text.push_str("int main(void) {\n    t[3] = pthread_self(); all(SIG_BLOCK);\n");
    // Handlers run at points only in programs that send signals otherwise than by `raise`.
    text.push_str("    pthread_kill(t[3], 0);\n");
    for semaphore in ["s0", "s1", "go", "fin"] {
        _ = writeln!(text, "    sem_init(&{semaphore}, 0, 0);");
    }
    for (signal, name) in SIGNALS.iter().enumerate() {
        _ = writeln!(text, "    act({name}, {});", number_of(toy.first[signal]));
    }
    begin(toy, count, &mut text);
    let at_once = count - usize::from(late);
    for number in 0..at_once {
        _ = writeln!(text, "    pthread_create(&t[{number}], 0, f{number}, 0);");
    }
    if toy.main_takes {
        text.push_str("    all(SIG_UNBLOCK);\n");
    }
    for _ in 0..if count > 1 { at_once } else { 0 } {
        text.push_str("    sem_post(&go);\n");
    }
    body(toy, count, &toy.main, &mut text);
    for _ in 0..if count > 1 { count } else { 0 } {
        text.push_str("    while (sem_wait(&fin)) ;\n");
    }
    if count == 1 {
        text.push_str("    pthread_join(t[0], 0);\n");
    }
    text.push_str("    all(SIG_BLOCK);\n");
    for number in 0..if count > 1 { count } else { 0 } {
        _ = writeln!(text, "    pthread_join(t[{number}], 0);");
    }
    end(toy, count, &mut text);
    let own = |number| match toy.own {
        Own::Array => format!("own[{number}]"),
        _ => format!("own{number}"),
    };
    _ = writeln!(
        text,
        "    unsigned f = (x0 + 3 * x1 + 5 * {} + 7 * {} + 11 * {} + 13 * {}) % {VALUES};",
        own(0),
        own(1),
        own(2),
        own(3)
    );
    let first = text.lines().count() as u32 + 1;
    for value in 0..VALUES {
        _ = writeln!(text, "    assert(f != {value});");
    }
    text.push_str("}\n");
    (text, first)
}

/// The plain variables, and the functions that change and read them.
fn variables(toy: &Toy, text: &mut String) {
    let count = toy.threads.len();
    // The last thread is never looked up: it may run before its handle is known.
    text.push_str("static int me(void) { if (pthread_equal(t[3], pthread_self())) return 3;");
    for number in 0..count.saturating_sub(1) {
        _ = write!(
            text,
            " if (pthread_equal(t[{number}], pthread_self())) return {number};"
        );
    }
    _ = writeln!(text, " return {}; }}", count.saturating_sub(1));
    match toy.own {
        Own::Array => {
            text.push_str("static volatile unsigned own[4];\n");
            text.push_str("static void change_own(unsigned n) { int i = me(); own[i] = own[i] * 2 + n; }\n");
            text.push_str("static unsigned mine(void) { return own[me()]; }\n");
        }
        Own::Globals => {
            text.push_str("static volatile unsigned own0, own1, own2, own3;\n");
            text.push_str("static void change_own(unsigned n)\n{\n    switch (me()) {\n");
            for i in 0..4 {
                _ = writeln!(text, "    case {i}: own{i} = own{i} * 2 + n; break;");
            }
            text.push_str("    }\n}\nstatic unsigned mine(void)\n{\n    switch (me()) {\n");
            for i in 0..3 {
                _ = writeln!(text, "    case {i}: return own{i};");
            }
            text.push_str("    default: return own3;\n    }\n}\n");
        }
        Own::Stack => {
            text.push_str("static volatile unsigned own0, own1, own2, own3;\n");
            text.push_str("static volatile unsigned *where[4];\n");
            text.push_str(
                "static void change_own(unsigned n) { int i = me(); *where[i] = *where[i] * 2 + n; }\n",
            );
            text.push_str("static unsigned mine(void) { return *where[me()]; }\n");
        }
    }
}

fn begin(toy: &Toy, number: usize, text: &mut String) {
    if toy.own == Own::Stack {
        let own = own_of(toy, number);
        _ = writeln!(text, "    volatile unsigned local = 0; where[{own}] = &local;");
    }
}

fn end(toy: &Toy, number: usize, text: &mut String) {
    if toy.own == Own::Stack {
        _ = writeln!(text, "    own{} = local;", own_of(toy, number));
    }
}

fn body(toy: &Toy, number: usize, code: &[Statement], text: &mut String) {
    let writer = Writer {
        toy,
        thread: Some(number),
    };
    for &statement in code {
        _ = writeln!(text, "    {}", writer.line(statement));
    }
}

fn number_of(action: Action) -> u8 {
    match action {
        Action::Handle => 0,
        Action::Ignore => 1,
        Action::Default => 2,
    }
}

impl Writer<'_> {
    fn own(&self, number: usize) -> String {
        let own = own_of(self.toy, number);
        match self.toy.own {
            Own::Globals => format!("own{own}"),
            Own::Array => format!("own[{own}]"),
            Own::Stack => "local".into(),
        }
    }

    fn line(&self, statement: Statement) -> String {
        let name = |signal: u8| SIGNALS[usize::from(signal)];
        match statement {
            Statement::Change(x, n) => format!("{{ unsigned v = x{x}; x{x} = v * 2 + {n}; }}"),
            Statement::ChangeOwn(n) => match self.thread.map(|number| self.own(number)) {
                Some(own) => format!("{own} = {own} * 2 + {n};"),
                None => format!("change_own({n});"),
            },
            Statement::CallOwn(n) => format!("change_own({n});"),
            Statement::Publish(x) => match self.thread {
                Some(number) => format!("x{x} += {};", self.own(number)),
                None => format!("x{x} += mine();"),
            },
            Statement::Add(x, n) => format!("x{x} += {n};"),
            Statement::Lock => "pthread_mutex_lock(&m);".into(),
            Statement::Unlock => "pthread_mutex_unlock(&m);".into(),
            Statement::Wait => "pthread_cond_wait(&c, &m);".into(),
            Statement::Notify => "pthread_cond_signal(&c);".into(),
            Statement::Take(s, x) => format!("if (sem_wait(&s{s})) x{x} += 7;"),
            Statement::Post(s) => format!("sem_post(&s{s});"),
            Statement::Kill(to, signal) => {
                let to = own_of(self.toy, usize::from(to));
                // The only thread may run before main knows its handle.
                let target = match self.thread {
                    Some(number) if own_of(self.toy, number) == to => "pthread_self()".into(),
                    None if self.toy.threads.len() == 1 && to == 0 => {
                        "me() == 3 ? t[0] : pthread_self()".into()
                    }
                    _ => format!("t[{to}]"),
                };
                format!("pthread_kill({target}, {});", name(signal))
            }
            Statement::KillProcess(signal) => format!("kill(getpid(), {});", name(signal)),
            Statement::Raise(signal) => format!("raise({});", name(signal)),
            Statement::RaiseAgain(signal) => format!("again({});", name(signal)),
            Statement::Block(signal) => format!("block(SIG_BLOCK, {});", name(signal)),
            Statement::Unblock(signal) => format!("block(SIG_UNBLOCK, {});", name(signal)),
            Statement::Open => "all(SIG_UNBLOCK);".into(),
            Statement::Suspend => "suspend();".into(),
            Statement::Await(signal) => format!("await({});", name(signal)),
            Statement::Act(signal, action) => format!("act({}, {});", name(signal), number_of(action)),
            Statement::Create => {
                let last = self.toy.threads.len() - 1;
                format!("pthread_create(&t[{last}], 0, f{last}, 0);")
            }
        }
    }
}
