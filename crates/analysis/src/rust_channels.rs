//! Channels of Rust's standard library (`std::sync::mpsc`): each operation is one step.
//!
//! A channel there is a queue without locks. To send, a thread reserves a place, moves the message
//! there, and says that it has done so; to receive, it does the reverse. A thread that finds no
//! message, or no room, enters a list of those that wait, looks again, and sleeps until somebody
//! wakes it. One message passes through about forty atomic accesses, and all their interleavings
//! with other operations are different executions. What comes of them is what comes of executing
//! the operations one after the other.
//!
//! So the code of an operation is put between calls of two functions of the machine
//! ([`selvedge_ir::CHANNEL`]), and everything between them is one step. The code itself stays: it
//! moves the messages, and its atomic accesses order threads for data races as they do in the
//! library. An operation that waits is possible once there is what it waits for. So its first
//! attempt succeeds, and the list of those who wait stays empty.
//!
//! *Why nothing is lost, and nothing added.* The library's queues are linearisable (Herlihy and
//! Wing, 1990): each execution has the outcomes of one in which each operation happens at one
//! moment between its call and its return. A thread that waits for ever in the one waits for ever
//! in the other, since the library wakes a thread for each message, and all of them when the other
//! end is gone. This is assumed of the library, not proven here, as for its locks. *Happens-before*
//! is that of the execution in which operations do not overlap: a message orders its sender before
//! its receiver.
//!
//! *Disconnecting* sets a bit of the senders' word. That access is a step of its kind, too, so that
//! the machine tells it from others: it makes no difference to who receives a message that is
//! there.
//!
//! *What is not part of it* is executed as it is: counting the ends of a channel, and what the last
//! receiver does with the messages that are left once the bit is set. Nobody else accesses these
//! any more: a sender that finds the bit goes away.
//!
//! *Parking.* In the library, a thread that waits for a channel parks. So it may use up an `unpark`
//! that was meant for another `park` of its thread, and may be left with one. Programs that park
//! themselves would notice, so they have the library as it is. The library's own code that parks
//! (channels, scopes) looks again whenever it goes on.
//!
//! *Allocating.* An operation may allocate a block of the queue, or free one. If the program has an
//! allocator of its own (`#[global_allocator]`), that is code of the program, whose actions other
//! threads may see. Then all is as in the library.
//!
//! *When.* All is as in the library, or nothing: where only some operations were one step, others
//! could come in between without being seen. So nothing is changed if one of them has another form
//! than rustc gives it without optimisation, if it has become part of other functions, or if the
//! program receives or sends with a deadline. Channels that keep no message (`sync_channel(0)`)
//! are executed; they use locks.

use super::rust_locks::declare;
use super::rust_parking::{called, parks_itself};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{
    Block, CHANNEL, CHANNEL_TAIL, Callee, FuncId, Function, Inst, InstKind, Module, Operand, Reg, RegInfo,
    RmwOp, Terminator, Type, Until,
};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;

/// The kinds of channels that keep messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    /// Without a limit.
    List,
    /// With a limit.
    Array,
}

const TYPES: [(Kind, &str); 2] = [
    (Kind::List, "std::sync::mpmc::list::Channel<"),
    (Kind::Array, "std::sync::mpmc::array::Channel<"),
];

/// The operations: what they wait for, and how their two halves are called.
const OPERATIONS: [(Kind, &str, Until, [&str; 2]); 7] = [
    (Kind::List, "send", Until::Now, SENDS),
    (Kind::List, "recv", Until::Message, RECEIVES),
    (Kind::List, "try_recv", Until::Now, RECEIVES),
    (Kind::Array, "send", Until::Room, SENDS),
    (Kind::Array, "try_send", Until::Now, SENDS),
    (Kind::Array, "recv", Until::LimitedMessage, RECEIVES),
    (Kind::Array, "try_recv", Until::Now, RECEIVES),
];
/// What sets the mark: the last sender, or the last receiver.
const DISCONNECTS: [&str; 2] = ["disconnect_senders", "disconnect_receivers"];
const SENDS: [&str; 2] = ["start_send", "write"];
const RECEIVES: [&str; 2] = ["start_recv", "read"];

/// The operations that have a deadline.
const WITH_DEADLINE: [&str; 4] = ["recv_timeout", "recv_deadline", "send_timeout", "send_deadline"];

/// The functions through which Rust allocates are called so, and so are those behind them if the
/// program has no allocator of its own.
const ALLOCATES: &str = "_7___rustc";
const ALLOCATORS: [&str; 4] = [
    "___rust_alloc",
    "___rust_dealloc",
    "___rust_realloc",
    "___rust_alloc_zeroed",
];
const OF_SYSTEM: &str = "___rdl_";

/// The function through which unoptimised code reads an atomic variable.
const LOAD: &str = "core::sync::atomic::atomic_load";

/// Whether a program has an allocator of its own.
pub(crate) fn has_own_allocator(module: &Module) -> bool {
    let is_allocator = |function: &&Function| {
        // LLVM may have added a suffix.
        let name = function.name.split('.').next().unwrap_or_default();
        name.contains(ALLOCATES) && ALLOCATORS.iter().any(|end| name.ends_with(end))
    };
    let is_of_system = |inst: &Inst| match called(inst) {
        Some((callee, _)) => module.functions[callee].name.contains(OF_SYSTEM),
        None => !matches!(inst.kind, InstKind::Call { .. }),
    };
    let mut allocators = module.functions.iter().filter(is_allocator);
    allocators.any(|function| {
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        !insts.all(is_of_system)
    })
}

/// A method of a channel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Method {
    kind: Kind,
    /// The type of the messages, as far as names say it.
    of: String,
    name: String,
}

fn method(function: &Function) -> Option<Method> {
    if !function.is_defined() || !function.name.contains("Channel") {
        return None;
    }
    let name = selvedge_ir::demangle(&function.name);
    let name = name.trim_start_matches('<');
    let (kind, rest) = (TYPES.iter()).find_map(|&(kind, prefix)| Some((kind, name.strip_prefix(prefix)?)))?;
    let (of, name) = rest.rsplit_once(">::")?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| Method {
        kind,
        of: of.trim_end_matches('>').to_owned(),
        name: name.to_owned(),
    })
}

/// An operation that is to become one step.
struct Operation {
    function: FuncId,
    /// True if it is the instruction alone, and not all from there on.
    alone: bool,
    /// The first half, or the instruction: the block, its place there, and the channel.
    block: usize,
    at: usize,
    channel: Operand,
    stmt: StmtId,
    until: Until,
    /// The distance to the mark, or 0.
    mark: u128,
}

/// Makes each operation on a channel one step, where all of them can be. Returns their number.
pub fn join(module: &mut Module) -> usize {
    let methods: BTreeMap<FuncId, Method> = (module.functions.iter_ids())
        .filter_map(|(id, function)| Some((id, method(function)?)))
        .collect();
    let Some(operations) = Channels {
        module,
        methods: &methods,
    }
    .operations() else {
        return 0;
    };
    if operations.is_empty() {
        return 0;
    }
    let [begin, end] = CHANNEL;
    let begin = declare(module, begin, &[Type::Ptr, Type::I32, Type::I32]);
    let end = declare(module, end, &[]);
    for operation in &operations {
        let function = &mut module.functions[operation.function];
        let number = |n| (Operand::Const(n, Type::I32), Type::I32);
        let args = [
            (operation.channel, Type::Ptr),
            number(operation.until as u128),
            number(operation.mark),
        ];
        let begins = call(function, begin, &args, operation.stmt);
        if operation.alone {
            let ends = call(function, end, &[], operation.stmt);
            let insts = &mut function.blocks[Id::from_index(operation.block)].insts;
            insts.insert(operation.at + 1, ends);
            insts.insert(operation.at, begins);
            continue;
        }
        for index in 0..function.blocks.len() {
            let block = &function.blocks[Id::from_index(index)];
            if matches!(block.term, Terminator::Return(_)) {
                let ends = call(function, end, &[], block.term_stmt);
                function.blocks[Id::from_index(index)].insts.push(ends);
            }
        }
        let block = &mut function.blocks[Id::from_index(operation.block)];
        block.insts.insert(operation.at, begins);
    }
    operations.len()
}

fn call(function: &mut Function, callee: FuncId, args: &[(Operand, Type)], stmt: StmtId) -> Inst {
    let answer = function.regs.push(RegInfo::unnamed(Type::I32));
    Inst {
        stmt,
        kind: InstKind::Call {
            results: smallvec![answer],
            callee: Callee::Direct(callee),
            args: args.iter().map(|&(operand, _)| operand).collect(),
            types: args.iter().map(|&(_, ty)| ty).collect::<SmallVec<_>>(),
        },
    }
}

/// The methods of channels that a module has.
struct Channels<'a> {
    module: &'a Module,
    methods: &'a BTreeMap<FuncId, Method>,
}

impl Channels<'_> {
    /// The operations; `None` if one of them has another form than expected.
    fn operations(&self) -> Option<Vec<Operation>> {
        if self.methods.is_empty()
            || self.has_deadlines()
            || parks_itself(self.module)
            || has_own_allocator(self.module)
        {
            return None;
        }
        let mut found = Vec::new();
        for (&id, method) in self.methods {
            let mut operations = OPERATIONS.iter();
            let operation =
                operations.find(|&&(kind, name, ..)| (kind, name) == (method.kind, method.name.as_str()));
            if let Some(&(_, _, until, halves)) = operation {
                found.push(self.operation(id, method, until, halves)?);
            }
        }
        if !found.is_empty() {
            found.extend(
                self.methods
                    .iter()
                    .filter_map(|(&id, method)| self.disconnecting(id, method)),
            );
        }
        let halves = || SENDS.iter().chain(&RECEIVES);
        let is_half = |id: &FuncId| {
            let method = self.methods.get(id);
            method.is_some_and(|method| halves().any(|half| *half == method.name))
        };
        let is_operation = |id: FuncId| found.iter().any(|operation| operation.function == id);
        for (id, function) in self.module.functions.iter_ids() {
            let insts = function.blocks.iter().flat_map(|block| &block.insts);
            let calls_half = insts.filter_map(called).any(|(callee, _)| is_half(&callee));
            if calls_half && !is_operation(id) {
                return None;
            }
        }
        Some(found)
    }

    /// Whether there is an operation with a deadline.
    fn has_deadlines(&self) -> bool {
        self.module.functions.iter().any(|function| {
            function.is_defined() && WITH_DEADLINE.iter().any(|name| function.name.contains(name)) && {
                let name = super::rust_start::plain_name(function);
                name.starts_with("std::sync::mp")
                    && WITH_DEADLINE
                        .iter()
                        .any(|deadline| name.ends_with(&format!("::{deadline}")))
            }
        })
    }

    fn operation(&self, id: FuncId, method: &Method, until: Until, halves: [&str; 2]) -> Option<Operation> {
        let function = &self.module.functions[id];
        let mut places: [Option<(usize, usize, &Inst)>; 2] = [None, None];
        for (number, block) in function.blocks.iter().enumerate() {
            for (at, inst) in block.insts.iter().enumerate() {
                let Some((callee, _)) = called(inst) else { continue };
                let Some(half) = self.half_of(callee, method, halves) else {
                    continue;
                };
                if places[half].replace((number, at, inst)).is_some() {
                    return None;
                }
            }
        }
        let [first, second] = places;
        let (block, at, inst) = first?;
        second?;
        let (start, channel) = called(inst)?;
        if !self.is_unoptimised(start) {
            return None;
        }
        Some(Operation {
            function: id,
            alone: false,
            block,
            at,
            channel: channel?,
            stmt: inst.stmt,
            until,
            mark: self.mark_of(method)?,
        })
    }

    /// The access that sets the mark.
    fn disconnecting(&self, id: FuncId, method: &Method) -> Option<Operation> {
        if !DISCONNECTS.contains(&method.name.as_str()) {
            return None;
        }
        let function = &self.module.functions[id];
        let channel = *function.params.first()?;
        let mut sets = function.blocks.iter().enumerate().flat_map(|(number, block)| {
            let insts = block.insts.iter().enumerate();
            let sets = insts.filter(|(_, inst)| sets_mark(function, &inst.kind).is_some());
            sets.map(move |(at, inst)| (number, at, inst.stmt))
        });
        let (block, at, stmt) = sets.next()?;
        sets.next().is_none().then_some(())?;
        Some(Operation {
            function: id,
            alone: true,
            block,
            at,
            channel: Operand::Reg(channel),
            stmt,
            until: Until::Now,
            mark: self.mark_of(method)?,
        })
    }

    /// The distance to the mark of a channel of this type, or 0.
    fn mark_of(&self, method: &Method) -> Option<u128> {
        match method.kind {
            Kind::List => self.mark(method, |value, _| {
                (value == Operand::Const(1, Type::I64)).then_some(0)
            }),
            Kind::Array => self.mark(method, |value, function| {
                distance(function, loaded(function, value)?)
            }),
        }
    }

    /// Which half of an operation of this method's type a function is.
    fn half_of(&self, callee: FuncId, method: &Method, halves: [&str; 2]) -> Option<usize> {
        let called = self.methods.get(&callee)?;
        let same = (called.kind, &called.of) == (method.kind, &method.of);
        halves.iter().position(|half| same && *half == called.name)
    }

    /// Whether a function reads atomic variables as code does that was not optimised.
    fn is_unoptimised(&self, function: FuncId) -> bool {
        let blocks = &self.module.functions[function].blocks;
        let mut insts = blocks.iter().flat_map(|block| &block.insts);
        insts.any(|inst| {
            called(inst).is_some_and(|(callee, _)| {
                let callee = &self.module.functions[callee];
                callee.name.contains("atomic_load") && super::rust_start::plain_name(callee).starts_with(LOAD)
            })
        })
    }

    /// What sets the mark of a channel of this type, given to a function: the only `or` on the word
    /// of the senders.
    fn mark(&self, method: &Method, read: impl Fn(Operand, &Function) -> Option<i64>) -> Option<u128> {
        let sets = |(_, other): &(&FuncId, &Method)| {
            (other.kind, &other.of) == (method.kind, &method.of) && other.name == "disconnect_senders"
        };
        let (id, _) = self.methods.iter().find(sets)?;
        let function = &self.module.functions[*id];
        let mut marks = function.blocks.iter().flat_map(|block: &Block| &block.insts);
        let value = marks.find_map(|inst| sets_mark(function, &inst.kind))?;
        u128::try_from(read(value, function)?).ok()
    }
}

/// The mark, if an instruction sets it: an `or` on the word of the senders.
fn sets_mark(function: &Function, kind: &InstKind) -> Option<Operand> {
    match *kind {
        InstKind::Rmw {
            op: RmwOp::Or,
            ptr,
            value,
            ..
        } if distance(function, ptr) == Some(CHANNEL_TAIL as i64) => Some(value),
        _ => None,
    }
}

/// The instruction that assigns a register.
fn assigned(function: &Function, operand: Operand) -> Option<&InstKind> {
    let Operand::Reg(wanted) = operand else {
        return None;
    };
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    let assigns = |inst: &&Inst| {
        let mut found = false;
        inst.kind.for_each_result(|reg: Reg| found |= reg == wanted);
        found
    };
    insts.find(assigns).map(|inst| &inst.kind)
}

/// The address that a register was loaded from.
fn loaded(function: &Function, operand: Operand) -> Option<Operand> {
    match assigned(function, operand)? {
        InstKind::Load { ptr, .. } => Some(*ptr),
        _ => None,
    }
}

/// The distance of an address from the first parameter.
fn distance(function: &Function, operand: Operand) -> Option<i64> {
    match assigned(function, operand)? {
        InstKind::Gep {
            base, offset, terms, ..
        } if terms.is_empty() && Some(*base) == function.params.first().map(|&reg| Operand::Reg(reg)) => {
            Some(*offset)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, ModuleBuilder};

    const OF_CHANNEL: &str = "_RNvMs1_NtNtNtCsjrHSEGnQ3l9_3std4sync4mpmc4listINtB5_7ChannellE";
    const PROGRAM: &str = "CscSYwAIFpW9W_7program";
    const LOAD: &str = "_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic11atomic_loadjECscSYwAIFpW9W_7program";
    const TIMED: &str =
        "_RNvMsg_NtNtCsjrHSEGnQ3l9_3std4sync4mpmcINtB5_8ReceiverlE12recv_timeoutCscSYwAIFpW9W_7program";

    const PARKS: &str = "_RNvMs_NtNtCsjrHSEGnQ3l9_3std6thread6threadNtB4_6Thread4park";
    const METHOD: &str =
        "_RNvXs_CscSYwAIFpW9W_7programNtNtNtCsjrHSEGnQ3l9_3std6thread6thread6ThreadNtB4_6Sleeps4doze";
    const OF_LIBRARY: &str = "_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions4park";

    /// What a module has otherwise than expected.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum But {
        Nothing,
        /// The first half is called a second time.
        StartsTwice,
        /// The second half has become part of the operation.
        HasNoSecondHalf,
        /// The code was optimised.
        IsOptimised,
        /// The mark is at another place.
        MarksAnotherWord,
        /// A function of the program is like the operation.
        IsAnotherOperation,
        /// There is an operation with a deadline.
        HasDeadline,
        /// The program parks threads.
        Parks,
        /// It does so in a method for a type of the library.
        ParksInAMethod,
        /// The program has an allocator of its own.
        Allocates,
    }

    /// Defines a function with this code, whose parameter is the channel.
    fn define(
        module: &mut ModuleBuilder,
        name: &str,
        code: impl FnOnce(&mut FunctionBuilder, Reg),
    ) -> FuncId {
        let mut function = FunctionBuilder::new(name);
        let channel = function.param(Type::Ptr);
        code(&mut function, channel);
        function.ret(&[]);
        module.define(function)
    }

    fn module(but: But) -> Module {
        let mut module = ModuleBuilder::new();
        let method = |name: &str| format!("{OF_CHANNEL}{}{name}{PROGRAM}", name.len());
        let load = define(&mut module, LOAD, |_, _| ());
        let start = define(&mut module, &method("start_recv"), |function, channel| {
            if but != But::IsOptimised {
                function.call(load, &[(Operand::Reg(channel), Type::Ptr)], &[]);
            }
        });
        let read = define(&mut module, &method("read"), |_, _| ());
        define(&mut module, &method("disconnect_senders"), |function, channel| {
            let word = function.reg(Type::Ptr);
            function.emit(InstKind::Gep {
                dst: word,
                base: Operand::Reg(channel),
                offset: if but == But::MarksAnotherWord {
                    64
                } else {
                    CHANNEL_TAIL as i64
                },
                terms: SmallVec::new(),
                inbounds: true,
            });
            let dst = function.reg(Type::I64);
            function.emit(InstKind::Rmw {
                op: RmwOp::Or,
                dst,
                ptr: Operand::Reg(word),
                value: Operand::Const(1, Type::I64),
                ty: Type::I64,
                order: AtomicOrder::SeqCst,
            });
        });
        let halves = |function: &mut FunctionBuilder, channel: Reg| {
            let args = [(Operand::Reg(channel), Type::Ptr)];
            for _ in 0..if but == But::StartsTwice { 2 } else { 1 } {
                function.call(start, &args, &[]);
            }
            if but != But::HasNoSecondHalf {
                function.call(read, &args, &[]);
            }
        };
        define(&mut module, &method("recv"), halves);
        if but == But::IsAnotherOperation {
            define(&mut module, "receives", halves);
        }
        let park = define(&mut module, PARKS, |_, _| ());
        let name = match but {
            But::Parks => "program",
            But::ParksInAMethod => METHOD,
            _ => OF_LIBRARY,
        };
        define(&mut module, name, |function, thread| {
            function.call(park, &[(Operand::Reg(thread), Type::Ptr)], &[]);
        });
        if but == But::HasDeadline {
            define(&mut module, TIMED, |_, _| ());
        }
        let name = match but {
            But::Allocates => "_RNvXCs1_7programNtB2_5CountNtNtNtCs2_4core5alloc6global11GlobalAlloc5alloc",
            _ => "_RNvCsfLfy6EI15iL_7___rustc11___rdl_alloc",
        };
        let system = define(&mut module, name, |_, _| ());
        define(
            &mut module,
            "_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc",
            |function, size| {
                function.call(system, &[(Operand::Reg(size), Type::Ptr)], &[]);
            },
        );
        module.finish()
    }

    /// How many operations are one step, and what the operation calls.
    fn joined(but: But) -> (usize, Vec<String>) {
        let mut module = module(but);
        let count = join(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let is_operation = |f: &&Function| {
            method(f).is_some_and(|method| (method.name.as_str(), method.kind) == ("recv", Kind::List))
        };
        let operation = module.functions.iter().find(is_operation).expect("it is there");
        let insts = operation.blocks.iter().flat_map(|block| &block.insts);
        let names = insts.filter_map(called).map(|(callee, _)| {
            let name = module.functions[callee].name.as_str();
            let name = name.strip_prefix(OF_CHANNEL).unwrap_or(name);
            name.strip_suffix(PROGRAM).unwrap_or(name).to_owned()
        });
        (count, names.collect())
    }

    #[test]
    fn an_operation_stands_between_two_calls() {
        let [begin, end] = CHANNEL;
        let names = [begin, "10start_recv", "4read", end].map(str::to_owned).to_vec();
        // The other one is the access that disconnects the channel.
        assert_eq!(joined(But::Nothing), (2, names));
    }

    #[test]
    fn whatever_is_otherwise_leaves_all_as_it_is() {
        for but in [
            But::StartsTwice,
            But::HasNoSecondHalf,
            But::IsOptimised,
            But::MarksAnotherWord,
            But::IsAnotherOperation,
            But::HasDeadline,
            But::Allocates,
            But::Parks,
            But::ParksInAMethod,
        ] {
            let (count, names) = joined(but);
            assert_eq!(count, 0, "{but:?}");
            assert!(
                !names.iter().any(|name| CHANNEL.contains(&name.as_str())),
                "{but:?}"
            );
        }
    }
}
