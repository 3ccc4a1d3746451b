//! Packet captures explained: pcap and pcapng to TCP flows, to request/response exchanges, to stalls with causes.
//!
//! Layer 0: reads bytes it is given, opens no socket.

pub mod synth;
