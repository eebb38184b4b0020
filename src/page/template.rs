//! Writes the document.
//!
//! The policy comes before everything else. It names the one script and the one style by their hashes, so a browser
//! runs no script of the data, and loads nothing.

use crate::findings::Judged;
use crate::page::Found;
use crate::page::data::Data;
use crate::page::encode::Encoded;
use crate::page::rows::warnings;
use crate::page::rows::{self, escaped};
use crate::report::sentence::verdict;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Program of the page, with comments.
const VIEWER: &str = include_str!("viewer.js");

/// Program of the page without indentation and lines of comment: every page holds it.
fn viewer() -> String {
    let is_comment = |line: &&str| line.starts_with("//") || (line.starts_with("/**") && line.ends_with("*/"));
    VIEWER.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).collect::<Vec<_>>().join("\n")
}

/// Style of the page, with comments.
const STYLE: &str = include_str!("viewer.css");

/// Style of the page without indentation, lines of comment and blanks that a browser ignores.
fn style() -> String {
    let is_comment = |line: &&str| line.starts_with("/*") && line.ends_with("*/");
    let lines: Vec<&str> = STYLE.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).collect();
    let mut text = lines.join("\n").replace(" {", "{").replace(" }", "}").replace(" > ", ">").replace(": ", ":");
    for end in ["{", "}", ";", ","] {
        text = text.replace(&format!("{end} "), end).replace(&format!("{end}\n"), end);
    }
    text.replace(";}", "}")
}

/// Elements that the program fills.
pub(crate) const APP: &str = include_str!("app.html");

/// Source expression of a Content Security Policy (W3C, Content Security Policy Level 3, §2.3.1).
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Paragraph about missing detail and missing parts; empty without any.
fn left_out(notes: &[String]) -> String {
    if notes.is_empty() { String::new() } else { format!(" <p id=\"less\">{}</p>", escaped(&notes.join("; "))) }
}

/// Writes the document.
pub(crate) fn document(
    judged: &Judged,
    found: &Found<'_>,
    data: &Data<'_>,
    meshes: &[Encoded],
    pictures: &str,
    notes: &[String],
) -> String {
    let o = &judged.outcome;
    let (name, word) = (escaped(&o.name), if judged.fails() { "fail" } else { "pass" });
    let (viewer, style) = (viewer(), style());
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        source(&viewer),
        source(&style)
    );
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"{} {}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{name}: {word}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
    );
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<header id=\"top\"><span id=\"verdict\" class=\"{word}\">{}</span> <h1>{name}</h1> <p id=\"said\">{}</p>{}</header>",
        word.to_uppercase(),
        escaped(&verdict(judged)),
        left_out(notes),
    );
    out.push_str(APP);
    let _ = writeln!(
        out,
        "<main id=\"static\">\n<p id=\"plain\">Table and pictures. The 3D view needs scripts, WebGL 2 and a browser \
         of 2023 or later.</p>\n{}{}{}</main>",
        rows::tables(judged, found),
        pictures,
        warnings(judged),
    );
    let _ = writeln!(out, "<script type=\"application/json\" id=\"report\">{}</script>", data.json());
    for (k, mesh) in meshes.iter().enumerate() {
        let _ = writeln!(out, "<script type=\"text/plain\" data-mesh=\"{k}\">{}</script>", mesh.text);
    }
    let _ = writeln!(out, "<script>{viewer}</script>\n</body>\n</html>");
    out
}
