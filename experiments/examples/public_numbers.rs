//! Holds the shipped 8-ball definition to public numbers and says where it cannot follow:
//! `cargo run --release --example public_numbers`.

use cuebench_experiments::calibration::public_numbers::{
    BREAK_AND_RUN, BREAKER_WINS, INVITATIONAL_RUNS, findings,
};
use std::io::Write as _;

fn main() -> anyhow::Result<()> {
    let found = findings()?;
    let [one, ten] = found.run_out_skills;
    let mut out = std::io::stdout().lock();
    writeln!(out, "Professional event, 124 frames: break and run {BREAK_AND_RUN:.3}")?;
    writeln!(out, "  met at skill {:.2}", found.skill)?;
    writeln!(
        out,
        "  the breaker then wins {:.3}; in the event {BREAKER_WINS:.3}",
        found.breaker_wins
    )?;
    writeln!(out, "Invitational: break and run {INVITATIONAL_RUNS}")?;
    writeln!(
        out,
        "  CANNOT be met: with P_SCRATCH = 0.03 no skill gives more than {:.3}",
        found.most_runs
    )?;
    writeln!(
        out,
        "  with P_SCRATCH = 0.01 it is met at skill {:.2}, and the event's at {:.2}: the chance of a \
         scratch should fall with skill",
        found.invitational_skill_at_low_scratch, found.skill_at_low_scratch
    )?;
    writeln!(out, "Fargo ratings: 100 points are odds of 2 to 1, at any level")?;
    for (level, difference) in &found.odds {
        writeln!(out, "  by win odds at skill {level}: {difference:.2} of skill are 100 points")?;
    }
    writeln!(
        out,
        "  by run-outs (1 % at 400: skill {one:.2}, 10 % at 500: skill {ten:.2}): {:.2} of skill",
        ten - one
    )?;
    writeln!(
        out,
        "  CANNOT be met at once: one skill number follows either the odds or the run-outs"
    )?;
    Ok(())
}
