//! A bot as a player: what the referee asks, put into the protocol's words and back.

use super::bot::{Bot, NewGame};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{GameOver, Outside, Player, Start};
use crate::wire::Wire;
use cuebench_engine::game::Game;

/// A process that said hello, as a player.
pub struct BotPlayer {
    bot: Bot,
}

impl BotPlayer {
    /// `bot` as a player.
    #[must_use]
    pub const fn new(bot: Bot) -> Self {
        Self { bot }
    }

    /// The conversation with it.
    #[must_use]
    pub const fn bot(&self) -> &Bot {
        &self.bot
    }

    /// The conversation with it, to go on with.
    pub const fn bot_mut(&mut self) -> &mut Bot {
        &mut self.bot
    }

    /// Ends the bot politely: see [`Bot::quit`].
    #[must_use = "a bot that had to be killed may be worth a word"]
    pub fn quit(self) -> bool {
        self.bot.quit()
    }
}

impl<G: Wire> Player<G> for BotPlayer {
    fn new_game(&mut self, start: &Start<'_, G>) -> Result<(), Fault> {
        let (options, public) = (start.game.published(), start.game.public());
        self.bot.new_game(&NewGame {
            game_id: start.game_id,
            seat: start.seat,
            options: &options,
            public: &public,
            time: start.clock,
        })
    }

    fn choose(
        &mut self,
        game: &G,
        view: &<G as Game>::View<'_>,
        clock: Clock,
    ) -> Result<G::Action, Fault> {
        let reply = self.bot.ask(view, clock.left, clock.opponent_left)?;
        game.read(view, &reply.fields).map_err(|misread| {
            let fault = misread.fault(&reply.fields);
            if let Fault::Illegal(reason) = &fault {
                self.bot.illegal(reason);
            }
            fault
        })
    }

    fn game_over(&mut self, over: &GameOver<'_, G>) {
        let mut revealed = over.game.revealed(over.state, over.seat);
        revealed.insert("decided_by".to_owned(), over.decided_by.into());
        // What arrived by now has been judged already.
        let _ = self.bot.game_over(over.points, over.reason, &revealed);
    }

    fn refused(&mut self, reason: &str) {
        self.bot.illegal(reason);
    }

    fn rest(&mut self) {
        self.bot.rest();
    }

    fn drain(&mut self) -> Result<(), Fault> {
        self.bot.drain()
    }

    fn outside(&self) -> Option<Outside> {
        Some(Outside { waited: self.bot.waited(), overrun: self.bot.overrun() })
    }

    fn cpu_ms(&self) -> Option<u64> {
        self.bot.cpu_ms()
    }
}
