//! The pictures of schedules, and the report as one page: what a browser makes of it where there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::skip;

const KERNELS: [&str; 4] = ["viscosity", "conductivity", "diffusion", "chemistry"];

fn compile(folder: &Path, arguments: &[&str]) {
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(mechanism)
        .args(["--verify", "off,no-compilers", "-o"])
        .arg(folder)
        .args(arguments)
        .assert()
        .success();
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the text that a pointer shows of each rectangle, with its colour.
fn tips(svg: &str) -> Vec<(&str, &str)> {
    fn between<'a>(line: &'a str, start: &str, end: &str) -> &'a str {
        line.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(text, _)| text)
    }
    let rectangles = svg.lines().filter(|line| line.starts_with("<rect") && line.contains("<title>"));
    rectangles.map(|line| (between(line, "<title>", "</title>"), between(line, "fill=\"", "\""))).collect()
}

/// The kind and part of a block: `warp 1, phase 2: KIND (PART), 12 slots; …`, or of straight-line code `KIND: 12 slots, …; …`.
fn kind(tip: &str) -> Option<&str> {
    if let Some((kind, rest)) = tip.split_once(": ")
        && rest.contains(" values live")
    {
        return Some(kind).filter(|kind| !kind.contains(' '));
    }
    tip.split_once(", phase ")?.1.split_once(": ")?.1.split_once(", ").map(|(kind, _)| kind)
}

#[test]
fn a_kind_has_one_colour_in_all_layouts_and_no_other_kind_of_a_kernel_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut of_kind: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, arguments) in [
        ("overlay", &["--codegen", "overlay", "--warps", "8"][..]),
        ("switch", &["--codegen", "switch", "--warps", "4", "--form", "pairwise"]),
        ("data-parallel", &["--codegen", "data-parallel"]),
    ] {
        let out = folder.path().join(name);
        compile(&out, &[arguments, &["--emit", "picture"]].concat());
        for kernel in KERNELS {
            let svg = read(out.join(format!("h2o2_{kernel}.svg")));
            let blocks: Vec<(&str, &str)> =
                tips(&svg).into_iter().filter_map(|(tip, fill)| Some((kind(tip)?, fill))).collect();
            assert!(!blocks.is_empty(), "{name} {kernel}");
            let mut own: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (kind, fill) in blocks {
                // Operations without iterations have the colour of iterations.
                own.entry(fill).or_default().insert(kind.trim_end_matches(" (iterations)"));
                of_kind.entry(kind.to_owned()).or_default().insert(fill.to_owned());
                assert!(svg.contains(&format!("<title>{kind}</title>")), "{kind} is not in the legend of {kernel}");
            }
            assert!(own.values().all(|kinds| kinds.len() == 1), "{name} {kernel}: {own:?}");
        }
    }
    assert!(of_kind.len() > 12 && of_kind.values().all(|fills| fills.len() == 1), "{of_kind:?}");
}

#[test]
fn the_share_of_a_warp_is_that_of_its_blocks() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), &["--codegen", "overlay", "--warps", "4", "--emit", "picture", "--kernel", "diffusion"]);
    let svg = read(folder.path().join("h2o2_diffusion.svg"));
    let length: f64 = {
        let rest = svg.split_once("warp 0 waits or is done: ").unwrap().1;
        rest.split_once(" of ").unwrap().1.split(' ').next().unwrap().parse().unwrap()
    };
    for warp in 0..4 {
        let number = |text: &str, before: &str| -> f64 {
            text.split(before).next().unwrap().rsplit(' ').next().unwrap().parse().unwrap()
        };
        let own = format!("warp {warp}, phase ");
        let slots: f64 =
            tips(&svg).iter().filter(|tip| tip.0.starts_with(&own)).map(|tip| number(tip.0, " slots")).sum();
        let said = svg.split_once(&format!("warp {warp}: {slots} double-precision slots; busy in ")).unwrap().1;
        let share: f64 = said.split(' ').next().unwrap().parse().unwrap();
        assert!((share - 100.0 * slots / length).abs() < 0.06, "warp {warp}: {share} of {slots} in {length}");
    }
}

#[test]
fn time_is_in_clocks_where_the_model_ran_the_machine_code() {
    let folder = tempfile::tempdir().unwrap();
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let arguments = ["--kernel", "diffusion", "--codegen", "overlay", "--warps", "4", "--target", "hopper"];
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(mechanism)
        .args(arguments)
        .args(["--verify", "1", "--emit", "picture,report,html", "-o"])
        .arg(folder.path())
        .assert()
        .success();
    let report: serde_json::Value = serde_json::from_str(&read(folder.path().join("report.json"))).unwrap();
    if report["kernels"][0]["prediction"].is_null() {
        return skip::skip("ptxas or nvdisasm is absent (`cargo xtask toolchain` installs them)");
    }
    let svg = read(folder.path().join("h2o2_diffusion.svg"));
    assert!(svg.contains(">clocks</text>") && svg.contains("by the model of time"), "{svg}");
    // The turn of the picture is one of those of which the model tells the mean.
    let said: f64 = {
        let rest = svg.split_once("waits or is done: ").unwrap().1;
        rest.split_once(" of ").unwrap().1.split(' ').next().unwrap().parse().unwrap()
    };
    let causes = report["kernels"][0]["prediction"]["warps"][0]["causes"].as_object().unwrap();
    let turn: f64 = causes.values().filter_map(serde_json::Value::as_f64).sum();
    assert!((said / turn - 1.0).abs() < 0.35, "{said} clocks in the picture, {turn} in the mean of all turns");
    let page = read(folder.path().join("report.html"));
    assert_eq!(page.matches("<svg").count(), 3, "the schedule, the timeline and the causes");
    whole(&page);
    browsed(&folder.path().join("report.html"));
}

#[test]
fn data_parallel_code_shows_its_values_and_what_its_slots_go_to() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), &["--codegen", "data-parallel", "--emit", "picture,report", "--kernel", "chemistry"]);
    let svg = read(folder.path().join("h2o2_chemistry.svg"));
    assert!(!svg.contains("waits or is done") && svg.contains("prefers-color-scheme:dark"), "{svg}");
    let number = |text: &str, before: &str| -> f64 {
        text.split(before).next().unwrap().rsplit(' ').next().unwrap().parse().unwrap()
    };
    // The ribbon goes over all slots without a gap, and the bars have what it has.
    let ribbon: Vec<&str> =
        tips(&svg).into_iter().map(|tip| tip.0).filter(|tip| tip.contains("; up to ") && tip.contains(": ")).collect();
    let slots: f64 = ribbon.iter().map(|tip| number(tip, " slots")).sum();
    let end = ribbon.iter().map(|tip| number(tip, "; up to")).fold(0.0, f64::max);
    let bars: f64 =
        tips(&svg).iter().filter(|tip| tip.0.contains(" slots for ")).map(|tip| number(tip.0, " slots for")).sum();
    assert_eq!((slots, bars), (end, end));
    // More values live than the state has, fewer than all that are made; and the curve is as high as the ribbon says.
    let most = |of: &dyn Fn(&str) -> bool| {
        tips(&svg).iter().filter(|tip| of(tip.0)).map(|tip| number(tip.0, " values live")).fold(0.0, f64::max)
    };
    let (curve, told) = (most(&|tip| tip.starts_with("slots ")), most(&|tip| tip.contains("; up to ")));
    assert!(curve == told && curve > 9.0 && curve < 200.0, "{curve} {told}");
}

#[test]
fn the_page_stands_alone_and_its_links_lead_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), &["--emit", "html", "--warps", "4"]);
    let page = read(folder.path().join("report.html"));
    whole(&page);
    assert_eq!(page.matches("<svg").count(), 4);
    for text in ["registers", "All candidates, in order", "Forms, counted for one point", "proven"] {
        assert!(page.contains(text), "{text}");
    }
    let place = |id: &str| page.find(&format!("<section id=\"{id}\">")).unwrap_or_else(|| panic!("{id}"));
    assert!(place("summary") < place("h2o2-viscosity") && place("h2o2-chemistry") < place("figures"));
    assert!(page.contains("prefers-color-scheme: dark"), "{page}");
    browsed(&folder.path().join("report.html"));
}

/// No script, nothing from elsewhere, every link's target on the page, every name once.
fn whole(page: &str) {
    assert!(!page.contains("<script") && !page.contains("src="), "something is loaded");
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let unique: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    let mut links = 0;
    for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let own = link.strip_prefix('#').is_some_and(|id| ids.contains(&id));
        assert!(own || link == "data:,", "{link}");
        links += 1;
    }
    assert!(links > 2, "{links}");
}

/// A browser without a window says nothing on its console about the page, and shows its figures.
fn browsed(path: &Path) {
    let profile = tempfile::tempdir().unwrap();
    let flags =
        ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=2000"];
    let mut command = Command::new("chromium");
    command.args(flags).arg(format!("--user-data-dir={}", profile.path().display())).arg("--dump-dom");
    let Ok(Output { status, stdout, stderr }) = command.arg(format!("file://{}", path.display())).output() else {
        return skip::skip("chromium is absent (Debian's package of that name has it, 400 MB)");
    };
    let (shown, log) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{log}");
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(shown.contains("</figure>") && shown.ends_with("</html>\n"), "{shown}");
}
