//! What C becomes.

mod common;

use common::{c, file, func, insts, terms, unsupported};
use selvedge_frontend::{Options, load};
use selvedge_ir::{AtomicOrder, BinOp, Callee, InstKind, Operand, RmwOp, Symbol, Terminator, Type};

#[test]
fn scalar_locals_are_registers() {
    let m = c(
        "scalars",
        "int main(int argc, char **argv) { int x = argc; x += 2; return x; }",
    );
    let main = &m.module.functions[func(&m, "main")];
    assert_eq!(main.locals.len(), 0);
    assert!(main.regs.iter().any(|r| r.name.as_deref() == Some("x")));
    assert!(
        insts(&m, "main")
            .iter()
            .all(|k| !matches!(k, InstKind::Load { .. } | InstKind::Store { .. }))
    );
}

#[test]
fn an_uninitialised_local_stays_undefined() {
    let m = c(
        "uninitialised",
        "int main(int c, char **v) { int x; if (c) x = 1; return x; }",
    );
    let undefined = |k: &InstKind| {
        matches!(
            k,
            InstKind::Copy {
                value: Operand::Undef(Type::I32),
                ..
            }
        )
    };
    assert!(insts(&m, "main").iter().any(undefined));
    // One assignment, on one path: no φ-node was folded away.
    let one = |k: &&InstKind| {
        matches!(
            k,
            InstKind::Copy {
                value: Operand::Const(1, Type::I32),
                ..
            }
        )
    };
    assert_eq!(insts(&m, "main").iter().filter(one).count(), 1);
}

#[test]
fn escaping_locals_are_scoped_objects() {
    let m = c(
        "scoped",
        "void g(int *); int main(void) { { int x = 1; g(&x); } return 0; }",
    );
    let main = &m.module.functions[func(&m, "main")];
    assert_eq!(main.locals.len(), 1);
    let local = main.locals.iter().next().expect("one local");
    assert!(local.scoped && local.size == 4 && local.name == "x");
    let kinds = insts(&m, "main");
    assert!(kinds.iter().any(|k| matches!(k, InstKind::LifetimeStart { .. })));
    assert!(kinds.iter().any(|k| matches!(k, InstKind::LifetimeEnd { .. })));
}

#[test]
fn statements_have_places() {
    let m = c("places", "int g;\nint main(void) {\n  g = 1;\n  return 0;\n}\n");
    let main = func(&m, "main");
    let block = m.module.functions[main].blocks.iter().next().expect("an entry");
    let store = block
        .insts
        .iter()
        .find(|i| matches!(i.kind, InstKind::Store { .. }))
        .expect("a store");
    let stmt = m.module.stmts[store.stmt];
    assert_eq!((stmt.func, stmt.span.line, stmt.span.column), (main, 3, 5));
    assert!(m.module.files[stmt.span.file].ends_with("input.c"));
    assert!(
        m.sources[stmt.span.file]
            .as_deref()
            .is_some_and(|t| t.starts_with("int g;"))
    );
}

#[test]
fn initialisers() {
    let m = c(
        "initialisers",
        "int a[3] = {1, 2, 3}; int *p = &a[2]; int f(void) { return 1; } int (*q)(void) = f;\n\
         struct { char c; long l; } s = {'x', -1}; _Thread_local int t = 5; const char *const str = \"hi\";\n\
         int main(void) { return *p + q() + s.c + t + *str; }",
    );
    let global = |name: &str| &m.module.globals[m.module.global(name).expect(name)];
    assert_eq!(global("a").init[..9], [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    let p = &global("p").relocations;
    assert_eq!((p.len(), p[0].addend), (1, 8));
    assert_eq!(global("q").relocations[0].symbol, Symbol::Func(func(&m, "f")));
    assert_eq!(
        global("s").init,
        [b'x', 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]
    );
    assert_eq!(global("s").span.line, 2);
    assert!(global("t").thread_local && global("str").constant);
}

#[test]
fn atomics() {
    let m = c(
        "atomics",
        "#include <stdatomic.h>\n_Atomic int a; int main(void) { int e = 1;\n\
         atomic_store_explicit(&a, 3, memory_order_release); atomic_fetch_add(&a, 1);\n\
         atomic_compare_exchange_strong(&a, &e, 2); atomic_thread_fence(memory_order_acquire);\n\
         return atomic_load_explicit(&a, memory_order_relaxed); }",
    );
    let kinds = insts(&m, "main");
    let has = |test: fn(&InstKind) -> bool| kinds.iter().any(test);
    assert!(has(|k| matches!(
        k,
        InstKind::Store {
            order: Some(AtomicOrder::Release),
            ..
        }
    )));
    assert!(has(|k| matches!(
        k,
        InstKind::Rmw {
            op: RmwOp::Add,
            order: AtomicOrder::SeqCst,
            ..
        }
    )));
    assert!(has(|k| matches!(
        k,
        InstKind::CompareExchange { weak: false, .. }
    )));
    assert!(has(|k| matches!(
        k,
        InstKind::Fence {
            order: AtomicOrder::Acquire,
            single_thread: false
        }
    )));
    assert!(has(|k| matches!(
        k,
        InstKind::Load {
            order: Some(AtomicOrder::Relaxed),
            ..
        }
    )));
}

#[test]
fn inline_assembly() {
    let m = c(
        "assembly",
        "static int add(int *p, int v) { __asm__ volatile(\"lock; xaddl %0,%1\" : \"+r\"(v), \"+m\"(*p) :: \"memory\"); return v; }\n\
         static int swap(int *p, int v) { __asm__ volatile(\"xchgl %0,%1\" : \"+r\"(v), \"+m\"(*p) :: \"memory\"); return v; }\n\
         static int cas(int *p, int o, int n) { int r; __asm__ volatile(\"lock; cmpxchgl %2,%1\" : \"=a\"(r), \"+m\"(*p) : \"r\"(n), \"0\"(o) : \"memory\"); return r; }\n\
         static int dec(int *p) { unsigned char z; __asm__ volatile(\"lock; decl %0; sete %1\" : \"+m\"(*p), \"=qm\"(z) :: \"memory\"); return z; }\n\
         static _Bool decf(int *p) { _Bool z; __asm__ volatile(\"lock decl %0\" : \"+m\"(*p), \"=@ccz\"(z) :: \"memory\"); return z; }\n\
         static int hide(int x) { __asm__(\"\" : \"+r\"(x)); return x; }\n\
         static void odd(void) { __asm__ volatile(\"rdpmc\" ::: \"eax\", \"edx\"); }\n\
         int main(void) { int x = 0; __asm__ volatile(\"\" ::: \"memory\"); __asm__ volatile(\"pause\"); __asm__ volatile(\"mfence\" ::: \"memory\");\n\
         __asm__ volatile(\"lock; incl %0\" : \"+m\"(x)); odd(); return add(&x, 1) + swap(&x, 2) + cas(&x, 1, 2) + dec(&x) + decf(&x) + hide(3); }",
    );
    for name in ["main", "add", "swap", "cas", "dec", "decf", "hide"] {
        assert_eq!(unsupported(&m, name), [""; 0], "{name}");
    }
    assert!(unsupported(&m, "odd")[0].contains("rdpmc"));
    let kinds = insts(&m, "main");
    assert!(kinds.iter().any(|k| matches!(
        k,
        InstKind::Fence {
            single_thread: true,
            ..
        }
    )));
    assert!(kinds.iter().any(|k| matches!(
        k,
        InstKind::Fence {
            single_thread: false,
            ..
        }
    )));
    assert!(kinds.iter().any(|k| matches!(k, InstKind::Pause)));
    assert!(
        insts(&m, "cas")
            .iter()
            .any(|k| matches!(k, InstKind::CompareExchange { .. }))
    );
    assert!(
        insts(&m, "swap")
            .iter()
            .any(|k| matches!(k, InstKind::Rmw { op: RmwOp::Xchg, .. }))
    );
}

#[test]
fn aggregates_by_value() {
    let m = c(
        "byval",
        "struct S { int a[10]; }; int f(struct S s) { s.a[1] = 2; return s.a[0]; }\n\
         int main(void) { struct S s = {{1}}; return f(s); }",
    );
    let f = &m.module.functions[func(&m, "f")];
    assert_eq!(f.locals.iter().map(|l| l.size).collect::<Vec<_>>(), [40]);
    assert!(
        insts(&m, "f")
            .iter()
            .any(|k| matches!(k, InstKind::MemCopy { .. }))
    );
}

#[test]
fn variable_arguments() {
    let m = c(
        "varargs",
        "#include <stdarg.h>\nstruct B { long a, b, c; };\n\
         int f(int n, ...) { va_list l, k; va_start(l, n); va_copy(k, l); int r = va_arg(l, int); r += va_arg(l, struct B).b; va_end(l); return r; }\n\
         int main(void) { struct B b = {1, 2, 3}; return f(2, 7, b); }",
    );
    assert!(m.module.functions[func(&m, "f")].varargs);
    assert!(
        insts(&m, "f")
            .iter()
            .any(|k| matches!(k, InstKind::VaStart { .. }))
    );
    let call = insts(&m, "main").into_iter().find_map(|k| match k {
        InstKind::Call { types, .. } => Some(types),
        _ => None,
    });
    // The struct travels as its words.
    assert_eq!(
        call.expect("a call").as_slice(),
        [Type::I32, Type::I32, Type::I64, Type::I64, Type::I64]
    );
}

#[test]
fn computed_goto() {
    let m = c(
        "goto",
        "int main(int n, char **v) { static void *t[] = {&&a, &&b}; goto *t[n & 1]; a: return 1; b: return 2; }",
    );
    let indirect = |t: &Terminator| matches!(t, Terminator::Indirect { targets, .. } if targets.len() == 2);
    assert!(terms(&m, "main").iter().any(indirect));
    // The table is filled by a constructor.
    let first = m.module.constructors[0];
    let stores = m.module.functions[first].blocks.iter().flat_map(|b| &b.insts);
    let block = |k: &InstKind| {
        matches!(
            k,
            InstKind::Store {
                value: Operand::Block(..),
                ..
            }
        )
    };
    assert_eq!(stores.filter(|i| block(&i.kind)).count(), 2);
}

#[test]
fn constructors_by_priority() {
    let m = c(
        "constructors",
        "__attribute__((constructor)) void last(void) {} __attribute__((constructor(200))) void second(void) {}\n\
         __attribute__((constructor(101))) void first(void) {}\n\
         __attribute__((destructor(101))) void end(void) {} __attribute__((destructor)) void begin(void) {}\n\
         int main(void) { return 0; }",
    );
    let names = |list: &[selvedge_ir::FuncId]| -> Vec<String> {
        list.iter().map(|&f| m.module.functions[f].name.clone()).collect()
    };
    assert_eq!(names(&m.module.constructors), ["first", "second", "last"]);
    assert_eq!(names(&m.module.destructors), ["begin", "end"]);
}

#[test]
fn undefined_functions_that_are_reachable() {
    let m = c(
        "undefined",
        "int foo_x(void); int bar_x(void); int baz_x(void); int (*p)(void) = bar_x;\n\
         int dead(void) { return baz_x(); } int main(void) { return foo_x() + p(); }",
    );
    let mut names: Vec<&str> = m
        .undefined
        .iter()
        .map(|&f| m.module.functions[f].name.as_str())
        .collect();
    names.sort_unstable();
    // `dead` is not called, so what it calls is not missed.
    assert_eq!(names, ["bar_x", "foo_x"]);
}

#[test]
fn wide_floats_are_unsupported_where_they_are() {
    let m = c(
        "wide",
        "long double f(long double x) { return x * 2; } int main(void) { return 0; }",
    );
    assert!(unsupported(&m, "f").iter().any(|w| w.contains("x86_fp80")));
    assert_eq!(unsupported(&m, "main"), [""; 0]);
}

#[test]
fn zero_gives_poison_in_clz() {
    let m = c("clz", "int main(int c, char **v) { return __builtin_clz(c); }");
    let poison = |k: &InstKind| {
        matches!(
            k,
            InstKind::Select {
                a: Operand::Poison(_),
                ..
            }
        )
    };
    assert!(insts(&m, "main").iter().any(poison));
}

#[test]
fn phis_are_copies_on_edges() {
    let m = c(
        "phis",
        "int main(int a, char **v) { return (a && a > 2) || (a < 0 ? a : -a); }",
    );
    assert_eq!(unsupported(&m, "main"), [""; 0]);
    let branches = terms(&m, "main")
        .iter()
        .filter(|t| matches!(t, Terminator::Branch { .. }))
        .count();
    assert!(branches >= 3);
}

#[test]
fn parallel_copies_do_not_clobber() {
    let text = "define i32 @main() {\nentry:\n  br label %loop\nloop:\n  %a = phi i32 [ 1, %entry ], [ %b, %loop ]\n\
                %b = phi i32 [ 2, %entry ], [ %a, %loop ]\n  %c = icmp eq i32 %a, 5\n  br i1 %c, label %out, label %loop\n\
                out:\n  ret i32 %b\n}\n";
    let m = load(&[file("swap", "x.ll", text)], &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    common::check(&m);
    let copies: Vec<_> = insts(&m, "main")
        .into_iter()
        .filter(|k| {
            matches!(
                k,
                InstKind::Copy {
                    value: Operand::Reg(_),
                    ..
                }
            )
        })
        .collect();
    assert_eq!(copies.len(), 4, "two into temporaries, two out: {copies:?}");
}

#[test]
fn several_inputs_are_linked() {
    let a = file(
        "link",
        "a.c",
        "int twice(int); static int s = 1; int main(void) { return twice(s); }",
    );
    let b = file(
        "link",
        "b.c",
        "static int s = 2; int twice(int x) { return x * s; }",
    );
    let m = load(&[a, b], &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    common::check(&m);
    assert!(m.module.functions[func(&m, "twice")].is_defined());
    let twice = func(&m, "twice");
    let calls = insts(&m, "main");
    assert!(
        calls
            .iter()
            .any(|k| matches!(k, InstKind::Call { callee: Callee::Direct(f), .. } if *f == twice))
    );
}

#[test]
fn options_reach_the_compiler() {
    let path = file(
        "options",
        "a.c",
        "#ifndef N\n#error\n#endif\nint entry(void) { return N; }",
    );
    let options = Options {
        define: vec!["N=3".into()],
        entry: "entry".into(),
        std: Some("c11".into()),
        ..Options::default()
    };
    let m = load(&[path], &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        terms(&m, "entry")
            .iter()
            .any(|t| matches!(t, Terminator::Return(v) if v[0] == Operand::Const(3, Type::I32)))
    );
}

#[test]
fn cplusplus_names_are_demangled() {
    let path = file(
        "cplusplus",
        "a.cpp",
        "namespace n { int f(int x) { return x; } } int main() { return n::f(1); }",
    );
    let m = load(&[path], &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    common::check(&m);
    assert!(m.module.functions.iter().any(|f| f.display == "n::f(int)"));
}

#[test]
fn vectors_are_scalars() {
    let m = c(
        "vectors",
        "typedef int v4 __attribute__((vector_size(16))); v4 f(v4 a, v4 b) { return a + b; }\n\
         int main(void) { v4 x = {1, 2, 3, 4}; return f(x, x)[1]; }",
    );
    let adds = insts(&m, "f")
        .into_iter()
        .filter(|k| matches!(k, InstKind::Bin { op: BinOp::Add, .. }))
        .count();
    assert_eq!(adds, 4);
    assert_eq!(m.module.functions[func(&m, "f")].params.len(), 8);
}

#[test]
fn library_functions_are_linked_on_demand() {
    let source = "#include <string.h>\nint main(int c, char **v) { return (int)strlen(v[0]); }";
    let m = c("library", source);
    let without = Options {
        library: false,
        ..Options::default()
    };
    let bare = load(&[file("library", "bare.c", source)], &without).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        bare.undefined
            .iter()
            .any(|&f| bare.module.functions[f].name == "strlen")
    );
    let strlen = &m.module.functions[func(&m, "strlen")];
    // With a model library that has it, it is defined and marked.
    assert_eq!(strlen.is_defined(), strlen.library);
}

#[test]
fn wins_over_the_library() {
    let m = c(
        "wins",
        "unsigned long strlen(const char *s) { return 7; } int main(int c, char **v) { return (int)strlen(v[0]); }",
    );
    let strlen = &m.module.functions[func(&m, "strlen")];
    assert!(strlen.is_defined() && !strlen.library);
}

/// The value of a local is read before the local changes, also where the value only gets another
/// name.
#[test]
fn names_of_locals_do_not_outlive_their_values() {
    let m = c(
        "names",
        "struct S { int a[2]; } s[2]; int main(void) { struct S *p = s; return *(p->a + (p = 0, 1)); }",
    );
    let main = &m.module.functions[func(&m, "main")];
    let p = main
        .regs
        .iter_ids()
        .find(|(_, r)| r.name.as_deref() == Some("p"))
        .expect("p")
        .0;
    let kinds = insts(&m, "main");
    let null =
        |k: &InstKind| matches!(k, InstKind::Copy { dst, value: Operand::Const(0, Type::Ptr) } if *dst == p);
    let at = kinds.iter().position(null).expect("p = 0");
    let reads_p = |k: &InstKind| match k {
        InstKind::Gep { base, .. } | InstKind::Load { ptr: base, .. } => *base == Operand::Reg(p),
        _ => false,
    };
    assert!(!kinds[at..].iter().any(reads_p), "{kinds:?}");
}

/// Mixed features of C in one program: everything but the wide types lowers, and the result is
/// well-formed.
#[test]
fn a_tour_of_c() {
    let m = c(
        "tour",
        "#include <stdatomic.h>\n#include <math.h>\n\
         struct BF { unsigned a : 3; int b : 5; long c : 40; } bf; union U { int i; float f; };\n\
         _Thread_local int tls[4]; __attribute__((weak)) int weak(void) { return 1; }\n\
         int other(void) __attribute__((alias(\"weak\")));\n\
         __int128 wide(__int128 a) { return a * 3 + (((__int128)1) << 100) - 5; }\n\
         int vla(int n) { int s = 0; for (int i = 1; i < n; i++) { int a[i]; a[i - 1] = i; s += a[i - 1]; } return s; }\n\
         int sw(int x) { switch (x) { case 1: return 5; case 2: case 3: return 7; case 9 ... 12: return 8; } return 0; }\n\
         double fl(double a, float b) { return fma(a, b, 1) + sqrt(a) + fabs(b) + isnan(a) + isinf(b) + a * b + b; }\n\
         int ov(int a, long b) { int r; return __builtin_add_overflow(a, b, &r) + __builtin_popcount(a) + r; }\n\
         int main(int n, char **v) { union U u = {.f = 1}; bf.b = -3; bf.c += bf.a; int (*f)(int) = sw;\n\
         return u.i + tls[n & 3] + other() + (int)wide(n) + vla(n) + f(n) + (int)fl(n, n) + ov(n, n); }",
    );
    for function in m.module.functions.iter() {
        assert_eq!(unsupported(&m, &function.name), [""; 0], "{}", function.name);
    }
}

/// A weak symbol that nothing defines is null, unless a library may have it: then nobody can tell
/// here.
#[test]
fn weak_references_are_not_guessed() {
    let m = c(
        "weak",
        "int hook(void) __attribute__((weak)); int main(void) { if (hook) return 1; return 0; }",
    );
    assert_eq!(unsupported(&m, "main"), [""; 0]);
    assert_eq!(m.absent, ["hook"]);
    let m = c(
        "weak_library",
        "double cos(double) __attribute__((weak)); int main(void) { if (cos) return 1; return 0; }",
    );
    assert!(unsupported(&m, "main")[0].contains("cos"));
    let m = c(
        "weak_libc",
        "int pthread_join(unsigned long, void **) __attribute__((weak)); int main(void) { return pthread_join == 0; }",
    );
    assert_eq!(unsupported(&m, "main"), [""; 0]);
    assert!(m.absent.is_empty());
}

/// The verifier wants names to be unique: a local function of the program, one of the model
/// library, and none at all.
#[test]
fn names_that_clash() {
    let loaded = c(
        "names_that_clash",
        "#include <stdlib.h>\n#include <string.h>\n\
         static int compare(int a) { return a + 1; }\nstatic int swap(int a) { return a + 2; }\n\
         static int merge(int a) { return a + 3; }\nstatic int __selvedge_symbolic_strlen(int a) { return a + 4; }\n\
         static int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n\
         int __VERIFIER_nondet_int(void);\n\
         int main(void) { int v[3] = {compare(1), swap(2), merge(3)}; qsort(v, 3, sizeof *v, order);\n\
         char s[3] = {(char)__VERIFIER_nondet_int(), 'b', 0}; return v[0] + __selvedge_symbolic_strlen((int)strlen(s)); }\n",
    );
    assert!(loaded.module.function("main").is_some());
    let text = "define i32 @0(i32 %a) { ret i32 %a }\ndefine i32 @1(i32 %a) { ret i32 %a }\n\
        define i32 @main() { %a = call i32 @0(i32 1) %b = call i32 @1(i32 %a) ret i32 %b }\n";
    let loaded = load(&[file("names_that_clash", "x.ll", text)], &Options::default());
    common::check(&loaded.expect("LLVM permits functions without names"));
}

#[test]
fn objects_have_the_types_of_the_source() {
    let m = c(
        "shapes",
        "#include <pthread.h>\n#include <stdlib.h>\n\
         struct inner { short a, b; };\n\
         typedef struct { char name[3]; struct inner grid[2][3]; union { int i; float f; } u; struct { long deep; }; unsigned flag : 3, mark : 5; } Outer;\n\
         static Outer all[4]; struct list { struct list *next; pthread_mutex_t lock; }; static struct list list;\n\
         void use(void *p) { ((char *)p)[0] = 1; }\n\
         int main(void) { struct inner local; use(&local); struct list *made = malloc(sizeof *made); use(made); use(all); use(&list); return 0; }",
    );
    let module = &m.module;
    let named = |name: &str, offset| {
        let global = &module.globals[module.global(name).unwrap()];
        let part = selvedge_ir::part(&module.shapes, global.shape.unwrap(), global.size, offset, 1);
        (part.path, part.rest)
    };
    let size = module.globals[module.global("all").unwrap()].size / 4;
    assert_eq!(named("all", 2), ("[0].name[2]".into(), 0));
    // Four bytes an element, three elements a row; they begin at 4.
    assert_eq!(named("all", size + 4 + 4 * 5 + 2), ("[1].grid[1][2].b".into(), 0));
    assert_eq!(named("all", 28 + 1), ("[0].u".into(), 1));
    assert_eq!(named("all", 32), ("[0].deep".into(), 0));
    assert_eq!(named("all", 40), ("[0].flag|mark".into(), 0));
    assert_eq!(named("list", 0), (".next".into(), 0));
    assert_eq!(named("list", 8 + 16), (".lock".into(), 16));
    let main = &module.functions[func(&m, "main")];
    let local = main.locals.iter().find(|local| local.name == "local").unwrap();
    assert_eq!(module.shapes[local.shape.unwrap()].name, "struct inner");
    let made: Vec<&str> = module
        .made
        .values()
        .map(|&shape| module.shapes[shape].name.as_str())
        .collect();
    assert_eq!(made, ["struct list"]);
    selvedge_ir::verify(module).unwrap();
}
