//! Progress of long work on the terminal; nothing is shown without a terminal.

use std::fmt::Write;
use std::io::IsTerminal;

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

/// A bar up to `whole`, or only a count if that is not known.
pub fn bar(what: &str, whole: Option<u64>, in_bytes: bool) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = match (whole.is_some(), in_bytes) {
        (true, true) => "{msg} {bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta}",
        (true, false) => "{msg} {bar:40} {human_pos} of {human_len}, {per_sec}, {eta}",
        (false, true) => "{msg} {bytes}, {bytes_per_sec}",
        (false, false) => "{msg} {human_pos}, {per_sec}",
    };
    let bar = match whole {
        Some(whole) => ProgressBar::new(whole),
        None => ProgressBar::no_length(),
    };
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    // The library's own format of numbers has four decimals.
    let style = style.with_key("per_sec", |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
    });
    bar.with_style(style).with_message(what.to_owned())
}
