//! 3270 terminals: the TN3270 listener and the maps of the application.

use std::sync::Arc;
use std::time::Duration;

use miette::{IntoDiagnostic, Result, WrapErr};
use region::RegionConfig;
use terminal::{MapTable, TerminalConfig, Terminals};

use super::{Running, Service};
use crate::app::Application;
use crate::app::compile::Compiled;
use crate::app::counted;
use crate::app::said::Said;
use crate::app::terminal_host::Host;

/// The door, and maps that were read and are not in force yet.
#[derive(Default)]
struct TerminalDoor {
    terminals: Option<Terminals>,
    config: TerminalConfig,
    next: Option<MapTable>,
}

/// A service that has read nothing yet.
pub fn service() -> Box<dyn Service> {
    Box::new(TerminalDoor::default())
}

impl Service for TerminalDoor {
    fn prepare(&mut self, app: &Application, _: &Compiled, _: &mut Said) -> Result<()> {
        // What is wrong with the maps is reported when they are built.
        let maps = MapTable::new(&app.map_sets()?);
        if self.terminals.is_some() {
            self.next = Some(maps);
            return Ok(());
        }
        self.config = app.config.terminal.clone();
        let applid = &app.config.region.applid;
        self.terminals = Some(Terminals::new(
            self.config.clone(),
            applid,
            maps,
            Some(Arc::new(Host::new(app))),
        ));
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(terminals) = &self.terminals {
            config.services.push(terminals.service());
            config.guests = Some(terminals.guests(config.guests.take()));
        }
    }

    fn start(&mut self, running: &Running<'_>) -> Result<()> {
        let Some(terminals) = &mut self.terminals else {
            return Ok(());
        };
        let listening = terminals.start(&running.region, running.user);
        listening.into_diagnostic().wrap_err_with(|| {
            let address = self.config.listen.map(|address| address.to_string());
            format!(
                "[terminal] cannot listen at {}",
                address.unwrap_or_default()
            )
        })
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let address = self.terminals.as_ref().and_then(Terminals::address);
        address
            .map(|address| ("tn3270", address.to_string()))
            .into_iter()
            .collect()
    }

    fn reload(&mut self, _: &Running<'_>) -> Result<()> {
        if let (Some(terminals), Some(maps)) = (&self.terminals, self.next.take()) {
            terminals.reload(maps);
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        let sets = self.terminals.as_ref().map_or(0, Terminals::map_sets);
        (sets > 0).then(|| counted(sets, "map set"))
    }

    fn stop(&mut self, _: Duration) {
        self.terminals = None;
    }
}
