//! Builds the programs named on the command line: `build OUT COPYDIR FILE...`.

use translator::{CompilerOptions, ModuleCompiler, ProgramSource};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(out), Some(copy)) = (args.next(), args.next()) else {
        return Err("usage: build OUT COPYDIR FILE...".into());
    };
    let mut options = CompilerOptions::new(out);
    options.copy_dirs = vec![copy.into()];
    let compiler = ModuleCompiler::new(options)?;
    let sources: Vec<ProgramSource> = args.map(ProgramSource::new).collect();
    for built in compiler.build_all(&sources, |_| ()) {
        let module = built.module.map_or("-".into(), |m| m.display().to_string());
        println!(
            "{} {:?} cics={} {module}",
            built.source.display(),
            built.programs,
            built.uses_cics
        );
        for d in &built.diagnostics {
            println!("  {d}");
        }
    }
    Ok(())
}
