//! The initial state: a program's globals, its arguments and files, and a main thread that has not
//! started; and the kinds of machines.

use super::long_step::LongStep;
use super::vm::{Shared, Vm};
use crate::coverage::Reached;
use crate::fingerprint::{Fingerprints, Keys};
use crate::future::{self, Futures};
use crate::program::{ENVIRON, Error, FUZZ_TARGET, PROGRAM_NAMES, Program};
use crate::state::State;
use crate::statistics::SolverStatistics;
use crate::symbolic::LazySolver;
use crate::sync::lifecycle;
use crate::thread::{Core, Thread};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{ForTests, Id, StmtId, ThreadId};
use selvedge_expr::Evaluator;
use selvedge_model::{Action, ObjectId, Op, Outcome, Pending, Status};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// The name of the program, in `argv[0]`.
const NAME: &str = "program";

impl Vm {
    /// A machine at the program's initial state: main exists and has not started.
    ///
    /// # Errors
    /// If a global does not fit.
    pub fn new(program: Arc<Program>) -> Result<Vm, Error> {
        let mut state = State::new();
        state.memory.set_recording(false);
        state.modes_mut().quarantine = program.options.quarantine;
        state.modes_mut().many_dead = program.options.many_dead;
        state.modes_mut().spurious_wakeups = program.options.spurious_wakeups;
        state
            .memory
            .configure(program.options.leaks, program.options.stop.clone());
        let explained = program.options.explained.as_ref();
        state
            .memory
            .expect_pointers(explained.map_or(0, |explained| explained.len()));
        program.load_globals(&mut state.memory)?;
        state
            .memory
            .set_unwritten_inputs(program.options.unwritten_inputs);
        if program.starts_rust {
            super::rust_start::prepare(&program, &mut state);
        }
        let main = ThreadId(0);
        let stmt = first_stmt(&program);
        state.push_thread(
            Thread {
                parent: main,
                ordinal: 0,
                region: 1,
                start: (program.function_address(program.entry), Value::new(0)),
                twin: None,
                created: lifecycle::NOWHERE,
                core: Core::created(false),
                regs: Vec::new(),
                frames: Vec::new(),
                locals: Vec::new(),
                held: Vec::new(),
                again: false,
                tls: Vec::new(),
                low_depth: 0,
            },
            Pending {
                action: Action {
                    stmt,
                    ..Action::on(main, Op::Start, ObjectId::thread(main))
                },
                status: Status::Enabled,
                alternatives: 1,
            },
        );
        let reached = Reached::with_room_for(program.points.len());
        let mut vm = Vm {
            reached,
            program: Rc::new(Shared(program)),
            state,
            outcome: Outcome::Done,
            alternative: 0,
            main_args: SmallVec::new(),
            instructions: 0,
            renamed: Cell::new(0),
            jumps: FxHashMap::default(),
            long_step: LongStep::default(),
            fingerprints: None,
            forgets: ForTests::default(),
            solver: LazySolver::default(),
            published: SolverStatistics::default(),
            evaluator: Evaluator::new(),
            addresses: FxHashSet::default(),
            awaiting: None,
            foreseen: RefCell::default(),
            began: 0,
            anew: Vec::new(),
            confined: None,
            left_out: 0,
            noted_counters: FxHashSet::default(),
            deaf: false,
            watch: None,
        };
        vm.make_thread_locals(main)?;
        vm.make_main_args()?;
        let symbolic = crate::libc::files::load(&vm.program.options, &mut vm.state)?;
        for source in &symbolic {
            vm.make_symbolic(source.address, source.size, &source.name);
        }
        // What blocks touch is looked at, whoever else asks.
        let records = vm.program.options.record_accesses || vm.program.classes.is_some();
        vm.state.memory.set_recording(records);
        vm.state.commit();
        if vm.program.options.fingerprints {
            vm.fingerprints = Some(Box::new(Fingerprints::new(&vm.program, &vm.state, Keys::SOUND)));
        }
        Ok(vm)
    }

    /// A machine for an explorer that supports parts ([`Machine::parts`](selvedge_model::Machine)):
    /// visible actions whose order does not matter are performed within the transition before them.
    /// There are fewer events, and the same classes of executions, unless the exploration is
    /// [spoiled](Vm::is_spoiled).
    ///
    /// # Errors
    /// As [`Vm::new`].
    pub fn fusing(program: Arc<Program>) -> Result<Vm, Error> {
        let mut vm = Vm::new(program)?;
        vm.state.modes_mut().fuses = true;
        Ok(vm)
    }

    /// A machine for an explorer that names events by their causes. Which decisions on symbolic
    /// values are data choices follows from the deciding thread's past, not from the decisions of
    /// concurrent threads. So a data choice may have only one alternative, and other threads may
    /// move before it is taken. The alternatives are those that are possible on the present path.
    ///
    /// # Errors
    /// As [`Vm::new`].
    pub fn canonical(program: Arc<Program>) -> Result<Vm, Error> {
        let mut vm = Vm::new(program)?;
        vm.state.modes_mut().canonical = true;
        Ok(vm)
    }

    /// Lets more threads [go first](selvedge_model::Machine::goes_first). An exploration may rely
    /// on these unless it is [spoiled](Vm::is_spoiled).
    pub fn with_left_movers(mut self) -> Vm {
        self.state.modes_mut().left_movers = true;
        self
    }

    /// Makes the accesses of a thread that runs alone scheduling points, once there was another
    /// thread. An explorer that does not order writes needs to see who reads the last one.
    pub fn with_lone_accesses(mut self) -> Vm {
        self.state.modes_mut().lone = true;
        self
    }

    /// Sets whether identical threads take turns.
    pub(crate) fn set_turns(&mut self, turns: bool) {
        self.state.modes_mut().turns = turns;
    }

    /// Makes states the same whatever the time is. An exploration may rely on that unless the
    /// program [refuses](Program::refuses_relative_clocks) it.
    pub fn with_relative_clocks(mut self) -> Vm {
        self.state.modes_mut().relative_clocks = true;
        self
    }

    /// Sets whether threads that wait in loops are held.
    pub(crate) fn set_awaits(&mut self, awaits: bool) {
        self.state.modes_mut().awaits = awaits;
    }

    /// Lets a thread also go first if, as far as the state shows, no other thread may do anything
    /// before it on which its next action depends.
    pub fn with_futures(mut self, futures: Futures) -> Vm {
        let follows = future::can_follow(&self.program.module);
        self.state.modes_mut().futures = Some(futures).filter(|_| follows);
        self
    }

    /// Bounds executions: a spurious wakeup, or the spurious failure of a weak compare-exchange,
    /// does not happen to a thread twice in a row in the same state. Executions with such a
    /// repetition lead nowhere else, and loops around it would have no longest execution.
    pub fn bounded(mut self) -> Vm {
        self.state.modes_mut().bounded = true;
        self
    }

    /// Makes a thread's copies of thread-local variables. They are its first objects, so their
    /// addresses are always the same.
    pub(super) fn make_thread_locals(&mut self, thread: ThreadId) -> Result<(), Error> {
        let program = self.program.clone();
        if self.state.thread(thread).again {
            self.state.revive_thread_locals(thread);
            for (&global, base) in program
                .thread_locals
                .iter()
                .zip(self.state.thread(thread).tls.clone())
            {
                program.fill_global(&mut self.state.memory, global, base);
            }
            return Ok(());
        }
        let region = self.state.thread(thread).region;
        let mut bases = Vec::with_capacity(program.thread_locals.len());
        for &global in &program.thread_locals {
            let base = program.allocate_global(&mut self.state.memory, region, global)?;
            program.fill_global(&mut self.state.memory, global, base);
            bases.push(base);
        }
        self.state.acting(thread).tls = bases;
        Ok(())
    }

    fn make_main_args(&mut self) -> Result<(), Error> {
        let program = self.program.clone();
        if program.module.functions[program.entry].name == FUZZ_TARGET {
            let size = program.options.input_size;
            let buffer = self.argument(size)?;
            self.make_symbolic(buffer, size, "input");
            self.main_args = SmallVec::from_slice(&[Value::new(buffer), Value::new(size)]);
            let variables = self.environment()?;
            let envp = self.pointers(&variables)?;
            self.set_given(ENVIRON, envp);
            let name = self.text(NAME)?;
            self.set_program_names(name);
            return Ok(());
        }
        let mut pointers = Vec::new();
        for word in [NAME]
            .into_iter()
            .chain(program.options.args.iter().map(String::as_str))
        {
            pointers.push(self.text(word)?);
        }
        for (i, &length) in program.options.symbolic_args.iter().enumerate() {
            let base = self.argument(length + 1)?;
            self.make_symbolic(
                base,
                length,
                &format!("argv[{}]", program.options.args.len() + 1 + i),
            );
            pointers.push(base);
        }
        let (count, name) = (pointers.len() as u64, pointers[0]);
        pointers.push(0);
        pointers.extend(self.environment()?);
        let argv = self.pointers(&pointers)?;
        let envp = argv + 8 * (count + 1);
        self.set_given(ENVIRON, envp);
        let count = Value::new(count);
        self.main_args = SmallVec::from_slice(&[count, Value::new(argv), Value::new(envp)]);
        self.set_program_names(name);
        Ok(())
    }

    /// Sets the library's variables for the program's name, as glibc does. The name has no slash,
    /// so it is the short name, too.
    fn set_program_names(&mut self, name: u64) {
        for variable in PROGRAM_NAMES {
            self.set_given(variable, name);
        }
    }

    /// Lets a variable of the library point to an address.
    fn set_given(&mut self, name: &str, to: u64) {
        let program = self.program.clone();
        if let Some(variable) = program.module.global(name)
            && program.is_given(variable)
        {
            let address = program.globals[variable.index()];
            self.state.memory.poke_checked(address, 8, Value::new(to));
        }
    }

    /// Stores a text that the program is given.
    fn text(&mut self, text: &str) -> Result<u64, Error> {
        let base = self.argument(text.len() as u64 + 1)?;
        for (i, &byte) in text.as_bytes().iter().enumerate() {
            let value = Value::new(u64::from(byte));
            self.state.memory.poke_checked(base + i as u64, 1, value);
        }
        Ok(base)
    }

    /// The texts of the environment.
    fn environment(&mut self) -> Result<Vec<u64>, Error> {
        let program = self.program.clone();
        let variables = program.options.environment.iter();
        variables.map(|variable| self.text(variable)).collect()
    }

    /// An array of pointers, and a null pointer behind them.
    fn pointers(&mut self, pointers: &[u64]) -> Result<u64, Error> {
        let base = self.argument(8 * (pointers.len() as u64 + 1))?;
        for (i, &pointer) in pointers.iter().enumerate() {
            let value = Value::new(pointer);
            self.state.memory.poke_checked(base + 8 * i as u64, 8, value);
        }
        Ok(base)
    }

    /// Makes an object of zeros for data that the program is given.
    fn argument(&mut self, size: u64) -> Result<u64, Error> {
        let no_room = |_| Error::GlobalTooLarge("argv".into(), size);
        self.state
            .memory
            .allocate(0, argument_object(size), 8)
            .map_err(no_room)
    }

    /// Makes a range of memory an input of the main thread, before it starts.
    fn make_symbolic(&mut self, address: u64, size: u64, name: &str) {
        let program = self.program.clone();
        let site = crate::memory::Site::default();
        self.state
            .make_symbolic(&program, ThreadId(0), site, address, size, name);
    }
}

fn first_stmt(program: &Program) -> StmtId {
    let entry = &program.module.functions[program.entry];
    entry
        .blocks
        .iter()
        .next()
        .map_or(StmtId(0), |b| b.insts.first().map_or(b.term_stmt, |i| i.stmt))
}

fn argument_object(size: u64) -> crate::memory::Object {
    use crate::memory::{Kind, Life, Maker, Object, Site};
    Object {
        size,
        kind: Kind::Global,
        life: Life::Live,
        zeroed: true,
        by: Maker::Other,
        protection: 0,
        name: 0,
        made: Site::default(),
        ended: Site::default(),
        reborn: false,
    }
}
