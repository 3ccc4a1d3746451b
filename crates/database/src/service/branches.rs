//! Branches of units of work that another region decides: PREPARE TRANSACTION, and
//! what the coordinator decides afterwards.
//!
//! The name of a prepared transaction has the region, the unit's number and a random
//! number. A region that starts again, and a server that does, find by it what they
//! have prepared: the kernel says of each unit whether it is committed or backed out,
//! and those that it does not know are backed out.
//!
//! Invariant: a yes is given only when the server lists the transaction as prepared,
//! since a program can end it over its own copy of the connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use region::{ParticipantVote, UnitId};

use super::ServiceState;
use super::decider::ServiceDecider;
use crate::connection::{Connection, nonce};
use crate::pool::UnitUse;
use crate::server::ServerError;
use crate::settle::{self, PrepareResult};

/// How long one command may take.
const LIMIT: Duration = Duration::from_secs(30);
/// Between two attempts to reach the server.
const PAUSE: Duration = Duration::from_secs(1);
/// Prepared transactions of this region that are read at most.
const MOST: usize = 100_000;
/// SQLSTATE of a prepared transaction that is not there.
const ABSENT: &str = "42704";

/// A transaction that waits for its coordinator.
#[derive(Debug, Clone)]
pub(super) struct PreparedTransaction {
    /// Its name at the server.
    name: String,
    /// The role that prepared it, and may end it.
    role: String,
}

impl ServiceState {
    /// Prepares a unit, and votes.
    pub(super) fn prepare(
        self: &Arc<Self>,
        mut in_use: UnitUse,
        may_commit: bool,
        unit: UnitId,
        vote: ParticipantVote,
    ) {
        let prefix = self.prefix();
        let Some(prefix) = prefix.filter(|_| may_commit && self.recover()) else {
            return self.back_out_now(in_use);
        };
        let transaction = PreparedTransaction {
            name: format!("{prefix}{unit}/{}", nonce()),
            role: in_use.session.role.to_string(),
        };
        match settle::prepare(&mut in_use.session.connection, &transaction.name) {
            PrepareResult::NothingChanged => {
                self.give_back(in_use);
                vote.yes();
            }
            PrepareResult::RolledBack => {
                self.counts.rolled_back.fetch_add(1, Ordering::Relaxed);
                self.give_back(in_use);
            }
            PrepareResult::Prepared => {
                let name = transaction.name.clone();
                self.lock_prepared().insert(unit, transaction);
                self.give_back(in_use);
                if self.desk.is_prepared(&name) == Some(true) {
                    vote.yes();
                }
            }
            // Whether it is prepared is seen when the unit is backed out.
            PrepareResult::Unknown => {
                self.lock_prepared().insert(unit, transaction);
                self.close(in_use.session);
            }
        }
    }

    /// Ends a prepared transaction as the coordinator decided, and votes. A unit that has
    /// none is done; as long as those of an earlier life are not known, the dropped vote
    /// has the order repeated.
    pub(super) fn end_prepared(
        self: &Arc<Self>,
        unit: UnitId,
        commits: bool,
        vote: Option<ParticipantVote>,
    ) {
        // Looked at before the list, which is complete by then. While it is being made,
        // the order comes again afterwards.
        let is_recovered = self.is_recovered.try_lock().is_ok_and(|known| *known);
        let found = self.lock_prepared().get(&unit).cloned();
        let Some(transaction) = found else {
            if let Some(vote) = vote.filter(|_| is_recovered) {
                vote.yes();
            }
            return;
        };
        let inner = self.clone();
        self.commits.run(move || {
            let is_ended = inner.end_transaction(&transaction, commits);
            tracing::debug!(%unit, commits, is_ended, "a prepared unit of work was ended");
            if is_ended {
                inner.lock_prepared().remove(&unit);
                if let Some(vote) = vote {
                    vote.yes();
                }
            }
        });
    }

    /// Sends COMMIT PREPARED or ROLLBACK PREPARED until the server has done it. Returns
    /// false if the service ends before.
    fn end_transaction(&self, transaction: &PreparedTransaction, commits: bool) -> bool {
        let verb = if commits { "COMMIT" } else { "ROLLBACK" };
        let sql = format!("{verb} PREPARED '{}'", transaction.name);
        let mut is_first = true;
        while !self.lock().is_closed {
            let opened = self.server.open_role(&transaction.role);
            let done = opened.and_then(|mut connection: Connection| {
                let answer = connection.query(&sql, 1, Instant::now() + LIMIT);
                answer.map_err(ServerError::from)
            });
            match done {
                Ok(answer) => match answer.error {
                    None => return true,
                    Some(error) if error.sqlstate == ABSENT => {
                        // An earlier attempt may have been done, and its answer lost.
                        if commits && is_first {
                            tracing::error!(
                                name = transaction.name,
                                "a prepared unit of work was ended by others"
                            );
                        }
                        return true;
                    }
                    Some(error) => {
                        tracing::warn!(message = %error.message, "a prepared unit of work could not be ended");
                    }
                },
                Err(error) => {
                    tracing::warn!(%error, "a prepared unit of work waits for the server")
                }
            }
            is_first = false;
            std::thread::sleep(PAUSE);
        }
        false
    }

    /// Looks once for what an earlier life of the region has prepared, and has the
    /// kernel say what becomes of it. Returns false if the server does not answer.
    pub(super) fn recover(self: &Arc<Self>) -> bool {
        let mut is_recovered = self.lock_recovered();
        if *is_recovered {
            return true;
        }
        let (Some(handle), Some(id)) = (self.lock_handle().clone(), self.id.get().copied()) else {
            return false;
        };
        let Some(prefix) = self.prefix() else {
            return false;
        };
        let ask = format!(
            "SELECT gid, owner FROM pg_catalog.pg_prepared_xacts \
             WHERE database = pg_catalog.current_database() AND pg_catalog.starts_with(gid, '{prefix}')"
        );
        let listed = self.server.open_owner().and_then(|mut owner| {
            owner
                .query(&ask, MOST, Instant::now() + LIMIT)
                .map_err(ServerError::from)
        });
        let answer = match listed {
            Ok(answer) if answer.error.is_none() => answer,
            Ok(_) => return false,
            Err(error) => {
                tracing::warn!(%error, "prepared units of work cannot be looked for");
                return false;
            }
        };
        let rows = (0..answer.rows.len()).filter_map(|row| {
            let (name, role) = (answer.text(row, 0)?, answer.text(row, 1)?);
            let unit = name.strip_prefix(&prefix)?.split('/').next()?;
            let unit = UnitId(u64::from_str_radix(unit, 16).ok()?);
            let transaction = PreparedTransaction {
                name: name.to_owned(),
                role: role.to_owned(),
            };
            Some((unit, transaction))
        });
        let found: Vec<(UnitId, PreparedTransaction)> = rows.collect();
        let units: Vec<UnitId> = found.iter().map(|(unit, _)| *unit).collect();
        self.lock_prepared().extend(found);
        *is_recovered = true;
        drop(is_recovered);
        if !units.is_empty() {
            tracing::info!(
                count = units.len(),
                "units of work were found prepared at the SQL server"
            );
        }
        // An empty list counts, too: what was decided and is not there is done.
        handle.in_doubt(id, &units);
        true
    }

    /// The server may be able to prepare, which was not known when the participant was
    /// added: asks it, and calls `then`.
    pub(super) fn learn_to_prepare(
        self: &Arc<Self>,
        then: impl FnOnce(&Arc<ServiceState>) + Send + 'static,
    ) {
        let inner = self.clone();
        self.connects.run(move || {
            let can = inner.server.ask_whether_it_prepares();
            let handle = inner.lock_handle().clone();
            if let (true, Some(handle)) = (can, handle) {
                handle.add_participant(Arc::new(ServiceDecider(inner.clone())));
            }
            then(&inner);
        });
    }

    /// What the names of this region's prepared transactions begin with.
    fn prefix(&self) -> Option<String> {
        match self.server.identity() {
            Ok(identity) => Some(format!("tupelo/{identity}/")),
            Err(error) => {
                tracing::error!(%error, "the region's number for its prepared units cannot be kept");
                None
            }
        }
    }
}
