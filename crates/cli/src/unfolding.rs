//! `--dump-unfolding`: the file, by whose name its form is known.

use crate::args::CheckArgs;
use crate::output::note;
use selvedge_session::{Checked, Form, Options, Plan, Strategy, write_file};
use std::path::Path;

/// The file asked for; in words what is wrong with it.
pub(crate) fn wanted<'a>(args: &'a CheckArgs, options: &Options) -> Result<Option<&'a Path>, String> {
    let Some(file) = &args.dump_unfolding else {
        return Ok(None);
    };
    if Plan::first(options).strategy != Strategy::Unfold {
        return Err("--dump-unfolding needs --strategy unfold".to_owned());
    }
    match form(file) {
        Some(_) => Ok(Some(file)),
        None => Err(format!(
            "--dump-unfolding {}: the name must end in .dot, .json or .html",
            file.display()
        )),
    }
}

fn form(file: &Path) -> Option<Form> {
    match file.extension()?.to_str()? {
        "dot" => Some(Form::Dot),
        "json" => Some(Form::Json),
        "html" => Some(Form::Html),
        _ => None,
    }
}

/// Writes the unfolding of a run, if it is small enough.
pub(crate) fn write(checked: &Checked, file: &Path) -> Result<(), String> {
    let Some(form) = form(file) else { return Ok(()) };
    let Some(text) = checked.unfolding(form).map_err(|error| error.to_string())? else {
        note(&format!(
            "note: {} is not written: the unfolding has more than {} events",
            file.display(),
            selvedge_session::MOST_EVENTS
        ));
        return Ok(());
    };
    write_file(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}
