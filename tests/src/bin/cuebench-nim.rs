//! The whole command line with one game more: for the test of the registry.

use cuebench_experiments::games::Games;
use cuebench_tests::nim::Nim;
use std::process::ExitCode;

fn main() -> ExitCode {
    cuebench_experiments::program(&Games::shipped().with::<Nim>())
}
