//! Who decides: policies for every game, built in or run as processes.
//!
//! A [`player::Player`] plays one game at a time; the [`referee`] is the only loop that plays a
//! game with two of them; the [`roster`] turns text such as `search:depth=3` into a player. What
//! can go wrong while an agent plays is a [`fault::Fault`], which is a result of a game and never
//! an error of the harness.
//!
//! Play a match and play its record again:
//!
//! ```
//! use cuebench_agents::record::Record;
//! use cuebench_agents::referee::{Terms, play};
//! use cuebench_agents::roster::Roster;
//! use cuebench_engine::game::{Game, Seed};
//! use cuebench_engine::snooker::Race;
//! use std::time::Duration;
//!
//! let race = Race::default();
//! let mut one = race.player(&"threshold".parse()?, 0, None)?;
//! let mut other = race.player(&"random".parse()?, 1, None)?;
//! let terms = Terms { record: true, ..Terms::free(Duration::from_secs(30)) };
//! let played = play(&race, Seed::open(7), [one.as_mut(), other.as_mut()], &terms);
//! let record: Record = serde_json::from_str(&played.record.unwrap_or_default())?;
//! let again = record.replay(&race, |_| ())?;
//! assert_eq!(race.verdict(&again), played.verdict);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aim;
pub mod belief;
pub mod chess_pool;
pub mod clock;
pub mod external;
pub mod fault;
pub mod frame;
pub mod lines;
pub mod net;
pub mod player;
pub mod race;
pub mod record;
pub mod referee;
pub mod roster;
pub mod spec;
pub mod wire;
pub mod words;
