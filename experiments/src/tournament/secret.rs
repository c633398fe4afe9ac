//! The secret of an event: 128 bits that everything hidden depends on, so that no bot can find the
//! hidden values by trying seeds.

use crate::output::write::write_whole;
use anyhow::Context as _;
use std::path::Path;

/// Name of its file in the event's folder; bots cannot read it ([`can_hide`]).
///
/// [`can_hide`]: cuebench_agents::external::launch::can_hide
pub const FILE: &str = ".salt";

/// The secret of the event in `folder`: the one that is kept there, else a new one.
///
/// # Errors
/// When it cannot be read, written or drawn.
pub fn of(folder: &Path) -> anyhow::Result<u128> {
    let path = folder.join(FILE);
    let place = || path.display().to_string();
    if path.exists() {
        let text = std::fs::read_to_string(&path).with_context(place)?;
        return read(&text).with_context(place);
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("random bytes of the system")?;
    let salt = u128::from_le_bytes(bytes);
    write_whole(&path, format!("{}\n", written(salt)))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))
            .with_context(place)?;
    }
    Ok(salt)
}

/// A secret as text: 32 hexadecimal digits.
#[must_use]
pub fn written(salt: u128) -> String {
    format!("{salt:032x}")
}

/// Reads a secret.
///
/// # Errors
/// When it is not 32 hexadecimal digits.
pub fn read(text: &str) -> anyhow::Result<u128> {
    let text = text.trim();
    anyhow::ensure!(text.len() == 32, "a salt has 32 hexadecimal digits");
    u128::from_str_radix(text, 16).context("a salt has 32 hexadecimal digits")
}
