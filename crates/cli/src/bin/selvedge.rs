//! The `selvedge` command. Everything is in the library beside it, so that the differential hunt
//! can call it, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    selvedge::main()
}
