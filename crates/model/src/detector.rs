//! Detectors: folds over events that can be undone together with the machine.

use crate::{Event, Fault, Held, Machine, ObjectId, Places};
use selvedge_base::{ContextId, Digest, Domain, StmtId, ThreadId};

/// A read, or a failing attempt, that a thread repeats for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// The object that is read or tried.
    pub object: ObjectId,
    /// The number of bytes; 0 if this is no memory access.
    pub size: u32,
    /// True if the thread waits there for a signal, and gives up.
    pub waits: bool,
    /// The statement.
    pub stmt: StmtId,
    /// The calling context of the statement.
    pub context: ContextId,
}

/// A thread that runs in a loop without effect, and will do so for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spin {
    /// The thread.
    pub thread: ThreadId,
    /// What it reads or tries in one round, in the order of statements.
    pub looks: Vec<Look>,
    /// True if the thread [may end](Machine::may_end) when it reads something else.
    pub may_end: bool,
}

/// Follows the events of the current execution. The explorer calls `mark` and `undo` at the same
/// points on the machine and on the detector, so both go back together.
pub trait Detector<M: ?Sized> {
    /// A position in the detector's own log.
    type Mark: Copy;
    /// The present position.
    fn mark(&mut self) -> Self::Mark;
    /// Undoes all events since the mark.
    fn undo(&mut self, mark: Self::Mark);
    /// Processes the event that the machine just took (its accesses are `machine.accesses()`). Adds
    /// the faults that it finds to `faults`.
    fn event(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>);
    /// Processes the end of an execution: no thread is enabled.
    fn end(&mut self, machine: &M, faults: &mut Vec<Fault>);
    /// Processes an execution that is not followed further because the states that follow are
    /// known.
    fn cut(&mut self, _machine: &M, _faults: &mut Vec<Fault>) {}
    /// Processes a state in which the next event reads a request. `part`: one schedule of a set
    /// ends there, and what follows is known by this number.
    fn junction(&mut self, _machine: &M, _part: Option<usize>) {}
    /// Processes a state in which a thread has only looked at memory for long. The execution is not
    /// followed any further.
    fn goes_round(&mut self, _machine: &M, _thread: ThreadId) {}
    /// Processes a blocked thread that never moves again in any continuation of an execution that
    /// never ends.
    fn stuck(&mut self, _machine: &M, _thread: ThreadId, _faults: &mut Vec<Fault>) {}
    /// Processes a state in which all enabled threads run in loops without effect for ever.
    fn spin(&mut self, _machine: &M, _spins: &[Spin], _faults: &mut Vec<Fault>) {}
    /// A digest of the remembered events that may still lead to faults. If it is equal for two
    /// executions, the same later events bring the same faults. It uses names that do not depend on
    /// the interleaving. `None` if the detector's results follow from the machine's state.
    fn digest(&self, _machine: &M) -> Option<Digest> {
        None
    }
    /// How many remembered events and sums of them [`digest`](Detector::digest) has looked at so
    /// far: the work of all calls.
    fn looked_at(&self) -> u64 {
        0
    }
    /// The remembered accesses to these places that later accesses may race with. If one
    /// execution's result [includes](Held::includes) another's, then the same later events bring at
    /// least the same faults at these places. It uses names that do not depend on the interleaving.
    /// `None` if the detector's results follow from the machine's state.
    fn held(&self, _machine: &M, _places: &Places) -> Option<Held> {
        None
    }
    /// The exploration starts again, and the machine is in its initial state. A detector that keeps
    /// data over several executions must drop it here.
    fn forget(&mut self) {}
}

/// The states of two detectors, one after the other.
static PAIR: Domain = Domain::new("detector pair");

/// A detector that does nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoDetector;

impl<M: Machine + ?Sized> Detector<M> for NoDetector {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    fn event(&mut self, _: &M, _: &Event, _: &mut Vec<Fault>) {}
    fn end(&mut self, _: &M, _: &mut Vec<Fault>) {}
}

impl<M: ?Sized, A: Detector<M>, B: Detector<M>> Detector<M> for (A, B) {
    type Mark = (A::Mark, B::Mark);
    #[inline]
    fn mark(&mut self) -> Self::Mark {
        (self.0.mark(), self.1.mark())
    }
    #[inline]
    fn undo(&mut self, mark: Self::Mark) {
        self.0.undo(mark.0);
        self.1.undo(mark.1);
    }
    #[inline]
    fn event(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        self.0.event(machine, event, faults);
        self.1.event(machine, event, faults);
    }
    #[inline]
    fn end(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        self.0.end(machine, faults);
        self.1.end(machine, faults);
    }
    fn cut(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        self.0.cut(machine, faults);
        self.1.cut(machine, faults);
    }
    fn goes_round(&mut self, machine: &M, thread: ThreadId) {
        self.0.goes_round(machine, thread);
        self.1.goes_round(machine, thread);
    }
    fn junction(&mut self, machine: &M, part: Option<usize>) {
        self.0.junction(machine, part);
        self.1.junction(machine, part);
    }
    fn stuck(&mut self, machine: &M, thread: ThreadId, faults: &mut Vec<Fault>) {
        self.0.stuck(machine, thread, faults);
        self.1.stuck(machine, thread, faults);
    }
    fn spin(&mut self, machine: &M, spins: &[Spin], faults: &mut Vec<Fault>) {
        self.0.spin(machine, spins, faults);
        self.1.spin(machine, spins, faults);
    }
    fn held(&self, machine: &M, places: &Places) -> Option<Held> {
        match (self.0.held(machine, places), self.1.held(machine, places)) {
            (Some(a), Some(b)) => Some(a.and(b)),
            (a, b) => a.or(b),
        }
    }
    fn digest(&self, machine: &M) -> Option<Digest> {
        match (self.0.digest(machine), self.1.digest(machine)) {
            (Some(a), Some(b)) => {
                let [[a, b], [c, d]] = [a.words(), b.words()];
                Some(Digest::of_words(&PAIR, &[a, b, c, d]))
            }
            (a, b) => a.or(b),
        }
    }
    fn looked_at(&self) -> u64 {
        self.0.looked_at() + self.1.looked_at()
    }
    fn forget(&mut self) {
        self.0.forget();
        self.1.forget();
    }
}

/// A detector that may be switched off.
impl<M: ?Sized, D: Detector<M>> Detector<M> for Option<D> {
    type Mark = Option<D::Mark>;
    #[inline]
    fn mark(&mut self) -> Self::Mark {
        self.as_mut().map(D::mark)
    }
    #[inline]
    fn undo(&mut self, mark: Self::Mark) {
        if let (Some(detector), Some(mark)) = (self, mark) {
            detector.undo(mark);
        }
    }
    #[inline]
    fn event(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        if let Some(detector) = self {
            detector.event(machine, event, faults);
        }
    }
    #[inline]
    fn end(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        if let Some(detector) = self {
            detector.end(machine, faults);
        }
    }
    fn cut(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        if let Some(detector) = self {
            detector.cut(machine, faults);
        }
    }
    fn goes_round(&mut self, machine: &M, thread: ThreadId) {
        if let Some(detector) = self {
            detector.goes_round(machine, thread);
        }
    }
    fn junction(&mut self, machine: &M, part: Option<usize>) {
        if let Some(detector) = self {
            detector.junction(machine, part);
        }
    }
    fn stuck(&mut self, machine: &M, thread: ThreadId, faults: &mut Vec<Fault>) {
        if let Some(detector) = self {
            detector.stuck(machine, thread, faults);
        }
    }
    fn spin(&mut self, machine: &M, spins: &[Spin], faults: &mut Vec<Fault>) {
        if let Some(detector) = self {
            detector.spin(machine, spins, faults);
        }
    }
    fn held(&self, machine: &M, places: &Places) -> Option<Held> {
        self.as_ref().and_then(|detector| detector.held(machine, places))
    }
    fn digest(&self, machine: &M) -> Option<Digest> {
        self.as_ref().and_then(|detector| detector.digest(machine))
    }
    fn looked_at(&self) -> u64 {
        self.as_ref().map_or(0, D::looked_at)
    }
    fn forget(&mut self) {
        if let Some(detector) = self {
            detector.forget();
        }
    }
}
