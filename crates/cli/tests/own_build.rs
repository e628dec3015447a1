//! Programs as their own builds make them: `selvedge cc` and `c++` in place of the compiler, and
//! `selvedge check` on what comes out.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-build-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Place(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A command line of the shell, with the command as `$SELVEDGE`.
    fn shell(&self, text: &str) -> (i32, String, String) {
        let output = Command::new("sh")
            .args(["-c", text])
            .current_dir(&self.0)
            .env("SELVEDGE", env!("CARGO_BIN_EXE_selvedge"))
            .env("CC", concat!(env!("CARGO_BIN_EXE_selvedge"), " cc"))
            .env("CXX", concat!(env!("CARGO_BIN_EXE_selvedge"), " c++"))
            .env("SELVEDGE_FINDING", "none")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        ended(output)
    }

    /// One that must succeed; its output.
    #[track_caller]
    fn done(&self, text: &str) -> String {
        let (code, out, err) = self.shell(text);
        assert_eq!(code, 0, "{text}\n{out}{err}");
        out
    }

    /// A check of these inputs: what must be the last line, and in the output.
    #[track_caller]
    fn checks(&self, inputs: &str, verdict: &str, says: &[&str]) {
        let (_, out, err) = self.shell(&format!("$SELVEDGE check {inputs}"));
        assert_eq!(
            out.trim_end().lines().last(),
            Some(verdict),
            "{inputs}: {out}{err}"
        );
        let all = format!("{out}{err}");
        for text in says {
            assert!(all.contains(text), "{inputs}: no `{text}` in {all}");
        }
    }

    #[track_caller]
    fn refuses(&self, command: &str, says: &str) {
        let (code, out, err) = self.shell(command);
        assert_eq!(code, 2, "{command}: {out}{err}");
        assert!(err.contains(says), "{command}: no `{says}` in {err}");
        assert!(!err.contains("panicked"), "{err}");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn ended(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

const HEADER: &str = "void add(int *);\n";
const MAIN: &str = "#include <pthread.h>\n#include \"add.h\"\nint count;\nstatic void *work(void *p) { add(&count); return p; }\n\
    int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  add(&count);\n  pthread_join(t, 0);\n  return count != 2;\n}\n";
/// With a race unless SAFE is defined.
const ADD: &str = "#include <pthread.h>\n#include \"add.h\"\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
    void add(int *n) {\n#ifdef SAFE\n  pthread_mutex_lock(&lock);\n#endif\n  ++*n;\n#ifdef SAFE\n  pthread_mutex_unlock(&lock);\n#endif\n}\n";

fn project(name: &str) -> Place {
    let place = Place::new(name);
    place.write("add.h", HEADER);
    place.write("main.c", MAIN);
    place.write("add.c", ADD);
    place
}

const RACE: &str = "false(no-data-race)";

#[test]
fn ways_to_build_a_program() {
    let place = project("ways");
    for (number, (build, verdict)) in [
        ("$CC -O2 -c main.c add.c && $CC main.o add.o -o p", RACE),
        ("$CC -O2 -DSAFE -c main.c add.c && $CC main.o add.o -o p", "true"),
        ("$CC -O2 -Wall main.c add.c -o p", RACE),
        ("$CC -c -o sub/main.o main.c -MMD -MF sub/main.d && $CC sub/main.o -x c - -o p < add.c", RACE),
        ("printf '%s' '-DSAFE main.c' > words; $CC @words add.c -pthread -o p", "true"),
        ("$CC -DSAFE -flto -c main.c add.c && $CC -flto main.o add.o -o p", "true"),
        ("$CC -E -DSAFE add.c > add.i && $CC -c add.i -o add.o && $CC main.c add.o -o p", "true"),
        ("$CC -c main.c add.c && ld -r main.o add.o -o both.o && $CC both.o -o p", RACE),
        ("$CC -c main.c add.c && ar rc lib.a main.o add.o && $CC lib.a -o p && strip p", RACE),
        ("$CC -c -fdata-sections -ffunction-sections main.c add.c && $CC -Wl,--gc-sections main.o add.o -o p", RACE),
        ("$CC -c main.c add.c && $CC -fuse-ld=lld main.o add.o -o p", RACE),
        ("$CXX -x c main.c -x none -x c add.c -o p", RACE),
        ("cp main.c m; cp add.c a; $CC -DSAFE -x c m a -o p && cp p q && mv q p", "true"),
    ]
    .into_iter()
    .enumerate()
    {
        let _ = std::fs::create_dir(place.0.join("sub"));
        place.done(build);
        // Native output as usual: without SAFE, the count may differ.
        let (code, ..) = place.shell("./p");
        assert!(code == 0 || code == 1 && verdict == RACE, "{build}");
        place.checks("./p", verdict, &[]);
        if number == 3 {
            assert!(place.done("cat sub/main.d").contains("sub/main.o: main.c"));
        }
        for name in ["p", "main.o", "add.o", "both.o", "lib.a", "a.out"] {
            let _ = std::fs::remove_file(place.0.join(name));
        }
    }
}

#[test]
fn the_compiler_is_not_disturbed() {
    let place = project("same");
    place.write("bad.c", "int main(void) { return x; }\n");
    place.write("odd.c", "int f(void) { }\n");
    let clang = "PATH=$PATH:/usr/lib/llvm-22/bin clang-22";
    for words in [
        "-c bad.c",
        "-Wall -c odd.c",
        "-E add.c",
        "-MM add.c main.c",
        "-S -O1 add.c -o -",
        "--version",
        "-dumpversion",
        "-print-search-dirs",
        "-fsyntax-only bad.c",
        "-c missing.c",
        "-c add.c -o /no/such/place.o",
        "add.c -o p",
        "",
        "-v",
        "-c add.c -funknown-option",
        "-dM -E -x c /dev/null",
        "-c add.c -o /dev/null",
    ] {
        let ours = place.shell(&format!("$SELVEDGE cc {words}"));
        let theirs = place.shell(&format!("{clang} {words}"));
        // Names of temporary files differ from run to run.
        let plain = |text: &str| -> String {
            let mut words = text.split_inclusive(['/', ' ', ':', '\n', '\'']);
            let temporary = |word: &&str| !word.contains("add-") && !word.contains("bad-");
            words.by_ref().filter(temporary).collect()
        };
        assert_eq!(ours.0, theirs.0, "{words}");
        assert_eq!(plain(&ours.1), plain(&theirs.1), "{words}");
        assert_eq!(plain(&ours.2), plain(&theirs.2), "{words}");
    }
}

#[test]
fn a_shell_configure_and_a_makefile() {
    let place = project("make");
    place.write(
        "configure",
        "#!/bin/sh\nset -e\n: ${CC=cc}\n\
         try() { $CC $CFLAGS \"$@\" conftest.c -o conftest 2>conftest.err && test ! -s conftest.err; }\n\
         echo 'int main(void) { return 0; }' > conftest.c\ntry || { echo no compiler; exit 1; }\n./conftest\n\
         echo 'int no_such_function(void); int main(void) { return no_such_function(); }' > conftest.c\n\
         if try; then echo everything links; exit 1; fi\n\
         echo '#include <no_such_header.h>' > conftest.c\nif $CC -E conftest.c >/dev/null 2>&1; then exit 1; fi\n\
         printf '#include <pthread.h>\\nint main(void) { return !pthread_self(); }\\n' > conftest.c\ntry -pthread && LIBS=-pthread\n\
         echo 'typedef int t[sizeof (long) == 8 ? 1 : -1];' > conftest.c\n$CC -c conftest.c && echo '#define LONG 8' > config.h\n\
         rm -f conftest*\n\
         printf 'CC = %s\\nCFLAGS = %s\\nLIBS = %s\\n' \"$CC\" \"$CFLAGS\" \"$LIBS\" | cat - Makefile.in > Makefile\n",
    );
    place.write(
        "Makefile.in",
        "all: prog\nprog: main.o libadd.a\n\t$(CC) $(CFLAGS) -o $@ main.o -L. -ladd $(LIBS)\n\
         libadd.a: add.o other.o\n\t$(AR) rcs $@ add.o other.o\n\
         %.o: %.c\n\t$(CC) $(CFLAGS) -I. -MD -MP -MF $*.d -c -o $@ $<\n-include *.d\n",
    );
    // A member that is not linked: its references are missing nowhere.
    place.write(
        "other.c",
        "int missing(void);\nint other(void) { return missing(); }\n",
    );
    place.done("CFLAGS='-O2 -g' sh ./configure && make -j2 && test -f main.d");
    place.checks("./prog", RACE, &["--> add.c:8:3", "++*n;"]);
    // The source is quoted only if it is what was compiled.
    place.write("add.c", format!("// new\n{ADD}"));
    let (_, out, _) = place.shell("$SELVEDGE check ./prog");
    assert!(out.contains("--> add.c:8:3") && !out.contains("++*n;"), "{out}");
    place.done("make CFLAGS='-O2 -DSAFE'");
    place.done("touch main.c add.c && make CFLAGS='-O2 -DSAFE'");
    place.checks("./prog", "true", &[]);
    place.checks("main.o libadd.a", "true", &[]);
}

const TWICE: &str = "#include \"add.h\"\nvoid twice(int *n) { add(n); add(n); }\n";
const MIXED: &str = "#include \"add.h\"\nextern \"C\" void twice(int *);\nint count;\nstd::mutex m;\nint main() {\n\
    std::thread t([] { std::lock_guard<std::mutex> guard(m); twice(&count); });\n\
    { std::lock_guard<std::mutex> guard(m); twice(&count); }\n  t.join();\n  return count != 4;\n}\n";

/// A program in C++, with a shared library in C that uses a static one.
fn mixed(name: &str) -> Place {
    let place = Place::new(name);
    place.write(
        "add.h",
        "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid add(int *);\n",
    );
    place.write("add.c", "#include \"add.h\"\nvoid add(int *n) { ++*n; }\n");
    place.write(
        "unused.c",
        "int nothing(void);\nint unused(void) { return nothing(); }\n",
    );
    place.write("twice.c", TWICE);
    place.write("main.cc", MIXED);
    place
}

#[test]
fn cmake() {
    let place = mixed("cmake");
    place.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(counter C CXX)\nfind_package(Threads REQUIRED)\n\
         include(CheckFunctionExists)\ninclude(CheckIPOSupported)\n\
         check_function_exists(nanosleep YES)\ncheck_function_exists(no_such_function NO)\n\
         if(NOT YES OR NO)\n  message(FATAL_ERROR \"wrong answers\")\nendif()\ncheck_ipo_supported(RESULT IPO)\n\
         add_library(add STATIC add.c unused.c)\nadd_library(twice SHARED twice.c)\ntarget_link_libraries(twice PRIVATE add)\n\
         set_target_properties(add PROPERTIES POSITION_INDEPENDENT_CODE ON)\nadd_executable(prog main.cc)\n\
         target_precompile_headers(prog PRIVATE <mutex> <thread>)\ntarget_link_libraries(prog twice Threads::Threads)\n\
         set_property(TARGET prog PROPERTY INTERPROCEDURAL_OPTIMIZATION ${IPO})\n",
    );
    place.done("cmake -B b -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON && cmake --build b && b/prog");
    place.checks("b/prog", "true", &[]);
    place.checks("b", "true", &[]);
    // Made anew, without the lock around one of the calls.
    place.write(
        "main.cc",
        MIXED.replace(
            "{ std::lock_guard<std::mutex> guard(m); twice(&count); }\n",
            "twice(&count);\n",
        ),
    );
    place.done("cmake --build b");
    place.checks("b/prog", RACE, &["add.c:2:20"]);
    place.checks("b", RACE, &["add.c:2:20"]);
}

#[test]
fn meson() {
    let place = mixed("meson");
    place.write(
        "meson.build",
        "project('counter', 'c', 'cpp')\ncc = meson.get_compiler('c')\n\
         assert(cc.has_function('nanosleep') and not cc.has_function('no_such_function'))\n\
         add = static_library('add', 'add.c', 'unused.c', pic: true)\n\
         twice = shared_library('twice', 'twice.c', link_with: add)\n\
         executable('prog', 'main.cc', link_with: twice, dependencies: dependency('threads'), cpp_args: ['-include', 'thread', '-include', 'mutex'])\n",
    );
    place.done("meson setup b && ninja -C b && b/prog");
    place.checks("b/prog", "true", &[]);
    place.checks("b --target prog", "true", &[]);
}

#[test]
fn shared_libraries() {
    let place = project("shared");
    place.write(
        "twice.c",
        "#include <stdlib.h>\nstatic int n;\n__attribute__((visibility(\"hidden\"))) void helper(int *p) { ++*p; }\n\
         static __attribute__((constructor)) void first(void) { helper(&n); }\n\
         int which(void) { return 1; }\nint asked(void) { return which(); }\nint ready(void) { return n; }\n",
    );
    place.write(
        "user.c",
        "#include <assert.h>\nint asked(void), ready(void);\nint helper(void) { return 7; }\nint which(void) { return 2; }\nint early;\n\
         static __attribute__((constructor)) void second(void) { early = ready(); }\n\
         int main(void) {\n  assert(early == 1);\n  assert(asked() == 2);\n  assert(helper() == 7);\n  return 0;\n}\n",
    );
    place.done(
        "$CC -fPIC -shared twice.c -o libtwice.so && $CC user.c -L. -ltwice -Wl,-rpath,'$ORIGIN' -o p && ./p",
    );
    place.checks("./p", "true", &[]);
    place.done(
        "mkdir lib && $CC -fPIC -DSAFE -shared add.c -o lib/libadd.so && $CC main.c lib/libadd.so -o q",
    );
    place.checks("./q", "true", &[]);
    place.done("mv lib/libadd.so .");
    place.checks(
        "./q",
        "unknown(unsupported: function add at main.c:8)",
        &["the shared library lib/libadd.so was not found"],
    );
    // Found as the loader finds it; and given by name.
    let (_, out, err) = place.shell(
        "$CC -fPIC -DSAFE -shared add.c -Wl,-soname,libadd.so -o libadd.so && $CC main.c libadd.so -o q && LD_LIBRARY_PATH=$PWD $SELVEDGE check ./q",
    );
    assert!(out.ends_with("true\n"), "{out}{err}");
    place.checks("main.c libadd.so", "true", &[]);
}

#[test]
fn c_and_cxx_in_one_program() {
    let place = project("mixed");
    place.write(
        "add.h",
        "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid add(int *);\n",
    );
    place.write(
        "main.cc",
        "#include \"add.h\"\n#include <thread>\nint count;\nstruct Early { Early() { count = 5; } } early;\n\
         int main() {\n  std::thread t([] { add(&count); });\n  add(&count);\n  t.join();\n  return count != 7;\n}\n",
    );
    place.done("$CC -c -DSAFE add.c && $CXX -std=c++17 -O2 main.cc add.o -pthread -o p && ./p");
    place.checks("./p", "true", &[]);
    place.done("$CC -c add.c && $CXX -std=c++17 -O2 main.cc add.o -pthread -o p");
    place.checks("./p", RACE, &["add.c:8:3"]);
}

#[test]
fn code_without_bitcode() {
    let place = project("without");
    place.write(
        "add.s",
        ".globl add\n.type add,@function\nadd:\n incl (%rdi)\n ret\n.size add,.-add\n",
    );
    place.done("$CC main.c add.s -o p && ./p");
    place.checks(
        "./p",
        "unknown(unsupported: function add in ./p, which has no bitcode of it at main.c:8)",
        &["add (machine code in ./p)"],
    );
    // A weak reference to it is not null.
    place.write(
        "weak.c",
        "extern void add(int *) __attribute__((weak));\nint main(void) { return add ? 0 : *(int *)0; }\n",
    );
    place.done("$CC -c weak.c add.s && $CC weak.o add.o -o w && ./w");
    let (_, out, _) = place.shell("$SELVEDGE check ./w");
    assert!(out.lines().last().unwrap().starts_with("unknown("), "{out}");
    // Not compiled by us at all.
    place.done("gcc -c main.c -o main.o && gcc -c add.c -o add.o && gcc main.o add.o -o p");
    place.refuses(
        "$SELVEDGE check ./p",
        "./p has no bitcode; build it with CC=\"selvedge cc\"",
    );
    place.checks(
        "main.c add.o",
        "unknown(unsupported: function add in add.o, which has no bitcode of it at main.c:8)",
        &["note: add.o has no bitcode: its functions have no body"],
    );
    place.done("gcc -flto -c add.c -o add.o");
    place.checks(
        "main.c add.o",
        "unknown(unsupported: function add at main.c:8)",
        &["gcc compiled it with -flto"],
    );
    // Bitcode of clang's own: -flto, and beside machine code.
    place.done("clang-22 -flto -O1 -DSAFE -c add.c -o add.o");
    place.checks("main.c add.o", "true", &[]);
    place.done("clang-22 -flto -ffat-lto-objects -O1 -DSAFE -c add.c -o add.o");
    place.checks("main.c add.o", "true", &[]);
    place.done("rm -f l.a; clang-22 -flto -O1 -DSAFE -c add.c -o add.o && llvm-ar-22 rc l.a add.o");
    place.checks("main.c l.a", "true", &[]);
    place.done("rm -f l.a; $CC -c -DSAFE add.c && ar rcT l.a add.o");
    place.checks("main.c l.a", "true", &[]);
}

#[test]
fn a_list_of_compile_commands() {
    let place = project("database");
    place.write(
        "src/tool.c",
        "int add2(int);\nint main(void) { return add2(1); }\n",
    );
    place.write(
        "src/add2.c",
        "#ifndef GIVEN\n#error no\n#endif\nint add2(int n) { return n - VALUE; }\n",
    );
    let entry = |file: &str, flags: &str, output: &str| {
        let directory = place.0.join("build");
        format!(
            "{{\"directory\": \"{}\", \"file\": \"../{file}\", \"command\": \"/usr/bin/cc -O3 -Wall -fno-tree-pre {flags} -o {output} -c ../{file}\"}}",
            directory.display()
        )
    };
    let list = |entries: &[String]| format!("[{}]", entries.join(",\n"));
    std::fs::create_dir(place.0.join("build")).unwrap();
    let mut entries = vec![
        entry("main.c", "-I..", "CMakeFiles/prog.dir/main.c.o"),
        entry("add.c", "-I.. -DSAFE", "CMakeFiles/prog.dir/add.c.o"),
        entry(
            "src/add2.c",
            "-DGIVEN -DVALUE=\\\"1\\\"[0]+1-'1'",
            "CMakeFiles/tool.dir/add2.c.o",
        ),
    ];
    entries[2] = entry("src/add2.c", "-DGIVEN -DVALUE=1", "CMakeFiles/tool.dir/add2.c.o");
    place.write("build/compile_commands.json", list(&entries));
    // One main: it is the program. The directory stands for the file.
    place.checks("build/compile_commands.json", "true", &[]);
    place.checks("build", "true", &[]);
    place.checks(".", "true", &[]);
    entries.push(entry("src/tool.c", "-DGIVEN", "CMakeFiles/tool.dir/tool.c.o"));
    place.write("build/compile_commands.json", list(&entries));
    place.refuses("$SELVEDGE check build", "`main` is defined by");
    place.checks("build main.c", "true", &[]);
    place.checks("build src/tool.c", "true", &[]);
    place.checks("build --target prog", "true", &[]);
    place.refuses(
        "$SELVEDGE check build --target nothing",
        "no source of a target `nothing`",
    );
    // The same source, compiled in two ways.
    entries.push(entry("add.c", "-I..", "CMakeFiles/other.dir/add.c.o"));
    place.write("build/compile_commands.json", list(&entries));
    place.refuses("$SELVEDGE check build main.c", "`add` is defined by");
    place.checks("build --target prog", "true", &[]);
    // A saved finding that takes its sources from a list is replayed if its maker is trusted.
    let (code, ..) = place.shell("SELVEDGE_FINDING=f.json $SELVEDGE check build --target other main.c");
    assert_eq!(code, 10);
    place.refuses(
        "$SELVEDGE replay f.json",
        "takes its sources from the list of compile commands build",
    );
    let (code, out, err) = place.shell("$SELVEDGE replay --trust f.json");
    assert!(code == 10 && out.ends_with("false(no-data-race)\n"), "{out}{err}");
    // Options that run code.
    entries[1] = entry("add.c", "-I.. -Xclang -load -Xclang ./x.so", "a.o");
    place.write("build/compile_commands.json", list(&entries));
    place.refuses("$SELVEDGE check build main.c", "with the option `-Xclang`");
    place.refuses("$SELVEDGE check --trust build main.c", "x.so");
    for (text, says) in [
        ("", "it is no list of compile commands"),
        ("{}", "it is no list of compile commands"),
        ("[{\"directory\": \"/\", \"file\": \"a.c\"}]", "has no command"),
    ] {
        place.write("bad.json", text);
        place.refuses("$SELVEDGE check bad.json", says);
    }
    place.refuses("$SELVEDGE check src", "without a compile_commands.json");
}

#[test]
fn what_older_compilers_take() {
    let place = Place::new("lenient");
    place.write("a.c", "x;\nint shared;\nmain() { return later() - shared; }\n");
    place.write("b.c", "int shared;\nint later(void) { return 0; }\n");
    place.refuses("$SELVEDGE check a.c b.c", "does not compile");
    place.checks("--lenient a.c b.c", "true", &[]);
    let (code, ..) = place.shell("$CC a.c b.c -o p");
    assert_eq!(code, 1);
    place.done("$CC --lenient a.c b.c -o p 2>/dev/null && ./p");
    place.checks("./p", "true", &[]);
    place.write(
        "c.c",
        "#ifdef __cplusplus\nextern \"C\"\n#endif\nint later(void) { return VALUE; }\n",
    );
    place.write("d.c", "#ifndef __cplusplus\n#error no\n#endif\nclass X {};\nextern \"C\" int later(void);\nint main() { return later(); }\n");
    place.checks("-x c++ c.c d.c --file-cflags c.c=-DVALUE=0", "true", &[]);
}

/// What only a compiler that optimises needs no definition of, and what is an error unless a build
/// says that it is none.
#[test]
fn inline_functions_and_warnings_that_are_off() {
    let place = Place::new("inline");
    place.write("i.h", "inline int twice(int x) { return 2 * x; }\n");
    place.write(
        "a.c",
        "#include \"i.h\"\nint main(void) { return twice(2) != 4; }\n",
    );
    place.checks("a.c", "true", &[]);
    place.done("$CC -O2 a.c -o p && ./p");
    place.checks("./p", "true", &[]);
    // Another use of the word, beside a function that is not defined anywhere then.
    place.write(
        "b.c",
        "#include \"i.h\"\nint main(int n, char **words) { (void)words; asm inline volatile(\"nop\"); return n > 5 ? twice(n) : 0; }\n",
    );
    place.checks("b.c", "true", &["makes the verdict unknown: twice"]);
    // The definition of another file is taken where there is one.
    place.write("c.c", "#include \"i.h\"\nextern int twice(int);\n");
    place.done("$CC -O2 a.c c.c -o p && ./p");
    place.checks("./p", "true", &[]);
    place.write(
        "d.cc",
        "#define X \"x\"\nint main() { return \"a\"X[0] == 'x'; }\n",
    );
    place.done("$CXX -Wno-reserved-user-defined-literal d.cc -o p && ./p");
    place.checks("./p", "true", &[]);
}

/// Whatever is done to a file, it is read, or refused by its name.
#[test]
fn damaged_files() {
    let place = project("damaged");
    place.done("$CC -DSAFE -c main.c add.c && $CC main.o add.o -o p && ar rc l.a add.o");
    let mut random = 7u64;
    for name in ["add.o", "p", "l.a"] {
        let good = std::fs::read(place.0.join(name)).unwrap();
        let bad = format!("bad-{name}");
        let inputs = if name == "p" {
            bad.clone()
        } else {
            format!("main.c {bad}")
        };
        let (mut accepted, mut refused) = (0, 0);
        for round in 0..24 {
            let mut bytes = good.clone();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (random >> 33) as usize % bytes.len();
            match round % 4 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0xff,
                // The header, and the table of sections at the end.
                2 => bytes[at % 64] ^= 1 << (random >> 60 & 7),
                _ => {
                    let tail = bytes.len().min(900);
                    let at = bytes.len() - tail + at % tail;
                    bytes[at] ^= 0x80;
                }
            }
            place.write(&bad, &bytes);
            let (code, out, err) = place.shell(&format!("$SELVEDGE check --max-time 20 {inputs}"));
            match code {
                2 => {
                    assert!(err.contains(&bad), "{name} {round}: {err}");
                    refused += 1;
                }
                0 | 5 | 10 => accepted += 1,
                _ => panic!("{name} {round}: {code} {out}{err}"),
            }
        }
        assert!(refused > 5 && accepted > 2, "{name}: {refused} {accepted}");
    }
}
