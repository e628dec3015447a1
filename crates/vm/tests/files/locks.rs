//! Locks of files (`flock`): all schedules of small programs.

use super::all;

#[test]
fn a_lock_of_a_file_is_waited_for() {
    // Two open files, in two threads: one at a time.
    all(r#"
static int inside;
static void *lock(void *p) {
    int fd = open("f", O_RDWR | O_CREAT, 0600);
    flock(fd, LOCK_EX);
    if (inside++) SAY("both");
    inside--;
    if (p) close(fd); else flock(fd, LOCK_UN);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, lock, NULL);
    lock("");
    pthread_join(t, NULL);
    SAY("end");
}"#)
    .prints(&["end"]);
    // Shared locks do not wait for each other, an exclusive one waits for all of them.
    all(r#"
static void *lock(void *p) { flock(open("f", O_RDONLY | O_CREAT, 0600), LOCK_SH); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, lock, NULL);
    lock(NULL);
    pthread_join(t, NULL);
    SAY("%d", flock(open("f", O_RDONLY), LOCK_EX | LOCK_NB));
}"#)
    .prints(&["-1"]);
    all(r#"int main(void) { flock(FILE_OF_ONE, LOCK_SH); flock(FILE_OF_ONE, LOCK_EX); }"#).deadlocks();
    let outcomes = all(r#"
static int fd;
static void *lock(void *p) { flock(fd, LOCK_EX); return p; }
int main(void) {
    pthread_t t;
    fd = FILE_OF_ONE;
    int other = FILE_OF_ONE;
    flock(other, LOCK_EX);
    pthread_create(&t, NULL, lock, NULL);
    close(fd);
    flock(other, LOCK_UN);
    pthread_join(t, NULL);
}"#);
    assert!(
        outcomes
            .unsupported
            .iter()
            .any(|it| it.contains("closing a regular file")),
        "{outcomes:?}"
    );
}
