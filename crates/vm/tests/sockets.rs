//! Sockets between threads: all schedules of small programs, with answers that are known. What
//! they answer in one thread is compared with native runs in `files`.

#[path = "sync/explorer.rs"]
mod explorer;

use explorer::run;
use selvedge_model::FaultKind;

const HEADERS: &str = r#"#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static struct sockaddr_in at;
static int listener;
static int serve(int backlog)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    at = (struct sockaddr_in){AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
    socklen_t size = sizeof at;
    bind(fd, (struct sockaddr *)&at, sizeof at);
    getsockname(fd, (struct sockaddr *)&at, &size);
    listen(fd, backlog);
    return fd;
}
static int join(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return connect(fd, (struct sockaddr *)&at, sizeof at) ? -1 : fd;
}
"#;

#[track_caller]
fn all(body: &str) -> explorer::Outcomes {
    run(&format!("{HEADERS}{body}"))
}

#[track_caller]
fn unsupported(body: &str, what: &str) {
    let outcomes = all(body);
    assert!(
        outcomes.unsupported.iter().any(|it| it.contains(what)),
        "{outcomes:?}"
    );
}

#[test]
fn a_client_and_a_server_of_one_program() {
    all(r#"
static void *client(void *p) {
    char text[8] = "";
    int fd = join();
    send(fd, "ping", 4, 0);
    SAY("%d%s", (int)recv(fd, text, 8, 0), text);
    close(fd);
    return p;
}
int main(void) {
    pthread_t t; char text[8] = "";
    listener = serve(1);
    pthread_create(&t, NULL, client, NULL);
    int fd = accept(listener, NULL, NULL);
    int got = recv(fd, text, 8, 0);
    SAY("%d%s ", got, text);
    send(fd, "pong", 4, 0);
    pthread_join(t, NULL);
    SAY(" %d", (int)recv(fd, text, 8, 0));
}"#)
    .prints(&["4ping 4pong 0"]);
}

#[test]
fn who_comes_before_the_server_is_refused() {
    all(r#"
static void *client(void *p) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un at = {AF_UNIX, "socket"};
    int r = connect(fd, (struct sockaddr *)&at, sizeof at);
    SAY("%d %d", r, r ? errno == ENOENT ? 1 : errno == ECONNREFUSED ? 2 : 3 : 0);
    return p;
}
int main(void) {
    pthread_t t;
    struct sockaddr_un at = {AF_UNIX, "socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_create(&t, NULL, client, NULL);
    bind(fd, (struct sockaddr *)&at, sizeof at);
    listen(fd, 1);
    pthread_join(t, NULL);
}"#)
    .prints(&["-1 1", "-1 2", "0 0"]);
}

#[test]
fn what_is_sent_before_the_close_arrives() {
    all(r#"
static int s[2];
static void *client(void *p) { send(s[0], "ab", 2, 0); send(s[0], "c", 1, 0); close(s[0]); return p; }
int main(void) {
    char text[8]; int n, total = 0; pthread_t t;
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    pthread_create(&t, NULL, client, NULL);
    while ((n = recv(s[1], text + total, 8 - total, 0)) > 0) total += n;
    pthread_join(t, NULL);
    SAY("%.*s %d", total, text, n);
}"#)
    .prints(&["abc 0"]);
}

#[test]
fn all_that_is_waited_for() {
    all(r#"
static int s[2];
static void *client(void *p) { send(s[0], "ab", 2, 0); send(s[0], "cd", 2, 0); return p; }
int main(void) {
    char text[8]; pthread_t t;
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    pthread_create(&t, NULL, client, NULL);
    SAY("%d", (int)recv(s[1], text, 3, MSG_WAITALL));
    pthread_join(t, NULL);
}"#)
    .prints(&["3"]);
    all(r#"
static int s[2];
static void *client(void *p) { send(s[0], "ab", 2, 0); send(s[0], "cd", 2, 0); return p; }
int main(void) {
    char text[8]; pthread_t t;
    socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
    pthread_create(&t, NULL, client, NULL);
    int a = recv(s[1], text, 8, MSG_DONTWAIT);
    int b = recv(s[1], text, 8, 0);
    SAY("%d %d", a, b);
    pthread_join(t, NULL);
}"#)
    .prints(&["-1 2", "2 2"]);
}

#[test]
fn a_stream_that_nobody_writes_to_blocks() {
    all("int main(void) { int s[2]; char c; socketpair(AF_UNIX, SOCK_STREAM, 0, s); recv(s[0], &c, 1, 0); }")
        .deadlocks();
    // Each waits for the other's answer.
    all(r#"
static int s[2];
static void *other(void *p) { char c; recv(s[1], &c, 1, 0); send(s[1], "x", 1, 0); return p; }
int main(void) {
    char c; pthread_t t;
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    pthread_create(&t, NULL, other, NULL);
    recv(s[0], &c, 1, 0);
    send(s[0], "x", 1, 0);
    pthread_join(t, NULL);
}"#)
    .deadlocks();
}

#[test]
fn both_ends_that_only_send_are_full() {
    all(r#"
static int s[2];
static char block[65536];
static void *other(void *p) { char c; send(s[1], block, sizeof block, 0); send(s[1], "x", 1, 0); recv(s[1], &c, 1, 0); return p; }
int main(void) {
    char c; pthread_t t;
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    memset(block, 'x', sizeof block);
    pthread_create(&t, NULL, other, NULL);
    send(s[0], block, sizeof block, 0); send(s[0], "x", 1, 0);
    recv(s[0], &c, 1, 0);
    pthread_join(t, NULL);
}"#)
    .deadlocks();
}

#[test]
fn a_full_backlog_makes_clients_wait() {
    all(r#"
static void *client(void *p) { return (void *)(long)join(); }
int main(void) {
    pthread_t t;
    listener = serve(0);
    int one = join();
    pthread_create(&t, NULL, client, NULL);
    accept(listener, NULL, NULL);
    pthread_join(t, NULL);
    SAY("%d", one >= 0);
}"#)
    .prints(&["1"]);
    all("int main(void) { listener = serve(0); join(); join(); }").deadlocks();
}

#[test]
fn a_poll_sees_connections_and_data() {
    all(r#"
static void *client(void *p) { int fd = join(); send(fd, "x", 1, 0); return p; }
int main(void) {
    pthread_t t; char c;
    listener = serve(1);
    pthread_create(&t, NULL, client, NULL);
    struct pollfd fds[2] = {{listener, POLLIN, 0}, {-1, POLLIN, 0}};
    int n = poll(fds, 2, -1);
    SAY("%d %d ", n, fds[0].revents);
    fds[1].fd = accept(listener, NULL, NULL);
    n = poll(fds, 2, -1);
    SAY("%d %d %d", n, fds[0].revents, fds[1].revents);
    pthread_join(t, NULL);
}"#)
    .prints(&["1 1 1 0 1"]);
}

#[test]
fn a_socket_that_listens_is_shut_down() {
    all(r#"
static void *server(void *p) { SAY("%d %d", accept(listener, NULL, NULL), errno == EINVAL); return p; }
int main(void) {
    pthread_t t;
    listener = serve(1);
    pthread_create(&t, NULL, server, NULL);
    shutdown(listener, SHUT_RDWR);
    pthread_join(t, NULL);
}"#)
    .prints(&["-1 1"]);
}

#[test]
fn peers_from_outside_are_unsupported() {
    let peer = "a peer outside the program";
    unsupported(
        "int main(void) { listener = serve(1); accept(listener, NULL, NULL); }",
        peer,
    );
    unsupported(
        "int main(void) { listener = serve(1); struct pollfd p = {listener, POLLIN, 0}; poll(&p, 1, -1); }",
        peer,
    );
    unsupported(
        r#"
static void *server(void *p) { accept(listener, NULL, NULL); return p; }
int main(void) {
    pthread_t t, u;
    listener = serve(1);
    pthread_create(&t, NULL, server, NULL);
    pthread_create(&u, NULL, server, NULL);
    join();
    pthread_join(t, NULL); pthread_join(u, NULL);
}"#,
        peer,
    );
    for call in ["recvfrom(fd, &c, 1, 0, NULL, NULL)", "read(fd, &c, 1)"] {
        unsupported(
            &format!(
                "int main(void) {{ int fd = socket(AF_INET, SOCK_DGRAM, 0); char c; struct sockaddr_in a = {{AF_INET, htons(99)}}; \
                 bind(fd, (struct sockaddr *)&a, sizeof a); {call}; }}"
            ),
            peer,
        );
    }
    // Who returns from main ends the process, whoever waits.
    let outcomes = all(r#"
static void *server(void *p) { accept(listener, NULL, NULL); return p; }
int main(void) { pthread_t t; listener = serve(1); pthread_create(&t, NULL, server, NULL); SAY("end"); return 0; }"#);
    assert!(
        outcomes.outputs.contains("end") && outcomes.unsupported.is_empty(),
        "{outcomes:?}"
    );
}

#[test]
fn a_buffer_is_checked() {
    let make = "int s[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, s);";
    all(&format!("int main(void) {{ {make} char four[4]; return send(s[0], \"12345678\", 8, 0) + recv(s[1], four, 8, 0); }}"))
        .faults(FaultKind::OutOfBounds);
    all(&format!(
        "int main(void) {{ {make} char c; return send(s[0], &c, 2, 0); }}"
    ))
    .faults(FaultKind::OutOfBounds);
    // What was never written is known to be so where it arrives.
    all(&format!("int main(void) {{ {make} char c, d; send(s[0], &c, 1, 0); recv(s[1], &d, 1, 0); if (d) SAY(\"!\"); }}"))
        .faults(FaultKind::UninitializedValue);
}

#[test]
fn what_is_not_modelled_is_unsupported_by_name() {
    for (call, what) in [
        ("socket(AF_UNIX, SOCK_SEQPACKET, 0)", "a socket of type 5"),
        ("socket(16, SOCK_DGRAM, 0)", "a socket of family 16"),
        ("send(s[0], \"x\", 1, MSG_OOB)", "flag 0x1"),
        (
            "setsockopt(s[0], SOL_SOCKET, SO_REUSEPORT, s, 8)",
            "SO_REUSEPORT of a socket",
        ),
        (
            "setsockopt(s[0], SOL_SOCKET, 77, s, 8)",
            "option 77 of level 1 of a socket",
        ),
        (
            "send(s[0], \"x\", 1, 0) + close(s[1]) + send(s[0], \"x\", 1, 0)",
            "SIGPIPE",
        ),
        (
            "connect(t, (struct sockaddr *)&far, sizeof far)",
            "another machine",
        ),
        ("sendmsg(s[0], &control, 0)", "control data"),
        (
            "lseek(s[0], 0, SEEK_SET) + dprintf(s[0], \"x\")",
            "formatted output on a socket",
        ),
    ] {
        let outcomes = all(&format!(
            "#include <stdio.h>\n#include <sys/time.h>\nint main(void) {{ int s[2], t = socket(AF_INET, SOCK_STREAM, 0); socketpair(AF_UNIX, SOCK_STREAM, 0, s);\n\
             struct sockaddr_in far = {{AF_INET, htons(80), {{htonl(0x08080808)}}}}; char room[64] = \"\";\n\
             struct msghdr control = {{.msg_control = room, .msg_controllen = 64}}; (void)t; (void)far; (void)control; return (int)({call}); }}"
        ));
        let found: Vec<&str> = outcomes.unsupported.iter().map(String::as_str).collect();
        assert!(found.iter().any(|it| it.contains(what)), "{call}: {outcomes:?}");
    }
}
