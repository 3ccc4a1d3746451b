//! A screen as the page gets it: rows of text in runs of one look.
//!
//! What a field hides is blank: the page does not get it.

use serde_json::{Value, json};
use tn3270::screen::KeyboardState;
use tn3270::stream::Intensity;
use tn3270::{CodeTable, Color, InhibitReason, Screen};

/// The rows, each a list of runs.
pub fn lines(screen: &Screen, table: &CodeTable) -> Vec<Vec<Value>> {
    let columns = usize::from(screen.size().columns());
    let cells = screen.cells();
    let rows = cells.chunks(columns).enumerate().map(|(row, cells)| {
        let mut runs: Vec<(CellStyle, String)> = Vec::new();
        for (column, cell) in cells.iter().enumerate() {
            // At most 16,383 positions.
            let address = (row * columns + column) as u16;
            let look = CellStyle::of(screen, address, cell.attribute.is_some());
            let shown = if look.hidden || cell.attribute.is_some() {
                ' '
            } else {
                table.display(cell.content)
            };
            match runs.last_mut() {
                Some((last, text)) if *last == look => text.push(shown),
                _ => runs.push((look, shown.to_string())),
            }
        }
        runs.into_iter()
            .map(|(look, text)| look.run(&text))
            .collect()
    });
    rows.collect()
}

/// The state of the keyboard in a word.
pub fn keyboard(state: KeyboardState) -> &'static str {
    match state {
        KeyboardState::Unlocked => "unlocked",
        KeyboardState::System => "system",
        KeyboardState::Inhibited(InhibitReason::Protected) => "protected",
        KeyboardState::Inhibited(InhibitReason::Numeric) => "numeric",
        KeyboardState::Inhibited(InhibitReason::Overflow) => "overflow",
        KeyboardState::Inhibited(_) => "inhibited",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    color: Color,
    background: Color,
    highlight: u8,
    bright: bool,
    hidden: bool,
    /// Address of the input field's attribute.
    input: Option<u16>,
    attribute: bool,
}

impl CellStyle {
    fn of(screen: &Screen, address: u16, attribute: bool) -> CellStyle {
        let style = screen.style(address);
        let base = style.field.map_or(Color::GREEN, |field| field.base_color());
        let color = Some(style.extended.color).filter(|color| *color != Color::DEFAULT);
        let field = screen.field_at(address);
        let open = field.filter(|(_, a)| !a.is_protected() && !attribute);
        CellStyle {
            color: color.unwrap_or(base),
            background: style.extended.background,
            highlight: style.extended.highlight.0,
            bright: style
                .field
                .is_some_and(|f| f.intensity() == Intensity::Bright),
            hidden: style.hidden,
            input: open.map(|(start, _)| start),
            attribute,
        }
    }

    fn run(self, text: &str) -> Value {
        let mut run = json!({ "text": text, "color": self.color.name() });
        let background = self.background.name();
        if background != "default" {
            run["background"] = json!(background);
        }
        let highlight = match self.highlight {
            0xF1 => Some("blink"),
            0xF2 => Some("reverse"),
            0xF4 => Some("underscore"),
            _ => None,
        };
        if let Some(highlight) = highlight.filter(|_| !self.attribute) {
            run["highlight"] = json!(highlight);
        }
        if self.bright || self.highlight == 0xF8 {
            run["bright"] = json!(true);
        }
        if let Some(input) = self.input {
            run["input"] = json!(input);
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tn3270::TerminalModel;

    #[test]
    fn a_row_has_runs_of_one_look_and_nothing_that_is_hidden() {
        let mut screen = Screen::new(TerminalModel::display(2));
        // Protected bright "AB", an input field, a hidden one with "CD", red text.
        let record = [
            0xF5, 0xC3, 0x11, 0x40, 0x40, 0x1D, 0xE8, 0xC1, 0xC2, 0x1D, 0x40, 0x40, 0x1D, 0x4C,
            0xC3, 0xC4, 0x29, 0x03, 0xC0, 0x60, 0x42, 0xF2, 0x41, 0xF4, 0xC5, 0x1D, 0xF0,
        ];
        screen.handle_record(&record).unwrap();
        let lines = lines(&screen, &CodeTable::cp037());
        assert_eq!(lines.len(), 24);
        let text: String = lines[0]
            .iter()
            .map(|run| run["text"].as_str().unwrap())
            .collect();
        assert_eq!(text.trim_end(), " AB      E");
        assert_eq!(text.chars().count(), 80);
        let last = lines[0]
            .iter()
            .find(|run| run["text"].as_str().unwrap().contains('E'))
            .unwrap();
        assert_eq!(
            (&last["color"], &last["highlight"]),
            (&json!("red"), &json!("underscore"))
        );
        assert!(
            lines[0]
                .iter()
                .any(|run| run["bright"] == true && run["color"] == "white")
        );
        assert_eq!(
            lines[0]
                .iter()
                .filter(|run| !run["input"].is_null())
                .count(),
            2
        );
    }
}
