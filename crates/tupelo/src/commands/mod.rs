//! The subcommands: one file each, one row here.

use miette::Result;

use crate::Outcome;

#[cfg(test)]
mod examples;
pub mod groups;

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident => $module:ident),+ $(,)?) => {
        $(pub mod $module;)+

        /// What to do.
        #[derive(clap::Subcommand)]
        #[allow(clippy::large_enum_variant, reason = "one value a process")]
        pub enum Command {
            $($(#[$doc])* $variant($module::Args),)+
        }

        impl Command {
            /// Runs the command.
            pub fn run(self) -> Result<Outcome> {
                match self {
                    $(Command::$variant(args) => $module::run(args),)+
                }
            }
        }
    };
}

commands! {
    Serve => serve,
    Check => check,
    New => new,
    Api => api,
    Bms => bms,
    Web => web,
    Run => run,
    File => file,
    Task => task,
    User => user,
    Locks => locks,
    Limits => limits,
    Uow => uow,
    Connection => connection,
    Console => console,
    Top => top,
    Trace => trace,
    Sockets => sockets,
    Sql => sql,
    Script => script,
    Batch => batch,
    Record => record,
    Drive => drive,
    Capture => capture,
    Lab => lab,
    Aping => aping,
    Appc => appc,
    Advise => advise,
    Reference => reference,
    Completions => completions,
    Man => man,
    #[command(hide = true)]
    Worker => worker,
    #[command(hide = true)]
    BatchStep => batch_step,
}
