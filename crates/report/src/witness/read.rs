//! Witnesses read again: those of this program, and others that say as much.

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a violation witness claims.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claim {
    /// The property, as `CHECK( init(main()), LTL(…) )`.
    pub specification: String,
    /// SHA-256 of the program's files, by name.
    pub hashes: Vec<(String, String)>,
    /// The steps in their order; `None` if the format says nothing of threads.
    pub steps: Option<Vec<ClaimedStep>>,
    /// What inputs return: the thread's number and the value, in the order in which it asks.
    pub inputs: Vec<(usize, i128)>,
    /// The line at which the property is violated; 0 if it is not said.
    pub line: u32,
}

/// A step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimedStep {
    /// The thread's number: 0 is the main thread.
    pub thread: usize,
    /// The line; 0 if it is not said.
    pub line: u32,
    /// The number of the thread that it creates.
    pub creates: Option<usize>,
}

/// Why a witness cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct WitnessError(String);

fn fails<T>(text: impl Into<String>) -> Result<T, WitnessError> {
    Err(WitnessError(text.into()))
}

impl Claim {
    /// Reads a witness, in YAML or GraphML.
    ///
    /// # Errors
    /// If it is no violation witness, or says something that is not understood.
    pub fn read(text: &str) -> Result<Claim, WitnessError> {
        match text.trim_start().starts_with('<') {
            true => graphml(text),
            false => yaml(text),
        }
    }
}

/// The data of a node, an edge or the graph, by key.
type Data = BTreeMap<String, String>;

fn graphml(text: &str) -> Result<Claim, WitnessError> {
    let (mut nodes, mut edges, mut graph) = (Vec::new(), Vec::new(), Data::new());
    let mut reader = Reader::from_str(text);
    let mut inside: Option<(&str, String, String)> = None;
    let (mut data, mut key, mut content) = (Data::new(), None, String::new());
    loop {
        let at = reader.buffer_position();
        let event = reader
            .read_event()
            .map_err(|error| WitnessError(format!("at byte {at}: {error}")))?;
        let (tag, empty) = match &event {
            Event::Start(tag) => (tag, false),
            Event::Empty(tag) => (tag, true),
            Event::Text(words) => {
                content.push_str(&words.xml10_content());
                continue;
            }
            Event::GeneralRef(name) => {
                content.push_str(match &name[..] {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    "apos" => "'",
                    _ => return fails(format!("at byte {at}: an unknown entity")),
                });
                continue;
            }
            Event::End(tag) => {
                match tag.name().as_ref() {
                    "data" => {
                        if let Some(key) = key.take() {
                            let of = if inside.is_some() { &mut data } else { &mut graph };
                            of.insert(key, content.trim().to_owned());
                        }
                    }
                    "node" | "edge" => {
                        if let Some((kind, from, to)) = inside.take() {
                            let data = std::mem::take(&mut data);
                            match kind {
                                "node" => nodes.push((from, data)),
                                _ => edges.push((from, to, data)),
                            }
                        }
                    }
                    _ => {}
                }
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let attribute = |name: &str| {
            let found = tag.try_get_attribute(name).ok().flatten();
            let value = found.and_then(|found| {
                found
                    .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                    .ok()
                    .map(|v| v.into_owned())
            });
            value.unwrap_or_default()
        };
        match tag.name().as_ref() {
            "node" if empty => nodes.push((attribute("id"), Data::new())),
            "edge" if empty => edges.push((attribute("source"), attribute("target"), Data::new())),
            "node" => inside = Some(("node", attribute("id"), String::new())),
            "edge" => inside = Some(("edge", attribute("source"), attribute("target"))),
            "data" if !empty => {
                key = Some(attribute("key"));
                content.clear();
            }
            _ => {}
        }
    }
    if graph.get("witness-type").map(String::as_str) != Some("violation_witness") {
        return fails("it is no violation witness");
    }
    claim(graph, &nodes, &edges)
}

/// What the only path of an automaton claims.
fn claim(
    mut graph: Data,
    nodes: &[(String, Data)],
    edges: &[(String, String, Data)],
) -> Result<Claim, WitnessError> {
    let with = |key: &str| {
        let mut found = nodes
            .iter()
            .filter(|(_, data)| data.get(key).is_some_and(|is| is == "true"));
        found.next().map(|(id, _)| id.clone())
    };
    let (Some(mut at), Some(end)) = (with("entry"), with("violation")) else {
        return fails("it has no entry, or no violation");
    };
    let mut claim = Claim {
        specification: graph.remove("specification").unwrap_or_default(),
        hashes: vec![(
            graph.remove("programfile").unwrap_or_default(),
            graph.remove("programhash").unwrap_or_default(),
        )],
        ..Claim::default()
    };
    let mut steps = Vec::new();
    while at != end {
        let mut next = edges.iter().filter(|(from, ..)| *from == at);
        let Some((_, to, data)) = next.next() else {
            return fails(format!("node {at} has no edge, and is no violation"));
        };
        if next.next().is_some() {
            return fails(format!("node {at} has several edges: only a path is understood"));
        }
        let thread = number(data, "threadId")?.unwrap_or(0);
        let line = u32::try_from(number(data, "startline")?.unwrap_or(0)).unwrap_or(0);
        at.clone_from(to);
        if steps.len() + claim.inputs.len() > edges.len() {
            return fails("its path is a circle");
        }
        if let Some(assumption) = data.get("assumption") {
            claim.inputs.push((thread, result(assumption)?));
        } else if at == end {
            claim.line = line;
        } else {
            let creates = number(data, "createThread")?;
            steps.push(ClaimedStep {
                thread,
                line,
                creates,
            });
        }
    }
    claim.steps = Some(steps);
    Ok(claim)
}

fn number(data: &Data, key: &str) -> Result<Option<usize>, WitnessError> {
    let Some(text) = data.get(key) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => fails(format!("{key} is `{text}`, and no number")),
    }
}

fn yaml(text: &str) -> Result<Claim, WitnessError> {
    let value: Value = serde_norway::from_str(text).map_err(|error| WitnessError(error.to_string()))?;
    let entries = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let entry = entries
        .iter()
        .find(|entry| entry["entry_type"] == "violation_sequence");
    let Some(entry) = entry else {
        return fails("it has no entry of the type violation_sequence");
    };
    let task = &entry["metadata"]["task"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let hashes = task["input_file_hashes"].as_object().into_iter().flatten();
    let mut claim = Claim {
        specification: text(&task["specification"]),
        hashes: hashes.map(|(name, hash)| (name.clone(), text(hash))).collect(),
        ..Claim::default()
    };
    for segment in entry["content"].as_array().into_iter().flatten() {
        for point in segment["segment"].as_array().into_iter().flatten() {
            let point = &point["waypoint"];
            match (point["type"].as_str(), point["action"].as_str()) {
                (Some("target"), _) => {
                    let line = point["location"]["line"].as_u64().unwrap_or(0);
                    claim.line = u32::try_from(line).unwrap_or(0);
                }
                (Some("function_return"), Some("follow")) => {
                    let value = point["constraint"]["value"].as_str().unwrap_or_default();
                    claim.inputs.push((0, result(value)?));
                }
                (kind, action) => {
                    let what = (kind.unwrap_or("?"), action.unwrap_or("?"));
                    return fails(format!("the waypoint {} ({}) is not understood", what.0, what.1));
                }
            }
        }
    }
    Ok(claim)
}

/// The value of `\result == VALUE`.
fn result(text: &str) -> Result<i128, WitnessError> {
    let plain = text.trim().trim_end_matches(';').trim();
    let value = plain.strip_prefix("\\result").map(str::trim_start);
    let value = value.and_then(|rest| rest.strip_prefix("=="));
    let value = value.and_then(|value| literal(value.trim()));
    value.map_or_else(|| fails(format!("the assumption `{text}` is not understood")), Ok)
}

/// A literal of C, or `(a - b)` of two.
fn literal(text: &str) -> Option<i128> {
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return match inner.split_once(" - ") {
            Some((a, b)) => literal(a.trim())?.checked_sub(literal(b.trim())?),
            None => literal(inner.trim()),
        };
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_are_read_or_refused() {
        assert_eq!(result("\\result == -2;"), Ok(-2));
        assert_eq!(result("\\result==18446744073709551615ULL"), Ok(u64::MAX.into()));
        assert_eq!(
            result("\\result == (-9223372036854775807LL - 1);"),
            Ok(i64::MIN.into())
        );
        for odd in ["x == 1", "\\result == y;", "\\result > 1", ""] {
            assert!(result(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_is_no_witness_is_refused() {
        for odd in [
            "",
            "<graphml>",
            "<graphml/>",
            "- entry_type: invariant_set",
            "[",
            "<a>&x;</a>",
        ] {
            assert!(Claim::read(odd).is_err(), "{odd}");
        }
    }
}
