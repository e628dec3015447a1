//! One self-contained page: findings with their schedules as lanes, and the source beside them.

use crate::json::finding;
use crate::snippet::Sources;
use crate::{FindingReport, harmless};
use selvedge_base::Location;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("page.html");
/// A file of the source that is longer is shown in part.
const LONGEST_WHOLE: usize = 100_000;
/// Lines around those that the steps are at, of such a file.
const AROUND: u32 = 200;
/// The most bytes of source in a page; what comes later is left out.
const MOST_SOURCE: usize = 1_000_000;
/// The most bytes of steps in a page, for all findings together; of each the last steps are kept.
const MOST_STEPS: usize = 800_000;

/// What a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The verdict.
    pub verdict: &'a str,
    /// The inputs, as given.
    pub inputs: &'a [String],
    /// The findings.
    pub findings: &'a [FindingReport],
}

impl<'a> Page<'a> {
    /// The page as HTML, which needs nothing else: no other file and no network.
    pub fn html(&self, sources: &Sources) -> String {
        let share = MOST_STEPS / self.findings.len().max(1);
        let data = json!({
            "verdict": self.verdict,
            "input": self.inputs,
            "findings": self.findings.iter().map(|report| shown(report, share)).collect::<Vec<_>>(),
            "sources": self.sources(sources),
        });
        // Within a script, only `<` could end it.
        let data = harmless(&data.to_string()).replace('<', "\\u003c");
        match PAGE.split_once("DATA") {
            Some((before, after)) => format!("{before}{data}{after}"),
            None => PAGE.to_owned(),
        }
    }

    /// The texts of the files that steps are in.
    fn sources(&self, sources: &Sources) -> Value {
        let mut lines: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for report in self.findings {
            let rows = report.rows.iter().map(|row| &row.location);
            for Location { file, line, .. } in rows {
                let (first, last) = lines.entry(file).or_insert((*line, *line));
                (*first, *last) = ((*first).min(*line), (*last).max(*line));
            }
        }
        let mut room = MOST_SOURCE;
        let mut all = Map::new();
        for (file, (from, to)) in lines {
            let Some(text) = sources.get(file) else { continue };
            let (first, text) = match text.len() <= LONGEST_WHOLE {
                true => (1, text.to_owned()),
                false => part(
                    text,
                    from.saturating_sub(AROUND).max(1),
                    to.saturating_add(AROUND),
                ),
            };
            let text = Value::String(text);
            if let Some(left) = room.checked_sub(length(&text)) {
                room = left;
                all.insert(file.to_owned(), json!({"first": first, "text": text}));
            }
        }
        Value::Object(all)
    }
}

/// What the page shows of a finding, with the last steps in so many bytes.
fn shown(report: &FindingReport, mut room: usize) -> Value {
    let mut shown = finding(report);
    let Some(fields) = shown.as_object_mut() else {
        return shown;
    };
    fields.remove("schedule");
    let Some(Value::Array(steps)) = fields.get_mut("steps") else {
        return shown;
    };
    let fits = |step: &&Value| {
        let left = room.checked_sub(length(step));
        room = left.unwrap_or(0);
        left.is_some()
    };
    let kept = steps.iter().rev().take_while(fits).count();
    steps.drain(..steps.len() - kept);
    fields["steps_left_out"] = json!(report.rows.len() - kept);
    shown
}

/// How many bytes a value has in the page.
fn length(value: &Value) -> usize {
    let text = value.to_string();
    text.len() + text.matches('<').count() * ("\\u003c".len() - 1) + 1
}

/// Lines of a text, with the number of the first.
fn part(text: &str, first: u32, last: u32) -> (u32, String) {
    let count = (last - first) as usize + 1;
    let lines: Vec<&str> = text.lines().skip(first as usize - 1).take(count).collect();
    (first, lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_long_texts_keep_their_numbers() {
        assert_eq!(part("a\nb\nc\nd", 2, 3), (2, "b\nc".to_owned()));
        assert_eq!(part("a\nb", 2, 400), (2, "b".to_owned()));
    }

    #[test]
    fn a_page_has_a_place_for_its_data() {
        assert_eq!(PAGE.matches("DATA").count(), 1);
        // The name of a namespace is no address that is read.
        let addresses = PAGE.matches("http").count();
        assert_eq!(addresses, PAGE.matches("http://www.w3.org/2000/svg").count());
    }
}
