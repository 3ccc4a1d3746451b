//! `[sockets.native]` and `[sockets.receivers.TRAN]` of `tupelo.toml`.
//!
//! The doc comment of a field is its reference.

use region::{ContainerName, ProgramName, TransId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::area::{
    CharacterPages, LONGEST_COMMAREA, MessageArea, delimiter_in_ascii, delimiter_in_ebcdic,
};
use super::framing::{Frame, FrameFormat};

/// `[sockets.native]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NativeConfig {
    /// Threads that read and write the connections of receivers; they work for
    /// the offload engines.
    pub threads: u32,
    /// Most connections of receivers and senders; a client beyond that is
    /// refused.
    pub max_connections: u32,
    /// Most memory for messages that have come and are not answered, in MiB.
    /// When it is used up, connections are not read.
    pub memory_mib: u32,
}

impl Default for NativeConfig {
    fn default() -> Self {
        NativeConfig {
            threads: 1,
            max_connections: 20_000,
            memory_mib: 64,
        }
    }
}

/// `[sockets.receivers.TRAN]`: the receiver for the messages of a connection
/// that a listener would start this transaction for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReceiverConfig {
    /// The program that is run with each message, under this transaction. In
    /// the classic path the transaction's own program LINKs it.
    pub program: String,
    /// The transaction of the client's other connection, on which the answers
    /// go out: both have the same client-in-data. When absent they go out on
    /// the connection that the message came on.
    pub answers: Option<String>,
    /// Where a message ends.
    pub frame: FrameConfig,
    /// The client's characters: `ascii`, `ebcdic`, or `client` for those of
    /// its first message to the listener.
    pub characters: ClientCharacters,
    /// Bytes of the COMMAREA; 0 for as many as the message takes.
    pub area_bytes: u32,
    /// Bytes of a binary length before the message in the COMMAREA, 0, 2 or
    /// 4; the program leaves the length of its answer there. Without one the
    /// answer is the whole COMMAREA; of a delimited one, what comes before the
    /// blanks and nulls at its end.
    pub area_length: u32,
    /// A container for the message instead of a COMMAREA.
    pub container: Option<String>,
    /// The container with the answer; that of the message when absent.
    pub answer_container: Option<String>,
    /// Seconds without a message after which a connection is closed; 0 for no
    /// limit.
    pub idle_timeout_s: u32,
    /// Seconds in which a message that has begun must be complete.
    pub message_timeout_s: u32,
    /// Seconds in which a client must have taken an answer.
    pub write_timeout_s: u32,
    /// Seconds in which the other connection must be there.
    pub pair_timeout_s: u32,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        ReceiverConfig {
            program: String::new(),
            answers: None,
            frame: FrameConfig::default(),
            characters: ClientCharacters::Ascii,
            area_bytes: 0,
            area_length: 0,
            container: None,
            answer_container: None,
            idle_timeout_s: 300,
            message_timeout_s: 30,
            write_timeout_s: 30,
            pair_timeout_s: 30,
        }
    }
}

/// The client's characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClientCharacters {
    /// Those of programs: nothing is translated.
    #[default]
    Ascii,
    /// EBCDIC, code page 1047.
    Ebcdic,
    /// EBCDIC when the first message to the listener was.
    Client,
}

/// `frame` of a receiver: one of `length`, `delimiter` and `fixed`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrameConfig {
    /// Bytes of a length before each message: 1, 2 or 4.
    pub length: Option<u32>,
    /// The length counts its own bytes.
    pub inclusive: bool,
    /// Which byte of the length comes first.
    pub endian: ByteOrder,
    /// Text after each message. To an EBCDIC client `\u0085` is NL (X'15') and
    /// `\n` LF (X'25').
    pub delimiter: Option<String>,
    /// Bytes of every message; a shorter answer is filled with blanks.
    pub fixed: Option<u32>,
    /// Most bytes of a message, its frame not counted; what the COMMAREA or
    /// container has room for when absent.
    pub max_bytes: Option<u32>,
}

impl FrameConfig {
    /// The frame for clients of one kind; each mistake is said with its key.
    pub fn build(&self, ebcdic: bool, wrong: &mut dyn FnMut(&str, &str)) -> Option<FrameFormat> {
        let receiver = ReceiverConfig {
            frame: self.clone(),
            ..ReceiverConfig::default()
        };
        let area = MessageArea::Container {
            message: String::new(),
            answer: String::new(),
        };
        receiver.framing(&area, ebcdic, wrong)
    }
}

/// Which byte comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ByteOrder {
    /// The highest.
    #[default]
    Big,
    /// The lowest.
    Little,
}

/// A receiver, ready to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedReceiver {
    /// Its transaction.
    pub transid: TransId,
    /// The program for each message.
    pub program: ProgramName,
    /// The transaction of the connection that answers go out on.
    pub answers: Option<TransId>,
    /// The place of a message in the program's input.
    pub area: MessageArea,
    /// The framing of messages of an ASCII client, and of an EBCDIC one.
    pub framing: [FrameFormat; 2],
    /// The translation for each of them.
    pub characters: [CharacterPages; 2],
    /// The characters of the client.
    pub clients: ClientCharacters,
    /// Seconds of patience: idle, message, write, pair; 0 for no limit.
    pub limits_s: [u32; 4],
}

impl ReceiverConfig {
    /// The receiver; each mistake is said with its key.
    pub fn build(&self, name: &str, say: &mut dyn FnMut(&str, String)) -> Option<PreparedReceiver> {
        let mut right = true;
        let mut wrong = |key: &str, why: &str| {
            right = false;
            say(key, why.to_owned());
        };
        let transid = |text: &str| text.parse::<TransId>().ok().filter(|_| !text.is_empty());
        let own = transid(name);
        if own.is_none() {
            wrong(
                "",
                "a receiver's name must be a transaction's, 1 to 4 characters",
            );
        }
        let program = self.program.parse::<ProgramName>().ok();
        if program.is_none_or(|p| p.is_blank()) {
            wrong("program", "expected a program name, 1 to 8 characters");
        }
        let answers = self.answers.as_deref().map(transid);
        match answers {
            Some(None) => wrong("answers", "expected a transaction name, 1 to 4 characters"),
            Some(answers) if answers == own => wrong(
                "answers",
                "must name another transaction than the receiver's; leave it out for one connection",
            ),
            _ => {}
        }
        let area = self.area(&mut wrong);
        let mut framing = [None, None];
        for (framing, ebcdic) in framing.iter_mut().zip([false, true]) {
            // All characters of the page are needed only by some kinds of data.
            let needed = match self.characters {
                ClientCharacters::Ascii => !ebcdic,
                ClientCharacters::Ebcdic => ebcdic,
                ClientCharacters::Client => true,
            };
            let built = if needed {
                self.framing(&area, ebcdic, &mut wrong)
            } else {
                None
            };
            *framing = built;
        }
        let [ascii, ebcdic] = framing;
        let either = ascii.clone().or(ebcdic.clone());
        if self.message_timeout_s == 0 || self.write_timeout_s == 0 {
            wrong(
                "message_timeout_s",
                "message_timeout_s and write_timeout_s must be at least 1",
            );
        }
        Some(PreparedReceiver {
            transid: own?,
            program: program?,
            answers: answers.flatten(),
            area,
            framing: [ascii.or(either.clone())?, ebcdic.or(either)?],
            characters: [CharacterPages::SAME, CharacterPages::ebcdic()],
            clients: self.characters,
            limits_s: [
                self.idle_timeout_s,
                self.message_timeout_s,
                self.write_timeout_s,
                self.pair_timeout_s,
            ],
        })
        .filter(|_| right)
    }

    fn area(&self, wrong: &mut dyn FnMut(&str, &str)) -> MessageArea {
        if let Some(message) = &self.container {
            let answer = self.answer_container.as_ref().unwrap_or(message);
            for (key, name) in [("container", message), ("answer_container", answer)] {
                if ContainerName::new(name).is_err() {
                    wrong(key, "expected a container name, 1 to 16 characters");
                }
            }
            if self.area_bytes > 0 || self.area_length > 0 {
                wrong("container", "give commarea or container, not both");
            }
            return MessageArea::Container {
                message: message.clone(),
                answer: answer.clone(),
            };
        }
        if self.answer_container.is_some() {
            wrong("answer_container", "needs container");
        }
        let (bytes, length) = (self.area_bytes as usize, self.area_length as usize);
        if bytes > LONGEST_COMMAREA {
            wrong("area_bytes", "at most 32763");
        }
        if ![0, 2, 4].contains(&length) {
            wrong("area_length", "0, 2 or 4");
        }
        if bytes > 0 && bytes <= length {
            wrong("area_bytes", "more than area_length");
        }
        MessageArea::Commarea {
            bytes: match bytes {
                0 => 0,
                bytes => bytes.clamp(5, LONGEST_COMMAREA),
            },
            length: length.min(4),
            trim: self.frame.delimiter.is_some(),
        }
    }

    fn framing(
        &self,
        area: &MessageArea,
        ebcdic: bool,
        wrong: &mut dyn FnMut(&str, &str),
    ) -> Option<FrameFormat> {
        let room = area.longest_message();
        let frame = &self.frame;
        let built = match (frame.length, &frame.delimiter, frame.fixed) {
            (Some(bytes @ (1 | 2 | 4)), None, None) => Frame::Length {
                bytes: bytes as usize,
                inclusive: frame.inclusive,
                little: frame.endian == ByteOrder::Little,
            },
            (Some(_), None, None) => {
                wrong("frame.length", "1, 2 or 4");
                return None;
            }
            (None, Some(text), None) => {
                let bytes = if ebcdic {
                    delimiter_in_ebcdic(text)
                } else {
                    delimiter_in_ascii(text)
                };
                match bytes.filter(|b| !b.is_empty()) {
                    Some(bytes) => Frame::Delimiter(bytes.into()),
                    None => {
                        wrong(
                            "frame.delimiter",
                            "expected at least one character of the client's code page",
                        );
                        return None;
                    }
                }
            }
            (None, None, Some(bytes)) if bytes > 0 && bytes as usize <= room => Frame::Fixed {
                bytes: bytes as usize,
                pad: if ebcdic { 0x40 } else { b' ' },
            },
            (None, None, Some(_)) => {
                wrong(
                    "frame.fixed",
                    "must be 1 to the size of the COMMAREA or container",
                );
                return None;
            }
            _ => {
                wrong("frame", "give one of length, delimiter and fixed");
                return None;
            }
        };
        let max = frame.max_bytes.map_or(room, |max| max as usize);
        if max == 0 || max > room {
            wrong(
                "frame.max_bytes",
                "must be 1 to the size of the COMMAREA or container",
            );
        }
        Some(FrameFormat {
            frame: built,
            max_bytes: max.min(room),
        })
    }
}

impl PreparedReceiver {
    /// The framing and characters of a client whose first message was in
    /// EBCDIC, or not.
    pub fn dialect(&self, ebcdic: bool) -> (&FrameFormat, &CharacterPages) {
        let which = usize::from(match self.clients {
            ClientCharacters::Ascii => false,
            ClientCharacters::Ebcdic => true,
            ClientCharacters::Client => ebcdic,
        });
        (&self.framing[which], &self.characters[which])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> ReceiverConfig {
        ReceiverConfig {
            program: "SHOUT".into(),
            frame: FrameConfig {
                delimiter: Some("\n".into()),
                ..FrameConfig::default()
            },
            ..ReceiverConfig::default()
        }
    }

    fn mistakes(config: &ReceiverConfig) -> Vec<String> {
        let mut reported = Vec::new();
        let built = config.build("RECV", &mut |key, _| reported.push(key.to_owned()));
        assert_eq!(built.is_none(), !reported.is_empty());
        reported
    }

    #[test]
    fn a_receiver_of_lines_needs_little() {
        assert_eq!(mistakes(&lines()), [""; 0]);
        let receiver = lines().build("RECV", &mut |_, _| ()).unwrap();
        assert_eq!(receiver.dialect(true).0.max_bytes, 32_763);
        assert_eq!(receiver.dialect(true).1, &CharacterPages::SAME);
    }

    #[test]
    fn every_mistake_is_reported() {
        assert_eq!(mistakes(&ReceiverConfig::default()), ["program", "frame"]);
        let mut config = lines();
        config.answers = Some("RECV".into());
        config.area_bytes = 40_000;
        config.area_length = 3;
        config.frame.max_bytes = Some(0);
        let reported = ["answers", "area_bytes", "area_length", "frame.max_bytes"];
        assert_eq!(mistakes(&config), reported);
        let mut config = lines();
        config.container = Some("MESSAGE".into());
        config.area_bytes = 10;
        config.frame.fixed = Some(10);
        assert_eq!(mistakes(&config), ["container", "frame"]);
        let mut config = lines();
        config.frame.delimiter = Some("€".into());
        assert_eq!(mistakes(&config), ["frame.delimiter"]);
        config.frame = FrameConfig {
            length: Some(3),
            ..FrameConfig::default()
        };
        assert_eq!(mistakes(&config), ["frame.length"]);
        config.frame = FrameConfig {
            fixed: Some(40_000),
            ..FrameConfig::default()
        };
        assert_eq!(mistakes(&config), ["frame.fixed"]);
    }
}
