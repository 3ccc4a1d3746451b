//! Terminal types and names of logical units.
//!
//! Plain TN3270 has `IBM-3279-2-E` or `IBM-3278-2@LUNAME` as the terminal type;
//! TN3270E has `IBM-3278-2-E` as the device type and the name apart. A type that
//! is not parsed here is not a 3270.
//! Reference: RFC 1576, 1646, 2355 section 7.1.1.

use std::fmt;

/// What a client says it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceType {
    /// The type as it came, in upper case, without the name of an LU.
    name: String,
    kind: DeviceKind,
    extended: bool,
}

/// What a type means for sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum DeviceKind {
    /// A display of model 2 to 5.
    Display(u8),
    /// The size comes with Query Reply.
    Dynamic,
    /// A printer.
    Printer,
}

impl DeviceType {
    /// The type of these bytes. Returns `None` if they are no 3270 type.
    pub fn parse(bytes: &[u8]) -> Option<DeviceType> {
        if bytes.is_empty() || bytes.len() > MOST_TYPE_BYTES {
            return None;
        }
        let printable = bytes.iter().all(u8::is_ascii_graphic);
        let name = std::str::from_utf8(bytes).ok().filter(|_| printable)?;
        let name = name.to_ascii_uppercase();
        let rest = name.strip_prefix("IBM-")?;
        let (rest, extended) = match rest.strip_suffix("-E") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (kind, extended) = match rest {
            "DYNAMIC" => (DeviceKind::Dynamic, true),
            "3287-1" => (DeviceKind::Printer, extended),
            // A 3477 display has 24×80 or 27×132; it says FC, FG and the like.
            _ if rest.starts_with("3477-") => (DeviceKind::Display(2), true),
            _ => (DeviceKind::Display(display_model(rest)?), extended),
        };
        Some(DeviceType {
            name,
            kind,
            extended,
        })
    }

    /// A display of model 2 to 5 with the name that TN3270E knows.
    pub fn display(model: u8, extended: bool) -> DeviceType {
        let model = model.clamp(2, 5);
        let suffix = if extended { "-E" } else { "" };
        DeviceType {
            name: format!("IBM-3278-{model}{suffix}"),
            kind: DeviceKind::Display(model),
            extended,
        }
    }

    /// The type whose size comes with Query Reply.
    pub fn dynamic() -> DeviceType {
        DeviceType {
            name: "IBM-DYNAMIC".to_owned(),
            kind: DeviceKind::Dynamic,
            extended: true,
        }
    }

    /// The type as the client wrote it, in upper case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the client understands structured fields and extended
    /// attributes. Otherwise it must not be sent WSF, SFE, SA or MF.
    pub const fn is_extended(&self) -> bool {
        self.extended
    }

    /// Whether the device type is a printer.
    pub const fn is_printer(&self) -> bool {
        matches!(self.kind, DeviceKind::Printer)
    }

    /// Whether the size comes with Query Reply.
    pub const fn is_dynamic(&self) -> bool {
        matches!(self.kind, DeviceKind::Dynamic)
    }

    /// The model, 2 to 5. Returns `None` for printers and for IBM-DYNAMIC.
    pub const fn model(&self) -> Option<u8> {
        match self.kind {
            DeviceKind::Display(model) => Some(model),
            _ => None,
        }
    }

    /// Rows and columns of the alternate size that the model has; 24 × 80
    /// where the size is not known yet.
    pub const fn alternate_size(&self) -> (u16, u16) {
        match self.kind {
            DeviceKind::Display(3) => (32, 80),
            DeviceKind::Display(4) => (43, 80),
            DeviceKind::Display(5) => (27, 132),
            _ => (24, 80),
        }
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The model of `3278-2`, `3279-4`, `3277-2`, `3179-2` and the like.
fn display_model(rest: &str) -> Option<u8> {
    let (machine, model) = rest.split_once('-')?;
    let known = matches!(
        machine,
        "3277" | "3278" | "3279" | "3178" | "3179" | "3180" | "3192" | "3193" | "3194" | "3196"
    );
    match model {
        _ if !known => None,
        // A 3277 model 1 and a 3278 model 1 have 12 rows of 40 or 80 columns.
        "2" | "2A" | "G" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        "5" => Some(5),
        _ => None,
    }
}

/// The name of a logical unit that a client asks for or a server gives: one to
/// eight letters, digits and national characters, in upper case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LuName(String);

impl LuName {
    /// The name of these bytes. Returns `None` if they are no such name.
    pub fn parse(bytes: &[u8]) -> Option<LuName> {
        let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"@#$".contains(byte);
        if bytes.is_empty() || bytes.len() > 8 || !bytes.iter().all(valid) {
            return None;
        }
        let name = std::str::from_utf8(bytes).ok()?;
        Some(LuName(name.to_ascii_uppercase()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LuName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A terminal type of plain TN3270 and the name of an LU after `@`.
///
/// # Errors
/// The part that is wrong; the other is still known.
pub fn parse_terminal_type(
    bytes: &[u8],
) -> (Option<DeviceType>, Result<Option<LuName>, BadLuName>) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'@');
    let device = parts.next().and_then(DeviceType::parse);
    let name = match parts.next() {
        None => Ok(None),
        Some(name) => LuName::parse(name).map(Some).ok_or(BadLuName),
    };
    (device, name)
}

/// The name of an LU has characters or a length that names do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of the LU is not 1 to 8 letters and digits")]
pub struct BadLuName;

/// Bytes of a terminal type: RFC 1091 has 40.
pub const MOST_TYPE_BYTES: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_clients_are_known() {
        let size = |name: &str| {
            let device = DeviceType::parse(name.as_bytes()).unwrap();
            (device.alternate_size(), device.is_extended())
        };
        assert_eq!(size("IBM-3278-2"), ((24, 80), false));
        assert_eq!(size("ibm-3279-2-e"), ((24, 80), true));
        assert_eq!(size("IBM-3278-3-E"), ((32, 80), true));
        assert_eq!(size("IBM-3279-4"), ((43, 80), false));
        assert_eq!(size("IBM-3278-5-E"), ((27, 132), true));
        assert_eq!(size("IBM-DYNAMIC"), ((24, 80), true));
        assert_eq!(size("IBM-3477-FC"), ((24, 80), true));
        assert!(DeviceType::parse(b"IBM-3287-1").unwrap().is_printer());
    }

    #[test]
    fn other_types_are_no_3270() {
        for name in ["", "ANSI", "UNKNOWN", "IBM-3278-9", "IBM-3278-2\0", "IBM-"] {
            assert_eq!(DeviceType::parse(name.as_bytes()), None, "{name}");
        }
        assert_eq!(DeviceType::parse(&[b'I'; 41]), None);
    }

    #[test]
    fn an_lu_name_stands_after_the_type() {
        let (device, name) = parse_terminal_type(b"IBM-3278-2@term01");
        assert_eq!(device.unwrap().model(), Some(2));
        assert_eq!(name.unwrap().unwrap().as_str(), "TERM01");
        let (_, name) = parse_terminal_type(b"IBM-3278-2@");
        assert_eq!(name, Err(BadLuName));
        assert_eq!(LuName::parse(b"NINECHARS"), None);
        assert_eq!(LuName::parse(b"A B"), None);
    }
}
