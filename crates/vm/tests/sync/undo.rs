//! Going back: after random walks, everything that can be seen of the state is as before.

use crate::explorer::{choices, load};
use selvedge_model::{Machine, Undo};
use selvedge_vm::{Options, Vm};

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

#[test]
fn going_back_restores_what_was() {
    let program = load(PROGRAM, "c", Options::default());
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let mut vm = Vm::new(program.clone()).unwrap_or_else(|e| panic!("{e}"));
        let mut path = Vec::new();
        for _ in 0..120 {
            let all = choices(&vm);
            if all.is_empty() {
                break;
            }
            path.push((vm.mark(), vm.pending().to_vec(), vm.state.output().to_vec()));
            vm.step(all[rng.usize(..all.len())]);
            let faults = vm.notices().to_vec();
            assert!(faults.is_empty(), "{faults:?}");
            if rng.u8(..) < 40 {
                let back = rng.usize(..path.len());
                let (mark, pending, output) = path[back].clone();
                path.truncate(back);
                vm.undo(mark);
                assert_eq!(vm.pending(), pending);
                assert_eq!(vm.state.output(), output);
            }
        }
        while let Some((mark, pending, output)) = path.pop() {
            vm.undo(mark);
            assert_eq!(vm.pending(), pending);
            assert_eq!(vm.state.output(), output);
        }
    }
}
