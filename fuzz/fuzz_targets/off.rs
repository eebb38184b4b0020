#![no_main]
//! Any bytes as a mesh file, seeded with OFF: reads it, cuts polygons, merges vertices, builds hull and box. Must end
//! in a mesh or an error.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| interfere::internals::fuzzing::mesh(data));
