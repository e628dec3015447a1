//! Parses the format. The result is consistent: objects exist, and operations wait only for earlier
//! operations.

use super::{
    COVER_MAGIC, COVER_VERSION, Cover, Label, Object, Operation, Order, Outcome, Part, Step, Target, Witness,
};
use crate::is_thread_name;
use crate::parse::unescape;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Why a text is not a set of schedules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct CoverError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl FromStr for Cover {
    type Err = CoverError;

    fn from_str(text: &str) -> Result<Cover, CoverError> {
        let mut cover = Cover::default();
        let mut counts = BTreeMap::new();
        for (index, line) in text.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let at = |problem: String| CoverError {
                line: index + 1,
                problem,
            };
            if index == 0 {
                check_header(line).map_err(at)?;
            } else if !line.trim().is_empty() && !line.starts_with('#') {
                item(line, &mut cover, &mut counts).map_err(at)?;
            }
        }
        Ok(cover)
    }
}

fn check_header(line: &str) -> Result<(), String> {
    let expected = || format!("a set of schedules begins with `{COVER_MAGIC} 1`");
    let version = line.strip_prefix(COVER_MAGIC).ok_or_else(expected)?;
    let version: u32 = version.trim().parse().map_err(|_| expected())?;
    match (1..=COVER_VERSION).contains(&version) {
        true => Ok(()),
        false => Err(format!(
            "version {version} of the format is not known; this program reads versions 1 to {COVER_VERSION}"
        )),
    }
}

/// The number of operations of each thread so far in the current schedule.
type Counts = BTreeMap<String, u32>;

fn item(line: &str, cover: &mut Cover, counts: &mut Counts) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = |text: &str| unescape(text).map_err(|problem| problem.to_string());
    match word {
        "input" => cover.inputs.push(text(rest)?),
        "option" => {
            let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
            cover.options.push((text(name)?, text(value)?));
        }
        "object" => cover.objects.push(object(rest, cover.objects.len())?),
        "schedule" => {
            counts.clear();
            let order = schedule(rest, cover)?;
            cover.schedules.push(order);
        }
        "part" => {
            let next = cover.parts.len() + 1;
            if rest.parse() != Ok(next) || !cover.schedules.is_empty() {
                return Err(format!("the next part has number {next}, before all schedules"));
            }
            cover.parts.push(Part::default());
        }
        "stands" => {
            let mut words = rest.split(' ');
            let thread = thread(words.next().unwrap_or_default())?;
            let label = label(&mut words, cover.objects.len())?;
            if words.next().is_some() {
                return Err("expected nothing more".to_owned());
            }
            part(cover)?.stands.push((thread, label));
        }
        "witness" => last(cover)?.witness.push(witness(rest)?),
        "op" => {
            let objects = cover.objects.len();
            let step = step(rest, objects, counts)?;
            *counts.entry(step.thread.clone()).or_insert(0) += 1;
            last(cover)?.steps.push(step);
        }
        _ => {
            let words = "`input`, `option`, `object`, `part`, `stands`, `schedule`, `witness` or `op`";
            return Err(format!("expected {words}, found `{word}`"));
        }
    }
    Ok(())
}

/// `CLASSES [from PART [to PART]]`
fn schedule(text: &str, cover: &Cover) -> Result<Order, String> {
    let words: Vec<&str> = text.split(' ').collect();
    let (from, to) = match words[1..] {
        [] => ("0", None),
        ["from", from] => (from, None),
        ["from", from, "to", to] => (from, Some(to)),
        _ => return Err("expected a number of classes, and `from PART` or `from PART to PART`".to_owned()),
    };
    let part = |word: &str| match word.parse() {
        Ok(number) if number <= cover.parts.len() => Ok(number),
        _ => Err(format!("there is no part {word}")),
    };
    let to = to.map(part).transpose()?;
    if to == Some(0) {
        return Err("no schedule leads to the begin of the program".to_owned());
    }
    Ok(Order {
        classes: words[0].parse().map_err(|_| "expected a number of classes")?,
        from: part(from)?,
        to,
        ..Order::default()
    })
}

fn part(cover: &mut Cover) -> Result<&mut Part, String> {
    match cover.schedules.is_empty() {
        true => cover.parts.last_mut(),
        false => None,
    }
    .ok_or_else(|| "this belongs to a part".to_owned())
}

fn last(cover: &mut Cover) -> Result<&mut Order, String> {
    cover
        .schedules
        .last_mut()
        .ok_or_else(|| "this belongs to a schedule".to_owned())
}

fn object(text: &str, next: usize) -> Result<Object, String> {
    let place = format!("{next} place ");
    if let Some(name) = text.strip_prefix(&place) {
        return Ok(Object::Place(
            unescape(name).map_err(|problem| problem.to_string())?,
        ));
    }
    let mut words = text.splitn(4, ' ');
    let mut word = || words.next().ok_or("an object has a number, a kind and a name");
    if word()?.parse() != Ok(next) {
        return Err(format!("the next object has number {next}"));
    }
    match word()? {
        "global" => {
            let offset = word()?.parse().map_err(|_| "expected an offset")?;
            let name = unescape(word()?).map_err(|problem| problem.to_string())?;
            Ok(Object::Global(name, offset))
        }
        kind @ ("made" | "met") => {
            let thread = thread(word()?)?;
            let number = word()?
                .parse()
                .map_err(|_| "expected the number of an operation")?;
            Ok(match kind {
                "made" => Object::Made(thread, number),
                _ => Object::Met(thread, number),
            })
        }
        other => Err(format!(
            "an object is `global`, `made`, `met` or `place`, not `{other}`"
        )),
    }
}

fn thread(text: &str) -> Result<String, String> {
    match is_thread_name(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "`{text}` is not the name of a thread (such as `0` or `0.2.1`)"
        )),
    }
}

fn witness(text: &str) -> Result<Witness, String> {
    let mut words = text.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (asks, hex, name) = (thread(word())?, word(), word());
    let digits: &[u8] = if hex == "-" { b"" } else { hex.as_bytes() };
    let value = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(value(*high)? << 4 | value(*low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    Ok(Witness {
        thread: asks,
        name: unescape(name).map_err(|problem| problem.to_string())?,
        bytes: bytes.ok_or("expected bytes as hexadecimal digits, or -")?,
    })
}

/// An operation and its target.
fn label<'a>(words: &mut impl Iterator<Item = &'a str>, objects: usize) -> Result<Label, String> {
    let mut word = || words.next().unwrap_or_default();
    let operation = word();
    let operation =
        Operation::from_word(operation).ok_or_else(|| format!("`{operation}` is not an operation"))?;
    let target = target(word(), operation, objects)?;
    Ok(Label { operation, target })
}

fn step(text: &str, objects: usize, counts: &Counts) -> Result<Step, String> {
    let (text, place) = text.split_once(" # ").unwrap_or((text, ""));
    let mut words = text.split(' ');
    let actor = thread(words.next().unwrap_or_default())?;
    let label = label(&mut words, objects)?;
    let outcome = words.next().unwrap_or_default();
    let outcome = [Outcome::Done, Outcome::Failed, Outcome::Serial]
        .into_iter()
        .find(|known| known.word() == outcome)
        .ok_or_else(|| format!("`{outcome}` is not an outcome"))?;
    let mut after = Vec::new();
    match words.next() {
        None => {}
        Some("after") => {
            for word in words {
                let (other, number) = word.split_once(':').ok_or("expected THREAD:NUMBER")?;
                let other = thread(other)?;
                let number: u32 = number.parse().map_err(|_| "expected THREAD:NUMBER")?;
                if number == 0 || other == actor || counts.get(&other).is_none_or(|&had| number > had) {
                    return Err(format!(
                        "{other}:{number} is not an earlier operation of another thread"
                    ));
                }
                after.push((other, number));
            }
        }
        Some(other) => return Err(format!("expected `after`, found `{other}`")),
    }
    Ok(Step {
        thread: actor,
        label,
        outcome,
        after,
        place: unescape(place).map_err(|problem| problem.to_string())?,
    })
}

fn target(text: &str, operation: Operation, objects: usize) -> Result<Target, String> {
    match operation {
        Operation::Create | Operation::Join | Operation::Detach => Ok(Target::Thread(thread(text)?)),
        Operation::End | Operation::Exit | Operation::Request if text == "-" => Ok(Target::Nothing),
        Operation::End | Operation::Exit | Operation::Request => {
            Err("the end of a thread and a request have no object".to_owned())
        }
        Operation::Sleep | Operation::Wake => {
            let (condition, mutex) = text
                .split_once(',')
                .ok_or("a wait names a condition variable and a mutex")?;
            Ok(Target::Wait(number(condition, objects)?, number(mutex, objects)?))
        }
        _ => Ok(Target::Object(number(text, objects)?)),
    }
}

/// The number of an object, which must be less than `objects`.
fn number(text: &str, objects: usize) -> Result<usize, String> {
    let number = text.strip_prefix('o').and_then(|number| number.parse().ok());
    number
        .filter(|&number| number < objects)
        .ok_or_else(|| format!("`{text}` is not an object"))
}
