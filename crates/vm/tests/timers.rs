//! Timers (`timerfd`): all schedules, and all moments at which they may expire, of small programs.
//! What they answer in one thread is compared with native runs in `files`.

#[path = "sync/explorer.rs"]
mod explorer;

use explorer::run;
use selvedge_model::FaultKind;

#[track_caller]
fn all(body: &str) -> explorer::Outcomes {
    run(&format!(
        "#include <errno.h>\n#include <poll.h>\n#include <stdint.h>\n#include <sys/epoll.h>\n\
         #include <sys/timerfd.h>\n#include <unistd.h>\n\
         static int timer(int flags, long time, long period) {{\n\
             int fd = timerfd_create(CLOCK_MONOTONIC, flags);\n\
             struct itimerspec spec = {{{{period, 0}}, {{time, 0}}}};\n\
             timerfd_settime(fd, 0, &spec, NULL);\n\
             return fd; }}\n{body}"
    ))
}

#[test]
fn an_armed_timer_may_have_expired_or_not() {
    all(r#"
int main(void) {
    uint64_t v = 0;
    int fd = timer(TFD_NONBLOCK, 5, 0);
    int first = read(fd, &v, 8) == 8;
    int second = read(fd, &v, 8) == 8;
    SAY("%d %d %d", first, second, (int)v);
}"#)
    .prints(&["0 0 0", "0 1 1", "1 0 1"]);
}

#[test]
fn what_a_poll_has_seen_a_read_finds() {
    all(r#"
int main(void) {
    uint64_t v = 0;
    int fd = timer(TFD_NONBLOCK, 5, 0);
    struct pollfd one = {fd, POLLIN, 0};
    int seen = poll(&one, 1, 0), again = poll(&one, 1, 0);
    int got = read(fd, &v, 8) == 8, after = poll(&one, 1, 0);
    SAY("%d %d %d %d", seen, again, got, after);
}"#)
    .prints(&["0 0 0 0", "0 0 0 1", "0 0 1 0", "0 1 1 0", "1 1 1 0"]);
}

#[test]
fn a_thread_that_waits_for_an_armed_timer_goes_on() {
    all(r#"
int main(void) {
    uint64_t v = 0;
    int fd = timer(0, 5, 0);
    read(fd, &v, 8);
    SAY("%d", (int)v);
}"#)
    .prints(&["1"]);
    for wait in ["poll(&one, 1, -1)", "epoll_wait(set, &event, 1, -1)"] {
        all(&format!(
            r#"
int main(void) {{
    int fd = timer(0, 5, 0), set = epoll_create1(0);
    struct pollfd one = {{fd, POLLIN, 0}};
    struct epoll_event event = {{EPOLLIN, {{0}}}};
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    SAY("%d", {wait});
}}"#
        ))
        .prints(&["1"]);
    }
}

#[test]
fn nobody_comes_past_a_timer_that_is_disarmed() {
    for wait in [
        "read(fd, &v, 8)",
        "poll(&one, 1, -1)",
        "epoll_wait(set, &event, 1, -1)",
    ] {
        all(&format!(
            r#"
int main(void) {{
    uint64_t v;
    int fd = timer(0, 0, 3), set = epoll_create1(0);
    struct pollfd one = {{fd, POLLIN, 0}};
    struct epoll_event event = {{EPOLLIN, {{0}}}};
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    (void)v; (void)one;
    return (int){wait};
}}"#
        ))
        .deadlocks();
    }
    // It is read once.
    all("int main(void) { uint64_t v; int fd = timer(0, 5, 0); read(fd, &v, 8); return read(fd, &v, 8); }")
        .deadlocks();
}

#[test]
fn of_two_timers_at_least_one_ends_a_wait() {
    all(r#"
int main(void) {
    struct pollfd both[2] = {{timer(0, 5, 0), POLLIN, 0}, {timer(0, 7, 0), POLLIN, 0}};
    int ready = poll(both, 2, -1);
    SAY("%d %d %d", ready, both[0].revents, both[1].revents);
}"#)
    .prints(&["1 0 1", "1 1 0", "2 1 1"]);
    // Two descriptors of one timer say the same.
    all(r#"
int main(void) {
    int fd = timer(0, 5, 0);
    struct pollfd both[2] = {{fd, POLLIN, 0}, {dup(fd), POLLIN, 0}};
    int ready = poll(both, 2, 0);
    SAY("%d %d %d", ready, both[0].revents, both[1].revents);
}"#)
    .prints(&["0 0 0", "2 1 1"]);
    all(r#"
int main(void) {
    int ends[2];
    pipe(ends);
    write(ends[1], "x", 1);
    struct pollfd both[2] = {{timer(0, 5, 0), POLLIN, 0}, {ends[0], POLLIN, 0}};
    SAY("%d", poll(both, 2, -1));
}"#)
    .prints(&["1", "2"]);
}

#[test]
fn a_periodic_timer_expires_again() {
    all(r#"
int main(void) {
    uint64_t v = 0, w = 0;
    int fd = timer(0, 5, 3);
    read(fd, &v, 8);
    read(fd, &w, 8);
    if (v < 1 || v > 2 || w < 1 || w > 2)
        SAY("wrong");
    SAY(v == 2 ? "2" : "1");
    SAY(w == 2 ? " 2" : " 1");
}"#)
    .prints(&["1 1", "1 2", "2 1", "2 2"]);
}

#[test]
fn the_time_that_is_left_is_at_most_that_which_was_given() {
    all(r#"
int main(void) {
    struct itimerspec left;
    int fd = timer(0, 5, 0);
    timerfd_gettime(fd, &left);
    long s = left.it_value.tv_sec, n = left.it_value.tv_nsec;
    if (s < 0 || s > 5 || n < 0 || n > 999999999 || (s == 5 && n > 0))
        SAY("wrong");
    else if (s == 0 && n == 0)
        SAY("expired %d", poll(&(struct pollfd){fd, POLLIN, 0}, 1, 0));
    else if (s == 5)
        SAY("all");
    else
        SAY("some");
}"#)
    .prints(&["all", "expired 1", "some"]);
    // An absolute time is at most as far away as it was at the beginning.
    all(r#"
int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct itimerspec at = {{0, 0}, {now.tv_sec + 3, 0}}, old;
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, &old);
    SAY(old.it_value.tv_sec > 3 ? "more" : "fits");
}"#)
    .prints(&["fits"]);
}

#[test]
fn setting_a_timer_wakes_who_waits_for_it_and_orders() {
    let outcomes = all(r#"
static int fd, data;
static void *arm(void *p) {
    struct itimerspec spec = {{0, 0}, {1, 0}};
    data = 1;
    timerfd_settime(fd, 0, &spec, NULL);
    return p;
}
int main(void) {
    pthread_t t; uint64_t v = 0;
    fd = timer(0, 0, 0);
    pthread_create(&t, NULL, arm, NULL);
    read(fd, &v, 8);
    SAY("%d %d", (int)v, data);
    pthread_join(t, NULL);
}"#);
    outcomes.prints(&["1 1"]);
    // A thread that disarms it may be too early for the one that waits.
    all(r#"
static int fd;
static void *disarm(void *p) {
    struct itimerspec spec = {{0, 0}, {0, 0}};
    timerfd_settime(fd, 0, &spec, NULL);
    return p;
}
int main(void) {
    pthread_t t; uint64_t v;
    fd = timer(0, 4, 0);
    pthread_create(&t, NULL, disarm, NULL);
    read(fd, &v, 8);
    pthread_join(t, NULL);
}"#)
    .deadlocks();
}

#[test]
fn a_pipe_may_be_ready_before_a_timer() {
    all(r#"
static int ends[2];
static void *send(void *p) { write(ends[1], "x", 1); return p; }
int main(void) {
    pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    struct pollfd both[2] = {{timer(0, 5, 0), POLLIN, 0}, {ends[0], POLLIN, 0}};
    int ready = poll(both, 2, -1);
    SAY("%d %d %d", ready, both[0].revents, both[1].revents);
    pthread_join(t, NULL);
}"#)
    .prints(&["1 0 1", "1 1 0", "2 1 1"]);
}

#[test]
fn what_is_not_modelled_is_unsupported_by_name() {
    for (call, what) in [
        ("lseek(fd, 0, SEEK_SET)", "lseek on a timer"),
        ("fsync(fd)", "fsync on a timer"),
    ] {
        let outcomes = all(&format!(
            "int main(void) {{ int fd = timer(0, 0, 0); return (int){call}; }}"
        ));
        let mut found = outcomes.unsupported.iter();
        assert!(found.any(|it| it.contains(what)), "{call}: {outcomes:?}");
    }
}

#[test]
fn a_buffer_is_checked() {
    for call in [
        "read(timer(0, 1, 0), four, 8)",
        "timerfd_gettime(timer(0, 1, 0), (struct itimerspec *)four)",
        "timerfd_settime(timer(0, 1, 0), 0, (struct itimerspec *)four, NULL)",
    ] {
        all(&format!(
            "int main(void) {{ char four[4] = {{0}}; return {call}; }}"
        ))
        .faults(FaultKind::OutOfBounds);
    }
}
