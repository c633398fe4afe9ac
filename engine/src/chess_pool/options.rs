//! The readings of the rules that the source leaves open, each with its default. What each means
//! and how often it changes the winner: `engine/docs/chess-pool.md`, Readings.

use super::board::Grid;

/// Which ball the break may touch first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum BreakContact {
    /// Any ball of the rack.
    #[default]
    Any,
    /// The 1 at the head of the rack; another first ball is a foul.
    Apex,
}

/// Who chooses solids or stripes after a foul or scratch on the break.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum SideChooser {
    /// The breaker, as after a fair break.
    #[default]
    Breaker,
    /// The second player.
    Opponent,
}

/// What a MOVE is judged as when capturer and target never meet.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum NoMeeting {
    /// As a move: collisions of opposing pieces capture. The text names two causes of slop, and
    /// this is neither.
    #[default]
    Move,
    /// As slop: nothing is captured.
    Slop,
}

/// What becomes of pieces that a fair MOVE pockets without capturing them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Pocketed {
    /// They leave the game.
    #[default]
    Removed,
    /// They are put back as after a foul.
    Returned,
}

/// After which shots the other player has the cue ball in hand.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum InHand {
    /// After a scratch only; after another foul it is played from where it lies.
    #[default]
    Scratch,
    /// After every foul.
    Foul,
}

/// The options of the rules. Each field is one reading of the source; the default is the reading
/// of `engine/docs/chess-pool.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How the table is divided into spaces: `8x4` (default) or `8x8`.
    pub grid: Grid,
    /// Which ball the break may touch first: `any` (default) or `apex`.
    pub break_contact: BreakContact,
    /// Whether balls pocketed on a break that scratches are put back (default true). When false
    /// they stay pocketed, but for the 8, which is put back on the long string.
    pub break_scratch_returns: bool,
    /// Who chooses solids or stripes after a foul or scratch on the break: `breaker` (default) or
    /// `opponent`.
    pub break_foul_chooser: SideChooser,
    /// How a MOVE is judged whose capturer and target never meet: `move` (default) or `slop`.
    pub no_meeting: NoMeeting,
    /// What becomes of pieces that a fair MOVE pockets: `removed` (default) or `returned`.
    pub move_pocketed: Pocketed,
    /// Whether giving way with the last piece loses at once (default false: the shooter must
    /// still pocket or capture the 8 once more).
    pub win_on_last_swap: bool,
    /// Whether balls pocketed by a foul or scratch are put back (default true). When false they
    /// leave the game, but for the 8.
    pub foul_returns: bool,
    /// When the other player has the cue ball in hand: after a `scratch` (default) or every
    /// `foul`.
    pub cue_in_hand: InHand,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            grid: Grid::EightByFour,
            break_contact: BreakContact::Any,
            break_scratch_returns: true,
            break_foul_chooser: SideChooser::Breaker,
            no_meeting: NoMeeting::Move,
            move_pocketed: Pocketed::Removed,
            win_on_last_swap: false,
            foul_returns: true,
            cue_in_hand: InHand::Scratch,
        }
    }
}
