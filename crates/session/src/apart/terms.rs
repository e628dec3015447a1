//! What decides what is explored, besides the program, as data that another machine can read.

use crate::error::Error;
use crate::options::{Dependence, Options, Strategy};
use crate::plan::Plan;
use crate::setup::Setup;
use selvedge_base::StmtId;
use selvedge_explore::Stop;
use selvedge_ir::Module;
use selvedge_model::{Input, Property};
use selvedge_schedule::Schedule;
use selvedge_vm::{Program, SolverOptions, Visibility};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

/// The options that name files of the machine where the session runs. Only contents travel.
const OF_FILES: [&str; 6] = ["stdin", "file", "dir", "client", "server", "symbolic-packet"];

/// What decides what is explored, besides the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The version of this program.
    pub tool: String,
    /// The [`hash`] of the module.
    pub program: String,
    /// The options of machines, as schedules store them.
    machine: Vec<(String, String)>,
    stdin: Option<Vec<u8>>,
    files: Vec<(String, Vec<u8>)>,
    /// Directories that the program is given, with what is in them.
    tree: Vec<(String, selvedge_vm::GivenEntry)>,
    /// The scripts of peers.
    peers: Vec<Vec<u8>>,
    inputs: Option<Vec<Input>>,
    solver_timeout: Option<Duration>,
    solver_layers: Option<Vec<String>>,
    properties: BTreeSet<Property>,
    strategy: String,
    all_accesses: bool,
    predicate: bool,
    essential: BTreeSet<StmtId>,
    one_block_class: bool,
    /// Where identical threads take turns.
    turns: BTreeSet<StmtId>,
    /// True if each action is an event of its own.
    stepping: bool,
    sleep_sets: bool,
    peek: bool,
    recall: bool,
    max_executions: Option<u64>,
    max_events: Option<u32>,
    stops_first: bool,
    seed: u64,
    coverage: bool,
}

/// The hash of a module's bytes, as text.
pub fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

impl Terms {
    /// The bytes of a module, as it travels.
    ///
    /// # Errors
    /// If there is no room for them.
    pub fn module_bytes(module: &Module) -> Result<Vec<u8>, Error> {
        postcard::to_allocvec(module).map_err(|error| Error::Internal(format!("the program: {error}")))
    }

    /// The terms as bytes.
    ///
    /// # Errors
    /// If there is no room for them.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        postcard::to_allocvec(self).map_err(|error| Error::Internal(format!("the options: {error}")))
    }

    /// Reads terms.
    ///
    /// # Errors
    /// If the bytes are none, or those of another version.
    pub fn read(bytes: &[u8]) -> Result<Terms, Error> {
        postcard::from_bytes(bytes).map_err(|error| Error::Program(format!("the options: {error}")))
    }

    pub(crate) fn of(
        options: &Options,
        (plan, setup): (Plan, &Setup),
        (program, module): (&Program, &Module),
    ) -> Result<Terms, Error> {
        let vm = &setup.vm;
        let mut machine = setup.schedule().options;
        machine.retain(|(name, _)| !OF_FILES.contains(&name.as_str()));
        let purpose = setup.predicate.as_ref();
        let turns = plan.turns && program.takes_turns();
        Ok(Terms {
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            program: hash(&Terms::module_bytes(module)?),
            machine,
            stdin: vm.stdin.clone(),
            files: vm.files.clone(),
            tree: vm.tree.clone(),
            peers: vm.peers.clone(),
            inputs: vm.inputs.clone(),
            solver_timeout: vm.solver.timeout,
            solver_layers: vm.solver.layers.clone(),
            properties: options.properties.clone(),
            strategy: plan.strategy.word().to_owned(),
            all_accesses: plan.visibility == Visibility::Memory,
            predicate: plan.dependence == Dependence::Predicate,
            essential: purpose.map(|purpose| purpose.also.clone()).unwrap_or_default(),
            one_block_class: setup.one_block_class,
            turns: if turns { program.turns() } else { BTreeSet::new() },
            stepping: program.is_spoiled(),
            sleep_sets: options.sleep_sets,
            peek: options.peek,
            recall: options.recall,
            max_executions: options.max_executions,
            max_events: options.max_events,
            stops_first: options.stop == Stop::First,
            seed: options.seed,
            coverage: options.coverage,
        })
    }

    /// True if samples are taken.
    pub fn samples(&self) -> bool {
        matches!(self.strategy.as_str(), "random" | "pct")
    }

    /// True if the number of executions is limited. Then nothing may be given away, because the
    /// executions are the first ones in depth-first order.
    pub fn is_bounded(&self) -> bool {
        self.max_executions.is_some()
    }

    pub(crate) fn turns(&self) -> &BTreeSet<StmtId> {
        &self.turns
    }

    pub(crate) fn essential(&self) -> &BTreeSet<StmtId> {
        &self.essential
    }

    pub(crate) fn stepping(&self) -> bool {
        self.stepping
    }

    /// The options and the plan.
    ///
    /// # Errors
    /// The option that is not known here, as text.
    pub(crate) fn options(&self) -> Result<(Options, Plan), String> {
        if let Some((name, _)) = self
            .machine
            .iter()
            .find(|(name, _)| OF_FILES.contains(&name.as_str()))
        {
            return Err(format!("option {name} names a file of this machine"));
        }
        let mut setup = Setup::from_schedule(&Schedule {
            inputs: Vec::new(),
            options: self.machine.clone(),
            steps: Vec::new(),
        })?;
        setup.vm.stdin.clone_from(&self.stdin);
        setup.vm.files.clone_from(&self.files);
        setup.vm.tree.clone_from(&self.tree);
        setup.vm.peers.clone_from(&self.peers);
        setup.vm.inputs.clone_from(&self.inputs);
        setup.vm.solver = SolverOptions {
            timeout: self.solver_timeout,
            layers: self.solver_layers.clone(),
            log_queries: None,
        };
        setup.one_block_class = self.one_block_class;
        let all = [Strategy::Dpor, Strategy::Random, Strategy::Pct];
        let strategy = all.into_iter().find(|strategy| strategy.word() == self.strategy);
        let strategy = strategy.ok_or_else(|| format!("strategy {} has no parts", self.strategy))?;
        let options = Options {
            setup,
            properties: self.properties.clone(),
            strategy: Some(strategy),
            sleep_sets: self.sleep_sets,
            peek: self.peek,
            recall: self.recall,
            max_executions: self.max_executions,
            max_events: self.max_events,
            stop: match self.stops_first {
                true => Stop::First,
                false => Stop::Never,
            },
            jobs: Some(1),
            seed: self.seed,
            coverage: self.coverage,
            apart: true,
            ..Options::default()
        };
        let visibility = match self.all_accesses {
            true => Visibility::Memory,
            false => Visibility::Sync,
        };
        let plan = match self.predicate {
            true => Plan::sliced_with(&options, strategy),
            false => Plan::of(&options, strategy, visibility),
        };
        let turns = !self.turns.is_empty();
        Ok((options, Plan { turns, ..plan }))
    }
}
