//! A proxy between clients and a server: it cuts connections, delays what passes, and sends tasks
//! and answers twice, under another name, so that the server keeps both.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What it does, and has done.
#[derive(Default)]
struct State {
    /// The longest delay, in milliseconds.
    delay: AtomicU64,
    repeats: AtomicBool,
    repeated: AtomicU64,
    connections: Mutex<Vec<TcpStream>>,
}

pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

impl Proxy {
    pub fn to(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
                    continue;
                };
                let copies = [client.try_clone().unwrap(), server.try_clone().unwrap()];
                shared.connections.lock().unwrap().extend(copies);
                let (up, down) = (Arc::clone(&shared), Arc::clone(&shared));
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = upwards(&up, from, &to);
                    let _ = to.shutdown(Shutdown::Both);
                });
                std::thread::spawn(move || {
                    let _ = downwards(&down, server, &client);
                    let _ = client.shutdown(Shutdown::Both);
                });
            }
        });
        Proxy { port: here, state }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        for connection in self.state.connections.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    pub fn delay(&self, longest: u64) {
        self.state.delay.store(longest, Relaxed);
    }

    pub fn repeat(&self) {
        self.state.repeats.store(true, Relaxed);
    }

    /// How many messages it has sent twice.
    pub fn repeated(&self) -> u64 {
        self.state.repeated.load(Relaxed)
    }
}

fn wait(state: &State) {
    let longest = state.delay.load(Relaxed);
    if longest > 0 {
        std::thread::sleep(Duration::from_millis(fastrand::u64(0..longest)));
    }
}

fn downwards(state: &State, mut from: TcpStream, mut to: &TcpStream) -> std::io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        wait(state);
        to.write_all(&bytes[..count])?;
    }
}

/// The protocol has lines; those that publish are followed by as many bytes as their last word
/// says, and by the end of a line.
fn upwards(state: &State, from: TcpStream, mut to: &TcpStream) -> std::io::Result<()> {
    let mut from = BufReader::new(from);
    loop {
        let mut message = Vec::new();
        if from.read_until(b'\n', &mut message)? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&message).into_owned();
        if line.starts_with("PUB ") || line.starts_with("HPUB ") {
            let length = line.split_whitespace().last().and_then(|word| word.parse().ok());
            let mut content = vec![0; length.unwrap_or(0) + 2];
            from.read_exact(&mut content)?;
            message.extend(content);
        }
        wait(state);
        to.write_all(&message)?;
        let is_kept = line.starts_with("HPUB ") && (line.contains(".task.") || line.contains(".answer."));
        if is_kept
            && state.repeats.load(Relaxed)
            && let Some(at) = position(&message, b"Nats-Msg-Id: ")
        {
            // Another name of the same length.
            message[at + b"Nats-Msg-Id: ".len()] ^= 0x20;
            to.write_all(&message)?;
            state.repeated.fetch_add(1, Relaxed);
        }
    }
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
