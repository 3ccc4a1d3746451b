//! Packet captures to flows, exchanges and stalls with causes.
