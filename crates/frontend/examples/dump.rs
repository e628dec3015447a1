//! Prints the intermediate representation of a program: `dump FILE...`.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let inputs: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let loaded = selvedge_frontend::load(&inputs, &selvedge_frontend::Options::default())?;
    for (id, function) in loaded.module.functions.iter_ids().filter(|(_, f)| f.is_defined()) {
        println!("{id} {} {:?}", function.display, function.locals.as_slice());
        for (block, body) in function.blocks.iter_ids() {
            println!("{block}:");
            for inst in &body.insts {
                println!("    {:?} {:?}", inst.stmt, inst.kind);
            }
            println!("    {:?}", body.term);
        }
    }
    for (id, global) in loaded.module.globals.iter_ids() {
        println!("{id} {global:?}");
    }
    let names = loaded.undefined.iter().map(|&f| &loaded.module.functions[f].name);
    println!("undefined: {:?}", names.collect::<Vec<_>>());
    Ok(())
}
