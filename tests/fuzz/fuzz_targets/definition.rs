//! Any bytes as a game definition: an answer, no panic, no hang.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = cuebench_tests::fuzz::definition(bytes);
});
