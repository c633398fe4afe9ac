//! Fitting both networks to samples: minibatches, Adam, sums in a fixed order.

use super::config::LearnConfig;
use super::episode::Sample;
use cuebench_agents::net::{Activations, Adam, AdamConfig, Mlp};
use cuebench_agents::race::learned::{Model, POLICY_INPUTS, VALUE_INPUTS};
use cuebench_engine::rng::{Purpose, stream};
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rand::seq::SliceRandom as _;
use rayon::prelude::*;

/// Columns of the policy's output: choice, pot, aim residual, speed residual.
const CHOICE: usize = 0;
const POT: usize = 1;
const RESIDUAL: usize = 2;

/// A model and the state of its optimisers.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// Optimiser of the value network.
    pub value: Adam<f32>,
    /// Optimiser of the policy network.
    pub policy: Adam<f32>,
}

/// Mean losses over a round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Mean squared error of the value, strokes².
    pub value: f64,
    /// Cross-entropy of the choice, nats.
    pub choice: f64,
    /// Cross-entropy of the pot, nats.
    pub pot: f64,
}

impl Losses {
    fn add(&mut self, other: Self) {
        self.value += other.value;
        self.choice += other.choice;
        self.pot += other.pot;
    }
}

impl Fit {
    /// Random networks for a run with `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let model = Model::random(&mut stream(seed, Purpose::Learning, u64::MAX));
        let (value, policy) = (Adam::new(&model.value), Adam::new(&model.policy));
        Self { model, value, policy }
    }

    /// Fits to `samples`; the order of the batches follows from (seed, round).
    pub fn round(
        &mut self,
        samples: &[&Sample],
        config: &LearnConfig,
        seed: u64,
        round: u64,
    ) -> Losses {
        let mut rng = stream(seed, Purpose::Learning, u64::MAX - 1 - round);
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let mut losses = Losses::default();
        let decay = libm::pow(config.rate_decay, round as f64);
        let rates = [config.value, config.policy]
            .map(|adam| AdamConfig { rate: adam.rate * decay, ..adam });
        let mut batches = 0_u64;
        for _ in 0..config.passes {
            order.shuffle(&mut rng);
            for batch in order.chunks(config.batch) {
                losses.add(self.step(samples, batch, config, &rates));
                batches += 1;
            }
        }
        let mean = |sum: f64| sum / batches.max(1) as f64;
        Losses { value: mean(losses.value), choice: mean(losses.choice), pot: mean(losses.pot) }
    }

    /// One step on the samples numbered in `batch`.
    fn step(
        &mut self,
        samples: &[&Sample],
        batch: &[usize],
        config: &LearnConfig,
        rates: &[AdamConfig; 2],
    ) -> Losses {
        let model = &self.model;
        let pieces: Vec<_> = batch
            .par_chunks(config.piece)
            .map(|piece| {
                let piece: Vec<&Sample> = piece.iter().map(|&index| samples[index]).collect();
                gradients(model, &piece, config, 1.0 / batch.len() as f64)
            })
            .collect();
        let (mut value, mut policy) = (model.value.zeros_like(), model.policy.zeros_like());
        let mut losses = Losses::default();
        for piece in &pieces {
            value.add_scaled(1.0, &piece.0);
            policy.add_scaled(1.0, &piece.1);
            losses.add(piece.2);
        }
        self.value.step(&mut self.model.value, &value, &rates[0]);
        self.policy.step(&mut self.model.policy, &policy, &rates[1]);
        losses
    }
}

/// Gradients and losses of a piece of a batch; every sample weighs `weight`.
fn gradients(
    model: &Model,
    piece: &[&Sample],
    config: &LearnConfig,
    weight: f64,
) -> (Mlp<f32>, Mlp<f32>, Losses) {
    let mut losses = Losses::default();
    let value = value_gradient(&model.value, piece, config, weight, &mut losses);
    let policy = policy_gradient(&model.policy, piece, config, weight, &mut losses);
    (value, policy, losses)
}

fn value_gradient(
    net: &Mlp<f32>,
    piece: &[&Sample],
    config: &LearnConfig,
    weight: f64,
    losses: &mut Losses,
) -> Mlp<f32> {
    let mut gradient = net.zeros_like();
    let told: Vec<(&Sample, f64)> =
        piece.iter().filter_map(|sample| excess(sample, config).map(|e| (*sample, e))).collect();
    let rows = told.iter().flat_map(|(sample, _)| sample.inputs.iter().copied());
    let batch = batch_of::<VALUE_INPUTS>(rows.collect());
    let mut activations = Activations::default();
    let output = net.forward(batch.view(), &mut activations).to_owned();
    let mut by_output = Array2::zeros(output.dim());
    for (index, (_, target)) in told.iter().enumerate() {
        let error = f64::from(output[[index, 0]]) - target;
        losses.value += weight * error * error;
        by_output[[index, 0]] = (2.0 * weight * error) as f32;
    }
    net.backward(batch.view(), &activations, by_output, &mut gradient);
    gradient
}

/// What the value network should say of a sample: strokes beyond one a ball.
#[must_use]
pub fn excess(sample: &Sample, config: &LearnConfig) -> Option<f64> {
    let strokes = sample.strokes_to_clear?;
    Some((strokes - f64::from(sample.left)).clamp(0.0, config.most_excess))
}

fn policy_gradient(
    net: &Mlp<f32>,
    piece: &[&Sample],
    config: &LearnConfig,
    weight: f64,
    losses: &mut Losses,
) -> Mlp<f32> {
    let mut gradient = net.zeros_like();
    let rows = piece.iter().flat_map(|s| &s.tried).flat_map(|t| t.inputs.iter().copied());
    let batch = batch_of::<POLICY_INPUTS>(rows.collect());
    let mut activations = Activations::default();
    let output = net.forward(batch.view(), &mut activations).to_owned();
    let mut by_output = Array2::zeros(output.dim());
    let mut first = 0;
    for sample in piece {
        let rows = first..first + sample.tried.len();
        first = rows.end;
        let rows = Slice::from(rows);
        let view = output.slice_axis(Axis(0), rows);
        let slopes = policy_slopes(sample, view, config, losses, weight);
        by_output.slice_axis_mut(Axis(0), rows).assign(&slopes);
    }
    net.backward(batch.view(), &activations, by_output, &mut gradient);
    gradient
}

/// Derivative of a position's losses by the policy's outputs.
fn policy_slopes(
    sample: &Sample,
    output: ArrayView2<'_, f32>,
    config: &LearnConfig,
    losses: &mut Losses,
    weight: f64,
) -> Array2<f32> {
    let mut slopes = Array2::zeros(output.dim());
    let share = weight / sample.tried.len().max(1) as f64;
    for (row, tried) in sample.tried.iter().enumerate() {
        let chance = sigmoid(f64::from(output[[row, POT]]));
        let truth = f64::from(u8::from(tried.potted));
        let likelihood = if tried.potted { chance } else { 1.0 - chance };
        losses.pot -= share * libm::log(likelihood.max(1e-12));
        slopes[[row, POT]] = (share * (chance - truth)) as f32;
    }
    let Some(chosen) = sample.chosen else { return slopes };
    let logits: Vec<f64> = output.column(CHOICE).iter().map(|&logit| f64::from(logit)).collect();
    let most = logits.iter().copied().fold(f64::MIN, f64::max);
    let powers: Vec<f64> = logits.iter().map(|logit| libm::exp(logit - most)).collect();
    let sum: f64 = powers.iter().sum();
    for (row, power) in powers.iter().enumerate() {
        let truth = f64::from(u8::from(row == chosen));
        slopes[[row, CHOICE]] = (weight * (power / sum - truth)) as f32;
    }
    losses.choice -= weight * libm::log((powers[chosen] / sum).max(1e-12));
    for (column, &target) in sample.tried[chosen].residual.iter().enumerate() {
        let error = output[[chosen, RESIDUAL + column]] - target;
        slopes[[chosen, RESIDUAL + column]] =
            (2.0 * weight * config.residual_weight) as f32 * error;
    }
    slopes
}

fn batch_of<const N: usize>(values: Vec<f32>) -> Array2<f32> {
    let rows = values.len() / N;
    // The samples were checked to have the networks' shape.
    Array2::from_shape_vec((rows, N), values).unwrap_or_else(|_| Array2::zeros((0, N)))
}

fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-logit))
}
