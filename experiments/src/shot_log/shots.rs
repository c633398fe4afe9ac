//! The log of shots: who played what from which leave (or geometry), and what came of it.

use super::cell::{at_column, count_of, filled, measure, name_column, ragged, unknown};
use super::columns::{Header, Names};
use super::fault::{Dropped, Fault, LogError, Reason, Refusal, Refusals};
use super::frames::Seen;
use super::keys::{Keys, hash};
use super::names::doubtful;
use super::schema::{Call, SAFETY_RESULTS, SHOT_RESULTS, Schema};
use crate::input::csv::{Cells, Lines, Source};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// Our columns.
const COLUMNS: [&str; 11] = [
    "frame",
    "shot",
    "player",
    "opponent",
    "leave",
    "theta_deg",
    "l_ob_mm",
    "l_cb_mm",
    "call",
    "result",
    "count",
];

/// How a log describes the position before a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// By a leave of the definition.
    Leave,
    /// By cut angle (degrees), object ball to pocket and cue ball to contact (mm).
    Geometry,
}

/// The geometry of a shot; ordered by bits, so that equal shots meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Geometry([u64; 3]);

impl Geometry {
    /// From cut angle (degrees) and the two distances (mm), none negative.
    #[must_use]
    pub fn new(values: [f64; 3]) -> Self {
        Self(values.map(|v| (v + 0.0).to_bits()))
    }

    /// Cut angle (degrees) and the two distances (mm).
    #[must_use]
    pub fn values(self) -> [f64; 3] {
        self.0.map(f64::from_bits)
    }
}

/// Counts of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name as the log has it.
    pub name: String,
    /// Results of shots by leave.
    pub by_leave: Vec<[u64; SHOT_RESULTS]>,
    /// Results of shots by geometry.
    pub by_geometry: BTreeMap<Geometry, [u64; SHOT_RESULTS]>,
    /// Results of safeties.
    pub safeties: [u64; SAFETY_RESULTS],
}

/// Counts of all players, sorted by name: numbers by value, then texts by bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The players.
    pub players: Vec<Player>,
}

/// What the logs hold.
#[derive(Clone, Debug)]
pub struct ShotLog {
    /// How positions are described.
    pub position: Position,
    /// Rows to fit.
    pub counts: Counts,
    /// Rows of frames that were held out.
    pub held_out: Counts,
    /// Rows read, good and bad.
    pub rows: u64,
    /// What `--skip-bad` dropped.
    pub dropped: Dropped,
    /// Whether every file names frame and shot, so that duplicates were looked for.
    pub keyed: bool,
    /// What looks odd about names of players.
    pub doubts: Vec<String>,
}

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the file calls our columns.
    pub names: Names,
    /// Drop bad rows.
    pub skip_bad: bool,
    /// Read geometry even if there is a leave.
    pub geometry: bool,
    /// The share of frames to hold out, 0..1.
    pub hold_out: f64,
    /// The seed that chooses the frames held out.
    pub seed: u64,
    /// Frames of different files are different frames even if they have the same name.
    pub separate_frames: bool,
}

/// The columns of one file.
#[derive(Clone, Debug)]
struct Columns {
    frame: Option<usize>,
    shot: Option<usize>,
    player: usize,
    opponent: Option<usize>,
    leave: Option<usize>,
    /// The leave of a log that is read by geometry.
    leave_beside: Option<usize>,
    geometry: Option<[usize; 3]>,
    call: usize,
    result: usize,
    count: Option<usize>,
}

/// A good row.
#[derive(Clone, Copy, Debug)]
struct Row<'a> {
    frame: &'a str,
    shot: &'a str,
    player: &'a str,
    opponent: &'a str,
    leave: Option<usize>,
    what: What,
    count: u64,
}

impl<'a> Row<'a> {
    const fn seen(&self) -> Seen<'a> {
        let (call, result, geometry) = match self.what {
            What::Leave(_, result) => (Call::Shot, result, None),
            What::Geometry(geometry, result) => (Call::Shot, result, Some(geometry)),
            What::Safety(result) => (Call::Safety, result, None),
        };
        let Self { frame, shot, player, opponent, leave, count, .. } = *self;
        Seen { frame, shot, player, opponent, leave, geometry, call, result, count }
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Leave(usize, usize),
    Geometry(Geometry, usize),
    Safety(usize),
}

/// Reads logs of shots and merges them.
///
/// # Errors
/// When a file cannot be read, lacks a column, or describes positions unlike the files before; and
/// when there are bad rows, unless they are dropped.
pub fn read(files: &[PathBuf], schema: &Schema, options: &Options) -> Result<ShotLog, LogError> {
    read_and_tell(files, schema, options, &mut |_| {})
}

/// As [`read`], and tells every good row as it is met (rows that turn out to be named twice too).
///
/// # Errors
/// As [`read`].
pub fn read_and_tell(
    files: &[PathBuf],
    schema: &Schema,
    options: &Options,
    tell: &mut dyn FnMut(Seen<'_>),
) -> Result<ShotLog, LogError> {
    let mut reader = Reader::new(schema, options);
    let sources: Vec<Source> =
        files.iter().map(|file| Source::new(file)).collect::<Result<_, _>>()?;
    for (index, source) in sources.iter().enumerate() {
        reader.file(index, source, tell)?;
    }
    let repeated = std::mem::take(&mut reader.keys).repeated();
    if !repeated.is_empty() {
        reader.remove_duplicates(&sources, &repeated)?;
    }
    std::mem::take(&mut reader.refusals).none()?;
    Ok(reader.finish())
}

/// The state of a reading.
struct Reader<'a> {
    schema: &'a Schema,
    options: &'a Options,
    results: HashMap<&'a str, (Call, usize)>,
    leaves: HashMap<&'a str, usize>,
    players: HashMap<String, usize>,
    used: Vec<Player>,
    held_out: Vec<Player>,
    keys: Keys,
    keyed: bool,
    position: Option<Position>,
    rows: u64,
    dropped: Dropped,
    refusals: Refusals,
}

impl<'a> Reader<'a> {
    fn new(schema: &'a Schema, options: &'a Options) -> Self {
        Self {
            schema,
            options,
            results: schema.results().map(|(id, call, at)| (id, (call, at))).collect(),
            leaves: schema.leaves.iter().enumerate().map(|(i, l)| (l.as_str(), i)).collect(),
            players: HashMap::new(),
            used: Vec::new(),
            held_out: Vec::new(),
            keys: Keys::default(),
            keyed: true,
            position: None,
            rows: 0,
            dropped: Dropped::default(),
            refusals: Refusals::default(),
        }
    }

    fn file(
        &mut self,
        index: usize,
        source: &Source,
        tell: &mut dyn FnMut(Seen<'_>),
    ) -> Result<(), LogError> {
        let mut lines = source.lines()?;
        let header = Header::read(&mut lines)?;
        header.ask(&COLUMNS, &self.options.names)?;
        let columns = self.columns(&header)?;
        self.agree(&columns, lines.name())?;
        self.keyed &= columns.frame.is_some() && columns.shot.is_some();
        if self.options.hold_out > 0.0 && columns.frame.is_none() {
            header.need("frame", &self.options.names)?;
        }
        let keyed = columns.frame.is_some() && columns.shot.is_some();
        let file = self.file_word(index);
        let mut cells = header.cells();
        while let Some(line) = lines.advance()? {
            if Header::is_blank(lines.line()) {
                continue;
            }
            self.rows += 1;
            match self.row(&mut cells, &lines, &header, &columns) {
                Ok(row) => {
                    if keyed {
                        self.keys.add(hash(&[&file, row.frame, row.shot]));
                    }
                    let named = named(&file, row.frame);
                    tell(Seen { frame: &named, ..row.seen() });
                    let held = self.is_held_out(&file, row.frame);
                    let (player, what, count) = (row.player, row.what, row.count);
                    self.player(player, held).add(what, count);
                }
                Err(fault) => self.bad(lines.name(), line, fault, &header),
            }
        }
        Ok(())
    }

    /// A word that tells frames of different files apart, when they are to be told apart.
    fn file_word(&self, index: usize) -> String {
        if self.options.separate_frames { index.to_string() } else { String::new() }
    }

    fn bad(&mut self, file: &str, line: u64, mut fault: Fault, header: &Header) {
        name_column(&mut fault, header);
        let refusal = Refusal { file: file.to_owned(), line, fault };
        if self.options.skip_bad {
            self.dropped.add(&refusal);
        } else {
            self.refusals.add(refusal);
        }
    }

    fn columns(&self, header: &Header) -> Result<Columns, LogError> {
        let names = &self.options.names;
        let mut geometry = [0; 3];
        let mut complete = true;
        for (at, name) in geometry.iter_mut().zip(["theta_deg", "l_ob_mm", "l_cb_mm"]) {
            match header.find(name, names)? {
                Some(found) => *at = found,
                None => complete = false,
            }
        }
        let leave = header.find("leave", names)?;
        if self.options.geometry && !complete {
            for name in ["theta_deg", "l_ob_mm", "l_cb_mm"] {
                header.need(name, names)?;
            }
        }
        let by_geometry = complete && (self.options.geometry || leave.is_none());
        Ok(Columns {
            frame: header.find("frame", names)?,
            shot: header.find("shot", names)?,
            player: header.need("player", names)?,
            opponent: header.find("opponent", names)?,
            leave: if by_geometry { None } else { Some(header.need("leave", names)?) },
            leave_beside: leave.filter(|_| by_geometry),
            geometry: by_geometry.then_some(geometry),
            call: header.need("call", names)?,
            result: header.need("result", names)?,
            count: header.find("count", names)?,
        })
    }

    fn agree(&mut self, columns: &Columns, file: &str) -> Result<(), LogError> {
        let position =
            if columns.geometry.is_some() { Position::Geometry } else { Position::Leave };
        if *self.position.get_or_insert(position) != position {
            return Err(LogError::Merge(format!(
                "{file}: this log describes positions by {}, the logs before by {}; fit them apart",
                if position == Position::Leave { "leave" } else { "geometry" },
                if position == Position::Leave { "geometry" } else { "leave" },
            )));
        }
        Ok(())
    }

    fn row<'c>(
        &self,
        cells: &'c mut Cells,
        lines: &Lines,
        header: &Header,
        columns: &Columns,
    ) -> Result<Row<'c>, Fault> {
        lines.split(cells)?;
        let cells: &'c Cells = cells;
        if cells.len() != header.len() {
            return Err(ragged(cells, header));
        }
        let optional = |at: Option<usize>| at.map_or(Ok(""), |at| filled(cells, at, header));
        let frame = optional(columns.frame)?;
        let shot = optional(columns.shot)?;
        let player = filled(cells, columns.player, header)?;
        let opponent = optional(columns.opponent)?;
        if let Some(at) = columns.opponent
            && opponent == player
        {
            let detail = format!("`{opponent}` cannot play against himself");
            return Err(at_column(Reason::OwnOpponent, header, at, detail));
        }
        let call = call_of(filled(cells, columns.call, header)?, header, columns.call)?;
        let result = filled(cells, columns.result, header)?;
        let Some(&(belongs, result_at)) = self.results.get(result) else {
            let known: Vec<&str> = self.schema.results().map(|(id, ..)| id).collect();
            let detail = unknown("result", result, &known);
            return Err(at_column(Reason::UnknownResult, header, columns.result, detail));
        };
        if belongs != call {
            let detail = format!(
                "`{result}` is no result of a {}",
                if call == Call::Shot { "called shot" } else { "safety" }
            );
            return Err(at_column(Reason::Misfit, header, columns.result, detail));
        }
        let (leave, what) = self.what(cells, header, columns, call, result_at)?;
        let count = count_of(cells, columns.count, header)?;
        Ok(Row { frame, shot, player, opponent, leave, what, count })
    }

    fn what(
        &self,
        cells: &Cells,
        header: &Header,
        columns: &Columns,
        call: Call,
        result: usize,
    ) -> Result<(Option<usize>, What), Fault> {
        if let Some(at) = columns.leave {
            let leave = filled(cells, at, header)?;
            let Some(&leave) = self.leaves.get(leave) else {
                let known: Vec<&str> = self.schema.leaves.iter().map(String::as_str).collect();
                let detail = unknown("leave", leave, &known);
                return Err(at_column(Reason::UnknownLeave, header, at, detail));
            };
            let what = match call {
                Call::Shot => What::Leave(leave, result),
                Call::Safety => What::Safety(result),
            };
            return Ok((Some(leave), what));
        }
        match (call, columns.geometry) {
            (Call::Shot, Some(at)) => {
                let mut values = [0.0; 3];
                for ((value, at), most) in values.iter_mut().zip(at).zip([90.0, 1e5, 1e5]) {
                    *value = measure(filled(cells, at, header)?, most, header.decimal_comma())
                        .map_err(|detail| at_column(Reason::BadNumber, header, at, detail))?;
                }
                Ok((
                    self.leave_beside(cells, columns),
                    What::Geometry(Geometry::new(values), result),
                ))
            }
            _ => Ok((self.leave_beside(cells, columns), What::Safety(result))),
        }
    }

    /// The leave that stands beside the geometry, where the log has one that is known.
    fn leave_beside(&self, cells: &Cells, columns: &Columns) -> Option<usize> {
        self.leaves.get(cells.get(columns.leave_beside?)).copied()
    }

    fn is_held_out(&self, file: &str, frame: &str) -> bool {
        if self.options.hold_out <= 0.0 {
            return false;
        }
        let seed = self.options.seed.to_string();
        let share = (hash(&[&seed, file, frame]) >> 11) as f64 / (1_u64 << 53) as f64;
        share < self.options.hold_out
    }

    fn player(&mut self, name: &str, held_out: bool) -> &mut Player {
        let at = match self.players.get(name) {
            Some(&at) => at,
            None => {
                let at = self.used.len();
                self.players.insert(name.to_owned(), at);
                let player = Player {
                    name: name.to_owned(),
                    by_leave: vec![[0; SHOT_RESULTS]; self.schema.leaves.len()],
                    ..Player::default()
                };
                self.used.push(player.clone());
                self.held_out.push(player);
                at
            }
        };
        if held_out { &mut self.held_out[at] } else { &mut self.used[at] }
    }

    /// Reads again and takes back rows whose key stood before. (Equal hashes of different keys are
    /// told apart here.)
    fn remove_duplicates(
        &mut self,
        sources: &[Source],
        repeated: &HashSet<u64>,
    ) -> Result<(), LogError> {
        let mut seen: HashMap<(String, String, String), (String, u64)> = HashMap::new();
        for (index, source) in sources.iter().enumerate() {
            let mut lines = source.lines()?;
            let header = Header::read(&mut lines)?;
            let columns = self.columns(&header)?;
            let (Some(frame_at), Some(_)) = (columns.frame, columns.shot) else { continue };
            let file = self.file_word(index);
            let mut cells = header.cells();
            while let Some(line) = lines.advance()? {
                let Ok(row) = self.row(&mut cells, &lines, &header, &columns) else {
                    continue;
                };
                if !repeated.contains(&hash(&[&file, row.frame, row.shot])) {
                    continue;
                }
                let key = (file.clone(), row.frame.to_owned(), row.shot.to_owned());
                if let Some((first, number)) = seen.get(&key) {
                    let detail = format!(
                        "frame {}, shot {} stands already in {first}, line {number} (if the files \
                         number their frames apart, use --separate-frames)",
                        row.frame, row.shot
                    );
                    let held = self.is_held_out(&file, row.frame);
                    let (what, count, player) = (row.what, row.count, row.player);
                    self.player(player, held).take(what, count);
                    let fault = at_column(Reason::Duplicate, &header, frame_at, detail);
                    self.bad(lines.name(), line, fault, &header);
                } else {
                    seen.insert(key, (lines.name().to_owned(), line));
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> ShotLog {
        // A player all of whose rows were taken back, or counted none, was not there.
        let there = |player: &Player| player.rows() > 0;
        let mut order: Vec<usize> = (0..self.used.len())
            .filter(|&at| there(&self.used[at]) || there(&self.held_out[at]))
            .collect();
        order.sort_by(|&a, &b| order_of(&self.used[a].name).cmp(&order_of(&self.used[b].name)));
        let sorted = |players: &[Player]| Counts {
            players: order.iter().map(|&at| players[at].clone()).collect(),
        };
        let counts = sorted(&self.used);
        let all: Vec<&str> = order.iter().map(|&at| self.used[at].name.as_str()).collect();
        ShotLog {
            doubts: doubtful(&all),
            position: self.position.unwrap_or(Position::Leave),
            counts,
            held_out: sorted(&self.held_out),
            rows: self.rows,
            dropped: self.dropped,
            keyed: self.keyed,
        }
    }
}

impl Player {
    /// All shots and safeties.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let shots = self.by_leave.iter().chain(self.by_geometry.values()).flatten();
        shots.chain(&self.safeties).sum()
    }

    fn slot(&mut self, what: What) -> &mut u64 {
        match what {
            What::Leave(leave, result) => &mut self.by_leave[leave][result],
            What::Geometry(at, result) => &mut self.by_geometry.entry(at).or_default()[result],
            What::Safety(result) => &mut self.safeties[result],
        }
    }

    fn add(&mut self, what: What, count: u64) {
        *self.slot(what) += count;
    }

    fn take(&mut self, what: What, count: u64) {
        *self.slot(what) -= count;
    }
}

/// The name of a frame among the frames of all files; `file` tells those of different files apart.
pub(super) fn named<'a>(file: &str, frame: &'a str) -> Cow<'a, str> {
    if file.is_empty() || frame.is_empty() {
        Cow::Borrowed(frame)
    } else {
        Cow::Owned(format!("{file}: {frame}"))
    }
}

/// Numbers by value before texts by bytes.
fn order_of(name: &str) -> (bool, u64, &str) {
    name.parse().map_or((true, 0, name), |number| (false, number, name))
}

fn call_of(text: &str, header: &Header, at: usize) -> Result<Call, Fault> {
    match text {
        "shot" => Ok(Call::Shot),
        "safety" => Ok(Call::Safety),
        _ => Err(at_column(
            Reason::UnknownCall,
            header,
            at,
            unknown("call", text, &["shot", "safety"]),
        )),
    }
}
