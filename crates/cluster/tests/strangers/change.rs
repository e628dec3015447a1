//! Changes to well-formed data, as bytes and as values.

use fastrand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Numbers at which programs often have defects.
const NUMBERS: [u64; 14] = [
    0,
    1,
    2,
    3,
    7,
    63,
    64,
    255,
    65_535,
    65_536,
    0x7fff_ffff,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// Changes one to four bytes, or leaves some out.
pub fn bytes(random: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..random.usize(1..=4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.usize(..bytes.len());
        let end = (at + random.usize(1..=16)).min(bytes.len());
        match random.u8(..6) {
            0 => bytes[at] = random.u8(..),
            1 => bytes[at] ^= 1 << random.u8(..8),
            2 => bytes[at] = 0xff,
            3 => drop(bytes.drain(at..end)),
            4 => bytes.insert(at, random.u8(..)),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Another value of the same type, if there is one near by.
pub fn value<T: Serialize + DeserializeOwned>(random: &mut Rng, of: &T) -> Option<T> {
    let value = serde_json::to_value(of).ok()?;
    (0..20).find_map(|_| {
        let mut changed = value.clone();
        for _ in 0..random.usize(1..=2) {
            let nodes = count(&changed);
            let (with, at) = (random.usize(..nodes), random.usize(..nodes));
            let with = nth(&mut changed, &mut with.clone()).cloned();
            let node = nth(&mut changed, &mut at.clone())?;
            let before = node.clone();
            change(random, node, with?);
            if std::env::var_os("SELVEDGE_SHOW").is_some() {
                println!("node {at}: {before} becomes {node}");
            }
        }
        (changed != value).then_some(())?;
        serde_json::from_value(changed).ok()
    })
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// The node with this number, in depth-first order.
fn nth<'a>(value: &'a mut Value, number: &mut usize) -> Option<&'a mut Value> {
    if *number == 0 {
        return Some(value);
    }
    *number -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, number)),
        Value::Object(fields) => fields.values_mut().find_map(|field| nth(field, number)),
        _ => None,
    }
}

/// Changes a node. `other` is another one.
fn change(random: &mut Rng, node: &mut Value, other: Value) {
    match node {
        _ if random.u8(..8) == 0 => *node = other,
        Value::Null => *node = other,
        Value::Bool(is) => *is = !*is,
        Value::Number(number) => {
            let old = number.as_u64().unwrap_or_default();
            let new = match random.u8(..4) {
                0 => old.wrapping_add(1),
                1 => old.wrapping_sub(1),
                _ => NUMBERS[random.usize(..NUMBERS.len())],
            };
            *node = new.into();
        }
        Value::String(text) => match random.bool() {
            true => text.clear(),
            false => text.push_str("\u{1b}[2J\n%s"),
        },
        Value::Array(items) if items.is_empty() => items.push(other),
        Value::Array(items) => {
            let (at, to) = (random.usize(..items.len()), random.usize(..items.len()));
            match random.u8(..6) {
                0 => items.clear(),
                1 => drop(items.remove(at)),
                2 => items.swap(at, to),
                3 => items.push(other),
                4 => items.insert(to, items[at].clone()),
                _ => items.extend(vec![items[at].clone(); 300]),
            }
        }
        Value::Object(fields) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            if let (Some(from), Some(to)) = (random.choice(&keys), random.choice(&keys)) {
                fields.insert(to.clone(), fields[from].clone());
            }
        }
    }
}
