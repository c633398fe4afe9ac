//! The only loop that plays a game: seats, clocks, faults and the record.

use crate::clock::{Clock, SeatClock, milliseconds};
use crate::fault::Fault;
use crate::player::{Absent, GameOver, Player, Report, Start};
use crate::record::Writer;
use crate::wire::Wire;
use cuebench_engine::game::{Forfeit, Game, Refusal, SEATS, Seat, Seed, Turn, Verdict};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What holds for a game beside its rules.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// A name for the game that is unique in its event.
    pub game_id: &'a str,
    /// A seat's time for the whole game.
    pub clock: Duration,
    /// Whether the thinking of built-in players costs nothing, so that deterministic players give
    /// the same game every time. Answers of processes always run on their clock.
    pub free: bool,
    /// Where seats do not touch each other: whether processes play at the same time, each clock
    /// running from the common start. Else one seat plays after the other on a clock of its own.
    pub together: bool,
    /// Whether the record is wanted.
    pub record: bool,
}

impl Terms<'_> {
    /// Thinking is free, and no record is kept: for simulated games between built-in players.
    #[must_use]
    pub const fn free(clock: Duration) -> Self {
        Self { game_id: "game", clock, free: true, together: false, record: false }
    }
}

/// One seat's part of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seated {
    /// What ended it, unless it was the game itself.
    pub fault: Option<Fault>,
    /// Its score.
    pub score: Option<i32>,
    /// Its strokes.
    pub strokes: u32,
    /// Time on its clock.
    pub time: Duration,
    /// Time by which it overran its clock.
    pub overrun: Option<Duration>,
    /// CPU time of its process in this game, ms.
    pub cpu_ms: Option<u64>,
    /// What the player tells of its work.
    pub report: Report,
    /// All that the seat did, if its game depends on nothing else.
    pub digest: Option<u64>,
}

impl Seated {
    /// The word for how its game ended.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.fault.as_ref().map_or("play", Fault::reason)
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played<G: Game> {
    /// The state at the end.
    pub state: G::State,
    /// The seats, 0 first.
    pub seats: [Seated; SEATS],
    /// Who won and by what; `None` when the harness itself failed.
    pub verdict: Option<Verdict>,
    /// The record as JSON, if it was wanted: see [`crate::record`].
    pub record: Option<String>,
}

impl<G: Game> Played<G> {
    /// Points of a seat; `None` when the game is void.
    #[must_use]
    pub fn points(&self, seat: Seat) -> Option<f64> {
        self.verdict.as_ref().map(|verdict| verdict.points(seat))
    }
}

/// Plays `game` from `seed`: `players[0]` in seat 0. Faults of players are part of what was played.
pub fn play<G: Wire>(
    game: &G,
    seed: Seed,
    players: [&mut dyn Player<G>; SEATS],
    terms: &Terms<'_>,
) -> Played<G> {
    play_from(game, game.start(seed), seed, players, terms)
}

/// Plays a game in which seat 0 is alone, such as one table of the race.
pub fn play_alone<G: Wire>(
    game: &G,
    seed: Seed,
    player: &mut dyn Player<G>,
    terms: &Terms<'_>,
) -> Played<G> {
    let mut nobody = Absent(Fault::Void("nobody sits there".to_owned()));
    play(game, seed, [player, &mut nobody], terms)
}

/// As [`play`], from a state of its own in place of the seed's start.
pub fn play_from<G: Wire>(
    game: &G,
    state: G::State,
    seed: Seed,
    mut players: [&mut dyn Player<G>; SEATS],
    terms: &Terms<'_>,
) -> Played<G> {
    let mut seats = [Seated::default(), Seated::default()];
    let cpu = [players[0].cpu_ms(), players[1].cpu_ms()];
    let each = matches!(game.turn(&state), Turn::Each(_));
    let table = Table { game, seed, terms };
    let mut ended = if each {
        table.side_by_side(state, &mut players, &mut seats)
    } else {
        table.in_turn(state, &mut players, &mut seats)
    };
    for (seat, seated) in seats.iter_mut().enumerate() {
        seated.cpu_ms = cpu[seat].zip(players[seat].cpu_ms()).map(|(a, b)| b.saturating_sub(a));
        // An answer too many that has come by now counts.
        if seated.fault.is_none()
            && let Err(fault) = players[seat].drain()
        {
            table.break_off(&mut ended, seat, seated, fault);
        }
        let score = game.score(&ended.state, seat);
        (seated.score, seated.strokes) = (score.score, score.strokes);
        seated.report = players[seat].report();
        seated.digest = game.digest(&ended.state, seat);
    }
    let void = seats.iter().any(|seat| matches!(seat.fault, Some(Fault::Void(_))));
    let verdict = if void { None } else { game.verdict(&ended.state) };
    for (seat, player) in players.iter_mut().enumerate() {
        player.game_over(&GameOver {
            game,
            seat,
            points: verdict.as_ref().map(|verdict| verdict.points(seat)),
            reason: seats[seat].reason(),
            decided_by: verdict.as_ref().map_or("", |verdict| &verdict.decided_by),
            state: &ended.state,
        });
    }
    let record = terms.record.then(|| ended.record.finish(seed));
    Played { state: ended.state, seats, verdict, record }
}

/// A game as far as it has come.
struct Progress<G: Game> {
    state: G::State,
    record: Writer,
}

/// What stays the same throughout a game.
struct Table<'a, 't, G: Game> {
    game: &'a G,
    seed: Seed,
    terms: &'a Terms<'t>,
}

impl<G: Wire> Table<'_, '_, G> {
    fn welcome(
        &self,
        seat: Seat,
        player: &mut dyn Player<G>,
        state: &G::State,
    ) -> Result<(), Fault> {
        player.new_game(&Start {
            game: self.game,
            seat,
            game_id: self.terms.game_id,
            clock: self.terms.clock,
            agent_seed: self.seed.of_players(),
            secret: player.wants_secret().then_some(state),
        })
    }

    /// The seats take turns; a seat's time is the sum of its answers.
    fn in_turn(
        &self,
        state: G::State,
        players: &mut [&mut dyn Player<G>; SEATS],
        seats: &mut [Seated; SEATS],
    ) -> Progress<G> {
        let mut progress = Progress { state, record: Writer::new(self.terms.record) };
        let mut clocks = [SeatClock::own(self.terms.clock); SEATS];
        for seat in 0..SEATS {
            if let Err(fault) = self.welcome(seat, players[seat], &progress.state) {
                self.break_off(&mut progress, seat, &mut seats[seat], fault);
            }
        }
        while let Turn::Of(seat) = self.game.turn(&progress.state) {
            players[1 - seat].rest();
            let opponent_left = clocks[1 - seat].left();
            let seated = &mut seats[seat];
            let clock = &mut clocks[seat];
            let answered =
                self.answer(&mut progress, seat, players[seat], clock, opponent_left, seated);
            if let Err(fault) = answered {
                self.break_off(&mut progress, seat, seated, fault);
            }
        }
        progress
    }

    /// The seats do not touch each other: each plays to its own end, in a copy of its own.
    fn side_by_side(
        &self,
        state: G::State,
        players: &mut [&mut dyn Player<G>; SEATS],
        seats: &mut [Seated; SEATS],
    ) -> Progress<G> {
        let mut progress = [0, 1]
            .map(|_| Progress { state: state.clone(), record: Writer::new(self.terms.record) });
        let outside = players.iter().any(|player| player.outside().is_some());
        let [one, two] = players;
        let [first, second] = &mut progress;
        let [seat_one, seat_two] = seats;
        let alone = !self.game.turn(&state).allows(1);
        if alone {
            self.ready(0, *one, first, seat_one);
            self.seat_alone(0, *one, first, seat_one, None);
        } else if self.terms.together && outside {
            self.ready(0, *one, first, seat_one);
            self.ready(1, *two, second, seat_two);
            let start = Instant::now();
            let closed = [AtomicU64::new(STILL_OPEN), AtomicU64::new(STILL_OPEN)];
            let together = |seat| Some(Together { start, closed: &closed, seat });
            std::thread::scope(|scope| {
                let other = scope.spawn(|| self.seat_alone(1, *two, second, seat_two, together(1)));
                self.seat_alone(0, *one, first, seat_one, together(0));
                // A panic of the other seat goes on in this one.
                if let Err(panic) = other.join() {
                    std::panic::resume_unwind(panic);
                }
            });
        } else {
            two.rest();
            self.ready(0, *one, first, seat_one);
            self.seat_alone(0, *one, first, seat_one, None);
            one.rest();
            self.ready(1, *two, second, seat_two);
            self.seat_alone(1, *two, second, seat_two, None);
        }
        let [one, mut two] = progress;
        let mut record = one.record;
        record.append(&mut two.record);
        Progress { state: self.game.join([one.state, two.state]), record }
    }

    fn ready(
        &self,
        seat: Seat,
        player: &mut dyn Player<G>,
        progress: &mut Progress<G>,
        seated: &mut Seated,
    ) {
        if let Err(fault) = self.welcome(seat, player, &progress.state) {
            self.break_off(progress, seat, seated, fault);
        }
    }

    /// One seat's moves until its part is over.
    fn seat_alone(
        &self,
        seat: Seat,
        player: &mut dyn Player<G>,
        progress: &mut Progress<G>,
        seated: &mut Seated,
        together: Option<Together<'_>>,
    ) {
        let limit = self.terms.clock;
        let mut clock = match &together {
            Some(Together { start, .. }) => SeatClock::running(limit, *start),
            None => SeatClock::own(limit),
        };
        while self.game.turn(&progress.state).allows(seat) {
            let opponent_left = together.as_ref().map_or(limit, |other| other.left(limit));
            let answered = self.answer(progress, seat, player, &mut clock, opponent_left, seated);
            if let Err(fault) = answered {
                self.break_off(progress, seat, seated, fault);
            }
        }
        if let Some(Together { closed, .. }) = together {
            closed[seat].store(milliseconds(clock.used()), Ordering::Relaxed);
        }
    }

    /// Asks for one action and plays it.
    fn answer(
        &self,
        progress: &mut Progress<G>,
        seat: Seat,
        player: &mut dyn Player<G>,
        clock: &mut SeatClock,
        opponent_left: Duration,
        seated: &mut Seated,
    ) -> Result<(), Fault> {
        let view = self.game.view(&progress.state, seat);
        let told = Clock { left: clock.left(), opponent_left };
        let begun = (!self.terms.free).then(Instant::now);
        let chosen = player.choose(self.game, &view, told);
        let outside = player.outside();
        let wait = match outside {
            Some(outside) => Some(outside.waited),
            None => begun.map(|begun| begun.elapsed()),
        };
        let charged = wait.map_or(Ok(()), |wait| clock.charge(wait));
        seated.time = clock.used();
        seated.overrun = outside.and_then(|outside| outside.overrun);
        // What a process did wrong weighs more than being late.
        let action = chosen?;
        charged?;
        let time_ms = milliseconds(clock.used());
        let before = progress.record.mark();
        progress.record.action(seat, time_ms, |out| self.game.write(&view, &action, out));
        drop(view);
        self.game.play(&mut progress.state, seat, &action, time_ms).map_err(|refusal| {
            progress.record.back_to(before);
            match refusal {
                Refusal::Illegal(reason) => {
                    player.refused(&reason);
                    Fault::Illegal(reason)
                }
                other => Fault::Void(other.to_string()),
            }
        })
    }

    /// Ends a seat's game for a fault; the harness's own is no forfeit of anybody.
    fn break_off(&self, progress: &mut Progress<G>, seat: Seat, seated: &mut Seated, fault: Fault) {
        let why = match &fault {
            Fault::Timeout(_) => Forfeit::Timeout,
            _ => Forfeit::Fault,
        };
        if why == Forfeit::Timeout {
            seated.time = self.terms.clock;
        }
        let time_ms = milliseconds(seated.time);
        self.game.forfeit(&mut progress.state, seat, why, time_ms);
        progress.record.broke_off(seat, why, time_ms);
        seated.fault = Some(fault);
    }
}

/// Of a seat that is not through yet.
const STILL_OPEN: u64 = u64::MAX;

/// What a seat that plays at the same time knows of the other's clock.
struct Together<'a> {
    start: Instant,
    closed: &'a [AtomicU64; SEATS],
    seat: Seat,
}

impl Together<'_> {
    /// What the other seat has left: its clock stands from the moment when it is through.
    fn left(&self, limit: Duration) -> Duration {
        match self.closed[1 - self.seat].load(Ordering::Relaxed) {
            STILL_OPEN => limit.saturating_sub(self.start.elapsed()),
            used_ms => limit.saturating_sub(Duration::from_millis(used_ms)),
        }
    }
}
