//! Pure statistics: no files, no printing. Tested on closed forms and published tables.

pub mod bradley_terry;
pub mod calibration;
pub mod clusters;
pub mod elo;
pub mod interval;
pub mod linear;
mod outcomes;
pub mod sprt;
pub mod student;
pub mod table_values;
