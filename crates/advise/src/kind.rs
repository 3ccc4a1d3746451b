//! The kinds of document, and how a text is recognised.

use crate::document::ParsedText;
use crate::{cicsts, linux, sna, tcpip};

/// A kind of document: one row, next to its parser.
pub struct DocumentKind {
    /// The word for `--kind`.
    pub word: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The number of lines that indicate this kind.
    pub recognise: fn(&str) -> usize,
    /// Reads a text.
    pub parse: fn(&str) -> ParsedText,
}

impl std::fmt::Debug for DocumentKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word)
    }
}

impl PartialEq for DocumentKind {
    fn eq(&self, other: &DocumentKind) -> bool {
        self.word == other.word
    }
}

/// A text that is of no known kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {}", if *empty { "the file is empty" } else { UNKNOWN })]
pub struct UnknownKind {
    /// The file.
    pub name: String,
    /// Whether there is nothing but blanks in it.
    pub empty: bool,
}

const UNKNOWN: &str = "the kind of the content is not recognised; set it with --kind";

/// Every kind.
pub fn kinds() -> impl Iterator<Item = &'static DocumentKind> {
    [tcpip::KINDS, linux::KINDS, cicsts::KINDS, sna::KINDS]
        .into_iter()
        .flatten()
        .copied()
}

/// The kind that most lines indicate; the first of equals. Returns `None` if more
/// lines are sentences: a manual quotes statements, and a help member contains
/// words that are keywords elsewhere. Only the first million bytes are examined.
pub(crate) fn recognise(text: &str) -> Option<&'static DocumentKind> {
    let begin = text.as_bytes().get(..RECOGNISED_BYTES);
    let end = begin.and_then(|b| b.iter().rposition(|b| *b == b'\n'));
    let text = end.map_or(text, |end| &text[..end]);
    let scored = kinds().map(|kind| ((kind.recognise)(text), kind));
    scored
        .filter(|(score, _)| *score > 0)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .filter(|(score, _)| *score >= text.lines().filter(|l| is_sentence(l)).count())
        .map(|(_, kind)| kind)
}

/// The lines that indicate a kind; 0 if they are a very small part of the text. A
/// program of thousands of lines has one that begins like a parameter. For kinds
/// whose statements are all recognisable.
pub(crate) fn unless_scattered(speak: usize, text: &str) -> usize {
    if speak * SCATTERED >= text.lines().filter(|l| has_content(l)).count() {
        speak
    } else {
        0
    }
}

/// Whether a line says anything: neither blank nor a comment.
fn has_content(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with(COMMENTS)
}

/// The first characters of comments.
const COMMENTS: [char; 5] = ['*', ';', '#', '!', '/'];

/// A kind needs at least one line of this many. Statements that continue over ten
/// lines and the JCL around them reach this.
const SCATTERED: usize = 20;

/// Whether a line is prose: several words in lower case, without the characters of
/// statements. Comments count as prose.
fn is_sentence(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with(COMMENTS) || line.contains(['=', '{', '}']) {
        return false;
    }
    let is_word = |w: &&str| {
        let w = w.trim_matches(|c: char| c.is_ascii_punctuation());
        w.chars().skip(1).all(char::is_lowercase) && w.chars().any(char::is_lowercase)
    };
    line.split_whitespace().filter(is_word).count() >= SENTENCE_WORDS
}

/// Fewer words may be a description or a remark.
const SENTENCE_WORDS: usize = 5;

/// Enough to recognise a kind, and little enough for every recogniser to read.
const RECOGNISED_BYTES: usize = 1_000_000;

/// The number of lines that begin with one of some words, in any case.
pub(crate) fn lines_beginning(text: &str, words: &[&str]) -> usize {
    text.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|first| words.iter().any(|w| w.eq_ignore_ascii_case(first)))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn a_given_kind_that_does_not_fit_is_warned_of() {
        let sit = kinds().find(|k| k.word == "sit");
        let reported = |text| Document::read("f", text, sit).expect("a kind is given");
        let wrong = reported("PORT\n  80 TCP CICSA\n");
        assert_eq!(
            wrong.diagnostics.first().map(|d| d.message.as_str()),
            Some(
                "no statement in it is one of sit: CICS system initialization parameters: overrides or DFHSIT source"
            )
        );
        assert_eq!(reported("MXT=100\n").diagnostics, []);
        let empty = reported("\n").diagnostics;
        assert_eq!(
            empty.iter().map(|d| d.severity).collect::<Vec<_>>(),
            [base::Severity::Note]
        );
    }

    #[test]
    fn texts_that_only_quote_statements_are_of_no_kind() {
        let readme = "# Install\n\nDefine the resources of the application with these commands:\n\n\
                      DEFINE PROGRAM(COSGN00C) GROUP(G)\n\nThen start the region and sign on with the user.\n\
                      The next chapter says what to do when it does not start.\n";
        let router = "!\nversion 12.2\n!\nhostname r1\n!\ninterface Ethernet0\n ip address 1.2.3.4 \
                      255.0.0.0\n!\nrouter bgp 1\n neighbor 1.2.3.5 remote-as 1\n!\nline vty 0 4\n!\nend\n";
        let panel = ")PANEL\n+HELP\nMODE   the mode\nPORT number\n)END\n";
        let plex = "CONTEXT CMAS1.\nDEFINE CICSPLEX(P)\nDEFINE REGION(R)\n";
        let table =
            "ISTINTAB INTAB\nLOG1 LOGCHAR APPLID=(APPLICID,CICSA),SEQNCE=LOGON\n ENDINTAB\n";
        let script = "/* REXX */\nsay 'hello'\nerror:\nexit 8\ncleanup:\nreturn\nx = 1\ncall cleanup\n\
                      if x then say 'no'\ndo while x\nend\nparse arg y\nsignal error\n";
        let terminals =
            "USERMAX=8,  /* MAXIMUM USERS */\nMODE=NOBREAK,  /* KEYBOARD LOCK OPTION */\n";
        let blocks = "input {\n  file {\n    path => \"/a\"\n    type => \"b\"\n  }\n}\n\
                      output {\n  redis {\n    host => \"10.0.0.1\"\n  }\n}\n";
        let service = "# default: on\nservice check\n{\n  disable = no\n  wait = no\n}\n";
        let virtual_routes = "vrrp_instance V {\n  virtual_routes {\n    10.1.0.0/16 via 10.0.0.1 dev bond0\n  \
                      }\n}\n";
        let states = "include GeodeTestvlan\ninclude externalvlan\ninclude iriswranglervlan\n";
        let steps = "show the routes\ndefault via 10.0.0.1 dev eth0\nset them\nsave\nreboot\n";
        for text in [
            readme,
            router,
            panel,
            plex,
            table,
            script,
            terminals,
            blocks,
            service,
            virtual_routes,
            states,
            steps,
        ] {
            assert_eq!(recognise(text).map(|k| k.word), None, "{text}");
        }
    }

    #[test]
    fn the_kind_of_a_long_text_is_recognised_by_its_beginning() {
        let text = "MXT=100\n".repeat(RECOGNISED_BYTES / 4);
        assert_eq!(recognise(&text).map(|k| k.word), Some("sit"));
    }
}
