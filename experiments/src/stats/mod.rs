//! Pure statistics: no files, no printing. Tested on closed forms and published tables.

pub mod bootstrap;
pub mod bradley_terry;
pub mod calibration;
pub mod elo;
pub mod interval;
pub mod linear;
pub mod sprt;
pub mod table_values;
