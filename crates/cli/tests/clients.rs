//! Peers from scripts and of any bytes (`--client`, `--symbolic-packet`) against a small server,
//! and scripted servers (`--server`) for a small client.

use std::path::PathBuf;
use std::process::Command;

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("SELVEDGE_FORMAT")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (
            output.status.code().unwrap_or(-1),
            text(output.stdout),
            text(output.stderr),
        )
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// Two connections, a thread each; what comes is counted and sent back.
const SERVER: &str = r#"
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *serve(void *connection) {
    int fd = (int)(long)connection; char c;
    while (recv(fd, &c, 1, 0) == 1) {
        LOCK;
        count++;
        UNLOCK;
        send(fd, &c, 1, MSG_NOSIGNAL);
    }
    close(fd);
    return NULL;
}
int main(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
    pthread_t threads[2];
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4)) return 1;
    for (int i = 0; i < 2; i++) {
        int connection = accept(fd, NULL, NULL);
        if (connection != 4 + i) return 2;
        pthread_create(&threads[i], NULL, serve, (void *)(long)connection);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    close(fd);
    return count != 2;
}
"#;

/// The same with one connection, which is not to bring these two bytes.
const PARSER: &str = r#"
#include <arpa/inet.h>
#include <assert.h>
#include <stddef.h>
#include <sys/socket.h>
int main(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
    char text[2] = "";
    bind(fd, (struct sockaddr *)&address, sizeof address);
    listen(fd, 1);
    int n = recv(accept(fd, NULL, NULL), text, 2, MSG_WAITALL);
    assert(n == 2);
    assert(text[0] != 'o' || text[1] != 'k');
    return 0;
}
"#;

fn place(name: &str) -> Place {
    let place = Place::new(name);
    let locked = SERVER.replace("UNLOCK", "pthread_mutex_unlock(&lock)");
    place.write("locked.c", &locked.replace("LOCK", "pthread_mutex_lock(&lock)"));
    place.write("racy.c", &SERVER.replace("UNLOCK", "").replace("LOCK", ""));
    place.write("parser.c", PARSER);
    place.write("one", "# an echo\nsend \"a\"\nexpect \"a\"\n");
    place.write("two", "port 8080\nsend \"b\"\nend\ndrain\n");
    place.write("wrong", "send \"a\"\nexpect \"b\"\n");
    place.write("elsewhere", "port 81\nsend \"a\"\n");
    place
}

#[test]
fn scripted_clients_serve_a_server() {
    let place = place("clients");
    let check = |arguments: &[&str]| {
        let (code, out, err) = place.run(&[&["check", "--finding", "none"], arguments].concat());
        (code, last_line(&out).to_owned(), format!("{out}{err}"))
    };
    let (code, verdict, out) = check(&["locked.c", "--client", "one,two"]);
    assert_eq!((code, verdict.as_str()), (0, "true"), "{out}");
    assert!(out.contains("what they exchange with peers"), "{out}");
    let (code, verdict, out) = check(&["racy.c", "--client", "one,two"]);
    assert_eq!((code, verdict.as_str()), (10, "false(no-data-race)"), "{out}");
    let (code, verdict, out) = check(&["locked.c", "--client", "wrong,two"]);
    assert_eq!((code, verdict.as_str()), (10, "false(unreach-call)"), "{out}");
    assert!(out.contains("a peer gets what it expects"), "{out}");
    // The second connection never comes, which is no deadlock: somebody else could connect.
    let (_, verdict, out) = check(&["locked.c", "--client", "one,elsewhere"]);
    assert!(verdict.contains("a peer outside the program"), "{out}");
}

#[test]
fn packets_have_any_bytes_and_are_replayed() {
    let place = place("packets");
    let (code, out, err) = place.run(&["check", "parser.c", "--symbolic-packet", "2"]);
    assert_eq!((code, last_line(&out)), (10, "false(unreach-call)"), "{out}{err}");
    let (code, out, err) = place.run(&["replay", "FINDING.json"]);
    assert_eq!(code, 10, "{out}{err}");
    let (code, out, _) = place.run(&["check", "--finding", "none", "parser.c", "--client", "two"]);
    // One byte only, and then the end.
    assert_eq!((code, last_line(&out)), (10, "false(unreach-call)"), "{out}");
    let (code, out, _) = place.run(&["check", "--finding", "none", "racy.c", "--symbolic-packet", "1,1"]);
    assert_eq!((code, last_line(&out)), (10, "false(no-data-race)"), "{out}");
}

#[test]
fn wrong_scripts_are_refused_by_their_lines() {
    let place = place("scripts");
    place.write("bad", "send \"a\"\nsay \"b\"\n");
    for (arguments, why) in [
        (["--client", "bad"], "bad:2: expected port N"),
        (["--client", "missing"], "cannot read missing"),
        (["--symbolic-packet", "0"], "from 1 to 65536"),
    ] {
        let (code, _, err) = place.run(&[&["check", "parser.c"], &arguments[..]].concat());
        assert!(code == 1 && err.contains(why), "{err}");
    }
}

#[test]
fn a_peer_that_never_connects_is_named() {
    let place = place("absent");
    place.write("deaf.c", "int main(void) { return 0; }\n");
    let note = |arguments: &[&str], peer: &str| {
        let (_, out, err) = place.run(&[&["check", "--finding", "none"], arguments].concat());
        format!("{out}{err}").contains(&format!("note: the peer of {peer} never connected"))
    };
    let both = ["deaf.c", "--client", "one", "--symbolic-packet", "3"];
    assert!(note(&both, "--client one") && note(&both, "--symbolic-packet 3"));
    // The server listens at another port than that of the second script.
    let two = ["locked.c", "--client", "one,elsewhere"];
    assert!(note(&two, "--client elsewhere") && !note(&two, "--client one"));
}

/// Threads fetch one part of a text each, by an address of another machine, and meet at a lock.
/// Without waiting, the connection is polled for.
const LOADER: &str = r#"
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char whole[7];
static int parts;
static void *load(void *from) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
    char text[40], c;
    int begin = (int)(long)from, fd = socket(AF_INET, SOCK_STREAM | FLAGS, 0), n;
    inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        assert(errno == EINPROGRESS);
        struct pollfd wait = {fd, POLLOUT, 0};
        poll(&wait, 1, -1);
        fcntl(fd, F_SETFL, 0);
        assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    }
    for (int i = 0; i < TIMES; i++) {
        n = snprintf(text, sizeof text, "GET %d\n", begin);
        send(fd, text, n, MSG_NOSIGNAL);
        n = recv(fd, text, 3, MSG_WAITALL);
        assert(n == 3);
    }
    memcpy(whole + begin, text, 3);
    if (TIMES > 1) {
        shutdown(fd, SHUT_WR);
        assert(recv(fd, &c, 1, 0) == 0);
    }
    LOCK;
    parts++;
    UNLOCK;
    return NULL;
}
int main(void) {
    pthread_t threads[THREADS];
    struct hostent *host = gethostbyname("example.org");
    assert(host && host->h_length == 4 && host->h_addrtype == AF_INET);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, load, (void *)(3l * i));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(parts == THREADS && memcmp(whole, "SELECT", 3 * THREADS) == 0);
    return 0;
}
"#;

#[test]
fn a_scripted_server_answers_each_connection() {
    let place = Place::new("servers");
    place.write("loader.c", LOADER);
    place.write(
        "script",
        "port 80\non \"GET 0\\n\"\nsend \"SEL\"\non \"GET 3\\n\"\nsend \"ECT\"\n",
    );
    // This one greets, and closes then.
    place.write("greeting", "port 80\nsend \"SEL\"\n");
    place.write("silent", "port 80\n");
    place.write("elsewhere", "port 81\n");
    let check = |defined: &str, server: &str| {
        let common = ["check", "--finding", "none", "loader.c", "--server", server];
        let defined: Vec<&str> = defined.split(' ').collect();
        let (code, out, err) = place.run(&[&common[..], &defined].concat());
        (code, last_line(&out).to_owned(), format!("{out}{err}"))
    };
    let locked = "-DLOCK=pthread_mutex_lock(&lock) -DUNLOCK=pthread_mutex_unlock(&lock)";
    let two = format!("{locked} -DTIMES=1 -DFLAGS=0 -DTHREADS=2");
    let (code, verdict, out) = check(&two, "script");
    assert_eq!((code, verdict.as_str()), (0, "true"), "{out}");
    let (code, verdict, out) = check("-DLOCK= -DUNLOCK= -DTIMES=1 -DFLAGS=0 -DTHREADS=2", "script");
    assert_eq!((code, verdict.as_str()), (10, "false(no-data-race)"), "{out}");
    let (_, _, out) = check(&two, "elsewhere");
    assert!(
        out.contains("note: the peer of --server elsewhere never had a connection"),
        "{out}"
    );
    let polled = format!("{locked} -DTIMES=2 -DFLAGS=SOCK_NONBLOCK -DTHREADS=1");
    let (code, verdict, out) = check(&polled, "script");
    assert_eq!((code, verdict.as_str()), (0, "true"), "{out}");
    let one = format!("{locked} -DTIMES=1 -DFLAGS=0 -DTHREADS=1");
    let (code, verdict, out) = check(&one, "greeting");
    assert_eq!((code, verdict.as_str()), (0, "true"), "{out}");
    let (code, verdict, out) = check(&one, "silent");
    assert_eq!((code, verdict.as_str()), (10, "false(unreach-call)"), "{out}");
    let (code, _, out) = check(&one, "missing");
    assert!(code == 1 && out.contains("cannot read missing"), "{out}");
}

#[test]
fn a_process_ends_though_its_peers_wait() {
    let place = place("left");
    let leaving = PARSER.replace(
        "int n = recv(accept(fd, NULL, NULL), text, 2, MSG_WAITALL);",
        "accept(fd, NULL, NULL); pthread_exit(0);",
    );
    let leaving = leaving
        .replace("#include <stddef.h>", "#include <pthread.h>\n#include <stddef.h>")
        .replace("assert(n == 2);", "");
    place.write("leaving.c", &leaving);
    place.write("patient", "drain\n");
    let (code, out, _) = place.run(&["check", "--finding", "none", "leaving.c", "--client", "patient"]);
    assert_eq!((code, last_line(&out)), (0, "true"), "{out}");
    // Who waits for a peer while that waits, too, is a deadlock.
    let waiting = PARSER.replace("assert(n == 2);", "");
    place.write("waiting.c", &waiting);
    let (code, out, _) = place.run(&["check", "--finding", "none", "waiting.c", "--client", "patient"]);
    assert_eq!((code, last_line(&out)), (10, "false(no-deadlock)"), "{out}");
}
