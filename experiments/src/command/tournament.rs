//! `cuebench tournament`: plays an event, or goes on with it.

use super::Exit;
use crate::bot_process;
use crate::experiment::grid::settings;
use crate::games::{self, Loaded, Playable};
use crate::hall::Hall;
use crate::output::print_json;
use crate::output::rows::tournament::GameRow;
use crate::output::table::Table;
use crate::output::write::{keep_apart, write_whole};
use crate::preflight;
use crate::rollout::Stop;
use crate::stats::sprt::Decision;
use crate::tournament::blocks::Blocks;
use crate::tournament::collect::{Games, counted};
use crate::tournament::done::Done;
use crate::tournament::event::Event;
use crate::tournament::file::{CONCURRENCY, MAX_FILE, Player, Tournament};
use crate::tournament::folder::{FILES, Folder, State, write_results};
use crate::tournament::ledger::{self, GAMES, Ledger};
use crate::tournament::results::{Results, SprtReport, results};
use crate::tournament::runner::{self, Ended};
use crate::tournament::schedule::Schedule;
use crate::tournament::secret;
use crate::tournament::standings::Standings;
use anyhow::{Context as _, ensure};
use cuebench_agents::external::launch::can_hide;
use cuebench_agents::external::leash::Leash;
use cuebench_agents::external::watch::Watch;
use cuebench_agents::referee::{self, Terms};
use cuebench_engine::game::Seed;
use serde_json::json;
use std::io::{Read as _, Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bots and seeds by which a dry run measures the ratings.
const RATED: (usize, u64) = (40, 4);
/// Games by which a dry run measures.
const SAMPLES: u64 = 200;
/// Time after which it has measured enough.
const SAMPLING: Duration = Duration::from_millis(300);
/// What a game of built-in agents costs beside their thinking, s (`cargo bench`).
const BESIDE_S: f64 = 15e-6;

/// Arguments of `cuebench tournament`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tournament file (TOML).
    file: PathBuf,
    /// Games at the same time; before the file's own number. At most twice as many bot processes
    /// are alive.
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Go on with what is in the folder; begin if there is nothing.
    #[arg(long)]
    resume: bool,
    /// Play void games again (with --resume).
    #[arg(long, requires = "resume")]
    retry_void: bool,
    /// The event's folder; out/EVENT if left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Say how many games there are and how long they may take, and play none.
    #[arg(long)]
    dry_run: bool,
    /// Words before every bot's command, parted by blanks: a sandbox of your choice.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    prefix: Option<String>,
    /// Do not hide the event's files from bots; sandboxes that mount (bwrap) need this.
    #[arg(long)]
    no_hide: bool,
    /// The secret of a finished event (32 hexadecimal digits of its manifest), to repeat it.
    #[arg(long, value_name = "HEX")]
    salt: Option<String>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file or the folder is refused, or a file cannot be written.
pub fn run(args: &Args, games: &games::Games) -> anyhow::Result<Exit> {
    let file = read(&args.file)?;
    let home = args.file.parent().unwrap_or(Path::new(""));
    let game = games.get(&file.game).with_context(|| args.file.display().to_string())?;
    game.tournament(args, &file, home)
}

/// The game of an event; files that it names lie in `home`.
///
/// # Errors
/// When its options are refused.
pub fn load<G: Playable>(file: &Tournament, home: &Path) -> anyhow::Result<Loaded<G>> {
    let options = settings(&file.options).context("[options]")?;
    G::load(&options, home).context("[options]")
}

/// Reads a tournament file.
fn read(path: &Path) -> anyhow::Result<Tournament> {
    let place = || path.display().to_string();
    let mut text = String::new();
    let file = std::fs::File::open(path).with_context(place)?;
    file.take(MAX_FILE + 1).read_to_string(&mut text).with_context(place)?;
    ensure!(text.len() as u64 <= MAX_FILE, "{}: longer than {MAX_FILE} bytes", place());
    Tournament::parse(&text).with_context(place)
}

/// Plays an event of the game `G`.
///
/// # Errors
/// When the options, a bot or the folder is refused, or a file cannot be written.
pub fn play<G: Playable>(args: &Args, file: &Tournament, home: &Path) -> anyhow::Result<Exit> {
    let loaded = load::<G>(file, home).with_context(|| args.file.display().to_string())?;
    let game = &loaded.game;
    let players = file.bots.iter().map(|bot| bot.player()).collect::<Result<Vec<_>, _>>()?;
    for (bot, player) in file.bots.iter().zip(&players) {
        if let Player::Agent(spec) = player {
            let place = || format!("{}: bot `{}`", args.file.display(), bot.id);
            // Against the agent for sparring every agent is as good as against others here.
            let sparring = game.sparring().parse()?;
            game.player(spec, 0, Some(&sparring)).map(drop).with_context(place)?;
        }
    }
    let (first, seeds) = (file.seeds[0], file.seed_count());
    let schedule =
        Schedule::new(file.bots.len(), file.format, first, seeds, G::ORDERS, file.mirror);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let concurrency = args.concurrency.or(file.concurrency).unwrap_or(cores.min(4));
    ensure!(CONCURRENCY.contains(&concurrency), "--concurrency must be from 1 to 256");
    if args.dry_run {
        return dry_run(args, file, game, &players, &schedule, concurrency);
    }
    let processes = players.iter().any(|player| matches!(player, Player::Command(_)));
    if processes && concurrency > cores {
        say(&format!(
            "{concurrency} games at the same time on {cores} cores: bots will wait for each other"
        ));
    }
    let experiment = json!({ "tournament": file, "options": loaded.published() });
    let path = args.out.clone().unwrap_or_else(|| Path::new("out").join(&file.event));
    let outputs: Vec<PathBuf> = FILES.iter().map(|name| path.join(name)).collect();
    keep_apart(outputs.iter().map(PathBuf::as_path), [&*args.file])?;
    let prefix: Vec<String> =
        args.prefix.iter().flat_map(|words| words.split_whitespace()).map(str::to_owned).collect();
    for (bot, player) in file.bots.iter().zip(&players) {
        if let Player::Command(command) = player {
            let home = args.file.parent().unwrap_or(Path::new(""));
            let place = || format!("{}: bot `{}`", args.file.display(), bot.id);
            preflight::look(&prefix, &command.words, home).with_context(place)?;
        }
    }
    let folder = Folder::open(&path, &file.event, experiment, args.resume)?;
    for (name, text) in &loaded.sources {
        write_whole(&folder.file(name), text)?;
    }
    let salt = match &args.salt {
        Some(text) => Some(secret::read(text).context("--salt")?),
        None if processes => Some(secret::of(folder.path())?),
        None => None,
    };
    let begun = Instant::now();
    let hidden = processes.then(|| !args.no_hide && can_hide());
    if hidden == Some(false) {
        say("bots can read this event's files, its secret too: see agents/PROTOCOL.md");
    }
    let mut state = State {
        file,
        concurrency,
        games: 0,
        complete: false,
        salt,
        hidden,
        orders: G::ORDERS,
        load: None,
        wall_time_s: 0.0,
    };
    folder.write_manifest(&state)?;
    let hall = hall(args, file, folder.path(), processes)?;
    let event = Event {
        game,
        file,
        players: &players,
        schedule: &schedule,
        salt,
        concurrency,
        hall: &hall,
    };
    let (ended, load) = go_on(&event, &folder, args.retry_void)?;
    state.load = load;
    let (games, sprt) = recount(&folder, file, G::ORDERS)?;
    state.games = games.rows();
    state.complete = ended != Ended::Stopped;
    state.wall_time_s = begun.elapsed().as_secs_f64();
    let results = results(&games, sprt, load)?;
    write_results(folder.path(), &results)?;
    folder.write_manifest(&state)?;
    if args.json {
        print_json(&results)?
    } else {
        print(&results)?
    }
    say(&format!("{} games in {}", games.rows(), path.join(GAMES).display()));
    Ok(exit(ended, &results, schedule.len()))
}

fn exit(ended: Ended, results: &Results, games: u64) -> Exit {
    if ended == Ended::Stopped {
        say(&format!("stopped before the end of {games} games; go on with --resume"));
        return Exit::Interrupted;
    }
    match &results.sprt {
        Some(sprt) if sprt.decision == Decision::H0 => Exit::CheckFailed,
        _ => Exit::Done,
    }
}

/// Reads what is there, and plays what is not.
fn go_on<G: Playable>(
    event: &Event<'_, G>,
    folder: &Folder,
    retry_void: bool,
) -> anyhow::Result<(Ended, Option<f64>)> {
    let file = event.file;
    let mut done = Done::new();
    let mut blocks = blocks(file, G::ORDERS)?;
    let ids: Vec<String> = file.bots.iter().map(|bot| bot.id.clone()).collect();
    let mut before = Vec::new();
    let whole = ledger::recover(folder.path(), |row| {
        let fits = event.schedule.game(row.game_index).is_some_and(|fixture| {
            fixture.seed == row.seed && fixture.order == row.order && fixture.pair == row.pair
        });
        ensure!(fits, "game {} is not of this event", row.game_index);
        done.note(&row, retry_void);
        if let Some(blocks) = &mut blocks {
            blocks.note(&row);
        }
        before.extend(counted(&row).map(|points| (row.pair, points)));
        Ok(())
    })?;
    let mut standings = Standings::new(&ids, event.schedule.len(), done.count);
    for (pair, points) in before {
        standings.count(event.schedule.pairs()[pair], points);
    }
    if let Some(blocks) = &mut blocks {
        blocks.advance()?;
    }
    let mut ledger = Ledger::open(folder.lock(), whole)?;
    let stop = Stop::on_interrupt()?;
    let ended = runner::run(event, &done, &mut ledger, blocks.as_mut(), &stop, &mut standings)?;
    Ok((ended, standings.load()))
}

fn blocks(file: &Tournament, orders: u8) -> anyhow::Result<Option<Blocks>> {
    let blocks = |sprt: &crate::tournament::file::SprtTable| {
        anyhow::Ok(Blocks::new(sprt.test()?, file.seeds[0], orders))
    };
    file.sprt.as_ref().map(blocks).transpose()
}

/// The games from their file, and the test that they amount to.
fn recount(
    folder: &Folder,
    file: &Tournament,
    orders: u8,
) -> anyhow::Result<(Games, Option<SprtReport>)> {
    let mut games = Games::default();
    ledger::scan(&folder.file(GAMES), |row| games.add(&row))?;
    games.settle(Some((&file.event, orders)));
    let sprt = SprtReport::of(&mut games, file, orders)?;
    Ok((games, sprt))
}

/// Where the bots of the event are started.
fn hall(args: &Args, file: &Tournament, folder: &Path, processes: bool) -> anyhow::Result<Hall> {
    let home = args.file.canonicalize().context("the tournament file")?;
    let home = home.parent().unwrap_or(Path::new("/")).to_owned();
    let prefix = args.prefix.as_deref().unwrap_or_default();
    // The watch must know the leash, or it takes it for a bot's.
    let leash = match processes {
        true => Some(Leash::start(bot_process::leash()?).context("the leash of the bots")?),
        false => None,
    };
    Ok(Hall {
        home,
        folder: folder.to_owned(),
        prefix: prefix.split_whitespace().map(str::to_owned).collect(),
        launcher: bot_process::launcher()?,
        hide: !args.no_hide,
        limits: file.limits.of_process(),
        start: file.limits.start(),
        watch: processes.then(Watch::start).transpose().context("no thread for the watch")?,
        leash,
        ponder: file.limits.ponder,
    })
}

/// Says how long the schedule is. The time is that of some games between built-in agents and of the
/// ratings at the end, or else the most that clocks allow.
fn dry_run<G: Playable>(
    args: &Args,
    file: &Tournament,
    game: &G,
    players: &[Player],
    schedule: &Schedule,
    concurrency: usize,
) -> anyhow::Result<Exit> {
    let games = schedule.len();
    let turns = games as f64 / concurrency as f64;
    let at_most_s = turns * 2.0 * file.limits.clock_s;
    let measured = measure(file, game, players, schedule)?;
    let rating_s = rating_time(file.bots.len(), schedule.seeds())?;
    let estimate_s = measured.map(|seconds| turns * seconds + rating_s);
    let (pairs, seeds) = (schedule.pairs().len(), schedule.seeds());
    if args.json {
        print_json(&json!({
            "event": file.event,
            "game": G::NAME,
            "games": games,
            "pairs": pairs,
            "seeds": seeds,
            "games_per_seed": schedule.orders(seeds - 1),
            "concurrency": concurrency,
            "estimate_s": estimate_s,
            "at_most_s": at_most_s,
        }))?;
        return Ok(Exit::Done);
    }
    let at_most = if file.sprt.is_some() { "at most " } else { "" };
    let mut out = stdout().lock();
    writeln!(out, "{}: {at_most}{games} games, {pairs} pairs on {seeds} seeds", file.event)?;
    if let Some(seconds) = estimate_s {
        writeln!(out, "about {}, from games of the built-in agents", time(seconds))?;
    }
    let clock = file.limits.clock_s;
    writeln!(out, "at most {}, if every bot uses its {clock} s in every game", time(at_most_s))?;
    Ok(Exit::Done)
}

/// Mean time of a game between two built-in agents, s: of games from all over the schedule, with
/// the agents made anew and what a game costs beside them.
fn measure<G: Playable>(
    file: &Tournament,
    game: &G,
    players: &[Player],
    schedule: &Schedule,
) -> anyhow::Result<Option<f64>> {
    let built_in = |bot: usize| match &players[bot] {
        Player::Agent(spec) => Some(spec),
        Player::Command(_) => None,
    };
    let (begun, mut played, mut seconds) = (Instant::now(), 0, 0.0);
    let step = (schedule.len() / SAMPLES).max(1);
    for index in (0..schedule.len()).step_by(usize::try_from(step)?).take(SAMPLES as usize) {
        let Some(fixture) = schedule.game(index) else { break };
        let specs = fixture.seats().map(built_in);
        let [Some(one), Some(two)] = specs else { continue };
        let start = Instant::now();
        let (mut one, mut two) = (game.player(one, 0, Some(two))?, game.player(two, 1, Some(one))?);
        let terms = Terms { free: false, ..Terms::free(file.limits.clock()) };
        referee::play(game, Seed::open(fixture.seed), [one.as_mut(), two.as_mut()], &terms);
        seconds += start.elapsed().as_secs_f64() + BESIDE_S;
        played += 1;
        if begun.elapsed() > SAMPLING {
            break;
        }
    }
    Ok((played > 0).then(|| seconds / f64::from(played)))
}

/// Time that the ratings at the end will take, s: measured with few bots and seeds. It grows with
/// the cube of the bots and, for their pairs, with the seeds.
fn rating_time(bots: usize, seeds: u64) -> anyhow::Result<f64> {
    let few = bots.min(RATED.0);
    let mut games = Games::default();
    for (pair, (a, b)) in (0..few).flat_map(|a| (a + 1..few).map(move |b| (a, b))).enumerate() {
        for seed in 0..RATED.1 {
            games.add(&GameRow::sample(pair, [a, b], seed))?;
        }
    }
    games.settle(None);
    let begun = Instant::now();
    results(&games, None, None)?;
    let seconds = begun.elapsed().as_secs_f64();
    let grown = bots as f64 / few.max(1) as f64;
    Ok(seconds * grown.powi(3).max(grown.powi(2) * seeds as f64 / RATED.1 as f64))
}

/// A time for people.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => "less than 0.1 s".to_owned(),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// The table at the end of an event.
pub(super) fn print(results: &Results) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if let Some(warning) = &results.warning {
        writeln!(out, "WARNING: {warning}\n")?;
    }
    let mut table = Table::new([
        "rank",
        "bot",
        "Elo",
        "±",
        "games",
        "score",
        "95 %",
        "first",
        "broken off",
        "without: Elo",
    ]);
    for row in &results.ratings {
        let limit = match row.limit.as_str() {
            "at_least" => ">",
            "at_most" => "<",
            "loose" => "?",
            _ => "",
        };
        table.row([
            row.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
            row.bot.clone(),
            format!("{:.1}{limit}", row.elo),
            row.elo_error.map_or_else(|| "too little to tell".to_owned(), |e| format!("{e:.1}")),
            row.games.to_string(),
            format!("{:.4}", row.score),
            format!("{:.3}..{:.3}", row.score_low, row.score_high),
            row.first.map_or_else(String::new, |first| format!("{first:.3}")),
            row.forfeits.to_string(),
            row.elo_clean.map_or_else(String::new, |elo| format!("{elo:.1}")),
        ]);
    }
    let mut pairs =
        Table::new(["pair", "seeds", "W", "D", "L", "score", "Elo", "±", "LOS", "broken off"]);
    for row in &results.pairs {
        pairs.row([
            format!("{} – {}", row.bot_a, row.bot_b),
            row.blocks.to_string(),
            row.wins_a.to_string(),
            row.draws.to_string(),
            row.wins_b.to_string(),
            format!("{:.4}", row.score_a),
            format!("{:.1}", row.elo),
            format!("{:.1}", row.elo_error),
            format!("{:.4}", row.los),
            format!("{}–{}", row.forfeits_a, row.forfeits_b),
        ]);
    }
    write!(out, "{table}\n{pairs}")?;
    if let Some(advantage) = &results.advantage {
        let (elo, error) = (advantage.elo, advantage.elo_error);
        writeln!(out, "\nadvantage of the first seat: {elo:.1} ± {error:.1} Elo")?;
    }
    if let Some(sprt) = &results.sprt {
        let [elo0, elo1] = sprt.test.bounds();
        writeln!(
            out,
            "\nSPRT of {elo0} against {elo1} {}: LLR {:.3} [{:.3}, {:.3}] after {} of at most {} \
             seeds: {}",
            sprt.test.model().words(),
            sprt.llr,
            sprt.lower,
            sprt.upper,
            sprt.blocks,
            sprt.max_seeds,
            sprt.decision.words()
        )?;
    }
    for note in &results.notes {
        writeln!(out, "note: {note}")?;
    }
    Ok(out.flush()?)
}

fn say(words: &str) {
    // Standard error may be closed; the exit code and the files still tell.
    let _ = writeln!(stderr().lock(), "cuebench: {words}");
}
