//! Maximum likelihood for the outcome model: one logistic regression in stages.
//!
//! A shot is at most two yes-or-no rows and a safety one: pot or miss, position or none (given a
//! clean pot), good or poor (given no foul). Every row has the form
//! `logit P = s - d`, `s` the skill of one player and `d` a sum of shared terms: the difficulty of
//! the leave (or `b0 + b1 theta + b2 l_ob + b3 l_cb`), the price of position `c`, the difficulty of
//! a safety `A0`. Scratches, safety fouls and breaks are plain counts beside it.
//!
//! - [`design`]: rows gathered into cells, sorted, so that no order of rows shows in a sum;
//! - [`structure`]: what the data can tell at all, decided before the fit;
//! - [`newton`]: the fit, players eliminated by block; [`profile`]: its intervals;
//! - [`proportion`]: the counts; [`measures`], [`slope`], [`shooter`]: how well the model holds;
//! - [`firth`], [`random_skill`] with [`spread`]: remedies for thin data, never applied unasked.

pub mod break_skill;
pub mod cholesky;
pub mod cone;
pub mod design;
pub mod echelon;
pub mod firth;
pub mod measures;
pub mod newton;
pub mod profile;
pub mod proportion;
pub mod random_skill;
pub mod shooter;
pub mod slope;
pub mod spread;
pub mod structure;
