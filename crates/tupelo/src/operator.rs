//! Requests to a running region through its administration port.
//!
//! One request a connection, answered in JSON.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use miette::{IntoDiagnostic, Result, WrapErr, bail};
use serde_json::Value;

use crate::operator_token;

/// The region to ask, and the format of the output.
#[derive(Debug, clap::Args)]
pub struct OperatorArgs {
    /// Administration port of the region.
    #[arg(long, value_name = "[ADDRESS:]PORT", default_value = "127.0.0.1:9080", value_parser = crate::address::address)]
    admin: SocketAddr,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Most time that a region may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
const MAX_ANSWER: u64 = 64 << 20;

impl OperatorArgs {
    /// The answer to a GET of a path.
    pub fn get(&self, path: &str) -> Result<Value> {
        self.ask("GET", path)
    }

    /// The answer to a POST of a path.
    pub fn post(&self, path: &str) -> Result<Value> {
        self.ask("POST", path)
    }

    /// The address of the console for a browser that has this key.
    pub fn link(&self, key: &str) -> String {
        format!("http://{}/console/#key={key}", self.admin)
    }

    fn ask(&self, method: &str, path: &str) -> Result<Value> {
        let answer = self
            .exchange(method, path)
            .into_diagnostic()
            .wrap_err_with(|| {
                format!(
                    "no region answers at {}: is `tupelo serve` running there?",
                    self.admin
                )
            })?;
        let Some((status, body)) = parse(&answer) else {
            bail!("{} answers with something that is not HTTP", self.admin);
        };
        let value: Value = serde_json::from_str(body)
            .into_diagnostic()
            .wrap_err_with(|| format!("{} does not answer like a region", self.admin))?;
        match (status, value["error"].as_str()) {
            (200, _) => Ok(value),
            (_, Some(why)) => {
                let faults = value["faults"].as_array().into_iter().flatten();
                let faults: Vec<String> = faults.map(cell).collect();
                if faults.is_empty() {
                    bail!("{why}")
                } else {
                    bail!(help = faults.join("\n"), "{why}")
                }
            }
            (401 | 403, _) => bail!(
                help = "set TUPELO_USER and TUPELO_PASSWORD, or TUPELO_API_KEY, to authenticate; \
                    without users set TUPELO_OPERATOR_TOKEN to the text of operator.token in the \
                    region's state folder",
                "{}",
                value["detail"]
                    .as_str()
                    .unwrap_or("the region rejects the request")
            ),
            _ => bail!(
                "{} answers {status} to {path}: is it a region of this version?",
                self.admin
            ),
        }
    }

    fn exchange(&self, method: &str, path: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&self.admin, TIMEOUT)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-length: 0\r\nx-tupelo-operator: {}\r\n{}\r\n",
            self.admin,
            operator_token::find(self.admin)
                .as_deref()
                .unwrap_or("none"),
            authorization()
        )?;
        let mut answer = Vec::new();
        stream.take(MAX_ANSWER).read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

/// The credentials from the environment, as a header line.
fn authorization() -> String {
    let given = |name: &str| {
        std::env::var(name)
            .ok()
            .filter(|text| !text.contains(['\r', '\n']))
    };
    if let Some(key) = given("TUPELO_API_KEY") {
        return format!("x-api-key: {key}\r\n");
    }
    match (given("TUPELO_USER"), given("TUPELO_PASSWORD")) {
        (Some(user), Some(password)) => {
            let text = gateway::security::users::basic(&user, &password);
            format!("authorization: {text}\r\n")
        }
        _ => String::new(),
    }
}

/// Status and body of an answer that ends with its connection.
fn parse(answer: &str) -> Option<(u16, &str)> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, body))
}

/// A value as a cell of a table.
pub fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_end().to_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_has_a_status_and_a_body() {
        assert_eq!(
            parse("HTTP/1.1 404 Not Found\r\na: b\r\n\r\n{}"),
            Some((404, "{}"))
        );
        assert_eq!(parse("HTTP/1.1 2"), None);
    }

    proptest! {
        #[test]
        fn no_answer_makes_the_reader_panic(answer in any::<String>()) {
            let _ = parse(&answer);
        }
    }
}
