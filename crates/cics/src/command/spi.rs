//! Which commands administer the region, and which of them its programs may use.
//!
//! CICS protects the system programming commands by the security manager, a
//! resource each (XCMD); a command that the user may not use gets NOTAUTH with
//! RESP2 100. Here the settings of the region name the commands instead. INQUIRE
//! and SET of what belongs to the application are always allowed.
//!
//! Reference: CICS TS for z/OS, "CICS resources subject to command security
//! checking", and NOTAUTH of each command.

use super::lookup::all;
use super::row::{Command, CommandDomain, CommandSupport};

/// The commands that programs may use to administer the region.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpiGrants(Vec<String>);

impl SpiGrants {
    /// The grants of a list. Each entry is `all`, a command such as `SET TASK`,
    /// its first word for all commands that begin with it, or the second word of
    /// a PERFORM, such as `SHUTDOWN`.
    ///
    /// # Errors
    /// Names the first entry that no command needs.
    pub fn new<'e>(entries: impl IntoIterator<Item = &'e str>) -> Result<SpiGrants, String> {
        let mut grants = Vec::new();
        for entry in entries {
            let words: Vec<&str> = entry.split_whitespace().collect();
            let name = words.join(" ").to_ascii_uppercase();
            if name != ALL && !restricted().any(|command| means(&name, command)) {
                return Err(format!(
                    "{entry:?}: expected all, {}, or one of them alone, such as SET TASK",
                    verbs().join(", ")
                ));
            }
            grants.push(name);
        }
        Ok(SpiGrants(grants))
    }

    /// The grants of a region whose programs may use all commands.
    pub fn all() -> SpiGrants {
        SpiGrants(vec![ALL.to_owned()])
    }

    /// Whether a program may use a command.
    pub fn permit(&self, command: &Command) -> bool {
        let granted = |name: &String| name == ALL || means(name, command);
        !is_restricted(command) || self.0.iter().any(granted)
    }
}

/// Whether a command changes the region beyond the application's own resources.
pub fn is_restricted(command: &Command) -> bool {
    let system = match command.domain {
        CommandDomain::System => true,
        CommandDomain::Web => command.verb == "SET",
        _ => false,
    };
    system && VERBS.contains(&command.verb) && !OWN.contains(&command.name)
}

fn restricted() -> impl Iterator<Item = &'static Command> {
    all().filter(|command| command.served == CommandSupport::Region && is_restricted(command))
}

/// Whether an entry in upper case names a command.
fn means(name: &str, command: &Command) -> bool {
    let performs = command.name.strip_prefix("PERFORM ");
    let performed = performs.and_then(|rest| rest.split(' ').next());
    name == command.name || name == command.verb || performed == Some(name)
}

/// The first words of restricted commands, each once.
fn verbs() -> Vec<&'static str> {
    let mut verbs: Vec<_> = restricted().map(|command| command.verb).collect();
    verbs.sort_unstable();
    verbs.dedup();
    verbs
}

const ALL: &str = "ALL";
/// First words of commands that change something.
const VERBS: &[&str] = &["CREATE", "DISCARD", "PERFORM", "SET", "CSD"];
/// Commands that change what belongs to the application or to the task itself.
const OWN: &[&str] = &[
    "SET ASSOCIATION",
    "SET FILE",
    "SET PROGRAM",
    "SET TDQUEUE",
    "SET TERMINAL",
    "SET TSQNAME",
    "SET TSQUEUE",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str) -> &'static Command {
        all().find(|command| command.name == name).unwrap()
    }

    #[test]
    fn without_grants_a_program_may_ask_and_set_what_is_its_applications() {
        let none = SpiGrants::default();
        for name in ["SET FILE", "SET PROGRAM", "SET TERMINAL", "INQUIRE SYSTEM"] {
            assert!(none.permit(command(name)), "{name}");
        }
        for name in [
            "PERFORM SHUTDOWN",
            "CREATE FILE",
            "DISCARD",
            "SET TASK",
            "SET URIMAP",
        ] {
            assert!(!none.permit(command(name)), "{name}");
            assert!(SpiGrants::all().permit(command(name)), "{name}");
        }
    }

    #[test]
    fn a_grant_is_a_command_its_first_word_or_what_is_performed() {
        let grants = SpiGrants::new(["shutdown", "CREATE", "set  task"]).unwrap();
        for name in [
            "PERFORM SHUTDOWN",
            "CREATE FILE",
            "CREATE PROGRAM",
            "SET TASK",
        ] {
            assert!(grants.permit(command(name)), "{name}");
        }
        for name in ["PERFORM STATISTICS", "DISCARD", "SET SYSTEM"] {
            assert!(!grants.permit(command(name)), "{name}");
        }
    }

    #[test]
    fn an_entry_that_no_command_needs_is_an_error() {
        let error = SpiGrants::new(["CREATE", "SET FILE"]).unwrap_err();
        assert!(
            error.contains("SET FILE") && error.contains("CREATE, DISCARD"),
            "{error}"
        );
        assert!(SpiGrants::new(["SHUTDWN"]).is_err());
    }
}
