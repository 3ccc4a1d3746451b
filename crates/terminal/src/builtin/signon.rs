//! CESN and CESF: sign on and off at a terminal.
//!
//! The password's field is not shown, and what was typed into it is in no
//! COMMAREA and no message. A terminal at which passwords were wrong too often
//! is disconnected.
//! Reference: CICS supplied transactions, CESN and CESF; CICS messages, DFHCE.

use super::{BuiltInTask, CLEAR, InteractionResult, PF3};
use crate::panel::{ScreenPanel, UserInput};
use crate::sign_on::SignOnRefused;

/// One interaction of CESN.
pub async fn sign_on(task: &mut BuiltInTask<'_>, entered: Option<UserInput>) -> InteractionResult {
    let first = task.commarea.is_empty();
    let entered = entered.unwrap_or_default();
    if !task.shared.has_users() {
        return task.leave("DFHCE3544 This region has no users. Add one with tupelo user.");
    }
    if first {
        let user = user_word(entered.called_with()).to_owned();
        return ask(task, &user, "", false).await;
    }
    if matches!(entered.aid, PF3 | CLEAR) {
        return task.leave("DFHCE3543 Sign-on was cancelled.");
    }
    // The user id stays on the screen, so it comes only when it was typed.
    let kept = String::from_utf8_lossy(&task.commarea[1..]).into_owned();
    let user = entered.field(USER_ROW, COLUMN).map_or(kept, str::to_owned);
    let password = entered.field(PASSWORD_ROW, COLUMN).unwrap_or_default();
    if user.is_empty() {
        return ask(task, "", "DFHCE3520 Please type your userid.", false).await;
    }
    if password.is_empty() {
        return ask(task, &user, "DFHCE3523 Please type your password.", false).await;
    }
    let shared = task.shared.clone();
    match shared.verify(&user, password).await {
        Ok(found) => {
            let name = found.userid.to_string();
            task.sign_on(Some(found));
            let name = name.trim_end();
            task.leave(&format!("DFHCE3549 Sign-on is complete for {name}."))
        }
        Err(why) => refused(task, &user, why).await,
    }
}

/// CESF, and CESF LOGOFF, which disconnects.
pub fn sign_off(task: &mut BuiltInTask<'_>, entered: UserInput) -> InteractionResult {
    task.sign_on(None);
    let word = entered.called_with().to_ascii_uppercase();
    let goes = !word.is_empty() && ["LOGOFF", "GOODNIGHT"].iter().any(|w| w.starts_with(&word));
    if goes {
        task.display.lock().session.close();
        task.display.notify();
        return Ok(());
    }
    if !word.is_empty() {
        return task.leave("DFHCE3591 CESF takes LOGOFF or GOODNIGHT, or nothing.");
    }
    task.leave("DFHCE3590 Sign-off is complete.")
}

async fn refused(task: &mut BuiltInTask<'_>, user: &str, why: SignOnRefused) -> InteractionResult {
    let text = match why {
        SignOnRefused::WrongPassword | SignOnRefused::UnknownUser => {
            "DFHCE3530 Your userid or password is not valid. Please retype both."
        }
        SignOnRefused::Revoked => {
            "DFHCE3532 Too many wrong passwords: this userid is refused for some minutes."
        }
        SignOnRefused::Busy => "DFHCE3536 Too many sign-ons at once. Please try again.",
        SignOnRefused::NoUsers => "DFHCE3544 This region has no users any more.",
    };
    if task.display.count_wrong_password() {
        tracing::warn!(target: "terminal", terminal = %task.display.terminal_name(), "disconnected after wrong passwords");
        task.display.lock().session.close();
        task.display.notify();
        return Ok(());
    }
    ask(task, user, text, true).await
}

/// Shows the form.
async fn ask(
    task: &mut BuiltInTask<'_>,
    user: &str,
    message: &str,
    alarm: bool,
) -> InteractionResult {
    let applid = task.shared.applid.clone();
    let terminal = task.display.terminal_name();
    let mut panel = ScreenPanel::new();
    panel.bright(1, 28, format!("Signon to {applid}"));
    panel.text(1, 64, format!("Terminal {terminal}"));
    panel.text(8, 2, "Type your userid and password, then press ENTER:");
    panel.text(USER_ROW, 10, "Userid . . . .");
    panel.input(USER_ROW, COLUMN, USER_LENGTH, user);
    panel.text(PASSWORD_ROW, 10, "Password . . .");
    panel.hidden(PASSWORD_ROW, COLUMN, PASSWORD_LENGTH);
    panel
        .bright(23, 2, message)
        .text(24, 2, "F3=Exit")
        .alarm(alarm);
    let row = if user.is_empty() {
        USER_ROW
    } else {
        PASSWORD_ROW
    };
    panel.cursor(row, COLUMN);
    task.show(&panel);
    let mut kept = vec![b'S'];
    kept.extend(user.bytes().take(usize::from(USER_LENGTH)));
    task.continue_with(kept).await
}

/// `CESN USERID=ADA` and `CESN ADA`.
fn user_word(words: &str) -> &str {
    let word = words.split([' ', ',']).next().unwrap_or_default();
    word.split_once('=').map_or(word, |(_, user)| user)
}

const USER_ROW: u16 = 11;
const PASSWORD_ROW: u16 = 12;
const COLUMN: u16 = 26;
/// Names of the user store have up to 64 characters, user ids 8.
const USER_LENGTH: u16 = 40;
/// Longer than a user would type.
const PASSWORD_LENGTH: u16 = 54;
