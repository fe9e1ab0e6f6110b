//! Extensions of the format in real mechanism files beside those of `crates/chem/mechanism/tests/forms.rs`, and the reader's messages where
//! it cannot be tolerant.

use diagnostics::Diagnostic;
use kinetics::rates::rates_at;
use mechanism::{Mechanism, Nasa9, Options, Outcome, Polynomials, Sources, decode, parse, write};

/// A NASA-7 record; `fields` are columns 25-44, `fifth` columns 74-78.
fn record(name: &str, fields: &str, fifth: &str, first: &str) -> String {
    let head = format!("{name:<24}{fields:<20}G   300.000  5000.000 1000.00{fifth:<5}");
    let row = |values: &[&str], digit: u32| {
        let columns: String = values.iter().map(|value| format!("{value:>15}")).collect();
        format!("{columns:<79}{digit}\n")
    };
    let z = "0.00000000E+00";
    format!("{head:<79}1\n") + &row(&[first, z, z, z, z], 2) + &row(&[z, z, first, z, z], 3) + &row(&[z, z, z, z], 4)
}

fn plain(name: &str, fields: &str) -> String {
    record(name, fields, "", "2.50000000E+00")
}

fn thermo() -> String {
    let entries = [("H", "H   1"), ("H2", "H   2"), ("O2", "O   2"), ("OH", "O   1H   1"), ("H2O", "H   2O   1")];
    entries.map(|(name, fields)| plain(name, fields)).concat()
}

fn read(mechanism: &[u8], thermo: &str) -> Outcome {
    let sources = Sources {
        thermo: Some(decode("therm.dat", format!("THERMO\n   300.000  1000.000  5000.000\n{thermo}").as_bytes())),
        ..Sources::new("case", decode("chem.inp", mechanism))
    };
    parse(&sources, Options::default())
}

fn with(reactions: &str) -> (Mechanism, Vec<Diagnostic>) {
    let text = format!("ELEMENTS H O END\nSPECIES H H2 O2 OH H2O END\nREACTIONS\n{reactions}\nEND\n");
    read(text.as_bytes(), &(thermo() + "END\n")).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn errors(outcome: Outcome) -> Vec<(&'static str, (usize, usize), String)> {
    let diagnostics = outcome.expect_err("an error");
    let errors = diagnostics.into_iter().filter(Diagnostic::is_error);
    errors
        .map(|d| (d.id, d.span.as_ref().map_or((0, 0), |span| span.line_column()), d.help.unwrap_or_default()))
        .collect()
}

#[test]
fn what_stands_behind_the_end_is_told_and_not_read() {
    let notes = "ENDOFDATA\nThese rates = those of Smith et al. (1999), +/- 10 %.\nTHERMOchemistry: see there\n";
    let text = format!("ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n{notes}");
    let (mechanism, warnings) = read(text.as_bytes(), &(thermo() + "END\n" + notes)).expect("notes are no errors");
    let told: Vec<&str> = warnings.iter().map(|warning| warning.id).collect();
    assert_eq!((mechanism.reactions.len(), told), (1, vec!["mechanism::behind-end"]));
}

#[test]
fn extreme_troe_parameters_give_finite_rates() {
    for parameters in ["0 1E-30 1E-30", "0 1E-30 1E30 0", "0.5 0 0", "1 1E-30 1E-30 1E30", "-73.9 1 1E10"] {
        let (mechanism, _) = with(&format!("H+OH(+M)=H2O(+M) 1E12 0 0\nLOW/1E18 0 0/ TROE/{parameters}/"));
        for t in [300.0, 3000.0] {
            let rates = rates_at(&mechanism, t, 101325.0, &[1e-3; 5], &[1e-3; 5]);
            assert!(rates.forward[0] >= 0.0 && rates.forward[0].is_finite(), "{parameters}: {:?}", rates.forward);
        }
    }
}

#[test]
fn repeated_unused_and_undeclared_data_give_warnings_and_the_first_counts() {
    let text = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\n AR/0.7/ H2/2/\nEND\n";
    let second = record("H", "H   1", "", "9.90000000E+00");
    let (mechanism, warnings) = read(text.as_bytes(), &(thermo() + &second)).expect("warnings only");
    let Polynomials::Nasa7(hydrogen) = &mechanism.species[0].thermo else { panic!("NASA-7") };
    assert_eq!(hydrogen.high[0], 2.5);
    let ids: Vec<_> = warnings.iter().map(|d| d.id).collect();
    assert_eq!(ids, ["mechanism::unused-efficiency", "thermo::repeated-species"]);
}

#[test]
fn orders_may_be_real_and_coefficients_glued_to_names() {
    let text = "ELEMENTS F O END\nSPECIES F OX P END\nREACTIONS\n0.22518F+0.77482OX=>P 1 0 0\n\
                FORD/F 0.5/ FORD/OX 1.25/\nP=F+OX 1 0 0\nRORD/F 0.3/\nEND\n";
    let thermo = plain("F", "F   1") + &plain("OX", "F   1") + &plain("P", "F   1");
    let diagnostics = read(text.as_bytes(), &thermo).expect_err("the second reaction is not balanced");
    assert!(diagnostics.iter().all(|d| d.id == "mechanism::unbalanced" || !d.is_error()), "{diagnostics:#?}");
    let (mechanism, _) = read(text.replace("P=F+OX", "2P=F+OX").as_bytes(), &thermo).expect("balanced");
    let [first, second] = mechanism.reactions.as_slice() else { panic!("two reactions") };
    assert_eq!(first.reactants, [(0, 0.22518), (1, 0.77482)]);
    assert_eq!(first.forward_orders, [(0, 0.5), (1, 1.25)]);
    assert_eq!(second.reverse_orders, [(0, 0.3)]);
}

#[test]
fn a_broken_entry_of_an_unused_species_does_not_matter() {
    let text = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n";
    let broken = plain("OX", "F   1").replace("    3\n", "     \n");
    let (_, warnings) = read(text.as_bytes(), &(broken + &thermo())).expect("OX is not used");
    assert!(warnings.is_empty(), "{warnings:#?}");
}

#[test]
fn the_line_and_the_column_that_are_off_are_named() {
    let text = "ELEMENTS H END\nSPECIES H END\nREACTIONS\nEND\n";
    let whole = plain("H", "H   1");
    let lines: Vec<&str> = whole.lines().collect();
    let [first, second, third, fourth] = lines.as_slice() else { panic!("four lines") };
    for (broken, id, place, help) in [
        // One blank too many in line 2.
        (
            format!("{first}\n {second}\n{third}\n{fourth}\n"),
            "thermo::malformed-entry",
            (3, 1),
            "column 81 instead of 80",
        ),
        (format!("{first}\n{second}\n\n{fourth}\n"), "thermo::malformed-entry", (3, 1), "'4' in column 80 where 3"),
        (
            format!("{first}\n{second}\n{}\n", &third[..20]),
            "thermo::malformed-entry",
            (3, 1),
            "line 3 of the entry lacks",
        ),
        (format!("{first}\n"), "thermo::malformed-entry", (3, 1), "this one has 1"),
        (whole.replacen("2.50000000E+00 ", "2.50000000E+00x", 1), "thermo::malformed-number", (4, 16), "columns 16-30"),
        (whole.replace("H   1 ", "H  x1 "), "thermo::composition", (3, 25), "two columns for the symbol"),
    ] {
        let errors = errors(read(text.as_bytes(), &broken));
        let found = errors.iter().find(|error| error.0 == id).unwrap_or_else(|| panic!("{errors:?}"));
        assert!(found.1 == place && found.2.contains(help), "{found:?}, expected {place:?} {help}");
    }
}

#[test]
fn a_user_defined_element_has_its_weight_or_is_an_error() {
    let text = "ELEMENTS H/1.5/ CI/13.003/ END\nSPECIES HCI END\nREACTIONS\nEND\n";
    let (mechanism, _) = read(text.as_bytes(), &plain("HCI", "H   1CI  1")).expect("given weights");
    assert_eq!(mechanism.species[0].weight, 1.5 + 13.003);
    let found = errors(read(text.replace("/13.003/", "").as_bytes(), &plain("HCI", "H   1CI  1")));
    assert_eq!(found[0], ("mechanism::unknown-element", (1, 17), "write CI/ weight in g/mol /".to_owned()));
}

#[test]
fn numbers_in_columns_are_read_as_fortran_does() {
    let text = "ELEMENTS H END\nSPECIES H END\nREACTIONS\nEND\n";
    for (written, value) in [("0.333 28 e+05", 33328.0), ("2.5D+00", 2.5), ("2.5+01", 25.0), ("", 0.0)] {
        let (mechanism, _) = read(text.as_bytes(), &record("H", "H   1", "", written)).expect(written);
        let Polynomials::Nasa7(hydrogen) = &mechanism.species[0].thermo else { panic!("NASA-7") };
        assert_eq!(hydrogen.high[0], value, "{written}");
    }
}

#[test]
fn the_composition_may_have_a_fifth_element_and_go_on_behind_an_ampersand() {
    let text = "ELEMENTS H C N O F S END\nSPECIES A B END\nREACTIONS\nEND\n";
    let fifth = record("A", "H   1C   2N   3O   4", "F   5", "2.5");
    let more = plain("B", "").replacen("1\n", "1&\nH 1 C 2 N 3 O 4&\nF 5 S 6\n", 1);
    let (mechanism, _) = read(text.as_bytes(), &(fifth + &more)).expect("two compositions");
    let counts = |k: usize| mechanism.species[k].composition.iter().map(|(_, count)| *count).collect::<Vec<_>>();
    assert_eq!((counts(0), counts(1)), (vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
}

#[test]
fn names_may_hold_almost_any_character() {
    let names = ["CH2(S)", "C3H5-A", "OH*", "N2+", "E-", "C2H4,1", "A'", "CH2(1)(S)", "1,3-C4H6", "M1", "E"];
    let declared = names.join(" ");
    let lines: String = names.iter().map(|name| format!("2{name}={name}+CH2(S) 1 0 0\nDUP\n")).collect();
    let thermo: String = names.iter().map(|name| plain(name, "H   1")).collect();
    let text = format!("ELEMENTS H END\nSPECIES {declared} END\nREACTIONS\n{lines}N2++M=E-+M 1 0 0\nEND\n");
    let (mechanism, _) = read(text.as_bytes(), &thermo).expect("all names are legal");
    for (k, reaction) in mechanism.reactions[..names.len()].iter().enumerate() {
        assert_eq!(reaction.reactants, [(k, 2.0)], "{}", reaction.equation);
    }
    let last = mechanism.reactions.last().expect("the last reaction");
    assert_eq!((last.reactants[0], last.products[0], last.third_body.is_some()), ((3, 1.0), (4, 1.0), true));
}

#[test]
fn surface_and_plasma_keywords_are_named() {
    for (line, meaning) in [
        ("STICK", "sticking coefficient"),
        ("COV/H2 1 2 3/", "coverage"),
        ("MOME", "momentum-transfer"),
        ("XSMI", "momentum-transfer"),
        ("EXCI/11.5/", "excitation"),
        ("TDEP/H2/", "temperature other than"),
        ("JAN/1 2 3 4 5 6 7 8 9/", "Janev"),
        ("FIT1/1 2 3 4/", "power series"),
        ("HV/2537/", "photon"),
        ("TROEE/1 2 3/", "is not supported"),
    ] {
        let text = format!("ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H=H2 1 0 0\n{line}\nEND\n");
        let diagnostics = read(text.as_bytes(), &thermo()).expect_err(line);
        let [only] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
        assert_eq!(only.id, "mechanism::unsupported-keyword");
        assert!(only.message.contains(meaning), "{}", only.message);
        if line.starts_with("TROEE") {
            assert_eq!(only.help.as_deref(), Some("did you mean 'TROE'?"));
        }
    }
    for section in ["SITE/PT/ SDEN/2.7E-9/", "BULK C(B)/2.3/", "MATERIAL WAFER", "SURFACE"] {
        let text =
            format!("ELEMENTS H END\n{section}\nPT(S)\nEND\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n");
        let errors = errors(read(text.as_bytes(), &thermo()));
        assert_eq!(errors.iter().map(|e| (e.0, e.1)).collect::<Vec<_>>(), [("mechanism::unsupported-section", (2, 1))]);
    }
}

const NASA_9: &str = "THERMO NASA9
   200.000  1000.000  6000.000 20000.000   9/09/04
! a comment
X                 made up
 2 g 9/04 H   2.00O   1.00    0.00    0.00    0.00 0   18.0152800    -241826.000
    200.000   1000.0007 -2.0 -1.0  0.0  1.0  2.0  3.0  4.0  0.0         9904.092
-3.947960830D+04 5.755731020D+02 9.317826530D-01 7.222712860D-03-7.342557370D-06
 4.955043490D-09-1.336933246D-12                -3.303974310D+04 1.724205775D+01
   1000.000   6000.0007 -2.0 -1.0  0.0  1.0  2.0  3.0  4.0  0.0         9904.092
 1.034972096D+06-2.412698562D+03 4.646110780D+00 2.291998307D-03-6.836830480D-07
 9.426468930D-11-4.822380530D-15                -1.384286509D+04-7.978148510D+00
END
";

#[test]
fn nasa_9_and_nasa_7_records_survive_the_round_trip_side_by_side() {
    let mechanism = b"ELEMENTS H O END\nSPECIES H X END\nREACTIONS\nEND\n";
    let sources = |thermo: &str| Sources {
        thermo: Some(decode("therm.dat", thermo.as_bytes())),
        ..Sources::new("case", decode("chem.inp", mechanism))
    };
    let text = format!("THERMO\n{}END\n{NASA_9}", thermo());
    let (mechanism, _) = parse(&sources(&text), Options::default()).expect("two sections");
    let Polynomials::Nasa9(Nasa9 { temperatures, ranges }) = &mechanism.species[1].thermo else { panic!("NASA-9") };
    assert_eq!(temperatures, &[200.0, 1000.0, 6000.0]);
    assert_eq!((ranges[0][0], ranges[0][7], ranges[1][8]), (-39479.6083, -33039.7431, -7.97814851));
    let written = write(&mechanism).expect("a CHEMKIN form");
    let (again, _) = parse(&sources(&written.thermo), Options::default()).expect("the canonical form");
    assert_eq!(again, mechanism);
    assert_eq!(write(&again).expect("a CHEMKIN form"), written);
}

#[test]
fn mistakes_in_nasa_9_records_are_located() {
    let mechanism = b"ELEMENTS H O END\nSPECIES X END\nREACTIONS\nEND\n";
    for (from, to, id, place) in [
        (" 2 g 9/04", " 3 g 9/04", "thermo::ranges", (5, 2)),
        ("   1000.000   6000.0007", "   1100.000   6000.0007", "thermo::ranges", (9, 4)),
        ("    200.000   1000.0007 -2.0", "    200.000   1000.0007 -3.0", "thermo::malformed-entry", (6, 25)),
        ("5.755731020D+02", "5.755731020x+02", "thermo::malformed-number", (7, 18)),
        ("    200.000   1000.0007", "   1200.000   1000.0007", "thermo::temperature-order", (4, 1)),
        (" 2 g 9/04 H   2.00", " 2 g 9/04 H   2x00", "thermo::composition", (5, 11)),
        ("\n-3.9479", "\nx-3.9479", "thermo::malformed-entry", (4, 1)),
    ] {
        assert!(NASA_9.contains(from), "{from}");
        let sources = Sources {
            thermo: Some(decode("therm.dat", NASA_9.replacen(from, to, 1).as_bytes())),
            ..Sources::new("case", decode("chem.inp", mechanism))
        };
        let errors = errors(parse(&sources, Options::default()));
        assert!(errors.iter().any(|error| (error.0, error.1) == (id, place)), "{to}: {errors:?}");
    }
}
