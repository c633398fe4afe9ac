//! Bots as processes: any program that reads and writes JSON lines (`agents/PROTOCOL.md`).
//!
//! [`protocol`] holds the messages and [`lines`] cuts a byte stream into lines; both are pure.
//! [`bot`] holds the conversation (requests with ids, deadlines, faults) over a [`wire::Wire`];
//! [`process`] is the wire to a child process. The rest keeps untrusted programs in bounds:
//! [`limits`], [`launch`], [`watch`], [`leash`].

pub mod bot;
pub mod launch;
pub mod leash;
pub mod limits;
pub mod lines;
pub mod process;
pub mod processes;
pub mod protocol;
pub mod watch;
pub mod wire;
