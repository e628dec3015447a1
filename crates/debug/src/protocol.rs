//! Messages of the protocol: the arguments of requests, as far as the server uses them, and the
//! server's capabilities. Texts and field names follow the specification, version 1.70.
//!
//! The types are our own. The published crates of DAP types are early versions (`dap` 0.4.1-alpha1,
//! `debug-adapter-protocol` 0.1.0, `dap-types` 0.0.1).

use serde::Deserialize;
use serde_json::{Value, json};

/// A request.
#[derive(Deserialize, Debug)]
pub(crate) struct Request {
    #[serde(default)]
    pub(crate) seq: u64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// What `initialize` says about the client. Lines and columns begin with 1 unless it says
/// otherwise.
#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Initialize {
    pub(crate) lines_start_at1: bool,
    pub(crate) columns_start_at1: bool,
}

impl Default for Initialize {
    fn default() -> Self {
        Initialize {
            lines_start_at1: true,
            columns_start_at1: true,
        }
    }
}

/// The arguments of `launch` and `attach`.
#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Launch {
    pub(crate) stop_on_entry: bool,
    pub(crate) stepping: Stepping,
}

impl Default for Launch {
    fn default() -> Self {
        Launch {
            stop_on_entry: true,
            stepping: Stepping::Schedule,
        }
    }
}

/// The distance that `next` and `stepBack` move.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stepping {
    /// To the next step of the schedule, of any thread.
    #[default]
    Schedule,
    /// To the next line of the same thread.
    Lines,
}

/// A request about a thread.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfThread {
    pub(crate) thread_id: u64,
    #[serde(default)]
    pub(crate) granularity: Option<String>,
    #[serde(default)]
    pub(crate) start_frame: usize,
    #[serde(default)]
    pub(crate) levels: usize,
}

/// `scopes`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfFrame {
    pub(crate) frame_id: u64,
}

/// `variables`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variables {
    pub(crate) variables_reference: u64,
    #[serde(default)]
    pub(crate) start: u64,
    #[serde(default)]
    pub(crate) count: u64,
}

/// `evaluate`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluate {
    pub(crate) expression: String,
    #[serde(default)]
    pub(crate) frame_id: Option<u64>,
}

/// A source file.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Source {
    pub(crate) path: Option<String>,
    pub(crate) source_reference: Option<u64>,
}

/// `setBreakpoints`.
#[derive(Deserialize, Debug)]
pub(crate) struct SetBreakpoints {
    pub(crate) source: Source,
    #[serde(default)]
    pub(crate) breakpoints: Vec<SourceBreakpoint>,
}

/// A breakpoint at a line.
#[derive(Deserialize, Debug)]
pub(crate) struct SourceBreakpoint {
    pub(crate) line: i64,
}

/// `source`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceText {
    #[serde(default)]
    pub(crate) source: Option<Source>,
    #[serde(default)]
    pub(crate) source_reference: u64,
}

/// The capabilities of this server.
pub(crate) fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsStepBack": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsSteppingGranularity": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsLoadedSourcesRequest": true,
    })
}
