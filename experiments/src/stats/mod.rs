//! Pure statistics: no files, no printing. Tested on closed forms and published tables.

pub mod elo;
pub mod interval;
pub mod sprt;
