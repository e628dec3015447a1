//! Prints programs as C with one statement for each line, so that a line number identifies a
//! statement.

use crate::program::{
    ARGUMENT, Binary, Block, COUNTER, Expr, Objects, Order, Place, Program, Rmw, SCRATCH, Stmt, Storage,
    Type, any,
};
use std::fmt::Write as _;

/// The common beginning of all files.
pub const PRELUDE: &str = "#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>
extern void reach_error(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern void __VERIFIER_assume(int);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
__attribute__((unused)) static const struct timespec later = { 1, 0 };
";

/// A program as text, with the line of each statement.
pub struct Printed {
    /// The C code of one or more programs.
    pub text: String,
    /// For each program and statement, its line, counted from 1.
    pub lines: Vec<Vec<u32>>,
}

/// One program with an ordinary main.
pub fn alone(program: &Program) -> Printed {
    several(std::slice::from_ref(program))
}

/// Prints several programs in one file. If there is more than one, program k begins at `main_k`,
/// and `main` only refers to all of them.
pub fn several(programs: &[Program]) -> Printed {
    let mut printer = Printer {
        text: PRELUDE.to_owned(),
        line: PRELUDE.lines().count() as u32,
        lines: Vec::new(),
        prefix: String::new(),
        program: &programs[0],
        indent: 0,
        jump: 0,
        last: "",
    };
    let mut all = Vec::new();
    for (k, program) in programs.iter().enumerate() {
        printer.program = program;
        printer.prefix = if programs.len() > 1 {
            format!("p{k}_")
        } else {
            String::new()
        };
        printer.write(if programs.len() > 1 {
            format!("main_{k}")
        } else {
            "main".to_owned()
        });
        all.push(std::mem::take(&mut printer.lines));
    }
    if programs.len() > 1 {
        let names: Vec<String> = (0..programs.len()).map(|k| format!("main_{k}")).collect();
        printer.put(&format!(
            "int (*volatile entries[])(void) = {{ {} }};",
            names.join(", ")
        ));
        printer.put("int main(void) { return entries[0](); }");
    }
    Printed {
        text: printer.text,
        lines: all,
    }
}

struct Printer<'a> {
    text: String,
    line: u32,
    lines: Vec<u32>,
    prefix: String,
    program: &'a Program,
    indent: usize,
    /// The nesting depth of `Try`.
    jump: usize,
    /// The return statement of the current function.
    last: &'static str,
}

fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Char => "unsigned char",
        Type::Short => "short",
        Type::Int => "int",
        Type::Long => "long",
    }
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "__ATOMIC_RELAXED",
        Order::Acquire => "__ATOMIC_ACQUIRE",
        Order::Release => "__ATOMIC_RELEASE",
        Order::AcqRel => "__ATOMIC_ACQ_REL",
        Order::SeqCst => "__ATOMIC_SEQ_CST",
    }
}

fn local(local: u8) -> String {
    match local {
        ARGUMENT => "a".to_owned(),
        SCRATCH => "scratch".to_owned(),
        n if n >= COUNTER => format!("i{}", n - COUNTER),
        n => format!("r{n}"),
    }
}

fn expr(e: &Expr) -> String {
    match e {
        Expr::Const(n) => n.to_string(),
        Expr::Local(l) => local(*l),
        Expr::Binary(op, a, b) => {
            let sign = match op {
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::And => "&",
                Binary::Xor => "^",
                Binary::Eq => "==",
                Binary::Ne => "!=",
                Binary::Lt => "<",
                Binary::Le => "<=",
            };
            format!("({} {sign} {})", expr(a), expr(b))
        }
    }
}

mod declare;

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
        self.line += 1;
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The name of a synchronisation object.
    fn object(&self, letter: &str, i: usize) -> String {
        let prefix = &self.prefix;
        match self.program.objects {
            Objects::Plain => format!("{prefix}{letter}{i}"),
            Objects::Arrays => format!("{prefix}{letter}[{i}]"),
            Objects::Block => format!("{prefix}h->{letter}[{i}]"),
        }
    }

    fn place(&self, place: &Place) -> String {
        let (prefix, n) = (&self.prefix, place.global);
        match (self.program.globals[n].storage, &place.index) {
            (Storage::Static, None) => format!("{prefix}g{n}"),
            (Storage::Static, Some(index)) => format!("{prefix}g{n}[{}]", expr(index)),
            (Storage::Member, _) => format!("{prefix}all.g{n}"),
            (Storage::Stack | Storage::Heap, None) => format!("(*{prefix}g{n})"),
            (Storage::Stack | Storage::Heap, Some(index)) => format!("{prefix}g{n}[{}]", expr(index)),
        }
    }

    fn write(&mut self, main: String) {
        let program = self.program;
        self.members();
        for (i, global) in program.globals.iter().enumerate() {
            let volatile = if global.volatile { "volatile " } else { "" };
            let (kind, name, n) = (
                type_name(global.kind),
                self.name(&format!("g{i}")),
                global.initial,
            );
            let initial = match global.array {
                None => format!(" = {n}"),
                Some(len) => format!("[{len}] = {{ {} }}", vec![n.to_string(); len].join(", ")),
            };
            match global.storage {
                Storage::Static => self.put(&format!("static {volatile}{kind} {name}{initial};")),
                Storage::Member => {}
                Storage::Stack | Storage::Heap => self.put(&format!("static {volatile}{kind} *{name};")),
            }
        }
        if program.any(&|s| matches!(s, Stmt::SetLocal(_) | Stmt::GetLocal(_))) {
            let name = self.name("own");
            self.put(&format!("static _Thread_local int {name};"));
        }
        self.objects();
        if program.any(&|s| matches!(s, Stmt::Throw(true))) {
            let name = self.name("jump");
            self.put(&format!(
                "static void {name}(jmp_buf buffer) {{ longjmp(buffer, 1); }}"
            ));
        }
        if let Some(body) = &program.destructor {
            let name = self.name("gone");
            self.put(&format!("static void {name}(void *value) {{"));
            self.body(body);
        }
        for (i, body) in program.onces.iter().enumerate() {
            let name = self.name(&format!("first{i}"));
            self.put(&format!("static void {name}(void) {{"));
            self.body(body);
        }
        for (i, body) in program.handlers.iter().enumerate() {
            let name = self.name(&format!("clean{i}"));
            self.put(&format!("static void {name}(void *value) {{"));
            self.body(body);
        }
        for (i, function) in program.functions.iter().enumerate().rev() {
            if i == 0 {
                self.put(&format!("int {main}(void) {{"));
            } else {
                let name = self.name(&format!("f{i}"));
                self.put(&format!("static void *{name}(void *argument) {{"));
            }
            self.locals(&function.body, i == 0);
            if i == 0 {
                self.initialise();
            }
            self.body_of(&function.body, if i == 0 { "return 0;" } else { "return NULL;" });
        }
    }

    fn locals(&mut self, body: &Block, main: bool) {
        // C leaves the values of variables that change between setjmp and longjmp undefined unless
        // they are volatile.
        let jumps = any(body, &|s| matches!(s, Stmt::Try(..) | Stmt::JumpRounds(..)));
        let volatile = if jumps { "volatile " } else { "" };
        self.indent = 1;
        let argument = if main { "0" } else { "(int)(long)argument" };
        self.put(&format!(
            "{volatile}int r0 = 0, r1 = 0, r2 = 0, i0 = 0, i1 = 0, a = {argument};"
        ));
        if !main {
            self.put("(void)argument;");
        }
        self.put("(void)r0; (void)r1; (void)r2; (void)i0; (void)i1; (void)a;");
        if self.program.pointers > 0 {
            self.put("int *q = NULL; (void)q;");
        }
    }

    fn body(&mut self, body: &Block) {
        self.body_of(body, "");
    }

    fn body_of(&mut self, body: &Block, last: &'static str) {
        self.indent = 1;
        self.last = last;
        self.block(body);
        if !last.is_empty() {
            self.put(last);
        }
        self.indent = 0;
        self.put("}");
    }

    fn block(&mut self, block: &Block) {
        for node in block {
            assert_eq!(node.id as usize, self.lines.len(), "statements are numbered");
            self.lines.push(self.line + 1);
            self.statement(&node.stmt);
        }
    }

    fn nested(&mut self, head: &str, block: &Block) {
        self.put(head);
        self.indent += 1;
        self.block(block);
        self.indent -= 1;
    }

    fn statement(&mut self, stmt: &Stmt) {
        let text = match stmt {
            Stmt::If(e, yes, no) => {
                self.nested(&format!("if ({}) {{", expr(e)), yes);
                if !no.is_empty() {
                    self.nested("} else {", no);
                }
                return self.put("}");
            }
            Stmt::IfPointer(yes) => {
                self.nested("if (q) {", yes);
                return self.put("}");
            }
            Stmt::Repeat(counter, rounds, body) => {
                let i = local(COUNTER + counter);
                self.nested(&format!("for ({i} = 0; {i} < {rounds}; {i}++) {{"), body);
                return self.put("}");
            }
            Stmt::Forever(body) => {
                self.nested("for (;;) {", body);
                return self.put("}");
            }
            Stmt::Atomic(body) => {
                self.nested("__VERIFIER_atomic_begin();", body);
                return self.put("__VERIFIER_atomic_end();");
            }
            Stmt::Cleanup(handler, body) => {
                let name = self.name(&format!("clean{handler}"));
                self.nested(&format!("pthread_cleanup_push({name}, NULL);"), body);
                return self.put("pthread_cleanup_pop(1);");
            }
            Stmt::Try(body, other) => {
                self.jump += 1;
                let buffer = format!("buffer{}", self.jump);
                self.nested(&format!("{{ jmp_buf {buffer}; if (!setjmp({buffer})) {{"), body);
                self.jump -= 1;
                self.nested("} else {", other);
                return self.put("} }");
            }
            Stmt::JumpRounds(counter, rounds, body) => {
                let (i, buffer) = (local(COUNTER + counter), format!("back{counter}"));
                self.nested(
                    &format!("{{ jmp_buf {buffer}; {i} = 0; (void)setjmp({buffer});"),
                    body,
                );
                return self.put(&format!("if (++{i} < {rounds}) longjmp({buffer}, 1); }}"));
            }
            _ => self.simple(stmt),
        };
        self.put(&text);
    }

    /// One call for two statements that differ only in the object.
    fn either(&self, e: &Expr, a: &Stmt, b: &Stmt) -> String {
        let (one, other) = (self.simple(a), self.simple(b));
        let object = |text: &str| {
            let begin = text.find('&').map_or(0, |at| at + 1);
            let rest = &text[begin..];
            let end = rest.find([',', ')']).unwrap_or(rest.len());
            rest[..end].to_owned()
        };
        let (first, second) = (object(&one), object(&other));
        let chosen = match first.strip_suffix("[0]") {
            Some(array) if second == format!("{array}[1]") => format!("{array}[{} != 0]", wrapped(e)),
            _ => format!("*({} ? &{second} : &{first})", wrapped(e)),
        };
        one.replacen(&first, &chosen, 1)
    }

    /// A statement that fits in one line.
    fn simple(&self, stmt: &Stmt) -> String {
        let call =
            |function: &str, letter: &str, i: usize| format!("{function}(&{})", self.object(letter, i));
        let timed = |function: &str, letter: &str, i: usize| {
            format!("{function}(&{}, &later)", self.object(letter, i))
        };
        let taken = |r: u8, call: String| format!("{} = {call} == 0;", local(r));
        let thread = |t: &usize| self.name(&format!("t[{t}]"));
        match stmt {
            Stmt::Set(r, e) => format!("{} = {} & 3;", local(*r), expr(e)),
            Stmt::Input(r, most) if matches!(most, 1 | 3) => {
                format!("{} = (int)(__VERIFIER_nondet_uint() & {most});", local(*r))
            }
            Stmt::Input(r, most) => format!(
                "{{ unsigned u = __VERIFIER_nondet_uint(); __VERIFIER_assume(u <= {most}); {} = (int)u; }}",
                local(*r)
            ),
            Stmt::Load(r, p) => format!("{} = {} & 3;", local(*r), self.place(p)),
            Stmt::Store(p, e) => format!("{} = {} & 3;", self.place(p), expr(e)),
            Stmt::Add(p, e) => format!("{0} = ({0} + {1}) & 3;", self.place(p), expr(e)),
            Stmt::Break => "break;".to_owned(),
            Stmt::Return => self.last.to_owned(),
            Stmt::Assert(e) => format!(
                "if (!{}) __assert_fail(\"false\", \"program\", 1, \"here\");",
                wrapped(e)
            ),
            Stmt::Abort(e) => format!("if (!{}) abort();", wrapped(e)),
            Stmt::SetLocal(e) => format!("{} = {} & 3;", self.name("own"), expr(e)),
            Stmt::GetLocal(r) => format!("{} = {};", local(*r), self.name("own")),
            Stmt::Reach(e) => format!("if (!{}) reach_error();", wrapped(e)),
            Stmt::Assume(e) => format!("__VERIFIER_assume({});", expr(e)),
            Stmt::Lock(m) => call("pthread_mutex_lock", "m", *m) + ";",
            Stmt::Unlock(m) => call("pthread_mutex_unlock", "m", *m) + ";",
            Stmt::TryLock(m, r, false) => taken(*r, call("pthread_mutex_trylock", "m", *m)),
            Stmt::TryLock(m, r, true) => taken(*r, timed("pthread_mutex_timedlock", "m", *m)),
            Stmt::Wait(c, m) => {
                format!(
                    "pthread_cond_wait(&{}, &{});",
                    self.object("c", *c),
                    self.object("m", *m)
                )
            }
            Stmt::Either(e, a, b) => self.either(e, a, b),
            Stmt::TimedWait(c, m, r) => format!(
                "{} = pthread_cond_timedwait(&{}, &{}, &later) != 0;",
                local(*r),
                self.object("c", *c),
                self.object("m", *m)
            ),
            Stmt::Signal(c) => call("pthread_cond_signal", "c", *c) + ";",
            Stmt::Broadcast(c) => call("pthread_cond_broadcast", "c", *c) + ";",
            Stmt::ReadLock(w) => call("pthread_rwlock_rdlock", "w", *w) + ";",
            Stmt::WriteLock(w) => call("pthread_rwlock_wrlock", "w", *w) + ";",
            Stmt::TryRw(w, write, r, false) => {
                let mode = if *write { "wr" } else { "rd" };
                taken(*r, call(&format!("pthread_rwlock_try{mode}lock"), "w", *w))
            }
            Stmt::TryRw(w, write, r, true) => {
                let mode = if *write { "wr" } else { "rd" };
                taken(*r, timed(&format!("pthread_rwlock_timed{mode}lock"), "w", *w))
            }
            Stmt::RwUnlock(w) => call("pthread_rwlock_unlock", "w", *w) + ";",
            Stmt::SemWait(s) => call("sem_wait", "s", *s) + ";",
            Stmt::SemTry(s, r, false) => taken(*r, call("sem_trywait", "s", *s)),
            Stmt::SemTry(s, r, true) => taken(*r, timed("sem_timedwait", "s", *s)),
            Stmt::SemPost(s) => call("sem_post", "s", *s) + ";",
            Stmt::SemGet(s, r) => format!(
                "{{ int n; sem_getvalue(&{}, &n); {} = n & 3; }}",
                self.object("s", *s),
                local(*r)
            ),
            Stmt::Barrier(b, None) => call("pthread_barrier_wait", "b", *b) + ";",
            Stmt::Barrier(b, Some(r)) => {
                format!("{} = {} != 0;", local(*r), call("pthread_barrier_wait", "b", *b))
            }
            Stmt::SpinLock(l) => call("pthread_spin_lock", "l", *l) + ";",
            Stmt::SpinTry(l, r) => taken(*r, call("pthread_spin_trylock", "l", *l)),
            Stmt::SpinUnlock(l) => call("pthread_spin_unlock", "l", *l) + ";",
            Stmt::Once(o) => format!("pthread_once(&{0}o{o}, {0}first{o});", self.prefix),
            Stmt::AtomicLoad(r, p, o) => format!(
                "{} = (int)(__atomic_load_n(&{}, {}) & 3);",
                local(*r),
                self.place(p),
                order(*o)
            ),
            Stmt::AtomicStore(p, e, o) => {
                format!(
                    "__atomic_store_n(&{}, {} & 3, {});",
                    self.place(p),
                    expr(e),
                    order(*o)
                )
            }
            Stmt::AtomicRmw(op, r, p, e, o) => {
                let function = match op {
                    Rmw::Add => "__atomic_fetch_add",
                    Rmw::Xor => "__atomic_fetch_xor",
                    Rmw::Exchange => "__atomic_exchange_n",
                };
                format!(
                    "{} = (int)({function}(&{}, {} & 3, {}) & 3);",
                    local(*r),
                    self.place(p),
                    expr(e),
                    order(*o)
                )
            }
            Stmt::Cas(weak, p, expected, new, ok, old, success, failure) => format!(
                "{{ {} e = {} & 3; {} = __atomic_compare_exchange_n(&{}, &e, {} & 3, {}, {}, {}); {} = (int)(e & 3); }}",
                type_name(self.program.globals[p.global].kind),
                expr(expected),
                local(*ok),
                self.place(p),
                expr(new),
                u8::from(*weak),
                order(*success),
                order(*failure),
                local(*old)
            ),
            Stmt::Fence(o) => format!("__atomic_thread_fence({});", order(*o)),
            Stmt::Create(t) => {
                let (function, argument) = self.program.threads[*t];
                let name = self.name(&format!("f{function}"));
                format!(
                    "pthread_create(&{}, NULL, {name}, (void *){argument});",
                    thread(t)
                )
            }
            Stmt::CreateAt(e) => {
                let (t, name, e) = (self.name("t"), self.name("f1"), expr(e));
                format!("pthread_create(&{t}[1 + {e}], NULL, {name}, (void *)(long){e});")
            }
            Stmt::JoinAt(e) => format!("pthread_join({}[1 + {}], NULL);", self.name("t"), expr(e)),
            Stmt::Join(t) => format!("pthread_join({}, NULL);", thread(t)),
            Stmt::Detach(t) => format!("pthread_detach({});", thread(t)),
            Stmt::Cancel(t) => format!("pthread_cancel({});", thread(t)),
            Stmt::TestCancel => "pthread_testcancel();".to_owned(),
            Stmt::CancelState(on) => format!(
                "pthread_setcancelstate(PTHREAD_CANCEL_{}, NULL);",
                if *on { "ENABLE" } else { "DISABLE" }
            ),
            Stmt::ThreadExit => "pthread_exit(NULL);".to_owned(),
            Stmt::ProcessExit => "exit(0);".to_owned(),
            Stmt::Throw(false) => format!("longjmp(buffer{}, 1);", self.jump),
            Stmt::Throw(true) => format!("{}(buffer{});", self.name("jump"), self.jump),
            Stmt::SetKey(e) => {
                format!(
                    "pthread_setspecific({}, (void *)(long)({} & 3));",
                    self.name("k0"),
                    expr(e)
                )
            }
            Stmt::GetKey(r) => {
                format!(
                    "{} = (int)(long)pthread_getspecific({});",
                    local(*r),
                    self.name("k0")
                )
            }
            Stmt::Yield => "sched_yield();".to_owned(),
            Stmt::New(e) => format!("q = malloc(sizeof *q); *q = {} & 3;", expr(e)),
            Stmt::PutPointer(p) => format!("{}p{p} = q;", self.prefix),
            Stmt::GetPointer(p) => format!("q = {}p{p};", self.prefix),
            Stmt::LoadThrough(r) => format!("{} = *q & 3;", local(*r)),
            Stmt::StoreThrough(e) => format!("*q = {} & 3;", expr(e)),
            Stmt::Free => "free(q);".to_owned(),
            _ => unreachable!("printed as a block"),
        }
    }
}

fn wrapped(e: &Expr) -> String {
    let mut text = String::new();
    let _ = match e {
        Expr::Binary(..) => write!(text, "{}", expr(e)),
        _ => write!(text, "({})", expr(e)),
    };
    text
}
