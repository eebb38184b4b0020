//! Models the part of SARIF 2.1.0 in use (OASIS Standard, sections 3.13 to 3.59). Keys follow the order of the
//! standard; inapplicable keys are omitted.

use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: Vec<Run>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: Tool,
    pub invocations: [Invocation; 1],
    /// Name of the run among the runs of one log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automation_details: Option<AutomationDetails>,
    pub original_uri_base_ids: BTreeMap<&'static str, ArtifactLocation>,
    pub column_kind: &'static str,
    pub results: Vec<ResultRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<RunProperties>,
}

/// Name of a run; code scanning keeps the results of each name apart.
#[derive(Serialize)]
pub struct AutomationDetails {
    pub id: String,
}

#[derive(Serialize)]
pub struct Tool {
    pub driver: Driver,
}

#[derive(Serialize)]
pub struct Driver {
    pub name: &'static str,
    pub version: &'static str,
    pub rules: Vec<Descriptor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notifications: Vec<Descriptor>,
}

/// Meaning of a rule or a notification.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Text>,
    pub default_configuration: Configuration,
}

#[derive(Serialize)]
pub struct Configuration {
    pub level: Level,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    Warning,
    Error,
}

/// A message; also a multiformat message string of a descriptor.
#[derive(Serialize)]
pub struct Text {
    pub text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub exit_code: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub struct Notification {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    pub message: Text,
    pub level: Level,
    pub descriptor: DescriptorReference,
}

#[derive(Serialize)]
pub struct DescriptorReference {
    pub id: String,
    pub index: usize,
}

/// A result; the name `Result` is taken.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultRow {
    pub rule_id: String,
    pub rule_index: usize,
    pub level: Level,
    pub message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub partial_fingerprints: BTreeMap<&'static str, String>,
    /// Present on all results or on none; an empty list marks a result that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressions: Option<Vec<Suppression>>,
    /// Rank of a finding; 100 for the worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<ResultProperties>,
}

/// File that belongs to a result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub description: Text,
    pub artifact_location: ArtifactLocation,
}

/// Suppression of a result, with its reason.
#[derive(Serialize)]
pub struct Suppression {
    pub kind: &'static str,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub justification: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultProperties {
    pub pair: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Row of the table with groups, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'static str>,
    /// Volume of the intersection (cube of the assembly's unit).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap_volume: Option<f64>,
    /// Position of the pair (the assembly's unit, root frame).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
}

// The standard names the keys.
#[allow(clippy::struct_field_names)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogicalLocation {
    pub name: String,
    pub fully_qualified_name: String,
    pub kind: &'static str,
}

/// Data of the run beyond its results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunProperties {
    pub assembly: String,
    pub verdict: &'static str,
    pub pairs: u64,
    pub counts: BTreeMap<&'static str, u64>,
    /// Number of findings and warnings beyond the limit of a run.
    pub left_out: u64,
}
