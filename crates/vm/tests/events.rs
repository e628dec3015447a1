//! Event counters (`eventfd`): all schedules of small programs. What they answer in one thread is
//! compared with native runs in `files`.

#[path = "sync/explorer.rs"]
mod explorer;

use explorer::run;
use selvedge_model::FaultKind;

#[track_caller]
fn all(body: &str) -> explorer::Outcomes {
    run(&format!(
        "#include <errno.h>\n#include <poll.h>\n#include <stdint.h>\n#include <sys/eventfd.h>\n{body}"
    ))
}

#[test]
fn a_read_takes_all_that_was_written() {
    // One of the writes may come after the read.
    all(r#"
static int fd;
static void *add(void *p) { uint64_t v = (uint64_t)p; write(fd, &v, 8); return NULL; }
int main(void) {
    pthread_t a, b; uint64_t v = 0;
    fd = eventfd(0, 0);
    pthread_create(&a, NULL, add, (void *)1);
    pthread_create(&b, NULL, add, (void *)20);
    read(fd, &v, 8);
    SAY("%d", (int)v);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}"#)
    .prints(&["1", "20", "21"]);
}

#[test]
fn a_semaphore_lets_as_many_through_as_it_has() {
    let outcomes = all(r#"
static int fd;
static void *take(void *p) { uint64_t v; return read(fd, &v, 8) == 8 && v == 1 ? p : NULL; }
int main(void) {
    pthread_t a, b; void *ra, *rb; uint64_t one = 1;
    fd = eventfd(1, EFD_SEMAPHORE);
    pthread_create(&a, NULL, take, (void *)1);
    pthread_create(&b, NULL, take, (void *)1);
    write(fd, &one, 8);
    pthread_join(a, &ra);
    pthread_join(b, &rb);
    SAY("%d", ra && rb);
}"#);
    outcomes.prints(&["1"]);
    all(r#"
static int fd;
static void *take(void *p) { uint64_t v; read(fd, &v, 8); return p; }
int main(void) {
    pthread_t a, b;
    fd = eventfd(1, EFD_SEMAPHORE);
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}"#)
    .deadlocks();
}

#[test]
fn an_empty_counter_blocks_or_says_so() {
    all("int main(void) { uint64_t v; return read(eventfd(0, 0), &v, 8); }").deadlocks();
    all(r#"
int main(void) {
    uint64_t v;
    SAY("%d", read(eventfd(0, EFD_NONBLOCK), &v, 8) == -1 && errno == EAGAIN);
}"#)
    .prints(&["1"]);
}

#[test]
fn a_poll_waits_for_counters_and_pipes() {
    all(r#"
static int fd, ends[2];
static void *add(void *p) { uint64_t one = 1; write(fd, &one, 8); return p; }
static void *send(void *p) { write(ends[1], "x", 1); return p; }
int main(void) {
    pthread_t a, b;
    fd = eventfd(0, 0);
    pipe(ends);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, send, NULL);
    struct pollfd fds[2] = {{fd, POLLIN, 0}, {ends[0], POLLIN, 0}};
    int ready = poll(fds, 2, -1);
    SAY("%d %d %d", ready, fds[0].revents, fds[1].revents);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}"#)
    .prints(&["1 0 1", "1 1 0", "2 1 1"]);
    all(r#"
int main(void) {
    struct pollfd one = {eventfd(0, 0), POLLIN, 0};
    return poll(&one, 1, -1);
}"#)
    .deadlocks();
}

#[test]
fn a_counter_that_is_polled_wakes_by_writes_only() {
    // The second read has nothing: whoever reads first takes all.
    all(r#"
static int fd;
static void *take(void *p) {
    uint64_t v = 0;
    return read(fd, &v, 8) == 8 ? (void *)v : NULL;
}
int main(void) {
    pthread_t t; void *got; uint64_t v = 7;
    fd = eventfd(0, EFD_NONBLOCK);
    pthread_create(&t, NULL, take, NULL);
    write(fd, &v, 8);
    int mine = read(fd, &v, 8) == 8;
    pthread_join(t, &got);
    SAY("%d %d", mine, (int)(long)got);
}"#)
    .prints(&["0 7", "1 0"]);
}

#[test]
fn what_is_not_modelled_is_unsupported_by_name() {
    for (call, what) in [
        ("lseek(fd, 0, SEEK_SET)", "lseek on an event counter"),
        ("ftruncate(fd, 0)", "ftruncate on an event counter"),
        ("fsync(fd)", "fsync on an event counter"),
        ("dprintf(fd, \"%d\", 3)", "formatted output on an event counter"),
        ("write(fd, &most, 8)", "waiting for room in an event counter"),
        (
            "write(fd, two, 16)",
            "a write of more than 8 bytes to an event counter",
        ),
    ] {
        let outcomes = all(&format!(
            "#include <stdio.h>\n#include <unistd.h>\nint main(void) {{ uint64_t most = UINT64_MAX - 1, two[2] = {{1, 1}}; \
             int fd = eventfd(1, 0); (void)most; (void)two; return (int){call}; }}"
        ));
        let found: Vec<&str> = outcomes.unsupported.iter().map(String::as_str).collect();
        assert!(found.iter().any(|it| it.contains(what)), "{call}: {outcomes:?}");
    }
}

#[test]
fn a_counter_in_use_is_not_closed() {
    let outcomes = all(r#"
static int fd;
static void *receive(void *p) { uint64_t v; read(fd, &v, 8); return p; }
int main(void) {
    pthread_t t;
    fd = eventfd(0, 0);
    pthread_create(&t, NULL, receive, NULL);
    close(fd);
    pthread_join(t, NULL);
}"#);
    let what = "closing an event counter that another thread is reading from";
    assert!(
        outcomes.unsupported.iter().any(|it| it.contains(what)),
        "{outcomes:?}"
    );
}

#[test]
fn a_buffer_is_checked() {
    all("int main(void) { char four[4]; return read(eventfd(1, 0), four, 8); }")
        .faults(FaultKind::OutOfBounds);
    all("int main(void) { int four = 4; return write(eventfd(1, 0), &four, 8); }")
        .faults(FaultKind::OutOfBounds);
    all("int main(void) { uint64_t v; return write(eventfd(1, 0), &v, 8); }")
        .faults(FaultKind::UninitializedValue);
}
