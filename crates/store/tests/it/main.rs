//! Tests of whole stores, in one binary.

mod child;
mod conformance;
mod crash;
mod damage;
mod full;
mod idcams;
mod lent;
mod looked;
mod model;
mod readers;
mod salvage;
mod support;
mod transfer;
