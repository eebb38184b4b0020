//! Places the items of a 3MF build: expands components, names instances.

use crate::error::Error;
use crate::geom::{Affine, LengthUnit};
use crate::import::FileFacts;
use crate::import::collect::{Collector, MAX_INSTANCES, Source, SourceIx};
use crate::import::gltf::nodes::refuse_singular;
use crate::import::names::{Siblings, clean};
use crate::import::near_rotation::without_rounding;
use crate::import::refusal::{Refusal, damaged, refuse};
use crate::import::threemf::model::{Model, Object, Placed, missing, parse};
use crate::import::threemf::package::Package;
use std::collections::BTreeMap;

/// Largest nesting depth of components.
const MAX_DEPTH: usize = 64;

/// Largest number of model files.
const MAX_MODELS: usize = 10_000;

/// An object by its model file and number.
type Key = (String, u32);

/// Models of an archive, read on first use.
pub(crate) struct Build<'p, 'b> {
    package: &'p mut Package<'b>,
    file: &'p str,
    units: Option<LengthUnit>,
    models: BTreeMap<String, Model>,
    sources: BTreeMap<Key, SourceIx>,
}

impl<'p, 'b> Build<'p, 'b> {
    pub(crate) fn new(package: &'p mut Package<'b>, file: &'p str, units: Option<LengthUnit>) -> Self {
        Self { package, file, units, models: BTreeMap::new(), sources: BTreeMap::new() }
    }

    /// Places all items of the root model.
    pub(crate) fn place(&mut self, root: &str, collector: &mut Collector) -> Result<FileFacts, Error> {
        self.load(root)?;
        let Some(model) = self.models.get(root) else { return Err(missing(self.file, root, 0)) };
        let items = model.items.clone();
        let value = |name: &str| model.metadata.get(name).filter(|v| !v.is_empty()).cloned();
        let facts = FileFacts { name: value("Title"), generator: value("Application"), ..FileFacts::default() };
        let mut total = 0u64;
        let mut counts = BTreeMap::new();
        for item in &items {
            let key = key_of(root, item);
            let count = self.count(&key, &mut counts, &mut Vec::new())?;
            total = total.saturating_add(count);
        }
        if total > MAX_INSTANCES {
            let what = format!("the build expands to {total} objects, more than {MAX_INSTANCES}");
            return Err(refuse(self.file, Refusal::TooLarge, what, "split the assembly"));
        }
        let mut siblings = Siblings::default();
        for item in &items {
            let key = key_of(root, item);
            let at = (item, self.unit_of(root));
            self.expand(&key, at, None, &Affine::identity(), &mut siblings, collector)?;
        }
        collector.numbered += siblings.numbered;
        let slices = self.models.values().map(|m| m.slices).sum();
        collector.leave_out("stacks of slices", slices, "");
        Ok(facts)
    }

    fn load(&mut self, path: &str) -> Result<(), Error> {
        if self.models.contains_key(path) {
            return Ok(());
        }
        if self.models.len() >= MAX_MODELS {
            let what = format!("more than {MAX_MODELS} model files");
            return Err(refuse(self.file, Refusal::TooLarge, what, "save it as one model"));
        }
        let bytes = self.package.read(path)?;
        let model = parse(&bytes, self.file, path)?;
        self.models.insert(path.to_owned(), model);
        Ok(())
    }

    fn object(&self, key: &Key) -> Result<&Object, Error> {
        let found = self.models.get(&key.0).and_then(|model| model.objects.get(&key.1));
        found.ok_or_else(|| missing(self.file, &key.0, key.1))
    }

    /// Number of instances of an object, once for each object. Refuses a cycle, and prints it.
    fn count(&mut self, key: &Key, known: &mut BTreeMap<Key, u64>, open: &mut Vec<Key>) -> Result<u64, Error> {
        if let Some(count) = known.get(key) {
            return Ok(*count);
        }
        if let Some(from) = open.iter().position(|k| k == key) {
            let names: Vec<String> = open[from..].iter().chain([key]).map(|k| k.1.to_string()).collect();
            return Err(damaged(self.file, format!("component cycle: {}", names.join(" → "))));
        }
        if open.len() >= MAX_DEPTH {
            let what = format!("components nested deeper than {MAX_DEPTH}");
            return Err(refuse(self.file, Refusal::TooLarge, what, "flatten some of them"));
        }
        self.load(&key.0)?;
        let object = self.object(key)?;
        let components: Vec<Key> = object.components.iter().map(|c| key_of(&key.0, c)).collect();
        // Objects without triangles take a visit, too.
        let mut sum = 1_u64;
        open.push(key.clone());
        for component in &components {
            sum = sum.saturating_add(self.count(component, known, open)?);
        }
        open.pop();
        known.insert(key.clone(), sum);
        Ok(sum)
    }

    /// Unit of the numbers of a model file.
    fn unit_of(&self, model: &str) -> LengthUnit {
        self.units.or_else(|| Some(self.models.get(model)?.unit)).unwrap_or(LengthUnit::Mm)
    }

    /// Places an object; its transform has the unit of the model file that names it.
    fn expand(
        &mut self,
        key: &Key,
        (placed, unit): (&Placed, LengthUnit),
        above: Option<&str>,
        placement: &Affine,
        siblings: &mut Siblings,
        collector: &mut Collector,
    ) -> Result<(), Error> {
        let units = self.unit_of(&key.0);
        let own = Affine { translation: placed.transform.translation * unit.mm(), ..placed.transform };
        let placement = placement.after(&without_rounding(own));
        let object = self.object(key)?;
        let name =
            [&placed.part_number, &object.part_number, &object.name].into_iter().flatten().find_map(|n| clean(n));
        let name = name.unwrap_or_else(|| format!("object-{}", key.1));
        // The types of the components count in place of that of their object.
        if object.components.is_empty() && !matches!(object.kind.as_str(), "model" | "surface") {
            let what = format!("objects of type {}", crate::json::wording::one_line(&object.kind));
            collector.leave_out(&what, 1, &name);
            return Ok(());
        }
        let path = siblings.unique(above.map_or_else(|| name.clone(), |above| format!("{above}.{name}")));
        let components: Vec<(Key, Placed)> = object.components.iter().map(|c| (key_of(&key.0, c), c.clone())).collect();
        if !object.mesh.triangles.is_empty() {
            refuse_singular(&placement, &path, self.file)?;
            let source = self.source(key, units, &name, collector)?;
            collector.instance(path, source, &placement);
            return Ok(());
        }
        if components.is_empty() {
            collector.leave_out("objects without triangles", 1, &name);
        }
        for (component, placed) in &components {
            self.expand(component, (placed, units), Some(&path), &placement, siblings, collector)?;
        }
        Ok(())
    }

    fn source(
        &mut self,
        key: &Key,
        units: LengthUnit,
        name: &str,
        collector: &mut Collector,
    ) -> Result<SourceIx, Error> {
        if let Some(known) = self.sources.get(key) {
            return Ok(*known);
        }
        let object = self.object(key)?;
        let name = object.name.clone().unwrap_or_else(|| name.to_owned());
        let mesh = object.mesh.clone();
        let ix = collector.source(Source { mesh, units, name, deflection: None, colour: None });
        self.sources.insert(key.clone(), ix);
        Ok(ix)
    }
}

fn key_of(model: &str, placed: &Placed) -> Key {
    (placed.path.clone().unwrap_or_else(|| model.to_owned()), placed.object)
}
