//! JSON and XML statements on storage that the tests lay out themselves.

mod generate;
mod json_parse;
mod storage;
mod xml_parse;
