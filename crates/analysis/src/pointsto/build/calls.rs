//! Calls: which functions a call may run, what is passed to them, and what library functions do.

use super::super::object::{Library, Object};
use super::super::offset::Offset;
use super::super::solve::{Constraint, VarId};
use super::Builder;
use crate::Place;
use crate::library::{Effect, Returns, Special, effect, thrower};
use selvedge_base::Id;
use selvedge_ir::{Callee, FuncId, Operand, Reg};

/// A call whose callee is found while solving.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The calling function and the place of the call, if it is in the program.
    at: Option<(FuncId, Place)>,
    arguments: Vec<Option<VarId>>,
    results: Vec<VarId>,
}

impl Builder<'_> {
    pub(super) fn call(
        &mut self,
        f: FuncId,
        place: Place,
        results: &[Reg],
        callee: Callee,
        args: &[Operand],
    ) {
        let arguments = args.iter().map(|&a| self.operand(f, a)).collect();
        let results = results.iter().map(|&r| self.register(f, r)).collect();
        let site = self.site(Site {
            at: Some((f, place)),
            arguments,
            results,
        });
        match callee {
            Callee::Direct(function) => self.link(site, function),
            Callee::Indirect(address) => {
                if let Some(callee) = self.operand(f, address) {
                    self.solver.add(Constraint::Call { callee, site });
                }
            }
        }
    }

    fn site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    /// The library calls the functions to which a variable points.
    fn call_back(&mut self, callee: Option<VarId>, arguments: Vec<Option<VarId>>, results: Vec<VarId>) {
        let site = self.site(Site {
            at: None,
            arguments,
            results,
        });
        if let Some(callee) = callee {
            self.solver.add(Constraint::Call { callee, site });
        }
    }

    /// Records that a call may run a function.
    pub(super) fn link(&mut self, site: u32, callee: FuncId) {
        if !self.linked.insert((site, callee)) {
            return;
        }
        let Site {
            at,
            arguments,
            results,
        } = self.sites[site as usize].clone();
        match at {
            Some(at) => {
                self.callees.entry(at).or_default().insert(callee);
            }
            None => {
                self.called_by_library.insert(callee);
            }
        }
        let function = &self.module.functions[callee];
        for other in self
            .stand_ins
            .get(function.name.as_str())
            .cloned()
            .unwrap_or_default()
        {
            self.link(site, other);
        }
        if !function.is_defined() {
            match effect(&function.name) {
                Some(effect) => {
                    self.library(site, &effect);
                    if let Some(thrower) = thrower(&function.name).and_then(|name| self.module.function(name))
                    {
                        self.link(site, thrower);
                    }
                }
                None if (self.modelled)(&function.name) => {
                    self.unknown.insert(callee);
                }
                // The machine reports that it has no such function, and the verdict is unknown.
                None => {}
            }
            return;
        }
        self.reach(callee);
        for (i, argument) in arguments.iter().enumerate() {
            let Some(from) = *argument else { continue };
            match function.params.get(i) {
                Some(&parameter) => {
                    let to = self.register(callee, parameter);
                    self.copy(from, to);
                }
                None if function.varargs => {
                    let area = self.address(Object::Arguments(callee), Offset::ANY);
                    self.store(area, 8, from);
                }
                None => {}
            }
        }
        for (i, &to) in results.iter().enumerate() {
            if let Some(&from) = self.results[callee.index()].get(i) {
                self.copy(from, to);
            }
        }
    }

    fn library(&mut self, site: u32, effect: &Effect) {
        let Site {
            at,
            arguments,
            results,
        } = self.sites[site as usize].clone();
        let argument = |i: u8| arguments.get(usize::from(i)).copied().flatten();
        let fresh = match at {
            Some((function, place)) => Object::Allocated(function, place),
            None => Object::Library(Library::Static),
        };
        let result = match effect.result {
            Returns::Nothing => None,
            Returns::New => Some(self.address(fresh, Offset::START)),
            Returns::Within(i) => argument(i).map(|from| {
                let to = self.solver.variable();
                self.shift(from, to, 0, 1);
                to
            }),
            Returns::Argument(i) => argument(i),
            Returns::Errno => Some(self.address(Object::Library(Library::Errno), Offset::START)),
            Returns::Files => Some(self.address(Object::Library(Library::Files), Offset::ANY)),
            Returns::Environment => Some(self.address(Object::Library(Library::Arguments), Offset::ANY)),
            Returns::Static => Some(self.address(Object::Library(Library::Static), Offset::ANY)),
        };
        if let (Some(from), Some(&to)) = (result, results.first()) {
            self.copy(from, to);
        }
        if effect.result == Returns::Nothing {
            self.numbers.extend(&results);
        }
        let length = None;
        match effect.special {
            Special::Nothing => {}
            Special::Copies(to, from) => {
                if let (Some(to), Some(from)) = (argument(to), argument(from)) {
                    self.solver.add(Constraint::Move { to, from, length });
                }
            }
            Special::Renews(from) | Special::Duplicates(from) => {
                let Some(from) = argument(from) else { return };
                let to = self.address(fresh, Offset::START);
                self.solver.add(Constraint::Move { to, from, length });
                if let (Special::Renews(_), Some(&result)) = (effect.special, results.first()) {
                    self.copy(from, result);
                }
            }
            Special::Allocates(to) => {
                let from = self.address(fresh, Offset::START);
                if let Some(to) = argument(to) {
                    self.store(to, 8, from);
                }
            }
            Special::Ends(from, to) => {
                if let (Some(from), Some(to)) = (argument(from), argument(to)) {
                    let any = self.solver.variable();
                    self.shift(from, any, 0, 1);
                    self.store(to, 8, any);
                }
            }
            Special::Formats => {
                if let Some(to) = argument(0) {
                    let text = self.told(&arguments[1..]);
                    self.store_anywhere(to, text);
                }
            }
            Special::Prints => {
                let files = self.address(Object::Library(Library::Files), Offset::ANY);
                let text = self.told(&arguments);
                self.store_anywhere(files, text);
            }
            Special::Output(from) => {
                let files = self.address(Object::Library(Library::Files), Offset::ANY);
                if let Some(from) = argument(from) {
                    let text = self.contents(from);
                    self.store_anywhere(files, text);
                }
            }
            Special::Input(to) => {
                let files = self.address(Object::Library(Library::Files), Offset::ANY);
                if let Some(to) = argument(to) {
                    let text = self.contents(files);
                    self.store_anywhere(to, text);
                }
            }
            Special::Starts(callee, with) => {
                let result = self.of_threads;
                self.call_back(argument(callee), vec![argument(with)], vec![result]);
            }
            Special::StartsState => self.start_state(argument(1)),
            Special::Joins(to) => {
                if let Some(to) = argument(to) {
                    let from = self.of_threads;
                    self.store(to, 8, from);
                }
            }
            Special::EndsThread(with) => {
                if let Some(from) = argument(with) {
                    let to = self.of_threads;
                    self.copy(from, to);
                }
            }
            Special::Calls(callee) => self.call_back(argument(callee), Vec::new(), Vec::new()),
            Special::CallsWith(callee, with) => {
                self.call_back(argument(callee), vec![argument(with)], Vec::new());
            }
            Special::CallsStored(at) => {
                let callee = argument(at).map(|at| self.contents(at));
                self.call_back(callee, Vec::new(), Vec::new());
            }
            Special::CallsOnceCall => {
                if let Some(global) = self.module.global("_ZSt11__once_call") {
                    let at = self.address(Object::Global(global), Offset::START);
                    let callee = self.contents(at);
                    self.call_back(Some(callee), Vec::new(), Vec::new());
                }
            }
            Special::Throws(exception, object) => {
                if let (Some(exception), Some(object)) = (argument(exception), argument(object)) {
                    let to = self.thrown;
                    self.copy(exception, to);
                    let part = self.solver.variable();
                    self.shift(object, part, 0, 1);
                    let pointer = self.contents(object);
                    self.shift(pointer, part, 0, 1);
                    self.store_anywhere(exception, part);
                }
            }
            Special::MakesKey(callee) => {
                let kept = self.under_keys;
                self.call_back(argument(callee), vec![Some(kept)], Vec::new());
            }
            Special::SetsKey(value) => {
                if let Some(from) = argument(value) {
                    let to = self.under_keys;
                    self.copy(from, to);
                }
            }
            Special::GetsKey => {
                if let Some(&to) = results.first() {
                    let from = self.under_keys;
                    self.copy(from, to);
                }
            }
        }
    }

    /// The addresses that a text made of these arguments may contain: the arguments, and what they
    /// point to.
    fn told(&mut self, arguments: &[Option<VarId>]) -> VarId {
        let text = self.solver.variable();
        for argument in arguments.iter().flatten() {
            self.shift(*argument, text, 0, 1);
            // A list of variable arguments leads to the arguments, and these to their texts.
            let mut behind = *argument;
            for _ in 0..3 {
                behind = self.contents(behind);
                self.shift(behind, text, 0, 1);
            }
        }
        text
    }

    /// `std::thread::_State`: argument 1 points to a pointer to an object whose table of virtual
    /// functions has the two destructors and what the thread runs.
    fn start_state(&mut self, state: Option<VarId>) {
        let Some(state) = state else { return };
        let object = self.solver.variable();
        self.load(state, Some(8), object);
        let table = self.solver.variable();
        self.load(object, Some(8), table);
        let functions = self.contents(table);
        self.call_back(Some(functions), vec![Some(object)], Vec::new());
    }
}
