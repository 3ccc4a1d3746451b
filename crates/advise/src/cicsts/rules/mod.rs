//! The rules for CICS, one row each. Those over one attribute of a definition are
//! in [`attributes`], those over system initialization parameters in
//! [`parameters`]; the others have a file each.

use crate::rule::TuningRule;

mod attributes;
mod backlog_limit;
mod concurrency_quasirent;
mod concurrency_required;
mod concurrency_user_key;
mod fcqronly;
mod fcqronly_isolate;
mod fcqronly_nsr;
mod lsrpool_strings;
mod mxt_sessions;
mod mxt_tranclass;
mod parameters;
mod sockets_numsock;
mod sockets_ote;
mod sockets_tcblim;
mod tcpip_no;
mod tranclass_undefined;
mod tranclass_web;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &fcqronly::RULE,
    &fcqronly_nsr::RULE,
    &fcqronly_isolate::RULE,
    &parameters::FORCEQR,
    &attributes::OPENAPI,
    &concurrency_user_key::RULE,
    &concurrency_required::RULE,
    &concurrency_quasirent::RULE,
    &mxt_tranclass::RULE,
    &mxt_sessions::RULE,
    &parameters::MAXSOCKETS,
    &parameters::MAXOPENTCBS,
    &attributes::TRANCLASS_PURGE,
    &tranclass_undefined::RULE,
    &tranclass_web::RULE,
    &attributes::IPCONN_RECEIVE,
    &attributes::IPCONN_QUEUE,
    &attributes::SERVICE_SOCKETCLOSE,
    &attributes::SERVICE_IPIC,
    &attributes::SERVICE_MAXPERSIST,
    &attributes::SERVICE_BACKLOG,
    &backlog_limit::RULE,
    &tcpip_no::RULE,
    &parameters::SSL_DELAY,
    &attributes::URIMAP_POOL,
    &attributes::FILE_STRINGS,
    &lsrpool_strings::RULE,
    &parameters::RUWAPOOL,
    &parameters::AUXTR,
    &sockets_ote::RULE,
    &sockets_tcblim::RULE,
    &sockets_numsock::RULE,
];
