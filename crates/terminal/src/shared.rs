//! What connections, commands and the door of terminals share.
//!
//! Every lock here is held for a look-up only.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ::tls::ReloadingSettings;
use region::{FacilityId, Handle, UserId};
use rustls::ServerConfig;
use seats::{ListenerSeats, SeatLimits};
use tokio::sync::watch;

use crate::browses::TerminalBrowses;
use crate::config::TerminalConfig;
use crate::display::TerminalDisplay;
use crate::host::{SignedOnUser, TerminalHost};
use crate::maps::MapTable;
use crate::names::NameTable;
use crate::page::PageTable;
use crate::sign_on::SignOnTable;
use crate::stepping::StepTable;

/// What TLS connections are accepted with, read again when it is written.
pub type ServerTls = ReloadingSettings<ServerConfig>;

/// What connections and commands share.
pub struct TerminalContext {
    /// The settings.
    pub config: TerminalConfig,
    /// Name of the region.
    pub applid: String,
    /// The code pages of terminals.
    pub pages: PageTable,
    /// The process around the door.
    pub host: Option<Arc<dyn TerminalHost>>,
    /// What TLS connections are accepted with.
    pub tls: Option<ServerTls>,
    /// Wrong passwords.
    pub sign_ons: SignOnTable,
    /// Browses of terminals.
    pub browses: TerminalBrowses,
    /// Tasks that run step by step.
    pub stepping: StepTable,
    /// Names in use.
    pub names: NameTable,
    maps: Mutex<Arc<MapTable>>,
    /// Counts the changes of the maps, from 1.
    map_changes: AtomicU32,
    displays: Mutex<HashMap<FacilityId, Arc<TerminalDisplay>>>,
    /// The places of connections.
    pub seats: ListenerSeats,
    running: OnceLock<RegionRuntime>,
}

/// What is there once the region runs.
pub struct RegionRuntime {
    /// The door's runtime.
    pub runtime: tokio::runtime::Handle,
    /// The region.
    pub region: Handle,
    /// Who tasks run for without a sign-on.
    pub user: UserId,
    /// Becomes true when the door stops.
    pub stop: watch::Receiver<bool>,
}

impl TerminalContext {
    /// The maps in force.
    pub fn maps(&self) -> Arc<MapTable> {
        lock(&self.maps).clone()
    }

    /// Notes the terminal of a facility.
    pub fn attach(&self, facility: FacilityId, display: &Arc<TerminalDisplay>) {
        let mut displays = lock(&self.displays);
        displays.entry(facility).or_insert_with(|| display.clone());
    }

    /// The terminal of a facility.
    pub fn display(&self, facility: FacilityId) -> Option<Arc<TerminalDisplay>> {
        lock(&self.displays).get(&facility).cloned()
    }

    /// All terminals.
    pub fn displays(&self) -> Vec<(FacilityId, Arc<TerminalDisplay>)> {
        let displays = lock(&self.displays);
        displays.iter().map(|(id, d)| (*id, d.clone())).collect()
    }

    /// Settings and maps of a door that has not started.
    pub fn new(
        config: TerminalConfig,
        applid: &str,
        maps: MapTable,
        host: Option<Arc<dyn TerminalHost>>,
        tls: Option<ServerTls>,
    ) -> TerminalContext {
        TerminalContext {
            pages: PageTable::new(&config),
            seats: ListenerSeats::new(SeatLimits {
                most: config.max_connections,
                reserved: 0,
            }),
            host,
            tls,
            sign_ons: SignOnTable::default(),
            browses: TerminalBrowses::default(),
            stepping: StepTable::default(),
            config,
            applid: applid.to_owned(),
            names: NameTable::default(),
            maps: Mutex::new(Arc::new(maps)),
            map_changes: AtomicU32::new(1),
            displays: Mutex::default(),
            running: OnceLock::new(),
        }
    }

    /// The region runs; later calls change nothing.
    pub fn begin(&self, running: RegionRuntime) {
        let _ = self.running.set(running);
    }

    /// Other maps are in force from now on.
    pub fn reload(&self, maps: MapTable) {
        *lock(&self.maps) = Arc::new(maps);
        // Later: who knows of the change finds the new maps.
        self.map_changes.fetch_add(1, Ordering::Release);
    }

    /// Counts the changes of the maps, from 1.
    pub fn map_changes(&self) -> u32 {
        self.map_changes.load(Ordering::Acquire)
    }

    /// What is there once the region runs. Returns `None` before that.
    pub fn running(&self) -> Option<&RegionRuntime> {
        self.running.get()
    }

    /// Who tasks of terminals run for without a sign-on.
    pub fn default_user(&self) -> UserId {
        self.running.get().map_or(UserId::BLANK, |r| r.user)
    }

    /// Whether a user store has users who can sign on.
    pub fn has_users(&self) -> bool {
        self.host.as_ref().is_some_and(|host| host.has_users())
    }

    /// Whether transactions that look at the region, or change it, are for users
    /// who have signed on: there are users, or other machines can connect.
    pub fn requires_sign_on(&self) -> bool {
        let mut addresses = self.config.addresses();
        self.has_users() || addresses.any(|address| !address.ip().is_loopback())
    }

    /// Another user has a terminal from the next task on; `None` signs off.
    pub fn sign_on(
        &self,
        region: &Handle,
        facility: FacilityId,
        display: &TerminalDisplay,
        user: Option<SignedOnUser>,
    ) {
        let userid = user.as_ref().map_or(self.default_user(), |u| u.userid);
        {
            let mut state = display.lock();
            state.user = user;
            state.wrong_passwords = 0;
        }
        region.sign_on(facility, userid);
    }

    /// A facility is closed.
    pub fn detach(&self, facility: FacilityId) {
        lock(&self.displays).remove(&facility);
    }
}

impl Debug for TerminalContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
