//! Writes the baseline file: one line a pair, sorted. A changed pair is one changed line.

use crate::findings::baseline::{Baseline, Entry};
use crate::findings::severity::Severity;
use crate::json::write::write_json;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io;

/// Writes a baseline; `findings::baseline::read()` reads it back without loss.
///
/// # Errors
/// Returns the writer's error.
pub fn render(baseline: &Baseline, out: &mut dyn io::Write) -> io::Result<()> {
    write_json(&File(baseline), out)
}

struct File<'a>(&'a Baseline);

impl Serialize for File<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(schema) = &self.0.schema {
            map.serialize_entry("$schema", schema)?;
        }
        map.serialize_entry("version", &1)?;
        map.serialize_entry("assembly", &self.0.assembly)?;
        map.serialize_entry("units", self.0.units.name())?;
        map.serialize_entry("accepted", &Entries(&self.0.accepted))?;
        map.end()
    }
}

struct Entries<'a>(&'a [Entry]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Line))
    }
}

fn hash(h: u64) -> String {
    format!("{h:016x}")
}

struct Line<'a>(&'a Entry);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let e = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &e.a)?;
        map.serialize_entry("b", &e.b)?;
        if let Some(run) = &e.run {
            map.serialize_entry("run", run)?;
        }
        map.serialize_entry("status", e.status.name())?;
        map.serialize_entry("relation", &e.relation.map(crate::check::Relation::name))?;
        match &e.extent {
            Some(Severity::Depth(depth, shared)) => {
                map.serialize_entry("depth", depth)?;
                if let Some(shared) = shared {
                    map.serialize_entry("volume", &shared.volume)?;
                    map.serialize_entry("volume_slack", &shared.slack)?;
                    map.serialize_entry("volume_facets", &shared.facets)?;
                }
                if let Some(translation) = &e.translation {
                    map.serialize_entry("translation_in_a", &translation.vector)?;
                    map.serialize_entry("translation_facets", &translation.facets)?;
                }
                if let Some(meshes) = e.meshes {
                    map.serialize_entry("meshes", &hash(meshes))?;
                }
            }
            Some(Severity::Gap(gap)) => map.serialize_entry("gap", gap)?,
            Some(Severity::Bracket(bracket) | Severity::Largest(bracket)) => map.serialize_entry("bracket", bracket)?,
            None => {}
        }
        if let Some(uncertainty) = &e.uncertainty {
            map.serialize_entry("uncertainty", uncertainty)?;
        }
        if let Some(travel) = &e.travel {
            map.serialize_entry("travel", travel)?;
        }
        if let Some(motion) = e.motion {
            map.serialize_entry("motion", &hash(motion))?;
        }
        map.serialize_entry("limit", &e.limit)?;
        if let Some(inputs) = e.inputs {
            map.serialize_entry("inputs", &hash(inputs))?;
        }
        map.serialize_entry("reason", &e.reason)?;
        map.end()
    }
}
