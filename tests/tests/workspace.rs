//! The house plan: dependencies between the crates point one way.

use cargo_metadata::MetadataCommand;

/// engine <- agents <- experiments, tests on all (`design/house.md`).
const ALLOWED: [(&str, &[&str]); 4] = [
    ("cuebench-engine", &[]),
    ("cuebench-agents", &["cuebench-engine"]),
    ("cuebench-experiments", &["cuebench-engine", "cuebench-agents"]),
    ("cuebench-tests", &["cuebench-engine", "cuebench-agents", "cuebench-experiments"]),
];

#[test]
fn dependencies_point_one_way() {
    let metadata = MetadataCommand::new()
        .manifest_path(cuebench_tests::workspace().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    assert_eq!(metadata.packages.len(), ALLOWED.len());
    for package in &metadata.packages {
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == package.name.as_str())
            .unwrap_or_else(|| panic!("{} is not in the house plan", package.name));
        for dependency in package.dependencies.iter().filter(|d| d.name.starts_with("cuebench")) {
            assert!(
                allowed.contains(&dependency.name.as_str()),
                "{} -> {}",
                package.name,
                dependency.name
            );
        }
    }
}
