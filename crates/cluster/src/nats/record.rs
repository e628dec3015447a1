//! The records of runs: what they are, how far they are, and which process divides them.

use super::fault::Fault;
use super::server::Server;
use async_nats::jetstream::kv::{self, Store, UpdateErrorKind};
use async_nats::jetstream::stream;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

/// What becomes of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// A process divides it, or did so until it was ended.
    Running,
    /// It was stopped, and can go on.
    Stopped,
    /// It is at its end.
    Done,
    /// It was cancelled.
    Cancelled,
}

/// A run's record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What becomes of it.
    pub state: RunState,
    /// The names of the program's files.
    pub program: String,
    /// The process that divides it.
    pub coordinator: String,
    /// Changes with each write.
    pub written: u64,
    /// Workers that explore something of it.
    pub workers: usize,
    /// Parts that are not explored.
    pub open: usize,
    /// Executions so far.
    pub executions: u64,
    /// Events so far.
    pub events: u64,
    /// Findings so far.
    pub findings: usize,
    /// The object with its state, if one was saved.
    pub saved: Option<String>,
}

impl Server {
    async fn records(&self) -> Result<Store, Fault> {
        let bucket = format!("{}-runs", self.prefix);
        if let Ok(store) = self.jetstream.get_key_value(&bucket).await {
            return Ok(store);
        }
        // A bucket is a stream of this form. The client's own function for it does not work with
        // servers before 2.10.
        let config = stream::Config {
            name: format!("KV_{bucket}"),
            subjects: vec![format!("$KV.{bucket}.>")],
            max_messages_per_subject: 1,
            discard: stream::DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            num_replicas: self.replicas(),
            ..Default::default()
        };
        let none = "the server has no JetStream for runs";
        let made = self.jetstream.get_or_create_stream(config).await;
        made.map_err(|error| Fault::of(none, error))?;
        let store = self.jetstream.get_key_value(&bucket).await;
        store.map_err(|error| Fault::of(none, error))
    }

    /// A run's record, if there is one, and the revision that the next write replaces.
    ///
    /// # Errors
    /// If the server does not say.
    pub fn record(&self, run: &str) -> Result<(Option<Record>, u64), Fault> {
        self.wait(async {
            let store = self.records().await?;
            let entry = store.entry(run).await;
            let entry = entry.map_err(|error| Fault::of("a run's record", error))?;
            // What was removed has left a mark, with a revision.
            Ok(entry.map_or((None, 0), |entry| {
                let put = entry.operation == kv::Operation::Put;
                let record = put.then(|| serde_json::from_slice(&entry.value).ok());
                (record.flatten(), entry.revision)
            }))
        })
    }

    /// All runs.
    ///
    /// # Errors
    /// If the server does not say.
    pub fn runs(&self) -> Result<Vec<(String, Record)>, Fault> {
        let keys: Vec<String> = self.wait(async {
            let store = self.records().await?;
            let keys = store.keys().await.map_err(|error| Fault::of("the runs", error))?;
            Ok::<_, Fault>(
                keys.filter_map(|key| std::future::ready(key.ok()))
                    .collect()
                    .await,
            )
        })?;
        let mut runs = Vec::new();
        for run in keys {
            if let (Some(record), _) = self.record(&run)? {
                runs.push((run, record));
            }
        }
        runs.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(runs)
    }

    /// Writes a run's record, if it still has this revision. Returns the new one; `None` if it was
    /// written by somebody else.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn write_record(&self, run: &str, record: &Record, revision: u64) -> Result<Option<u64>, Fault> {
        let bytes = serde_json::to_vec(record).map_err(|error| Fault::of("a run's record", error))?;
        self.wait(async {
            let store = self.records().await?;
            match store.update(run, bytes.into(), revision).await {
                Ok(revision) => Ok(Some(revision)),
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(None),
                Err(error) => Err(Fault::of("a run's record", error)),
            }
        })
    }

    /// Marks a run as cancelled, whoever divides it. Returns false if there is no such run.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn cancel(&self, run: &str) -> Result<bool, Fault> {
        let (Some(mut record), _) = self.record(run)? else {
            return Ok(false);
        };
        let was = std::mem::replace(&mut record.state, RunState::Cancelled);
        let bytes = serde_json::to_vec(&record).map_err(|error| Fault::of("a run's record", error))?;
        self.wait(async {
            let store = self.records().await?;
            let put = store.put(run, bytes.into()).await;
            put.map_err(|error| Fault::of("a run's record", error))
        })?;
        self.order(&crate::wire::Order::End(run.to_owned()));
        if was != RunState::Running {
            self.remove(run);
        }
        Ok(true)
    }

    /// Removes a run's record. Nothing else may use it any more.
    pub fn remove(&self, run: &str) {
        let _ = self.wait(async {
            let store = self.records().await?;
            store
                .purge(run)
                .await
                .map_err(|error| Fault::of("a run's record", error))
        });
    }
}
