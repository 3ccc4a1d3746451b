//! The account as text: a sum that a person can check line by line.

use std::fmt;

use super::reconcile::{ExplainedReceive, TraceReconciliation};

impl fmt::Display for TraceReconciliation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, value: f64, what: String| {
            writeln!(f, "{value:>10.4} s  {what}")
        };
        let client = &self.client;
        line(
            f,
            client.response_s,
            format!("response of {} task {}", client.transid, client.number),
        )?;
        for task in &self.servers {
            line(
                f,
                -task.response_s,
                format!("{} task {}", task.transid, task.number),
            )?;
        }
        line(
            f,
            self.unaccounted_s,
            format!(
                "in no other task ({:.4} s are in {} tasks)",
                self.served_s,
                self.servers.len()
            ),
        )?;
        for receive in self.receives.iter().filter(|r| r.counts) {
            line(f, -receive.stamped_s, wait(receive))?;
        }
        line(
            f,
            self.remaining_s,
            format!(
                "remains ({:.4} s explained by receives that waited)",
                self.explained_s
            ),
        )?;
        for receive in self.receives.iter().filter(|r| !r.counts) {
            let place = match &receive.transid {
                Some(transid) => format!(
                    "inside {transid} task {}, counted already",
                    receive.receive.task
                ),
                None => format!("task {} is not in the list", receive.receive.task),
            };
            writeln!(
                f,
                "not in the sum: {:.4} s {}; {place}",
                receive.stamped_s,
                wait(receive)
            )?;
        }
        for receive in &self.receives {
            for delay in &receive.delays {
                writeln!(
                    f,
                    "case {}: {} from {} to {}, packets {:?}",
                    receive.case, delay.cause, delay.began, delay.ended, delay.packets
                )?;
            }
        }
        for remark in &self.remarks {
            writeln!(
                f,
                "case {}: the trace prints {:.4} s, its time stamps give {:.4} s",
                remark.case, remark.printed_s, remark.stamped_s
            )?;
        }
        Ok(())
    }
}

fn wait(explained: &ExplainedReceive) -> String {
    let receive = &explained.receive;
    let bytes = receive
        .bytes
        .map_or(String::new(), |n| format!(" for {n} bytes"));
    let sent: Vec<String> = receive
        .sends
        .iter()
        .map(|s| match s.bytes {
            Some(bytes) => format!("task {} sent {bytes} at {}", s.task, s.at),
            None => format!("task {} sent at {}", s.task, s.at),
        })
        .collect();
    let sent = if sent.is_empty() {
        String::new()
    } else {
        format!(" ({})", sent.join(", "))
    };
    format!(
        "case {}: task {} waited{bytes} from {} to {}{sent}",
        explained.case, receive.task, receive.began, receive.ended
    )
}
