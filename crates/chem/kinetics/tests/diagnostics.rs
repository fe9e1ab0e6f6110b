//! Messages that a mechanism author reads when something is wrong; more of them stand in `files/mechanisms`.

use diagnostics::{Diagnostic, Style, render, to_json};
use mechanism::{Files, Options, Outcome, Sources, decode, parse, read};
use testkit::hydrogen::THERMO;

fn outcome(mechanism: &str, transport: Option<&str>) -> Outcome {
    let sources = Sources {
        thermo: Some(decode("therm.dat", THERMO.as_bytes())),
        transport: transport.map(|text| decode("tran.dat", text.as_bytes())),
        ..Sources::new("case", decode("chem.inp", mechanism.as_bytes()))
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
    // A thousand of them, the warning that there are no reactions, and how many are left out.
    assert_eq!(diagnostics.len(), 1002);
    assert_eq!(diagnostics[1000].id, "mechanism::no-reactions");
    assert_eq!(diagnostics[1001].message, "4000 further errors are not shown");
}

#[test]
fn a_table_with_more_pressures_than_anybody_fits_is_refused() {
    let table = |lines: usize| -> String { (1..=lines).map(|pressure| format!("PLOG/{pressure} 1 0 0/\n")).collect() };
    assert_eq!(diagnostics(&format!("2H=H2 1 0 0\n{}", table(1000))), []);
    let told = diagnostics(&format!("2H=H2 1 0 0\n{}", table(1001)));
    assert_eq!(told.iter().map(|d| d.id).collect::<Vec<_>>(), ["mechanism::value-count"]);
}

/// (id, message, help) of every diagnostic of a whole mechanism file.
fn told(mechanism: &str, thermo: &str, transport: Option<&str>) -> Vec<(&'static str, String, String)> {
    let sources = Sources {
        thermo: Some(decode("therm.dat", thermo.as_bytes())),
        transport: transport.map(|text| decode("tran.dat", text.as_bytes())),
        ..Sources::new("case", decode("chem.inp", mechanism.as_bytes()))
    };
    let diagnostics = parse(&sources, Options::default()).map_or_else(|errors| errors, |(_, warnings)| warnings);
    diagnostics.into_iter().map(|d| (d.id, d.message, d.help.unwrap_or_default())).collect()
}

fn ids(mechanism: &str) -> Vec<&'static str> {
    told(mechanism, THERMO, None).into_iter().map(|(id, ..)| id).collect()
}

#[test]
fn a_misspelt_section_is_named_and_brings_no_further_errors() {
    let good = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H=H2 1 0 0\nEND\n";
    assert_eq!(ids(good), [""; 0]);
    let missing = ["mechanism::missing-section", "mechanism::unrecognized-section"];
    assert_eq!(ids(&good.replace("SPECIES", "SPCIES")), missing);
    assert_eq!(ids(&good.replace("ELEMENTS", "ELMENTS")), missing);
    assert_eq!(
        ids(&good.replace("REACTIONS", "RXNS")),
        ["mechanism::unrecognized-section", "mechanism::no-reactions"],
        "reactions do not vanish silently"
    );
    let help = |text: &str| {
        let told = told(&good.replace(text, &text[1..]), THERMO, None);
        told.into_iter().find(|(id, ..)| *id == "mechanism::unrecognized-section").expect("an error").2
    };
    assert_eq!(help("SPECIES"), "did you mean 'SPECIES'?");
    assert_eq!(help("REACTIONS"), "did you mean 'REACTIONS'?");
}

#[test]
fn an_unknown_name_is_told_once_with_its_lines() {
    let all = diagnostics("H+X=H2 1 0 0\n2H=H2 1 0 0\nX=H2 1 0 0\nH2+Y=X 1 0 0\n");
    let all: Vec<_> = all.iter().map(|d| (d.message.as_str(), d.help.as_deref().unwrap_or(""))).collect();
    let help = "declare it among the species";
    let with_lines = format!("{help} (likewise in lines 6, 7)");
    assert_eq!(all, [("unknown species 'X'", with_lines.as_str()), ("unknown species 'Y'", help)]);
    let many = diagnostics(&"X=H2 1 0 0\n".repeat(30));
    assert_eq!(many.len(), 1);
    assert!(many[0].help.as_ref().is_some_and(|h| h.ends_with("12, 13, 14, and 19 more)")), "{:?}", many[0].help);
}

#[test]
fn all_problems_of_a_line_and_of_a_keyword_are_told() {
    let mechanism = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H(+M)=H2(+M) 1 0 0\n\
                     TCHEB/3000 300/ PCHEB/100 1/ CHEB/1 1 2/\nEND\n";
    let ids = told(mechanism, THERMO, Some("H 7 -145. 0 0 0 0\nH2 1 38. 2.9 0 .8 280.\n"));
    let ids: Vec<_> = ids.iter().map(|(id, ..)| *id).collect();
    let two = "mechanism::chebyshev";
    assert_eq!(ids, [two, two, "transport::not-positive", "transport::geometry"]);
}

#[test]
fn ranges_that_do_not_meet_are_told() {
    let mechanism = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H=H2 1 0 0\nEND\n";
    // cp/R of H2 is 2.5 below 1000 K.
    let stepped = |high: &str| {
        let thermo = THERMO.replacen(" 2.50000000E+00 0.0", &format!("{high} 0.0"), 1);
        told(mechanism, &thermo, None).into_iter().map(|(id, ..)| id).collect::<Vec<_>>()
    };
    assert_eq!(stepped(" 2.51000000E+00"), [""; 0]);
    assert_eq!(stepped(" 2.70000000E+00"), ["thermo::step"]);
}

#[test]
fn a_broken_entry_is_told_even_where_another_one_counts() {
    let mechanism = "ELEMENTS H END\nSPECIES H H2 END\nTHERMO\nH2 of somebody\nEND\nREACTIONS\n2H=H2 1 0 0\nEND\n";
    let told = told(mechanism, THERMO, None);
    let [(id, message, _)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(*id, "thermo::malformed-entry");
    assert!(message.ends_with("of species 'H2': another entry is taken"), "{message}");
}

#[test]
fn files_that_are_no_text_are_told_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chem.inp");
    let told = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let files = Files { mechanism: path.clone(), ..Files::default() };
        read(&files).expect_err("it is incomplete").into_iter().map(|d| d.id).collect::<Vec<_>>()
    };
    let text = "ELEMENTS H END";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf16.iter().copied()).collect();
    assert_eq!(told(&utf16), ["mechanism::not-a-text"]);
    assert_eq!(told(b"ELEMENTS H\0 END"), ["mechanism::not-a-text"]);
    let incomplete = ["mechanism::missing-section", "mechanism::no-reactions"];
    assert_eq!(told(&marked), incomplete);
    assert_eq!(told(text.as_bytes()), incomplete);
}

#[test]
fn carriage_returns_alone_end_lines() {
    let place = |text: &str| {
        let all = diagnostics(text);
        all.iter().filter_map(|d| d.span.as_ref()).map(|span| span.line_column()).collect::<Vec<_>>()
    };
    assert_eq!(place("! one\r! two\r2H=H2 1 x 0\r"), [(6, 9)]);
}

#[test]
fn rates_beyond_doubles_are_told_before_a_kernel_is_made() {
    let mechanism = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n";
    let refused = |reaction: &str| {
        let (mechanism, _) = outcome(&format!("{mechanism}{reaction}\nEND\n"), None).expect("it is well formed");
        let errors = kinetics::model(mechanism).err().unwrap_or_default();
        errors.into_iter().map(|d| (d.id, d.span.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(refused("2H=H2 1E12 0.5 1000"), [("", false); 0]);
    for reaction in
        ["2H=H2 1 500 0", "2H=H2 1 0 -1E9", "2H=H2 1 0 0\nPLOG/1 -1 0 0/\nPLOG/10 1 0 0/", "2H=H2 1 0 0\nREV/1 0 -1E9/"]
    {
        assert_eq!(refused(reaction), [("kinetics::rate-range", true)], "{reaction}");
    }
}
