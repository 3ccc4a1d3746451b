//! EZACICD statements: listeners as a mainframe's definitions have them.
//!
//! ```text
//! label  EZACICD TYPE=LISTENER,APPLID=A,TRANID=CSKL,PORT=3010,          X
//!                IMMED=YES,NUMSOCK=50      a comment
//! ```
//!
//! Statements of the assembler. A blank line or one that begins with an
//! asterisk is a comment. A line is continued if it ends with a comma or has a
//! character in column 72. Lines after END are ignored. TYPE=CICS gives NTASKS;
//! TYPE=INITIAL and TYPE=FINAL are accepted without effect.
//!
//! Reference: IP CICS Sockets Guide, "Building the configuration data set with
//! EZACICD".

use std::collections::BTreeMap;

use crate::config::{ListenerConfig, MessageForm, MessageFormat, StartType, delay_ms};

/// Column of a line's continuation mark, from 1.
const CONTINUED: usize = 72;

/// The definitions of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EzacicdDefinitions {
    /// Listeners by their transaction.
    pub listeners: BTreeMap<String, ListenerConfig>,
    /// NTASKS of TYPE=CICS.
    pub ntasks: Option<u32>,
    /// The problems, with their lines.
    pub mistakes: Vec<EzacicdError>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct EzacicdError {
    /// Its line, from 1.
    pub line: usize,
    /// The problem, and what to write.
    pub why: String,
}

/// Reads the statements for a region; those of other regions are passed over.
pub fn parse(text: &str, applid: &str) -> EzacicdDefinitions {
    let mut made = EzacicdDefinitions::default();
    for (line, statement) in statements(text) {
        let mut say = |why: String| made.mistakes.push(EzacicdError { line, why });
        let operands = match operands(&statement) {
            Ok(operands) => operands,
            Err(why) => {
                say(why);
                continue;
            }
        };
        let get = |key: &str| {
            operands
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, v)| v.as_str())
        };
        if get("APPLID").is_some_and(|a| !a.eq_ignore_ascii_case(applid)) {
            continue;
        }
        match get("TYPE") {
            Some("INITIAL" | "FINAL") => {}
            Some("CICS") => match get("NTASKS").map(str::parse) {
                Some(Ok(ntasks)) if ntasks > 0 => made.ntasks = Some(ntasks),
                Some(_) => say("NTASKS must be a number above 0".into()),
                None => {}
            },
            Some("LISTENER") => {
                let name = get("TRANID").unwrap_or("CSKL").to_owned();
                let mut listener = ListenerConfig::default();
                for (key, value) in &operands {
                    if let Err(why) = set(&mut listener, key, value) {
                        say(format!("{key}={value}: {why}"));
                    }
                }
                listener.check(&name, &mut |key, why| {
                    say(format!("{} {why}", key.to_uppercase()))
                });
                if made.listeners.insert(name.clone(), listener).is_some() {
                    say(format!("listener {name} is defined twice"));
                }
            }
            other => say(format!(
                "TYPE={}: expected INITIAL, CICS, LISTENER or FINAL",
                other.unwrap_or_default()
            )),
        }
    }
    made
}

/// Sets the value of an operand.
fn set(listener: &mut ListenerConfig, key: &str, value: &str) -> Result<(), &'static str> {
    const NUMBER: &str = "expected a number";
    let number = || value.parse::<u32>().map_err(|_| NUMBER);
    let switch = || match value {
        "YES" => Ok(true),
        "NO" => Ok(false),
        _ => Err("expected YES or NO"),
    };
    match key {
        "TYPE" | "APPLID" | "TRANID" => {}
        "PORT" => listener.port = value.parse().map_err(|_| "expected 0 to 65535")?,
        "IMMED" => listener.immed = switch()?,
        "BACKLOG" => listener.backlog = number()?,
        "NUMSOCK" => listener.numsock = number()?,
        "MINMSGL" => listener.minmsgl = number()?,
        "GIVTIME" => listener.givtime = number()?,
        "REATIME" => listener.reatime = number()?,
        "TRANTRN" => listener.trantrn = switch()?,
        "TRANUSR" => listener.tranusr = switch()?,
        "SECEXIT" => listener.secexit = Some(value.to_owned()),
        "CSTRAN" | "CSTRANID" => listener.cstran = Some(value.to_owned()),
        "MSGLEN" | "MSGLENTH" => listener.msglen = number()?,
        "PEEKDATA" => listener.peekdata = switch()?,
        "CSDELAY" => match delay_ms(value) {
            Some(_) => listener.csdelay = value.to_owned(),
            None => return Err("expected six digits, hhmmss"),
        },
        "CSSTTYP" | "CSSTTYPE" => {
            listener.cssttyp = match value {
                "KC" => StartType::Kc,
                "IC" => StartType::Ic,
                "TD" => StartType::Td,
                _ => return Err("expected KC, IC or TD"),
            }
        }
        "FORMAT" => {
            listener.format = match value {
                "STANDARD" => MessageFormat::Standard,
                "ENHANCED" => MessageFormat::Enhanced,
                _ => return Err("expected STANDARD or ENHANCED"),
            }
        }
        "MSGFORM" => {
            listener.msgform = Some(match value {
                "ASCII" => MessageForm::Ascii,
                "EBCDIC" => MessageForm::Ebcdic,
                _ => return Err("expected ASCII or EBCDIC"),
            })
        }
        // Operands without effect here: tuning of the mainframe's own threads
        // and caches, and IPv6, which follows from the address.
        "ACCTIME" | "RTYTIME" | "LAPPLD" | "USERID" | "WLMGN1" | "WLMGN2" | "WLMGN3" | "AF"
        | "FASTRD" | "GETTID" | "TTLSRT" => {}
        _ => return Err("unknown operand of TYPE=LISTENER"),
    }
    Ok(())
}

/// The statements of EZACICD: the number of the first line, and the operands.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut list: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('*') {
            continue;
        }
        let marked = line.chars().nth(CONTINUED - 1).is_some_and(|c| c != ' ');
        let body: String = line.chars().take(CONTINUED - 1).collect();
        let words = body.trim_start();
        if open
            && words
                .split_whitespace()
                .take(2)
                .any(|word| word == "EZACICD")
        {
            list.push((at + 1, String::from("!")));
            open = false;
        }
        let operands = if open {
            Some(words)
        } else {
            words
                .split_once("EZACICD")
                .filter(|(label, _)| !label.trim_end().contains(' '))
                .map(|(_, rest)| rest.trim_start())
        };
        let Some(operands) = operands else {
            // The end of what the assembler reads.
            if words.split_whitespace().next() == Some("END") {
                break;
            }
            list.push((at + 1, String::from("?")));
            continue;
        };
        // A comment follows the first blank.
        let operands = operands.split(' ').next().unwrap_or_default();
        match list.last_mut().filter(|_| open) {
            Some((_, statement)) => statement.push_str(operands),
            None => list.push((at + 1, operands.to_owned())),
        }
        open = marked || operands.ends_with(',');
    }
    list
}

fn operands(statement: &str) -> Result<Vec<(String, String)>, String> {
    match statement {
        "?" => return Err("expected a statement of EZACICD".into()),
        "!" => {
            let why = "a statement begins here, but the one before is continued: it ends with a \
                comma or has a character in column 72";
            return Err(why.into());
        }
        _ => {}
    }
    let parts = statement.split(',').filter(|part| !part.is_empty());
    parts
        .map(|part| match part.split_once('=') {
            Some((key, value)) => Ok((key.to_uppercase(), value.to_uppercase())),
            None => Err(format!("{part:?}: expected KEY=VALUE")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
* The listeners of two regions
         EZACICD TYPE=INITIAL
         EZACICD TYPE=CICS,APPLID=CICSA,NTASKS=20   helper threads
LSTN1    EZACICD TYPE=LISTENER,APPLID=CICSA,TRANID=CSKL,PORT=3010,     X
               IMMED=YES,BACKLOG=10,NUMSOCK=20,                        X
               GIVTIME=5,SECEXIT=MYEXIT
         EZACICD TYPE=LISTENER,APPLID=CICSA,TRANID=CSKM,
               FORMAT=ENHANCED,CSTRAN=ECHO,CSSTTYPE=IC,CSDELAY=000003,
               MSGLEN=35,PEEKDATA=YES,MSGFORM=EBCDIC,PORT=3011
         EZACICD TYPE=LISTENER,APPLID=OTHER,TRANID=CSKX,PORT=1
         EZACICD TYPE=FINAL
";

    #[test]
    fn the_listeners_of_one_region_are_read() {
        let made = parse(TEXT, "CICSA");
        assert_eq!(made.mistakes, []);
        assert_eq!(made.ntasks, Some(20));
        let names: Vec<&String> = made.listeners.keys().collect();
        assert_eq!(names, ["CSKL", "CSKM"]);
        let (standard, enhanced) = (&made.listeners["CSKL"], &made.listeners["CSKM"]);
        assert_eq!(
            (standard.port, standard.backlog, standard.numsock),
            (3010, 10, 20)
        );
        assert_eq!(standard.secexit.as_deref(), Some("MYEXIT"));
        assert_eq!(enhanced.cssttyp, StartType::Ic);
        assert_eq!((enhanced.msglen, enhanced.peekdata), (35, true));
        assert_eq!(enhanced.msgform, Some(MessageForm::Ebcdic));
    }

    #[test]
    fn statements_as_installations_have_them_are_read() {
        let text = "\
         EZACICD TYPE=INITIAL,    start of macro assembly input        X00010000
               PRGNAME=EZACONFG,  load module name                     X00020000
               FILENAME=EZACONFG  DD name of the configuration          00030000
         EZACICD TYPE=CICS,       CICS record definition               X00040000
               APPLID=CICSPROD,   APPLID of the region                 X
               TCPADDR=TCPIP,     name of TCP/IP's address space       X
               NTASKS=20,CACHMIN=15,CACHMAX=30,CACHRES=10,             X
               ERRORTD=CSMT,SMSGSUP=NO,OTE=YES,TCBLIM=12,TRACE=NO
         EZACICD TYPE=LISTENER,FORMAT=STANDARD,APPLID=CICSPROD,        X
               TRANID=CSKL,PORT=3010,AF=INET,IMMED=YES,BACKLOG=20,     X
               NUMSOCK=50,MINMSGL=4,ACCTIME=30,GIVTIME=30,REATIME=30,  X
               RTYTIME=15,FASTRD=YES,LAPPLD=YES,TRANTRN=YES,           X
               TRANUSR=YES,SECEXIT=EZACICSE,GETTID=YES,USERID=USER0001,X
               WLMGN1=WORKGRP1,WLMGN2=WORKGRP2,WLMGN3=WORKGRP3
         EZACICD TYPE=FINAL
         END
 whatever follows
";
        let made = parse(text, "CICSPROD");
        assert_eq!(made.mistakes, []);
        assert_eq!(made.ntasks, Some(20));
        let listener = &made.listeners["CSKL"];
        assert_eq!((listener.port, listener.numsock), (3010, 50));
        assert_eq!(listener.secexit.as_deref(), Some("EZACICSE"));
    }

    #[test]
    fn a_statement_that_runs_into_another_is_reported_and_both_are_read() {
        let long = "               FORMAT=ENHANCED,CSTRAN=ECHO,CSSTTYPE=KC,MSGLEN=1,PEEKDATA=YES";
        for first in [
            &format!(" EZACICD TYPE=LISTENER,TRANID=A,\n{long}"),
            " EZACICD TYPE=LISTENER,TRANID=A,",
        ] {
            let made = parse(&format!("{first}\nL EZACICD TYPE=LISTENER,TRANID=B\n"), "A");
            let reported: Vec<String> = made.mistakes.iter().map(|m| m.to_string()).collect();
            assert!(
                reported
                    .iter()
                    .any(|t| t.contains("the one before is continued")),
                "{reported:?}"
            );
            assert!(made.listeners.contains_key("B"), "{reported:?}");
        }
    }

    #[test]
    fn every_mistake_is_reported_with_its_line() {
        let text = " EZACICD TYPE=LISTENER,PORT=70000,NUMSOK=5\n hello\n EZACICD TYPE=X\n";
        let reported: Vec<String> = parse(text, "A")
            .mistakes
            .iter()
            .map(|m| m.to_string())
            .collect();
        assert_eq!(
            reported,
            [
                "line 1: PORT=70000: expected 0 to 65535",
                "line 1: NUMSOK=5: unknown operand of TYPE=LISTENER",
                "line 2: expected a statement of EZACICD",
                "line 3: TYPE=X: expected INITIAL, CICS, LISTENER or FINAL",
            ]
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[ A-Z=,*\\n0-9é]{0,200}") {
            let _ = parse(&format!(" EZACICD {text}"), "A");
        }
    }
}
