//! The runtime's source, with a set of schedules as its tables.

use selvedge_cover::{Optimisation, Plan, State, Without};
use selvedge_schedule::cover::{Cover, Object, Operation, Outcome, Target};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the runtime does for all sets.
const RUNTIME: &str = include_str!("../native/runtime.c");

/// What it does for C11 threads.
const OF_C11: &str = include_str!("../native/c11.c");

/// What it does for programs in C++.
const OF_CXX: &str = include_str!("../native/cxx.c");

/// What a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// C only.
    C,
    /// C++, or C++ and C.
    Cxx,
}

/// What a program does that comes to an operation that no schedule has there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnDeviation {
    /// It says so, and ends.
    Stop,
    /// It says so, and goes on without schedules.
    Free,
}

/// What a native program is like.
#[derive(Clone, Copy, Debug)]
pub struct Native<'a> {
    /// What it does at an operation that no schedule has there.
    pub on: OnDeviation,
    /// What is left out of it to measure what it is good for.
    pub without: &'a Without,
}

/// The runtime in C, for a plan of a set.
///
/// # Errors
/// In words, if the plan is not one of the set, or too large for the tables.
pub fn runtime(cover: &Cover, plan: &Plan, source: Source, native: &Native<'_>) -> Result<String, String> {
    let mut text = String::from("/* Made by `selvedge build`. */\n");
    let out = &mut text;
    let names: Vec<String> = plan.threads.iter().map(|name| quoted(name)).collect();
    define(out, "THREADS", plan.threads.len());
    define(out, "OBJECTS", cover.objects.len());
    define(out, "PARTS", cover.parts.len());
    define(out, "REQUESTS", usize::from(cover.has_requests()));
    define(
        out,
        "ON_DEVIATION_FREE",
        usize::from(native.on == OnDeviation::Free),
    );
    for (number, operation) in Operation::ALL.iter().enumerate() {
        let name = format!("OP_{}", operation.word().to_uppercase().replace('-', "_"));
        define(out, &name, number);
    }
    let words: Vec<String> = Operation::ALL.iter().map(|op| quoted(op.word())).collect();
    define(out, "HAS_MET", usize::from(plan.has_met(cover)));
    let _ = writeln!(
        out,
        "static const char *const operation_names[] = {{{}}};",
        words.join(", ")
    );
    let _ = writeln!(
        out,
        "static const char *const thread_names[] = {{{}}};",
        names.join(", ")
    );
    let thread = |name: &str| {
        let place = plan.threads.iter().position(|known| known == name);
        place.ok_or_else(|| format!("no thread {name}"))
    };
    let (mut parents, mut ordinals) = (vec![-1], vec![0]);
    for name in &plan.threads[1..] {
        let (parent, ordinal) = name.rsplit_once('.').ok_or_else(|| format!("thread {name}"))?;
        parents.push(number(thread(parent)?)?);
        ordinals.push(ordinal.parse().map_err(|_| format!("thread {name}"))?);
    }
    array(out, "int", "parents", &parents);
    array(out, "int", "ordinals", &ordinals);
    objects(out, cover, &thread)?;
    arrivers(out, cover, !native.without.has(Optimisation::Barriers))?;
    let order = labels(out, cover, plan, &thread)?;
    states(out, plan, &order)?;
    places(out, plan)?;
    text.push('\n');
    text.push_str(RUNTIME);
    text.push('\n');
    text.push_str(OF_C11);
    if source == Source::Cxx {
        text.push('\n');
        text.push_str(OF_CXX);
    }
    Ok(text)
}

/// For each object, how many threads arrive at it as a barrier, in all schedules together; 0: they
/// are not counted.
fn arrivers(out: &mut String, cover: &Cover, counts: bool) -> Result<(), String> {
    let mut arrive = vec![BTreeSet::new(); cover.objects.len().max(1)];
    let steps = cover.schedules.iter().flat_map(|order| &order.steps);
    for step in steps.filter(|_| counts) {
        if let (Operation::Arrive, Target::Object(object)) = (step.label.operation, &step.label.target) {
            let of_object = arrive.get_mut(*object).ok_or("an object that is not there")?;
            of_object.insert(step.thread.as_str());
        }
    }
    let counts: Result<Vec<i32>, String> = arrive.iter().map(|threads| number(threads.len())).collect();
    array(out, "unsigned", "arrivers", &counts?);
    Ok(())
}

fn objects(
    out: &mut String,
    cover: &Cover,
    thread: &dyn Fn(&str) -> Result<usize, String>,
) -> Result<(), String> {
    for (place, object) in cover.objects.iter().enumerate() {
        if matches!(object, Object::Global(..)) {
            let _ = writeln!(out, "extern const void *const __selvedge_object_{place};");
        }
    }
    let _ = writeln!(
        out,
        "enum object_kind {{ GLOBAL, MADE, MET, PLACE }};\n\
         static const struct object {{ int kind, thread, number; const void *const *address; }} objects[] = {{"
    );
    for (place, object) in cover.objects.iter().enumerate() {
        let (kind, by, at) = match object {
            Object::Global(..) => {
                let _ = writeln!(out, "    {{GLOBAL, -1, 0, &__selvedge_object_{place}}},");
                continue;
            }
            Object::Place(_) => {
                let _ = writeln!(out, "    {{PLACE, -1, 0, 0}},");
                continue;
            }
            Object::Made(by, at) => ("MADE", by, at),
            Object::Met(by, at) => ("MET", by, at),
        };
        let (thread, number) = (number(thread(by)?)?, number(*at as usize)?);
        let _ = writeln!(out, "    {{{kind}, {thread}, {number}, 0}},");
    }
    let _ = writeln!(out, "    {{MADE, -1, 0, 0}}}};");
    Ok(())
}

/// The labels, those of an operation beside each other; the number that each has there.
fn labels(
    out: &mut String,
    cover: &Cover,
    plan: &Plan,
    thread: &dyn Fn(&str) -> Result<usize, String>,
) -> Result<Vec<i32>, String> {
    let mut sorted: Vec<usize> = (0..plan.labels.len()).collect();
    sorted.sort_by_key(|&label| plan.labels[label].operation);
    let mut order = vec![0; plan.labels.len()];
    let (mut rows, mut texts) = (Vec::new(), Vec::new());
    for (place, &label) in sorted.iter().enumerate() {
        order[label] = number(place)?;
        let label = &plan.labels[label];
        rows.push(match &label.target {
            Target::Nothing => "{NOTHING, 0, 0}".to_owned(),
            Target::Object(object) => format!("{{OBJECT, {object}, 0}}"),
            Target::Wait(condition, mutex) => format!("{{WAIT, {condition}, {mutex}}}"),
            Target::Thread(name) => format!("{{THREAD, {}, 0}}", thread(name)?),
        });
        texts.push(quoted(&cover.text(label)));
    }
    let firsts = (0..=Operation::ALL.len()).map(|op| {
        let before = |&&label: &&usize| (plan.labels[label].operation as usize) < op;
        number(sorted.iter().filter(before).count())
    });
    let firsts: Result<Vec<i32>, String> = firsts.collect();
    let kinds = "enum label_kind { NOTHING, OBJECT, WAIT, THREAD };";
    let _ = writeln!(out, "{kinds}");
    let _ = writeln!(
        out,
        "static const struct label {{ int kind, target, mutex; }} labels[] = {{{}}};",
        rows.join(", ")
    );
    let _ = writeln!(
        out,
        "static const char *const label_texts[] = {{{}}};",
        texts.join(", ")
    );
    array(out, "int", "label_first", &firsts?);
    Ok(order)
}

/// The states, one after the other, and where each thread begins.
fn states(out: &mut String, plan: &Plan, label: &[i32]) -> Result<(), String> {
    let (mut flat, mut place) = (Vec::new(), Vec::new());
    for state in &plan.states {
        place.push(number(flat.len())?);
        let add_cases = |flat: &mut Vec<i32>, cases: &[(usize, usize)]| -> Result<(), String> {
            flat.push(number(cases.len())?);
            cases
                .iter()
                .for_each(|&(of, next)| flat.extend([label[of], place[next]]));
            Ok(())
        };
        match state {
            State::End => flat.push(0),
            State::Own(cases) => {
                flat.push(1);
                add_cases(&mut flat, cases)?;
            }
            State::Ask(thread, count, cases) => {
                flat.extend([2, number(*thread)?, number(*count as usize)?]);
                add_cases(&mut flat, cases)?;
            }
            State::Do { outcome, after, next } => {
                let came = match outcome {
                    Outcome::Done => 0,
                    Outcome::Failed => 1,
                    Outcome::Serial => 2,
                };
                flat.extend([3, came, number(after.len())?]);
                for &(thread, count) in after {
                    flat.extend([number(thread)?, number(count as usize)?]);
                }
                flat.push(place[*next]);
            }
            State::Pass { part, counts } => {
                flat.extend([4, number(*part)?]);
                for &count in counts {
                    flat.push(number(count as usize)?);
                }
            }
        }
    }
    let asked: Vec<i32> = (0..plan.threads.len())
        .map(|thread| {
            let asks = |state: &State| matches!(state, State::Ask(of, ..) if *of == thread);
            i32::from(plan.states.iter().any(asks))
        })
        .collect();
    array(out, "unsigned char", "is_asked", &asked);
    let start: Vec<i32> = plan.start.iter().flatten().map(|&state| place[state]).collect();
    let lives: Vec<i32> = plan
        .lives
        .iter()
        .flatten()
        .map(|&lives| i32::from(lives))
        .collect();
    array(out, "unsigned char", "lives", &lives);
    array(out, "int", "states", &flat);
    array(out, "int", "first_state", &start);
    Ok(())
}

/// Room for what each thread publishes. With parts: for what it arrives at in two of them, as a
/// power of two, so that places go round where numbers begin again at zero.
fn places(out: &mut String, plan: &Plan) -> Result<(), String> {
    let (mut first, mut all) = (Vec::new(), 0);
    let room = |&most: &u32| match plan.start.len() {
        1 => most as usize,
        _ => (2 * (most as usize + 1)).next_power_of_two(),
    };
    let room: Vec<usize> = plan.longest.iter().map(room).collect();
    for &most in &room {
        first.push(number(all)?);
        all += most;
    }
    define(out, "PLACES", number(all.max(1))? as usize);
    array(out, "int", "first_place", &first);
    let longest: Result<Vec<i32>, String> = room.into_iter().map(number).collect();
    array(out, "unsigned", "longest", &longest?);
    Ok(())
}

fn define(out: &mut String, name: &str, value: usize) {
    let _ = writeln!(out, "#define {name} {value}");
}

fn array(out: &mut String, kind: &str, name: &str, values: &[i32]) {
    let _ = write!(out, "static const {kind} {name}[] = {{");
    for (index, value) in values.iter().enumerate() {
        let _ = write!(out, "{}{value},", if index % 24 == 23 { "\n" } else { "" });
    }
    let _ = writeln!(out, "}};");
}

fn number(value: usize) -> Result<i32, String> {
    i32::try_from(value).map_err(|_| "the set is too large for a native program".to_owned())
}

/// A literal of C.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}
