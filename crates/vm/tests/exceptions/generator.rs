//! Random C++ programs that throw: classes with bases of all kinds, nested `try`, handlers that
//! throw again or something else, destructors that print and have exceptions of their own,
//! exceptions that are kept and thrown later. What they print tells every step.

use std::fmt::Write;

/// Programs in one source.
pub const PROGRAMS: usize = 50;
/// Functions of one program: each calls only those after it.
const FUNCTIONS: usize = 4;
/// Classes of one source.
const CLASSES: usize = 7;

struct Generator {
    random: fastrand::Rng,
    text: String,
    /// Numbers that tell places apart.
    places: u32,
}

/// What a statement may use.
#[derive(Clone, Copy)]
struct Scope {
    program: usize,
    function: usize,
    depth: u32,
    in_handler: bool,
    in_loop: bool,
}

/// The source with this seed. If it `ends`, the last program may let an exception out.
pub fn source(seed: u64, ends: bool) -> String {
    let mut generator = Generator {
        random: fastrand::Rng::with_seed(seed),
        text: String::from(PROLOGUE),
        places: 0,
    };
    generator.classes();
    for program in 0..PROGRAMS {
        for function in (0..FUNCTIONS).rev() {
            generator.function(program, function);
        }
    }
    generator.line("int main() {");
    generator.line("std::set_terminate(at_end);");
    for program in 0..PROGRAMS {
        let call =
            format!("for (int k = 0; k < 4; k++) {{ printf(\"\\n{program}.%d:\", k); f{program}_0(k);");
        match program + 1 == PROGRAMS && ends {
            true => generator.line(&format!("{call} }}")),
            false => generator.line(&format!(
                "try {{ {call} }} }} catch (...) {{ printf(\" out %d\", std::uncaught_exceptions()); }} kept = nullptr;"
            )),
        }
    }
    generator.line("printf(\"\\nalive %d\\n\", alive);\n}");
    generator.text
}

const PROLOGUE: &str = r#"#include <cstdio>
#include <cstdlib>
#include <exception>
static int alive;
static std::exception_ptr kept;
static void at_end() { printf(" terminate %d\n", std::uncaught_exceptions()); fflush(stdout); _Exit(0); }
struct Guard {
    int place, kind;
    Guard(int place, int kind) : place(place), kind(kind) { printf(" +%d", place); }
    ~Guard() {
        printf(" -%d/%d", place, std::uncaught_exceptions());
        if (kind == 1)
            try { throw place; } catch (int i) { printf("(%d %d)", i, std::uncaught_exceptions()); }
        if (kind == 2)
            try { Guard inner(1000 + place, 1); throw "inner"; } catch (const char *) { printf("(inner)"); }
    }
};
"#;

impl Generator {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.usize(..n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn place(&mut self) -> u32 {
        self.places += 1;
        self.places
    }

    fn classes(&mut self) {
        // Whether a class has virtual bases: these cannot be ended by classes that do not see them.
        let mut has_virtual = [false; CLASSES];
        for class in 0..CLASSES {
            let mut bases = Vec::new();
            for base in 0..class {
                if !self.one_in(3) {
                    continue;
                }
                let is_virtual = self.one_in(3);
                let hides = self.one_in(5) && !is_virtual && !has_virtual[base];
                has_virtual[class] |= is_virtual || has_virtual[base];
                let access = if hides { "private" } else { "public" };
                let kind = if is_virtual { "virtual " } else { "" };
                bases.push(format!("{kind}{access} T{base}"));
            }
            let bases = match bases.is_empty() {
                true => String::new(),
                false => format!(" : {}", bases.join(", ")),
            };
            let destructor = if self.one_in(2) { "virtual " } else { "" };
            let fails = if self.one_in(3) {
                "if (v % 3 == 2) throw v;"
            } else {
                ""
            };
            let _ = write!(
                self.text,
                "struct T{class}{bases} {{
    int v{class};
    Guard *owned = nullptr;
    explicit T{class}(int v = 0) : v{class}(100 * {class} + v) {{ alive++; {fails} }}
    T{class}(const T{class} &o) : v{class}(o.v{class} + 10000) {{ alive++; printf(\" c{class}\"); }}
    {destructor}~T{class}() {{ alive--; printf(\" ~{class}\"); }}
}};
static T{class} s{class};
"
            );
        }
    }

    fn function(&mut self, program: usize, function: usize) {
        let quiet = match self.one_in(12) {
            true => " noexcept(false)",
            false => "",
        };
        self.line(&format!("static int f{program}_{function}(int k){quiet} {{"));
        let scope = Scope {
            program,
            function,
            depth: 0,
            in_handler: false,
            in_loop: false,
        };
        self.block(scope);
        self.line("return k + 1;\n}");
    }

    fn block(&mut self, scope: Scope) {
        let statements = 1 + self.below(4);
        for _ in 0..statements {
            self.statement(scope);
        }
    }

    fn statement(&mut self, scope: Scope) {
        let deeper = Scope {
            depth: scope.depth + 1,
            ..scope
        };
        let place = self.place();
        let choices = if scope.depth < 3 { 13 } else { 7 };
        match self.below(choices) {
            0 => self.line(&format!("printf(\" {place}\");")),
            1 => {
                let kind = self.below(4);
                self.line(&format!("Guard g{place}({place}, {kind});"));
            }
            2 => self.throw(scope),
            3 if scope.function + 1 < FUNCTIONS => {
                let callee = scope.function + 1 + self.below(FUNCTIONS - scope.function - 1);
                self.line(&format!("k = f{}_{callee}(k) % 4;", scope.program));
            }
            4 if scope.in_handler => self.line("kept = std::current_exception();"),
            5 if scope.in_loop => {
                let word = ["break", "continue"][self.below(2)];
                self.line(&format!("if (k & 1) {word};"));
            }
            6 => {
                let (class, value) = (self.below(CLASSES), self.below(5));
                self.line(&format!(
                    "T{class} o{place}({value}); printf(\" v%d\", o{place}.v{class});"
                ));
            }
            7 => {
                let mask = 1 + self.below(3);
                let value = self.below(mask + 1);
                self.line(&format!("if ((k & {mask}) == {value}) {{"));
                self.block(deeper);
                self.line("}");
            }
            8 => {
                self.line(&format!("for (int i{place} = 0; i{place} < 2; i{place}++) {{"));
                self.block(Scope {
                    in_loop: true,
                    ..deeper
                });
                self.line("}");
            }
            9 => {
                // Once: what is kept may be thrown again by itself.
                let text =
                    "if (kept) { std::exception_ptr p = kept; kept = nullptr; std::rethrow_exception(p); }";
                self.line(text);
            }
            10.. => self.attempt(deeper),
            _ => self.line(&format!("printf(\" {place}\");")),
        }
    }

    fn throw(&mut self, scope: Scope) {
        let condition = ["if (k & 1) ", "if (k & 2) ", "if (k < 3) ", ""][self.below(4)];
        if scope.in_handler && self.one_in(2) {
            return self.line(&format!("{condition}throw;"));
        }
        let (class, other) = (self.below(CLASSES), self.below(5));
        let what = match self.below(9) {
            0 => format!("{other}"),
            1 => "\"text\"".to_owned(),
            2 => format!("&s{class}"),
            3 => format!("const_cast<const T{class} *>(&s{class})"),
            4 => format!("(long){other}"),
            _ => format!("T{class}({other})"),
        };
        self.line(&format!("{condition}throw {what};"));
    }

    fn attempt(&mut self, scope: Scope) {
        self.line("try {");
        self.block(scope);
        self.line("}");
        let handlers = 1 + self.below(4);
        for _ in 0..handlers {
            let (class, place) = (self.below(CLASSES), self.place());
            let (declared, shown) = match self.below(12) {
                0 => ("int e".to_owned(), "e".to_owned()),
                1 => ("const char *e".to_owned(), "e[0]".to_owned()),
                2 | 3 => (format!("T{class} *e"), format!("e->v{class}")),
                4 => (format!("const T{class} *e"), format!("e->v{class}")),
                5 => ("const void *".to_owned(), "1".to_owned()),
                6 => (format!("T{class} e"), format!("e.v{class}")),
                7 => ("long &e".to_owned(), "(int)e++".to_owned()),
                8 => (format!("const T{class} &e"), format!("e.v{class}")),
                _ => (format!("T{class} &e"), format!("e.v{class}++")),
            };
            self.handler(scope, &declared, &format!("printf(\" h{place}=%d\", {shown});"));
        }
        if self.one_in(3) {
            let place = self.place();
            self.handler(scope, "...", &format!("printf(\" h{place}\");"));
        }
    }

    fn handler(&mut self, scope: Scope, declared: &str, shown: &str) {
        self.line(&format!("catch ({declared}) {{ {shown}"));
        self.block(Scope {
            in_handler: true,
            ..scope
        });
        self.line("}");
    }
}
