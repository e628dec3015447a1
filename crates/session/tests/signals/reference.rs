//! All executions of a toy: which final values there are, and whether threads may be blocked for
//! ever. Shares no code with the product.
//!
//! A signal that was sent arrives at any later moment. A thread that does not block a signal which
//! has arrived runs its handler before it does anything else, also while it is blocked.

use crate::text::own_of;
use crate::toy::{Action, Statement, Toy, VALUES};
use std::collections::{BTreeSet, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Code {
    Thread,
    Handler(u8),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    code: Code,
    at: usize,
    stage: u8,
    read: u32,
    /// The mask to which the end of a handler, or of `Suspend`, returns.
    mask: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    frames: Vec<Frame>,
    mask: u8,
    sent: u8,
    arrived: u8,
    /// False: main has not made it yet.
    created: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The last one is main.
    threads: Vec<Thread>,
    sent: u8,
    arrived: u8,
    x: [u32; 2],
    own: [u32; 4],
    owner: Option<usize>,
    semaphores: [u8; 2],
    actions: [Action; 2],
    /// How often `RaiseAgain` may still raise.
    left: u8,
    /// A signal has ended the process.
    ended: bool,
}

/// What a toy may do.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Possible {
    pub values: BTreeSet<u32>,
    pub deadlock: bool,
}

/// `None` if there are more states than this.
pub fn explore(toy: &Toy, most: usize) -> Option<Possible> {
    let count = toy.threads.len();
    let thread = |mask, created| Thread {
        frames: vec![Frame {
            code: Code::Thread,
            at: 0,
            stage: 0,
            read: 0,
            mask: 0,
        }],
        mask,
        sent: 0,
        arrived: 0,
        created,
    };
    let mut threads = vec![thread(3, true); count];
    if let Some(last) = threads.last_mut().filter(|_| toy.is_late()) {
        last.created = false;
    }
    threads.push(thread(if toy.main_takes { 0 } else { 3 }, true));
    let first = State {
        threads,
        sent: 0,
        arrived: 0,
        x: [0; 2],
        own: [0; 4],
        owner: None,
        semaphores: [0; 2],
        actions: toy.first,
        left: 2,
        ended: false,
    };
    let mut possible = Possible::default();
    let (mut known, mut open) = (HashSet::from([first.clone()]), vec![first]);
    while let Some(state) = open.pop() {
        if state.ended {
            continue;
        }
        if state.threads[count].frames.is_empty() {
            let [x, y] = state.x;
            let [a, b, c, d] = state.own;
            let value = x + 3 * y + 5 * a + 7 * b + 11 * c + 13 * d;
            possible.values.insert(value % VALUES);
            continue;
        }
        let mut next = Vec::new();
        for signal in 0..2 {
            let bit = 1 << signal;
            if state.sent & bit != 0 {
                let mut after = state.clone();
                after.sent &= !bit;
                after.arrived |= bit;
                next.push(after);
            }
            for i in 0..=count {
                if state.threads[i].sent & bit != 0 {
                    let mut after = state.clone();
                    after.threads[i].sent &= !bit;
                    after.threads[i].arrived |= bit;
                    next.push(after);
                }
            }
        }
        // What arrives at a thread that has ended is no move of the program.
        let in_flight = next.len();
        for i in 0..=count {
            step(toy, &state, i, &mut next);
        }
        possible.deadlock |= next.is_empty();
        assert!(in_flight <= next.len());
        for state in next {
            if known.insert(state.clone()) {
                if known.len() > most {
                    return None;
                }
                open.push(state);
            }
        }
    }
    Some(possible)
}

fn deliver(toy: &Toy, state: &State, i: usize, signal: u8, of_process: bool) -> State {
    let mut after = state.clone();
    let bit = 1 << signal;
    if of_process {
        after.arrived &= !bit;
    } else {
        after.threads[i].arrived &= !bit;
    }
    push(toy, &mut after, i, signal);
    after
}

/// Does what the action of a signal says: begins its handler.
fn push(toy: &Toy, state: &mut State, i: usize, signal: u8) {
    let (action, handler) = (
        state.actions[usize::from(signal)],
        &toy.handlers[usize::from(signal)],
    );
    match action {
        Action::Ignore => return,
        Action::Default => {
            state.ended = true;
            return;
        }
        Action::Handle if handler.resets => state.actions[usize::from(signal)] = Action::Default,
        Action::Handle => {}
    }
    let thread = &mut state.threads[i];
    if let Some(top) = thread.frames.last_mut() {
        match statement(toy, i, top) {
            Some(Statement::Take(..)) if top.stage == 1 && !handler.restarts => top.stage = 2,
            Some(Statement::Suspend) if top.stage == 1 => top.stage = 2,
            _ => {}
        }
    }
    let mask = thread.mask;
    thread.frames.push(Frame {
        code: Code::Handler(signal),
        at: 0,
        stage: 0,
        read: 0,
        mask,
    });
    thread.mask |= u8::from(!handler.nests) << signal | u8::from(handler.blocks_other) << (1 - signal);
}

fn statement(toy: &Toy, i: usize, frame: &Frame) -> Option<Statement> {
    let code = match frame.code {
        Code::Thread => toy.threads.get(i).unwrap_or(&toy.main),
        Code::Handler(signal) => &toy.handlers[usize::from(signal)].code,
    };
    match frame.code {
        Code::Thread if i == toy.main_number() => code.get(frame.at).copied(),
        Code::Thread if frame.at == 0 => Some(Statement::Open),
        Code::Thread => code.get(frame.at - 1).copied(),
        Code::Handler(_) => code.get(frame.at).copied(),
    }
}

fn send(toy: &Toy, state: &mut State, from: usize, to: usize, signal: u8) {
    let bit = 1 << signal;
    if state.actions[usize::from(signal)] == Action::Ignore {
        return;
    }
    if from == to {
        if state.threads[to].mask & bit == 0 {
            push(toy, state, to, signal);
        } else {
            let thread = &mut state.threads[to];
            thread.arrived |= bit & !thread.sent;
        }
        return;
    }
    if let Some(thread) = state
        .threads
        .get_mut(to)
        .filter(|thread| !thread.frames.is_empty())
    {
        thread.sent |= bit & !thread.arrived;
    }
}

fn send_to_process(toy: &Toy, state: &mut State, from: usize, signal: u8) {
    let bit = 1 << signal;
    if state.actions[usize::from(signal)] == Action::Ignore {
    } else if state.threads.len() > 1 {
        state.sent |= bit & !state.arrived;
    } else if state.threads[from].mask & bit == 0 {
        push(toy, state, from, signal);
    } else {
        state.arrived |= bit;
    }
}

/// Whether a thread waits for the condition variable.
fn waits(toy: &Toy, state: &State, i: usize) -> Option<usize> {
    let frames = &state.threads[i].frames;
    frames
        .iter()
        .position(|frame| statement(toy, i, frame) == Some(Statement::Wait) && frame.stage == 1)
}

fn step(toy: &Toy, state: &State, i: usize, next: &mut Vec<State>) {
    let count = toy.threads.len();
    let thread = &state.threads[i];
    let Some(top) = thread.frames.last() else { return };
    if !thread.created {
        return;
    }
    let mut delivers = false;
    for signal in 0..2 {
        let bit = 1 << signal & !thread.mask;
        for (arrived, of_process) in [(thread.arrived, false), (state.arrived, true)] {
            if arrived & bit != 0 {
                next.push(deliver(toy, state, i, signal, of_process));
                delivers = true;
            }
        }
    }
    if delivers {
        return;
    }
    let mut after = state.clone();
    let Some(now) = statement(toy, i, top) else {
        match top.code {
            Code::Handler(_) => {
                let mask = top.mask;
                after.threads[i].frames.pop();
                after.threads[i].mask = mask;
            }
            // Main ends after all others.
            Code::Thread if i == count && (0..count).any(|j| !state.threads[j].frames.is_empty()) => return,
            Code::Thread if top.stage == 0 => {
                set_mask(&mut after, i, 3);
                top_of(&mut after, i).stage += 1;
            }
            Code::Thread => after.threads[i].frames.clear(),
        }
        next.push(after);
        return;
    };
    let own = own_of(toy, i);
    match now {
        Statement::Change(x, n) => {
            let at = usize::from(x);
            if top.stage == 0 {
                let read = state.x[at];
                let top = top_of(&mut after, i);
                (top.read, top.stage) = (read, 1);
            } else {
                after.x[at] = (top.read * 2 + u32::from(n)) % VALUES;
                advance(&mut after, i);
            }
        }
        Statement::ChangeOwn(n) | Statement::CallOwn(n) => {
            if top.stage == 0 {
                let read = state.own[own];
                let top = top_of(&mut after, i);
                (top.read, top.stage) = (read, 1);
            } else {
                after.own[own] = (top.read * 2 + u32::from(n)) % VALUES;
                advance(&mut after, i);
            }
        }
        Statement::Publish(x) => {
            if top.stage == 0 {
                let read = state.own[own];
                let top = top_of(&mut after, i);
                (top.read, top.stage) = (read, 1);
            } else {
                let at = usize::from(x);
                after.x[at] = (after.x[at] + top.read) % VALUES;
                advance(&mut after, i);
            }
        }
        Statement::Add(x, n) => {
            let at = usize::from(x);
            after.x[at] = (after.x[at] + u32::from(n)) % VALUES;
            advance(&mut after, i);
        }
        Statement::Lock => {
            if state.owner.is_some() {
                return;
            }
            after.owner = Some(i);
            advance(&mut after, i);
        }
        Statement::Unlock => {
            after.owner = None;
            advance(&mut after, i);
        }
        Statement::Wait => match top.stage {
            0 => {
                after.owner = None;
                top_of(&mut after, i).stage = 1;
            }
            1 => return,
            _ if state.owner.is_some() => return,
            _ => {
                after.owner = Some(i);
                advance(&mut after, i);
            }
        },
        Statement::Notify => {
            advance(&mut after, i);
            let waiting: Vec<_> = (0..=count)
                .filter_map(|j| Some((j, waits(toy, state, j)?)))
                .collect();
            for &(j, frame) in &waiting {
                let mut woken = after.clone();
                woken.threads[j].frames[frame].stage = 2;
                next.push(woken);
            }
            if !waiting.is_empty() {
                return;
            }
        }
        Statement::Take(s, x) => match top.stage {
            0 => top_of(&mut after, i).stage = 1,
            1 if state.semaphores[usize::from(s)] == 0 => return,
            1 => {
                after.semaphores[usize::from(s)] -= 1;
                advance(&mut after, i);
            }
            _ => {
                let at = usize::from(x);
                after.x[at] = (after.x[at] + 7) % VALUES;
                advance(&mut after, i);
            }
        },
        Statement::Post(s) => {
            after.semaphores[usize::from(s)] += 1;
            advance(&mut after, i);
        }
        Statement::Kill(to, signal) => {
            advance(&mut after, i);
            send(toy, &mut after, i, usize::from(to), signal);
        }
        Statement::Raise(signal) => {
            advance(&mut after, i);
            send(toy, &mut after, i, i, signal);
        }
        Statement::RaiseAgain(signal) => {
            advance(&mut after, i);
            if after.left > 0 {
                after.left -= 1;
                send(toy, &mut after, i, i, signal);
            }
        }
        Statement::KillProcess(signal) => {
            advance(&mut after, i);
            send_to_process(toy, &mut after, i, signal);
        }
        Statement::Await(signal) => {
            let bit = 1 << signal;
            let own = &mut after.threads[i];
            // The one sent to the thread comes before the one sent to the process.
            if (own.sent | own.arrived) & bit != 0 {
                own.sent &= !bit;
                own.arrived &= !bit;
            } else {
                after.sent &= !bit;
                after.arrived &= !bit;
            }
            advance(&mut after, i);
        }
        Statement::Act(signal, action) => {
            after.actions[usize::from(signal)] = action;
            advance(&mut after, i);
        }
        Statement::Create => {
            after.threads[count - 1].created = true;
            after.threads[count - 1].mask = thread.mask;
            advance(&mut after, i);
        }
        Statement::Block(signal) => {
            set_mask(&mut after, i, thread.mask | 1 << signal);
            advance(&mut after, i);
        }
        Statement::Unblock(_) | Statement::Open => match top.stage {
            0 => {
                let kept = match now {
                    Statement::Unblock(signal) => thread.mask & !(1 << signal),
                    _ => 0,
                };
                set_mask(&mut after, i, kept);
                top_of(&mut after, i).stage = 1;
            }
            _ => advance(&mut after, i),
        },
        Statement::Suspend => match top.stage {
            0 => {
                let mask = thread.mask;
                top_of(&mut after, i).mask = mask;
                top_of(&mut after, i).stage = 1;
                after.threads[i].mask = 0;
            }
            1 => return,
            _ => {
                after.threads[i].mask = top.mask;
                advance(&mut after, i);
            }
        },
    }
    next.push(after);
}

/// Changes which signals a thread blocks. What was sent, and is not blocked then, arrives now.
fn set_mask(state: &mut State, i: usize, mask: u8) {
    let thread = &mut state.threads[i];
    thread.mask = mask;
    thread.arrived |= thread.sent & !mask;
    thread.sent &= mask;
    state.arrived |= state.sent & !mask;
    state.sent &= mask;
}

fn top_of(state: &mut State, i: usize) -> &mut Frame {
    let frames = &mut state.threads[i].frames;
    frames.last_mut().expect("a thread that moves has a frame")
}

fn advance(state: &mut State, i: usize) {
    let top = top_of(state, i);
    (top.at, top.stage, top.read) = (top.at + 1, 0, 0);
}
