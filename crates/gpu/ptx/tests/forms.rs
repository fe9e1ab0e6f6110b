//! Every form under tests/corpus/forms: read with no other unknown opcode than the file lists, printed and read again, and
//! taken by the assemblers that know it, for all architectures from the file's own.

use machine::target::ComputeCapability;
use machine::toolchain;
use ptx::inst::Op;
use ptx::{Module, check, read};
use testkit::skip;

const ARCHS: [ComputeCapability; 7] = [
    ComputeCapability(3, 5),
    ComputeCapability(5, 2),
    ComputeCapability(6, 1),
    ComputeCapability(7, 0),
    ComputeCapability(8, 0),
    ComputeCapability(9, 0),
    ComputeCapability(10, 0),
];

fn parse(name: &str, text: &str) -> Module {
    read::text(name, text).unwrap_or_else(|d| panic!("{name}: {d:?}\n{text}"))
}

/// The files by name.
fn files() -> Vec<(String, String)> {
    let folder = testkit::root().join("tests/corpus/forms");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let named = |path: &std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(named).collect()
}

#[test]
fn forms_are_known_and_survive_printing() {
    for (name, text) in files() {
        let module = parse(&name, &text);
        let printed = module.to_string();
        assert_eq!(parse(&name, &printed), module.canonical(), "{printed}");
        assert_eq!(check::check(&module), [], "{name}");
        let insts = module.funcs.iter().flat_map(|func| func.insts.values());
        let unknown = insts.filter_map(|data| match &data.op {
            Op::Opaque { opcode, .. } => Some(opcode.as_str()),
            _ => None,
        });
        let listed = text.lines().find_map(|line| line.strip_prefix("// unknown: ")).unwrap_or_default();
        assert_eq!(unknown.collect::<Vec<_>>().join(" "), listed, "{name}");
    }
}

#[test]
fn assemblers_take_what_is_printed() {
    for (name, text) in files() {
        let module = parse(&name, &text);
        let mut taken = Vec::new();
        for arch in ARCHS.into_iter().filter(|arch| 10 * arch.0 + arch.1 >= module.sm) {
            match toolchain::find_for(arch) {
                Ok(toolchain) => {
                    let printed = module.to_string();
                    toolchain
                        .assemble(&printed, arch)
                        .unwrap_or_else(|e| panic!("{name} {}: {e}\n{printed}", arch.sm()));
                    taken.push(arch.sm());
                }
                Err(absent) => skip::skip(format!("{}: {absent}", arch.sm())),
            }
        }
        println!("{name}: {}", taken.join(", "));
    }
}
