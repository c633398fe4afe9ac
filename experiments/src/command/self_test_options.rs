//! `cuebench calibrate --self-test`: what data of a design can tell.

use super::Exit;
use crate::calibration::caller::Caller;
use crate::calibration::definition::Calibrated;
use crate::calibration::players;
use crate::calibration::self_test::{BANDS, Design, Line, Summary, run as simulated};
use crate::output::print_json;
use crate::output::table::Table;
use crate::rollout::Stop;
use anyhow::Context as _;
use cuebench_agents::spec::AgentSpec;
use std::io::Write as _;

/// Players of simulated logs unless given.
const PLAYERS: &str = "8";

/// The design of simulated logs.
#[derive(Clone, Debug, clap::Args)]
pub struct DesignOptions {
    /// With --self-test: players with their skills (ann=2,bob=1.5), or a number of players of evenly
    /// spread skill from 0.8 to 3.4; 8 unless given. With --out: the two players whose calibrated
    /// skills become the first values of the seats (ann,bob); unless given those of a log of two.
    #[arg(long, value_name = "PLAYERS")]
    pub players: Option<String>,
    /// With --self-test: shots and safeties of each player.
    #[arg(long, value_name = "N", default_value_t = 400)]
    shots_per_player: u64,
    /// With --self-test: the policy of all players, an agent of the definition; explore=SHARE is the
    /// chance of any open call in its place.
    #[arg(long, value_name = "AGENT", default_value = "threshold:explore=0.2")]
    policy: AgentSpec,
}

/// Runs the test. Exit code 1 when the coverage of a judged parameter lies outside 0.94..0.96
/// (0.93..0.97 with random skills) by more than its own Wilson interval; 130 when it was interrupted,
/// with what the finished logs say.
///
/// # Errors
/// When the design is unusable, or standard output cannot be written.
pub fn run(
    calibrated: &Calibrated,
    design: &DesignOptions,
    logs: u64,
    seed: u64,
    random_skills: bool,
    json: bool,
) -> anyhow::Result<Exit> {
    let players = players::parse(design.players.as_deref().unwrap_or(PLAYERS))?;
    let plan = Design {
        skills: players.iter().map(|player| player.skill).collect(),
        caller: Caller::Agent(design.policy.clone()),
        random_skills,
        logs,
        shots: design.shots_per_player,
        seed,
    };
    let stop = Stop::on_interrupt().context("Ctrl-C")?;
    let Some(summary) = simulated(calibrated, &plan, &stop)? else {
        let _ = writeln!(std::io::stderr(), "note: interrupted before the first log was finished.");
        return Ok(Exit::Interrupted);
    };
    if json {
        print_json(&summary).context("standard output")?;
    } else {
        print(&summary).context("standard output")?;
    }
    if summary.logs < summary.asked {
        let _ = writeln!(
            std::io::stderr(),
            "note: interrupted: {} of {} logs were finished, and the figures are theirs.",
            summary.logs,
            summary.asked
        );
        return Ok(Exit::Interrupted);
    }
    let band = BANDS[usize::from(random_skills)];
    let wrong = |line: &Line| {
        line.right == Some(false)
            && line.profile_coverage95.is_some_and(|[low, high]| high < band[0] || low > band[1])
    };
    Ok(if summary.parameters.iter().any(wrong) { Exit::CheckFailed } else { Exit::Done })
}

fn print(summary: &Summary) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} logs of {} shots a player: {} separated, {} with parameters the rows do not determine.\n",
        summary.logs, summary.shots, summary.separated, summary.deficient
    )?;
    if let Some(boundary) = summary.at_boundary {
        writeln!(
            out,
            "Skills were drawn anew in each log; their spread was estimated as 0 in {boundary}.\n"
        )?;
    }
    let mut table = Table::new([
        "name",
        "truth",
        "rows",
        "judged",
        "thin",
        "none",
        "bias",
        "sd",
        "mean se",
        "interval",
        "Wald",
        "thin cover",
        "ranks chi2(9)",
    ]);
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(String::new, |value| format!("{value:.digits$}"))
    };
    for line in &summary.parameters {
        table.row([
            line.name.clone(),
            format!("{:.4}", line.truth),
            format!("{:.0}", line.mean_rows),
            line.judged.to_string(),
            line.thin.to_string(),
            line.without_estimate.to_string(),
            number(line.bias, 4),
            number(line.deviation, 4),
            number(line.mean_se, 4),
            number(line.profile_coverage, 4),
            number(line.wald_coverage, 4),
            number(line.thin_coverage, 4),
            number(line.rank_chi_squared, 1),
        ]);
    }
    writeln!(out, "{table}")?;
    out.flush()
}
