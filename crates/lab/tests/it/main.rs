//! The laboratory on networks of its own. Where this user may not make any, the
//! tests start themselves again as root of a user namespace; where that is not
//! allowed either, they say so and pass.

mod appc;
mod experiments;
mod path;
mod record;
mod traffic;

use lab::net::permission;
use std::process::Command;

/// Whether the caller may make networks. When it may not, the test of this
/// name has been run in a user namespace instead, if there can be one.
fn permitted(test: &str) -> bool {
    let Err(refused) = permission::check() else {
        return true;
    };
    if permission::is_inside() {
        skipped::lacking("network", refused);
        return false;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args([test, "--exact", "--nocapture"]);
    match permission::inside_user_namespace(&mut again).status() {
        Ok(status) => assert!(status.success(), "{test} failed in a user namespace"),
        Err(_) => skipped::lacking("network", refused),
    }
    false
}
