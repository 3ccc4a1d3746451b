//! GET DIAGNOSTICS: items of the statement before it into host variables.

use sql::block::StatementBlock;
use sql::code::{DiagnosticValue, Sqlca, diagnostic};
use sql::field::{DecodeResult, decode};
use sql::wire::oid;
use sql::{TokenKind, lex};

use super::areas::{SqlAreas, field_mut, set_indicator};
use super::bind::whole_number;
use super::report::SqlFailure;
use super::session::Session;

impl Session {
    /// GET DIAGNOSTICS. What it reads stays as it is.
    pub(super) fn get_diagnostics(
        &mut self,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        self.keeps_diagnostics = true;
        let tokens = lex(&block.text)?;
        let of_condition = tokens
            .first()
            .is_some_and(|t| t.is_any(&["CONDITION", "EXCEPTION"]));
        if of_condition {
            let stated = tokens.get(1).filter(|t| t.kind == TokenKind::Number);
            let condition = match stated {
                Some(token) => token.text.parse().unwrap_or(0),
                None => whole_number(areas, block.inputs.first())?,
            };
            if condition != 1 {
                // There is one condition.
                return Err(SqlFailure::code(-35, &[]));
            }
        }
        let items = tokens.iter().filter(|t| t.kind == TokenKind::Word);
        let items = items.skip(usize::from(of_condition));
        for (number, (item, output)) in (1..).zip(items.zip(&block.outputs)) {
            let Some(value) = diagnostic(&self.diagnostics, &item.text) else {
                return Err(SqlFailure::code(-84, &[&item.text]));
            };
            let (source, bytes) = match value {
                DiagnosticValue::Number(n) => (oid::INT8, n.to_be_bytes().to_vec()),
                DiagnosticValue::Text(text) => (oid::BPCHAR, text.into_bytes()),
            };
            let options = self.decode_options();
            let field = field_mut(areas, output, 0)
                .ok_or_else(|| SqlFailure::code(-804, &["a host variable is too short"]))?;
            let wrong = |code| SqlFailure::code(code, &[&usize::to_string(&number)]);
            match decode(source, &bytes, output.cobol, field, options) {
                DecodeResult::Whole | DecodeResult::Cut(_) => {}
                DecodeResult::Overflow => return Err(wrong(-304)),
                DecodeResult::Mismatch | DecodeResult::Malformed => return Err(wrong(-303)),
            }
            set_indicator(areas, output, 0, 0);
        }
        Ok(Sqlca::success(0))
    }
}
