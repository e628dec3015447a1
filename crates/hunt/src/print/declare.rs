//! Shared variables and objects: their declarations, and their initialisation in main.

use super::{Printer, type_name};
use crate::program::{Global, MutexKind, Objects, Storage};

impl Printer<'_> {
    /// The structure whose members are shared variables.
    pub(super) fn members(&mut self) {
        let globals = self.program.globals.iter().enumerate();
        let members: Vec<_> = globals.filter(|(_, g)| g.storage == Storage::Member).collect();
        if members.is_empty() {
            return;
        }
        let volatile = |g: &Global| if g.volatile { "volatile " } else { "" };
        let declared = members
            .iter()
            .map(|(i, g)| format!("{}{} g{i};", volatile(g), type_name(g.kind)));
        let initial = members.iter().map(|(_, g)| g.initial.to_string());
        let (declared, initial): (Vec<_>, Vec<_>) = (declared.collect(), initial.collect());
        let text = format!(
            "static struct {{ {} }} {} = {{ {} }};",
            declared.join(" "),
            self.name("all"),
            initial.join(", ")
        );
        self.put(&text);
    }

    /// Synchronisation objects, threads, pointers, the key.
    pub(super) fn objects(&mut self) {
        let program = self.program;
        let normal = |i: usize| program.mutexes[i] == MutexKind::Normal;
        let kinds: [(&str, &str, usize, &str); 6] = [
            (
                "pthread_mutex_t",
                "m",
                program.mutexes.len(),
                "PTHREAD_MUTEX_INITIALIZER",
            ),
            ("pthread_cond_t", "c", program.conds, "PTHREAD_COND_INITIALIZER"),
            (
                "pthread_rwlock_t",
                "w",
                program.rwlocks,
                "PTHREAD_RWLOCK_INITIALIZER",
            ),
            ("sem_t", "s", program.semaphores.len(), ""),
            ("pthread_barrier_t", "b", program.barriers.len(), ""),
            ("pthread_spinlock_t", "l", program.spins, ""),
        ];
        let kinds = kinds.into_iter().filter(|kind| kind.2 > 0);
        if program.objects == Objects::Block {
            let members: String = kinds
                .map(|(kind, letter, count, _)| format!(" {kind} {letter}[{count}];"))
                .collect();
            let name = self.name("h");
            self.put(&format!("static struct {{ int unused;{members} }} *{name};"));
        } else {
            for (kind, letter, count, initial) in kinds {
                let value = |i: usize| if letter == "m" && !normal(i) { "" } else { initial };
                if program.objects == Objects::Arrays {
                    let values: Vec<_> = (0..count)
                        .map(|i| if value(i).is_empty() { "{ 0 }" } else { value(i) })
                        .collect();
                    let values = if initial.is_empty() {
                        String::new()
                    } else {
                        format!(" = {{ {} }}", values.join(", ").replace("{ 0 }", "{ { 0 } }"))
                    };
                    let name = self.name(letter);
                    self.put(&format!("static {kind} {name}[{count}]{values};"));
                    continue;
                }
                for i in 0..count {
                    let name = self.name(&format!("{letter}{i}"));
                    let value = match value(i) {
                        "" => String::new(),
                        value => format!(" = {value}"),
                    };
                    self.put(&format!("static {kind} {name}{value};"));
                }
            }
        }
        for i in 0..program.onces.len() {
            let name = self.name(&format!("o{i}"));
            self.put(&format!("static pthread_once_t {name} = PTHREAD_ONCE_INIT;"));
        }
        let threads = self.name("t");
        self.put(&format!("static pthread_t {threads}[{}];", program.threads.len()));
        for i in 0..program.pointers {
            let name = self.name(&format!("p{i}"));
            self.put(&format!("static int *{name};"));
        }
        if program.destructor.is_some() {
            let name = self.name("k0");
            self.put(&format!("static pthread_key_t {name};"));
        }
    }

    pub(super) fn initialise(&mut self) {
        let program = self.program;
        for (i, global) in program.globals.iter().enumerate() {
            let (kind, name, n, len) = (
                type_name(global.kind),
                self.name(&format!("g{i}")),
                global.initial,
                global.len(),
            );
            match global.storage {
                Storage::Static | Storage::Member => {}
                Storage::Stack => {
                    let all = vec![n.to_string(); len].join(", ");
                    self.put(&format!("{kind} v{i}[{len}] = {{ {all} }}; {name} = v{i};"));
                }
                Storage::Heap => {
                    let set: String = (0..len).map(|k| format!(" {name}[{k}] = {n};")).collect();
                    self.put(&format!("{name} = malloc({len} * sizeof *{name});{set}"));
                }
            }
        }
        let block = program.objects == Objects::Block;
        if block {
            let name = self.name("h");
            self.put(&format!("{name} = malloc(sizeof *{name});"));
            for i in 0..program.conds {
                let name = self.object("c", i);
                self.put(&format!("pthread_cond_init(&{name}, NULL);"));
            }
            for i in 0..program.rwlocks {
                let name = self.object("w", i);
                self.put(&format!("pthread_rwlock_init(&{name}, NULL);"));
            }
        }
        for (i, kind) in program.mutexes.iter().enumerate() {
            let kind = match kind {
                MutexKind::Normal if block => {
                    let name = self.object("m", i);
                    self.put(&format!("pthread_mutex_init(&{name}, NULL);"));
                    continue;
                }
                MutexKind::Normal => continue,
                MutexKind::Recursive => "RECURSIVE",
                MutexKind::ErrorCheck => "ERRORCHECK",
            };
            let name = self.object("m", i);
            self.put(&format!(
                "{{ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at, PTHREAD_MUTEX_{kind}); pthread_mutex_init(&{name}, &at); }}"
            ));
        }
        for (i, value) in program.semaphores.iter().enumerate() {
            let name = self.object("s", i);
            self.put(&format!("sem_init(&{name}, 0, {value});"));
        }
        for (i, count) in program.barriers.iter().enumerate() {
            let name = self.object("b", i);
            self.put(&format!("pthread_barrier_init(&{name}, NULL, {count});"));
        }
        for i in 0..program.spins {
            let name = self.object("l", i);
            self.put(&format!("pthread_spin_init(&{name}, PTHREAD_PROCESS_PRIVATE);"));
        }
        if program.destructor.is_some() {
            let (key, gone) = (self.name("k0"), self.name("gone"));
            self.put(&format!("pthread_key_create(&{key}, {gone});"));
        }
    }
}
