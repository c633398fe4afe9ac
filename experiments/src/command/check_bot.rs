//! `cuebench check-bot`: a bot's conformance, step by step.

use super::Exit;
use super::tournament::{GAME_NAMES, WithGame, with_game};
use crate::bot_process;
use crate::output::print_json;
use crate::tournament::bench::Hall;
use crate::tournament::check::{Check, Recorded, Step};
use crate::tournament::file::{BotTable, Tournament};
use crate::tournament::games::TournamentGame;
use anyhow::Context as _;
use cuebench_agents::external::leash::Leash;
use cuebench_agents::external::watch::Watch;
use cuebench_agents::external::wire::Wire;
use std::cell::Cell;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Steps up to `ready`, which are the same in every game.
const READY: usize = 3;

/// Arguments of `cuebench check-bot`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game that the bot plays; if left out, the one that it conforms in.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(GAME_NAMES))]
    game: Option<String>,
    /// A seat's time for a game, seconds.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    clock_s: f64,
    /// Time to say hello and to get ready, seconds.
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    start_s: f64,
    /// Write everything that goes back and forth into this file, with times.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Words before the bot's command, parted by blanks: a sandbox of your choice.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    prefix: Option<String>,
    /// The steps as one JSON object on standard output.
    #[arg(long)]
    json: bool,
    /// The bot's program and its arguments, after `--`.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// When the transcript or the working folder cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let games: Vec<&str> = match &args.game {
        Some(game) => vec![game],
        None => GAME_NAMES.to_vec(),
    };
    let mut transcript = args.transcript.as_ref().map(|path| create(path)).transpose()?;
    let (mut game, mut steps) = (games[0], check(args, games[0], transcript.as_mut())?);
    for other in &games[1..] {
        // A bot that gets ready but cannot move may be one for another game.
        if steps.iter().all(passed) || !steps[..READY].iter().all(passed) {
            break;
        }
        let tried = check(args, other, transcript.as_mut())?;
        if tried.iter().filter(|step| passed(step)).count()
            > steps.iter().filter(|step| passed(step)).count()
        {
            (game, steps) = (other, tried);
        }
    }
    let conforms = steps.iter().all(passed);
    if args.json {
        print_json(&serde_json::json!({ "game": game, "conforms": conforms, "steps": steps }))?;
    } else {
        print(game, &steps, conforms)?;
    }
    Ok(if conforms { Exit::Done } else { Exit::CheckFailed })
}

const fn passed(step: &Step) -> bool {
    matches!(step.passed, Some(true))
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| path.display().to_string())
}

fn check(args: &Args, game: &str, transcript: Option<&mut File>) -> anyhow::Result<Vec<Step>> {
    let text = format!(
        "event = \"check\"\ngame = \"{game}\"\nseeds = [1, 1]\n[limits]\nclock_s = {:?}\n\
         start_s = {:?}\n[[bot]]\nid = \"bot\"\ncommand = [\"-\"]\n[[bot]]\nid = \"house\"\n\
         agent = \"random\"\n",
        args.clock_s, args.start_s
    );
    let file = Tournament::parse(&text).context("--clock-s, --start-s")?;
    let transcript = transcript.map(|file| file.try_clone()).transpose().context("--transcript")?;
    with_game(&file, Path::new(""), &Checked { args, transcript: Cell::new(transcript) })
}

struct Checked<'a> {
    args: &'a Args,
    transcript: Cell<Option<File>>,
}

impl WithGame for Checked<'_> {
    type Answer = Vec<Step>;

    fn with<G: TournamentGame>(&self, file: &Tournament, game: &G) -> anyhow::Result<Vec<Step>> {
        let folder = Scratch::new()?;
        let prefix = self.args.prefix.as_deref().unwrap_or_default();
        // The watch must know the leash, or it takes it for a bot's.
        let leash = Leash::start(bot_process::leash()?).context("the leash of the bot")?;
        let hall = Hall {
            home: std::env::current_dir().context("the current folder")?,
            folder: folder.0.clone(),
            prefix: prefix.split_whitespace().map(str::to_owned).collect(),
            launcher: bot_process::launcher()?,
            hide: false,
            limits: file.limits.of_process(),
            start: file.limits.start(),
            watch: Some(Watch::start().context("no thread for the watch")?),
            leash: Some(leash),
            ponder: true,
        };
        let (start_limit, clock) = (file.limits.start(), file.limits.clock());
        let bot: &BotTable = &file.bots[0];
        Ok(Check { game, start_limit, clock }.run(|| {
            let process = hall.process(bot, &self.args.command, 0)?;
            Ok(match self.transcript.take() {
                Some(file) => Box::new(Recorded::new(process, file)) as Box<dyn Wire>,
                None => Box::new(process),
            })
        }))
    }
}

/// A folder for one check, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> anyhow::Result<Self> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).context("random bytes of the system")?;
        let name = format!("cuebench-check-{:016x}", u64::from_le_bytes(name));
        let path = std::env::temp_dir().join(name);
        for below in ["stderr", "work"] {
            let below = path.join(below);
            std::fs::create_dir_all(&below).with_context(|| below.display().to_string())?;
        }
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What a bot left behind there is of no use to anybody; a rest does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn print(game: &str, steps: &[Step], conforms: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "game {game}")?;
    for Step { number, name, passed, detail } in steps {
        let mark = match passed {
            Some(true) => "ok",
            Some(false) => "FAILED",
            None => "-",
        };
        writeln!(out, "{number}. {name:<15} {mark:<6}  {detail}")?;
    }
    let verdict = if conforms { "the bot conforms" } else { "the bot does not conform" };
    writeln!(out, "{verdict} to protocol 1")?;
    Ok(out.flush()?)
}
