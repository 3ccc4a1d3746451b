//! Scripts in engines of their own, over a host without a region.

mod copybooks;
mod hostile;
mod language;
mod programs;
mod world;
