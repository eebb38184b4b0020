#![no_main]
//! Any bytes as an assembly file over two known meshes: reads it and checks it. Must end in an outcome or errors.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    interfere::internals::fuzzing::assembly(data);
});
