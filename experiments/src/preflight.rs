//! A look before the first game: whether the programs and scripts of bots are there. What only shows
//! when a program runs is the bot's fault in its games.

use crate::hall::on_path;
use std::path::Path;

/// Programs that run the script which their first plain argument names; digits and dots may follow,
/// as in `python3.12`.
const INTERPRETERS: [&str; 13] = [
    "python", "pypy", "node", "ruby", "perl", "lua", "julia", "Rscript", "php", "bash", "dash",
    "zsh", "sh",
];
/// Options of Python that take no value: the script still follows.
const PLAIN_OPTIONS: [&str; 8] = ["-u", "-B", "-O", "-OO", "-I", "-s", "-S", "-q"];

/// What of a bot's command is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// There is no command.
    #[error("the command has no words; give a program and its arguments")]
    Command,
    /// The program is neither on the path nor a file.
    #[error("there is no program `{program}` in PATH nor in {folder}; correct the command")]
    Program {
        /// As the command names it.
        program: String,
        /// Where it was looked for.
        folder: String,
    },
    /// The script of an interpreter is no file.
    #[error("there is no script `{script}` in {folder}; correct the command")]
    Script {
        /// As the command names it.
        script: String,
        /// Where it was looked for.
        folder: String,
    },
    /// The program is a file that may not be run.
    #[error("`{program}` may not be run; make it executable with chmod +x")]
    NotExecutable {
        /// As the command names it.
        program: String,
    },
}

/// Looks for the program and the script of a bot's `command`, whose relative paths start from
/// `home`. Behind words that lead to a sandbox only the sandbox can be looked for.
///
/// # Errors
/// What is missing, and the remedy.
pub fn look(prefix: &[String], command: &[String], home: &Path) -> Result<(), Missing> {
    let folder =
        || if home.as_os_str().is_empty() { ".".to_owned() } else { home.display().to_string() };
    let words = if prefix.is_empty() { command } else { prefix };
    let Some((program, arguments)) = words.split_first() else { return Err(Missing::Command) };
    let plain = !program.contains(std::path::is_separator);
    if !(plain && on_path(program)) {
        let file = home.join(program);
        if !file.is_file() {
            return Err(Missing::Program { program: program.clone(), folder: folder() });
        }
        if !may_run(&file) {
            return Err(Missing::NotExecutable { program: program.clone() });
        }
    }
    match script(program, arguments) {
        Some(script) if prefix.is_empty() && !home.join(script).exists() => {
            Err(Missing::Script { script: script.to_owned(), folder: folder() })
        }
        _ => Ok(()),
    }
}

fn may_run(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|there| there.permissions().mode() & 0o111 != 0)
}

/// The script that an interpreter will run, as far as that can be told.
fn script<'w>(program: &str, arguments: &'w [String]) -> Option<&'w str> {
    let name = Path::new(program).file_name()?.to_str()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&name) {
        return None;
    }
    let word = arguments.iter().find(|word| !PLAIN_OPTIONS.contains(&word.as_str()))?;
    (!word.starts_with('-')).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_and_what_cannot_be_told_is_let_by() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("bot.py"), "").expect("written");
        let look = |prefix: &str, command: &str| {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            look(&words(prefix), &words(command), folder.path()).map_err(|error| error.to_string())
        };
        for command in [
            "sh bot.py",
            "sh -c exit",
            "/bin/sh bot.py x y",
            "env sh none.py",
            "sh -x none.py",
            "sh",
        ] {
            assert_eq!(look("", command), Ok(()), "{command}");
        }
        for (command, words) in [
            ("", "no words"),
            ("no-such-program", "no program `no-such-program` in PATH nor in"),
            ("./no-such-program", "no program `./no-such-program`"),
            ("sh none.py", "no script `none.py` in"),
            ("/bin/sh -u none.py", "no script `none.py` in"),
            ("./bot.py", "`./bot.py` may not be run"),
        ] {
            let error = look("", command).expect_err(command);
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(look("env -i", "no-such-program"), Ok(()));
        assert!(look("no-such-sandbox", "sh bot.py").is_err());
    }
}
