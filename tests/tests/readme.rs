//! The README's commands run as written.
//!
//! Every block that begins with ```` ```sh ```` is one script for `sh -eu`, run in order in one
//! folder that holds copies of what the project ships. On its path, `cuebench` is the built
//! program and `cargo run --release -- …` calls it too; any other `cargo` command does nothing.
//! A block after a line `<!-- not run: REASON -->` is left out. The picture that the README shows is
//! not copied: its command makes it, with the bytes that ship.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

/// What a script may read, as it lies in the workspace.
const SHIPPED: [&str; 5] =
    ["experiments", "engine/games", "agents/models", "results", "tests/data"];
/// Sources are not among it.
const NOT_SHIPPED: [&str; 3] = ["src", "benches", "target"];

/// The picture at the beginning of the README.
const PICTURE: &str = "results/first-look.svg";

const CARGO: &str = "#!/bin/sh
[ \"$1 $2 $3\" = 'run --release --' ] || exit 0
shift 3
exec cuebench \"$@\"
";

/// The scripts of a Markdown text, each with the number of its first line.
fn scripts(markdown: &str) -> Vec<(usize, String)> {
    let (mut found, mut open, mut skip) = (vec![], None, false);
    for (number, line) in markdown.lines().enumerate() {
        match (&mut open, line.trim_end()) {
            (None, "```sh") => open = Some((number + 2, String::new())),
            (None, line) if line.starts_with("<!-- not run: ") => skip = true,
            (None, "") => {}
            (None, _) => skip = false,
            (Some(_), "```") => {
                found.extend(open.take().filter(|_| !skip));
                skip = false;
            }
            (Some((_, script)), line) => {
                script.push_str(line);
                script.push('\n');
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("listed").map(|entry| entry.expect("an entry")) {
        let (path, name) = (entry.path(), entry.file_name());
        if !path.is_dir() {
            fs::copy(&path, to.join(name)).expect("copied");
        } else if !NOT_SHIPPED.iter().any(|folder| name == *folder) {
            copy(&path, &to.join(name));
        }
    }
}

#[test]
fn scripts_are_found_and_left_out() {
    let markdown = "a\n```sh\ncuebench one\n```\n<!-- not run: slow -->\n\n```sh\ntwo\n```\n\
                    ```sh\nthree \\\n  four\n```\n```json\nfive\n```\n";
    assert_eq!(
        scripts(markdown),
        [(3, "cuebench one\n".into()), (11, "three \\\n  four\n".into())]
    );
}

#[test]
fn every_command_of_the_readme_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in SHIPPED {
        let from = cuebench_tests::workspace().join(name);
        if from.is_dir() {
            copy(&from, &folder.path().join(name));
        }
    }
    fs::remove_file(folder.path().join(PICTURE)).expect("the picture ships");
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    symlink(cuebench_tests::cuebench().get_program(), bin.join("cuebench")).expect("linked");
    fs::write(bin.join("cargo"), CARGO).expect("written");
    fs::set_permissions(bin.join("cargo"), fs::Permissions::from_mode(0o755)).expect("executable");
    let path = std::env::var("PATH").expect("a path");

    let readme = cuebench_tests::workspace().join("README.md");
    let scripts = scripts(&fs::read_to_string(readme).expect("README.md"));
    assert!(scripts.iter().any(|(_, script)| script.contains("run experiments/quickstart.toml")));
    for (line, script) in scripts {
        let output = Command::new("sh")
            .args(["-euc", &script])
            .env("PATH", format!("{}:{path}", bin.display()))
            .current_dir(folder.path())
            .output()
            .expect("sh runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "README.md:{line}:\n{script}\n{stderr}");
    }
    // The README makes the picture that it shows; `results.rs` has the other files.
    let [shipped, made] = [cuebench_tests::workspace(), folder.path()]
        .map(|place| fs::read(place.join(PICTURE)).expect("a picture"));
    assert!(shipped == made, "{PICTURE}: other bytes");
}
