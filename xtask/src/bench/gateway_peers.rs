//! Independent servers for comparison with the gateway: nginx answering a constant,
//! which is the limit, and what a team would write instead of COBOL with a
//! gateway: a Node and a Go server that parse the same JSON and answer a
//! constant of the same size. One that is not installed is left out.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::gateway::Server;
use super::program;

/// A server that is not ours.
pub struct GatewayPeer {
    /// As the rows name it.
    pub name: &'static str,
    /// Starts the gateway peer for answers of so many bytes, its files in a folder; none
    /// where it is not installed.
    pub start: fn(usize, &Path) -> Result<Option<Server>>,
}

/// Every peer there is.
pub const PEERS: [GatewayPeer; 3] = [
    GatewayPeer {
        name: "nginx",
        start: nginx,
    },
    GatewayPeer {
        name: "Go",
        start: go,
    },
    GatewayPeer {
        name: "Node",
        start: node,
    },
];

fn node(bytes: usize, folder: &Path) -> Result<Option<Server>> {
    let Some(node) = program::on_path("node") else {
        return Ok(None);
    };
    let script = folder.join("server.js");
    fs::write(&script, include_str!("peers/server.js"))?;
    let mut command = Command::new(node);
    command.arg(script).arg(bytes.to_string());
    Server::start(command).map(Some)
}

fn go(bytes: usize, folder: &Path) -> Result<Option<Server>> {
    let Some(go) = program::on_path("go") else {
        return Ok(None);
    };
    let (source, built) = (folder.join("server.go"), folder.join("server-in-go"));
    fs::write(&source, include_str!("peers/server.go"))?;
    let status = Command::new(go)
        .args(["build", "-o"])
        .args([&built, &source])
        .status()?;
    if !status.success() {
        bail!("go could not build its server");
    }
    let mut command = Command::new(built);
    command.arg(bytes.to_string());
    Server::start(command).map(Some)
}

fn nginx(bytes: usize, folder: &Path) -> Result<Option<Server>> {
    let Some(nginx) = program::on_path("nginx") else {
        return Ok(None);
    };
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let answer = format!("\"{}\"", "A".repeat(bytes.saturating_sub(2)));
    let settings = folder.join("nginx.conf");
    fs::write(
        &settings,
        format!(
            "daemon off; worker_processes 1; pid {0}/nginx.pid; error_log {0}/nginx.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ access_log off; keepalive_requests 100000000;\n\
             client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0};\n\
             uwsgi_temp_path {0}; scgi_temp_path {0};\n\
             server {{ listen {address}; location / {{ default_type application/json;\n\
             return 200 '{answer}'; }} }} }}\n",
            folder.display()
        ),
    )?;
    let mut command = Command::new(nginx);
    command.arg("-p").arg(folder).arg("-c").arg(&settings);
    let server = Server::listening(command, address.to_string())?;
    let patience = Instant::now() + Duration::from_secs(5);
    while TcpStream::connect(address).is_err() {
        if Instant::now() > patience {
            let log = fs::read_to_string(folder.join("nginx.log")).unwrap_or_default();
            return Err(anyhow::anyhow!(log)).context("nginx does not listen");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(Some(server))
}
