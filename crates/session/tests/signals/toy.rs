//! Random programs whose threads send each other signals, as data.

use fastrand::Rng;

/// A statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Statement {
    /// Reads an atomic variable, then writes twice the value and a number there.
    Change(u8, u8),
    /// The same for the plain variable of the thread that executes it.
    ChangeOwn(u8),
    /// The same, in a function that is called.
    CallOwn(u8),
    /// Reads the plain variable of the thread, then adds that to an atomic variable.
    Publish(u8),
    /// An atomic addition.
    Add(u8, u8),
    Lock,
    Unlock,
    /// Waits for a signal of the condition variable; the mutex is held.
    Wait,
    Notify,
    /// Takes from a semaphore; writes a number to the variable if a handler interrupts that.
    Take(u8, u8),
    Post(u8),
    /// Sends a signal to a thread, or to main.
    Kill(u8, u8),
    /// Sends a signal to the process.
    KillProcess(u8),
    /// Sends a signal to itself.
    Raise(u8),
    /// The same, but at most twice in an execution.
    RaiseAgain(u8),
    Block(u8),
    Unblock(u8),
    /// Unblocks both signals: what each thread does first.
    Open,
    /// Waits for any signal.
    Suspend,
    /// Waits for one signal, which the thread blocks (`sigwait`).
    Await(u8),
    /// Sets the action of a signal.
    Act(u8, Action),
    /// Makes the last thread.
    Create,
}

/// The action of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Handle,
    Ignore,
    /// Ends the process.
    Default,
}

/// What the handler of a signal does, and the flags of its action.
#[derive(Clone, Debug)]
pub struct Handler {
    pub code: Vec<Statement>,
    /// SA_RESTART.
    pub restarts: bool,
    /// Whether it blocks the other signal.
    pub blocks_other: bool,
    /// SA_NODEFER.
    pub nests: bool,
    /// SA_RESETHAND.
    pub resets: bool,
}

/// Where the plain variable of a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    /// In a global variable for each thread.
    Globals,
    /// In an array.
    Array,
    /// On the thread's stack; handlers have a pointer to it.
    Stack,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Toy {
    /// What each thread executes, without main.
    pub threads: Vec<Vec<Statement>>,
    pub main: Vec<Statement>,
    pub handlers: [Handler; 2],
    pub first: [Action; 2],
    /// Whether main takes signals, too.
    pub main_takes: bool,
    pub own: Own,
}

/// The values of the final state are taken modulo this.
pub const VALUES: u32 = 64;

impl Toy {
    pub fn random(seed: u64) -> Toy {
        let mut rng = Rng::with_seed(seed);
        let rng = &mut rng;
        match rng.usize(..18) {
            0 => solo(rng),
            1..=7 => pair(rng),
            8 => late(rng),
            9..=11 => masked(rng),
            12 | 13 => holding(rng),
            14 | 15 => meeting(rng),
            _ => several(rng),
        }
    }

    /// The number of main, as the target of a signal.
    pub fn main_number(&self) -> usize {
        self.threads.len()
    }

    /// Whether main makes the last thread in the middle of its code.
    pub fn is_late(&self) -> bool {
        self.main.contains(&Statement::Create)
    }

    /// Whether the action of a signal changes, or is to ignore it.
    pub fn sets_actions(&self) -> bool {
        let mut all = self.threads.iter().chain([&self.main]).flatten();
        self.first.contains(&Action::Ignore) || all.any(|statement| matches!(statement, Statement::Act(..)))
    }
}

// ---- shapes

fn own(rng: &mut Rng) -> Own {
    match rng.usize(..4) {
        0 => Own::Array,
        1 => Own::Stack,
        _ => Own::Globals,
    }
}

fn handlers(rng: &mut Rng, count: u8) -> [Handler; 2] {
    let mut one = |signal| {
        let most = if rng.usize(..3) == 0 { 2 } else { 1 };
        Handler {
            code: (0..most).flat_map(|_| in_handler(rng, signal, count)).collect(),
            restarts: rng.bool(),
            blocks_other: rng.usize(..3) == 0,
            nests: rng.usize(..4) == 0,
            resets: false,
        }
    };
    [one(0), one(1)]
}

/// Main alone: what it sends itself comes at once, or when it is unblocked.
fn solo(rng: &mut Rng) -> Toy {
    let mut handlers = handlers(rng, 0);
    for (signal, handler) in handlers.iter_mut().enumerate() {
        handler.resets = rng.usize(..3) == 0;
        if rng.usize(..3) == 0 {
            let at = rng.usize(..=handler.code.len());
            handler.code.insert(at, Statement::RaiseAgain(signal as u8));
        }
    }
    let mut main = Vec::new();
    for _ in 0..rng.usize(3..6) {
        let (signal, second) = (rng.u8(..2), rng.u8(..2));
        match rng.usize(..12) {
            0 => main.push(change(rng)),
            1 => main.push(Statement::Publish(rng.u8(..2))),
            2..=5 => main.push(to_oneself(rng, 0, signal)),
            6..=8 => main.extend([
                Statement::Block(signal),
                to_oneself(rng, 0, signal),
                to_oneself(rng, 0, second),
                change(rng),
                Statement::Unblock(signal),
            ]),
            9 => main.extend([
                Statement::Block(signal),
                to_oneself(rng, 0, signal),
                Statement::Await(signal),
                Statement::Unblock(signal),
            ]),
            _ => {
                let action = [Action::Handle, Action::Ignore, Action::Default][rng.usize(..3)];
                main.push(Statement::Act(signal, action));
            }
        }
    }
    Toy {
        threads: Vec::new(),
        main,
        handlers,
        first: [Action::Handle; 2],
        main_takes: true,
        own: own(rng),
    }
}

/// One thread that gets a signal from main.
fn pair(rng: &mut Rng) -> Toy {
    let main_takes = rng.usize(..3) == 0;
    let signal = if rng.usize(..3) == 0 { 1 } else { 0 };
    let mut thread = Vec::new();
    for _ in 0..rng.usize(1..4) {
        thread.extend(group(rng, 1, signal, main_takes));
    }
    let mut main = Vec::new();
    if rng.usize(..3) > 0 {
        main.extend(group(rng, 1, signal, main_takes));
    }
    let send = match rng.usize(..5) {
        0 => Statement::KillProcess(signal),
        _ => Statement::Kill(0, signal),
    };
    main.insert(rng.usize(..=main.len()), send);
    if rng.usize(..3) == 0 {
        main.push(Statement::Kill(0, rng.u8(..2)));
    }
    let mut first = [Action::Handle; 2];
    if rng.usize(..8) == 0 {
        first[usize::from(1 - signal)] = Action::Ignore;
    }
    // An action that the thread changes for itself, or while main sends the signal.
    if rng.usize(..8) == 0 {
        let action = [Action::Handle, Action::Ignore][rng.usize(..2)];
        let of = if rng.usize(..3) == 0 { signal } else { 1 - signal };
        thread.insert(rng.usize(..=thread.len()), Statement::Act(of, action));
    }
    Toy {
        threads: vec![thread],
        main,
        handlers: handlers(rng, 1),
        first,
        main_takes,
        own: own(rng),
    }
}

/// A thread whose handlers change what it changes itself, and that blocks them for a part of it.
fn masked(rng: &mut Rng) -> Toy {
    let signal = rng.u8(..2);
    let mut thread = Vec::new();
    for _ in 0..rng.usize(2..4) {
        match rng.usize(..6) {
            0..=2 => thread.push(change_own(rng)),
            3 => thread.push(Statement::Raise(1 - signal)),
            4 => thread.push(Statement::Publish(0)),
            _ => thread.extend([
                Statement::Block(signal),
                change_own(rng),
                Statement::Unblock(signal),
            ]),
        }
    }
    let mut main = vec![Statement::Kill(0, signal)];
    match rng.usize(..4) {
        0 => main.push(Statement::Kill(0, 1 - signal)),
        1 => main.push(Statement::Kill(0, signal)),
        _ => {}
    }
    let mut handlers = handlers(rng, 0);
    for handler in &mut handlers {
        handler.code.insert(0, Statement::ChangeOwn(rng.u8(1..4)));
        handler.code.truncate(2);
    }
    Toy {
        threads: vec![thread],
        main,
        handlers,
        first: [Action::Handle; 2],
        main_takes: false,
        own: own(rng),
    }
}

/// Main holds the mutex, which the thread needs, too, until the handler of the thread has run.
fn holding(rng: &mut Rng) -> Toy {
    let signal = rng.u8(..2);
    let tells = rng.bool();
    let mut thread = vec![if tells {
        Statement::Post(0)
    } else {
        change_own(rng)
    }];
    if rng.usize(..3) == 0 {
        thread.push(change(rng));
    }
    thread.extend([Statement::Lock, change(rng), Statement::Unlock]);
    let mut main = vec![Statement::Lock];
    main.extend(tells.then_some(Statement::Take(0, 0)));
    main.extend([
        Statement::Kill(0, signal),
        Statement::Take(1, 0),
        change(rng),
        Statement::Unlock,
    ]);
    let mut handlers = handlers(rng, 0);
    let handler = &mut handlers[usize::from(signal)];
    handler.code.truncate(1);
    handler.code.push(Statement::Post(1));
    Toy {
        threads: vec![thread],
        main,
        handlers,
        first: [Action::Handle; 2],
        main_takes: false,
        own: own(rng),
    }
}

/// A thread that waits when the signal comes, or is about to.
fn meeting(rng: &mut Rng) -> Toy {
    let signal = rng.u8(..2);
    let mut handlers = handlers(rng, 0);
    handlers[usize::from(signal)].code.truncate(1);
    let (mut thread, mut main);
    if rng.bool() {
        thread = vec![Statement::Block(signal), Statement::Post(0), Statement::Suspend];
        main = vec![Statement::Take(0, 0), Statement::Kill(0, signal)];
    } else {
        thread = vec![
            Statement::Lock,
            Statement::Post(0),
            Statement::Wait,
            Statement::Unlock,
        ];
        main = vec![
            Statement::Take(0, 0),
            Statement::Kill(0, signal),
            Statement::Take(1, 0),
        ];
        main.extend([Statement::Lock, Statement::Notify, Statement::Unlock]);
        handlers[usize::from(signal)].code.push(Statement::Post(1));
    }
    if rng.bool() {
        thread.push(change(rng));
    }
    if rng.usize(..3) == 0 {
        main.push(change(rng));
    }
    Toy {
        threads: vec![thread],
        main,
        handlers,
        first: [Action::Handle; 2],
        main_takes: false,
        own: own(rng),
    }
}

/// A thread, and another one that main makes after it has changed an action.
fn late(rng: &mut Rng) -> Toy {
    let signal = rng.u8(..2);
    let other = if rng.usize(..4) == 0 { signal } else { 1 - signal };
    let own = own(rng);
    let mut early = vec![change(rng)];
    if rng.bool() {
        early.push(Statement::Kill(2, other));
    }
    let action = [Action::Handle, Action::Ignore][rng.usize(..2)];
    let first = if action == Action::Handle {
        Action::Ignore
    } else {
        Action::Handle
    };
    let mut main = vec![Statement::Act(signal, action), Statement::Create];
    if rng.bool() {
        main.push(Statement::Kill(1, signal));
    }
    let mut last = vec![change(rng), Statement::Raise(signal)];
    if rng.bool() {
        last.push(Statement::Publish(rng.u8(..2)));
    }
    Toy {
        threads: vec![early, last],
        main,
        handlers: handlers(rng, 0),
        first: std::array::from_fn(|i| {
            if i == usize::from(signal) {
                first
            } else {
                Action::Handle
            }
        }),
        // A handler may run as soon as the last thread is made: before it has set the pointer.
        main_takes: own != Own::Stack && rng.bool(),
        own,
    }
}

/// Two threads or three.
fn several(rng: &mut Rng) -> Toy {
    let count = if rng.usize(..4) == 0 { 3 } else { 2 };
    let signal = rng.u8(..2);
    let mut threads: Vec<Vec<Statement>> = (0..count)
        .map(|_| {
            let groups = if rng.usize(..4) == 0 { 2 } else { 1 };
            (0..groups)
                .flat_map(|_| group(rng, count, signal, false))
                .collect()
        })
        .collect();
    let to = rng.u8(..count);
    let send = match rng.usize(..4) {
        0 => Statement::KillProcess(signal),
        _ => Statement::Kill(to, signal),
    };
    let from = usize::from((to + 1) % count);
    let at = rng.usize(..=threads[from].len());
    threads[from].insert(at, send);
    Toy {
        threads,
        main: Vec::new(),
        handlers: handlers(rng, count),
        first: [Action::Handle; 2],
        main_takes: rng.usize(..4) == 0,
        own: own(rng),
    }
}

// ---- statements

/// Statements of the handler of a signal. Only the first one sends the other, so that there is an
/// end. `count`: how many threads it may send to.
fn in_handler(rng: &mut Rng, signal: u8, count: u8) -> Vec<Statement> {
    vec![match rng.usize(..14) {
        0 | 1 => Statement::ChangeOwn(rng.u8(1..4)),
        2 | 3 => Statement::Publish(rng.u8(..2)),
        4 => Statement::Change(rng.u8(..2), rng.u8(1..4)),
        5 | 6 => Statement::Add(rng.u8(..2), rng.u8(1..4)),
        7 if signal == 0 && count > 0 => Statement::Kill(rng.u8(..count), 1),
        8 if signal == 0 => Statement::Raise(1),
        9 if count > 0 => return vec![Statement::Lock, change(rng), Statement::Unlock],
        _ => Statement::Post(u8::from(rng.usize(..4) == 0)),
    }]
}

fn change(rng: &mut Rng) -> Statement {
    match rng.usize(..4) {
        0 => Statement::ChangeOwn(rng.u8(1..4)),
        1 => Statement::CallOwn(rng.u8(1..4)),
        2 => Statement::Publish(rng.u8(..2)),
        _ => Statement::Change(rng.u8(..2), rng.u8(1..4)),
    }
}

fn change_own(rng: &mut Rng) -> Statement {
    match rng.bool() {
        true => Statement::ChangeOwn(rng.u8(1..4)),
        false => Statement::CallOwn(rng.u8(1..4)),
    }
}

/// Sends a signal to itself, if it is this thread that executes it.
fn to_oneself(rng: &mut Rng, me: u8, signal: u8) -> Statement {
    match rng.usize(..3) {
        0 => Statement::Raise(signal),
        1 => Statement::Kill(me, signal),
        _ => Statement::KillProcess(signal),
    }
}

/// What a thread does for one purpose. `signal`: the one that is sent most often.
fn group(rng: &mut Rng, count: u8, signal: u8, main_takes: bool) -> Vec<Statement> {
    let most = u8::from(main_takes) + count;
    match rng.usize(..20) {
        0 => vec![Statement::ChangeOwn(rng.u8(1..4))],
        1 => vec![Statement::CallOwn(rng.u8(1..4))],
        2 => vec![Statement::Publish(rng.u8(..2))],
        3 => vec![Statement::Change(rng.u8(..2), rng.u8(1..4))],
        4 | 5 => vec![Statement::Lock, change(rng), Statement::Unlock],
        6 => vec![Statement::Lock, Statement::Wait, Statement::Unlock],
        7 => vec![Statement::Lock, Statement::Notify, Statement::Unlock],
        8..=10 => vec![Statement::Take(u8::from(rng.usize(..4) == 0), rng.u8(..2))],
        11 | 12 => vec![Statement::Post(u8::from(rng.usize(..4) == 0))],
        13 => vec![Statement::Kill(rng.u8(..most), rng.u8(..2))],
        14 => vec![Statement::Raise(rng.u8(..2))],
        15 => vec![Statement::Block(signal), change(rng), Statement::Unblock(signal)],
        16 => vec![
            Statement::Block(signal),
            Statement::Raise(signal),
            change(rng),
            Statement::Unblock(signal),
        ],
        17 => vec![
            Statement::Block(signal),
            change(rng),
            Statement::Await(signal),
            Statement::Unblock(signal),
        ],
        _ => vec![Statement::Suspend],
    }
}
