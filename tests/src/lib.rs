//! What the integration tests share: the command line as a user types it ([`cuebench`],
//! [`process`]) and the tables that it writes ([`table`]).

pub mod calibration;
pub mod fuzz;
pub mod nim;
pub mod process;
pub mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the workspace.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member lies in the workspace")
}

/// The `cuebench` binary of this build profile, built on the first call.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn cuebench() -> Command {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let binary = BINARY.get_or_init(|| {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "cuebench-experiments", "--bin", "cuebench"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(workspace()).status().expect("cargo runs");
        assert!(status.success(), "cuebench does not build");
        let test = std::env::current_exe().expect("a test has a path");
        let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/test");
        folder.join(format!("cuebench{}", std::env::consts::EXE_SUFFIX))
    });
    let mut command = Command::new(binary);
    command.current_dir(workspace());
    command
}
