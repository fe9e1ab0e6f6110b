//! The rules of SARIF 2.1.0 (OASIS Standard, section 3, and its schema) for the objects that the command writes: which properties each has
//! and must have, their types, and what they say of each other.

use std::collections::BTreeSet;

use serde_json::Value;

/// An object: its name, the properties that it must have, and those that it may have with their types, of those that we write.
type Object = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const OBJECTS: [Object; 19] = [
    ("sarifLog", &["version", "runs"], &[("$schema", "string"), ("version", "string"), ("runs", "[run")]),
    (
        "run",
        &["tool"],
        &[("tool", "tool"), ("invocations", "[invocation"), ("columnKind", "string"), ("results", "[result")],
    ),
    ("tool", &["driver"], &[("driver", "toolComponent")]),
    (
        "toolComponent",
        &["name"],
        &[("name", "string"), ("version", "string"), ("semanticVersion", "string"), ("rules", "[reportingDescriptor")],
    ),
    (
        "reportingDescriptor",
        &["id"],
        &[
            ("id", "string"),
            ("shortDescription", "multiformatMessageString"),
            ("fullDescription", "multiformatMessageString"),
            ("help", "multiformatMessageString"),
            ("defaultConfiguration", "reportingConfiguration"),
        ],
    ),
    ("reportingConfiguration", &[], &[("level", "string")]),
    ("multiformatMessageString", &["text"], &[("text", "string")]),
    (
        "invocation",
        &["executionSuccessful"],
        &[("executionSuccessful", "boolean"), ("toolExecutionNotifications", "[notification")],
    ),
    (
        "notification",
        &["message"],
        &[("level", "string"), ("message", "message"), ("descriptor", "reference"), ("locations", "[location")],
    ),
    ("reference", &["id"], &[("id", "string")]),
    (
        "result",
        &["message", "ruleId"],
        &[
            ("ruleId", "string"),
            ("ruleIndex", "integer"),
            ("kind", "string"),
            ("level", "string"),
            ("message", "message"),
            ("locations", "[location"),
            ("relatedLocations", "[location"),
            ("codeFlows", "[codeFlow"),
            ("partialFingerprints", "bag"),
            ("baselineState", "string"),
            ("properties", "bag"),
        ],
    ),
    ("message", &["text"], &[("text", "string")]),
    (
        "location",
        &["physicalLocation"],
        &[
            ("id", "integer"),
            ("physicalLocation", "physicalLocation"),
            ("logicalLocations", "[logicalLocation"),
            ("message", "message"),
        ],
    ),
    ("physicalLocation", &["artifactLocation"], &[("artifactLocation", "artifactLocation"), ("region", "region")]),
    ("artifactLocation", &["uri"], &[("uri", "string"), ("uriBaseId", "string")]),
    ("region", &["startLine"], &[("startLine", "integer"), ("startColumn", "integer"), ("snippet", "artifactContent")]),
    ("artifactContent", &["text"], &[("text", "string")]),
    ("logicalLocation", &["name"], &[("name", "string"), ("decoratedName", "string"), ("kind", "string")]),
    ("codeFlow", &["threadFlows"], &[("message", "message"), ("threadFlows", "[threadFlow")]),
];

const FLOWS: [Object; 2] = [
    ("threadFlow", &["locations"], &[("id", "string"), ("locations", "[threadFlowLocation")]),
    ("threadFlowLocation", &["location"], &[("location", "location"), ("executionOrder", "integer")]),
];

/// Checks a log; fails with the path of what breaks a rule.
pub fn check(log: &Value) {
    object(log, "sarifLog", "log");
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().unwrap() {
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), rules.len(), "3.19.23: ids of rules are distinct");
        run["results"].as_array().unwrap().iter().for_each(|one| result(one, rules));
    }
}

/// Checks what the properties of a result say of each other.
fn result(result: &Value, rules: &[Value]) {
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(rules[index]["id"], result["ruleId"], "3.27.6");
    let (kind, level) = (result["kind"].as_str().unwrap(), result["level"].as_str().unwrap());
    assert!(["pass", "open", "informational", "notApplicable", "review", "fail"].contains(&kind), "3.27.9: {kind}");
    assert!(["none", "note", "warning", "error"].contains(&level), "3.27.10: {level}");
    assert!(kind == "fail" || level == "none", "3.27.10: {kind} {level}");
    if let Some(state) = result.get("baselineState") {
        assert!(["new", "unchanged", "updated", "absent"].contains(&state.as_str().unwrap()), "3.27.24: {state}");
    }
    let own = result["locations"].as_array().unwrap();
    assert_eq!(own.len(), 1);
    let related = result.get("relatedLocations").and_then(Value::as_array).into_iter().flatten();
    let mut ids = BTreeSet::new();
    for location in own.iter().chain(related) {
        place(location);
        let id = location.get("id").map(|id| id.as_u64().unwrap());
        assert!(id.is_none_or(|id| ids.insert(id)), "3.28.2: ids of locations are distinct");
    }
    for flow in result.get("codeFlows").and_then(Value::as_array).into_iter().flatten() {
        let threads = flow["threadFlows"].as_array().unwrap();
        assert!(!threads.is_empty(), "3.36.3");
        let mut orders = BTreeSet::new();
        for thread in threads {
            let steps = thread["locations"].as_array().unwrap();
            assert!(!steps.is_empty(), "3.37.6");
            let own: Vec<i64> = steps.iter().map(|step| step["executionOrder"].as_i64().unwrap()).collect();
            assert!(
                own.is_sorted() && own.iter().all(|order| *order >= 0 && orders.insert(*order)),
                "3.38.11: {own:?}"
            );
            steps.iter().for_each(|step| place(&step["location"]));
        }
    }
}

fn place(location: &Value) {
    let physical = &location["physicalLocation"];
    let address = &physical["artifactLocation"];
    let uri = address["uri"].as_str().unwrap();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:%".contains(c);
    assert!(!uri.is_empty() && uri.chars().all(is_plain), "3.10: {uri}");
    let is_absolute = uri.starts_with("file:///");
    assert!(is_absolute != address.get("uriBaseId").is_some(), "3.4.4: {address}");
    assert!(is_absolute || !uri.starts_with('/') && !uri.contains(".."), "3.10.2: {uri}");
    if let Some(region) = physical.get("region") {
        assert!(region["startLine"].as_u64().unwrap() > 0, "3.30.5");
        assert!(region.get("startColumn").is_none_or(|column| column.as_u64().unwrap() > 0), "3.30.6");
    }
}

/// Checks the properties of an object and their types.
fn object(value: &Value, name: &str, path: &str) {
    let known = OBJECTS.iter().chain(&FLOWS).find(|(known, ..)| *known == name);
    let (_, required, properties) = known.unwrap_or_else(|| panic!("{path}: no object {name}"));
    let fields = value.as_object().unwrap_or_else(|| panic!("{path} is no object: {value}"));
    for name in *required {
        assert!(fields.contains_key(*name), "{path} has no {name}");
    }
    for (field, value) in fields {
        let path = format!("{path}.{field}");
        let property = properties.iter().find(|(known, _)| known == field);
        let (_, kind) = property.unwrap_or_else(|| panic!("{path}: the standard has no such property here"));
        match *kind {
            "string" => assert!(value.as_str().is_some_and(|text| !text.is_empty()), "{path}: {value}"),
            "integer" => assert!(value.is_i64() || value.is_u64(), "{path}: {value}"),
            "boolean" => assert!(value.is_boolean(), "{path}: {value}"),
            "bag" => assert!(value.is_object(), "{path}: {value}"),
            list if list.starts_with('[') => {
                let items = value.as_array().unwrap_or_else(|| panic!("{path} is no list: {value}"));
                items.iter().enumerate().for_each(|(at, item)| object(item, &list[1..], &format!("{path}[{at}]")));
            }
            name => object(value, name, &path),
        }
    }
}

#[test]
fn what_breaks_a_rule_is_noticed() {
    let result = serde_json::json!({
        "ruleId": "race", "ruleIndex": 0, "kind": "fail", "level": "error", "message": { "text": "m" },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "k.cu", "uriBaseId": "%SRCROOT%" }, "region": { "startLine": 1 } } }],
    });
    let log = |result: Value| {
        serde_json::json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": { "name": "singe", "rules": [{ "id": "race" }] } },
            "columnKind": "unicodeCodePoints", "results": [result] }] })
    };
    check(&log(result.clone()));
    for (pointer, wrong) in [
        ("/kind", serde_json::json!("open")),
        ("/ruleId", serde_json::json!("deadlock")),
        ("/message", serde_json::json!({})),
        ("/locations/0/physicalLocation/region/startLine", serde_json::json!(0)),
        ("/locations/0/physicalLocation/artifactLocation/uri", serde_json::json!("a b.cu")),
        ("/level", serde_json::json!("fatal")),
    ] {
        let mut broken = result.clone();
        *broken.pointer_mut(pointer).unwrap() = wrong;
        assert!(std::panic::catch_unwind(|| check(&log(broken))).is_err(), "{pointer}");
    }
}
