//! What the commands on frames have in common: a definition, its settings, skills and agents.
//! Flatten [`GameOptions`] or [`FrameOptions`] into a command's arguments.

use crate::calibration::players::skills;
use crate::calibration::simulate::Shooter;
use crate::experiment::grid::Setting;
use anyhow::{Context as _, bail};
use cuebench_agents::frame::policies;
use cuebench_agents::spec::{AgentSpec, did_you_mean};
use cuebench_engine::frame::{Definition, Game, MAX_BYTES, Policy, SEATS};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A definition and its settings.
#[derive(Clone, Debug, clap::Args)]
pub struct GameOptions {
    /// The game definition; the shipped 8-ball unless given.
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
    /// Skill of seat 0 and of seat 1, as in 2,2; or @estimates.csv:ann,bob to take those of two
    /// players from a table of estimates. The definition's unless given.
    #[arg(long, value_name = "S0,S1", allow_hyphen_values = true)]
    pub skills: Option<String>,
    /// Another number for a constant or first value of a state variable: P_SCRATCH=0.01,
    /// D.hard=2.5, break_scratch_bih=anywhere. Can be given several times.
    #[arg(long, value_name = "NAME=VALUE", num_args = 1..)]
    pub set: Vec<Setting>,
}

/// A definition, its settings, and an agent for each seat.
#[derive(Clone, Debug, clap::Args)]
pub struct FrameOptions {
    #[command(flatten)]
    game: GameOptions,
    /// Agents of seat 0, which breaks, and of seat 1; options are joined by colons, as in
    /// threshold:tau=0.4. Built in: best_response, learned, optimal, random, search; and the
    /// definition's own, such as threshold and always_attack.
    #[arg(long, value_name = "A,B", default_value = "threshold,threshold")]
    agents: String,
}

/// What [`FrameOptions`] come to.
#[derive(Debug)]
pub struct Frame {
    /// The game.
    pub game: Game,
    /// The agents' texts.
    pub agents: [AgentSpec; SEATS],
    /// Their policies.
    pub policies: [Policy; SEATS],
    /// Name of the definition: the file, or `shipped`.
    pub definition: String,
    /// What was set, in order.
    pub settings: Vec<Setting>,
}

impl Frame {
    /// Skills in force, as far as the definition has any.
    #[must_use]
    pub fn skills(&self) -> Vec<f64> {
        let parameters = self.game.definition().parameters();
        let skills = parameters.iter().filter(|p| p.name.starts_with("skill["));
        skills.filter_map(|p| p.value.number()).collect()
    }
}

impl GameOptions {
    /// The file that is read, if any.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.definition.as_deref()
    }

    /// The definition with every setting applied, and its name.
    ///
    /// # Errors
    /// When the file cannot be read or is no definition, or a setting does not fit.
    pub fn load(&self) -> anyhow::Result<(Definition, String)> {
        let (mut definition, name) = match &self.definition {
            None => (Definition::shipped()?, "shipped".to_owned()),
            Some(path) => (read_definition(path)?, path.display().to_string()),
        };
        if let Some(skills) = &self.skills {
            for (seat, skill) in skill_pair(skills)?.into_iter().enumerate() {
                let set = definition.set(&format!("skill[{seat}]"), &skill);
                set.with_context(|| format!("--skills {skills}"))?;
            }
        }
        for setting in &self.set {
            let set = definition.set(&setting.name, &setting.value);
            set.with_context(|| format!("--set {setting}"))?;
        }
        Ok((definition, name))
    }

    /// The compiled game, and the definition's name.
    ///
    /// # Errors
    /// As [`Self::load`], and when the definition is no game.
    pub fn compile(&self) -> anyhow::Result<(Game, String)> {
        let (definition, name) = self.load()?;
        let game = Game::compile(&definition).with_context(|| name.clone())?;
        Ok((game, name))
    }
}

impl FrameOptions {
    /// The file of the definition, if any.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.game.file()
    }

    /// Reads, compiles, and makes the policies.
    ///
    /// # Errors
    /// Everything that can be wrong with the definition, a setting or an agent.
    pub fn prepare(&self) -> anyhow::Result<Frame> {
        self.game_with(&self.game)
    }

    /// As [`Self::prepare`], with one more setting.
    ///
    /// # Errors
    /// As [`Self::prepare`].
    pub fn prepare_with(&self, name: &str, value: &str) -> anyhow::Result<Frame> {
        let mut game = self.game.clone();
        game.set.push(Setting { name: name.to_owned(), value: value.to_owned() });
        self.game_with(&game)
    }

    fn game_with(&self, options: &GameOptions) -> anyhow::Result<Frame> {
        let agents = agent_pair(&self.agents)?;
        let (game, definition) = options.compile()?;
        let policies = policies(&game, [&agents[0], &agents[1]])
            .with_context(|| format!("--agents {}", self.agents))?;
        Ok(Frame { game, agents, policies, definition, settings: options.set.clone() })
    }
}

/// Reads a definition file; no more of it than a definition may have.
///
/// # Errors
/// When it cannot be read, is no UTF-8 or no definition.
pub fn read_definition(path: &Path) -> anyhow::Result<Definition> {
    let name = || path.display().to_string();
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(name)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(name)?;
    if bytes.len() > MAX_BYTES {
        bail!(
            "{}: larger than {MAX_BYTES} bytes, which no definition needs; is it the right file?",
            name()
        );
    }
    let text = String::from_utf8(bytes)
        .ok()
        .with_context(|| format!("{}: not UTF-8 text; save it as UTF-8", name()))?;
    Definition::parse(&text).with_context(name)
}

/// Two agents with a comma between them.
fn agent_pair(text: &str) -> anyhow::Result<[AgentSpec; SEATS]> {
    let parts: Vec<&str> = text.split(',').collect();
    let [first, second] = parts[..] else {
        bail!(
            "--agents {text}: {} agents; give two with a comma between, seat 0 first",
            parts.len()
        );
    };
    Ok([first.trim().parse()?, second.trim().parse()?])
}

/// `2,2`, or `@FILE:ann,bob`.
fn skill_pair(text: &str) -> anyhow::Result<[String; SEATS]> {
    if let Some(rest) = text.strip_prefix('@') {
        return estimated(rest).with_context(|| format!("--skills {text}"));
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let [first, second] = parts[..] else {
        bail!(
            "--skills {text}: {} skills; give two with a comma between, seat 0 first",
            parts.len()
        );
    };
    Ok([first.to_owned(), second.to_owned()])
}

/// `FILE:ann,bob`: two skills from a table with the columns `name` and `estimate`.
fn estimated(text: &str) -> anyhow::Result<[String; SEATS]> {
    let remedy = "write it as @estimates.csv:ann,bob";
    let (path, players) = text.rsplit_once(':').context(remedy)?;
    let players: Vec<&str> = players.split(',').map(str::trim).collect();
    let [first, second] = players[..] else { bail!("{} players; {remedy}", players.len()) };
    let skills = skills(Path::new(path))?;
    Ok([find(path, &skills, first)?, find(path, &skills, second)?])
}

fn find(path: &str, skills: &[Shooter], player: &str) -> anyhow::Result<String> {
    let known: Vec<&str> = skills.iter().map(|shooter| shooter.name.as_str()).collect();
    let found: Vec<f64> =
        skills.iter().filter(|known| known.name == player).map(|known| known.skill).collect();
    match found[..] {
        [skill] => Ok(skill.to_string()),
        [] => bail!("{path}: no row `skill.{player}`{}", did_you_mean(player, &known)),
        _ => bail!("{path}: {} rows `skill.{player}`; keep one", found.len()),
    }
}
