//! Random programs whose threads read clocks, keep times, compare them, and wait until some time.

use std::fmt::Write;

fn pick<'a>(random: &mut fastrand::Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

const TIMES: [&str; 4] = ["x", "y", "own[0]", "own[1]"];

fn section(random: &mut fastrand::Rng) -> String {
    let (one, other) = (pick(random, &TIMES), pick(random, &TIMES));
    let number = random.u8(..4);
    let condition = match random.u8(..4) {
        0 => format!("{one} < {other}"),
        1 => format!("{one} + {number} == {other}"),
        2 => format!("{one} - {other} > {number}"),
        _ => format!("time(0) <= {one} + {number}"),
    };
    let statement = match random.u8(..12) {
        0..3 => format!("{one} = time(0);"),
        3 => format!("{one} = {other} + {number};"),
        4 => format!("{one} = (1000000000 * {other} + 500000000) / 1000000000 + {number};"),
        5..8 => format!("if ({condition}) puts(\"yes\"); else puts(\"no\");"),
        8 => "pthread_cond_signal(&c);".to_owned(),
        9 => format!("sleep({number});"),
        10 => format!("wait_until({one} + {number});"),
        // The deadline is nowhere but in the wait once another thread has written there.
        _ => match random.u8(..3) {
            0 => format!("until.tv_sec = {one} + {number};"),
            _ => format!(
                "if (nondet()) until.tv_sec = {one} + {number}; else until.tv_sec = {one} + 5; wait(&until);"
            ),
        },
    };
    format!("    pthread_mutex_lock(&m); {statement} pthread_mutex_unlock(&m);\n")
}

/// A thread may read its clock once more: from then on, states differ only in the time.
fn may_go_on(random: &mut fastrand::Rng) -> &'static str {
    match random.bool() {
        true => "    if (nondet()) time(0);\n",
        false => "",
    }
}

/// The main thread uses a time of the other one, whose clock may have gone on or not.
fn of_the_other(random: &mut fastrand::Rng) -> String {
    let number = random.u8(..4);
    let use_it = match random.u8(..3) {
        0 => format!("puts(x < until.tv_sec + {number} ? \"less\" : \"not less\");"),
        1 => "wait(&until); puts(time(0) - y > 3 ? \"far\" : \"near\");".to_owned(),
        _ => format!("wait_until(until.tv_sec + {number}); puts(time(0) - y > 3 ? \"far\" : \"near\");"),
    };
    format!(
        "    pthread_mutex_lock(&m); until.tv_sec = times[1][0]; if (until.tv_sec) {{ {use_it} }} pthread_mutex_unlock(&m);\n"
    )
}

const BEGIN: &str = "#include <pthread.h>\n#include <stdio.h>\n#include <time.h>\n\
    _Bool __VERIFIER_nondet_bool(void);\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic struct timespec until;\n";

/// Programs in which one mistake makes states the same whose futures differ.
pub fn by_hand() -> Vec<String> {
    // While the thread waits, its deadline is nowhere else.
    let deadline = "static void *other(void *unused)\n{\n\
        \x20   pthread_mutex_lock(&m); until.tv_sec = 0; pthread_mutex_unlock(&m);\n    return unused;\n}\n\
        int main(void)\n{\n    pthread_t t;\n    time_t begin = time(0);\n    pthread_create(&t, 0, other, 0);\n\
        \x20   pthread_mutex_lock(&m);\n\
        \x20   if (__VERIFIER_nondet_bool()) until.tv_sec = begin + 1; else until.tv_sec = begin + 5;\n\
        \x20   pthread_cond_timedwait(&c, &m, &until);\n    pthread_mutex_unlock(&m);\n\
        \x20   puts(time(0) - begin > 3 ? \"far\" : \"near\");\n    pthread_join(t, 0);\n    return 0;\n}\n";
    // The other thread's clock has gone on or not, and its time is used by this one.
    let of_another = |use_it: &str| {
        format!(
            "static void *other(void *unused)\n{{\n    time_t now = time(0);\n\
            \x20   if (__VERIFIER_nondet_bool()) {{ struct timespec more = {{now + 5, 0}}; pthread_mutex_lock(&m);\n\
            \x20       pthread_cond_timedwait(&c, &m, &more); pthread_mutex_unlock(&m); }}\n\
            \x20   now = time(0);\n    pthread_mutex_lock(&m); until.tv_sec = now; pthread_mutex_unlock(&m);\n\
            \x20   return unused;\n}}\n\
            int main(void)\n{{\n    pthread_t t;\n    time_t begin = time(0);\n    pthread_create(&t, 0, other, 0);\n\
            \x20   pthread_mutex_lock(&m);\n    if (until.tv_sec) {{ {use_it} }}\n    pthread_mutex_unlock(&m);\n\
            \x20   pthread_join(t, 0);\n    return 0;\n}}\n"
        )
    };
    let compares = of_another("puts(begin + 3 < until.tv_sec ? \"later\" : \"sooner\");");
    let waits =
        of_another("pthread_cond_timedwait(&c, &m, &until); puts(time(0) - begin > 3 ? \"far\" : \"near\");");
    [deadline.to_owned(), compares, waits]
        .map(|text| format!("{BEGIN}{text}"))
        .into()
}

pub fn program(seed: u64) -> String {
    let random = &mut fastrand::Rng::with_seed(seed);
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n\
         _Bool __VERIFIER_nondet_bool(void);\n#define nondet __VERIFIER_nondet_bool\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic time_t times[2][2];\nstatic struct timespec until;\n\
         static void wait(const struct timespec *until)\n{\n\
         \x20   puts(pthread_cond_timedwait(&c, &m, until) ? \"late\" : \"in time\");\n}\n\n\
         static void wait_until(time_t time)\n{\n    struct timespec until = {time, 0};\n    wait(&until);\n}\n\n\
         static void *other(void *unused)\n{\n    time_t *own = times[1], x, y = x = own[0] = own[1] = time(0);\n",
    );
    for _ in 0..1 + random.u8(..2) {
        text += may_go_on(random);
        text += &section(random);
    }
    text += "    return unused;\n}\n\nint main(void)\n{\n    time_t *own = times[0], x, y = x = own[0] = own[1] = time(0);\n    pthread_t t;\n";
    text += may_go_on(random);
    text += "    pthread_create(&t, 0, other, 0);\n";
    for _ in 0..1 + random.u8(..3) {
        text += may_go_on(random);
        text += &section(random);
    }
    if random.u8(..4) == 0 {
        let _ = writeln!(
            text,
            "    pthread_mutex_lock(&m); {} = times[1][0]; pthread_mutex_unlock(&m);",
            pick(random, &TIMES)
        );
        text += &section(random);
    }
    if random.u8(..5) == 0 {
        text += &of_the_other(random);
    }
    text += "    pthread_join(t, 0);\n";
    match random.u8(..3) {
        0 => text += "    puts(x < y ? \"less\" : \"not less\");\n",
        1 => text += "    puts(time(0) < y + 3 ? \"soon\" : \"late\");\n",
        _ => {}
    }
    text + "    return 0;\n}\n"
}
