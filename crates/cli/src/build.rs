//! `selvedge build`: the native program of a set of schedules, or of one test case or finding.

use crate::args::BuildArgs;
use crate::cover;
use crate::exit::Exit;
use crate::native;
use crate::native_case;

/// Runs the command.
pub(crate) fn run(args: &BuildArgs) -> Exit {
    let made = match (&args.case, &args.inputs[..], &args.schedules) {
        (Some(case), _, _) => native_case::make(case, args.trust, &args.output),
        (None, inputs @ [_, ..], Some(schedules)) => cover::read(schedules)
            .and_then(|cover| native::make(inputs, &cover, &args.output, args.on_deviation)),
        _ => Err(Exit::usage("sources and --schedules, or --case")),
    };
    match made {
        Ok(()) => Exit::Code(0),
        Err(exit) => exit,
    }
}
