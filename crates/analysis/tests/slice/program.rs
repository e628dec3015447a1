//! Random programs with pointers, arrays, loops, calls through pointers and threads.

use std::fmt::Write;

/// Writes random programs.
struct Writer {
    random: fastrand::Rng,
    text: String,
}

impl Writer {
    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        self.random.choice(list).copied().unwrap_or("0")
    }

    fn value(&mut self, depth: u32) -> String {
        let simple = [
            "g0",
            "g1",
            "g2",
            "g3",
            "n",
            "s.x",
            "s.y",
            "a[0]",
            "*p",
            "*s.p",
            "1",
            "2",
            "5",
            "a[g1 & 3]",
        ];
        match self.random.u32(..8) {
            6 | 7 if depth > 0 => {
                let (a, b) = (self.value(depth - 1), self.value(depth - 1));
                format!("{}({a}, {b})", self.pick(&["h0", "h1", "h2", "h3", "op"]))
            }
            0 if depth > 0 => {
                let (a, b) = (self.value(depth - 1), self.value(depth - 1));
                let op = self.pick(&["+", "-", "^", "&", "<", "=="]);
                format!("({a} {op} {b})")
            }
            1 if depth > 0 => {
                let a = self.value(depth - 1);
                format!("({} ? {a} : {})", self.pick(&simple), self.pick(&simple))
            }
            _ => self.pick(&simple).to_owned(),
        }
    }

    fn block(&mut self, depth: u32, callees: &[&'static str]) {
        for _ in 0..self.random.u32(1..4) {
            self.statement(depth, callees);
        }
    }

    fn statement(&mut self, depth: u32, callees: &[&'static str]) {
        let value = self.value(1);
        let place = self.pick(&["g0", "g1", "g2", "g3", "s.x", "s.y", "a[1]", "*p", "*s.p"]);
        let target = self.pick(&["&g0", "&g2", "&a[2]", "&s.y", "s.p"]);
        let line = match self.random.u32(..16) {
            15 => format!("op = {};", self.pick(&["h0", "h1", "h2"])),
            0..5 => format!("{place} = {value};"),
            5 => format!("a[({value}) & 3] = g1;"),
            6 => format!("p = {target};"),
            7 => "s.p = p;".to_owned(),
            8 => format!("memcpy({}, &s.x, 4);", self.pick(&["&g3", "&a[3]", "p"])),
            9 if !callees.is_empty() => match self.random.u32(..3) {
                0 => format!("{place} = {}({value});", self.pick(callees)),
                1 => format!("{}({value});", self.pick(callees)),
                _ => format!("if ({value}) {}(1);", self.pick(callees)),
            },
            10 if !callees.is_empty() => format!("call = {};", self.pick(callees)),
            11 if !callees.is_empty() => format!("if (call) {place} = call({value});"),
            12 if depth > 0 => {
                let _ = writeln!(self.text, "    if ({value}) {{");
                self.block(depth - 1, callees);
                if self.random.bool() {
                    self.text += "    } else {\n";
                    self.block(depth - 1, callees);
                }
                "}".to_owned()
            }
            13 if depth > 0 => {
                let _ = writeln!(self.text, "    for (int k = 0; k < ({value} & 3); k++) {{");
                self.block(depth - 1, callees);
                if self.random.u32(..3) == 0 {
                    let _ = writeln!(self.text, "    if ({value} > 3) break;");
                }
                "}".to_owned()
            }
            14 => match self.random.u32(..5) {
                0 => format!("if ({value} == 7) exit(0);"),
                2 => format!("if ({value} & 1) exit(0);"),
                1 => format!("if ({value} > 40) return {value};"),
                _ => format!("g2 += {value};"),
            },
            _ => format!("{place} += {value};"),
        };
        let _ = writeln!(self.text, "    {line}");
    }
}

/// Functions of which the results depend on their arguments alone.
const HELPERS: &str = "
static int h0(int n, int m) { return n + 1; }
static int h1(int n, int m) { int own[2] = {m, n}; return own[n & 1]; }
static int h2(int n, int m) { if (n > 3) return h0(m, n); return m; }
static int h3(int n, int m) { if (n <= 0 || n > 5) return m; return h3(n - 1, m ^ n); }
static int (*op)(int, int) = h0;
";

/// A program that prints one variable, in the line with `SLICE`.
pub fn program(seed: u64) -> String {
    let mut w = Writer {
        random: fastrand::Rng::with_seed(seed),
        text: String::from(
            "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             static int g0 = 3, g1 = 1, g2, g3 = 9, a[4] = {4, 2, 8, 1};\n\
             static struct { int x, y; int *p; } s = {6, 7, &g3};\nstatic int *p = &g1;\n\
             static int (*call)(int);\n",
        ) + HELPERS,
    };
    let functions = ["f0", "f1", "f2"];
    for (i, name) in functions.iter().enumerate() {
        let _ = writeln!(w.text, "static int {name}(int n)\n{{");
        w.block(2, &functions[..i]);
        let value = w.value(1);
        let _ = writeln!(w.text, "    return {value};\n}}");
    }
    w.text += "static void *work(void *arg)\n{\n    int n = *(int *)arg;\n";
    w.text += "    for (int once = 0; once < 1; once++) {\n";
    for _ in 0..2 {
        let value = w.value(1);
        let place = w.pick(&["g0", "g1", "g2", "g3", "*p"]);
        let call = w.pick(&functions);
        let _ = writeln!(w.text, "    {place} = {call}({value});");
    }
    w.text += "    }\n    return (void *)(long)g0;\n}\n";
    w.text += "int main(void)\n{\n    int n = 2;\n    pthread_t t;\n    void *result = 0;\n";
    let thread = w.random.bool();
    for _ in 0..4 {
        w.statement(2, &functions);
    }
    if thread {
        let value = w.value(1);
        let _ = writeln!(
            w.text,
            "    if ({value}) {{\n    pthread_create(&t, 0, work, &g1);\n    pthread_join(t, &result);\n    }}"
        );
        if w.random.bool() {
            w.text += "    g3 += (long)result;\n";
        }
    }
    for _ in 0..4 {
        w.statement(2, &functions);
    }
    let shown = w.pick(&["g0", "g1", "g2", "g3", "a[2]", "*p", "s.y"]);
    let _ = writeln!(
        w.text,
        "    printf(\"%d\\n\", {shown}); // SLICE\n    return 0;\n}}"
    );
    w.text
}
