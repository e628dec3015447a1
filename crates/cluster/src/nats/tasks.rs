//! The streams of tasks and answers.

use super::fault::Fault;
use super::server::{Ends, Server};
use crate::wire::{Answer, Hand, Token, Unreadable};
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::{AckKind, PublishMessage};
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{self, consumer};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// A task of which its worker says nothing for so long is delivered again.
const REDELIVERED: Duration = Duration::from_secs(4);

/// How often a worker says that it still works on a task.
const RENEWED: Duration = Duration::from_secs(1);

/// How long the server may take to keep messages.
const KEPT: Duration = Duration::from_secs(5);

/// For how long a request for messages stays open.
const OPEN: Duration = Duration::from_secs(20);

/// The most answers that are taken at once.
const MOST_ANSWERS: usize = 256;

/// For how long answers are gathered after the first one. Each look at what is to be done next
/// costs as much as many answers do.
const GATHERS: Duration = Duration::from_millis(3);

/// Longer messages are objects, to which the message refers.
const INLINE: usize = 256 << 10;

/// The first byte of a message that refers to an object. Others begin with their version.
const REFERS: u8 = 0;

/// The stream of tasks, for one worker.
pub struct Tasks {
    pull: Pull,
}

/// The stream of answers of one run, for its coordinator.
pub struct Answers {
    pull: Pull,
    tasks: Stream,
    run: String,
}

/// A task that a worker has. The server delivers it to another one if this is dropped.
pub struct Turn {
    message: Arc<jetstream::Message>,
    /// The task, or why it cannot be read.
    pub hand: Result<Hand, Unreadable>,
    /// How often it was delivered.
    pub deliveries: u32,
    renews: Ends,
}

impl Server {
    async fn stream(&self, what: &str) -> Result<Stream, Fault> {
        let config = Config {
            name: format!("{}-{what}", self.prefix),
            subjects: vec![format!("{}.{what}.*", self.prefix)],
            retention: RetentionPolicy::WorkQueue,
            num_replicas: self.replicas(),
            ..Default::default()
        };
        let stream = self.jetstream.get_or_create_stream(config).await;
        stream.map_err(|error| Fault::of("the server has no JetStream for messages", error))
    }

    /// The stream of tasks of all runs.
    ///
    /// # Errors
    /// If the server has no JetStream.
    pub fn tasks(&self) -> Result<Tasks, Fault> {
        self.wait(async {
            let stream = self.stream("task").await?;
            let config = pull::Config {
                durable_name: Some("workers".to_owned()),
                ack_policy: consumer::AckPolicy::Explicit,
                ack_wait: REDELIVERED,
                max_ack_pending: -1,
                ..Default::default()
            };
            let consumer = stream.get_or_create_consumer("workers", config).await;
            let consumer = consumer.map_err(|error| Fault::of("no tasks", error))?;
            Ok(Tasks {
                pull: Pull::new(consumer, 1),
            })
        })
    }

    /// The stream of answers of a run, from which tasks and answers of earlier processes are
    /// removed.
    ///
    /// # Errors
    /// If the server has no JetStream.
    pub fn answers(&self, run: &str) -> Result<Answers, Fault> {
        self.wait(async {
            let tasks = self.stream("task").await?;
            let stream = self.stream("answer").await?;
            let subject = format!("{}.answer.{run}", self.prefix);
            let name = format!("coordinator-{run}");
            let config = pull::Config {
                durable_name: Some(name.clone()),
                filter_subject: subject.clone(),
                ack_policy: consumer::AckPolicy::Explicit,
                ack_wait: REDELIVERED,
                max_ack_pending: -1,
                ..Default::default()
            };
            let consumer = stream.get_or_create_consumer(&name, config).await;
            let consumer = consumer.map_err(|error| Fault::of("no answers", error))?;
            let answers = Answers {
                pull: Pull::new(consumer, MOST_ANSWERS),
                tasks,
                run: run.to_owned(),
            };
            purge(&answers.tasks, &format!("{}.task.{run}", self.prefix)).await?;
            purge(&stream, &subject).await?;
            Ok(answers)
        })
    }

    /// Hands tasks out, and waits for the server once. Returns those of which it is not certain
    /// that the server keeps them, with what was the matter.
    pub fn hand(&self, hands: &[Hand]) -> Vec<(Token, Fault)> {
        let (mut sent, mut failed) = (Vec::new(), Vec::new());
        for hand in hands {
            let subject = format!("{}.task.{}", self.prefix, hand.run);
            let id = format!("task-{}", hand.token);
            let bytes = hand.bytes().map_err(|error| Fault::of("a task", error));
            match bytes.and_then(|bytes| self.send_kept(subject, &id, bytes)) {
                Ok(kept) => sent.push((hand.token, kept)),
                Err(fault) => failed.push((hand.token, fault)),
            }
        }
        let deadline = Instant::now() + KEPT;
        let kept = sent
            .into_iter()
            .map(|(token, kept)| (token, self.until_kept(kept, deadline)));
        failed.extend(kept.filter_map(|(token, kept)| kept.err().map(|fault| (token, fault))));
        failed
    }

    /// Answers.
    ///
    /// # Errors
    /// If it is not certain that the server keeps it.
    pub fn answer(&self, run: &str, answer: &Answer) -> Result<(), Fault> {
        let bytes = answer.bytes().map_err(|error| Fault::of("an answer", error))?;
        // Two workers may answer for one token. Either answer may be lost on its way, but not both.
        let id = format!("answer-{}-{}", answer.token, answer.worker);
        self.publish(&format!("{}.answer.{run}", self.prefix), &id, bytes)
    }

    fn publish(&self, subject: &str, id: &str, bytes: Vec<u8>) -> Result<(), Fault> {
        let sent = self.send_kept(subject.to_owned(), id, bytes)?;
        self.until_kept(sent, Instant::now() + KEPT)
    }

    /// Sends a message that the server keeps, without waiting until it does.
    fn send_kept(&self, subject: String, id: &str, bytes: Vec<u8>) -> Result<PublishAckFuture, Fault> {
        let bytes = match bytes.len() <= INLINE {
            true => bytes,
            false => {
                self.store(id, &bytes)?;
                [&[REFERS], id.as_bytes()].concat()
            }
        };
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let sent = self.wait(self.jetstream.send_publish(subject, message));
        sent.map_err(|error| Fault::of("a message cannot be sent", error))
    }

    fn until_kept(&self, sent: PublishAckFuture, deadline: Instant) -> Result<(), Fault> {
        self.wait(async {
            let kept = tokio::time::timeout_at(deadline, sent.into_future()).await;
            let kept = kept.map_err(|late| Fault::of("a message was not kept", late))?;
            kept.map_err(|error| Fault::of("a message was not kept", error))?;
            Ok(())
        })
    }

    /// The bytes of a message.
    fn content(&self, payload: &[u8]) -> Result<Vec<u8>, Fault> {
        match payload.split_first() {
            Some((&REFERS, name)) => {
                let name = std::str::from_utf8(name).map_err(|error| Fault::of("a message", error))?;
                self.stored(name)
            }
            _ => Ok(payload.to_vec()),
        }
    }

    fn content_ends(&self, payload: &[u8]) {
        if let Some((&REFERS, name)) = payload.split_first()
            && let Ok(name) = std::str::from_utf8(name)
        {
            self.forget(name);
        }
    }

    /// The next task, if one comes within some time.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn take(&self, tasks: &Tasks, within: Duration) -> Result<Option<Turn>, Fault> {
        let message = self.wait(tasks.pull.next(within))?;
        let Some(message) = message else { return Ok(None) };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let message = Arc::new(message);
        let renewed = Arc::clone(&message);
        let renews = self.beside(async move {
            loop {
                tokio::time::sleep(RENEWED).await;
                let _ = renewed.ack_with(AckKind::Progress).await;
            }
        });
        let hand = match self.content(&message.payload) {
            Ok(bytes) => Hand::read(&bytes),
            Err(_) => Err(Unreadable::Damaged),
        };
        Ok(Some(Turn {
            message,
            hand,
            deliveries: u32::try_from(deliveries).unwrap_or(u32::MAX),
            renews,
        }))
    }

    /// A task is done with: it is not delivered again.
    pub fn done(&self, turn: Turn) {
        drop(turn.renews);
        let _ = self.wait(async { tokio::time::timeout(Duration::from_secs(5), turn.message.ack()).await });
        self.content_ends(&turn.message.payload);
    }

    /// A task is for another worker.
    pub fn give_back(&self, turn: Turn) {
        drop(turn.renews);
        let back = turn
            .message
            .ack_with(AckKind::Nak(Some(Duration::from_millis(500))));
        let _ = self.wait(async { tokio::time::timeout(Duration::from_secs(5), back).await });
    }

    /// The answers that come within some time. They are not delivered again.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn take_answers(&self, answers: &Answers, within: Duration) -> Result<Vec<Answer>, Fault> {
        let mut messages = Vec::new();
        let (mut patience, mut until) = (within, None);
        while messages.len() < MOST_ANSWERS
            && let Some(message) = self.wait(answers.pull.next(patience))?
        {
            messages.push(message);
            let until = *until.get_or_insert_with(|| Instant::now() + GATHERS);
            patience = until.saturating_duration_since(Instant::now());
        }
        let mut taken = Vec::new();
        for message in messages {
            if let Ok(bytes) = self.content(&message.payload) {
                taken.extend(Answer::read(&bytes).ok());
                self.content_ends(&message.payload);
            }
            let _ = self.wait(async { tokio::time::timeout(Duration::from_secs(5), message.ack()).await });
        }
        Ok(taken)
    }

    /// Removes the tasks of a run, and its stream of answers.
    pub fn end_answers(&self, answers: Answers) {
        let _ = self.wait(async {
            purge(&answers.tasks, &format!("{}.task.{}", self.prefix, answers.run)).await?;
            let stream = self.stream("answer").await?;
            purge(&stream, &format!("{}.answer.{}", self.prefix, answers.run)).await?;
            let name = format!("coordinator-{}", answers.run);
            let deleted = stream.delete_consumer(&name).await;
            deleted.map_err(|error| Fault::of("answers", error))
        });
    }
}

async fn purge(stream: &Stream, subject: &str) -> Result<(), Fault> {
    let purged = stream.purge().filter(subject).await;
    purged
        .map(|_| ())
        .map_err(|error| Fault::of("old messages", error))
}

/// Messages that a consumer asks for. A request stays open from one call to the next: a message
/// that came for a request that is not read any more would be delivered again much later.
struct Pull {
    consumer: Consumer<pull::Config>,
    /// The most messages of one request.
    most: usize,
    open: Mutex<Option<pull::Batch>>,
}

impl Pull {
    fn new(consumer: Consumer<pull::Config>, most: usize) -> Pull {
        Pull {
            consumer,
            most,
            open: Mutex::new(None),
        }
    }

    /// The next message, if one comes within some time.
    async fn next(&self, within: Duration) -> Result<Option<jetstream::Message>, Fault> {
        let mut open = self.open.lock().await;
        let batch = match &mut *open {
            Some(batch) => batch,
            none => {
                let asked = self.consumer.batch().max_messages(self.most).expires(OPEN);
                let asked = asked.messages().await;
                none.insert(asked.map_err(|error| Fault::of("no messages", error))?)
            }
        };
        match tokio::time::timeout(within, batch.next()).await {
            Ok(Some(Ok(message))) => Ok(Some(message)),
            Ok(None) => {
                *open = None;
                Ok(None)
            }
            Ok(Some(Err(error))) => {
                *open = None;
                Err(Fault::of("no messages", error))
            }
            Err(_) => Ok(None),
        }
    }
}
