//! Names of types that are a single common word.
//!
//! A type's name is two words, unless the field's manuals have one for it: then
//! the word is in [`OF_THE_MANUALS`]. The number of other one-word names of
//! each crate may only fall, see [`super::ratchets::ONE_WORD`].

/// Words of the manuals, which are names as they are: CICS and its resources,
/// COBOL, SNA, TCP/IP, HTTP, and the words that Rust's readers expect.
pub const OF_THE_MANUALS: &[&str] = &[
    // CICS Transaction Server: resources, commands, data areas
    "Abend",
    "Channel",
    "Command",
    "Commarea",
    "Condition",
    "Container",
    "Conversation",
    "Cursor",
    "Cvda",
    "Document",
    "Eib",
    "Enqueue",
    "Journal",
    "Listener",
    "Map",
    "Mapset",
    "Pipeline",
    "Program",
    "Queue",
    "Region",
    "Resp",
    "Symbol",
    "Syncpoint",
    "Task",
    "Terminal",
    "Transaction",
    "Trigger",
    "Urimap",
    "Worker",
    // COBOL, Db2 and VSAM
    "Copybook",
    "Dataset",
    "Field",
    "Literal",
    "Occurs",
    "Picture",
    "Record",
    "Redefines",
    "Sqlca",
    "Statement",
    "Usage",
    // SNA and LU 6.2
    "Bind",
    "Chain",
    "Fmh",
    "Half",
    "Link",
    "Lu",
    "Mode",
    "Node",
    "Pacing",
    "Piu",
    "Rh",
    "Ru",
    "Sense",
    "Session",
    "Th",
    "Unbind",
    "Verb",
    "Xid",
    // TCP/IP, TLS, HTTP and web services
    "Ack",
    "Address",
    "Body",
    "Certificate",
    "Connection",
    "Envelope",
    "Exchange",
    "Fault",
    "Flow",
    "Frame",
    "Header",
    "Headers",
    "Method",
    "Packet",
    "Port",
    "Request",
    "Response",
    "Route",
    "Schema",
    "Segment",
    "Socket",
    "Status",
    "Stream",
    "Window",
    "Wsdl",
    // 3270
    "Aid",
    "Attribute",
    "Color",
    "Order",
    "Screen",
    // what Rust's readers expect
    "Args",
    "Arena",
    "Builder",
    "Cli",
    "Client",
    "Clock",
    "Config",
    "Context",
    "Diagnostic",
    "Severity",
    "Error",
    "Handle",
    "Histogram",
    "Iter",
    "Key",
    "Limits",
    "Lock",
    "Parser",
    "Reader",
    "Result",
    "Server",
    "Span",
    "Table",
    "Token",
    "Writer",
];

/// The one-word type names that a file declares at any depth, and how many types
/// it declares. Associated types and imports are not declarations.
pub fn one_word(text: &str) -> (Vec<&str>, usize) {
    let mut found = Vec::new();
    let mut all = 0;
    for line in text.lines() {
        let Some(name) = declared(line) else {
            continue;
        };
        all += 1;
        if is_one_word(name) && !OF_THE_MANUALS.contains(&name) {
            found.push(name);
        }
    }
    (found, all)
}

/// The type that a line declares: `pub(crate) struct Name<…`.
fn declared(line: &str) -> Option<&str> {
    let top_level = !line.starts_with(' ');
    let mut words = line.split_whitespace().skip_while(|w| w.starts_with("pub"));
    let kind = words.next()?;
    let is_kind =
        matches!(kind, "struct" | "enum" | "trait" | "union") || kind == "type" && top_level;
    let name = words.next().filter(|_| is_kind)?;
    let end = name
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(name.len());
    name[..end]
        .starts_with(|c: char| c.is_ascii_uppercase())
        .then_some(&name[..end])
}

fn is_one_word(name: &str) -> bool {
    !name[1..].contains(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_one_word_counts_unless_a_manual_has_it() {
        let text = "pub struct Seen;\nenum RequestBody {}\npub(crate) struct Task<'a> {\n\
                    pub type Way = u8;\nimpl A {\n    type Item = u8;\n    struct Inner(u8);\n";
        assert_eq!(one_word(text), (vec!["Seen", "Way", "Inner"], 5));
    }
}
