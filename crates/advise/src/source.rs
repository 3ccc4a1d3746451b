//! The papers and manuals that rules cite.

/// The site visit: load, task limits, file control, MSS, acknowledgements.
pub(crate) const PAPER_000: &str = "paper 000 (HostBridge, We do performance)";
/// Socket applications.
pub(crate) const PAPER_001: &str = "paper 001 (HostBridge, CICS socket applications)";
/// Delayed acknowledgements.
pub(crate) const PAPER_002: &str =
    "paper 002 (IBM Support, Performance problem with CICS Web Services)";
/// z/OS Connect.
pub(crate) const PAPER_003: &str = "paper 003 (IBM, z/OS Connect EE V3.0 performance)";

/// The reference of TCP/IP on z/OS.
pub(crate) mod ip {
    pub(crate) const TCPCONFIG: &str =
        "z/OS Communications Server: IP Configuration Reference, TCPCONFIG";
    pub(crate) const PORT: &str =
        "z/OS Communications Server: IP Configuration Reference, PORT and PORTRANGE";
    pub(crate) const BEGINROUTES: &str =
        "z/OS Communications Server: IP Configuration Reference, BEGINROUTES";
    pub(crate) const GATEWAY: &str =
        "z/OS Communications Server: IP Configuration Reference, GATEWAY";
    pub(crate) const IPCONFIG: &str =
        "z/OS Communications Server: IP Configuration Reference, IPCONFIG";
    pub(crate) const SOMAXCONN: &str =
        "z/OS Communications Server: IP Configuration Reference, SOMAXCONN";
    pub(crate) const INTERFACE: &str =
        "z/OS Communications Server: IP Configuration Reference, INTERFACE and LINK";
    pub(crate) const OMPROUTE: &str =
        "z/OS Communications Server: IP Configuration Reference, OMPROUTE";
    pub(crate) const POLICY: &str =
        "z/OS Communications Server: IP Configuration Reference, RouteTable";
    pub(crate) const MIGRATION_V2R1: &str =
        "z/OS V2R1 migration: TCP related configuration statements";
    pub(crate) const EZZ8163I: &str = "z/OS Communications Server: IP Messages, EZZ8163I";
}

/// The Linux kernel's and its tools' own words.
pub(crate) mod kernel {
    pub(crate) const IP_SYSCTL: &str = "Linux kernel documentation, networking/ip-sysctl";
    pub(crate) const NET_SYSCTL: &str = "Linux kernel documentation, admin-guide/sysctl/net";
    pub(crate) const IP_ROUTE: &str = "iproute2, ip-route(8)";
    pub(crate) const IP_LINK: &str = "iproute2, ip-link(8)";
    pub(crate) const RFC6928: &str = "RFC 6928, Increasing TCP's initial window";
    pub(crate) const RFC2861: &str = "RFC 2861, TCP congestion window validation";
    pub(crate) const RFC4821: &str = "RFC 4821, Packetization layer path MTU discovery";
    pub(crate) const RFC7323: &str = "RFC 7323, TCP extensions for high performance";
    pub(crate) const RFC2018: &str = "RFC 2018, TCP selective acknowledgment options";
}

/// The manuals of CICS and the texts of its support.
pub(crate) mod cics {
    pub(crate) const FCQRONLY: &str = "CICS TS system initialization parameters, FCQRONLY";
    pub(crate) const FORCEQR: &str = "CICS TS system initialization parameters, FORCEQR";
    pub(crate) const MXT: &str = "CICS TS system initialization parameters, MXT";
    pub(crate) const MAXOPENTCBS: &str = "CICS TS system initialization parameters, MAXOPENTCBS";
    pub(crate) const MAXSOCKETS: &str = "CICS TS system initialization parameters, MAXSOCKETS";
    pub(crate) const TCPIP: &str = "CICS TS system initialization parameters, TCPIP";
    pub(crate) const SSLDELAY: &str = "CICS TS system initialization parameters, SSLDELAY";
    pub(crate) const RUWAPOOL: &str = "CICS TS system initialization parameters, RUWAPOOL";
    pub(crate) const AUXTR: &str = "CICS TS system initialization parameters, AUXTR";
    pub(crate) const PK45354: &str = "APAR PK45354, File control threadsafety enabler";
    pub(crate) const THREADSAFE_FILES: &str =
        "CICS TS performance guide, Threadsafe file control applications";
    pub(crate) const PROGRAM: &str = "CICS TS resource definition, PROGRAM attributes";
    pub(crate) const TRANCLASS: &str = "CICS TS resource definition, TRANCLASS attributes";
    pub(crate) const TRANSACTION: &str = "CICS TS resource definition, TRANSACTION attributes";
    pub(crate) const FILE: &str = "CICS TS resource definition, FILE attributes";
    pub(crate) const LSRPOOL: &str = "CICS TS resource definition, LSRPOOL attributes";
    pub(crate) const IPCONN: &str = "CICS TS resource definition, IPCONN attributes";
    pub(crate) const TCPIPSERVICE: &str = "CICS TS resource definition, TCPIPSERVICE attributes";
    pub(crate) const URIMAP: &str = "CICS TS resource definition, URIMAP attributes";
    pub(crate) const BACKLOG: &str =
        "IBM Support, Understanding the BACKLOG parameter on the TCPIPSERVICE definition";
    pub(crate) const MAXSOCKETS_MXT: &str =
        "IBM Support, Specifying a larger value for MAXSOCKETS than MXT";
    pub(crate) const SOCKETS: &str =
        "z/OS Communications Server: IP CICS Sockets Guide, EZACICD macro";
}
