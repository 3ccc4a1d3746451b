//! Conversation characteristics, and the calls that set and extract them.
//!
//! One macro row a simple setter: its name, its characteristic, its values.
//! Setters that CPI-C allows only before the allocate check that.

use super::{ConversationIdentifier, CpicInterface, Phase};
use crate::Node;
use crate::conversation::code::{
    ConversationType, DeallocateType, ErrorDirection, Fill, PrepareToReceiveType, ReceiveType,
    ReturnCode, ReturnControl, SendType, State,
};
use crate::mode::SyncLevel;
use crate::name::{LuName, ModeName, TpName};
use crate::node::AllocateSecurity;
use crate::secret::PasswordBytes;

/// The characteristics of one conversation.
#[derive(Clone, Debug)]
pub(super) struct ConversationCharacteristics {
    pub partner: Option<LuName>,
    pub mode: ModeName,
    pub tp: Option<TpName>,
    pub kind: ConversationType,
    pub sync: SyncLevel,
    pub send_type: SendType,
    pub receive_type: ReceiveType,
    pub deallocate_type: DeallocateType,
    pub prepare_type: PrepareToReceiveType,
    pub return_control: ReturnControl,
    pub error_direction: ErrorDirection,
    pub fill: Fill,
    pub security: SecurityType,
    pub user: String,
    pub password: Option<PasswordBytes>,
    pub log_data: Vec<u8>,
}

impl Default for ConversationCharacteristics {
    /// The values after CMINIT.
    fn default() -> Self {
        ConversationCharacteristics {
            partner: None,
            mode: ModeName::default(),
            tp: None,
            kind: ConversationType::Mapped,
            sync: SyncLevel::None,
            send_type: SendType::Buffer,
            receive_type: ReceiveType::Wait,
            deallocate_type: DeallocateType::SyncLevel,
            prepare_type: PrepareToReceiveType::SyncLevel,
            return_control: ReturnControl::WhenSessionAllocated,
            error_direction: ErrorDirection::Receive,
            fill: Fill::Ll,
            security: SecurityType::None,
            user: String::new(),
            password: None,
            log_data: Vec::new(),
        }
    }
}

impl ConversationCharacteristics {
    /// The resulting access security information.
    pub fn access(&self) -> AllocateSecurity {
        let user = self.user.clone();
        match (self.security, &self.password) {
            (SecurityType::None, _) => AllocateSecurity::None,
            (SecurityType::Same, _) if user.is_empty() => AllocateSecurity::None,
            (SecurityType::Same, _) => AllocateSecurity::Same { user },
            (SecurityType::Program, password) => AllocateSecurity::Program {
                user,
                password: password.clone().unwrap_or_else(|| PasswordBytes::new("")),
            },
        }
    }
}

crate::conversation::code::values!(
    /// Which access security an allocate sends (0, 1, 2).
    SecurityType {
        /// No security.
        None = 0,
        /// The user this side has verified.
        Same = 1,
        /// A user and a password.
        Program = 2,
    }
);

impl ConversationCharacteristics {
    /// Whether a characteristic requests a confirmation.
    fn confirms(&self) -> bool {
        self.send_type == SendType::Confirm
            || self.prepare_type == PrepareToReceiveType::Confirm
            || self.deallocate_type == DeallocateType::Confirm
    }

    /// Whether they are compatible: sync level none has no confirmation.
    fn agree(&self) -> bool {
        self.sync != SyncLevel::None || !self.confirms()
    }
}

/// Declares setters of characteristics that are numbers. `before` are those
/// that only the Initialize state allows.
macro_rules! setters {
    ($when:ident: $($(#[$doc:meta])* $name:ident($kind:ident) $field:ident;)*) => {
        impl CpicInterface {
            $(
                $(#[$doc])*
                pub fn $name(&mut self, cid: &ConversationIdentifier, value: u32) -> ReturnCode {
                    let Some(value) = $kind::from_value(value) else {
                        return ReturnCode::ProgramParameterCheck;
                    };
                    self.set(cid, setters!(@ $when), |set| set.$field = value)
                }
            )*
        }
    };
    (@ before) => { true };
    (@ any) => { false };
}

setters! { before:
    /// Set_Conversation_Type: 0 basic, 1 mapped.
    cmsct(ConversationType) kind;
    /// Set_Return_Control: 0 when a session is there, 1 at once.
    cmsrc(ReturnControl) return_control;
    /// Set_Conversation_Security_Type: 0 none, 1 same, 2 program.
    cmscst(SecurityType) security;
}

setters! { any:
    /// Set_Deallocate_Type: 0 sync level, 1 flush, 2 confirm, 3 abend.
    cmsdt(DeallocateType) deallocate_type;
    /// Set_Error_Direction: 0 receive, 1 send.
    cmsed(ErrorDirection) error_direction;
    /// Set_Prepare_To_Receive_Type: 0 sync level, 1 flush, 2 confirm.
    cmsptr(PrepareToReceiveType) prepare_type;
    /// Set_Receive_Type: 0 wait, 1 immediate.
    cmsrt(ReceiveType) receive_type;
    /// Set_Send_Type: 0 buffer, 1 flush, 2 confirm, 3 prepare to receive,
    /// 4 deallocate.
    cmsst(SendType) send_type;
}

impl CpicInterface {
    /// Set_Sync_Level: 0 none, 1 confirm. Sync point is not supported; none
    /// goes with no characteristic that asks for a confirmation.
    pub fn cmssl(&mut self, cid: &ConversationIdentifier, value: u32) -> ReturnCode {
        let value = match value {
            0 => SyncLevel::None,
            1 => SyncLevel::Confirm,
            _ => return ReturnCode::ProgramParameterCheck,
        };
        self.set(cid, true, |set| set.sync = value)
    }

    /// Set_Fill: 0 one logical record, 1 as much as asked for. Basic
    /// conversations only.
    pub fn cmsf(&mut self, cid: &ConversationIdentifier, value: u32) -> ReturnCode {
        let Some(value) = Fill::from_value(value) else {
            return ReturnCode::ProgramParameterCheck;
        };
        if self.mapped(cid) {
            return ReturnCode::ProgramParameterCheck;
        }
        self.set(cid, false, |set| set.fill = value)
    }

    /// Set_Mode_Name.
    pub fn cmsmn(&mut self, cid: &ConversationIdentifier, mode: &str) -> ReturnCode {
        match mode.parse() {
            Ok(mode) => self.set(cid, true, |set| set.mode = mode),
            Err(_) => ReturnCode::ProgramParameterCheck,
        }
    }

    /// Set_Partner_LU_Name.
    pub fn cmspln(&mut self, cid: &ConversationIdentifier, partner: &str) -> ReturnCode {
        match partner.trim_end().parse() {
            Ok(partner) => self.set(cid, true, |set| set.partner = Some(partner)),
            Err(_) => ReturnCode::ProgramParameterCheck,
        }
    }

    /// Set_TP_Name.
    pub fn cmstpn(&mut self, cid: &ConversationIdentifier, tp: &str) -> ReturnCode {
        match tp.trim_end().parse() {
            Ok(tp) => self.set(cid, true, |set| set.tp = Some(tp)),
            Err(_) => ReturnCode::ProgramParameterCheck,
        }
    }

    /// Set_Conversation_Security_User_ID, at most 10 characters. Not with
    /// security type none.
    pub fn cmscsu(&mut self, cid: &ConversationIdentifier, user: &str) -> ReturnCode {
        let user = user.trim_end();
        if user.len() > SECURITY_TEXT {
            return ReturnCode::ProgramParameterCheck;
        }
        self.secure(cid, |set| set.user = user.to_owned())
    }

    /// Set_Conversation_Security_Password, at most 10 characters. Not with
    /// security type none.
    pub fn cmscsp(&mut self, cid: &ConversationIdentifier, password: PasswordBytes) -> ReturnCode {
        if password.reveal().len() > SECURITY_TEXT {
            return ReturnCode::ProgramParameterCheck;
        }
        self.secure(cid, |set| set.password = Some(password))
    }

    /// Set_Log_Data, at most 512 bytes. Basic conversations only.
    pub fn cmsld(&mut self, cid: &ConversationIdentifier, data: &[u8]) -> ReturnCode {
        if data.len() > LOG_DATA || self.mapped(cid) {
            return ReturnCode::ProgramParameterCheck;
        }
        self.set(cid, false, |set| set.log_data = data.to_vec())
    }

    /// Extract_Conversation_State.
    pub fn cmecs(&self, node: &Node, cid: &ConversationIdentifier) -> Result<State, ReturnCode> {
        let entry = self.entries.get(cid);
        let entry = entry.ok_or(ReturnCode::ProgramParameterCheck)?;
        Ok(match entry.phase {
            Phase::Initialize | Phase::Allocating(_) => State::Initialize,
            Phase::Incoming => State::InitializeIncoming,
            Phase::Open(id) => node.state(id),
        })
    }

    /// Extract_Conversation_Type.
    pub fn cmect(&self, cid: &ConversationIdentifier) -> Result<ConversationType, ReturnCode> {
        self.known(cid).map(|set| set.kind)
    }

    /// Extract_Mode_Name; empty where none is set.
    pub fn cmemn(&self, cid: &ConversationIdentifier) -> Result<ModeName, ReturnCode> {
        self.known(cid).map(|set| set.mode.clone())
    }

    /// Extract_Partner_LU_Name; one blank where none is set.
    pub fn cmepln(&self, cid: &ConversationIdentifier) -> Result<String, ReturnCode> {
        let partner = self.known(cid)?.partner.as_ref();
        Ok(partner.map_or_else(|| UNSET.to_owned(), LuName::to_string))
    }

    /// Extract_Sync_Level.
    pub fn cmesl(&self, cid: &ConversationIdentifier) -> Result<SyncLevel, ReturnCode> {
        self.known(cid).map(|set| set.sync)
    }

    /// Extract_TP_Name; one blank where none is set.
    pub fn cmetpn(&self, cid: &ConversationIdentifier) -> Result<String, ReturnCode> {
        let tp = self.known(cid)?.tp.as_ref();
        Ok(tp.map_or_else(|| UNSET.to_owned(), TpName::to_string))
    }

    /// The partner and mode of an Allocate of this conversation.
    pub fn wanted(&self, cid: &ConversationIdentifier) -> Option<(LuName, ModeName)> {
        let entry = self.entries.get(cid)?;
        let partner = entry.set.partner.clone()?;
        (entry.phase == Phase::Initialize).then(|| (partner, entry.set.mode.clone()))
    }

    /// Extract_Security_User_ID; empty without one.
    pub fn cmesui(&self, cid: &ConversationIdentifier) -> Result<String, ReturnCode> {
        self.get(cid).map(|set| set.user.clone())
    }

    pub(super) fn get(
        &self,
        cid: &ConversationIdentifier,
    ) -> Result<&ConversationCharacteristics, ReturnCode> {
        let entry = self.entries.get(cid);
        entry
            .map(|e| &e.set)
            .ok_or(ReturnCode::ProgramParameterCheck)
    }

    /// The characteristics once they are known: an incoming conversation has
    /// those of its Attach.
    fn known(
        &self,
        cid: &ConversationIdentifier,
    ) -> Result<&ConversationCharacteristics, ReturnCode> {
        let set = self.get(cid)?;
        match self.entries[cid].phase {
            Phase::Incoming => Err(ReturnCode::ProgramStateCheck),
            _ => Ok(set),
        }
    }

    fn mapped(&self, cid: &ConversationIdentifier) -> bool {
        let set = self.get(cid);
        set.is_ok_and(|set| set.kind == ConversationType::Mapped)
    }

    /// Sets what goes with a security type other than none.
    fn secure(
        &mut self,
        cid: &ConversationIdentifier,
        change: impl FnOnce(&mut ConversationCharacteristics),
    ) -> ReturnCode {
        let none = |set: &ConversationCharacteristics| set.security == SecurityType::None;
        if self.get(cid).is_ok_and(none) {
            return ReturnCode::ProgramStateCheck;
        }
        self.set(cid, true, change)
    }

    fn set(
        &mut self,
        cid: &ConversationIdentifier,
        before: bool,
        change: impl FnOnce(&mut ConversationCharacteristics),
    ) -> ReturnCode {
        let Some(entry) = self.entries.get_mut(cid) else {
            return ReturnCode::ProgramParameterCheck;
        };
        if before && entry.phase != Phase::Initialize {
            return ReturnCode::ProgramStateCheck;
        }
        let mut set = entry.set.clone();
        change(&mut set);
        if !set.agree() {
            return ReturnCode::ProgramParameterCheck;
        }
        entry.set = set;
        ReturnCode::Ok
    }
}

const SECURITY_TEXT: usize = 10;
const LOG_DATA: usize = 512;
/// The value of a name that CMINIT did not find in side information.
const UNSET: &str = " ";
