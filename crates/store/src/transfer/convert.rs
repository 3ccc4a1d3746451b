//! The meaning of a record's bytes outside its file.

use thiserror::Error;

/// Makes a file's record of what stands outside, and the other way round. Both
/// ways append to a buffer that is empty.
pub trait Convert {
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
pub struct Verbatim;

impl Convert for Verbatim {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        record.extend_from_slice(outside);
        Ok(())
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        outside.extend_from_slice(record);
        Ok(())
    }
}
