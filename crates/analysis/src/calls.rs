//! The call graph: the functions that a call may run.
//!
//! Points-to sets are not used here. A call through a pointer may run each function whose address
//! is taken anywhere in the program. A function without a body (a model of the machine, or missing)
//! may call back each of them, too, except for those listed in [`SELF_CONTAINED`]. The start
//! function of pthread_create counts as called by it.

use selvedge_base::Id;
use selvedge_ir::{Callee, FuncId, InstKind, Module, Operand, Symbol};
use std::collections::BTreeSet;

/// Library functions that run no function of the program and return to their caller, in
/// alphabetical order. None of them is a cancellation point (which may run cleanup handlers),
/// raises a signal, or ends a thread. A library function that is not listed may do all of this.
#[rustfmt::skip]
pub const SELF_CONTAINED: &[&str] = &[
    "abs", "aligned_alloc", "atoi", "calloc", "exp", "free", "getenv",
    "isalpha", "isdigit", "isspace", "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset",
    "posix_memalign", "pthread_attr_destroy", "pthread_attr_init", "pthread_attr_setdetachstate",
    "pthread_barrier_destroy", "pthread_barrier_init", "pthread_barrier_wait",
    "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_cond_init", "pthread_cond_signal",
    "pthread_equal", "pthread_mutex_destroy", "pthread_mutex_init", "pthread_mutex_lock",
    "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_mutexattr_init",
    "pthread_mutexattr_settype", "pthread_rwlock_init", "pthread_rwlock_unlock", "pthread_self",
    "realloc", "sched_yield", "sem_destroy", "sem_init", "sem_post", "sem_trywait", "snprintf",
    "sprintf", "strcat", "strchr", "strcmp", "strcpy", "strdup", "strlen", "strncmp", "strncpy",
    "strtol", "tolower", "toupper",
];

/// Which functions may call which.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    callees: Vec<BTreeSet<u32>>,
    taken: BTreeSet<u32>,
    through_pointers: Vec<bool>,
}

impl CallGraph {
    /// Of a linked program.
    pub fn of(module: &Module) -> CallGraph {
        let mut graph = CallGraph {
            callees: vec![BTreeSet::new(); module.functions.len()],
            taken: addresses_taken(module),
            through_pointers: vec![false; module.functions.len()],
        };
        for (id, function) in module.functions.iter_ids() {
            let from = id.index();
            if !function.is_defined() {
                graph.through_pointers[from] = SELF_CONTAINED.binary_search(&function.name.as_str()).is_err();
            }
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                match &inst.kind {
                    InstKind::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } => {
                        graph.callees[from].insert(callee.index() as u32);
                    }
                    InstKind::Call {
                        callee: Callee::Indirect(_),
                        ..
                    } => graph.through_pointers[from] = true,
                    _ => {}
                }
            }
        }
        for from in 0..graph.callees.len() {
            if graph.through_pointers[from] {
                let taken: Vec<u32> = graph.taken.iter().copied().collect();
                graph.callees[from].extend(taken);
            }
        }
        graph
    }

    /// The functions that one may call directly, in order.
    pub fn callees(&self, function: FuncId) -> impl Iterator<Item = FuncId> + '_ {
        self.callees[function.index()]
            .iter()
            .map(|&f| FuncId::from_index(f as usize))
    }

    /// True if it may call through a pointer, or is a library function that does.
    pub fn calls_through_pointers(&self, function: FuncId) -> bool {
        self.through_pointers[function.index()]
    }

    /// The functions whose address is taken, in order.
    pub fn taken(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.taken.iter().map(|&f| FuncId::from_index(f as usize))
    }

    /// All functions that these may run, including themselves.
    pub fn reachable(&self, from: impl IntoIterator<Item = FuncId>) -> Vec<bool> {
        let mut reached = vec![false; self.callees.len()];
        let mut work: Vec<usize> = from.into_iter().map(|f| f.index()).collect();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                work.extend(self.callees[at].iter().map(|&f| f as usize));
            }
        }
        reached
    }

    /// The functions that may run one for which `is` holds, including those.
    pub fn reaching(&self, is: impl Fn(FuncId) -> bool) -> Vec<bool> {
        let mut callers = vec![Vec::new(); self.callees.len()];
        for (from, callees) in self.callees.iter().enumerate() {
            callees.iter().for_each(|&to| callers[to as usize].push(from));
        }
        let mut reached = vec![false; callers.len()];
        let mut work: Vec<usize> = (0..callers.len())
            .filter(|&f| is(FuncId::from_index(f)))
            .collect();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                work.extend(&callers[at]);
            }
        }
        reached
    }

    /// The functions that may be active twice in one thread: those on a cycle of calls.
    pub fn recursive(&self) -> Vec<bool> {
        let mut graph: petgraph::graph::DiGraph<(), ()> = petgraph::graph::DiGraph::new();
        (0..self.callees.len()).for_each(|_| {
            graph.add_node(());
        });
        for (from, callees) in self.callees.iter().enumerate() {
            for &to in callees {
                let node = petgraph::graph::NodeIndex::new;
                graph.add_edge(node(from), node(to as usize), ());
            }
        }
        let mut recursive = vec![false; self.callees.len()];
        for component in petgraph::algo::tarjan_scc(&graph) {
            let cycle = component.len() > 1 || graph.contains_edge(component[0], component[0]);
            component.iter().for_each(|n| recursive[n.index()] = cycle);
        }
        recursive
    }
}

/// Functions that an operand or initialiser names, except as the callee of a call.
fn addresses_taken(module: &Module) -> BTreeSet<u32> {
    let mut taken = BTreeSet::new();
    let mut note = |operand: Operand| {
        if let Operand::Func(function) = operand {
            taken.insert(function.index() as u32);
        }
    };
    for block in module.functions.iter().flat_map(|f| f.blocks.iter()) {
        block
            .insts
            .iter()
            .for_each(|inst| inst.kind.for_each_operand(&mut note));
        block.term.for_each_operand(&mut note);
    }
    for relocation in module.globals.iter().flat_map(|g| &g.relocations) {
        if let Symbol::Func(function) = relocation.symbol {
            taken.insert(function.index() as u32);
        }
    }
    taken
}
