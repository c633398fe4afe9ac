//! `cuebench check-bot`: a bot's conformance, step by step.

use super::Exit;
use super::tournament::load;
use crate::bot_process;
use crate::games::{Games, Playable};
use crate::hall::{Command, Hall, Scratch};
use crate::output::print_json;
use crate::output::write::keep_apart;
use crate::preflight;
use crate::tournament::check::{Check, Recorded, Step};
use crate::tournament::file::Tournament;
use anyhow::Context as _;
use cuebench_agents::external::leash::Leash;
use cuebench_agents::external::transport::Transport;
use cuebench_agents::external::watch::Watch;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Steps up to `ready`, which are the same in every game.
const READY: usize = 3;

/// Arguments of `cuebench check-bot`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game that the bot plays; if left out, the one that it conforms in.
    #[arg(long, value_name = "GAME")]
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
pub fn run(args: &Args, games: &Games) -> anyhow::Result<Exit> {
    let games = match &args.game {
        Some(game) => vec![games.get(game)?],
        None => games.iter().collect(),
    };
    let prefix: Vec<String> =
        args.prefix.iter().flat_map(|words| words.split_whitespace()).map(str::to_owned).collect();
    preflight::look(&prefix, &args.command, Path::new("")).context("the bot")?;
    keep_apart(args.transcript.as_deref(), args.command.iter().map(Path::new))?;
    let transcript = args.transcript.as_ref().map(|path| create(path)).transpose()?;
    let copy = || transcript.as_ref().map(File::try_clone).transpose().context("--transcript");
    let (mut game, mut steps) = (games[0], games[0].check_bot(args, copy()?)?);
    for &other in &games[1..] {
        // A bot that gets ready but cannot move may be one for another game.
        if steps.iter().all(passed) || !steps[..READY].iter().all(passed) {
            break;
        }
        let tried = other.check_bot(args, copy()?)?;
        if tried.iter().filter(|step| passed(step)).count()
            > steps.iter().filter(|step| passed(step)).count()
        {
            (game, steps) = (other, tried);
        }
    }
    let conforms = steps.iter().all(passed);
    if args.json {
        print_json(
            &serde_json::json!({ "game": game.name(), "conforms": conforms, "steps": steps }),
        )?;
    } else {
        print(game.name(), &steps, conforms)?;
    }
    Ok(if conforms { Exit::Done } else { Exit::CheckFailed })
}

const fn passed(step: &Step) -> bool {
    matches!(step.passed, Some(true))
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| path.display().to_string())
}

/// Goes through the steps in the game `G`.
///
/// # Errors
/// When a limit is refused or the working folder cannot be made.
pub fn check<G: Playable>(args: &Args, mut transcript: Option<File>) -> anyhow::Result<Vec<Step>> {
    let text = format!(
        "event = \"check\"\ngame = \"{}\"\nseeds = [1, 1]\n[limits]\nclock_s = {:?}\n\
         start_s = {:?}\n[[bot]]\nid = \"bot\"\ncommand = [\"-\"]\n[[bot]]\nid = \"house\"\n\
         agent = \"random\"\n",
        G::NAME,
        args.clock_s,
        args.start_s
    );
    let file = Tournament::parse(&text).context("--clock-s, --start-s")?;
    let game = load::<G>(&file, Path::new(""))?.game;
    let folder = Scratch::new()?;
    for below in ["stderr", "work"] {
        let below = folder.path().join(below);
        std::fs::create_dir_all(&below).with_context(|| below.display().to_string())?;
    }
    let prefix = args.prefix.as_deref().unwrap_or_default();
    // The watch must know the leash, or it takes it for a bot's.
    let leash = Leash::start(bot_process::leash()?).context("the leash of the bot")?;
    let hall = Hall {
        home: std::env::current_dir().context("the current folder")?,
        folder: folder.path().to_owned(),
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
    let bot =
        Command { id: "bot".to_owned(), words: args.command.clone(), env: Default::default() };
    Ok(Check { game: &game, start_limit, clock }.run(|| {
        let process = hall.process(&bot, 0)?;
        Ok(match transcript.take() {
            Some(file) => Box::new(Recorded::new(process, file)) as Box<dyn Transport>,
            None => Box::new(process),
        })
    }))
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
