//! Whether a thread's end can be reached from its present position, by the control flow of its
//! functions alone.

use crate::code::{Code, Op};
use crate::program::Program;
use crate::thread::Thread;
use selvedge_base::Id;
use selvedge_ir::Callee;

/// Functions that do not return and are a regular end of a program. A failed assertion or `abort`
/// is none.
const ENDS: [&str; 6] = [
    "pthread_exit",
    "thrd_exit",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
];

/// True if each active function of a thread can return from its present position, or one of them
/// can end the thread or the process. The analysis assumes that calls return and that exceptions do
/// not leave them.
pub(crate) fn may_end(program: &Program, thread: &Thread) -> bool {
    for index in (0..thread.core.depth as usize).rev() {
        let frame = thread.frame(index);
        match ahead(program, &program.code[frame.func.index()], frame.ip) {
            Ahead::End => return true,
            Ahead::Return => {}
            Ahead::Neither => return false,
        }
    }
    true
}

/// What can be reached within a function.
enum Ahead {
    End,
    Return,
    Neither,
}

fn ahead(program: &Program, code: &Code, from: u32) -> Ahead {
    let mut seen = vec![false; code.insts.len()];
    let mut open = vec![from as usize];
    let mut returns = false;
    while let Some(at) = open.pop() {
        let Some(inst) = code.insts.get(at) else { continue };
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let long = || usize::from(inst.b) | usize::from(inst.c) << 16;
        match inst.op {
            Op::Return => returns = true,
            Op::Unreachable | Op::Trap => {}
            Op::Jump => open.push(long()),
            Op::Branch => open.extend([at + 1, long()]),
            Op::Switch if inst.w == 1 => open.extend(code.blocks.iter().map(|&block| block as usize)),
            Op::Switch => {
                let table = &code.switches[usize::from(inst.b)];
                open.push(table.default as usize);
                open.extend(table.cases.iter().map(|case| case.1 as usize));
            }
            Op::Call => {
                if let Some(Callee::Direct(func)) = code.calls[long()].callee
                    && ENDS.contains(&program.module.functions[func].name.as_str())
                {
                    return Ahead::End;
                }
                open.push(at + 1);
            }
            _ => open.push(at + 1),
        }
    }
    match returns {
        true => Ahead::Return,
        false => Ahead::Neither,
    }
}
