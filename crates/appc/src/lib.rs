//! The LU 6.2 stack over real networks: DLSw over TCP and 802.2 over Ethernet.
//!
//! Layer 3: sockets and threads around the cores of `sna`.
