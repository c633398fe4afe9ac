//! Bots as processes: any program that reads and writes JSON lines (`agents/PROTOCOL.md`).
//!
//! [`protocol`] holds the messages; it is pure, and so is [`crate::lines`], which cuts a byte stream
//! into lines. [`bot`] holds the conversation (requests with ids, deadlines, faults) over a [`transport::Transport`];
//! [`process`] is the wire to a child process. The rest keeps untrusted programs in bounds:
//! [`limits`], [`launch`], [`watch`], [`leash`].

pub mod bot;
pub mod launch;
pub mod leash;
pub mod limits;
pub mod player;
pub mod process;
pub mod processes;
pub mod protocol;
pub mod transport;
pub mod watch;
