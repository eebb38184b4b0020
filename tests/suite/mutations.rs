//! Do damaged files end in a value or an error? Changes real and hostile files at random, with fixed seeds, and runs
//! them through the code of the fuzz targets. With `INTERFERE_FULL=1`, 100 000 inputs a reader; the slowest one is
//! printed.

use crate::support::Rng;
use interfere::internals::fuzzing;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest seed: longer files slow every run and add nothing.
const MAX_SEED: u64 = 60_000;

/// Words that readers take for numbers, counts, ends or names.
const WORDS: [&[u8]; 22] = [
    b"0",
    b"-1",
    b"1e308",
    b"-1e-308",
    b"nan",
    b"inf",
    b"4294967295",
    b"99999999999999999999",
    b"\"",
    b"<",
    b">",
    b"/>",
    b"</",
    b"=",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\0",
    b"\xff\xff\xff\xff",
    b"\n",
];

/// Files in a folder and below it with one of these endings.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|e| endings.iter().any(|known| e.eq_ignore_ascii_case(known))) {
            found.push(path);
        }
    }
}

/// Seeds of a reader: its corpus, and the real files beside the repository.
fn seeds(reader: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files(&root.join("fixtures/corpus").join(reader), endings, &mut found);
    files(&root.join("../shared/inputs"), endings, &mut found);
    found.retain(|path| fs::metadata(path).is_ok_and(|data| (1..=MAX_SEED).contains(&data.len())));
    found.iter().map(|path| fs::read(path).expect("readable")).collect()
}

/// A place in a text, and the length of a short range from there.
fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.below(length.max(1)).min(length);
    start..(start + 1 + rng.below(40)).min(length)
}

fn change(bytes: &mut Vec<u8>, others: &[Vec<u8>], rng: &mut Rng) {
    let at = range(rng, bytes.len());
    match rng.below(8) {
        0 => bytes[at].iter_mut().take(1).for_each(|b| *b ^= 1 << rng.below(8)),
        1 => bytes[at].iter_mut().take(1).for_each(|b| *b = rng.below(256) as u8),
        2 => drop(bytes.drain(at)),
        3 => {
            let copy = bytes[at.clone()].to_vec();
            bytes.splice(at.end..at.end, copy);
        }
        4 => bytes.truncate(at.start),
        5 => {
            let other = &others[rng.below(others.len())];
            let from = range(rng, other.len());
            bytes.splice(at, other[from].iter().copied());
        }
        6 => {
            let word = WORDS[rng.below(WORDS.len())];
            bytes.splice(at.start..at.start, word.iter().copied());
        }
        _ => {
            // Replaces a number, which leaves the rest of the file sound.
            let digits = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'e');
            let Some(start) = bytes[at.start..].iter().position(digits).map(|k| at.start + k) else { return };
            let end = bytes[start..].iter().position(|b| !digits(b)).map_or(bytes.len(), |k| start + k);
            bytes.splice(start..end, WORDS[rng.below(8)].iter().copied());
        }
    }
}

/// Runs changed seeds; returns the number of inputs.
fn run(reader: &str, endings: &[&str], seed: u64, read: impl Fn(&[u8])) -> usize {
    let seeds = seeds(reader, endings);
    assert!(seeds.len() >= 8, "{reader}: {} seeds", seeds.len());
    let count = if std::env::var_os("INTERFERE_FULL").is_some() { 100_000 } else { 300 };
    let mut rng = Rng::new(seed);
    let mut slowest = (Duration::ZERO, 0);
    for number in 0..count {
        let mut bytes = seeds[rng.below(seeds.len())].clone();
        for _ in 0..=rng.below(4) {
            if !bytes.is_empty() {
                change(&mut bytes, &seeds, &mut rng);
            }
        }
        let begun = Instant::now();
        read(&bytes);
        slowest = slowest.max((begun.elapsed(), number));
    }
    let line = format!("{reader}: {count} inputs, number {} took {:.3} s\n", slowest.1, slowest.0.as_secs_f64());
    // A closed stderr loses the line only.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    count
}

fn import(bytes: &[u8]) {
    fuzzing::import(bytes);
}

macro_rules! readers {
    ($($name:ident, $reader:literal, $endings:expr, $seed:literal, $read:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert!(run($reader, &$endings, $seed, $read) >= 300);
            }
        )*
    };
}

readers! {
    damaged_gltf_files_give_folder_or_error, "gltf", ["gltf", "glb"], 1, import;
    damaged_3mf_files_give_folder_or_error, "threemf", ["3mf"], 2, import;
    damaged_urdf_files_give_folder_or_error, "urdf", ["urdf"], 3, import;
    damaged_dae_files_give_folder_or_error, "dae", ["dae"], 4, import;
    damaged_mjcf_files_give_folder_or_error, "mjcf", ["xml"], 5, import;
    damaged_sdf_files_give_folder_or_error, "sdf", ["sdf"], 6, import;
    damaged_ply_files_give_value_or_error, "ply", ["ply"], 7, fuzzing::mesh;
    damaged_off_files_give_value_or_error, "off", ["off"], 8, fuzzing::mesh;
}
