//! Peculiarities of files.
