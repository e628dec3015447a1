//! Peers from scripts and of any bytes (`--client`, `--symbolic-packet`) against a small server.

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
    assert!(out.contains("what they exchange with clients"), "{out}");
    let (code, verdict, out) = check(&["racy.c", "--client", "one,two"]);
    assert_eq!((code, verdict.as_str()), (10, "false(no-data-race)"), "{out}");
    let (code, verdict, out) = check(&["locked.c", "--client", "wrong,two"]);
    assert_eq!((code, verdict.as_str()), (10, "false(unreach-call)"), "{out}");
    assert!(out.contains("a client gets what it expects"), "{out}");
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
