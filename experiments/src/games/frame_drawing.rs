//! A frame of an outcome model as an image: decision by decision who chose what, and below it how
//! the numbers of the state went, such as the balls left.

use crate::output::plot::PALETTE;
use crate::output::svg::{Anchor, Label, Style, Svg, View};

const WIDTH_PX: f64 = 1_000.0;
const LEFT_PX: f64 = 150.0;
const RIGHT_PX: f64 = 30.0;
/// Height of a seat's lane and of the strip of a number.
const LANE_PX: f64 = 36.0;
const STRIP_PX: f64 = 56.0;
/// Room above the lanes for what is written there.
const HEAD_PX: f64 = 64.0;
const INK: &str = "#1a1a1a";

/// A decision of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Who chose.
    pub seat: usize,
    /// What.
    pub action: String,
    /// The values of the state, in the order of the game's columns.
    pub state: Vec<String>,
}

/// Draws `decisions` of a game whose states have `columns`; `end` says how the frame ended.
#[must_use]
pub fn draw(decisions: &[Decision], columns: &[String], end: &str) -> String {
    let strips: Vec<(&str, Vec<f64>)> = columns
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((name.as_str(), numbers(decisions, place)?)))
        .collect();
    let height = HEAD_PX + 2.0 * LANE_PX + STRIP_PX * strips.len() as f64 + 20.0;
    let mut svg = Svg::new(View::new([0.0, WIDTH_PX], [0.0, height], WIDTH_PX));
    let step = (WIDTH_PX - LEFT_PX - RIGHT_PX) / decisions.len().max(1) as f64;
    let x = |decision: usize| LEFT_PX + step * (decision as f64 + 0.5);
    let names = actions(decisions);
    head(&mut svg, &names, end, height);
    let lane = |seat: usize| height - HEAD_PX - LANE_PX * (seat as f64 + 0.5);
    for seat in 0..2 {
        let ends = [[LEFT_PX, lane(seat)], [WIDTH_PX - RIGHT_PX, lane(seat)]];
        svg.polyline(&ends, &Style::line("#dddddd", 1.0));
        label(&mut svg, lane(seat), &format!("seat {seat}"));
    }
    for (number, decision) in decisions.iter().enumerate() {
        let action = names.iter().position(|name| *name == decision.action).unwrap_or(0);
        let style = Style::filled(PALETTE[action % PALETTE.len()]);
        svg.dot([x(number), lane(decision.seat.min(1))], (step / 2.5).clamp(1.0, 7.0), &style);
    }
    for (number, (name, values)) in strips.iter().enumerate() {
        let top = height - HEAD_PX - 2.0 * LANE_PX - STRIP_PX * number as f64;
        strip(&mut svg, top, name, values, x);
    }
    svg.finish()
}

/// The end of the frame, and which colour is which action.
fn head(svg: &mut Svg, names: &[&str], end: &str, height: f64) {
    let text = Label::centred(14.0, INK).anchored(Anchor::Start);
    svg.text([LEFT_PX, height - 18.0], end, &text);
    let mut across = LEFT_PX;
    for (number, name) in names.iter().enumerate() {
        svg.dot([across + 6.0, height - 44.0], 6.0, &Style::filled(PALETTE[number % 7]));
        svg.text([across + 18.0, height - 44.0], name, &text);
        across += 40.0 + 8.0 * name.chars().count() as f64;
    }
}

/// How a number went: it holds from one decision to the next.
fn strip(svg: &mut Svg, top: f64, name: &str, values: &[f64], x: impl Fn(usize) -> f64) {
    let (bottom, height) = (top - STRIP_PX + 8.0, STRIP_PX - 16.0);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let y = |value: f64| bottom + height * (value - least) / (most - least);
    svg.rect([LEFT_PX, bottom], [WIDTH_PX - RIGHT_PX, bottom + height], &Style::filled("#f4f4f4"));
    label(svg, bottom + height / 2.0, name);
    let ends = Label::centred(11.0, INK).anchored(Anchor::End);
    svg.text([LEFT_PX - 4.0, y(least)], &least.to_string(), &ends);
    svg.text([LEFT_PX - 4.0, y(most)], &most.to_string(), &ends);
    let mut line = Vec::new();
    for (number, &value) in values.iter().enumerate() {
        if number > 0 {
            line.push([x(number), y(values[number - 1])]);
        }
        line.push([x(number), y(value)]);
    }
    svg.polyline(&line, &Style::line(PALETTE[0], 1.8));
}

fn label(svg: &mut Svg, y: f64, text: &str) {
    svg.text([12.0, y], text, &Label::centred(13.0, INK).anchored(Anchor::Start));
}

/// The values of a column, if all are numbers and they change.
fn numbers(decisions: &[Decision], column: usize) -> Option<Vec<f64>> {
    let number = |decision: &Decision| decision.state.get(column)?.parse::<f64>().ok();
    let values: Vec<f64> = decisions.iter().map(number).collect::<Option<_>>()?;
    let varied = values.iter().any(|value| value.is_finite() && *value != values[0]);
    varied.then_some(values)
}

/// The different actions, in the order in which they came.
fn actions(decisions: &[Decision]) -> Vec<&str> {
    let mut names = Vec::new();
    for decision in decisions {
        if !names.contains(&decision.action.as_str()) {
            names.push(&decision.action);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_change_get_a_strip_and_others_none() {
        let decision = |seat, left: &str, leave: &str| Decision {
            seat,
            action: "call_shot".to_owned(),
            state: vec![left.to_owned(), "7".to_owned(), leave.to_owned()],
        };
        let decisions = [decision(0, "7", "easy"), decision(1, "6", "hard")];
        let columns = ["left", "other", "leave"].map(str::to_owned);
        let image = draw(&decisions, &columns, "eight: seat 1 wins");
        assert!(image.contains(">left</text>") && image.contains(">call_shot</text>"), "{image}");
        assert!(!image.contains(">other</text>") && !image.contains(">leave</text>"), "{image}");
        assert_eq!(image.matches("<circle").count(), 3, "two decisions and the legend");
        assert!(draw(&[], &columns, "").starts_with("<svg "));
    }
}
