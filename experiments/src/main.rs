//! `cuebench`: parse, call, report. Exit codes: 0 done (or nobody reads on), 1 the check that was
//! asked for failed, 2 usage, input or IO, 130 interrupted.

use cuebench_experiments::games::Games;
use std::process::ExitCode;

fn main() -> ExitCode {
    cuebench_experiments::program(&Games::shipped())
}
