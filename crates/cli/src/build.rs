//! `selvedge build`: the native program of a set of schedules, or of one test case or finding.

use crate::args::BuildArgs;
use crate::cover;
use crate::exit::Exit;
use crate::native;
use crate::native_case;
use selvedge_cover::Without;

/// Runs the command.
pub(crate) fn run(args: &BuildArgs) -> Exit {
    let of_set = |without: &Without| without.iter().find(|one| !one.is_of_program());
    if let Some(one) = args.without.as_ref().and_then(of_set) {
        return Exit::usage(&format!("--without {} is for `cover` and `run`", one.word()));
    }
    let native = (args.on_deviation, args.without.as_ref());
    let made = match (&args.case, &args.inputs[..], &args.schedules) {
        (Some(case), _, _) => native_case::make(case, args.trust, &args.output),
        (None, inputs @ [_, ..], Some(schedules)) => {
            cover::read(schedules).and_then(|cover| native::make(inputs, &cover, &args.output, native))
        }
        _ => Err(Exit::usage("sources and --schedules, or --case")),
    };
    match made {
        Ok(()) => Exit::Code(0),
        Err(exit) => exit,
    }
}
