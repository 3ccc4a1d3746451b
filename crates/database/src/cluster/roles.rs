//! Roles of programs in the private cluster.
//!
//! They may read and change the tables that the owner makes with `tupelo sql apply`,
//! through one group, and nothing else. They do not see the names of prepared
//! transactions, by which a role could end those of its other tasks. On a server of the user's own the GRANTs are
//! its administrator's.

use std::fmt::Write as _;

use sql::quoted_name;

use crate::setup::DEFINITIONS_LOCK;

/// The group of all roles of programs.
const GROUP: &str = "tupelo_programs";

/// SQL that makes the roles where they are missing. It can be run again.
pub fn role_script(roles: &[&str]) -> String {
    let mut script = format!(
        "BEGIN; {DEFINITIONS_LOCK}; {}\
         REVOKE CREATE ON SCHEMA public FROM PUBLIC; \
         GRANT USAGE ON SCHEMA public TO {GROUP}; \
         ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO {GROUP}; \
         ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {GROUP}; \
         ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO {GROUP}; \
         REVOKE ALL ON db2.unit FROM {GROUP}; \
         REVOKE ALL ON pg_catalog.pg_prepared_xacts FROM PUBLIC; \
         REVOKE EXECUTE ON FUNCTION pg_catalog.pg_prepared_xact() FROM PUBLIC; ",
        create(GROUP, "NOLOGIN")
    );
    for role in roles {
        script += &create(
            role,
            "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION",
        );
        let _ = write!(script, "GRANT {GROUP} TO {}; ", quoted_name(role));
    }
    script + "COMMIT;"
}

fn create(role: &str, options: &str) -> String {
    format!(
        "DO $tupelo$ BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{}') \
         THEN CREATE ROLE {} {options}; END IF; END $tupelo$; ",
        role.replace('\'', "''"),
        quoted_name(role)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_roles_are_quoted() {
        let script = role_script(&["O'HARE"]);
        assert!(
            script.contains("rolname = 'O''HARE'") && script.contains("CREATE ROLE \"O'HARE\"")
        );
        assert!(script.contains("GRANT tupelo_programs TO \"O'HARE\""));
    }
}
