//! A toy as LLVM IR. The line of a failed assertion tells which one it is; at the end, `main` fails
//! at a line of its own for each end that is given, and at another one for all other ends.

use super::every::SHARED;
use super::{Number, Op, Place, REGISTERS, TARGETS, Toy};
use std::fmt::Write;

/// The line of the first end.
pub const ENDS: usize = 10_000;
/// The line of the ends that were not given.
pub const OTHER: usize = 9_999;

const HEAD: &str = "%s = type { i32, [2 x i32] }
@a = global [4 x i32] zeroinitializer, align 16
@o = global [2 x %s] zeroinitializer, align 16
@d = global [2 x [2 x i32]] zeroinitializer, align 16
@n = global i32 0, align 4
@p = global ptr @a, align 8
@m = global [2 x [40 x i8]] zeroinitializer, align 16
@text = constant [4 x i8] c\"toy\\00\", align 1
@targets = constant [5 x ptr] [ptr @a, ptr getelementptr (i8, ptr @a, i64 4), ptr getelementptr (i8, ptr @a, i64 8), ptr getelementptr (i8, ptr @o, i64 4), ptr getelementptr (i8, ptr @o, i64 16)], align 16
declare i8 @__VERIFIER_nondet_uchar()
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @__assert_fail(ptr, ptr, i32, ptr)
define internal void @put(ptr %to, i64 %i, i32 %value) {
  %at = getelementptr i32, ptr %to, i64 %i
  store i32 %value, ptr %at, align 4
  ret void
}
";

/// The line of an assertion.
pub fn line(thread: usize, at: usize) -> usize {
    (thread + 1) * 100 + at
}

/// The number of the metadata that describes `main`; the threads follow.
const SCOPES: usize = 10;

const METADATA: &str = "!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: \"toy.c\", directory: \"/\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = !DISubroutineType(types: !{})
";

struct Text {
    text: String,
    last: usize,
    /// The thread that is written.
    thread: usize,
}

impl Toy {
    /// The program; `ends` as [`super::every::Outcomes`] has them.
    pub fn emit(&self, ends: &[[u8; SHARED + 1]]) -> String {
        let mut text = Text {
            text: HEAD.to_owned(),
            last: 0,
            thread: 0,
        };
        for (thread, ops) in self.threads.iter().enumerate() {
            text.thread = thread;
            text.thread(thread, ops, self.threads.len(), ends);
        }
        text.text += METADATA;
        for thread in 0..self.threads.len() {
            let _ = writeln!(
                text.text,
                "!{} = distinct !DISubprogram(name: \"run{thread}\", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)",
                SCOPES + thread
            );
        }
        text.text
    }
}

impl Text {
    /// Writes an instruction and returns the name of its result.
    fn result(&mut self, instruction: &str) -> String {
        self.last += 1;
        let _ = writeln!(self.text, "  %v{} = {instruction}", self.last);
        format!("%v{}", self.last)
    }

    fn say(&mut self, instruction: &str) {
        let _ = writeln!(self.text, "  {instruction}");
    }

    fn register(&mut self, register: usize) -> String {
        self.result(&format!("load i32, ptr %r{register}, align 4"))
    }

    fn wide(&mut self, register: usize) -> String {
        let narrow = self.register(register);
        self.result(&format!("zext i32 {narrow} to i64"))
    }

    fn number(&mut self, number: Number) -> String {
        let (register, instruction) = match number {
            Number::Constant(n) => return n.to_string(),
            Number::Register(register) => return self.register(register),
            Number::Plus(register, n) => (register, format!("add i32 {{}}, {n}")),
            Number::And(register, mask) => (register, format!("and i32 {{}}, {mask}")),
            Number::Twice(register, n) => {
                let value = self.register(register);
                let twice = self.result(&format!("mul i32 {value}, 2"));
                let more = self.result(&format!("add i32 {twice}, {n}"));
                return self.result(&format!("and i32 {more}, 3"));
            }
        };
        let value = self.register(register);
        self.result(&instruction.replace("{}", &value))
    }

    fn stored(&mut self, number: Number) -> String {
        let value = self.number(number);
        self.result(&format!("and i32 {value}, 3"))
    }

    fn address(&mut self, place: Place) -> String {
        match place {
            Place::Scalar => "@n".to_owned(),
            Place::Array(i) => {
                let i = self.wide(i);
                self.result(&format!("getelementptr [4 x i32], ptr @a, i64 0, i64 {i}"))
            }
            Place::Field(i) => {
                let i = self.wide(i);
                self.result(&format!("getelementptr [2 x %s], ptr @o, i64 0, i64 {i}, i32 0"))
            }
            Place::InField(i, j) => {
                let (i, j) = (self.wide(i), self.wide(j));
                self.result(&format!(
                    "getelementptr [2 x %s], ptr @o, i64 0, i64 {i}, i32 1, i64 {j}"
                ))
            }
            Place::Matrix(i, j) => {
                let (i, j) = (self.wide(i), self.wide(j));
                self.result(&format!(
                    "getelementptr [2 x [2 x i32]], ptr @d, i64 0, i64 {i}, i64 {j}"
                ))
            }
            Place::Through(i) => {
                let i = self.wide(i);
                let base = self.result("load ptr, ptr %q, align 8");
                self.result(&format!("getelementptr i32, ptr {base}, i64 {i}"))
            }
        }
    }

    fn mutex(&mut self, register: usize) -> String {
        let i = self.wide(register);
        self.result(&format!("getelementptr [2 x [40 x i8]], ptr @m, i64 0, i64 {i}"))
    }

    fn thread(&mut self, thread: usize, ops: &[Op], threads: usize, ends: &[[u8; SHARED + 1]]) {
        self.text += &match thread {
            0 => format!("define i32 @main() !dbg !{SCOPES} {{\n"),
            _ => format!(
                "define internal ptr @run{thread}(ptr %argument) !dbg !{} {{\n",
                SCOPES + thread
            ),
        };
        for register in 0..REGISTERS {
            self.say(&format!("%r{register} = alloca i32, align 4"));
            self.say(&format!("store i32 0, ptr %r{register}, align 4"));
        }
        self.say("%q = alloca ptr, align 8");
        self.say("store ptr @a, ptr %q, align 8");
        if thread == 0 {
            for other in 1..threads {
                self.say(&format!("%t{other} = alloca i64, align 8"));
            }
        }
        self.say("br label %b0");
        for (at, &op) in ops.iter().enumerate() {
            let _ = writeln!(self.text, "b{at}:");
            self.op(thread, at, op);
        }
        let _ = writeln!(self.text, "b{}:", ops.len());
        if thread == 0 {
            self.ends(ends);
            self.say("ret i32 0");
        } else {
            self.say("ret ptr %argument");
        }
        self.text += "}\n";
    }

    fn op(&mut self, thread: usize, at: usize, op: Op) {
        match op {
            Op::Set(register, number) => {
                let value = self.number(number);
                self.say(&format!("store i32 {value}, ptr %r{register}, align 4"));
            }
            Op::Input(register) => {
                let byte = self.result("call i8 @__VERIFIER_nondet_uchar()");
                let bit = self.result(&format!("and i8 {byte}, 1"));
                let value = self.result(&format!("zext i8 {bit} to i32"));
                self.say(&format!("store i32 {value}, ptr %r{register}, align 4"));
            }
            Op::Load(register, place) => {
                let from = self.address(place);
                let value = self.result(&format!("load i32, ptr {from}, align 4"));
                self.say(&format!("store i32 {value}, ptr %r{register}, align 4"));
            }
            Op::Store(place, number) => {
                let to = self.address(place);
                let value = self.stored(number);
                self.say(&format!("store i32 {value}, ptr {to}, align 4"));
            }
            Op::Put(register, number) => {
                let i = self.wide(register);
                let value = self.stored(number);
                let to = self.result("load ptr, ptr %q, align 8");
                self.say(&format!("call void @put(ptr {to}, i64 {i}, i32 {value})"));
            }
            Op::LoadPointer => {
                let value = self.result("load ptr, ptr @p, align 8");
                self.say(&format!("store ptr {value}, ptr %q, align 8"));
            }
            Op::StorePointer => {
                let value = self.result("load ptr, ptr %q, align 8");
                self.say(&format!("store ptr {value}, ptr @p, align 8"));
            }
            Op::SetPointer(number, first) => {
                let value = self.number(number);
                let wide = self.result(&format!("zext i32 {value} to i64"));
                let to = match first {
                    0 => format!("getelementptr [4 x i32], ptr @a, i64 0, i64 {wide}"),
                    _ => format!("getelementptr [2 x %s], ptr @o, i64 0, i64 {wide}, i32 1"),
                };
                let to = self.result(&to);
                self.say(&format!("store ptr {to}, ptr %q, align 8"));
            }
            Op::Lock(register) => {
                let mutex = self.mutex(register);
                self.result(&format!("call i32 @pthread_mutex_lock(ptr {mutex})"));
            }
            Op::Unlock(register) => {
                let mutex = self.mutex(register);
                self.result(&format!("call i32 @pthread_mutex_unlock(ptr {mutex})"));
            }
            Op::Unless(register, number, to) => {
                let value = self.register(register);
                let is = self.result(&format!("icmp eq i32 {value}, {number}"));
                self.say(&format!("br i1 {is}, label %b{}, label %b{to}", at + 1));
                return;
            }
            Op::Least(register, number, to) => {
                let value = self.register(register);
                let is = self.result(&format!("icmp uge i32 {value}, {number}"));
                self.say(&format!("br i1 {is}, label %b{to}, label %b{}", at + 1));
                return;
            }
            Op::Jump(to) => {
                self.say(&format!("br label %b{to}"));
                return;
            }
            Op::Assert(register, number) => {
                let value = self.register(register);
                let fails = self.result(&format!("icmp eq i32 {value}, {number}"));
                self.say(&format!("br i1 {fails}, label %fail{at}, label %b{}", at + 1));
                let _ = writeln!(self.text, "fail{at}:");
                self.fail(line(thread, at));
                return;
            }
            Op::Create(other) => {
                self.result(&format!(
                    "call i32 @pthread_create(ptr %t{other}, ptr null, ptr @run{other}, ptr null)"
                ));
            }
            Op::Join(other) => {
                let id = self.result(&format!("load i64, ptr %t{other}, align 8"));
                self.result(&format!("call i32 @pthread_join(i64 {id}, ptr null)"));
            }
        }
        self.say(&format!("br label %b{}", at + 1));
    }

    fn fail(&mut self, line: usize) {
        self.say(&format!(
            "call void @__assert_fail(ptr @text, ptr @text, i32 {line}, ptr @text), !dbg !DILocation(line: {line}, scope: !{})",
            SCOPES + self.thread
        ));
        self.say("unreachable");
    }

    /// Puts all that is shared into one number, and compares it with each end.
    fn ends(&mut self, ends: &[[u8; SHARED + 1]]) {
        let place = |name: &str, offset: usize| format!("getelementptr (i8, ptr @{name}, i64 {offset})");
        let mut places: Vec<String> = (0..4).map(|i| place("a", 4 * i)).collect();
        places.extend([place("o", 0), place("o", 12)]);
        places.extend([4, 8, 16, 20].map(|offset| place("o", offset)));
        places.extend((0..4).map(|i| place("d", 4 * i)));
        places.push("@n".to_owned());
        let mut sum = "0".to_owned();
        for place in &places {
            let value = self.result(&format!("load i32, ptr {place}, align 4"));
            let wide = self.result(&format!("zext i32 {value} to i64"));
            let more = self.result(&format!("mul i64 {sum}, 4"));
            sum = self.result(&format!("add i64 {more}, {wide}"));
        }
        let pointer = self.result("load ptr, ptr @p, align 8");
        let mut number = "0".to_owned();
        for target in 1..TARGETS {
            let other = self.result(&format!(
                "load ptr, ptr getelementptr (i8, ptr @targets, i64 {}), align 8",
                8 * target
            ));
            let same = self.result(&format!("icmp eq ptr {pointer}, {other}"));
            number = self.result(&format!("select i1 {same}, i64 {target}, i64 {number}"));
        }
        let more = self.result(&format!("mul i64 {sum}, 8"));
        sum = self.result(&format!("add i64 {more}, {number}"));
        for (position, end) in ends.iter().enumerate() {
            let (pointer, numbers) = end.split_last().expect("an end is not empty");
            let shared = numbers.iter().fold(0, |sum, &n| 4 * sum + u64::from(n));
            let expected = 8 * shared + u64::from(*pointer);
            let same = self.result(&format!("icmp eq i64 {sum}, {expected}"));
            self.say(&format!(
                "br i1 {same}, label %end{position}, label %not{position}"
            ));
            let _ = writeln!(self.text, "end{position}:");
            self.fail(ENDS + position);
            let _ = writeln!(self.text, "not{position}:");
        }
        self.fail(OTHER);
    }
}
