//! Thread support of libstdc++.

use crate::explorer::{Outcomes, explore, load};
use selvedge_model::FaultKind;
use selvedge_vm::Options;

#[track_caller]
fn run(body: &str) -> Outcomes {
    let prelude = "#include <thread>\n#include <mutex>\n#include <condition_variable>\n#include <atomic>\n#include <cstdio>\n";
    explore(load(&format!("{prelude}{body}"), "cpp", Options::default()))
}

#[test]
fn threads_and_mutexes() {
    run("
        std::mutex m; int n;
        int main() { std::thread a([] { std::lock_guard<std::mutex> l(m); n++; }); { std::lock_guard<std::mutex> l(m); n++; } a.join();
            std::printf(\"%d%d\", n, (int)a.joinable()); }")
    .prints(&["20"]);
    run("int main() { std::thread a([] {}); }").faults(FaultKind::UncaughtException);
}

#[test]
fn condition_variables() {
    run("
        std::mutex m; std::condition_variable c; bool ready;
        int main() { std::thread a([] { std::unique_lock<std::mutex> l(m); while (!ready) c.wait(l); });
            { std::lock_guard<std::mutex> l(m); ready = true; } c.notify_one(); a.join(); std::printf(\"ok\"); }")
    .prints(&["ok"]);
}

#[test]
fn local_statics_and_call_once() {
    run("
        int made; struct S { S() { made++; std::this_thread::yield(); made++; } }; void get() { static S s; if (made != 2) std::printf(\"early\"); }
        int main() { std::thread a(get); get(); a.join(); std::printf(\"%d\", made); }")
    .prints(&["2"]);
    run("
        std::once_flag o; int n;
        void f() { std::call_once(o, [] { n++; }); if (n != 1) std::printf(\"early\"); }
        int main() { std::thread a(f); f(); a.join(); std::printf(\"%d\", n); }")
    .prints(&["1"]);
}

#[test]
fn destructors_run_at_the_end() {
    run("
        struct S { ~S() { std::printf(\"d\"); } }; S s; int main() { static S t; std::printf(\"m\"); }")
    .prints(&["mdd"]);
}
