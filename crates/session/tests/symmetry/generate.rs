//! Random C programs with threads that run the same function, and in most of them nothing that
//! tells these apart.

use fastrand::Rng;
use std::fmt::Write;

/// What may tell threads apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differs {
    Nothing,
    /// Each is given its number, and uses it.
    Arguments,
    /// It is given a number that it does not use.
    IdleArguments,
    /// It is given a number, which is compared with another one.
    Roles,
    /// Something visible is done between two joins.
    BetweenJoins,
    /// A plain variable is read between two joins.
    ReadBetweenJoins,
    /// Something visible is done between two creations.
    BetweenCreations,
    /// One more joins later.
    JoinedByAnother,
    /// A thread asks who it is.
    Handle,
    /// What a thread returns is used.
    Results,
    /// Addresses of local variables are compared.
    Addresses,
    /// A bit of an address of a local variable decides.
    AddressBit,
}

const ALL: [Differs; 12] = [
    Differs::Nothing,
    Differs::Arguments,
    Differs::IdleArguments,
    Differs::Roles,
    Differs::BetweenJoins,
    Differs::ReadBetweenJoins,
    Differs::BetweenCreations,
    Differs::JoinedByAnother,
    Differs::Handle,
    Differs::Results,
    Differs::Addresses,
    Differs::AddressBit,
];

/// What the threads of the program of a seed are told apart by.
pub fn differs(seed: u64) -> Differs {
    // Every second program has none of it.
    match seed % 2 {
        0 => Differs::Nothing,
        _ => ALL[(seed / 2) as usize % ALL.len()],
    }
}

fn statement(rng: &mut Rng, depth: usize) -> String {
    let x = ["a", "b"][rng.usize(..2)];
    let n = rng.i32(1..=2);
    match rng.usize(..if depth == 0 { 16 } else { 9 }) {
        0 => format!("atomic_fetch_add(&{x}, {n});"),
        1 => format!("atomic_store(&{x}, {n});"),
        2 => format!("r = atomic_load(&{x});"),
        3 => format!(
            "expected = {}; atomic_compare_exchange_strong(&{x}, &expected, {n});",
            rng.i32(0..=1)
        ),
        4 => format!("if (atomic_exchange(&{x}, {n}) == {n}) r++;"),
        5 => format!("if (r == {n}) atomic_store(&{x}, r + 1);"),
        6 => format!("assert(r != {});", rng.i32(2..=4)),
        7 => format!("c += {n};"),
        8 => format!("atomic_fetch_xor(&{x}, {n});"),
        9 => format!(
            "pthread_mutex_lock(&m); {} c += {n}; pthread_mutex_unlock(&m);",
            statement(rng, 1)
        ),
        10 => format!(
            "pthread_mutex_lock(&m); pthread_mutex_lock(&n); {} pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
            statement(rng, 1)
        ),
        11 => "if (pthread_mutex_trylock(&m) == 0) { c++; pthread_mutex_unlock(&m); }".to_owned(),
        12 => format!("while (atomic_load(&{x}) == {n}) {{}}"),
        13 => "if (pthread_barrier_wait(&two) == PTHREAD_BARRIER_SERIAL_THREAD) r++;".to_owned(),
        _ => "sem_wait(&s); c++; sem_post(&s);".to_owned(),
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x7379_6d6d);
    let differs = differs(seed);
    let count = if rng.usize(..3) == 0 { 3 } else { 2 };
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdint.h>\n\
         static atomic_int a, b, done;\nstatic int c;\nstatic sem_t s;\nstatic _Atomic(char *) place;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_t t[3];\nstatic pthread_barrier_t two;\n\
         static void *work(void *given)\n{\n    int r = 0, expected = 0;\n    char here = 0;\n",
    );
    match differs {
        Differs::Arguments => text += "    r = (int)(intptr_t)given;\n",
        Differs::Roles => {
            let (one, two) = (statement(&mut rng, 1), statement(&mut rng, 1));
            let compared = [
                "(int)(intptr_t)given <",
                "(intptr_t)given !=",
                "(uintptr_t)given >",
            ][rng.usize(..3)];
            let number = rng.usize(..=count);
            writeln!(text, "    if ({compared} {number}) {{ {one} }} else {{ {two} }}").expect("a string");
        }
        Differs::Handle => text += "    r = pthread_equal(pthread_self(), t[0]) ? 2 : 0;\n",
        Differs::Addresses => {
            text +=
                "    char *seen = atomic_exchange(&place, &here);\n    if (seen && seen < &here) r = 2;\n";
        }
        Differs::AddressBit => text += "    r = (int)((uintptr_t)&here >> 24) % 2;\n",
        _ => {}
    }
    for _ in 0..rng.usize(1..=3) {
        writeln!(text, "    {}", statement(&mut rng, 0)).expect("a string");
    }
    if differs == Differs::Results {
        text += "    given = (void *)(intptr_t)atomic_fetch_add(&done, 1);\n";
    }
    text += "    here++;\n    return given;\n}\n";
    let other = rng.bool();
    if other {
        text += "static void *other(void *given)\n{\n    int r = 0, expected = 0;\n";
        for _ in 0..rng.usize(1..=2) {
            writeln!(text, "    {}", statement(&mut rng, 0)).expect("a string");
        }
        text += "    (void)r, (void)expected;\n    return given;\n}\n";
    }
    if differs == Differs::JoinedByAnother {
        text += "static void *joiner(void *given)\n{\n    pthread_join(t[0], 0);\n    atomic_store(&done, 1);\n    return given;\n}\n";
    }
    text += "int main(void)\n{\n    pthread_t o, j;\n    sem_init(&s, 0, 1);\n    pthread_barrier_init(&two, 0, 2);\n    (void)j, (void)o;\n";
    let first = other && rng.bool();
    if first {
        text += "    pthread_create(&o, 0, other, 0);\n";
    }
    let numbered = matches!(
        differs,
        Differs::Arguments | Differs::IdleArguments | Differs::Roles
    );
    for i in 0..count {
        let given = if numbered { i } else { 0 };
        writeln!(text, "    pthread_create(&t[{i}], 0, work, (void *){given});").expect("a string");
        if differs == Differs::BetweenCreations {
            text += "    atomic_fetch_add(&a, 1);\n";
        }
    }
    if other && !first {
        text += "    pthread_create(&o, 0, other, 0);\n";
    }
    if rng.usize(..3) == 0 {
        let mut own = statement(&mut rng, 1);
        own = own.replace("r++", "r = 9");
        writeln!(
            text,
            "    int r = 0, expected = 0; {own} (void)r, (void)expected;"
        )
        .expect("a string");
    }
    // In some programs nobody joins, and the process ends whenever nobody can move.
    let joins = differs != Differs::Nothing || rng.usize(..5) > 0;
    let from = usize::from(differs == Differs::JoinedByAnother);
    if from == 1 {
        text += "    pthread_create(&j, 0, joiner, 0);\n";
    }
    let backwards = rng.bool();
    for i in from..if joins { count } else { 0 } {
        let i = if backwards { count - 1 - (i - from) } else { i };
        match differs {
            Differs::Results => {
                writeln!(
                    text,
                    "    void *result{i};\n    pthread_join(t[{i}], &result{i});"
                )
                .expect("a string");
            }
            _ => writeln!(text, "    pthread_join(t[{i}], 0);").expect("a string"),
        }
        match differs {
            Differs::BetweenJoins => text += "    assert(atomic_load(&b) != 1);\n",
            Differs::ReadBetweenJoins => text += "    assert(c != 1);\n",
            Differs::Results => writeln!(text, "    assert({i} != 0 || result{i} == 0);").expect("a string"),
            _ => {}
        }
    }
    if other {
        text += "    pthread_join(o, 0);\n";
    }
    let value = rng.i32(0..=5);
    let x = ["a", "b", "c"][rng.usize(..3)];
    write!(text, "    assert({x} != {value});\n    return 0;\n}}\n").expect("a string");
    text
}
