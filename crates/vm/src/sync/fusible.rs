//! Which actions a program allows to be parts of the step before them (`fuse.rs`).

use selvedge_ir::Module;

/// Which actions a program lets be parts.
#[derive(Clone, Copy, Default, Debug)]
pub struct Fusible {
    pub(super) mutexes: bool,
    pub(super) rwlocks: bool,
    pub(super) spins: bool,
    pub(super) joins: bool,
}

impl Fusible {
    /// What the functions that a program uses allow.
    pub fn of(module: &Module) -> Fusible {
        let has = |found: &dyn Fn(&str) -> bool| module.functions.iter().any(|f| found(&f.name));
        let special = has(&|name| name == "pthread_cancel" || name.starts_with("__VERIFIER_atomic_"));
        let tries = |kind: &str, plain: &[&str]| {
            has(&|name| {
                let Some(operation) = name.strip_prefix(kind) else {
                    return false;
                };
                !plain.contains(&operation)
            })
        };
        let plain = ["lock", "unlock", "init", "destroy"];
        Fusible {
            mutexes: !special && !tries("pthread_mutex_", &plain) && !tries("mtx_", &plain),
            rwlocks: !special
                && !tries(
                    "pthread_rwlock_",
                    &["rdlock", "wrlock", "unlock", "init", "destroy"],
                ),
            spins: !special && !tries("pthread_spin_", &plain),
            joins: !special
                && !has(&|name| name.ends_with("_detach") || name.ends_with("detachEv") || polls_end(name)),
        }
    }

    /// Whether threads are joined, but neither detached, nor looked at, nor cancelled.
    pub const fn has_only_joins(self) -> bool {
        self.joins
    }
}

/// Whether a function of this name fails if a mutex is held, so that it tells when it is.
pub(crate) fn tries_mutexes(name: &str) -> bool {
    let of_mutex = name.starts_with("pthread_mutex_") || name.starts_with("mtx_");
    of_mutex
        && ["trylock", "timedlock", "clocklock"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Whether a function of this name asks whether a thread has ended, without waiting for it.
pub(crate) fn polls_end(name: &str) -> bool {
    matches!(
        name,
        "pthread_tryjoin_np"
            | "pthread_timedjoin_np"
            | "pthread_clockjoin_np"
            | "__selvedge_blocks"
            | "__selvedge_exists"
    )
}
