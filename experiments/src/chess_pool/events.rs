//! What happened in a shot, as a line of JSON says it: contacts and falls as lists, or both as one
//! text like `O-1-12, 12>tr`.

use anyhow::{Context as _, bail};
use cuebench_engine::chess_pool::notation::{Notes, parse};
use cuebench_engine::chess_pool::piece::Ball;
use cuebench_engine::table::Pocket;
use serde::Deserialize;

/// The greatest number of contacts of one shot.
const MAX_CONTACTS: usize = 10_000;

/// A ball in a pocket.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fall {
    ball: Ball,
    pocket: Pocket,
}

/// The events that a line names; none where it names none.
///
/// # Errors
/// When one of the two lists is missing, the line has lists and a text, there are too many
/// contacts, or the text is no record of a shot.
pub fn events(
    contacts: Option<Vec<[Ball; 2]>>,
    pocketed: Option<Vec<Fall>>,
    shot: Option<&str>,
) -> anyhow::Result<Option<Notes>> {
    match (contacts, pocketed, shot) {
        (None, None, None) => Ok(None),
        (None, None, Some(text)) => Ok(Some(parse(text).context("shot")?)),
        (Some(contacts), Some(pocketed), None) => {
            if contacts.len() > MAX_CONTACTS {
                bail!("contacts: {} of them; at most {MAX_CONTACTS} are read", contacts.len());
            }
            let falls = pocketed.iter().map(|fall| (fall.ball, fall.pocket)).collect();
            Ok(Some(Notes { contacts, falls }))
        }
        (_, _, Some(_)) => bail!("give either `shot` or `contacts` and `pocketed`"),
        (Some(_), None, None) => bail!("missing field `pocketed`; give [] if no ball fell"),
        (None, Some(_), None) => bail!("missing field `contacts`; give [] if no balls met"),
    }
}
