//! Requests that read the current stop: threads, stacks, variables, sources.

use crate::expression;
use crate::handles::Handle;
use crate::protocol::{Evaluate, Initialize, OfThread, SetBreakpoints, SourceText, Variables};
use crate::session::Session;
use crate::stack::{calls, thread_name};
use crate::value::expand::{count, has_elements, member, parts, pointee};
use crate::value::{Term, text, type_of};
use selvedge_base::{FileId, Id, ThreadId};
use selvedge_model::{Describe, Machine, Status};
use selvedge_vm::inspect::{Content, Home, Variable};
use serde_json::{Value, json};

/// The maximum number of variables in one response, if the client does not ask for fewer.
const MOST_VARIABLES: u64 = 1000;

/// The body of a response, or the reason why the request fails.
pub(crate) type Answer = Result<Value, String>;

impl Session {
    /// `threads`.
    pub(crate) fn threads(&self) -> Value {
        let vm = self.vm();
        let all = (0..vm.pending().len()).map(ThreadId::from_index);
        let there = all.filter(|thread| {
            let ended = vm.pending()[thread.index()].status == Status::Finished;
            !ended || *thread == self.stop().thread
        });
        let threads: Vec<Value> = there
            .map(|thread| json!({"id": thread.index() + 1, "name": thread_name(vm, thread)}))
            .collect();
        json!({"threads": threads})
    }

    /// `stackTrace`.
    pub(crate) fn stack_trace(&mut self, asked: &OfThread, client: Initialize) -> Answer {
        let thread = self
            .thread(asked.thread_id)
            .ok_or_else(|| format!("there is no thread {}", asked.thread_id))?;
        let calls = calls(self.vm(), thread);
        let total = calls.len();
        let levels = if asked.levels == 0 { total } else { asked.levels };
        let mut frames = Vec::new();
        for call in calls.into_iter().skip(asked.start_frame).take(levels) {
            let id = self.handles.add(Handle::Frame(thread, call.frame));
            let (line, column) = (call.location.line, call.location.column);
            let mut frame = json!({
                "id": id,
                "name": call.name,
                "line": line.saturating_sub(u32::from(!client.lines_start_at1)),
                "column": column.saturating_sub(u32::from(!client.columns_start_at1)),
            });
            if line > 0 {
                frame["source"] = self.source_of(&call.location.file);
            }
            if call.is_several {
                frame["presentationHint"] = json!("label");
            } else if call.of_library {
                frame["presentationHint"] = json!("subtle");
            }
            frames.push(frame);
        }
        Ok(json!({"stackFrames": frames, "totalFrames": total}))
    }

    /// The description of a source file for the client.
    fn source_of(&self, name: &str) -> Value {
        let short = name.rsplit('/').next().unwrap_or_default();
        match self.debuggee.paths.get(name).filter(|path| path.is_file()) {
            Some(path) => json!({"name": short, "path": path.display().to_string()}),
            None if self.debuggee.texts.contains_key(name) => {
                let files = &self.debuggee.program.module.files;
                let number = files
                    .iter()
                    .position(|file| file == name)
                    .map_or(0, |index| index + 1);
                json!({"name": short, "path": name, "sourceReference": number})
            }
            None => json!({"name": short, "path": name, "presentationHint": "deemphasize"}),
        }
    }

    /// `source`: the text of a file that no longer exists at its path.
    pub(crate) fn source_text(&self, asked: &SourceText) -> Answer {
        let given = asked.source.clone().unwrap_or_default();
        let number = given.source_reference.unwrap_or(asked.source_reference);
        let files = &self.debuggee.program.module.files;
        let index = usize::try_from(number)
            .ok()
            .and_then(|number| number.checked_sub(1));
        let file = index.filter(|&i| i < files.len()).map(FileId::from_index);
        let text = file.and_then(|file| self.debuggee.texts.get(&files[file]));
        match text {
            Some(text) => Ok(json!({"content": text})),
            None => Err(format!("there is no source {number}")),
        }
    }

    /// `loadedSources`.
    pub(crate) fn sources(&self) -> Value {
        let files = self.breakpoints.files_with_code();
        let sources: Vec<Value> = files
            .into_iter()
            .map(|file| self.source_of(&self.debuggee.program.module.files[file]))
            .collect();
        json!({"sources": sources})
    }

    /// `setBreakpoints`.
    pub(crate) fn set_breakpoints(&mut self, asked: &SetBreakpoints, client: Initialize) -> Value {
        let first = i64::from(!client.lines_start_at1);
        let lines = asked.breakpoints.iter();
        let lines: Vec<i64> = lines.map(|b| b.line.saturating_add(first)).collect();
        let module = &self.debuggee.program.module;
        let told = self.breakpoints.set(module, &asked.source, &lines);
        let told = told.into_iter().zip(&asked.breakpoints).map(|(told, asked)| {
            let mut value = json!({"id": told.id, "verified": told.refused.is_none(), "line": asked.line});
            if let Some(why) = told.refused {
                value["message"] = json!(why);
            }
            value
        });
        json!({"breakpoints": told.collect::<Vec<Value>>()})
    }

    /// `scopes`.
    pub(crate) fn scopes(&mut self, frame: u64) -> Answer {
        let Some(&Handle::Frame(thread, frame)) = self.handles.get(frame) else {
            return Err(format!("there is no frame {frame} at this stop"));
        };
        let mut scopes = Vec::new();
        let mut add = |session: &mut Session, name: &str, hint: &str, handle: Handle| {
            let number = session.handles.add(handle);
            let mut scope = json!({"name": name, "variablesReference": number, "expensive": false});
            if !hint.is_empty() {
                scope["presentationHint"] = json!(hint);
            }
            scopes.push(scope);
        };
        if let Some(frame) = frame {
            add(self, "Locals", "locals", Handle::Locals(thread, frame));
        }
        add(self, "Globals", "", Handle::Globals);
        if !self.vm().thread_locals(thread).is_empty() {
            add(self, "Thread-locals", "", Handle::ThreadLocals(thread));
        }
        add(self, "Thread", "", Handle::State(thread));
        Ok(json!({"scopes": scopes}))
    }

    /// `variables`.
    pub(crate) fn variables(&mut self, asked: &Variables) -> Answer {
        let number = asked.variables_reference;
        let Some(handle) = self.handles.get(number).cloned() else {
            return Err(format!("there are no variables {number} at this stop"));
        };
        let most = match asked.count {
            0 => MOST_VARIABLES,
            count => count.min(MOST_VARIABLES),
        };
        let named: Vec<(String, Term)> = match handle {
            Handle::State(thread) => return Ok(json!({"variables": self.state_of(thread)})),
            Handle::Frame(..) => return Err(format!("{number} is a frame")),
            Handle::Locals(thread, frame) => terms(self.vm().variables(thread, frame)),
            Handle::Globals => terms(self.vm().globals()),
            Handle::ThreadLocals(thread) => terms(self.vm().thread_locals(thread)),
            Handle::Term(term) => {
                let parts = parts(self.vm(), &term, asked.start, most);
                let told: Vec<(String, Term)> = parts.map(|part| (part.name, part.term)).collect();
                let variables: Vec<Value> = told.iter().map(|(name, term)| self.told(name, term)).collect();
                return Ok(json!({"variables": variables}));
            }
        };
        let named = named.iter().skip(asked.start as usize).take(most as usize);
        let variables: Vec<Value> = named.map(|(name, term)| self.told(name, term)).collect();
        Ok(json!({"variables": variables}))
    }

    /// The description of a variable for the client.
    fn told(&mut self, name: &str, term: &Term) -> Value {
        let mut value = self.valued(term);
        value["name"] = json!(name);
        value["value"] = value["result"].take();
        if let Some(fields) = value.as_object_mut() {
            fields.remove("result");
        }
        if !term.path.is_empty() {
            value["evaluateName"] = json!(term.path);
        }
        value
    }

    /// A value with its type, and a reference to its parts.
    fn valued(&mut self, term: &Term) -> Value {
        let vm = self.vm();
        let mut value = json!({"result": text(vm, term), "variablesReference": 0});
        let ty = type_of(vm, term);
        if !ty.is_empty() {
            value["type"] = json!(ty);
        }
        let (parts, numbered) = (count(vm, term), has_elements(vm, term));
        if parts > 0 {
            let kind = if numbered {
                "indexedVariables"
            } else {
                "namedVariables"
            };
            value[kind] = json!(parts);
            value["variablesReference"] = json!(self.handles.add(Handle::Term(term.clone())));
        }
        value
    }

    /// The state of a thread.
    fn state_of(&self, thread: ThreadId) -> Vec<Value> {
        let vm = self.vm();
        let plain =
            |name: &str, value: String| json!({"name": name, "value": value, "variablesReference": 0});
        let mut lines = vec![plain("state", vm.blocked_on(thread))];
        if let Some(next) = self.debuggee.steps.get(self.stop().step)
            && thread == self.stop().thread
            && !self.is_at_end()
        {
            let when = if self.stop().line == 0 { "next" } else { "last" };
            lines.push(plain(when, next.text.clone()));
        }
        for (lock, stmt, context) in vm.locks_held(thread) {
            let at = vm.own_location(stmt, context);
            let file = at.file.rsplit('/').next().unwrap_or_default();
            let name = format!("holds {}", vm.object_name(lock));
            lines.push(plain(&name, format!("taken at {file}:{}", at.line)));
        }
        lines
    }

    /// `evaluate`.
    pub(crate) fn evaluate(&mut self, asked: &Evaluate) -> Answer {
        let frame = match asked.frame_id.map(|id| self.handles.get(id)) {
            None => None,
            Some(Some(&Handle::Frame(thread, frame))) => Some((thread, frame)),
            Some(_) => return Err("there is no such frame at this stop".to_owned()),
        };
        let thread = frame.map_or(self.stop().thread, |(thread, _)| thread);
        let vm = self.vm();
        let variable = |name: &str| {
            let locals = match frame {
                Some((thread, Some(frame))) => vm.variables(thread, frame),
                _ => Vec::new(),
            };
            let others = || vm.thread_locals(thread).into_iter().chain(vm.globals());
            let found = innermost(&locals, name);
            let found = found.or_else(|| others().find(|variable| variable.name == name));
            // A member of `this` in a member function of C++.
            let own = || member(vm, &pointee(vm, &term(innermost(&locals, "this")?).1)?, name);
            found.map(|found| term(found).1).or_else(own)
        };
        let found = expression::evaluate(vm, &asked.expression, &variable)?;
        Ok(self.valued(&found))
    }

    /// `exceptionInfo`.
    pub(crate) fn exception_info(&self) -> Answer {
        if !self.stop().is_wrong {
            return Err("nothing is wrong here: the finding is at the end of the schedule".to_owned());
        }
        let Some(ending) = &self.debuggee.ending else {
            return Err(self.message());
        };
        let mut lines = ending.related.clone();
        lines.extend(ending.cause.iter().map(|cause| format!("cause: {cause}")));
        Ok(json!({
            "exceptionId": ending.kind,
            "description": ending.message,
            "breakMode": "always",
            "details": {"message": ending.message, "typeName": ending.kind, "stackTrace": lines.join("\n")},
        }))
    }
}

/// The most likely variable with this name, since blocks of a function may have several: the last
/// one that has a value, else the last one.
fn innermost(variables: &[Variable], name: &str) -> Option<Variable> {
    let same = || variables.iter().rev().filter(|variable| variable.name == name);
    let has_value = |variable: &&Variable| match variable.home {
        Home::Register(_, content) => content != Content::Undefined,
        Home::Memory(..) => true,
        Home::Nowhere => false,
    };
    same().find(has_value).or_else(|| same().next()).cloned()
}

fn terms(variables: Vec<Variable>) -> Vec<(String, Term)> {
    variables.into_iter().map(term).collect()
}

fn term(variable: Variable) -> (String, Term) {
    let term = Term {
        path: variable.name.clone(),
        shape: variable.shape,
        home: variable.home,
    };
    (variable.name, term)
}
