//! Tells the program which commit it was built from, if it was built from a checkout.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Outside a checkout there is no commit, and the manifest says so.
    if let Some(git) = git(&["rev-parse", "--absolute-git-dir"]) {
        for file in ["HEAD", "logs/HEAD"] {
            let file = Path::new(&git).join(file);
            if file.exists() {
                println!("cargo:rerun-if-changed={}", file.display());
            }
        }
    }
    if let Some(commit) = git(&["rev-parse", "HEAD"]) {
        println!("cargo:rustc-env=CUEBENCH_COMMIT={commit}");
    }
    if let Some(version) = run(Command::new(std::env::var("RUSTC").unwrap_or_default()).arg("-V")) {
        println!("cargo:rustc-env=CUEBENCH_RUSTC={version}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    run(Command::new("git").args(arguments))
}

fn run(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
