//! The house plan: dependencies between the crates point one way.

use cargo_metadata::MetadataCommand;

/// engine <- agents <- experiments <- python, engine <- agents <- web, tests on all. The doors
/// `python` and `web` are held to it as soon as they are members.
const ALLOWED: [(&str, &[&str]); 6] = [
    ("engine", &[]),
    ("agents", &["engine"]),
    ("experiments", &["engine", "agents"]),
    ("python", &["engine", "agents", "experiments"]),
    ("web", &["engine", "agents"]),
    ("tests", &["engine", "agents", "experiments", "python", "web"]),
];
/// Members that must be there.
const THERE: [&str; 4] = ["engine", "agents", "experiments", "tests"];

#[test]
fn dependencies_point_one_way() {
    let metadata = MetadataCommand::new()
        .manifest_path(cuebench_tests::workspace().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let root = cuebench_tests::workspace().canonicalize().expect("the workspace");
    // Members are known by their folders, whatever they are called.
    let folder = |path: &std::path::Path| {
        let path = path.canonicalize().expect("a folder");
        path.strip_prefix(&root).expect("in the workspace").display().to_string()
    };
    let mut found = vec![];
    for package in &metadata.packages {
        let home = package.manifest_path.parent().expect("a folder");
        let member = folder(home.as_std_path());
        let plan = ALLOWED.iter().find(|(name, _)| *name == member);
        let (_, allowed) = plan.unwrap_or_else(|| panic!("{member} is not in the house plan"));
        for dependency in &package.dependencies {
            let Some(path) = &dependency.path else { continue };
            let on = folder(path.as_std_path());
            assert!(allowed.contains(&&*on), "{member} -> {on}");
        }
        found.push(member);
    }
    assert!(THERE.iter().all(|name| found.iter().any(|member| member == name)), "{found:?}");
}
