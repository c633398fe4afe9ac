//! The two networks of the learned race policy, as one model.

use super::candidates::Candidate;
use super::features::{POLICY_INPUTS, Position, VALUE_INPUTS};
use crate::net::{Activations, Mlp, WeightsError, load_networks, save_networks};
use cuebench_engine::rng::Rng;
use ndarray::Array2;
use std::sync::Arc;

/// Layer widths of the value network.
pub const VALUE_WIDTHS: [usize; 4] = [VALUE_INPUTS, 64, 32, 1];
/// Layer widths of the policy network.
pub const POLICY_WIDTHS: [usize; 4] = [POLICY_INPUTS, 48, 24, POLICY_OUTPUTS];
/// Outputs of the policy network: see [`Judgement`].
pub const POLICY_OUTPUTS: usize = 4;
/// Names of the networks in a file.
const VALUE: &str = "value";
const POLICY: &str = "policy";

/// Value of a leave and policy over candidate strokes.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Strokes to clear beyond one a ball, from a position.
    pub value: Mlp<f32>,
    /// Four outputs a candidate: see [`Judgement`].
    pub policy: Mlp<f32>,
}

/// What the policy network says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Logit of being the stroke that the search chooses, to be compared within a position.
    pub choice: f64,
    /// Logit of potting legally.
    pub pot: f64,
    /// Residual of the aim in half-windows (see [`Candidate::stroke`]).
    pub thin: f64,
    /// Residual of the speed, a logarithm.
    pub log_speed: f64,
}

impl Model {
    /// Networks with random weights.
    #[must_use]
    pub fn random(rng: &mut Rng) -> Self {
        let value = Mlp::random(&VALUE_WIDTHS, rng);
        Self { value, policy: Mlp::random(&POLICY_WIDTHS, rng) }
    }

    /// The model in a safetensors file.
    ///
    /// # Errors
    /// For torn, foreign or misshapen files and weights that are not finite.
    pub fn from_bytes(data: &[u8]) -> Result<(Self, String), WeightsError> {
        let expected: [(&str, &[usize]); 2] = [(VALUE, &VALUE_WIDTHS), (POLICY, &POLICY_WIDTHS)];
        let (mut networks, text) = load_networks(data, &expected)?;
        let missing = || WeightsError::Format("two networks are expected".to_owned());
        let policy = networks.pop().ok_or_else(missing)?;
        let value = networks.pop().ok_or_else(missing)?;
        Ok((Self { value, policy }, text))
    }

    /// The bytes of a safetensors file, with a text that says how the model was made.
    ///
    /// # Errors
    /// When the format refuses.
    pub fn to_bytes(&self, text: &str) -> Result<Vec<u8>, WeightsError> {
        save_networks(&[(VALUE, &self.value), (POLICY, &self.policy)], text)
    }
}

/// Weights for a table with or without aiming noise.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub sure: Arc<Model>,
    pub noisy: Arc<Model>,
}

/// A model at work: reuses its memory from call to call.
#[derive(Clone, Debug)]
pub struct Evaluator<'m> {
    model: &'m Model,
    activations: Activations<f32>,
}

impl<'m> Evaluator<'m> {
    /// An evaluator of `model`.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, activations: Activations::default() }
    }

    /// Expected strokes to clear from each of `positions`; 0 from a cleared table.
    pub fn values(&mut self, positions: &[Position<'_>]) -> Vec<f64> {
        let rows = positions.iter().map(Position::value_inputs);
        let excess = self.excess(rows.collect());
        let strokes = |(position, excess): (&Position<'_>, f64)| match position.order.len() {
            0 => 0.0,
            left => left as f64 + excess.max(0.0),
        };
        positions.iter().zip(excess).map(strokes).collect()
    }

    fn excess(&mut self, rows: Vec<[f32; VALUE_INPUTS]>) -> Vec<f64> {
        let batch = Array2::from(rows);
        let output = self.model.value.forward(batch.view(), &mut self.activations);
        output.column(0).iter().map(|&value| f64::from(value)).collect()
    }

    /// What the policy says of each of `candidates`.
    pub fn judge(&mut self, candidates: &[Candidate]) -> Vec<Judgement> {
        let rows: Vec<_> = candidates.iter().map(|candidate| candidate.inputs).collect();
        let batch = Array2::from(rows);
        let output = self.model.policy.forward(batch.view(), &mut self.activations);
        let judgement = |row: ndarray::ArrayView1<'_, f32>| Judgement {
            choice: row[0].into(),
            pot: row[1].into(),
            thin: f64::from(row[2]).clamp(-1.0, 1.0),
            log_speed: f64::from(row[3]).clamp(-0.5, 0.5),
        };
        output.outer_iter().map(judgement).collect()
    }
}
