//! The functions, as programs name them.
//!
//! A function has a name of at most 16 characters, so many parameters between
//! that and ERRNO, and its place in the list below as its number.
//!
//! Reference: IP CICS Sockets Guide, "Sockets extended API", each call.

/// The parameters after a function's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultParameters {
    /// ERRNO and RETCODE.
    Both,
    /// RETCODE alone.
    Retcode,
    /// No further parameter.
    Nothing,
}

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $parameters:literal $ends:ident $first:literal;)*) => {
        /// A function of EZASOKET.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Function { $($(#[$doc])* $variant,)* }

        const ROWS: &[FunctionRow] = &[$(FunctionRow {
            function: Function::$variant,
            name: $name,
            parameters: $parameters,
            ends: ResultParameters::$ends,
            first: $first,
        },)*];
    };
}

/// A row of the function table.
struct FunctionRow {
    function: Function,
    name: &'static str,
    /// Parameters between its name and ERRNO.
    parameters: usize,
    ends: ResultParameters,
    /// It may be a task's first call: INITAPI is done with it.
    first: bool,
}

functions! {
    /// Takes a connection from a listening socket's queue.
    Accept "ACCEPT" 2 Both false;
    /// Gives a socket its local address.
    Bind "BIND" 2 Both false;
    /// Closes a socket.
    Close "CLOSE" 1 Both false;
    /// Connects a socket.
    Connect "CONNECT" 2 Both false;
    /// Whether a socket blocks.
    Fcntl "FCNTL" 3 Both false;
    /// Frees the result of GETADDRINFO.
    FreeAddrInfo "FREEADDRINFO" 1 Both true;
    /// Addresses of a host's and a service's name.
    GetAddrInfo "GETADDRINFO" 7 Both true;
    /// The caller's identity for GIVESOCKET and TAKESOCKET.
    GetClientId "GETCLIENTID" 1 Both true;
    /// A host by its address.
    GetHostByAddr "GETHOSTBYADDR" 2 Retcode true;
    /// A host by its name.
    GetHostByName "GETHOSTBYNAME" 3 Retcode true;
    /// This host's address.
    GetHostId "GETHOSTID" 0 Retcode true;
    /// This host's name.
    GetHostName "GETHOSTNAME" 2 Both true;
    /// Names of an address and a port.
    GetNameInfo "GETNAMEINFO" 7 Both true;
    /// The address of the partner.
    GetPeerName "GETPEERNAME" 2 Both false;
    /// The address of the socket.
    GetSockName "GETSOCKNAME" 2 Both false;
    /// An option of a socket.
    GetSockOpt "GETSOCKOPT" 4 Both false;
    /// Makes a socket ready to be taken by another task.
    GiveSocket "GIVESOCKET" 2 Both false;
    /// Begins.
    InitApi "INITAPI" 4 Both true;
    /// Controls of a socket.
    Ioctl "IOCTL" 4 Both false;
    /// Makes a socket wait for connections.
    Listen "LISTEN" 2 Both false;
    /// An address as text.
    Ntop "NTOP" 4 Both true;
    /// A text as an address.
    Pton "PTON" 4 Both true;
    /// Reads.
    Read "READ" 3 Both false;
    /// Reads into several buffers.
    ReadV "READV" 3 Both false;
    /// Receives.
    Recv "RECV" 4 Both false;
    /// Receives, and returns the sender.
    RecvFrom "RECVFROM" 5 Both false;
    /// Receives into several buffers, and returns the sender.
    RecvMsg "RECVMSG" 3 Both false;
    /// Waits until a socket is ready.
    Select "SELECT" 8 Both true;
    /// Waits until a socket is ready or an event control block is posted.
    SelectEx "SELECTEX" 9 Both true;
    /// Sends.
    Send "SEND" 4 Both false;
    /// Sends several buffers.
    SendMsg "SENDMSG" 3 Both false;
    /// Sends to an address.
    SendTo "SENDTO" 5 Both false;
    /// Sets an option of a socket.
    SetSockOpt "SETSOCKOPT" 4 Both false;
    /// Ends one direction or both.
    Shutdown "SHUTDOWN" 2 Both false;
    /// Makes a socket.
    Socket "SOCKET" 3 Both true;
    /// Takes a socket that another task gives.
    TakeSocket "TAKESOCKET" 2 Both true;
    /// Ends.
    TermApi "TERMAPI" 0 Nothing false;
    /// Writes.
    Write "WRITE" 3 Both false;
    /// Writes several buffers.
    WriteV "WRITEV" 3 Both false;
}

impl Function {
    /// The function of a name, blank-padded and in upper case as it must be.
    pub fn named(name: &[u8]) -> Option<Function> {
        let end = name.iter().position(|b| matches!(b, b' ' | 0));
        let text = &name[..end.unwrap_or(name.len())];
        let rest = &name[text.len()..];
        if !rest.iter().all(|b| matches!(b, b' ' | 0)) {
            return None;
        }
        let row = ROWS.iter().find(|row| row.name.as_bytes() == text)?;
        Some(row.function)
    }

    /// The function of a number.
    pub fn numbered(number: u64) -> Option<Function> {
        let row = ROWS.get(usize::try_from(number).ok()?)?;
        Some(row.function)
    }

    /// Its number.
    pub fn number(self) -> u64 {
        self as u64
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Parameters between its name and ERRNO.
    pub fn parameters(self) -> usize {
        self.row().parameters
    }

    /// The parameters that follow.
    pub fn ends(self) -> ResultParameters {
        self.row().ends
    }

    /// Returns `true` if it may be called before INITAPI.
    pub fn may_be_first(self) -> bool {
        self.row().first
    }

    /// Every function, by number.
    pub fn all() -> impl Iterator<Item = Function> {
        ROWS.iter().map(|row| row.function)
    }

    fn row(self) -> &'static FunctionRow {
        &ROWS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_its_name_and_its_number() {
        for function in Function::all() {
            let padded = format!("{:<16}", function.name());
            assert_eq!(Function::named(padded.as_bytes()), Some(function));
            assert_eq!(Function::numbered(function.number()), Some(function));
        }
        assert_eq!(Function::all().count(), 39);
    }

    #[test]
    fn every_function_is_called_by_a_program_of_the_tests() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tupelo/testdata/commands/sockets"
        );
        let folders = [folder.to_owned(), format!("{folder}/copybooks")];
        let files = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap());
        let texts: Vec<String> = files
            .filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok())
            .collect();
        for function in Function::all() {
            let name = format!("'{}'", function.name());
            assert!(texts.iter().any(|text| text.contains(&name)), "{name}");
        }
    }

    #[test]
    fn a_name_in_lower_case_or_with_more_after_it_is_invalid() {
        assert_eq!(Function::named(b"accept          "), None);
        assert_eq!(Function::named(b"ACCEPT X        "), None);
        assert_eq!(Function::named(b"                "), None);
        assert_eq!(Function::numbered(39), None);
    }
}
