//! Flags of pictures, and their conflicts before a run.

use crate::cli::flags::REPORT;
use crate::cli::picture_folder::PictureFolder;
use crate::cli::report_flags::OutputFormat;
use crate::error::{Error, Location};
use crate::geom::Vec3;
use crate::picture::Format;
use crate::scene::Selection;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

/// Flags of everything that shows the scene.
#[derive(Debug, Clone, PartialEq, Eq, ClapArgs)]
pub struct SceneArgs {
    /// Number of pictures, at most; the worst findings have one [default: 50].
    #[arg(long, value_name = "N", default_value = "50", hide_default_value = true, help_heading = REPORT)]
    #[arg(hide_short_help = true)]
    pub max_pictures: u32,

    /// Largest size of the page, in MB [default: 20].
    ///
    /// A larger page loses triangles away from the overlaps, then parts far from any finding. A note states both.
    #[arg(long, value_name = "MB", default_value = "20", hide_default_value = true, help_heading = REPORT)]
    #[arg(hide_short_help = true, value_parser = megabytes)]
    pub max_page: Megabytes,

    /// Axis that points up in pictures: x, y or z [default: z].
    #[arg(long, value_enum, default_value = "z", help_heading = REPORT)]
    #[arg(hide_default_value = true, hide_possible_values = true, hide_short_help = true)]
    pub up: UpAxis,

    /// Parts in a page or a model: all, near or pairs [default: all].
    ///
    /// All parts; parts near a finding; or the parts of findings alone, for meshes that must stay in house.
    #[arg(long = "scene", value_enum, value_name = "PARTS", default_value = "all", help_heading = REPORT)]
    #[arg(hide_default_value = true, hide_possible_values = true, hide_short_help = true)]
    pub parts: ShownParts,
}

/// Values of `--scene`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShownParts {
    /// All instances
    All,
    /// Instances near a finding
    Near,
    /// Instances of findings
    Pairs,
}

impl From<ShownParts> for Selection {
    fn from(parts: ShownParts) -> Self {
        match parts {
            ShownParts::All => Self::All,
            ShownParts::Near => Self::Near,
            ShownParts::Pairs => Self::Pairs,
        }
    }
}

/// Flags of the pictures of `check`.
#[derive(Debug, Clone, PartialEq, Eq, ClapArgs)]
pub struct PictureArgs {
    /// Write a PNG picture of each finding to this folder.
    ///
    /// One picture for each line of the table: `ID.png`, with the id of the pair. The run makes the folder, and deletes
    /// pictures of earlier runs from it. Reports in Markdown, `JUnit` and SARIF link the pictures.
    #[arg(long, value_name = "DIR", help_heading = REPORT)]
    pub pictures: Option<PathBuf>,

    /// Link the pictures in Markdown under this address.
    ///
    /// Writes the address before `ID.png`. Without it, Markdown files link the folder by its relative path.
    #[arg(long, value_name = "URL", value_parser = address, requires = "pictures", help_heading = REPORT)]
    #[arg(hide_short_help = true)]
    pub picture_url: Option<String>,

    /// Show the page of the findings in the browser.
    ///
    /// Writes the page to a temporary file. Needs a terminal, and refuses to run in CI.
    #[arg(long, help_heading = REPORT, hide_short_help = true)]
    pub open: bool,

    /// Flags of the scene.
    #[command(flatten)]
    pub scene: SceneArgs,
}

/// Values of `--up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UpAxis {
    /// The x axis
    X,
    /// The y axis
    Y,
    /// The z axis
    Z,
}

impl UpAxis {
    /// Unit vector of the axis.
    pub fn vector(self) -> Vec3 {
        match self {
            Self::X => Vec3::x(),
            Self::Y => Vec3::y(),
            Self::Z => Vec3::z(),
        }
    }
}

/// A size in bytes, written in MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Megabytes(pub usize);

/// Parses a size: a number above 0 in MB.
fn megabytes(text: &str) -> Result<Megabytes, String> {
    match text.parse::<f64>() {
        Ok(size) if size > 0.0 && size <= 1e6 => Ok(Megabytes((size * 1e6) as usize)),
        _ => Err("must be a number of MB above 0, such as 20".to_owned()),
    }
}

/// Parses an address: one word that Markdown can hold, with a final `/`.
fn address(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_graphic() && !"()<>[]\\\"`".contains(c);
    if text.is_empty() || !text.chars().all(plain) {
        return Err("must be an address without spaces and brackets; write them as %20 and the like".to_owned());
    }
    Ok(if text.ends_with('/') { text.to_owned() } else { format!("{text}/") })
}

/// Settings of everything that a run draws.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawingSettings {
    /// Folder of the pictures, if wanted.
    pub(crate) pictures: Option<PictureFolder>,
    /// Text before `ID.png` in Markdown, if given.
    pub(crate) picture_url: Option<String>,
    /// Outputs that show the scene, each once.
    pub(crate) outputs: Vec<OutputFormat>,
    /// True to show the page in the browser.
    pub(crate) open: bool,
    /// Settings of the scene.
    pub(crate) scene: SceneSettings,
}

/// Settings of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SceneSettings {
    /// Largest number of pictures.
    pub(crate) max_pictures: usize,
    /// Size of a picture and its upward direction.
    pub(crate) format: Format,
    /// Instances in models.
    pub(crate) selection: Selection,
    /// Largest size of the page (bytes).
    pub(crate) max_page: usize,
}

impl From<&SceneArgs> for SceneSettings {
    fn from(args: &SceneArgs) -> Self {
        let format = Format { up: args.up.vector(), ..Format::default() };
        Self {
            max_pictures: args.max_pictures as usize,
            format,
            selection: args.parts.into(),
            max_page: args.max_page.0,
        }
    }
}

impl DrawingSettings {
    /// Combines the flags; `outputs` are those that show the scene.
    ///
    /// # Errors
    /// Refuses a folder of pictures with other files in it.
    pub(crate) fn new(args: &PictureArgs, outputs: impl IntoIterator<Item = OutputFormat>) -> Result<Self, Error> {
        let mut kinds: Vec<OutputFormat> = Vec::new();
        let opened = args.open.then_some(OutputFormat::Html);
        for output in outputs.into_iter().chain(opened) {
            if !kinds.contains(&output) {
                kinds.push(output);
            }
        }
        let pictures = args.pictures.as_deref().map(PictureFolder::new).transpose()?;
        Ok(Self {
            pictures,
            picture_url: args.picture_url.clone(),
            outputs: kinds,
            open: args.open,
            scene: SceneSettings::from(&args.scene),
        })
    }
}

/// Refuses an output that needs a scene in a run without one.
///
/// # Errors
/// Returns the refusal: `what` names the output, `why` the run.
pub(crate) fn refuse_without_scene(what: &str, why: &str) -> Error {
    let fix = "draw the findings of a report afterwards: `interfere render ASSEMBLY --report REPORT.json -o OUT`";
    Error::one(Location::default(), format!("{what} needs the meshes, and {why}"), fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_word() {
        assert_eq!(address("https://a.b/c").as_deref(), Ok("https://a.b/c/"));
        assert_eq!(address("pics/").as_deref(), Ok("pics/"));
        for text in ["", "a b", "a)b", "ä", "a\"b"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
