//! Prints the intermediate representation of a program: `dump [--summary] FILE...`.
//!
//! With `--summary` only what is unsupported or undefined, and whether the verifier is content.

use selvedge_ir::InstKind;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, inputs): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("-"));
    let (ours, cflags): (Vec<String>, Vec<String>) = flags.into_iter().partition(|f| f == "--summary");
    let inputs: Vec<PathBuf> = inputs.into_iter().map(PathBuf::from).collect();
    let options = selvedge_frontend::Options {
        cflags,
        ..Default::default()
    };
    let start = Instant::now();
    let loaded = selvedge_frontend::load(&inputs, &options)?;
    let time = start.elapsed();
    if ours.is_empty() {
        println!("{}", loaded.module);
    }
    for function in loaded.module.functions.iter() {
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            if let InstKind::Unsupported { what } = &inst.kind {
                println!("unsupported in {}: {what}", function.display);
            }
        }
    }
    for error in selvedge_ir::verify(&loaded.module).err().unwrap_or_default() {
        println!("malformed: {error}");
    }
    let names = loaded
        .undefined
        .iter()
        .map(|&f| loaded.module.functions[f].name.as_str());
    println!("undefined: {}", names.collect::<Vec<_>>().join(" "));
    println!("loaded in {time:?}");
    Ok(())
}
