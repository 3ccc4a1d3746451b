//! The meaning of a record's bytes outside its file.

use thiserror::Error;

/// Converts between a file's record and its form outside. Both directions
/// append to an empty buffer.
pub trait RecordConverter {
    /// From outside to the file.
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError>;

    /// From the file to outside.
    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError>;
}

/// Why a record cannot be converted: a message that names the field or offset.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConvertError(pub String);

/// The bytes as they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerbatimConverter;

impl RecordConverter for VerbatimConverter {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        record.extend_from_slice(outside);
        Ok(())
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        outside.extend_from_slice(record);
        Ok(())
    }
}
