//! The terminal: pages that replace each other without flicker, and keys.
//!
//! Each page is one write over the previous page, on the alternate screen, so that the
//! earlier content returns at the end. Keys are read one by one and not echoed.
//!
//! Reference: termios(3), poll(2); ECMA-48 for the sequences.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// A terminal in use; dropping it restores its modes.
pub struct Terminal {
    before: libc::termios,
}

/// A key that was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// q, or Ctrl-C.
    Leave,
    /// s.
    Sort,
    /// Any other key.
    Other,
}

impl Terminal {
    /// Opens the terminal. Returns `None` if input or output is not a terminal.
    pub fn open() -> Option<Terminal> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return None;
        }
        // SAFETY: all zeros are a valid termios, which the call fills.
        let mut modes: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: a valid structure of this function.
        if unsafe { libc::tcgetattr(libc::STDIN_FILENO, &raw mut modes) } != 0 {
            return None;
        }
        let before = modes;
        // Ctrl-C arrives as a key, so that the terminal's modes are restored.
        modes.c_lflag &= !(libc::ICANON | libc::ECHO | libc::ISIG);
        // SAFETY: a valid structure of this function.
        if unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const modes) } != 0 {
            return None;
        }
        let terminal = Terminal { before };
        put(ENTER).ok()?;
        Some(terminal)
    }

    /// Draws a page over the one before.
    pub fn show(&mut self, page: &[String]) -> io::Result<()> {
        let (columns, rows) = size();
        put(&frame(page, columns, rows))
    }

    /// The next key within some time.
    pub fn key(&mut self, within: Duration) -> io::Result<Option<Key>> {
        let mut fd = libc::pollfd {
            fd: libc::STDIN_FILENO,
            events: libc::POLLIN,
            revents: 0,
        };
        let ms = i32::try_from(within.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: one valid structure.
        let ready = unsafe { libc::poll(&raw mut fd, 1, ms) };
        if ready < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                // The window changed its size.
                io::ErrorKind::Interrupted => Ok(Some(Key::Other)),
                _ => Err(error),
            };
        }
        if ready == 0 {
            return Ok(None);
        }
        let mut key = 0u8;
        // SAFETY: room for one byte. `Stdin` is not used, since its buffer would
        // hold keys that poll does not report.
        let read = unsafe { libc::read(libc::STDIN_FILENO, (&raw mut key).cast(), 1) };
        match read {
            1 => Ok(Some(key_of(key))),
            // The terminal was closed.
            _ => Ok(Some(Key::Leave)),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = put(LEAVE);
        // SAFETY: the modes that the terminal had.
        unsafe {
            libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const self.before);
        }
    }
}

fn key_of(byte: u8) -> Key {
    match byte {
        b'q' | b'Q' | 3 | 4 => Key::Leave,
        b's' | b'S' => Key::Sort,
        _ => Key::Other,
    }
}

/// The text of a page: every line cut to the width, the rest of the line cleared, and
/// everything below the page cleared.
fn frame(page: &[String], columns: usize, rows: usize) -> String {
    let mut text = String::from(HOME);
    for (row, line) in page.iter().take(rows).enumerate() {
        if row > 0 {
            text += "\r\n";
        }
        text.extend(line.chars().filter(|c| !c.is_control()).take(columns));
        text += CLEAR_LINE;
    }
    text + CLEAR_BELOW
}

fn put(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Columns and rows.
fn size() -> (usize, usize) {
    // SAFETY: all zeros are a valid winsize, which the request fills.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size);
        size
    };
    match (size.ws_col, size.ws_row) {
        (0, _) | (_, 0) => (80, 24),
        (columns, rows) => (columns.into(), rows.into()),
    }
}

/// The alternate screen, without a cursor; and back.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
const HOME: &str = "\x1b[H";
const CLEAR_LINE: &str = "\x1b[K";
const CLEAR_BELOW: &str = "\x1b[J";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_to_the_window_and_clears_the_old_content() {
        let page = ["a long line".to_owned(), "two\x1b[31m".to_owned(), "three".to_owned()];
        let text = frame(&page, 6, 2);
        assert_eq!(text, "\x1b[Ha long\x1b[K\r\ntwo[31\x1b[K\x1b[J");
    }

    #[test]
    fn q_and_ctrl_c_leave() {
        assert_eq!([key_of(b'q'), key_of(3)], [Key::Leave; 2]);
        assert_eq!([key_of(b's'), key_of(b'x')], [Key::Sort, Key::Other]);
    }
}
