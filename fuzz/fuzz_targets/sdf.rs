#![no_main]
//! Any bytes as a file to import, seeded with SDF: must end in a generated folder that the checker reads, or in an error.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    interfere::internals::fuzzing::import(data);
});
