//! CEDF and CEDX: stepping through tasks is switched on or off.
//!
//! `CEDF` is for this terminal, `CEDF T002,ON` for another one, whose tasks are
//! then stepped through here. `CEDX PAY1,ON` is for tasks of a transaction that
//! have no terminal. The screens are in [`crate::stepping`].
//! Reference: CICS supplied transactions, CEDF and CEDX.

use region::{FacilityId, TransId};

use super::{BuiltInTask, InteractionResult};
use crate::panel::UserInput;
use crate::stepping::StepDisplay;

/// One interaction.
pub fn run(task: &BuiltInTask<'_>, entered: &UserInput, terminals: bool) -> InteractionResult {
    if !task.may(true) {
        return task.not_authorized();
    }
    let words = entered.called_with().to_ascii_uppercase();
    let (name, on) = match read(&words) {
        Ok(read) => read,
        Err(wrong) => return task.leave(&wrong),
    };
    let message = match (name, terminals) {
        (None, true) => this_terminal(task, on),
        (Some(name), true) => other_terminal(task, name, on),
        (Some(name), false) => transaction(task, name, on),
        (None, false) => "Name the transaction: CEDX tranid, or CEDX tranid,OFF.".to_owned(),
    };
    task.leave(&message)
}

/// A name if there is one, and ON or OFF.
fn read(words: &str) -> Result<(Option<&str>, bool), String> {
    let mut name = None;
    let mut on = true;
    for word in words.split([',', ' ']).filter(|word| !word.is_empty()) {
        match word {
            "ON" => on = true,
            "OFF" => on = false,
            _ if name.is_none() && word.len() <= 4 => name = Some(word),
            _ => {
                return Err(format!(
                    "'{word}' is not a name of 4 characters, ON or OFF."
                ));
            }
        }
    }
    Ok((name, on))
}

fn state(on: bool) -> &'static str {
    if on { "ON" } else { "OFF" }
}

fn this_terminal(task: &BuiltInTask<'_>, on: bool) -> String {
    let stepping = &task.shared.stepping;
    stepping.set_terminal(&task.region, task.place(), task.place(), on);
    format!("THIS TERMINAL: EDF MODE {}", state(on))
}

fn other_terminal(task: &BuiltInTask<'_>, name: &str, on: bool) -> String {
    let displays = task.shared.displays();
    let found = displays
        .iter()
        .find(|(_, display)| display.terminal_name() == name);
    let Some((id, display)) = found else {
        return format!("TERMINAL {name} IS NOT CONNECTED");
    };
    let stepping = &task.shared.stepping;
    stepping.set_terminal(&task.region, task.place(), (*id, &**display), on);
    format!("TERMINAL {name}: EDF MODE {}", state(on))
}

fn transaction(task: &BuiltInTask<'_>, name: &str, on: bool) -> String {
    let Ok(transid) = name.parse::<TransId>() else {
        return format!("{name} IS NOT A TRANSACTION");
    };
    let stepping = &task.shared.stepping;
    stepping.set_transaction(&task.region, task.place(), transid, on);
    format!("TRANSACTION {name}: EDF MODE {}", state(on))
}

impl BuiltInTask<'_> {
    /// The terminal of this task.
    fn place(&self) -> (FacilityId, &dyn StepDisplay) {
        (self.facility, &*self.display)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_the_forms_of_the_manual() {
        assert_eq!(read(""), Ok((None, true)));
        assert_eq!(read("OFF"), Ok((None, false)));
        assert_eq!(read("T002"), Ok((Some("T002"), true)));
        assert_eq!(read("T002,OFF"), Ok((Some("T002"), false)));
        assert_eq!(read("T002, ON"), Ok((Some("T002"), true)));
        assert!(read("T002 T003").is_err());
        assert!(read("TERMINAL").is_err());
    }
}
