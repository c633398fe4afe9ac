//! How text comes in: CSV, line by line. Lines of bounded length are cut by
//! [`cuebench_agents::lines`].

pub mod csv;
