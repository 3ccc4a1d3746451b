//! The rules for CICS: one file each, one row here.

use crate::rule::TuningRule;

mod auxtr;
mod backlog_limit;
mod concurrency_openapi;
mod concurrency_quasirent;
mod concurrency_required;
mod concurrency_user_key;
mod fcqronly;
mod fcqronly_isolate;
mod fcqronly_nsr;
mod file_strings;
mod forceqr;
mod ipconn_queue;
mod ipconn_receive;
mod lsrpool_strings;
mod mxt_maxopentcbs;
mod mxt_maxsockets;
mod mxt_sessions;
mod mxt_tranclass;
mod ruwapool;
mod service_backlog;
mod service_ipic;
mod service_maxpersist;
mod service_socketclose;
mod sockets_numsock;
mod sockets_ote;
mod sockets_tcblim;
mod ssl_delay;
mod tcpip_no;
mod tranclass_purge;
mod tranclass_undefined;
mod tranclass_web;
mod urimap_pool;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &fcqronly::RULE,
    &fcqronly_nsr::RULE,
    &fcqronly_isolate::RULE,
    &forceqr::RULE,
    &concurrency_openapi::RULE,
    &concurrency_user_key::RULE,
    &concurrency_required::RULE,
    &concurrency_quasirent::RULE,
    &mxt_tranclass::RULE,
    &mxt_sessions::RULE,
    &mxt_maxsockets::RULE,
    &mxt_maxopentcbs::RULE,
    &tranclass_purge::RULE,
    &tranclass_undefined::RULE,
    &tranclass_web::RULE,
    &ipconn_receive::RULE,
    &ipconn_queue::RULE,
    &service_socketclose::RULE,
    &service_ipic::RULE,
    &service_maxpersist::RULE,
    &service_backlog::RULE,
    &backlog_limit::RULE,
    &tcpip_no::RULE,
    &ssl_delay::RULE,
    &urimap_pool::RULE,
    &file_strings::RULE,
    &lsrpool_strings::RULE,
    &ruwapool::RULE,
    &auxtr::RULE,
    &sockets_ote::RULE,
    &sockets_tcblim::RULE,
    &sockets_numsock::RULE,
];
