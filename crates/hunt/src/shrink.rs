//! Makes a program smaller as long as it still shows the same disagreement. It removes statements,
//! threads and expressions one by one.

use crate::program::{Block, Expr, MutexKind, Node, Objects, Program, Stmt, Storage, Type};

/// The smallest program found that passes the test. The given program must pass it.
pub fn shrink(program: &Program, test: &mut dyn FnMut(&Program) -> bool, mut tries: usize) -> Program {
    let mut best = program.clone();
    loop {
        let mut better = false;
        let mut k = 0;
        while let Some(mut smaller) = nth(&best, k) {
            if tries == 0 {
                return best;
            }
            smaller.number();
            if smaller != best && is_sound(&smaller) {
                tries -= 1;
                if test(&smaller) {
                    best = smaller;
                    better = true;
                    continue; // the next way to shrink has this number now
                }
            }
            k += 1;
        }
        if !better {
            return best;
        }
    }
}

/// The k-th way to make a program smaller.
fn nth(program: &Program, k: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = k;
    // Removes a thread and all operations on it.
    let threads = program.threads.len();
    if left + 1 < threads {
        let gone = threads - 1 - left;
        smaller.threads.remove(gone);
        for body in smaller.bodies_mut() {
            without_thread(body, gone);
        }
        return Some(smaller);
    }
    left -= threads - 1;
    for body in smaller.bodies_mut() {
        if in_block(body, &mut left) {
            return Some(smaller);
        }
    }
    objects(&mut smaller, &mut left).then_some(smaller)
}

fn without_thread(block: &mut Block, gone: usize) {
    block.retain(|node| !matches!(&node.stmt, Stmt::Create(t) | Stmt::Join(t) | Stmt::Detach(t) | Stmt::Cancel(t) if *t == gone));
    for node in block {
        if let Stmt::Create(t) | Stmt::Join(t) | Stmt::Detach(t) | Stmt::Cancel(t) = &mut node.stmt
            && *t > gone
        {
            *t -= 1;
        }
        for inner in node.stmt.blocks_mut() {
            without_thread(inner, gone);
        }
    }
}

/// Whether this choice is the selected one; counts down otherwise.
fn chosen(left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    false
}

fn in_block(block: &mut Block, left: &mut usize) -> bool {
    // Remove several at once first, then one.
    let n = block.len();
    if n > 3 {
        for (from, to) in [(n / 2, n), (0, n / 2)] {
            if chosen(left) {
                block.drain(from..to);
                return true;
            }
        }
    }
    for i in 0..block.len() {
        if chosen(left) {
            block.remove(i);
            return true;
        }
    }
    for i in 0..block.len() {
        let inner: Vec<Block> = block[i].stmt.blocks().into_iter().cloned().collect();
        for inner in inner {
            if chosen(left) {
                block.splice(i..=i, inner);
                return true;
            }
        }
        if let Some(stmt) = simpler(&block[i].stmt, left) {
            block[i] = Node::from(stmt);
            return true;
        }
        for inner in block[i].stmt.blocks_mut() {
            if in_block(inner, left) {
                return true;
            }
        }
    }
    false
}

/// The statement with a simpler expression or form.
fn simpler(stmt: &Stmt, left: &mut usize) -> Option<Stmt> {
    let mut copy = stmt.clone();
    for e in expressions(&mut copy) {
        let options: Vec<Expr> = match &*e {
            Expr::Const(0) => Vec::new(),
            Expr::Const(_) => vec![Expr::Const(0)],
            Expr::Local(_) => vec![Expr::Const(0), Expr::Const(1)],
            Expr::Binary(_, a, b) => vec![(**a).clone(), (**b).clone(), Expr::Const(0), Expr::Const(1)],
        };
        for option in options {
            if chosen(left) {
                *e = option;
                return Some(copy);
            }
        }
    }
    let other = match stmt {
        Stmt::TryLock(m, ..) => Some(Stmt::Lock(*m)),
        Stmt::TimedWait(c, m, _) => Some(Stmt::Wait(*c, *m)),
        Stmt::SemTry(s, ..) => Some(Stmt::SemWait(*s)),
        Stmt::SpinTry(l, _) => Some(Stmt::SpinLock(*l)),
        Stmt::Barrier(b, Some(_)) => Some(Stmt::Barrier(*b, None)),
        Stmt::Add(p, e) => Some(Stmt::Store(p.clone(), e.clone())),
        Stmt::AtomicRmw(_, _, p, e, o) => Some(Stmt::AtomicStore(p.clone(), e.clone(), *o)),
        Stmt::Either(_, a, _) => Some((**a).clone()),
        Stmt::Throw(true) => Some(Stmt::Throw(false)),
        Stmt::Input(r, 2 | 3) => Some(Stmt::Input(*r, 1)),
        _ => None,
    };
    other.filter(|_| chosen(left))
}

fn expressions(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match stmt {
        Stmt::Set(_, e)
        | Stmt::If(e, ..)
        | Stmt::Assert(e)
        | Stmt::Reach(e)
        | Stmt::Abort(e)
        | Stmt::SetLocal(e)
        | Stmt::CreateAt(e)
        | Stmt::JoinAt(e)
        | Stmt::Either(e, ..)
        | Stmt::Assume(e)
        | Stmt::SetKey(e)
        | Stmt::New(e)
        | Stmt::StoreThrough(e) => vec![e],
        Stmt::Load(_, p) | Stmt::AtomicLoad(_, p, _) => p.index.iter_mut().collect(),
        Stmt::Store(p, e) | Stmt::Add(p, e) | Stmt::AtomicStore(p, e, _) | Stmt::AtomicRmw(_, _, p, e, _) => {
            p.index.iter_mut().chain([e]).collect()
        }
        Stmt::Cas(_, p, e, f, ..) => p.index.iter_mut().chain([e, f]).collect(),
        _ => Vec::new(),
    }
}

/// Whether a global is accessed.
fn uses(program: &Program, global: usize) -> bool {
    program.any(&|s| match s {
        Stmt::Load(_, p)
        | Stmt::Store(p, _)
        | Stmt::Add(p, _)
        | Stmt::AtomicLoad(_, p, _)
        | Stmt::AtomicStore(p, ..)
        | Stmt::AtomicRmw(_, _, p, ..)
        | Stmt::Cas(_, p, ..) => p.global == global,
        _ => false,
    })
}

/// Simplifies objects: their kinds and types; removes unused ones.
fn objects(program: &mut Program, left: &mut usize) -> bool {
    for i in 0..program.mutexes.len() {
        if program.mutexes[i] != MutexKind::Normal && chosen(left) {
            program.mutexes[i] = MutexKind::Normal;
            return true;
        }
    }
    for i in 0..program.globals.len() {
        let global = &program.globals[i];
        if global.storage != Storage::Static && chosen(left) {
            program.globals[i].storage = Storage::Static;
            return true;
        }
        if (global.kind, global.volatile) != (Type::Int, false) && chosen(left) {
            program.globals[i].kind = Type::Int;
            program.globals[i].volatile = false;
            return true;
        }
        if program.globals[i].initial != 0 && chosen(left) {
            program.globals[i].initial = 0;
            return true;
        }
    }
    for i in 1..program.functions.len() {
        if program.threads.iter().all(|t| t.0 != i) && chosen(left) {
            program.functions.remove(i);
            for thread in &mut program.threads {
                thread.0 -= usize::from(thread.0 > i);
            }
            return true;
        }
    }
    for i in (0..program.globals.len()).rev() {
        if i + 1 == program.globals.len() && i > 0 && !uses(program, i) && chosen(left) {
            program.globals.pop();
            return true;
        }
    }
    if program.objects != Objects::Plain && chosen(left) {
        program.objects = Objects::Plain;
        return true;
    }
    if !program.handlers.is_empty() && !program.any(&|s| matches!(s, Stmt::Cleanup(..))) && chosen(left) {
        program.handlers.clear();
        return true;
    }
    if program.destructor.is_some() && chosen(left) {
        program.destructor = None;
        return true;
    }
    let last = program.mutexes.len();
    if last > 0
        && !program.any(&|s| {
            matches!(s, Stmt::Lock(m) | Stmt::Unlock(m) | Stmt::TryLock(m, ..) | Stmt::Wait(_, m) | Stmt::TimedWait(_, m, _) if *m + 1 == last)
        })
        && chosen(left)
    {
        program.mutexes.pop();
        return true;
    }
    macro_rules! unused {
        ($test:expr, $remove:expr) => {
            if !program.any(&$test) && chosen(left) {
                $remove;
                return true;
            }
        };
    }
    if program.conds > 0 {
        unused!(
            |s| matches!(
                s,
                Stmt::Wait(..) | Stmt::TimedWait(..) | Stmt::Signal(_) | Stmt::Broadcast(_)
            ),
            program.conds = 0
        );
    }
    if !program.semaphores.is_empty() {
        unused!(
            |s| matches!(
                s,
                Stmt::SemWait(_) | Stmt::SemTry(..) | Stmt::SemPost(_) | Stmt::SemGet(..)
            ),
            program.semaphores.clear()
        );
    }
    if program.rwlocks > 0 {
        unused!(
            |s| matches!(
                s,
                Stmt::ReadLock(_) | Stmt::WriteLock(_) | Stmt::TryRw(..) | Stmt::RwUnlock(_)
            ),
            program.rwlocks = 0
        );
    }
    if !program.barriers.is_empty() {
        unused!(|s| matches!(s, Stmt::Barrier(..)), program.barriers.clear());
    }
    if program.spins > 0 {
        unused!(
            |s| matches!(s, Stmt::SpinLock(_) | Stmt::SpinTry(..) | Stmt::SpinUnlock(_)),
            program.spins = 0
        );
    }
    if !program.onces.is_empty() {
        unused!(|s| matches!(s, Stmt::Once(_)), program.onces.clear());
    }
    if program.pointers > 0 {
        unused!(
            |s| matches!(
                s,
                Stmt::New(_)
                    | Stmt::PutPointer(_)
                    | Stmt::GetPointer(_)
                    | Stmt::IfPointer(_)
                    | Stmt::Free
                    | Stmt::LoadThrough(_)
                    | Stmt::StoreThrough(_)
            ),
            program.pointers = 0
        );
    }
    false
}

/// Whether the generator could make the program: each thread is created once before it is joined or
/// cancelled, jumps have a target, and the key has a destructor if functions use it.
fn is_sound(program: &Program) -> bool {
    let mut created = vec![0; program.threads.len()];
    let mut sound = true;
    fn go(block: &Block, (in_loop, in_try): (bool, bool), created: &mut [u32], sound: &mut bool) {
        for node in block {
            match &node.stmt {
                Stmt::Create(t) => created[*t] += 1,
                Stmt::Join(t) | Stmt::Detach(t) | Stmt::Cancel(t) => *sound &= created[*t] == 1,
                Stmt::Break => *sound &= in_loop,
                Stmt::Throw(_) => *sound &= in_try,
                Stmt::Try(a, b) => {
                    go(a, (in_loop, true), created, sound);
                    go(b, (in_loop, in_try), created, sound);
                    continue;
                }
                _ => {}
            }
            let in_loop = in_loop || matches!(node.stmt, Stmt::Forever(_) | Stmt::Repeat(..));
            for inner in node.stmt.blocks() {
                go(inner, (in_loop, in_try), created, sound);
            }
        }
    }
    for function in &program.functions {
        go(&function.body, (false, false), &mut created, &mut sound);
    }
    let keys = program.any(&|s| matches!(s, Stmt::SetKey(_) | Stmt::GetKey(_)));
    // If threads are created by number, all of them have the same function.
    let numbers = program.any(&|s| matches!(s, Stmt::CreateAt(_)));
    sound &= !numbers
        || program.threads[1..]
            .iter()
            .enumerate()
            .all(|(i, t)| *t == (1, i as i16));
    let on_stack = program.globals.iter().any(|g| g.storage == Storage::Stack);
    sound
        && (!on_stack || program.main_stays())
        && created.iter().all(|&n| n <= 1)
        && !(keys && program.destructor.is_none())
}
