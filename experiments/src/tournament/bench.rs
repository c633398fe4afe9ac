//! Which of an event's processes one worker keeps for its next games: at most the two bots of its
//! game.

use super::file::{Player, Tournament};
use crate::hall::Hall;
use cuebench_agents::external::player::BotPlayer;
use cuebench_agents::fault::Fault;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Failures to start in a row after which a bot is no longer tried, if it ever started.
const PATIENCE: u32 = 3;

/// Which bots of an event could be started; shared by all workers.
#[derive(Debug)]
pub struct Starts(Mutex<Vec<Record>>);

#[derive(Clone, Debug, Default)]
struct Record {
    ever: bool,
    failures: u32,
    given_up: Option<Fault>,
}

impl Starts {
    /// A clean record for `bots` bots.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        Self(Mutex::new(vec![Record::default(); bots]))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fault for which a bot is no longer tried.
    fn given_up(&self, bot: usize) -> Option<Fault> {
        self.lock()[bot].given_up.clone()
    }

    fn note(&self, bot: usize, failure: Option<&Fault>) {
        let record = &mut self.lock()[bot];
        let Some(fault) = failure else {
            *record = Record { ever: true, failures: 0, given_up: None };
            return;
        };
        if matches!(fault, Fault::Void(_)) {
            return;
        }
        record.failures += 1;
        if record.given_up.is_none() && (!record.ever || record.failures >= PATIENCE) {
            record.given_up = Some(not_played(fault));
        }
    }
}

/// The same fault for games that are not played any more.
fn not_played(fault: &Fault) -> Fault {
    let text = |text: &str| format!("not played, for it could not be started before: {text}");
    match fault {
        Fault::Timeout(why) => Fault::Timeout(text(why)),
        Fault::Protocol(why) => Fault::Protocol(text(why)),
        Fault::Crash(why) => Fault::Crash(text(why)),
        other => other.clone(),
    }
}

/// The processes that one worker keeps.
pub struct Bench<'a> {
    hall: &'a Hall,
    file: &'a Tournament,
    players: &'a [Player],
    starts: &'a Starts,
    slot: usize,
    bots: BTreeMap<usize, BotPlayer>,
}

impl<'a> Bench<'a> {
    /// The empty bench of worker `slot`.
    #[must_use]
    pub fn new(
        hall: &'a Hall,
        file: &'a Tournament,
        players: &'a [Player],
        starts: &'a Starts,
        slot: usize,
    ) -> Self {
        Self { hall, file, players, starts, slot, bots: BTreeMap::new() }
    }

    /// Gets the bots of a game ready: everybody else leaves first.
    ///
    /// # Errors
    /// One a bot, in the order of `pair`: the fault that keeps it from playing.
    pub fn seat(&mut self, pair: [usize; 2]) -> [Result<(), Fault>; 2] {
        let left: Vec<usize> = self.bots.keys().copied().filter(|id| !pair.contains(id)).collect();
        for bot in left.iter().filter_map(|id| self.bots.remove(id)) {
            let _ = bot.quit();
        }
        pair.map(|bot| self.ready(bot))
    }

    fn ready(&mut self, bot: usize) -> Result<(), Fault> {
        let Player::Command(command) = &self.players[bot] else { return Ok(()) };
        if self.bots.contains_key(&bot) {
            return Ok(());
        }
        if let Some(fault) = self.starts.given_up(bot) {
            return Err(fault);
        }
        let started = self.hall.start(&self.file.game, command, self.slot);
        self.starts.note(bot, started.as_ref().err());
        self.bots.insert(bot, BotPlayer::new(started?));
        Ok(())
    }

    /// The processes of both bots of a game, as far as they have any.
    pub fn pair(&mut self, pair: [usize; 2]) -> [Option<&mut BotPlayer>; 2] {
        let mut found = [None, None];
        for (&id, bot) in &mut self.bots {
            if let Some(place) = pair.iter().position(|&wanted| wanted == id) {
                found[place] = Some(bot);
            }
        }
        found
    }

    /// After a game: processes that cannot be used again leave.
    pub fn clear(&mut self) {
        let restart = |id: &usize| self.file.bots[*id].restart;
        let leaving: Vec<usize> = self
            .bots
            .iter()
            .filter(|(id, bot)| bot.bot().spent() || restart(id))
            .map(|(&id, _)| id)
            .collect();
        for bot in leaving.iter().filter_map(|id| self.bots.remove(id)) {
            let _ = bot.quit();
        }
    }

    /// The version that a process gave.
    #[must_use]
    pub fn version(&self, bot: usize) -> String {
        match self.players[bot] {
            Player::Agent(_) => env!("CARGO_PKG_VERSION").to_owned(),
            Player::Command(_) => {
                self.bots.get(&bot).map_or_else(String::new, |bot| bot.bot().version().to_owned())
            }
        }
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        while let Some((_, bot)) = self.bots.pop_first() {
            let _ = bot.quit();
        }
    }
}
