//! The messages to refused clients.
//!
//! One line, in the form of the messages of EZACIC02: number, date, time, text,
//! partner. EZY1353E is the manual's; EZY1315E was not found there and may differ;
//! the others say the same of other reasons and have no number.
//!
//! Reference: IP Messages volume 3 (EZY), EZY1353E.

use std::net::SocketAddr;

use super::header::HeaderError;

/// Why a client is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientRefusal {
    /// The message is malformed.
    Header(HeaderError),
    /// The transaction is not defined.
    Unknown,
    /// The transaction is disabled.
    Disabled,
    /// Its message was not there in time.
    TooLate,
    /// The security exit refuses.
    Exit,
    /// The security exit refuses and has sent the message itself.
    ExitSilent,
    /// The security exit cannot be run.
    ExitFailed,
    /// The transient data queue does not take the message.
    Queue(cics::resp::Condition),
    /// No transaction took the socket in time.
    NotTaken,
    /// The region ends.
    Ending,
    /// The receiver has as many connections as it may have.
    Full,
    /// The receiver takes no connections now.
    Stopped,
    /// The session has its connections.
    InUse,
    /// The session's other connection does not come.
    Alone,
    /// The connection speaks TLS, and no receiver serves the transaction.
    NoReceiver,
}

impl ClientRefusal {
    /// The line for the client and the log. Returns `None` when no line is sent.
    pub fn text(&self, transid: &str, client: SocketAddr, now: &str) -> Option<String> {
        let partner = format!(
            "PARTNER INET ADDR={} PORT={:>5}",
            client.ip(),
            client.port()
        );
        Some(match self {
            ClientRefusal::Header(HeaderError::TransId) | ClientRefusal::Unknown => {
                format!("EZY1315E {now} INVALID TRANID={transid} {partner}")
            }
            ClientRefusal::Header(HeaderError::Comma) => {
                format!("EZY1353E {now} COMMA MISSING AFTER IC TRANSACTION ID= {transid} {partner}")
            }
            ClientRefusal::Header(error) => format!("{now} {error} TRANID={transid} {partner}"),
            ClientRefusal::Disabled => {
                format!("{now} TRANSACTION IS DISABLED TRANID={transid} {partner}")
            }
            ClientRefusal::TooLate => format!("{now} NO MESSAGE WAS RECEIVED IN TIME {partner}"),
            ClientRefusal::Exit => {
                format!("{now} THE SECURITY EXIT REJECTED TRANID={transid} {partner}")
            }
            ClientRefusal::ExitFailed => {
                format!("{now} THE SECURITY EXIT CANNOT BE RUN TRANID={transid} {partner}")
            }
            ClientRefusal::Queue(condition) => {
                format!("{now} QUEUE {transid} ANSWERS {condition} {partner}")
            }
            ClientRefusal::NotTaken => {
                format!("{now} THE SOCKET WAS NOT TAKEN TRANID={transid} {partner}")
            }
            ClientRefusal::Ending => format!("{now} THE REGION ENDS {partner}"),
            ClientRefusal::Full => format!("{now} TOO MANY CONNECTIONS TRANID={transid} {partner}"),
            ClientRefusal::Stopped => format!("{now} {transid} IS STOPPED {partner}"),
            ClientRefusal::InUse => {
                format!("{now} THE SESSION IS IN USE TRANID={transid} {partner}")
            }
            ClientRefusal::Alone => {
                format!("{now} THE OTHER CONNECTION IS MISSING TRANID={transid} {partner}")
            }
            ClientRefusal::NoReceiver => {
                format!(
                    "{now} NO RECEIVER SERVES TRANID={transid} AND THE CLIENT SPEAKS TLS {partner}"
                )
            }
            ClientRefusal::ExitSilent => return None,
        })
    }
}

/// Local time as messages have it: mm/dd/yy hh:mm:ss.
pub fn now() -> String {
    // SAFETY: reads the clock, and fills a structure of this function.
    let t = unsafe {
        let seconds = libc::time(std::ptr::null_mut());
        let mut t: libc::tm = std::mem::zeroed();
        libc::localtime_r(&seconds, &mut t);
        t
    };
    format!(
        "{:02}/{:02}/{:02} {:02}:{:02}:{:02}",
        t.tm_mon + 1,
        t.tm_mday,
        t.tm_year % 100,
        t.tm_hour,
        t.tm_min,
        t.tm_sec
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_the_messages_of_the_manual() {
        let client = "10.1.1.2:1076".parse().unwrap();
        let comma = ClientRefusal::Header(HeaderError::Comma);
        assert_eq!(
            comma.text("SCCS", client, "10/11/05 14:02:56").unwrap(),
            "EZY1353E 10/11/05 14:02:56 COMMA MISSING AFTER IC TRANSACTION ID= SCCS \
             PARTNER INET ADDR=10.1.1.2 PORT= 1076"
        );
        assert_eq!(ClientRefusal::ExitSilent.text("SCCS", client, ""), None);
    }
}
