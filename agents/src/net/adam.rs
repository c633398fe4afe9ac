//! Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).

use super::{Mlp, Real};

/// Settings of [`Adam`]. The defaults are those of the paper, without decay.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AdamConfig {
    /// Step size.
    pub rate: f64,
    /// Decay of the mean of gradients.
    pub beta1: f64,
    /// Decay of the mean of squared gradients.
    pub beta2: f64,
    /// Added to the root of the mean square.
    pub epsilon: f64,
    /// Share of every weight that is taken off, per unit of step size.
    pub weight_decay: f64,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }
}

/// The optimiser's state for one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<F> {
    /// Mean of gradients.
    pub mean: Mlp<F>,
    /// Mean of squared gradients.
    pub square: Mlp<F>,
    /// Steps taken.
    pub steps: u64,
}

impl<F: Real> Adam<F> {
    /// A fresh state for networks of the shape of `net`.
    #[must_use]
    pub fn new(net: &Mlp<F>) -> Self {
        Self { mean: net.zeros_like(), square: net.zeros_like(), steps: 0 }
    }

    /// Moves `net` one step against `gradient`.
    pub fn step(&mut self, net: &mut Mlp<F>, gradient: &Mlp<F>, config: &AdamConfig) {
        self.steps += 1;
        let power = |beta: f64| 1.0 - libm::pow(beta, self.steps as f64);
        let scale = config.rate * power(config.beta2).sqrt() / power(config.beta1);
        let (beta1, beta2) = (F::of(config.beta1), F::of(config.beta2));
        let (scale, epsilon) = (F::of(scale), F::of(config.epsilon));
        let keep = F::one() - F::of(config.rate * config.weight_decay);
        let moments = self.mean.values_mut().zip(self.square.values_mut());
        for ((weight, &slope), (mean, square)) in
            net.values_mut().zip(gradient.values()).zip(moments)
        {
            *mean = beta1 * *mean + (F::one() - beta1) * slope;
            *square = beta2 * *square + (F::one() - beta2) * slope * slope;
            *weight = keep * *weight - scale * *mean / (square.sqrt() + epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Activations;
    use super::*;
    use cuebench_engine::rng::{Purpose, stream};
    use ndarray::Array2;
    use rand::RngExt as _;

    #[test]
    fn one_batch_is_learned_by_heart() {
        let mut rng = stream(9, Purpose::Test, 0);
        let mut net: Mlp<f32> = Mlp::random(&[4, 32, 1], &mut rng);
        let batch = Array2::from_shape_simple_fn((16, 4), || rng.random::<f32>() - 0.5);
        let target = Array2::from_shape_simple_fn((16, 1), || rng.random::<f32>());
        let (mut adam, mut activations) = (Adam::new(&net), Activations::default());
        let config = AdamConfig { rate: 0.01, ..AdamConfig::default() };
        let mut error = f32::MAX;
        for _ in 0..2000 {
            let residual = net.forward(batch.view(), &mut activations).to_owned() - &target;
            error = residual.iter().map(|r| r * r).sum::<f32>() / 16.0;
            let mut gradient = net.zeros_like();
            net.backward(batch.view(), &activations, residual, &mut gradient);
            adam.step(&mut net, &gradient, &config);
        }
        assert!(error < 1e-4, "mean squared error {error}");
    }
}
