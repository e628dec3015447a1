//! A machine that caches its steps.
//!
//! Explorations take many executions through few states: seven threads that take one mutex have
//! 5,040 executions and some hundred states. So steps are stored as a graph. Each state is a node,
//! and each choice that was made there is an edge with the event, its accesses and its parts. A
//! step along a known edge is looked up. For any other step the machine first follows the present
//! path ([`real::Real`]), then takes the step and adds it to the graph. An explorer and detectors
//! see the same in every detail, including texts for reports; for those the machine follows the
//! path, too.
//!
//! The key of a state is its [fingerprint](crate::fingerprint), under keys that include thread
//! numbers and calling contexts. The pending actions are compared as well (if a thread ends, their
//! places do not follow from the rest). What the fingerprint leaves out is read by no step (printed
//! output, dead registers), is for reports only, or follows from the rest.
//!
//! Not recalled are:
//! - the first execution, from which an explorer learns and which it discards: caching begins when
//!   all of it is undone;
//! - steps with notices: they are in the graph, but the machine takes them each time, because
//!   notices have texts;
//! - anything once a value is symbolic, because the graph contains no path conditions;
//! - anything once texts were requested on the way: a program for which each execution is reported
//!   gains nothing;
//! - anything if too few steps are found in the cache ([`policy`]).

mod graph;
mod map;
mod policy;
mod real;

use crate::vm::{Shared, Vm};
use graph::{Graph, Shown};
use map::Map;
use real::Real;
use selvedge_base::{ContextId, ForTests, Location, StmtId, ThreadId};
use selvedge_model::{
    Access, Action, Allocated, Allocates, Choice, Describe, Event, Input, Machine, Notice, ObjectId, Part,
    Pending, Recall, Seen, Standing, Undo, Waiters, WaitsFor,
};
use std::rc::Rc;

/// A [`Vm`] that caches its steps. See the module's documentation.
pub struct Recalling {
    body: Body,
    /// With a map: the visible part of the state at the end of the path. It is read so often that
    /// it is stored here.
    shown: Option<Shown>,
    program: Rc<Shared>,
    /// A graph that is not used any more, kept for callers that have seen its steps on the present
    /// path.
    left: Graph,
    /// If set, each recalled step is also executed and compared.
    checked: ForTests<bool>,
}

enum Body {
    /// The machine takes all steps itself.
    Direct(Box<Real>),
    /// The machine and the cache.
    Map(Box<Map>),
    /// Temporary, while it changes from one to the other.
    Changing,
}

const CHANGING: &str = "a machine is not asked while it changes";

impl Recalling {
    /// A machine at its initial state.
    pub fn new(vm: Vm) -> Recalling {
        Recalling {
            program: vm.program.clone(),
            body: Body::Direct(Box::new(Real::new(vm))),
            shown: None,
            left: Graph::default(),
            checked: ForTests::default(),
        }
    }

    /// A machine that never caches anything.
    pub fn executing(vm: Vm) -> Recalling {
        let mut machine = Recalling::new(vm);
        if let Body::Direct(real) = &mut machine.body {
            real.go_alone();
        }
        machine
    }

    /// A machine for tests: it also executes recalled steps, and compares.
    ///
    /// # Panics
    /// Its steps panic if a recalled step differs from the executed one.
    #[cfg(feature = "laboratory")]
    pub fn checked(vm: Vm) -> Recalling {
        Recalling {
            checked: ForTests::new(true),
            ..Recalling::new(vm)
        }
    }

    /// See [`Vm::is_spoiled`].
    #[inline]
    pub fn is_spoiled(&self) -> bool {
        self.program.is_spoiled()
    }

    /// [`Vm::work`] in all steps so far, looked up or executed.
    pub fn work(&self) -> u64 {
        self.ask_anywhere(Vm::work)
    }

    /// The number of steps that were looked up.
    pub fn recalled(&self) -> u64 {
        match &self.body {
            Body::Map(map) => map.recalled(),
            _ => 0,
        }
    }

    /// Drops the cache if that was decided; the machine then executes all steps itself.
    #[inline]
    fn settle(&mut self) {
        if let Body::Map(map) = &self.body
            && map.is_over()
        {
            self.give_up();
        }
    }

    #[cold]
    fn give_up(&mut self) {
        if let Body::Map(map) = std::mem::replace(&mut self.body, Body::Changing) {
            let (graph, real) = map.into_parts();
            self.body = Body::Direct(Box::new(real));
            self.left = graph;
            self.shown = None;
        }
    }

    /// Begins to cache, if the state is the initial one again and nothing forbids it.
    #[cold]
    fn begin(&mut self) {
        match std::mem::replace(&mut self.body, Body::Changing) {
            Body::Direct(real) if real.may_remember() => {
                let map = Map::new(*real, self.checked);
                self.shown = Some(map.shown().clone());
                self.body = Body::Map(Box::new(map));
            }
            body => self.body = body,
        }
    }

    /// Asks the machine at the end of the path.
    fn ask<T>(&self, question: impl FnOnce(&Vm) -> T) -> T {
        match &self.body {
            Body::Map(map) => map.ask(question),
            Body::Direct(real) => question(&real.vm),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    /// The machine, wherever it is on the path.
    fn vm_mut(&mut self) -> &mut Vm {
        match &mut self.body {
            Body::Map(map) => map.vm_mut(),
            Body::Direct(real) => &mut real.vm,
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    /// Asks the machine something that has the same answer everywhere.
    fn ask_anywhere<T>(&self, question: impl FnOnce(&Vm) -> T) -> T {
        match &self.body {
            Body::Map(map) => map.ask_anywhere(question),
            Body::Direct(real) => question(&real.vm),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }
}

impl Machine for Recalling {
    fn has_short_release_sequences(&self) -> bool {
        self.ask_anywhere(|vm| vm.has_short_release_sequences())
    }

    fn publish_counts(&mut self) {
        self.vm_mut().publish();
    }

    fn drop_counts(&mut self) {
        self.vm_mut().drop_unpublished();
    }

    #[inline]
    fn pending(&self) -> &[Pending] {
        match (&self.shown, &self.body) {
            (Some(shown), _) => &shown.pending,
            (None, Body::Direct(real)) => real.vm.pending(),
            (None, _) => unreachable!("{CHANGING}"),
        }
    }

    #[inline]
    fn standing(&self) -> Option<Standing> {
        self.shown.as_ref().and_then(|shown| shown.standing)
    }

    #[inline(always)]
    fn step(&mut self, choice: Choice) -> Event {
        self.settle();
        match &mut self.body {
            Body::Map(map) => {
                let event = map.step(choice);
                self.shown = Some(map.shown().clone());
                event
            }
            Body::Direct(real) => real.step(choice),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    #[inline]
    fn accesses(&self) -> &[Access] {
        match &self.body {
            Body::Map(map) => map.accesses(),
            Body::Direct(real) => real.vm.accesses(),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    #[inline]
    fn parts(&self) -> &[Part] {
        match &self.body {
            Body::Map(map) => map.parts(),
            Body::Direct(real) => real.vm.parts(),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    #[inline]
    fn notices(&self) -> &[Notice] {
        match &self.body {
            Body::Map(map) => map.notices(),
            Body::Direct(real) => real.vm.notices(),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    fn waiters(&self, set: Waiters) -> &[ThreadId] {
        match &self.body {
            Body::Map(map) => map.waiters(set),
            Body::Direct(real) => real.vm.waiters(set),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    fn refuse_awaits(&self) {
        self.ask_anywhere(Vm::refuse_awaits);
    }

    fn goes_round_for_ever(&mut self) -> bool {
        match &mut self.body {
            Body::Map(map) => map.goes_round_for_ever(),
            Body::Direct(real) => real.vm.goes_round_for_ever(),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    fn decision(&self, choice: Choice) -> u128 {
        self.ask(|vm| vm.decision(choice))
    }

    fn is_incomplete(&self, thread: ThreadId) -> bool {
        self.ask(|vm| vm.is_incomplete(thread))
    }

    fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        match &self.body {
            Body::Map(map) => map.waits_for(thread),
            Body::Direct(real) => real.vm.waits_for(thread),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }
}

impl Recall for Recalling {
    #[inline]
    fn state_number(&self) -> Option<u32> {
        match &self.body {
            Body::Map(map) => map.node(),
            _ => None,
        }
    }

    #[inline]
    fn step_number(&self) -> Option<u32> {
        match &self.body {
            Body::Map(map) => map.edge(),
            _ => None,
        }
    }

    fn seen(&self, step: u32) -> Seen<'_> {
        match &self.body {
            Body::Map(map) => map.graph().seen(step),
            _ => self.left.seen(step),
        }
    }
}

impl Undo for Recalling {
    /// The number of steps of the path.
    type Mark = usize;

    #[inline]
    fn mark(&mut self) -> usize {
        match &self.body {
            Body::Map(map) => map.steps(),
            Body::Direct(real) => real.steps(),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }

    #[inline]
    fn undo(&mut self, mark: usize) {
        self.settle();
        match &mut self.body {
            Body::Map(map) => {
                map.undo(mark);
                self.shown = Some(map.shown().clone());
            }
            Body::Direct(real) => {
                real.undo(mark);
                if mark == 0 {
                    self.begin();
                }
            }
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }
}

impl Allocates for Recalling {
    fn allocated(&self) -> Allocated {
        match &self.body {
            Body::Map(map) => map.allocated(),
            Body::Direct(real) => real.vm.allocated(),
            Body::Changing => unreachable!("{CHANGING}"),
        }
    }
}

impl Describe for Recalling {
    fn location(&self, stmt: StmtId) -> Location {
        self.ask_anywhere(|vm| vm.location(stmt))
    }

    fn stack(&self, context: ContextId) -> Vec<Location> {
        self.ask_anywhere(|vm| vm.stack(context))
    }

    fn thread_name(&self, thread: ThreadId) -> String {
        self.ask(|vm| vm.thread_name(thread))
    }

    fn object_name(&self, object: ObjectId) -> String {
        self.ask(|vm| vm.object_name(object))
    }

    fn bytes_name(&self, object: ObjectId, bytes: u64) -> String {
        self.ask(|vm| vm.bytes_name(object, bytes))
    }

    fn action_text(&self, action: &Action) -> String {
        self.ask(|vm| vm.action_text(action))
    }

    fn value(&self, object: ObjectId, size: u32) -> Option<String> {
        self.ask(|vm| vm.value(object, size))
    }

    fn routine(&self, thread: ThreadId) -> String {
        self.ask(|vm| vm.routine(thread))
    }

    fn locks_held(&self, thread: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)> {
        self.ask(|vm| vm.locks_held(thread))
    }

    fn blocked_on(&self, thread: ThreadId) -> String {
        self.ask(|vm| vm.blocked_on(thread))
    }

    fn pending_context(&self, thread: ThreadId) -> ContextId {
        self.ask(|vm| vm.pending_context(thread))
    }

    fn output(&self) -> Vec<u8> {
        self.ask(Vm::output)
    }

    fn inputs(&self) -> Vec<Input> {
        self.ask(Vm::inputs)
    }

    fn exit_code(&self) -> Option<i32> {
        self.ask(Vm::exit_code)
    }
}
