//! Aiming by geometry, shared by the policies of every game: ghost balls, cuts, clear paths,
//! pocket windows, one-cushion images and combinations.
//!
//! Everything here is an estimate in floats that costs about a microsecond; a simulation has the
//! last word. Directions are radians, anticlockwise from +x; [`to_mdeg`] makes a stroke of one.

pub mod combination;
pub mod cushion;
pub mod ghost;
pub mod path;
pub mod pocket;
pub mod pot;
pub mod scene;
pub mod vector;

pub use combination::combinations;
pub use cushion::{Cushion, bank_pots, kick, kick_pots};
pub use ghost::{Cut, cut, driven};
pub use pocket::{Mouth, Window};
pub use pot::{Pot, Route, direct_pot, direct_pots};
pub use scene::{Pockets, Scene, WHITE};
pub use vector::{Vec2, to_mdeg, to_radians, wrap};
