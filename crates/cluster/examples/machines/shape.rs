//! The shape of a search that is too large to be made: a tree of nodes, each split as a recorded
//! node of a search of about the same size was, or of the largest if it is larger than all.
//!
//! Executions have numbers, in depth-first order. A node's tree and its numbers follow from the
//! number of its first execution, so nothing has to be stored.

use crate::record::Node;
use std::collections::BTreeMap;

/// Below so many executions, a tree is not divided: real searches give away no entry with fewer
/// than six events below it.
const SMALL: u64 = 64;

/// Recorded nodes, by the logarithm of their size.
pub struct Shape {
    nodes: BTreeMap<u32, Vec<Node>>,
    /// The executions of the whole search.
    pub size: u64,
    /// The time of one, in nanoseconds.
    pub cost: u64,
}

/// A child of a node: the numbers of its executions, and when it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Child {
    pub begin: u64,
    pub end: u64,
    /// It is known when the executions before this one were explored.
    pub known: u64,
}

impl Shape {
    /// Reads what [`write`] has written.
    pub fn read(text: &str, size: u64, cost: Option<u64>) -> Shape {
        let numbers = |words: &str| -> Vec<u64> {
            let words = words.split_whitespace();
            words.map(|word| word.parse().expect("a number")).collect()
        };
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let head = numbers(lines.next().expect("a head"));
        let mut nodes = BTreeMap::<u32, Vec<Node>>::new();
        for line in lines {
            let (sizes, known) = line.split_once('|').expect("two lists");
            let node = Node {
                sizes: numbers(sizes),
                known: numbers(known),
            };
            nodes.entry(node.size().ilog2()).or_default().push(node);
        }
        Shape {
            nodes,
            size,
            cost: cost.unwrap_or(head[1]),
        }
    }

    /// The children of the node with these executions; none if it is not divided.
    pub fn children(&self, begin: u64, end: u64) -> Vec<Child> {
        let size = end - begin;
        if size < SMALL {
            return Vec::new();
        }
        let largest = || self.nodes.values().next_back().expect("a node");
        let like = self
            .nodes
            .range(size.ilog2()..)
            .next()
            .map_or_else(largest, |(_, nodes)| nodes);
        let node = &like[(mixed(begin ^ size.rotate_left(40)) % like.len() as u64) as usize];
        let all = node.size();
        let scaled = |number: u64| (u128::from(number) * u128::from(size) / u128::from(all)) as u64;
        let (mut sum, mut children) = (0, Vec::new());
        for (&part, &known) in node.sizes.iter().zip(&node.known) {
            let from = begin + scaled(sum);
            sum += part;
            let known = (begin + scaled(known)).max(begin + known.min(1)).min(from);
            children.push(Child {
                begin: from,
                end: begin + scaled(sum),
                known,
            });
        }
        children.retain(|child| child.begin < child.end);
        children
    }
}

/// The text of a shape: a few nodes of each size.
pub fn write(title: &str, recorded: &crate::record::Recorded) -> String {
    const MOST: usize = 12;
    let mut nodes = BTreeMap::<u32, Vec<&Node>>::new();
    for node in &recorded.nodes {
        if node.size() >= SMALL {
            nodes.entry(node.size().ilog2()).or_default().push(node);
        }
    }
    let cost = recorded.time.as_nanos() as u64 / recorded.executions.max(1);
    let mut text = format!(
        "# {title}: executions, nanoseconds for each, most events; then nodes, as recorded by\n\
         # `cargo run -p selvedge-cluster --example machines record`: the executions below each child,\n\
         # and those of the node before the child was known.\n{} {cost} {}\n",
        recorded.executions, recorded.depth
    );
    for (_, mut nodes) in nodes {
        nodes.sort();
        nodes.dedup();
        let step = nodes.len().div_ceil(MOST);
        for node in nodes.into_iter().step_by(step) {
            let words = |numbers: &[u64]| {
                let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
                words.join(" ")
            };
            text += &format!("{} | {}\n", words(&node.sizes), words(&node.known));
        }
    }
    text
}

fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
