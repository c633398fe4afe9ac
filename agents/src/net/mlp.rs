//! The network: dense layers with rectified linear units between them, none after the last.

use cuebench_engine::rng::Rng;
use ndarray::{Array1, Array2, ArrayView2, Axis, NdFloat};
use rand::RngExt as _;

/// The number types a network can hold: `f32` in play, `f64` where gradients are checked.
pub trait Real: NdFloat {
    /// The nearest value to `number`.
    fn of(number: f64) -> Self;
}

impl Real for f32 {
    fn of(number: f64) -> Self {
        number as Self
    }
}

impl Real for f64 {
    fn of(number: f64) -> Self {
        number
    }
}

/// One dense layer: `output = input · weights + bias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer<F> {
    /// Shape (inputs, outputs).
    pub weights: Array2<F>,
    /// Shape (outputs).
    pub bias: Array1<F>,
}

/// A network of dense layers. The same type holds a gradient and Adam's moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp<F> {
    /// First layer first; never empty, and each takes what the one before gives.
    pub layers: Vec<Layer<F>>,
}

/// What a forward pass leaves for the backward pass; reused without new memory.
#[derive(Clone, Debug, Default)]
pub struct Activations<F> {
    /// Output of every layer after its rectification, shape (samples, outputs).
    outputs: Vec<Array2<F>>,
}

impl<F: Real> Mlp<F> {
    /// A network with the given layer widths, input first (at least two), and weights uniform in
    /// ±√(6 / inputs) (He et al. 2015), biases zero.
    #[must_use]
    pub fn random(widths: &[usize], rng: &mut Rng) -> Self {
        let layers = widths
            .windows(2)
            .map(|pair| {
                let bound = (6.0 / pair[0] as f64).sqrt();
                let draw = || F::of(bound * (2.0 * rng.random::<f64>() - 1.0));
                Layer {
                    weights: Array2::from_shape_simple_fn((pair[0], pair[1]), draw),
                    bias: Array1::zeros(pair[1]),
                }
            })
            .collect();
        Self { layers }
    }

    /// A network of the same shape with every weight zero.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        let zero = |layer: &Layer<F>| Layer {
            weights: Array2::zeros(layer.weights.dim()),
            bias: Array1::zeros(layer.bias.dim()),
        };
        Self { layers: self.layers.iter().map(zero).collect() }
    }

    /// Layer widths, input first.
    #[must_use]
    pub fn widths(&self) -> Vec<usize> {
        let inputs = self.layers.first().map_or(0, |layer| layer.weights.nrows());
        std::iter::once(inputs).chain(self.layers.iter().map(|l| l.weights.ncols())).collect()
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights.len() + layer.bias.len()).sum()
    }

    /// Whether every weight is a finite number.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.values().all(|value| value.is_finite())
    }

    /// The output for a batch of shape (samples, inputs): shape (samples, outputs).
    ///
    /// # Panics
    /// When the batch has another number of columns than the network has inputs.
    pub fn forward<'a>(
        &self,
        batch: ArrayView2<'_, F>,
        activations: &'a mut Activations<F>,
    ) -> ArrayView2<'a, F> {
        assert_eq!(batch.ncols(), self.widths()[0], "one column an input");
        activations.outputs.resize_with(self.layers.len(), || Array2::zeros((0, 0)));
        for (index, layer) in self.layers.iter().enumerate() {
            let (done, rest) = activations.outputs.split_at_mut(index);
            let input = done.last().map_or(batch, |output| output.view());
            layer.apply(input, &mut rest[0]);
            if index + 1 < self.layers.len() {
                rest[0].mapv_inplace(|value| value.max(F::zero()));
            }
        }
        activations.outputs[self.layers.len() - 1].view()
    }

    /// Adds to `gradient` the derivative of the loss by every weight, given the derivative by
    /// the output of the forward pass that filled `activations` from `batch`.
    ///
    /// # Panics
    /// When the shapes do not belong to that forward pass.
    pub fn backward(
        &self,
        batch: ArrayView2<'_, F>,
        activations: &Activations<F>,
        by_output: Array2<F>,
        gradient: &mut Self,
    ) {
        let mut by_output = by_output;
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let input = if index == 0 { batch } else { activations.outputs[index - 1].view() };
            gradient.layers[index].accumulate(input, &by_output);
            if index > 0 {
                by_output = layer.back(input, &by_output);
            }
        }
    }

    /// Adds `scale` times `other`, weight by weight.
    pub fn add_scaled(&mut self, scale: F, other: &Self) {
        for (layer, addend) in self.layers.iter_mut().zip(&other.layers) {
            layer.weights.scaled_add(scale, &addend.weights);
            layer.bias.scaled_add(scale, &addend.bias);
        }
    }

    /// Every weight and bias, layer by layer.
    pub fn values(&self) -> impl Iterator<Item = &F> {
        self.layers.iter().flat_map(|layer| layer.weights.iter().chain(layer.bias.iter()))
    }

    /// Every weight and bias, layer by layer.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut F> {
        self.layers.iter_mut().flat_map(|l| l.weights.iter_mut().chain(l.bias.iter_mut()))
    }
}

impl<F: Real> Layer<F> {
    /// Writes `input · weights + bias`; each sum runs over the inputs in order.
    fn apply(&self, input: ArrayView2<'_, F>, output: &mut Array2<F>) {
        let shape = (input.nrows(), self.weights.ncols());
        if output.dim() != shape {
            *output = Array2::zeros(shape);
        }
        for (sample, mut out) in input.outer_iter().zip(output.outer_iter_mut()) {
            out.assign(&self.bias);
            for (&value, row) in sample.iter().zip(self.weights.outer_iter()) {
                // Half the rectified inputs are zero, and adding nothing changes nothing.
                if value != F::zero() {
                    out.scaled_add(value, &row);
                }
            }
        }
    }

    /// Adds this layer's gradient; sums run over the samples in order.
    fn accumulate(&mut self, input: ArrayView2<'_, F>, by_output: &Array2<F>) {
        for (sample, by_out) in input.outer_iter().zip(by_output.outer_iter()) {
            for (&value, mut row) in sample.iter().zip(self.weights.outer_iter_mut()) {
                if value != F::zero() {
                    row.scaled_add(value, &by_out);
                }
            }
            self.bias += &by_out;
        }
    }

    /// The derivative by this layer's input, which came out of a rectification.
    fn back(&self, input: ArrayView2<'_, F>, by_output: &Array2<F>) -> Array2<F> {
        let mut by_input = Array2::zeros(input.dim());
        let transposed = self.weights.t().as_standard_layout().to_owned();
        for (by_out, mut by_in) in by_output.outer_iter().zip(by_input.outer_iter_mut()) {
            for (&value, row) in by_out.iter().zip(transposed.axis_iter(Axis(0))) {
                by_in.scaled_add(value, &row);
            }
        }
        by_input.zip_mut_with(&input, |derivative, &value| {
            if value <= F::zero() {
                *derivative = F::zero();
            }
        });
        by_input
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::rng::{Purpose, stream};

    /// Half the sum of squared outputs: its derivative by the output is the output.
    fn loss(net: &Mlp<f64>, batch: &Array2<f64>) -> f64 {
        let mut activations = Activations::default();
        net.forward(batch.view(), &mut activations).iter().map(|y| y * y / 2.0).sum()
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let mut rng = stream(7, Purpose::Test, 0);
        let mut net: Mlp<f64> = Mlp::random(&[5, 7, 6, 3], &mut rng);
        net.values_mut().for_each(|value| *value += 0.1 * (rng.random::<f64>() - 0.5));
        let batch = Array2::from_shape_simple_fn((11, 5), || rng.random::<f64>() * 2.0 - 1.0);
        let mut activations = Activations::default();
        let output = net.forward(batch.view(), &mut activations).to_owned();
        let mut gradient = net.zeros_like();
        net.backward(batch.view(), &activations, output, &mut gradient);
        let exact: Vec<f64> = gradient.values().copied().collect();
        let step = 1e-6;
        for (index, &exact) in exact.iter().enumerate() {
            let mut shifted = net.clone();
            let at = |net: &mut Mlp<f64>, by: f64| *net.values_mut().nth(index).unwrap() += by;
            at(&mut shifted, step);
            let above = loss(&shifted, &batch);
            at(&mut shifted, -2.0 * step);
            let numeric = (above - loss(&shifted, &batch)) / (2.0 * step);
            assert!(
                (numeric - exact).abs() < 1e-6 * (1.0 + exact.abs()),
                "{index}: {numeric} {exact}"
            );
        }
    }

    #[test]
    fn forward_of_a_batch_is_forward_of_each_sample() {
        let mut rng = stream(8, Purpose::Test, 0);
        let net: Mlp<f32> = Mlp::random(&[4, 6, 2], &mut rng);
        let batch = Array2::from_shape_simple_fn((9, 4), || rng.random::<f32>() - 0.5);
        let (mut whole, mut single) = (Activations::default(), Activations::default());
        let outputs = net.forward(batch.view(), &mut whole).to_owned();
        for (sample, expected) in batch.axis_chunks_iter(Axis(0), 1).zip(outputs.outer_iter()) {
            assert_eq!(net.forward(sample, &mut single).row(0), expected);
        }
        assert_eq!(net.parameters(), 4 * 6 + 6 + 6 * 2 + 2);
    }
}
