//! What a mechanism author reads when something is wrong.

use singe::diagnostic::{Diagnostic, Style, render, to_json};
use singe::mechanism::{Options, Outcome, Sources, decode, parse};

const THERMO: &str = "THERMO
   300.000  1000.000  5000.000
H2                      H   2               G   300.000  5000.000 1000.00      1
 2.50000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00    2
 0.00000000E+00 0.00000000E+00 2.50000000E+00 0.00000000E+00 0.00000000E+00    3
 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00                   4
H                       H   1               G   300.000  5000.000 1000.00      1
 2.50000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00    2
 0.00000000E+00 0.00000000E+00 2.50000000E+00 0.00000000E+00 0.00000000E+00    3
 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00                   4
END
";

fn outcome(mechanism: &str, transport: Option<&str>) -> Outcome {
    let sources = Sources {
        name: "case".to_owned(),
        mechanism: decode("chem.inp", mechanism.as_bytes()),
        thermo: Some(decode("therm.dat", THERMO.as_bytes())),
        transport: transport.map(|text| decode("tran.dat", text.as_bytes())),
        reduction: None,
    };
    parse(&sources, Options::default())
}

fn diagnostics(reactions: &str) -> Vec<Diagnostic> {
    let mechanism = format!("ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n{reactions}END\n");
    match outcome(&mechanism, None) {
        Ok((_, warnings)) => warnings,
        Err(diagnostics) => diagnostics,
    }
}

#[test]
fn several_problems_are_shown_at_once() {
    let text = render(
        &diagnostics(
            "H2+M=2H+M  4.577E+19 -1.4O 104400\n  AR/0.0/\nH2+O2=2H 1 0 0\n2H=H2 -1E10 0 0\n H2=H 1 0 0\n FIT1/1 2 3 4/\n",
        ),
        Style::Plain,
    );
    insta::assert_snapshot!(text);
}

#[test]
fn keywords_that_do_not_go_together_are_refused() {
    for (reactions, id, text) in [
        ("2H(+M)=H2(+M) 1 0 0\n", "mechanism::keyword-conflict", "2H(+M)=H2(+M) 1 0 0"),
        ("2H+M=H2+M 1 0 0\nLOW/1 0 0/\n", "mechanism::keyword-conflict", "LOW/1 0 0/"),
        ("2H(+M)=H2(+M) 1 0 0\nLOW/1 0 0/ HIGH/1 0 0/\n", "mechanism::keyword-conflict", "HIGH/1 0 0/"),
        ("2H=H2 1 0 0\nTROE/1 2 3/\n", "mechanism::keyword-conflict", "TROE/1 2 3/"),
        ("2H=H2 1 0 0\nLT/1 2/ REV/1 0 0/\n", "mechanism::keyword-conflict", "LT/1 2/"),
        ("2H=H2 1 0 0\nRLT/1 2/\n", "mechanism::keyword-conflict", "RLT/1 2/"),
        ("2H=H2 1 0 0\nH2/2/\n", "mechanism::keyword-conflict", "H2/2/"),
        ("2H(+M)=H2(+M) 1 0 0\nLOW/1 0 0/ REV/1 0 0/\n", "mechanism::keyword-conflict", "REV/1 0 0/"),
        ("2H=H2 1 0 0\nREV/1 0 0/ REV/1 0 0/\n", "mechanism::repeated-keyword", "REV/1 0 0/"),
        ("2H(+M)=H2(+M) 1 0 0\nLOW/1 0/\n", "mechanism::value-count", "LOW/1 0/"),
        ("2H=H2 1 0 0\nPLOG/0 1 0 0/\n", "mechanism::pressure", "0"),
        ("2H=H2 1 0 0\nUNITS/FURLONGS/\n", "mechanism::unknown-unit", "FURLONGS"),
        ("2H=H2 1 0 0\nFORD/X 1/\n", "mechanism::unknown-species", "X"),
        ("2H+M=H2 1 0 0\n", "mechanism::third-body", "2H+M=H2"),
        ("2H+=H2 1 0 0\n", "mechanism::equation", "+"),
        ("2H=H2=H2 1 0 0\n", "mechanism::equation", "="),
        ("2H=H2 1 0\n", "mechanism::rate-numbers", "2H=H2 1 0"),
        ("2H=H2 1 0 nan\n", "mechanism::malformed-number", "nan"),
        ("H=H2 1 0 0\n", "mechanism::unbalanced", "H=H2 1 0 0"),
    ] {
        let diagnostics = diagnostics(reactions);
        let found =
            diagnostics.iter().filter(|d| d.is_error()).map(|d| (d.id, d.span.as_ref().map_or("", |s| s.text())));
        assert_eq!(found.collect::<Vec<_>>(), [(id, text)], "{reactions}");
    }
}

#[test]
fn the_place_is_counted_in_lines_and_characters() {
    let diagnostics = diagnostics("! \u{e9}t\u{e9}\r\n2 H = \u{e9} + H2  1 0 0\r\n");
    let place = diagnostics.first().and_then(|d| d.span.as_ref()).map(|span| (span.line_column(), span.text()));
    assert_eq!(place, Some(((5, 7), "\u{e9}")));
}

#[test]
fn lines_that_end_in_carriage_returns_keep_their_numbers() {
    let lines = "2H+M=H2+M 1 0 0\n2H=H3 1 0 0\nH2+M=2H+M 1 0 0\n";
    let text = |lines: &str| render(&diagnostics(lines), Style::Plain);
    assert_eq!(text(&lines.replace('\n', "\r\n")), text(lines));
    assert!(text(lines).contains("6 | H2+M=2H+M 1 0 0"));
}

#[test]
fn a_species_without_transport_data_is_an_error_only_where_there_is_transport_data() {
    let mechanism = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n";
    let (without, _) = outcome(mechanism, None).expect("no transport data is needed");
    assert!(without.species.iter().all(|species| species.transport.is_none()));
    let diagnostics =
        outcome(mechanism, Some("H 0 145. 2.05 0 0 0\nh3 1 38. 2.9 0 .8 280.\n")).expect_err("H2 is missing");
    insta::assert_snapshot!(render(&diagnostics, Style::Plain));
}

#[test]
fn scripts_get_json() {
    let json = to_json(&diagnostics("2H=H2 1 0 x\n"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).expect("plain data"));
}

#[test]
fn a_file_that_is_no_mechanism_does_not_flood_the_screen() {
    let diagnostics = diagnostics(&"gibberish\n".repeat(5000));
    assert_eq!(diagnostics.len(), 1001);
    // 5000 lines, and the warning that there are no reactions.
    assert_eq!(diagnostics[1000].message, "4001 further problems are not shown");
}
