//! Return codes and values of CPI-C, which are also those of the verbs here.
//!
//! One vocabulary from the half-session up to the C interface: the numbers are
//! the ones every CPI-C header has.
//! Reference: IBM *Common Programming Interface Communications* (SC26-4399),
//! appendix on variables and characteristics.

/// Declares an enum with the numbers of CPI-C.
macro_rules! values {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $text:literal])+ $variant:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum $name {
            $($(#[doc = $text])+ $variant = $value,)*
        }

        impl $name {
            /// The number that CPI-C gives this value.
            pub const fn value(self) -> u32 {
                self as u32
            }

            /// The value of this number, if there is one.
            pub const fn from_value(value: u32) -> Option<$name> {
                match value {
                    $($value => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The meaning of this value, in a few words.
            pub fn text(self) -> &'static str {
                let text = match self {
                    $($name::$variant => concat!($($text),+),)*
                };
                text.trim().trim_end_matches('.')
            }
        }
    };
}
pub(crate) use values;

values!(
    /// The outcome of a call.
    ReturnCode {
        /// The call was successful.
        Ok = 0,
        /// No session can be had, and trying again will not help.
        AllocateFailureNoRetry = 1,
        /// No session can be had for now.
        AllocateFailureRetry = 2,
        /// The partner program wants the other conversation type.
        ConversationTypeMismatch = 3,
        /// The partner program takes no initialisation parameters, or others.
        PipNotSpecifiedCorrectly = 5,
        /// The partner refused the access security information.
        SecurityNotValid = 6,
        /// The partner's system does not support the sync level.
        SyncLevelNotSupportedLu = 7,
        /// The partner program does not support the sync level.
        SyncLevelNotSupportedPgm = 8,
        /// The partner does not know the transaction program.
        TpnNotRecognized = 9,
        /// The program cannot be started, and will not be later.
        TpNotAvailableNoRetry = 10,
        /// The program cannot be started for now.
        TpNotAvailableRetry = 11,
        /// The partner ended the conversation as failed.
        DeallocatedAbend = 17,
        /// The partner ended the conversation.
        DeallocatedNormal = 18,
        /// A parameter names something that does not exist.
        ParameterError = 19,
        /// An error outside the architecture.
        ProductSpecificError = 20,
        /// The partner program reports an error; nothing was cut.
        ProgramErrorNoTrunc = 21,
        /// The partner program reports an error; data to it may be lost.
        ProgramErrorPurging = 22,
        /// The partner program reports an error inside a logical record.
        ProgramErrorTrunc = 23,
        /// A parameter's value is not allowed.
        ProgramParameterCheck = 24,
        /// The call is not allowed in this state.
        ProgramStateCheck = 25,
        /// The session failed permanently.
        ResourceFailureNoRetry = 26,
        /// The session failed; a new one may do better.
        ResourceFailureRetry = 27,
        /// No data is available immediately.
        Unsuccessful = 28,
        /// The partner's services ended the conversation as failed.
        DeallocatedAbendSvc = 30,
        /// The partner's timer ended the conversation.
        DeallocatedAbendTimer = 31,
        /// The partner's services report an error; nothing was cut.
        SvcErrorNoTrunc = 32,
        /// The partner's services report an error; data may be lost.
        SvcErrorPurging = 33,
        /// The partner's services report an error inside a logical record.
        SvcErrorTrunc = 34,
        /// The call continues; wait for it.
        OperationIncomplete = 35,
        /// An event of the system ended the wait.
        SystemEvent = 36,
        /// Another call is in progress for this conversation.
        OperationNotAccepted = 37,
        /// The conversation is ending.
        ConversationEnding = 38,
        /// Not with this send-receive mode.
        SendRcvModeNotSupported = 39,
        /// The buffer is too small for the answer.
        BufferTooSmall = 40,
        /// Expedited data is not supported.
        ExpDataNotSupported = 41,
        /// The partner refused to confirm the end.
        DeallocConfirmReject = 42,
        /// Allocation failed, seen later.
        AllocationError = 43,
        /// Too many attempts.
        RetryLimitExceeded = 44,
        /// There is nothing more to say about the error.
        NoSecondaryInformation = 45,
        /// The security type is not supported.
        SecurityNotSupported = 46,
        /// Mutual authentication failed.
        SecurityMutualFailed = 47,
        /// The call is not supported.
        CallNotSupported = 48,
        /// The value is not supported.
        ParmValueNotSupported = 49,
    }
);

values!(
    /// The states of a conversation as CPI-C numbers them.
    State {
        /// No conversation.
        Reset = 1,
        /// Characteristics are being set; nothing is allocated.
        Initialize = 2,
        /// This side may send.
        Send = 3,
        /// This side receives.
        Receive = 4,
        /// Data and the send state were received together.
        SendPending = 5,
        /// The partner requests a confirmation; the receive state follows.
        Confirm = 6,
        /// The partner requests a confirmation; the send state follows.
        ConfirmSend = 7,
        /// The partner waits for a confirmation; then the conversation ends.
        ConfirmDeallocate = 8,
        /// Characteristics of a conversation to be accepted are being set.
        InitializeIncoming = 14,
    }
);

values!(
    /// Whether a conversation's data are logical records or whole messages.
    ConversationType {
        /// The program writes and reads the length fields.
        Basic = 0,
        /// The stack does.
        Mapped = 1,
    }
);

values!(
    /// The action of a send in addition to buffering the data.
    SendType {
        /// Only the data is taken.
        Buffer = 0,
        /// Flush.
        Flush = 1,
        /// Confirm.
        Confirm = 2,
        /// Prepare to receive.
        PrepareToReceive = 3,
        /// Deallocate.
        Deallocate = 4,
    }
);

values!(
    /// The kind of deallocation.
    DeallocateType {
        /// Flush or confirm, by sync level.
        SyncLevel = 0,
        /// At once, after all data.
        Flush = 1,
        /// When the partner confirms.
        Confirm = 2,
        /// At once, as failed.
        Abend = 3,
    }
);

values!(
    /// How the send state is passed to the partner.
    PrepareToReceiveType {
        /// Flush or confirm, by sync level.
        SyncLevel = 0,
        /// At once.
        Flush = 1,
        /// When the partner confirms.
        Confirm = 2,
    }
);

values!(
    /// Whether a receive waits.
    ReceiveType {
        /// Until something is there.
        Wait = 0,
        /// Not at all.
        Immediate = 1,
    }
);

values!(
    /// The unit of a receive of a basic conversation.
    Fill {
        /// One logical record at most.
        Ll = 0,
        /// As much as asked for.
        Buffer = 1,
    }
);

values!(
    /// When an allocate returns.
    ReturnControl {
        /// When a session is there.
        WhenSessionAllocated = 0,
        /// At once.
        Immediate = 1,
    }
);

values!(
    /// Which way an error was found, in Send-Pending state.
    ErrorDirection {
        /// In received data.
        Receive = 0,
        /// In data to be sent.
        Send = 1,
    }
);

values!(
    /// The data that a receive returned.
    DataReceived {
        /// No data.
        None = 0,
        /// Some, of no known end (fill buffer).
        Data = 1,
        /// The rest of a record, or all of it.
        Complete = 2,
        /// A part; more of the record follows.
        Incomplete = 3,
    }
);

values!(
    /// The status that a receive returns in addition to data.
    StatusReceived {
        /// No status.
        None = 0,
        /// The right to send.
        Send = 1,
        /// A request to confirm.
        Confirm = 2,
        /// A request to confirm, with the right to send after it.
        ConfirmSend = 3,
        /// A request to confirm, and the end after it.
        ConfirmDeallocate = 4,
    }
);

impl ReturnCode {
    /// Whether the conversation has ended once a program has received this
    /// code.
    pub const fn ends_conversation(self) -> bool {
        matches!(self.value(), 1..=3 | 5..=11 | 17 | 18 | 26 | 27 | 30 | 31)
    }

    /// Whether the code says that the partner reported an error.
    pub const fn is_error_report(self) -> bool {
        matches!(self.value(), 21..=23 | 32..=34)
    }
}

impl DataReceived {
    /// Whether data was received.
    pub const fn any(self) -> bool {
        !matches!(self, DataReceived::None)
    }
}
