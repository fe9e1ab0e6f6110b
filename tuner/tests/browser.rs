//! The report of a search in a browser: it is drawn, and nothing in it is an error.

mod common;

use std::process::Command;

use common::mechanism;
use testkit::skip;

#[test]
fn a_browser_draws_the_report_without_an_error() {
    let there = Command::new("chromium").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        return skip::skip("chromium is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut tune = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
    tune.arg(mechanism()).args(["--kernel", "viscosity,conductivity", "--verify", "no-compilers", "--form", "auto"]);
    tune.args(["--vary", "warps=2,4", "--layout", "constants=stripe", "--layout", "matrix=dfma"])
        .arg("-o")
        .arg(folder.path());
    let output = tune.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    let shown = browser.arg(format!("file://{}", folder.path().join("tune.html").display())).output().unwrap();
    let (page, log) = (String::from_utf8_lossy(&shown.stdout), String::from_utf8_lossy(&shown.stderr));
    assert!(shown.status.success(), "{log}");
    assert!(!log.contains(":CONSOLE"), "{log}");
    // As the browser understood it: two kernels with three pictures each, and candidates in all of them.
    assert_eq!(page.matches("<figure>").count(), 6);
    assert_eq!(page.matches("<svg ").count(), 6);
    assert!(page.matches("<circle class=\"candidate\"").count() > 50 && page.trim_end().ends_with("</html>"), "{page}");
}
