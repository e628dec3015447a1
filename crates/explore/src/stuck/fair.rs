//! Whether a graph of states has an infinite fair path.
//!
//! A thread may stop at a false assumption. What comes after that is no execution, so those states
//! are left out. Then "the thread never goes on, whatever happens" may hold only because no
//! execution goes on. An infinite execution is fair if each thread that is enabled from some point
//! on moves again and again. In a finite graph there is such a path if and only if some strongly
//! connected component has, for each thread that is enabled in all its states, a step of that
//! thread: the states that the execution visits infinitely often lie in one component.
//!
//! If a thread's independent action goes first, the other threads are only delayed. A fair
//! execution takes that action at some time; taken first, it leads through states that are in the
//! graph. So the reduced graph has a fair path if the whole graph has one.

use smallvec::SmallVec;

/// The states found so far, by number.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The threads that are enabled.
    enabled: Vec<SmallVec<[u16; 8]>>,
    /// For each step the thread that moves and the state that follows.
    steps: Vec<SmallVec<[(u16, u32); 4]>>,
}

impl Graph {
    /// Adds a state and returns its number.
    pub fn add(&mut self, enabled: impl Iterator<Item = usize>) -> u32 {
        self.enabled.push(enabled.map(|t| t as u16).collect());
        self.steps.push(SmallVec::new());
        self.steps.len() as u32 - 1
    }

    /// The number of the last state added.
    pub fn last(&self) -> u32 {
        self.steps.len() as u32 - 1
    }

    /// Adds a step.
    pub fn step(&mut self, from: u32, thread: usize, to: u32) {
        self.steps[from as usize].push((thread as u16, to));
    }

    /// True if there is an infinite fair path.
    pub fn goes_on(&self) -> bool {
        let components = self.components();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.steps.len()];
        for (state, &component) in components.iter().enumerate() {
            members[component as usize].push(state as u32);
        }
        members.iter().enumerate().any(|(number, members)| {
            let steps = members.iter().flat_map(|&state| &self.steps[state as usize]);
            let within = steps.filter(|&&(_, to)| components[to as usize] as usize == number);
            let mut movers: Vec<u16> = within.map(|&(thread, _)| thread).collect();
            movers.sort_unstable();
            movers.dedup();
            let always = |&&thread: &&u16| {
                let mut states = members.iter();
                states.all(|&state| self.enabled[state as usize].contains(&thread))
            };
            let first = members.first().map(|&state| &self.enabled[state as usize]);
            let mut waiting = first.into_iter().flatten().filter(always);
            !movers.is_empty() && waiting.all(|thread| movers.binary_search(thread).is_ok())
        })
    }

    /// For each state the number of its strongly connected component (Tarjan 1972).
    fn components(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let count = self.steps.len();
        let (mut index, mut low) = (vec![NONE; count], vec![0; count]);
        let mut component = vec![NONE; count];
        let (mut open, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
        let (mut next, mut components) = (0, 0);
        for root in 0..count as u32 {
            if index[root as usize] != NONE {
                continue;
            }
            path.push((root, 0));
            while let Some((state, at)) = path.last_mut() {
                let here = *state as usize;
                if *at == 0 && index[here] == NONE {
                    (index[here], low[here]) = (next, next);
                    next += 1;
                    open.push(*state);
                }
                if let Some(&(_, to)) = self.steps[here].get(*at) {
                    *at += 1;
                    if index[to as usize] == NONE {
                        path.push((to, 0));
                    } else if component[to as usize] == NONE {
                        low[here] = low[here].min(index[to as usize]);
                    }
                    continue;
                }
                if low[here] == index[here] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = components;
                        if member as usize == here {
                            break;
                        }
                    }
                    components += 1;
                }
                path.pop();
                if let Some(&(above, _)) = path.last() {
                    low[above as usize] = low[above as usize].min(low[here]);
                }
            }
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States with their enabled threads, and steps.
    fn graph(states: &[&[usize]], steps: &[(u32, usize, u32)]) -> Graph {
        let mut graph = Graph::default();
        for state in states {
            graph.add(state.iter().copied());
        }
        for &(from, thread, to) in steps {
            graph.step(from, thread, to);
        }
        graph
    }

    #[test]
    fn only_a_circle_in_which_nobody_is_left_out_goes_on() {
        assert!(!graph(&[&[0], &[0]], &[(0, 0, 1)]).goes_on());
        assert!(graph(&[&[0], &[0]], &[(0, 0, 1), (1, 0, 0)]).goes_on());
        // The other thread could always move, and does not.
        assert!(!graph(&[&[0, 1], &[0, 1]], &[(0, 0, 1), (1, 0, 0)]).goes_on());
        // Or could only now and then.
        assert!(graph(&[&[0, 1], &[0]], &[(0, 0, 1), (1, 0, 0)]).goes_on());
        // It leads out of the circle, and from there back.
        let steps = [(0, 0, 1), (1, 0, 0), (1, 1, 2), (2, 0, 1)];
        assert!(graph(&[&[0, 1], &[0, 1], &[0]], &steps).goes_on());
        assert!(!graph(&[&[0, 1], &[0, 1], &[0]], &steps[..3]).goes_on());
    }
}
