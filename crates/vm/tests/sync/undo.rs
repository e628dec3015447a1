//! Going back: after random walks, everything that can be seen of the state is as before.

use crate::explorer::{choices, load};
use selvedge_base::Digest;
use selvedge_model::{Fingerprint, Machine, Pending, Undo};
use selvedge_vm::{Options, Program, Vm};
use std::sync::Arc;

const PROGRAM: &str = "
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    pthread_barrier_t b; sem_t s; pthread_once_t o = PTHREAD_ONCE_INIT; pthread_key_t k; int w, n;
    void r(void) { n++; } void d(void *p) { free(p); } void h(void *x) { pthread_mutex_unlock(&m); }
    void *f(void *x) {
        pthread_once(&o, r); pthread_setspecific(k, malloc(4)); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        pthread_mutex_lock(&m); pthread_cleanup_push(h, 0); while (!w) pthread_cond_timedwait(&c, &m, &later); pthread_cleanup_pop(1);
        pthread_barrier_wait(&b); sem_post(&s); return x;
    }
    int main(void) {
        pthread_t a, e; pthread_key_create(&k, d); sem_init(&s, 0, 0); pthread_barrier_init(&b, 0, 2); pthread_create(&a, 0, f, 0); pthread_create(&e, 0, f, 0);
        pthread_rwlock_wrlock(&l); n++; pthread_rwlock_unlock(&l); pthread_mutex_lock(&m); w = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
        sem_wait(&s); pthread_cancel(a); pthread_join(a, 0); pthread_join(e, 0); pthread_key_delete(k);
    }";

/// Exceptions in all their states: thrown, on their way through destructors that act, handled,
/// thrown again, kept for others, by a routine of `call_once`, the end of a thread.
const EXCEPTIONS: &str = "
    #include <exception>
    #include <mutex>
    #include <stdexcept>
    #include <thread>
    #include <cstdio>
    #include <pthread.h>
    std::mutex m; std::once_flag o; int n; std::exception_ptr kept;
    struct Acts { ~Acts() { std::lock_guard<std::mutex> l(m); n++; } };
    void once() { if (n++ == 0) throw std::runtime_error(\"once\"); }
    void f() {
        try { Acts acts; std::call_once(o, once); throw n; }
        catch (const std::exception &e) { std::lock_guard<std::mutex> l(m); std::printf(\"%s\", e.what()); kept = std::current_exception(); }
        catch (int i) { std::lock_guard<std::mutex> l(m); std::printf(\"i\"); }
        try { try { Acts acts; throw 1L; } catch (long &l) { Acts acts; l++; throw; } } catch (long l) { std::printf(\"%ld\", l); }
    }
    void *g(void *) { Acts acts; f(); pthread_exit(&n); }
    int main() {
        pthread_t a; pthread_create(&a, 0, g, 0); std::thread b(f); f(); pthread_join(a, 0); b.join();
        try { if (kept) std::rethrow_exception(kept); } catch (std::runtime_error &e) { std::printf(\"%s\", e.what()); }
    }";

#[test]
fn going_back_restores_what_was() {
    walk(&load(PROGRAM, "c", Options::default()));
}

#[test]
fn going_back_restores_exceptions() {
    walk(&load(EXCEPTIONS, "cpp", Options::default()));
}

/// What can be seen of a state: what threads do next, what was printed, the contents of all of it.
fn seen(vm: &Vm) -> (Vec<Pending>, Vec<u8>, Digest) {
    let output = vm.state.output().to_vec();
    (vm.pending().to_vec(), output, vm.fingerprint_from_scratch())
}

fn walk(program: &Arc<Program>) {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let mut vm = Vm::new(program.clone()).unwrap_or_else(|e| panic!("{e}"));
        let mut path = Vec::new();
        for _ in 0..120 {
            let all = choices(&vm);
            if all.is_empty() {
                break;
            }
            path.push((vm.mark(), seen(&vm)));
            vm.step(all[rng.usize(..all.len())]);
            let faults = vm.notices().to_vec();
            assert!(faults.is_empty(), "{faults:?}");
            if rng.u8(..) < 40 {
                let back = rng.usize(..path.len());
                let (mark, before) = path[back].clone();
                path.truncate(back);
                vm.undo(mark);
                assert_eq!(seen(&vm), before);
            }
        }
        while let Some((mark, before)) = path.pop() {
            vm.undo(mark);
            assert_eq!(seen(&vm), before);
        }
    }
}
