//! Chess pool among processes: the example bot conforms, plays an event against built-in agents
//! with both break orders, and its games can be shown again.

use cuebench_tests::{cuebench, workspace};
use std::fs;
use std::process::Output;

const BOT: &str = "agents/examples/chess_pool_bot.py";

fn ran(arguments: &[&str]) -> Output {
    cuebench().args(arguments).output().expect("cuebench runs")
}

#[test]
fn the_example_bot_conforms() {
    let bot = workspace().join(BOT);
    let bot = bot.to_str().expect("a path");
    let output = ran(&["check-bot", "--game", "chess-pool", "--", "python3", bot]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn an_event_is_played_with_both_break_orders_and_shown_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("club.toml");
    let bot = workspace().join(BOT);
    let text = format!(
        "event = \"club\"\ngame = \"chess-pool\"\nseeds = [1, 2]\nconcurrency = 2\n\
         [options]\nmax_shots = 30\nwin_on_last_swap = true\n\
         [[bot]]\nid = \"mine\"\ncommand = [\"python3\", {:?}]\n\
         [[bot]]\nid = \"house\"\nagent = \"threshold\"\n\
         [[bot]]\nid = \"chance\"\nagent = \"random\"\n",
        bot.to_str().expect("a path")
    );
    fs::write(&file, text).expect("written");
    let out = folder.path().join("out");
    let [file, out] = [&file, &out].map(|path| path.to_str().expect("a path"));
    let output = ran(&["tournament", file, "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let games = fs::read_to_string(format!("{out}/games.csv")).expect("games");
    let mut rows = games.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heads = rows.next().expect("heads");
    let column = |name: &str| heads.iter().position(|head| *head == name).expect(name);
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 12, "three pairs, two seeds, two orders");
    for row in &rows {
        assert_eq!([row[column("reason_a")], row[column("reason_b")]], ["play"; 2], "{row:?}");
        assert!(["1", "0.5", "0"].contains(&row[column("result")]), "{row:?}");
    }
    let orders: Vec<&str> = rows.iter().map(|row| row[column("order")]).collect();
    assert_eq!(orders.iter().filter(|order| **order == "1").count(), 6);
    let image = format!("{out}/shot.svg");
    let output = ran(&["replay", out, "--game", "0", "--svg", &image]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1. seat 0 break") && text.contains("\nend: "), "{text}");
    assert!(fs::read_to_string(&image).expect("an image").contains(">K</text>"));
}

#[test]
fn wrong_options_of_an_event_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.toml");
    let text = "event = \"bad\"\ngame = \"chess-pool\"\nseeds = [1, 1]\n[options]\nclot = 900\n\
                [[bot]]\nid = \"a\"\nagent = \"random\"\n[[bot]]\nid = \"b\"\nagent = \"random\"\n";
    fs::write(&file, text).expect("written");
    let output = ran(&["tournament", file.to_str().expect("a path")]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("did you mean `cloth`?"), "{stderr}");
}
