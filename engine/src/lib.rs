//! Rules and physics of cue sports for machines: values in, values out.
//!
//! Nothing here reads a file, prints, sleeps or looks at a clock; threads are used only in the
//! batch forms. Every result is a pure function of its arguments, so it replays exactly.
//!
//! Play a shot:
//!
//! ```
//! use cuebench_engine::shot::{Balls, Stroke};
//! use cuebench_engine::table::{PocketSet, Table, TableSpec};
//! use cuebench_engine::units::Point;
//!
//! let spec = TableSpec { pockets: PocketSet::Snooker, cloth: 1000, restitution: 750 };
//! let table = Table::new(spec)?;
//! let mut balls = Balls::default();
//! balls.at[0] = Some(Point::new(600_000, 600_000)); // the white
//! balls.at[1] = Some(Point::new(900_000, 600_000));
//! let outcome = table.simulate(&balls, Stroke::new(0, 300)?)?;
//! assert_eq!(outcome.first_hit, Some(1));
//! assert_eq!(outcome, table.simulate(&balls, Stroke::new(0, 300)?)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solve a frame:
//!
//! ```
//! use cuebench_engine::frame::{Definition, Game};
//!
//! let game = Game::compile(&Definition::shipped()?)?;
//! let policies = [0, 1].map(|seat| game.policy("threshold", &[], seat));
//! let [first, second] = policies;
//! let exact = game.solve([&first?, &second?])?;
//! assert!((exact.p0_win - 0.491_063_643_740).abs() < 1e-10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Play a race:
//!
//! ```
//! use cuebench_engine::snooker::{Action, SeatTable, Setup};
//!
//! let mut seat = SeatTable::new(Setup::new(7));
//! while seat.closed().is_none() {
//!     seat.step(Action { angle: 45_000, power: 400 })?;
//! }
//! assert_eq!(seat.strokes(), 30);
//! assert!(seat.observe().table.is_some(), "hidden values are public once it is over");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
pub mod chess_pool;
pub mod fixed;
pub mod frame;
pub mod game;
pub mod naming;
pub mod rng;
pub mod shot;
pub mod snooker;
pub mod table;
pub mod units;
