//! Networks as safetensors, named and laid out as PyTorch's `Linear` has them: `NAME.0.weight` of
//! shape (outputs, inputs) and `NAME.0.bias`, 32-bit floats.

use super::{Layer, Mlp};
use ndarray::{Array1, Array2};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::HashMap;

/// The most bytes that are looked at, and the most layers and inputs a network may have.
const MAX_BYTES: usize = 64 << 20;
const MAX_LAYERS: usize = 16;
/// The key of the one metadata text.
const METADATA: &str = "cuebench";

/// Why a file of weights was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// Not a safetensors file, or a torn one.
    #[error("not a whole safetensors file: {0}")]
    Format(String),
    /// Larger than any network of this project.
    #[error("{0} bytes; a file of weights has at most {MAX_BYTES}")]
    TooLarge(usize),
    /// A tensor is missing or has another type or shape than it must have.
    #[error("tensor `{tensor}`: {problem}")]
    Tensor {
        /// The tensor's name.
        tensor: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A weight that is no finite number.
    #[error("tensor `{0}` holds a weight that is not finite; train again or use another file")]
    NotFinite(String),
}

/// The bytes of a file that holds `networks` under their names, with a text of the maker's.
///
/// # Errors
/// When the format refuses, which no network of this project brings about.
pub fn save_networks(networks: &[(&str, &Mlp<f32>)], text: &str) -> Result<Vec<u8>, WeightsError> {
    let mut tensors = Vec::new();
    for (name, net) in networks {
        for (index, layer) in net.layers.iter().enumerate() {
            let weights = layer.weights.t();
            tensors.push((
                format!("{name}.{index}.weight"),
                weights.shape().to_vec(),
                bytes(weights.iter()),
            ));
            tensors.push((
                format!("{name}.{index}.bias"),
                vec![layer.bias.len()],
                bytes(layer.bias.iter()),
            ));
        }
    }
    let views = tensors
        .iter()
        .map(|(name, shape, data)| {
            TensorView::new(Dtype::F32, shape.clone(), data).map(|view| (name.as_str(), view))
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| WeightsError::Format(error.to_string()))?;
    let metadata = HashMap::from([(METADATA.to_owned(), text.to_owned())]);
    serialize(views, Some(metadata)).map_err(|error| WeightsError::Format(error.to_string()))
}

/// The networks of the given names with the given layer widths, and the maker's text.
///
/// # Errors
/// Every deviation from what [`save_networks`] writes for networks of these widths.
pub fn load_networks(
    data: &[u8],
    expected: &[(&str, &[usize])],
) -> Result<(Vec<Mlp<f32>>, String), WeightsError> {
    if data.len() > MAX_BYTES {
        return Err(WeightsError::TooLarge(data.len()));
    }
    let format = |error: safetensors::SafeTensorError| WeightsError::Format(error.to_string());
    let file = SafeTensors::deserialize(data).map_err(format)?;
    let (_, header) = SafeTensors::read_metadata(data).map_err(format)?;
    let text = header.metadata().as_ref().and_then(|map| map.get(METADATA).cloned());
    let networks = expected
        .iter()
        .map(|(name, widths)| load_network(&file, name, widths))
        .collect::<Result<_, _>>()?;
    Ok((networks, text.unwrap_or_default()))
}

fn load_network(
    file: &SafeTensors<'_>,
    name: &str,
    widths: &[usize],
) -> Result<Mlp<f32>, WeightsError> {
    debug_assert!(widths.len() <= MAX_LAYERS);
    let layers = widths
        .windows(2)
        .enumerate()
        .map(|(index, pair)| {
            let weights = load_tensor(file, format!("{name}.{index}.weight"), &[pair[1], pair[0]])?;
            let bias = load_tensor(file, format!("{name}.{index}.bias"), &[pair[1]])?;
            let shaped = Array2::from_shape_vec((pair[1], pair[0]), weights)
                .map_err(|error| WeightsError::Format(error.to_string()))?;
            Ok(Layer {
                weights: shaped.t().as_standard_layout().into_owned(),
                bias: Array1::from_vec(bias),
            })
        })
        .collect::<Result<_, WeightsError>>()?;
    let extra = format!("{name}.{}.weight", widths.len() - 1);
    if file.names().iter().any(|tensor| **tensor == extra) {
        let problem = format!("one layer too many; widths {widths:?} are expected");
        return Err(WeightsError::Tensor { tensor: extra, problem });
    }
    Ok(Mlp { layers })
}

fn load_tensor(
    file: &SafeTensors<'_>,
    tensor: String,
    shape: &[usize],
) -> Result<Vec<f32>, WeightsError> {
    let wrong = |tensor: String, problem: String| Err(WeightsError::Tensor { tensor, problem });
    let Ok(view) = file.tensor(&tensor) else {
        return wrong(tensor, "missing; the file is not a model of this agent".to_owned());
    };
    if view.dtype() != Dtype::F32 {
        return wrong(tensor, format!("holds {:?}; 32-bit floats are expected", view.dtype()));
    }
    if view.shape() != shape {
        return wrong(tensor, format!("has shape {:?}; {shape:?} is expected", view.shape()));
    }
    let chunks = view.data().chunks_exact(4);
    let values: Vec<f32> = chunks.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    if values.iter().all(|value| value.is_finite()) {
        Ok(values)
    } else {
        Err(WeightsError::NotFinite(tensor))
    }
}

fn bytes<'a>(values: impl Iterator<Item = &'a f32>) -> Vec<u8> {
    values.flat_map(|value| value.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::rng::{Purpose, stream};

    const WIDTHS: [usize; 3] = [5, 4, 2];

    fn file() -> (Mlp<f32>, Vec<u8>) {
        let net = Mlp::random(&WIDTHS, &mut stream(1, Purpose::Test, 0));
        let data = save_networks(&[("value", &net)], "a test").unwrap();
        (net, data)
    }

    #[test]
    fn weights_round_trip_and_the_bytes_repeat() {
        let (net, data) = file();
        let (loaded, text) = load_networks(&data, &[("value", &WIDTHS)]).unwrap();
        assert_eq!((&loaded[0], text.as_str()), (&net, "a test"));
        assert_eq!(save_networks(&[("value", &net)], "a test").unwrap(), data);
    }

    #[test]
    fn wrong_shape_nan_torn_and_foreign_files_are_refused() {
        let (mut net, data) = file();
        let refusal = |data: &[u8], widths: &[usize]| {
            load_networks(data, &[("value", widths)]).unwrap_err().to_string()
        };
        assert!(refusal(&data, &[5, 3, 2]).contains("shape"));
        assert!(refusal(&data, &[5, 4]).contains("too many"));
        assert!(refusal(&data, &[5, 4, 2, 1]).contains("missing"));
        assert!(load_networks(&data, &[("policy", &WIDTHS)]).is_err());
        for end in 0..data.len() {
            assert!(load_networks(&data[..end], &[("value", &WIDTHS)]).is_err(), "cut at {end}");
        }
        assert!(refusal(b"PK\x03\x04 some other file", &WIDTHS).contains("not a whole"));
        net.layers[1].bias[0] = f32::NAN;
        let data = save_networks(&[("value", &net)], "").unwrap();
        assert!(refusal(&data, &WIDTHS).contains("not finite"));
    }
}
