//! A connection to a server, for code that waits: a thread of its own runs everything that does
//! not.

use super::access::{Access, with_access};
use super::fault::Fault;
use crate::wire::{Beat, LONGEST, Order};
use async_nats::jetstream::{self, context::Context, object_store::ObjectStore};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use futures_util::StreamExt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// How often the bytes of an object are asked for, if they do not come.
const READS: u32 = 3;

/// The longest time for one request.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection.
pub struct Server {
    handle: Handle,
    client: Client,
    pub(crate) jetstream: Context,
    objects: ObjectStore,
    pub(crate) prefix: String,
    replicas: usize,
    connected: Arc<AtomicBool>,
    /// Ends the thread when it is dropped.
    _ends: oneshot::Sender<()>,
}

/// A background task that ends with this.
pub(crate) struct Ends(AbortHandle);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Server {
    /// Connects. Afterwards, the connection is made again whenever it is lost.
    ///
    /// # Errors
    /// If there is no server, it does not admit this client, or it has no JetStream.
    pub fn connect(url: &str, access: &Access, replicas: usize) -> Result<Server, Fault> {
        let address: ServerAddr = url.parse().map_err(|error| Fault::of("the address", error))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Fault::of("no runtime", error))?;
        let handle = runtime.handle().clone();
        let (ends, end) = oneshot::channel::<()>();
        std::thread::Builder::new()
            .name("nats".to_owned())
            .spawn(move || {
                let _ = runtime.block_on(end);
                runtime.shutdown_background();
            })
            .map_err(|error| Fault::of("no thread", error))?;
        let connected = Arc::new(AtomicBool::new(true));
        let version = env!("CARGO_PKG_VERSION").replace('.', "-");
        let prefix = format!("selvedge-{version}");
        let options = options(&address, access, &connected)?;
        let started = handle.block_on(async {
            let client = options.connect(address).await;
            let client = client.map_err(|error| Fault::of("no connection", error))?;
            let mut jetstream = jetstream::new(client.clone());
            jetstream.set_timeout(PATIENCE);
            let objects = objects(&jetstream, &prefix, replicas).await?;
            Ok((client, jetstream, objects))
        });
        let (client, jetstream, objects) = started?;
        Ok(Server {
            handle,
            client,
            jetstream,
            objects,
            prefix,
            replicas,
            connected,
            _ends: ends,
        })
    }

    /// True if there is a connection now.
    pub fn is_connected(&self) -> bool {
        self.connected.load(Relaxed)
    }

    /// The number of servers that keep each message.
    pub(crate) fn replicas(&self) -> usize {
        self.replicas
    }

    /// Waits for something.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// Does something beside everything else, until the result is dropped.
    pub(crate) fn beside(&self, future: impl Future<Output = ()> + Send + 'static) -> Ends {
        Ends(self.handle.spawn(future).abort_handle())
    }

    /// Stores bytes under a name.
    ///
    /// # Errors
    /// If the server does not take them.
    pub fn store(&self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        let put = async {
            let mut data = bytes;
            tokio::time::timeout(20 * PATIENCE, self.objects.put(name, &mut data)).await
        };
        match self.wait(put) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(Fault::of("an object cannot be stored", error)),
            Err(late) => Err(Fault::of("an object cannot be stored", late)),
        }
    }

    /// The bytes of a name.
    ///
    /// # Errors
    /// If there are none, more than [`LONGEST`], or damaged ones.
    pub fn stored(&self, name: &str) -> Result<Vec<u8>, Fault> {
        let missing = |error: &dyn std::fmt::Display| Fault(format!("the object {name}: {error}"));
        let get = async {
            let mut attempt = 1;
            loop {
                let object = self.objects.get(name).await.map_err(|error| missing(&error))?;
                if object.info().size > LONGEST * 4 {
                    return Err(missing(&"is too long"));
                }
                let mut bytes = Vec::new();
                let mut limited = object.take(LONGEST as u64 * 4);
                match limited.read_to_end(&mut bytes).await {
                    Ok(_) => return Ok(bytes),
                    Err(error) if attempt == READS => return Err(missing(&error)),
                    // The server began anew, or this process stood still for a while.
                    Err(_) => attempt += 1,
                }
            }
        };
        self.wait(async {
            let got = tokio::time::timeout(20 * PATIENCE, get).await;
            got.unwrap_or_else(|late| Err(missing(&late)))
        })
    }

    /// Removes the bytes of a name, if there are any.
    pub fn forget(&self, name: &str) {
        let _ = self.wait(async { tokio::time::timeout(PATIENCE, self.objects.delete(name)).await });
    }

    /// Shows a worker's sign of life.
    pub fn beat(&self, beat: &Beat) {
        self.send("selvedge.beat", beat.bytes());
    }

    /// Makes a request to all workers.
    pub fn order(&self, order: &Order) {
        self.send(format!("{}.order", self.prefix), order.bytes());
    }

    /// Makes a request to one worker.
    pub fn order_to(&self, worker: &str, order: &Order) {
        self.send(self.mailbox(worker), order.bytes());
    }

    /// The subject of requests to the workers of one process.
    fn mailbox(&self, worker: &str) -> String {
        let process = worker.rsplit_once('.').map_or(worker, |(process, _)| process);
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        };
        let process: String = process.chars().map(plain).collect();
        format!("{}.order.{process}", self.prefix)
    }

    fn send(&self, subject: impl Into<String>, bytes: Result<Vec<u8>, crate::wire::Unreadable>) {
        let subject = subject.into();
        if let Ok(bytes) = bytes {
            let sent = self.client.publish(subject, bytes.into());
            // It is made again as long as it is needed.
            let _ = self.wait(async { tokio::time::timeout(PATIENCE, sent).await });
        }
    }

    /// Calls `hear` for each sign of life, until the result is dropped.
    ///
    /// # Errors
    /// If the server does not send them.
    pub(crate) fn beats(&self, hear: impl Fn(Beat) + Send + 'static) -> Result<Ends, Fault> {
        self.hear("selvedge.beat".to_owned(), move |bytes| {
            if let Ok(beat) = Beat::read(bytes) {
                hear(beat);
            }
        })
    }

    /// Calls `hear` for each request to a worker and those of its process, until the result is
    /// dropped.
    ///
    /// # Errors
    /// If the server does not send them.
    pub(crate) fn orders(
        &self,
        worker: &str,
        hear: impl Fn(Order) + Clone + Send + 'static,
    ) -> Result<[Ends; 2], Fault> {
        let heard = |subject| {
            let hear = hear.clone();
            self.hear(subject, move |bytes| {
                if let Ok(order) = Order::read(bytes) {
                    hear(order);
                }
            })
        };
        Ok([
            heard(format!("{}.order", self.prefix))?,
            heard(self.mailbox(worker))?,
        ])
    }

    fn hear(&self, subject: String, hear: impl Fn(&[u8]) + Send + 'static) -> Result<Ends, Fault> {
        let subscribed = self.wait(async {
            let mut heard = self.client.subscribe(subject).await?;
            self.client.flush().await.ok();
            Ok::<_, async_nats::SubscribeError>(async move {
                while let Some(message) = heard.next().await {
                    hear(&message.payload);
                }
            })
        });
        let listening = subscribed.map_err(|error| Fault::of("no messages", error))?;
        Ok(self.beside(listening))
    }

    /// All signs of life within some time.
    ///
    /// # Errors
    /// If the server does not send them.
    pub fn beats_within(&self, time: Duration) -> Result<Vec<Beat>, Fault> {
        let (send, receive) = std::sync::mpsc::channel();
        let listening = self.beats(move |beat| {
            let _ = send.send(beat);
        })?;
        std::thread::sleep(time);
        drop(listening);
        Ok(receive.try_iter().collect())
    }
}

fn options(
    address: &ServerAddr,
    access: &Access,
    connected: &Arc<AtomicBool>,
) -> Result<ConnectOptions, Fault> {
    let connected = Arc::clone(connected);
    let options = ConnectOptions::new()
        .name("selvedge")
        .ping_interval(Duration::from_secs(10))
        .request_timeout(Some(PATIENCE))
        .reconnect_delay_callback(|attempts| {
            Duration::from_millis(100 * u64::try_from(attempts).unwrap_or(20).min(20))
        })
        .event_callback(move |event| {
            match event {
                Event::Connected => connected.store(true, Relaxed),
                Event::Disconnected | Event::Closed => connected.store(false, Relaxed),
                _ => {}
            }
            std::future::ready(())
        });
    with_access(options, address, access)
}

async fn objects(jetstream: &Context, prefix: &str, replicas: usize) -> Result<ObjectStore, Fault> {
    let bucket = format!("{prefix}-objects");
    if let Ok(objects) = jetstream.get_object_store(&bucket).await {
        return Ok(objects);
    }
    let config = jetstream::object_store::Config {
        bucket,
        description: Some("programs and states of runs".to_owned()),
        num_replicas: replicas,
        ..Default::default()
    };
    let made = jetstream.create_object_store(config).await;
    made.map_err(|error| Fault::of("the server has no JetStream for objects", error))
}
