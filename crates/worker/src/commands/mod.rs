//! The commands: one file each or for a group, and the table that finds them.
//!
//! A command is a function from the worker and the call to an outcome. To add
//! one: write its file, and a row here under its number. A command that the
//! region serves as it is needs neither: [`forward`] takes its operands there
//! and back.

use cics::command::commands as rows;

use crate::exec::CommandHandler;

mod absent;
mod address;
mod addressing;
mod allocate;
mod asktime;
mod assign;
mod assign_terminal;
mod bif_deedit;
mod bif_digest;
mod browse;
mod children;
mod containers;
mod conversation;
mod convert;
mod converttime;
mod definitions;
mod delete;
mod document;
mod dump;
mod enqueue;
mod events;
mod extract;
mod extract_exit;
mod formattime;
pub(crate) mod forward;
mod get_container;
mod handle;
mod interpret;
mod interval;
mod invoke;
mod issue;
mod key;
mod link;
mod load;
mod maps;
mod put_container;
mod queues;
mod read;
mod receive;
mod record;
mod remote_link;
mod remote_start;
mod ret;
mod send;
mod storage;
mod syncpoint;
mod template_exit;
pub(crate) mod terminal;
mod transform;
mod web;
mod write;
mod xctl;

pub(crate) use key::FetchedRecord;
pub(crate) use link::elsewhere as link_elsewhere;
pub(crate) use maps::KnownMaps;

/// Every command that a worker serves, by number.
pub(crate) const COMMANDS: &[(u16, CommandHandler)] = &[
    (rows::link::NUMBER, link::serve),
    (rows::xctl::NUMBER, xctl::serve),
    (rows::ret::NUMBER, ret::serve),
    (rows::load::NUMBER, load::load),
    (rows::release::NUMBER, load::release),
    (rows::abend::NUMBER, handle::abend),
    (rows::handle_abend::NUMBER, handle::handle_abend),
    (rows::handle_condition::NUMBER, handle::handle_condition),
    (rows::handle_aid::NUMBER, handle::handle_aid),
    (rows::ignore_condition::NUMBER, handle::ignore_condition),
    (rows::push_handle::NUMBER, handle::push_handle),
    (rows::pop_handle::NUMBER, handle::pop_handle),
    (rows::address::NUMBER, address::address),
    (rows::address_set::NUMBER, address::address_set),
    (rows::assign::NUMBER, assign::serve),
    (rows::asktime::NUMBER, asktime::asktime),
    (rows::asktime_abstime::NUMBER, asktime::asktime_abstime),
    (rows::formattime::NUMBER, formattime::serve),
    (rows::converttime::NUMBER, converttime::serve),
    (rows::bif_deedit::NUMBER, bif_deedit::serve),
    (rows::bif_digest::NUMBER, bif_digest::serve),
    (rows::extract_exit::NUMBER, extract_exit::serve),
    (rows::getmain::NUMBER, storage::getmain),
    (rows::freemain::NUMBER, storage::freemain),
    (rows::put_container::NUMBER, put_container::serve),
    (rows::get_container::NUMBER, get_container::serve),
    (rows::move_container::NUMBER, containers::move_container),
    (rows::delete_container::NUMBER, containers::delete_container),
    (rows::delete_channel::NUMBER, containers::delete_channel),
    (rows::startbrowse_container::NUMBER, containers::startbrowse),
    (rows::getnext_container::NUMBER, containers::getnext),
    (rows::endbrowse_container::NUMBER, containers::endbrowse),
    (rows::query_channel::NUMBER, containers::query_channel),
    (rows::read::NUMBER, read::serve),
    (rows::write::NUMBER, write::write),
    (rows::rewrite::NUMBER, write::rewrite),
    (rows::delete::NUMBER, delete::delete),
    (rows::unlock::NUMBER, delete::unlock),
    (rows::startbr::NUMBER, browse::startbr),
    (rows::readnext::NUMBER, browse::readnext),
    (rows::readprev::NUMBER, browse::readprev),
    (rows::resetbr::NUMBER, browse::resetbr),
    (rows::endbr::NUMBER, browse::endbr),
    (rows::syncpoint::NUMBER, syncpoint::serve),
    (rows::allocate::NUMBER, allocate::allocate),
    (rows::connect_process::NUMBER, allocate::connect_process),
    (rows::free::NUMBER, allocate::free),
    (rows::send::NUMBER, send::send),
    (rows::wait_convid::NUMBER, send::wait_convid),
    (rows::receive::NUMBER, receive::receive),
    (rows::converse::NUMBER, receive::converse),
    (rows::send_map::NUMBER, maps::send_map),
    (rows::send_text::NUMBER, maps::send_text),
    (rows::send_control::NUMBER, maps::send_control),
    (rows::receive_map::NUMBER, maps::receive_map),
    (rows::set_terminal::NUMBER, terminal::set_terminal),
    (rows::wait_signal::NUMBER, terminal::wait_signal),
    (rows::issue_confirmation::NUMBER, issue::confirmation),
    (rows::issue_error::NUMBER, issue::error),
    (rows::issue_abend::NUMBER, issue::abend),
    (rows::issue_signal::NUMBER, issue::signal),
    (rows::extract_process::NUMBER, extract::process),
    (rows::extract_attributes::NUMBER, extract::attributes),
    (rows::readq_td::NUMBER, queues::read_td),
    (rows::writeq_ts::NUMBER, queues::write_ts),
    (rows::enq::NUMBER, enqueue::enq),
    (rows::deq::NUMBER, enqueue::deq),
    (rows::start::NUMBER, interval::start),
    (rows::start_attach::NUMBER, interval::attach),
    (rows::cancel::NUMBER, interval::cancel),
    (rows::delay::NUMBER, interval::delay),
    (rows::post::NUMBER, events::post),
    (rows::wait_event::NUMBER, events::wait_for_event),
    (rows::wait_external::NUMBER, events::wait_external),
    (rows::waitcics::NUMBER, events::wait_cics),
    (rows::suspend::NUMBER, events::suspend),
    (rows::change_task::NUMBER, events::change_priority),
    (rows::run_transid::NUMBER, children::run),
    (rows::fetch_child::NUMBER, children::fetch),
    (rows::fetch_any::NUMBER, children::fetch),
    (rows::dump_transaction::NUMBER, dump::serve),
    (rows::create_enqmodel::NUMBER, definitions::create),
    (rows::create_file::NUMBER, definitions::create),
    (rows::create_journalmodel::NUMBER, definitions::create),
    (rows::create_program::NUMBER, definitions::create),
    (rows::create_tdqueue::NUMBER, definitions::create),
    (rows::create_tranclass::NUMBER, definitions::create),
    (rows::create_transaction::NUMBER, definitions::create),
    (rows::create_tsmodel::NUMBER, definitions::create),
    (rows::create_urimap::NUMBER, definitions::create),
    (rows::discard::NUMBER, definitions::discard),
    (rows::web_receive::NUMBER, web::receive),
    (rows::web_converse::NUMBER, web::converse),
    (rows::web_send::NUMBER, web::send),
    (rows::invoke_service::NUMBER, invoke::serve),
    (rows::invoke_webservice::NUMBER, invoke::serve),
    (rows::wsacontext_build::NUMBER, addressing::serve),
    (rows::wsacontext_delete::NUMBER, addressing::serve),
    (rows::wsacontext_get::NUMBER, addressing::serve),
    (rows::document_create::NUMBER, document::serve),
    (rows::document_insert::NUMBER, document::serve),
    (rows::web_retrieve::NUMBER, web::retrieve),
    (rows::web_write_httpheader::NUMBER, web::write_header),
    (rows::web_extract::NUMBER, web::read),
    (rows::extract_web::NUMBER, web::read),
    (rows::web_read_formfield::NUMBER, web::read),
    (rows::web_read_httpheader::NUMBER, web::read),
    (rows::web_read_queryparm::NUMBER, web::read),
    (rows::web_startbrowse_formfield::NUMBER, web::read),
    (rows::web_startbrowse_httpheader::NUMBER, web::read),
    (rows::web_startbrowse_queryparm::NUMBER, web::read),
    (rows::web_readnext_formfield::NUMBER, web::read),
    (rows::web_readnext_httpheader::NUMBER, web::read),
    (rows::web_readnext_queryparm::NUMBER, web::read),
    (rows::web_endbrowse_formfield::NUMBER, web::read),
    (rows::web_endbrowse_httpheader::NUMBER, web::read),
    (rows::web_endbrowse_queryparm::NUMBER, web::read),
    (rows::perform_shutdown::NUMBER, ret::shutdown),
    (rows::signal_event::NUMBER, absent::signal),
    (rows::invoke_application::NUMBER, absent::serve),
    (rows::change_password::NUMBER, absent::serve),
    (rows::change_phrase::NUMBER, absent::serve),
    (rows::request_encryptptkt::NUMBER, absent::serve),
    (rows::request_passticket::NUMBER, absent::serve),
    (rows::verify_password::NUMBER, absent::verify),
    (rows::verify_phrase::NUMBER, absent::verify),
    (rows::verify_token::NUMBER, absent::serve),
    (rows::transform_datatojson::NUMBER, transform::data_to_json),
    (rows::transform_datatoxml::NUMBER, transform::data_to_xml),
    (rows::transform_jsontodata::NUMBER, transform::json_to_data),
    (rows::transform_xmltodata::NUMBER, transform::xml_to_data),
];

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::{CommandSupport, all};

    #[test]
    fn every_row_served_in_the_worker_has_its_function() {
        for row in all() {
            let count = COMMANDS.iter().filter(|(n, _)| *n == row.number).count();
            match row.served {
                CommandSupport::Worker => assert_eq!(count, 1, "{}", row.name),
                CommandSupport::Region => assert!(count <= 1, "{}", row.name),
                CommandSupport::NotYet(_) | CommandSupport::Refused(_) => {
                    assert_eq!(count, 0, "{}", row.name)
                }
            }
        }
    }
}
