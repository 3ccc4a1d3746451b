//! What a terminal takes between two inputs: memory of the server's process with
//! 10,000 of them that each have had one answer.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tn3270::screen::KeyboardState;
use tn3270::{CodeTable, Emulator, Key, KeyOutcome, TerminalModel};

use super::terminal::BankServer;
use super::{BenchSettings, BudgetRow, RowBound};

/// Connects the terminals and measures.
pub fn run(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    // A smaller number is for a look without the descriptors.
    let count = std::env::var("TUPELO_BENCH_TERMINALS");
    let count = count.map_or(Ok(TERMINALS), |text| text.parse())?;
    let bank = BankServer::start(count)?;
    let mut open = vec![IdleTerminal::connect(&bank.terminals)?];
    let before = resident(bank.server.id())?;
    for _ in 0..count {
        let terminal = IdleTerminal::connect(&bank.terminals);
        open.push(terminal.with_context(|| format!("terminal {}", open.len()))?);
    }
    let each = (settled(bank.server.id())? - before) / count as f64;
    for terminal in open.iter_mut().step_by((count / 10).max(1)) {
        terminal.enter("", "Option")?;
    }
    Ok(vec![BudgetRow::judged(
        "terminal-idle",
        format!("{count} terminals at a menu"),
        (each, "bytes/terminal"),
        ("chosen", Some(BOUND)),
        RowBound::RatioAtMost(1.0),
    )])
}

/// A terminal of which only the connection is needed between two inputs.
struct IdleTerminal {
    stream: TcpStream,
    emulator: Emulator,
}

impl IdleTerminal {
    /// Connects and begins the teller's menu, so that data of a conversation
    /// wait for the next input.
    fn connect(address: &str) -> Result<IdleTerminal> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let emulator = Emulator::with_model(TerminalModel::display(2));
        let mut terminal = IdleTerminal { stream, emulator };
        terminal.wait_for("transaction code")?;
        terminal.enter("bank", "TELLER MENU")?;
        Ok(terminal)
    }

    fn enter(&mut self, text: &str, then: &str) -> Result<()> {
        let table = CodeTable::cp037();
        if self.emulator.screen_mut().type_text(text, &table) != KeyOutcome::Done {
            bail!("{text} could not be typed");
        }
        self.emulator.press(Key::Enter);
        self.wait_for(then)
    }

    fn wait_for(&mut self, text: &str) -> Result<()> {
        let table = CodeTable::cp037();
        let mut buffer = [0; 4096];
        loop {
            while let Some(bytes) = self.emulator.poll_transmit() {
                self.stream.write_all(&bytes)?;
            }
            let screen = self.emulator.screen();
            let unlocked = screen.keyboard() == KeyboardState::Unlocked;
            if unlocked && screen.screen_text(&table).contains(text) {
                return Ok(());
            }
            let length = self.stream.read(&mut buffer)?;
            if length == 0 {
                bail!("a terminal was disconnected");
            }
            self.emulator
                .handle_bytes(&buffer[..length], &mut Vec::new())?;
        }
    }
}

/// Resident bytes once they no longer fall.
fn settled(pid: u32) -> Result<f64> {
    let mut least = resident(pid)?;
    let mut since = Instant::now();
    while since.elapsed() < SETTLED {
        std::thread::sleep(SETTLED / 10);
        let now = resident(pid)?;
        if now < least {
            (least, since) = (now, Instant::now());
        }
    }
    Ok(least)
}

/// Resident bytes of the server's own process.
fn resident(pid: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let kib = line
        .and_then(|l| l.split_whitespace().next())
        .context("no VmRSS")?;
    Ok(kib.parse::<f64>()? * 1024.0)
}

/// Terminals.
const TERMINALS: usize = 10_000;
/// Bytes that a terminal may take, without TLS (chosen).
const BOUND: f64 = 16_384.0;
/// Time without less memory after which no less is expected.
const SETTLED: Duration = Duration::from_secs(3);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
