//! Rows of `cuebench tournament` and `cuebench rate`.

use super::row;
use crate::tournament::points::Points;

row! {
    /// One game of a tournament, written the moment it ended; the only truth of the event.
    /// `games.csv`. Seat a is the bot named first in the tournament file, wherever it sat.
    pub struct GameRow as "tournament-game" {
        /// Name of the event.
        event: String,
        /// Place of the game in the schedule, from 0.
        game_index: u64,
        /// Number of the pair of bots, from 0.
        pair: usize,
        /// Seed of the game: the block that errors are reckoned from.
        seed: u64,
        /// 0: bot a in seat 0 (it breaks); 1: bot b in seat 0.
        order: u8,
        /// 0, and 1 more each time a void game was played again.
        attempt: u32,
        /// Id of bot a.
        bot_a: String,
        /// Id of bot b.
        bot_b: String,
        /// Version that bot a gave; of built-in agents that of cuebench.
        version_a: String,
        /// Version that bot b gave.
        version_b: String,
        /// Points of bot a: 1, 0.5 or 0; empty for a void game.
        result: Option<Points>,
        /// How bot a's game ended: `play`, `timeout`, `crash`, `illegal`, `protocol` or `void`.
        reason_a: String,
        /// How bot b's game ended.
        reason_b: String,
        /// Score of bot a: points of the table, or frames won.
        score_a: Option<i32>,
        /// Score of bot b.
        score_b: Option<i32>,
        /// Strokes of bot a.
        strokes_a: Option<u32>,
        /// Strokes of bot b.
        strokes_b: Option<u32>,
        /// Time on bot a's clock, ms: the sum of its waits; in a race that is played together the
        /// time since the common start.
        time_ms_a: u64,
        /// Time on bot b's clock, ms.
        time_ms_b: u64,
        /// What decided: `score`, `strokes`, `time` or `draw` in a race, the way of winning in a
        /// frame, `forfeit` where one bot broke off, `absent` where one let its time in a race run
        /// out without a stroke; empty for a void game.
        decided_by: String,
        /// CPU time of bot a's process in this game, ms; empty where it is not known.
        cpu_ms_a: Option<u64>,
        /// CPU time of bot b's process.
        cpu_ms_b: Option<u64>,
        /// Time by which bot a's answer came after its clock ran out, ms; 1000 stands for more;
        /// empty if it kept its time.
        overrun_ms_a: Option<u64>,
        /// Time by which bot b's answer was late, ms.
        overrun_ms_b: Option<u64>,
        /// Time of the whole game on the wall, ms.
        wall_ms: u64,
        /// What went wrong with bot a: exit code or signal, limit, likely cause; empty for `play`.
        note_a: String,
        /// What went wrong with bot b.
        note_b: String,
        /// Digest of all that bot a and bot b did, in games that depend on nothing else: equal
        /// digests are the same game twice. Empty where chance plays a part.
        digest: Option<String>,
        /// Where the strokes are: the line of `replays.jsonl` with this key; empty if not kept.
        replay: Option<String>,
    }
}

impl GameRow {
    /// A game of two numbered bots that ended by play and that bot a won on even seeds: what
    /// simulations and measurements begin with.
    #[must_use]
    pub fn sample(pair: usize, [a, b]: [usize; 2], seed: u64) -> Self {
        Self {
            event: "sample".to_owned(),
            game_index: 0,
            pair,
            seed,
            order: 0,
            attempt: 0,
            bot_a: format!("b{a}"),
            bot_b: format!("b{b}"),
            version_a: String::new(),
            version_b: String::new(),
            result: Some(if seed.is_multiple_of(2) { Points::Win } else { Points::Loss }),
            reason_a: "play".to_owned(),
            reason_b: "play".to_owned(),
            score_a: None,
            score_b: None,
            strokes_a: None,
            strokes_b: None,
            time_ms_a: 0,
            time_ms_b: 0,
            decided_by: "score".to_owned(),
            cpu_ms_a: None,
            cpu_ms_b: None,
            overrun_ms_a: None,
            overrun_ms_b: None,
            wall_ms: 0,
            note_a: String::new(),
            note_b: String::new(),
            digest: None,
            replay: None,
        }
    }
}

row! {
    /// One bot's rating, from all its games together. `ratings.csv`, best first.
    pub struct RatingRow as "tournament-rating" {
        /// Place, from 1; equal ratings share it. Empty where too little is known of the bot, and
        /// where groups of bots never met.
        rank: Option<usize>,
        /// Id of the bot.
        bot: String,
        /// Version that it gave last.
        version: String,
        /// Seeds (blocks) that count.
        blocks: u64,
        /// Games that count.
        games: u64,
        /// Points in them, a draw being half a point.
        points: f64,
        /// Share of the points, 0 to 1.
        score: f64,
        /// Lower end of the interval of the score at 95 %: Wilson's, with as many trials as give the
        /// spread between seeds, and Student's quantile.
        score_low: f64,
        /// Upper end of it.
        score_high: f64,
        /// Elo of the joint Bradley-Terry fit; the mean of a group of bots that met is 0, those of
        /// which too little is known aside.
        elo: f64,
        /// Half-width of the 95 % interval of Elo, from the spread between seeds with all that was
        /// played on each, and Student's quantile; where seeds show no spread each counts as one
        /// trial. Of a table of counts, from single games. Empty where too little is known.
        elo_error: Option<f64>,
        /// Half-width from the information matrix, as if games were undrawn; tables of counts only,
        /// for games that share seeds are not independent.
        elo_error_information: Option<f64>,
        /// Lower end of the 95 % interval of Elo: `elo` less `elo_error`.
        elo_low: Option<f64>,
        /// Upper end of it.
        elo_high: Option<f64>,
        /// Chance of being the best, by drawing ratings as uncertain as they are; never exactly 0
        /// or 1. Empty without seeds, where too little is known of the bot, and where groups of
        /// bots never met.
        first: Option<f64>,
        /// Why fields are empty: `no_game` (none that counts), `one_seed` (fewer than two seeds, in
        /// effect) or `groups` (not all bots met, directly or over others); empty else.
        untold: String,
        /// `at_least`, `at_most` or `loose` where results only bound the rating; empty else.
        limit: String,
        /// Number of the group of bots, from 0, within which ratings can be compared.
        group: usize,
        /// Games that this bot lost by timeout, crash, illegal move or protocol fault.
        forfeits: u64,
        /// Elo without all games that somebody broke off; empty if none are left.
        elo_clean: Option<f64>,
        /// Half-width of the 95 % interval of it.
        elo_clean_error: Option<f64>,
    }
}

row! {
    /// One bot against another: a cell of the payoff matrix. `pairs.csv`.
    pub struct PairRow as "tournament-pair" {
        /// Id of bot a.
        bot_a: String,
        /// Id of bot b.
        bot_b: String,
        /// Seeds (blocks) that count.
        blocks: u64,
        /// Games that count.
        games: u64,
        /// Games that bot a won.
        wins_a: u64,
        /// Games without a winner.
        draws: u64,
        /// Games that bot b won.
        wins_b: u64,
        /// Share of the points of bot a, 0 to 1.
        score_a: f64,
        /// Lower end of its 95 % interval: Wilson's, with as many trials as give the spread between
        /// blocks, and Student's quantile.
        score_a_low: f64,
        /// Upper end of it.
        score_a_high: f64,
        /// Elo of bot a over bot b from these games alone.
        elo: f64,
        /// Half-width of its 95 % interval, from the spread between blocks and Student's quantile;
        /// where blocks show no spread, Wilson's with blocks as trials.
        elo_error: f64,
        /// Chance that bot a is the better one, from these games alone.
        los: f64,
        /// Difference of the two ratings of the joint fit, Elo.
        elo_joint: f64,
        /// Half-width of its 95 % interval, as of the ratings; empty where too little is known.
        elo_joint_error: Option<f64>,
        /// Chance that bot a is the better one by the joint fit; empty where too little is known.
        los_joint: Option<f64>,
        /// Games that bot a broke off.
        forfeits_a: u64,
        /// Games that bot b broke off.
        forfeits_b: u64,
    }
}
