#![no_main]
//! Any bytes as an OBJ file: read, cut polygons, join, hull, box. Must end in a mesh or an error.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| interfere::fuzzing::mesh(data));
