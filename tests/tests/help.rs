//! Every command explains itself, and speaks JSON.

use clap::{Command, CommandFactory as _};
use cuebench_experiments::command::Cli;

/// The commands that do something, with the words that call them.
fn leaves(words: &[String], command: &Command, found: &mut Vec<(Vec<String>, Command)>) {
    let below: Vec<&Command> =
        command.get_subcommands().filter(|below| below.get_name() != "help").collect();
    if below.is_empty() {
        found.push((words.to_vec(), command.clone()));
    }
    for command in below {
        let words = [words, &[command.get_name().to_owned()]].concat();
        leaves(&words, command, found);
    }
}

fn commands() -> Vec<(Vec<String>, Command)> {
    let mut found = vec![];
    leaves(&[], &Cli::command(), &mut found);
    found
}

#[test]
fn every_command_and_argument_is_explained_and_every_command_takes_json() {
    for (words, command) in commands() {
        let name = words.join(" ");
        assert!(command.get_about().is_some(), "{name}: what does it do?");
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{name} {}: what is it?", argument.get_id());
        }
        let json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
        // What these two write is for programs as it is.
        assert!(json || ["completions", "man"].contains(&&*name), "{name}: no --json");
    }
}

#[test]
fn help_goes_to_standard_output_and_usage_errors_do_not() {
    for (words, _) in commands() {
        let help = cuebench_tests::cuebench().args(&words).arg("--help").output().expect("runs");
        assert!(help.status.success() && help.stderr.is_empty(), "{words:?}");
        assert!(String::from_utf8_lossy(&help.stdout).contains("Usage: cuebench"), "{words:?}");
        let slip = cuebench_tests::cuebench().args(&words).arg("--no-such").output().expect("runs");
        assert_eq!(slip.status.code(), Some(2), "{words:?}");
        assert!(slip.stdout.is_empty() && !slip.stderr.is_empty(), "{words:?}");
    }
}
