//! Files, pipes, streams and waiting: answers as in native runs, all schedules of small programs,
//! faults, what is unsupported.

#[path = "../sync/explorer.rs"]
mod explorer;
mod locks;
mod native;
mod shared;

use explorer::{run, run_with};
use selvedge_model::FaultKind;
use selvedge_vm::Options;

const HEADERS: &str = "#define _GNU_SOURCE\n#include <dirent.h>\n#include <fcntl.h>\n#include <mqueue.h>\n#include <unistd.h>\n#include <poll.h>\n#include <sys/select.h>\n#include <sys/stat.h>\n#include <signal.h>\n#include <sys/file.h>\n#include <sys/mman.h>\n#include <sys/ioctl.h>\n#include <sys/time.h>\n
    #define FILE_OF_ONE one_byte()\nstatic int one_byte(void) { int fd = open(\"one\", O_RDWR | O_CREAT, 0600); write(fd, \"x\", 1); return fd; }\n";

#[track_caller]
fn all(body: &str) -> explorer::Outcomes {
    run(&format!("{HEADERS}{body}"))
}

#[test]
fn bytes_go_through_a_pipe_in_order() {
    let outcomes = all(r#"
static int ends[2];
static void *send(void *p) { write(ends[1], "ab", 2); write(ends[1], "c", 1); close(ends[1]); return p; }
int main(void) {
    char text[8]; int n, total = 0; pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    while ((n = read(ends[0], text + total, 8 - total)) > 0) total += n;
    pthread_join(t, NULL);
    SAY("%.*s %d", total, text, n);
}"#);
    outcomes.prints(&["abc 0"]);
    // A read gets one or both writes.
    assert!(outcomes.executions > 2, "{outcomes:?}");
}

#[test]
fn a_read_sees_one_write_or_both() {
    all(r#"
static int ends[2];
static void *send(void *p) { write(ends[1], "a", 1); write(ends[1], "b", 1); return p; }
int main(void) {
    char text[8]; pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    SAY("%d", (int)read(ends[0], text, 8));
    pthread_join(t, NULL);
}"#)
    .prints(&["1", "2"]);
}

#[test]
fn two_writers_are_not_mixed() {
    all(r#"
static int ends[2];
static void *send(void *p) { write(ends[1], p, 2); return p; }
int main(void) {
    char text[8] = ""; pthread_t a, b;
    pipe(ends);
    pthread_create(&a, NULL, send, "aA");
    pthread_create(&b, NULL, send, "bB");
    pthread_join(a, NULL); pthread_join(b, NULL);
    read(ends[0], text, 8);
    SAY("%s", text);
}"#)
    .prints(&["aAbB", "bBaA"]);
}

#[test]
fn an_empty_pipe_whose_writer_is_open_blocks() {
    let outcomes = all(r#"
int main(void) { int ends[2]; char c; pipe(ends); return read(ends[0], &c, 1); }"#);
    outcomes.deadlocks();
    let outcomes = all(r#"
static int ends[2];
static void *receive(void *p) { char c; read(ends[0], &c, 1); return p; }
int main(void) {
    pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, receive, NULL);
    pthread_join(t, NULL);
}"#);
    outcomes.deadlocks();
}

#[test]
fn a_full_pipe_blocks_until_it_is_read() {
    all(r#"
static int ends[2];
static char block[65536];
static void *receive(void *p) { read(ends[0], block, 4096); return p; }
int main(void) {
    pthread_t t;
    pipe(ends);
    memset(block, 'x', sizeof block);
    write(ends[1], block, sizeof block);
    pthread_create(&t, NULL, receive, NULL);
    SAY("%d", (int)write(ends[1], "abc", 3));
    pthread_join(t, NULL);
}"#)
    .prints(&["3"]);
    all(r#"
int main(void) {
    int ends[2]; static char block[65537];
    pipe(ends);
    memset(block, 'x', sizeof block);
    write(ends[1], block, sizeof block);
}"#)
    .deadlocks();
}

#[test]
fn a_long_write_comes_in_pieces() {
    all(r#"
static int ends[2];
static char block[70000], read_back[70000];
static void *receive(void *p) {
    int n, total = 0;
    while (total < 70000 && (n = read(ends[0], read_back + total, 70000 - total)) > 0) total += n;
    SAY("%d %d %c", total, read_back[0] == 'x', read_back[69999]);
    return p;
}
int main(void) {
    pthread_t t;
    pipe(ends);
    memset(block, 'x', sizeof block);
    block[69999] = 'y';
    pthread_create(&t, NULL, receive, NULL);
    write(ends[1], block, sizeof block);
    pthread_join(t, NULL);
}"#)
    .prints(&["70000 1 y"]);
}

#[test]
fn descriptors_are_the_lowest_free_ones() {
    all(r#"
static void *other(void *p) { *(int *)p = open("/dev/null", O_RDONLY); return p; }
int main(void) {
    int a, b; pthread_t t;
    pthread_create(&t, NULL, other, &a);
    b = open("/dev/null", O_RDONLY);
    pthread_join(t, NULL);
    SAY("%d %d", a, b);
}"#)
    .prints(&["3 4", "4 3"]);
    all(r#"
static void *other(void *p) { close(*(int *)p); return p; }
int main(void) {
    pthread_t t;
    int a = open("/dev/null", O_RDONLY);
    pthread_create(&t, NULL, other, &a);
    SAY("%d", open("/dev/null", O_RDONLY));
    pthread_join(t, NULL);
}"#)
    .prints(&["3", "4"]);
}

#[test]
fn closing_races_with_use() {
    // The read comes before the close, or fails; once it has looked the descriptor up, the file
    // stays.
    all(r#"
static int fd;
static void *other(void *p) { close(fd); return p; }
int main(void) {
    pthread_t t; char c;
    fd = open("/dev/zero", O_RDONLY);
    pthread_create(&t, NULL, other, NULL);
    int n = read(fd, &c, 1);
    SAY("%d %d", n, n < 0 ? errno == EBADF : 0);
    pthread_join(t, NULL);
}"#)
    .prints(&["-1 1", "1 0"]);
}

#[test]
fn a_waiting_thread_keeps_its_pipe() {
    let outcomes = all(r#"
static int ends[2];
static void *receive(void *p) { char c; read(ends[0], &c, 1); return p; }
int main(void) {
    pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, receive, NULL);
    close(ends[0]);
    pthread_join(t, NULL);
}"#);
    assert!(
        outcomes
            .unsupported
            .iter()
            .any(|what| what.contains("closing the end of a pipe")),
        "{outcomes:?}"
    );
}

#[test]
fn positions_are_shared_by_duplicates_only() {
    all(r#"
static int fd;
static void *append(void *p) { write(fd, p, 1); return p; }
int main(void) {
    pthread_t a, b; char text[4] = "";
    fd = open("f", O_RDWR | O_CREAT, 0600);
    pthread_create(&a, NULL, append, "a");
    pthread_create(&b, NULL, append, "b");
    pthread_join(a, NULL); pthread_join(b, NULL);
    pread(fd, text, 3, 0);
    SAY("%s", text);
}"#)
    .prints(&["ab", "ba"]);
    // Two positions in one file: one write is lost.
    all(r#"
static void *append(void *p) { int fd = open("f", O_WRONLY); write(fd, p, 1); close(fd); return p; }
int main(void) {
    pthread_t a, b; char text[4] = "";
    int fd = open("f", O_RDWR | O_CREAT, 0600);
    pthread_create(&a, NULL, append, "a");
    pthread_create(&b, NULL, append, "b");
    pthread_join(a, NULL); pthread_join(b, NULL);
    SAY("%d %s", (int)read(fd, text, 3), text);
}"#)
    .prints(&["1 a", "1 b"]);
}

#[test]
fn only_one_thread_creates_a_file() {
    all(r#"
static void *create(void *p) { return (void *)(long)(open("lock", O_CREAT | O_EXCL, 0600) >= 0); }
int main(void) {
    pthread_t a, b; void *x, *y;
    pthread_create(&a, NULL, create, NULL);
    pthread_create(&b, NULL, create, NULL);
    pthread_join(a, &x); pthread_join(b, &y);
    SAY("%ld%ld", (long)x, (long)y);
}"#)
    .prints(&["01", "10"]);
}

#[test]
fn names_change_while_others_use_them() {
    // One thread makes the directory; the other one finds it.
    all(r#"
static void *make(void *p) { return (void *)(long)(mkdir("d", 0700) == 0); }
int main(void) {
    pthread_t a, b; void *x, *y;
    pthread_create(&a, NULL, make, NULL);
    pthread_create(&b, NULL, make, NULL);
    pthread_join(a, &x); pthread_join(b, &y);
    SAY("%ld%ld", (long)x, (long)y);
}"#)
    .prints(&["01", "10"]);
    // The descriptor still leads to the directory when that has another name, or none.
    all(r#"
static void *other(void *p) { rename("d", "e"); return p; }
int main(void) {
    pthread_t t;
    mkdir("d", 0700); close(creat("d/x", 0600));
    int fd = open("d", O_RDONLY | O_DIRECTORY);
    pthread_create(&t, NULL, other, NULL);
    int a = openat(fd, "x", O_RDONLY), b = open("d/x", O_RDONLY);
    SAY("%d%d", a >= 0, b >= 0);
    pthread_join(t, NULL);
}"#)
    .prints(&["10", "11"]);
    // The descriptor is looked up first. Before that, others may close it (3), and use its number
    // for a file (4). Between that and the rest, they may close it and make the name (1).
    all(r#"
static int fd;
static void *other(void *p) { close(fd); close(creat("d/x", 0600)); return p; }
int main(void) {
    pthread_t t;
    mkdir("d", 0700);
    fd = open("d", O_RDONLY | O_DIRECTORY);
    pthread_create(&t, NULL, other, NULL);
    int x = openat(fd, "x", O_RDONLY);
    SAY("%d", x >= 0 ? 1 : errno == ENOENT ? 2 : errno == EBADF ? 3 : errno == ENOTDIR ? 4 : 5);
    pthread_join(t, NULL);
}"#)
    .prints(&["1", "2", "3", "4"]);
}

#[test]
fn a_directory_is_read_at_one_moment() {
    all(r#"
static void *other(void *p) { close(creat("d/b", 0600)); unlink("d/a"); return p; }
int main(void) {
    pthread_t t;
    struct dirent *e; DIR *d;
    mkdir("d", 0700); close(creat("d/a", 0600));
    d = opendir("d");
    pthread_create(&t, NULL, other, NULL);
    while ((e = readdir(d))) if (e->d_name[0] != '.') SAY("%s", e->d_name);
    pthread_join(t, NULL);
}"#)
    .prints(&["a", "ab", "b"]);
}

#[test]
fn the_working_directory_belongs_to_the_process() {
    all(r#"
static void *other(void *p) { chdir("d"); return p; }
int main(void) {
    pthread_t t; char text[64];
    mkdir("d", 0700);
    pthread_create(&t, NULL, other, NULL);
    close(creat("x", 0600));
    pthread_join(t, NULL);
    SAY("%d %s", access("../x", F_OK) == 0, getcwd(text, sizeof text));
}"#)
    .prints(&["0 /home/user/work/d", "1 /home/user/work/d"]);
}

#[test]
fn poll_waits_for_either_pipe() {
    let body = r#"
static int one[2], two[2];
static void *send(void *p) { write(*(int *)p, "x", 1); return p; }
int main(void) {
    pthread_t a, b;
    pipe(one); pipe(two);
    pthread_create(&a, NULL, send, &one[1]);
    pthread_create(&b, NULL, send, &two[1]);
    struct pollfd fds[2] = {{one[0], POLLIN, 0}, {two[0], POLLIN, 0}};
    int n = poll(fds, 2, TIME);
    SAY("%d %d%d", n, fds[0].revents, fds[1].revents);
    pthread_join(a, NULL); pthread_join(b, NULL);
}"#;
    all(&body.replace("TIME", "-1")).prints(&["1 01", "1 10", "2 11"]);
    all(&body.replace("TIME", "0")).prints(&["0 00", "1 01", "1 10", "2 11"]);
    all(&body.replace("TIME", "1000")).prints(&["0 00", "1 01", "1 10", "2 11"]);
    let without = Options {
        timeouts: false,
        ..Options::default()
    };
    let text = format!("{HEADERS}{}", body.replace("TIME", "1000"));
    run_with(&text, without).prints(&["1 01", "1 10", "2 11"]);
}

#[test]
fn poll_on_what_cannot_come_blocks() {
    all(r#"
int main(void) {
    int ends[2];
    pipe(ends);
    struct pollfd fd = {ends[0], POLLIN, 0};
    poll(&fd, 1, -1);
}"#)
    .deadlocks();
}

#[test]
fn poll_and_select_answer() {
    all(r#"
int main(void) {
    int ends[2]; char c;
    pipe(ends);
    int file = open("f", O_RDWR | O_CREAT, 0600);
    struct pollfd fds[5] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {file, POLLIN | POLLOUT, 0}, {77, POLLIN, 0}, {-1, POLLIN, 9}};
    SAY("%d", poll(fds, 5, 0));
    for (int i = 0; i < 5; i++) SAY(" %x", fds[i].revents);
    write(ends[1], "x", 1);
    SAY("\n%d %x", poll(fds, 1, -1), fds[0].revents);
    fd_set r, w; struct timeval zero = {0, 0};
    FD_ZERO(&r); FD_ZERO(&w);
    FD_SET(ends[0], &r); FD_SET(ends[1], &w);
    SAY("\n%d", select(ends[1] + 1, &r, &w, NULL, NULL));
    read(ends[0], &c, 1);
    FD_SET(ends[0], &r);
    SAY(" %d %d", select(ends[1] + 1, &r, NULL, NULL, &zero), !!FD_ISSET(ends[0], &r));
    close(ends[1]);
    SAY("\n%d %x", poll(fds, 1, -1), fds[0].revents);
    FD_SET(ends[0], &r);
    SAY("\n%d", select(ends[0] + 1, &r, NULL, NULL, NULL));
    FD_SET(99, &r);
    SAY(" %d", select(100, &r, NULL, NULL, &zero));
    SAY(" %d", poll(NULL, 0, 10));
}"#)
    .prints(&["3 0 4 5 20 0\n1 1\n2 0 0\n1 10\n1 -1 0"]);
}

#[test]
fn streams_are_locked() {
    all(r#"
static FILE *f;
static void *append(void *p) { fputs(p, f); return p; }
int main(void) {
    pthread_t a, b; char text[8];
    f = fopen("f", "w+");
    pthread_create(&a, NULL, append, "aA");
    pthread_create(&b, NULL, append, "bB");
    pthread_join(a, NULL); pthread_join(b, NULL);
    rewind(f);
    SAY("%s", fgets(text, 8, f));
}"#)
    .prints(&["aAbB", "bBaA"]);
    all(r#"
static FILE *f;
static void *take(void *p) { *(int *)p = getc(f); return p; }
int main(void) {
    pthread_t t; int a, b;
    f = fopen("f", "w+"); fputs("xy", f); rewind(f);
    pthread_create(&t, NULL, take, &a);
    b = getc(f);
    pthread_join(t, NULL);
    SAY("%c%c", a, b);
}"#)
    .prints(&["xy", "yx"]);
}

#[test]
fn a_locked_stream_is_waited_for() {
    all(r#"
static FILE *f;
static void *append(void *p) { fputs("b", f); return p; }
int main(void) {
    pthread_t t; char text[8];
    f = fopen("f", "w+");
    pthread_create(&t, NULL, append, NULL);
    flockfile(f);
    fputs("a", f); fputs("A", f);
    funlockfile(f);
    pthread_join(t, NULL);
    rewind(f);
    SAY("%s", fgets(text, 8, f));
}"#)
    .prints(&["aAb", "baA"]);
    all(r#"
static FILE *f;
static void *append(void *p) { fputs("b", f); return p; }
int main(void) {
    pthread_t t;
    f = fopen("f", "w");
    flockfile(f);
    pthread_create(&t, NULL, append, NULL);
    pthread_join(t, NULL);
}"#)
    .deadlocks();
}

#[test]
fn what_is_not_flushed_does_not_arrive() {
    let body = r#"
static int ends[2];
static void *receive(void *p) { char c = 0; read(ends[0], &c, 1); SAY("%c", c); return p; }
int main(void) {
    pthread_t t;
    pipe(ends);
    FILE *f = fdopen(ends[1], "w");
    pthread_create(&t, NULL, receive, NULL);
    fputc('x', f);
    FLUSH;
    pthread_join(t, NULL);
}"#;
    all(&body.replace("FLUSH", "fflush(f)")).prints(&["x"]);
    all(&body.replace("FLUSH", "fclose(f)")).prints(&["x"]);
    all(&body.replace("FLUSH", "")).deadlocks();
}

#[test]
fn reading_ahead_waits_for_nothing_but_data() {
    all(r#"
static int ends[2];
static void *send(void *p) { write(ends[1], "l1\nl2\n", 6); close(ends[1]); return p; }
int main(void) {
    pthread_t t; char line[8];
    pipe(ends);
    FILE *f = fdopen(ends[0], "r");
    pthread_create(&t, NULL, send, NULL);
    while (fgets(line, 8, f)) { line[2] = ' '; SAY("%s", line); }
    pthread_join(t, NULL);
    fclose(f);
}"#)
    .prints(&["l1 l2 "]);
}

#[test]
fn a_writer_without_reader() {
    let body = r#"
int main(void) {
    int ends[2];
    IGNORE;
    pipe(ends); close(ends[0]);
    int n = write(ends[1], "x", 1);
    SAY("%d %d", n, errno == EPIPE);
}"#;
    all(&body.replace("IGNORE", "signal(SIGPIPE, SIG_IGN)")).prints(&["-1 1"]);
    let outcomes = all(&body.replace("IGNORE", ""));
    assert!(
        outcomes.unsupported.iter().any(|what| what.contains("SIGPIPE")),
        "{outcomes:?}"
    );
}

#[test]
fn cancelled_while_reading() {
    all(r#"
static int ends[2];
static void *receive(void *p) { char c; read(ends[0], &c, 1); return p; }
int main(void) {
    pthread_t t; void *result;
    pipe(ends);
    pthread_create(&t, NULL, receive, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    SAY("%d", result == PTHREAD_CANCELED);
}"#)
    .prints(&["1"]);
}

// ---- faults and what is unsupported
// ------------------------------------------------------------------------------

#[test]
fn faults() {
    use FaultKind::*;
    #[rustfmt::skip]
    let cases: &[(&str, FaultKind, &str)] = &[
        ("char t[2]; int fd = open(\"/dev/zero\", O_RDONLY); read(fd, t, 4);", OutOfBounds, "write of 4 bytes"),
        ("char t[2] = \"x\"; int e[2]; pipe(e); write(e[1], t, 3);", OutOfBounds, "read of 3 bytes"),
        ("char *t = malloc(4); free(t); int e[2]; pipe(e); write(e[1], t, 1);", UseAfterFree, "read of 1 byte"),
        ("int e[2]; pipe(e); write(e[1], 0, 1);", NullDereference, "read of 1 byte"),
        ("int fd; char c; read(fd, &c, 1);", UninitializedValue, "argument"),
        ("FILE *f = fopen(\"f\", \"w\"); fclose(f); fputc('x', f);", UseAfterFree, "stream that was closed"),
        ("FILE *f = fopen(\"f\", \"w\"); fclose(f); fclose(f);", UseAfterFree, "stream that was closed"),
        ("FILE *f = fopen(\"missing\", \"r\"); fgetc(f);", NullDereference, "null stream"),
        ("FILE *f = (FILE *)malloc(500); fgetc(f);", InvalidPointer, "as a stream"),
        ("FILE *f = fopen(\"f\", \"w\"); int x; fwrite(&x, 4, 1, f); rewind(f); SAY(\"ok\"); int e[2]; pipe(e); write(e[1], &x, 4); int y; read(e[0], &y, 4); if (y) SAY(\"!\");", UninitializedValue, "condition"),
        ("int x; write(1, &x, 4);", UninitializedValue, "byte of an output"),
        ("FILE *f = fopen(\"f\", \"w\"); funlockfile(f);", PthreadOther, "funlockfile"),
        ("char *p = mmap(0, 1, PROT_READ, MAP_PRIVATE, FILE_OF_ONE, 0); *p = 1;", WriteToConstant, "write"),
        ("char *p = mmap(0, 1, PROT_READ, MAP_PRIVATE, FILE_OF_ONE, 0); p[4096];", OutOfBounds, "read"),
        ("char *p = mmap(0, 1, PROT_READ, MAP_PRIVATE, FILE_OF_ONE, 0); munmap(p, 1); *p;", UseAfterFree, "read"),
        ("char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mremap(p, 4096, 8192, MREMAP_MAYMOVE); *p;", UseAfterFree, "read"),
    ];
    for (body, kind, message) in cases {
        let outcomes = all(&format!("int main(void) {{ {body} return 0; }}"));
        outcomes.faults(*kind);
        assert!(
            outcomes.messages.iter().any(|m| m.contains(message)),
            "{body}: {outcomes:?}"
        );
    }
}

#[test]
fn unsupported_by_name() {
    #[rustfmt::skip]
    let cases: &[(&str, &str)] = &[
        ("open(\"/dev/tty\", O_RDONLY);", "/dev/tty"),
        ("char *p; size_t n; FILE *f = open_memstream(&p, &n); fputs(\"ab\", f); fseek(f, 0, SEEK_SET); fseek(f, 0, SEEK_END);", "SEEK_END"),
        ("int fd = open(\"/dev/null\", O_RDWR), n; ioctl(fd, FIONREAD, &n);", "FIONREAD"),
        ("ioctl(0, 0x5431, 0);", "ioctl with the request 0x5431"),
        ("freopen(\"x\", \"w\", stdout); SAY(\"x\");", "standard stream"),
        ("freopen(0, \"r\", stdin);", "freopen"),
        ("open(\".\", O_RDONLY | O_DIRECTORY | O_CREAT, 0600);", "O_DIRECTORY"),
        ("readdir(opendir(\"/proc\"));", "/proc"),
        ("struct pollfd p = {mq_open(\"/q\", O_CREAT | O_RDWR, 0600, 0), POLLIN, 0}; poll(&p, 1, 0);", "poll on a message queue"),
        ("int q = mq_open(\"/q\", O_CREAT | O_RDWR, 0600, 0); mq_close(dup(q));", "has not returned"),
        ("signal(SIGALRM, (void (*)(int))main); struct itimerval t = {{1, 0}, {1, 0}}; setitimer(ITIMER_REAL, &t, 0);", "again and again"),
        ("rmdir(\"/home/user/work\");", "working directory"),
        ("rename(\"/home/user/work\", \"/home/user/x\");", "always exists"),
        ("struct stat s; fstatat(3, \"\", &s, 0x1000);", "fstatat with flags"),
        ("fcntl(0, F_GETOWN);", "fcntl command 9"),
        ("int fd = open(\"/dev/null\", O_WRONLY); dup2(fd, 1); SAY(\"x\");", "standard stream"),
        ("close(2); perror(\"x\");", "standard stream"),
        ("int fd = FILE_OF_ONE; for (int i = 0; i < 2; i++) mmap(0, 1, 3, MAP_SHARED, fd, 0);", "for writing (MAP_SHARED)"),
        ("int fd = FILE_OF_ONE; char c; mmap(0, 1, 3, MAP_SHARED, fd, 0); read(fd, &c, 1);", "mapped for writing"),
        ("int fd = FILE_OF_ONE; mmap(0, 1, 3, MAP_SHARED, fd, 0); write(fd, \"y\", 1);", "changing a file that was mapped"),
        ("mmap(0, 4097, PROT_READ, MAP_PRIVATE, FILE_OF_ONE, 0);", "behind the end"),
        ("mmap(0, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, FILE_OF_ONE, 0);", "protection 5"),
        ("mmap((void *)4096, 1, PROT_READ, MAP_PRIVATE | MAP_FIXED, FILE_OF_ONE, 0);", "flags 0x12"),
        ("int e[2]; pipe(e); mmap(0, 1, PROT_READ, MAP_PRIVATE, e[0], 0);", "mmap of the end of a pipe"),
        ("int fd = FILE_OF_ONE; mmap(0, 1, PROT_READ, MAP_SHARED, fd, 0); write(fd, \"y\", 1);", "changing a file that was mapped"),
        ("int fd = FILE_OF_ONE; mmap(0, 1, PROT_READ, MAP_SHARED, fd, 0); ftruncate(fd, 0);", "changing a file that was mapped"),
        ("char *p = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(p, 4096);", "a whole mapping"),
        ("char *p = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mremap(p, 8192, 4096, 0);", "mremap with flags"),
        ("int e[2]; pipe(e); flock(e[0], LOCK_EX);", "flock of the end of a pipe"),
        ("int n; sscanf(\"1\", \"%md\", &n);", "%m"),
    ];
    for (body, what) in cases {
        let outcomes = all(&format!("int main(void) {{ {body} return 0; }}"));
        assert!(
            outcomes.unsupported.iter().any(|u| u.contains(what)),
            "{body}: {outcomes:?}"
        );
    }
    let outcomes = all(r#"
static void *other(void *p) { return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, other, NULL); close(1); pthread_join(t, NULL); }"#);
    assert!(
        outcomes.unsupported.iter().any(|u| u.contains("standard output")),
        "{outcomes:?}"
    );
}
