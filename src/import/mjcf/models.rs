//! A model and the models that it attaches: settings of each, and one tree of elements with all copies in place.

use crate::error::{Error, Problem};
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::mjcf::compiler::Compiler;
use crate::import::mjcf::copies::{Budget, Copies};
use crate::import::mjcf::defaults::{Defaults, Styled};
use crate::import::mjcf::geoms::Assets;
use crate::import::mjcf::include::{MAX_DEPTH, Reader};
use crate::import::references::References;
use crate::import::refusal::{Refusal, problem};
use crate::json::wording::quoted;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Elements that change a model in ways this reader does not follow.
const REFUSED: [&str; 3] = ["composite", "flexcomp", "flex"];

/// Largest number of models that attach each other in turn.
const MAX_NESTED: usize = 32;

/// Settings and meshes of a model.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) compiler: Compiler,
    pub(crate) defaults: Defaults,
    pub(crate) assets: Assets,
}

/// Settings of all models, by the scopes of their elements.
#[derive(Debug, Default)]
pub(crate) struct Scopes(Vec<Scope>);

impl Scopes {
    pub(crate) fn of(&self, element: &Element) -> &Scope {
        &self.0[element.scope]
    }

    /// An element with its own class, else with the class of its surroundings.
    ///
    /// # Errors
    /// Refuses an unknown class.
    pub(crate) fn styled<'a>(
        &'a self,
        element: &'a Element,
        surrounding: Option<&'a str>,
    ) -> Result<Styled<'a>, Problem> {
        let Scope { compiler, defaults, .. } = self.of(element);
        defaults.styled(element, surrounding, compiler)
    }
}

/// A model that others attach.
#[derive(Debug)]
pub(crate) struct Model {
    name: String,
    /// Sections of its world, with all copies in place.
    pub(crate) worlds: Vec<Element>,
    /// Elements that name bodies, geometries and joints.
    pub(crate) references: Vec<Element>,
}

/// Reads a model and the models that it attaches.
pub(crate) struct Models<'r, 'l, 'c> {
    references: &'r References<'l>,
    collector: &'c mut Collector,
    pub(crate) reader: Reader<'r, 'l>,
    pub(crate) scopes: Scopes,
    budget: Budget,
    read: BTreeMap<PathBuf, Rc<Model>>,
    /// Files of the models that are not yet complete.
    open: Vec<PathBuf>,
}

impl<'r, 'l, 'c> Models<'r, 'l, 'c> {
    pub(crate) fn new(references: &'r References<'l>, collector: &'c mut Collector) -> Self {
        let reader = Reader::new(references);
        let (scopes, budget, read) = (Scopes::default(), Budget::default(), BTreeMap::new());
        Self { references, collector, reader, scopes, budget, read, open: Vec::new() }
    }

    /// Reads a model; `folder` is the folder of an attached model. Returns its tree, with all copies in place.
    ///
    /// # Errors
    /// Refuses elements by name, damaged content, missing files, models that attach each other in a circle, and too
    /// many copies.
    pub(crate) fn model(&mut self, bytes: &[u8], file: &str, folder: Option<&Path>) -> Result<Element, Error> {
        let own = folder.unwrap_or(self.references.folder()).to_owned();
        let mut root = self.reader.read(bytes, file, &own)?;
        refuse_by_name(&root)?;
        let scope = self.scopes.0.len();
        root.walk_mut(&mut |e| e.scope = scope);
        let compiler = Compiler::read(&root)?;
        let defaults = Defaults::read(&root)?;
        let assets = Assets::read(&root, &compiler, &defaults, folder)?;
        self.scopes.0.push(Scope { compiler, defaults, assets });
        let mut models = BTreeMap::new();
        for element in root.all("asset").flat_map(|section| section.all("model")) {
            let model = self.attached(element, &own)?;
            let name = element.attribute("name").unwrap_or(&model.name).to_owned();
            models.insert(name, model);
        }
        let compiler = &self.scopes.0[scope].compiler;
        let mut copies = Copies::new(compiler, &models, &mut self.budget, self.collector, &mut root);
        for world in root.children.iter_mut().filter(|e| e.name == "worldbody") {
            copies.expand(world)?;
        }
        copies.finish(&mut root);
        if root.depth() > MAX_DEPTH {
            return Err(root.too_large(format!("elements nested deeper than {MAX_DEPTH}")).into());
        }
        Ok(root)
    }

    /// The model of an asset.
    fn attached(&mut self, asset: &Element, folder: &Path) -> Result<Rc<Model>, Error> {
        let written = asset.attribute("file").unwrap_or_default();
        let path = self.references.find(folder, written).map_err(|p| Problem { at: asset.place(), ..p })?;
        if let Some(known) = self.read.get(&path) {
            return Ok(Rc::clone(known));
        }
        if self.open.contains(&path) {
            return Err(asset.bad(format!("{} attaches itself", quoted(written))).into());
        }
        if self.open.len() >= MAX_NESTED {
            return Err(asset.too_large(format!("models nested deeper than {MAX_NESTED}")).into());
        }
        let (bytes, shown) = self.references.read(&path)?;
        self.reader.sources.push(shown.clone());
        self.open.push(path.clone());
        let mut root = self.model(&bytes, &shown, path.parent())?;
        self.open.pop();
        if root.name != "mujoco" {
            let what = format!("an attached model of the format {}", quoted(&root.name));
            return Err(problem(asset.place(), Refusal::Unsupported, what, "save it as MJCF").into());
        }
        let keys = root.all("keyframe").map(|section| section.children.len() as u64).sum();
        self.collector.leave_out("keyframes of attached models", keys, &shown);
        let is_world = |e: &Element| e.name == "worldbody";
        let (worlds, rest): (Vec<Element>, _) = std::mem::take(&mut root.children).into_iter().partition(is_world);
        root.children = rest;
        count_left_out(&root, self.collector);
        let is_reference = |e: &&Element| matches!(e.name.as_str(), "contact" | "equality");
        let references = root.children.iter().filter(is_reference).flat_map(|e| e.children.clone()).collect();
        let name = root.attribute("model").unwrap_or_default().to_owned();
        let model = Rc::new(Model { name, worlds, references });
        self.read.insert(path, Rc::clone(&model));
        Ok(model)
    }
}

fn refuse_by_name(root: &Element) -> Result<(), Error> {
    let mut problems = Vec::new();
    root.walk(&mut |e| {
        if REFUSED.contains(&e.name.as_str()) {
            let what = format!("`{}` in a MuJoCo model", e.name);
            let fix = "load the model in MuJoCo, and save it as XML: python -c \"import mujoco; \
                       m = mujoco.MjModel.from_xml_path('A.xml'); mujoco.mj_saveLastXML('B.xml', m)\"";
            problems.push(problem(e.place(), Refusal::Unsupported, what, fix));
        }
    });
    problems.truncate(20);
    if problems.is_empty() { Ok(()) } else { Err(Error { problems }) }
}

/// Counts the elements of a model that are no parts.
pub(crate) fn count_left_out(root: &Element, collector: &mut Collector) {
    let mut counts = [("camera", "cameras", 0), ("light", "lights", 0), ("skin", "skins", 0), ("tendon", "tendons", 0)];
    for section in &root.children {
        match section.name.as_str() {
            "worldbody" | "asset" | "deformable" => section.walk(&mut |e| {
                counts.iter_mut().filter(|(name, ..)| *name == e.name).for_each(|(.., count)| *count += 1);
            }),
            "tendon" => counts[3].2 += section.children.len() as u64,
            _ => {}
        }
    }
    for (_, what, count) in counts {
        collector.leave_out(what, count, "");
    }
}
