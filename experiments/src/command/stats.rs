//! `cuebench stats`: score, Elo and SPRT from counts of results.

use super::Exit;
use crate::output::print_json;
use crate::stats::elo::{Counts, Strength, strength};
use crate::stats::sprt::{Model, Sprt};
use anyhow::{Context as _, bail};
use std::io::Write as _;

/// Arguments of `cuebench stats`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("counts").required(true).args(["wdl", "penta"])))]
pub struct Args {
    /// Games won, drawn and lost.
    #[arg(long, value_name = "W,D,L", value_parser = counts::<3>)]
    wdl: Option<[u64; 3]>,
    /// Pairs of games, from both lost to both won (LL,LD,WL+DD,WD,WW).
    #[arg(long, value_name = "LL,LD,WL+DD,WD,WW", value_parser = counts::<5>)]
    penta: Option<[u64; 5]>,
    /// Test of two Elo differences, as in 0,5.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = bounds)]
    sprt: Option<[f64; 2]>,
    /// What the Elo of the bounds means.
    #[arg(long, value_enum, default_value_t, requires = "sprt")]
    model: Model,
    /// Chance allowed of accepting H1 wrongly.
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Chance allowed of accepting H0 wrongly.
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the counts or the test make no sense, or standard output cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let counts = match (args.wdl, args.penta) {
        (Some([wins, draws, losses]), None) => Counts::new([losses, draws, wins]).context("--wdl"),
        (None, Some(penta)) => Counts::new(penta).context("--penta"),
        _ => bail!("give either --wdl or --penta"),
    }?;
    let strength = strength(&counts);
    let test = args.sprt.map(|bounds| tested(bounds, args, &counts)).transpose()?;
    if args.json {
        print_as_json(&strength, test.as_ref())
    } else {
        print(&strength, test.as_ref())
    }
    .context("standard output")?;
    Ok(Exit::Done)
}

/// A test and its log-likelihood ratio on the counts.
fn tested(bounds: [f64; 2], args: &Args, counts: &Counts) -> anyhow::Result<(Sprt, f64)> {
    let test = Sprt::new(bounds, args.alpha, args.beta, args.model).context("--sprt")?;
    let llr = test.llr(counts).context("--model")?;
    Ok((test, llr))
}

fn print_as_json(strength: &Strength, test: Option<&(Sprt, f64)>) -> anyhow::Result<()> {
    let mut value = serde_json::to_value(strength)?;
    if let Some((test, llr)) = test {
        value["llr"] = (*llr).into();
        value["lower"] = test.lower().into();
        value["upper"] = test.upper().into();
        value["decision"] = serde_json::to_value(test.decision(*llr))?;
    }
    Ok(print_json(&value)?)
}

fn print(strength: &Strength, test: Option<&(Sprt, f64)>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let [low, high] = strength.wilson95;
    writeln!(out, "score  {:.4}  [{low:.4}, {high:.4}]", strength.score)?;
    writeln!(out, "Elo    {:.2} ± {:.2}", strength.elo, strength.elo_error)?;
    writeln!(out, "nElo   {:.2} ± {:.2}", strength.nelo, strength.nelo_error)?;
    writeln!(out, "LOS    {:.3} %", 100.0 * strength.los)?;
    if let Some((test, llr)) = test {
        let [elo0, elo1] = test.bounds();
        let (lower, upper) = (test.lower(), test.upper());
        let said = test.decision(*llr).words();
        writeln!(out, "LLR    {llr:.4}  [{lower:.4}, {upper:.4}]  {said}")?;
        writeln!(
            out,
            "       H0: {elo0} {model}, H1: {elo1} {model}",
            model = test.model().words()
        )?;
    }
    Ok(out.flush()?)
}

/// `N` counts joined by commas.
fn counts<const N: usize>(text: &str) -> Result<[u64; N], String> {
    list(text, "counts of games, whole and not negative")
}

/// Two bounds joined by a comma.
fn bounds(text: &str) -> Result<[f64; 2], String> {
    list(text, "Elo differences")
}

fn list<T: std::str::FromStr, const N: usize>(text: &str, what: &str) -> Result<[T; N], String> {
    let values: Option<Vec<T>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    values
        .and_then(|values| values.try_into().ok())
        .ok_or_else(|| format!("{N} {what}, joined by commas without spaces"))
}
