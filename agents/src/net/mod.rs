//! Small fully connected networks on `ndarray`: forward, backward, Adam, and weights as
//! safetensors.
//!
//! Every sum has a fixed order (input by input, sample by sample, chunk by chunk), and no fused
//! operation is asked for, so the same seed gives the same weights on every machine and at any
//! thread count.
//!
//! ```
//! use cuebench_agents::net::{Activations, Mlp};
//! use cuebench_engine::rng::{Purpose, stream};
//! use ndarray::array;
//!
//! let net: Mlp<f32> = Mlp::random(&[3, 8, 1], &mut stream(1, Purpose::Learning, 0));
//! let mut activations = Activations::default();
//! let output = net.forward(array![[0.1, 0.2, 0.3], [1.0, 0.0, 0.5]].view(), &mut activations);
//! assert_eq!(output.dim(), (2, 1));
//! ```

mod adam;
mod mlp;
mod weights;

pub use adam::{Adam, AdamConfig};
pub use mlp::{Activations, Layer, Mlp, Real};
pub use weights::{WeightsError, load_networks, save_networks};
