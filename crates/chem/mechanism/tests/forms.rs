//! The forms in which published mechanisms are written, one small text each.

use diagnostics::Diagnostic;
use mechanism::{
    Arrhenius, Blending, Collider, Companion, Files, Mechanism, Options, Outcome, Polynomials, Rate, Reaction, Reverse,
    Sources, decode, parse, read,
};

const SPECIES: [(&str, &str); 7] = [
    ("H", "H   1"),
    ("H2", "H   2"),
    ("O", "O   1"),
    ("O2", "O   2"),
    ("OH", "O   1H   1"),
    ("H2O", "H   2O   1"),
    ("HO2", "H   1O   2"),
];

/// A constant heat capacity of 5/2 R in both ranges.
fn record(name: &str, composition: &str) -> String {
    let head = format!("{name:<24}{composition:<20}G   300.000  5000.000 1000.00");
    let rows = [[2.5, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.5, 0.0, 0.0], [0.0; 5]];
    let row = |n: usize| rows[n].iter().map(|value| format!("{value:15.8E}")).collect::<String>();
    (0..4).map(|n| format!("{:<79}{}\n", if n == 0 { head.clone() } else { row(n - 1) }, n + 1)).collect()
}

fn thermo() -> String {
    SPECIES.iter().map(|(name, composition)| record(name, composition)).collect()
}

fn outcome_of(mechanism: &[u8]) -> Outcome {
    let thermo = decode("therm.dat", format!("THERMO\n{}END\n", thermo()).as_bytes());
    let sources = Sources { thermo: Some(thermo), ..Sources::new("Forms-1", decode("chem.inp", mechanism)) };
    parse(&sources, Options::default())
}

fn mechanism(text: &[u8]) -> (Mechanism, Vec<Diagnostic>) {
    match outcome_of(text) {
        Ok(valid) => valid,
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    }
}

fn reactions(lines: &str) -> Vec<Reaction> {
    let text = format!("ELEMENTS\nH O\nEND\nSPECIES\nH H2 O O2 OH H2O HO2\nEND\nREACTIONS\n{lines}\nEND\n");
    mechanism(text.as_bytes()).0.reactions
}

fn reaction(lines: &str) -> Reaction {
    reactions(lines).remove(0)
}

const CAL: f64 = 4.184 / 8.31446261815324;

#[test]
fn crlf_tabs_foreign_bytes_and_lower_case_are_accepted() {
    let text = b"! caf\xe9 \xff\r\nelem\th o\r\nend\r\nSpec\r\nh\tH2 o o2 ! \xb0\r\nEND\r\nreac\r\n2h\t+ M = h2+m 1.d+18\t-1 0 ! \xe9\r\nEnd\r\n";
    let (mechanism, warnings) = mechanism(text);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(mechanism.name, "forms_1");
    assert_eq!(mechanism.reactions[0].equation, "2h+M=H2+M");
    assert_eq!(mechanism.reactions[0].rate, Rate::Arrhenius(Arrhenius { a: 1e12, b: -1.0, e_over_r: 0.0 }));
    assert_eq!(mechanism.reactions[0].third_body, Some(Collider::Mixture(vec![])));
}

#[test]
fn several_keywords_share_a_line_in_any_order_and_the_last_slash_may_lack() {
    let reaction =
        reaction("H+O2(+M)<=>HO2(+M) 1E12 0.5 10\n h2/2/ troe/0.0 1.E-15 1.E-15 40./ LOW / 1E20 0 20 / H2O / 5");
    let low = Arrhenius { a: 1e14, b: 0.0, e_over_r: 20.0 * CAL };
    let high = Arrhenius { a: 1e9, b: 0.5, e_over_r: 10.0 * CAL };
    let blending = Blending::Troe { a: 0.0, t3: 1e-15, t1: 1e-15, t2: Some(40.0) };
    let collider = Collider::Mixture(vec![(1, 2.0), (5, 5.0)]);
    assert_eq!(reaction.rate, Rate::Falloff { low, high, collider, blending });
}

#[test]
fn a_fourth_troe_parameter_of_zero_is_absent() {
    let reaction = reaction("H+O2(+M)=HO2(+M) 1 0 0\nLOW/1 0 0/ TROE/0.5 100 200 0/");
    let Rate::Falloff { blending, .. } = reaction.rate else { panic!("{:?}", reaction.rate) };
    assert_eq!(blending, Blending::Troe { a: 0.5, t3: 100.0, t1: 200.0, t2: None });
}

#[test]
fn a_species_in_parentheses_collides_alone() {
    let reaction = reaction("H+O2(+H2O)=HO2(+H2O) 1 0 0\nHIGH/1 0 0/ SRI/1 2 3/");
    let Rate::ChemicallyActivated { collider, blending, .. } = reaction.rate else { panic!("{:?}", reaction.rate) };
    assert_eq!(collider, Collider::Species(5));
    assert_eq!(blending, Blending::Sri { a: 1.0, b: 2.0, c: 3.0, d: 1.0, e: 0.0 });
    assert_eq!(reaction.third_body, None);
}

#[test]
fn plog_is_sorted_and_equal_pressures_are_kept_together() {
    let reaction = reaction("H+OH=H2O 9 9 9\nPLOG/10 3 0 0/\nPLOG/1 1 0 0/ PLOG/10 -2 0 0/");
    let k = |a: f64| Arrhenius { a: a * 1e-3, b: 0.0, e_over_r: 0.0 };
    assert_eq!(reaction.rate, Rate::Plog(vec![(101325.0, vec![k(1.0)]), (1013250.0, vec![k(3.0), k(-2.0)])]));
}

#[test]
fn chebyshev_coefficients_may_span_lines_and_the_window_may_be_the_default() {
    let reaction = reaction("H+OH(+M)=H2O(+M) 1 0 0\nCHEB/2 2 1/ CHEB/ 2 3/\ncheb/4/");
    let Rate::Chebyshev(fit) = reaction.rate else { panic!("{:?}", reaction.rate) };
    assert_eq!(fit.coefficients, [[-2.0, 2.0], [3.0, 4.0]]);
    assert_eq!((fit.t_min, fit.t_max, fit.p_min, fit.p_max), (300.0, 2500.0, 101.325, 10132500.0));
}

#[test]
fn units_on_the_line_of_a_reaction_win_over_those_of_the_section() {
    let text = b"ELEMENTS H O END SPECIES H H2 O OH END\nREACTIONS KELVINS\nH2+O=H+OH 1 0 5\nDUP\nH2+O=H+OH 1 0 5\nUNITS/KCAL/MOLE/ DUP\nH2+O=H+OH 1 0 5\nDUP UNITS/MOLECULES/\nEND";
    let rates: Vec<Rate> = mechanism(text).0.reactions.into_iter().map(|reaction| reaction.rate).collect();
    assert_eq!(rates[0], Rate::Arrhenius(Arrhenius { a: 1e-3, b: 0.0, e_over_r: 5.0 }));
    assert_eq!(rates[1], Rate::Arrhenius(Arrhenius { a: 1e-3, b: 0.0, e_over_r: 5.0 * (4184.0 / 8.31446261815324) }));
    assert_eq!(rates[2], Rate::Arrhenius(Arrhenius { a: 1e-3 * 6.02214076e23, b: 0.0, e_over_r: 5.0 }));
}

#[test]
fn orders_may_name_species_that_are_no_reactants() {
    let reaction = reaction("H2+O2=>H2O+O 1 0 0\nFORD/H2 0.5/ FORD/H2O 0.5/");
    assert_eq!(reaction.forward_orders, [(1, 0.5), (5, 0.5)]);
    // Order 0.5 + 0.5 + 1.
    assert_eq!(reaction.rate, Rate::Arrhenius(Arrhenius { a: 1e-3, b: 0.0, e_over_r: 0.0 }));
}

#[test]
fn names_that_end_in_plus_and_glued_coefficients_are_split_by_the_declared_names() {
    let records = record("H+", "H   1E  -1") + &record("E", "E   1") + &record("H(+)", "H   1") + &thermo();
    let text = format!(
        "ELEMENTS H O E END\nSPECIES H H+ E H2 H(+) END\nTHERMO\n{records}END\nREACTIONS\nH++E=H 1 0 0\n2H+E+H+=2.H+.5H2+E 1 0 0\nH(+)+H(+M)=H2(+M) 1 0 0\nLOW/1 0 0/\nEND"
    );
    let result = outcome_of(text.as_bytes());
    let Err(diagnostics) = result else { panic!("the second reaction does not conserve the charge") };
    assert_eq!(
        diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(),
        ["the reaction '2H+E+H+=2.H+.5H2+E' is not balanced: E 0 -> 1"]
    );
    let (mechanism, _) = mechanism(text.replace("2.H+.5H2+E", "2.H+.5H2").as_bytes());
    assert_eq!(mechanism.reactions[0].reactants, [(1, 1.0), (2, 1.0)]);
    assert_eq!(mechanism.reactions[1].reactants, [(0, 2.0), (2, 1.0), (1, 1.0)]);
    assert_eq!(mechanism.reactions[1].products, [(0, 2.0), (3, 0.5)]);
    assert_eq!(mechanism.reactions[2].reactants, [(4, 1.0), (0, 1.0)]);
}

#[test]
fn sections_inside_the_mechanism_and_text_after_the_end_are_accepted() {
    let text = format!(
        "ELEMENTS H O END\nSPECIES H H2 END\nTHERMO ALL\n 300. 1000. 5000.\n{}ENDOFDATA\nTRANS ALL\nH 0 145. 2.05 0 0 0 ! note\nH2 1 38. 2.92 0. .79 280. more\nEND\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n\nReferences: see the THERMO file = good\nSPECIES were chosen by hand\nREACTIONS by many",
        thermo()
    );
    let sources = Sources::new("x", decode("chem.inp", text.as_bytes()));
    let (mechanism, warnings) = parse(&sources, Options::default()).expect("all sections are inline");
    assert_eq!(mechanism.species[1].transport.as_ref().map(|t| t.rotational_relaxation), Some(280.0));
    let messages: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages, ["3 lines behind END are not read: 'References: see the THERMO file = good'"]);
}

#[test]
fn duplicates_are_told_by_species_direction_and_collider() {
    let messages = |lines: &str| -> Vec<String> {
        let text = format!("ELEMENTS H O END\nSPECIES H H2 O O2 OH H2O HO2 END\nREACTIONS\n{lines}\nEND\n");
        match outcome_of(text.as_bytes()) {
            Ok((_, warnings)) => warnings.into_iter().map(|d| d.message).collect(),
            Err(diagnostics) => diagnostics.into_iter().map(|d| d.message).collect(),
        }
    };
    let none: [&str; 0] = [];
    assert_eq!(messages("H2+O=>H+OH 1 0 0\nOH+H=>O+H2 1 0 0"), none);
    let twice = ["the collider of '2H+H2=2H2' also counts in '2H+M=H2+M'"];
    assert_eq!(messages("2H+M=H2+M 1 0 0\n2H+H2=2H2 1 0 0\n2H=H2 1 0 0"), twice);
    assert_eq!(messages("2H+M=H2+M 1 0 0\nH2/0/\n2H+H2=2H2 1 0 0\n2H=H2 1 0 0"), none);
    let expected = ["line 5 repeats the reaction 'H2+O=H+OH' of line 4, and not both are marked DUPLICATE"];
    assert_eq!(messages("H2+O=H+OH 1 0 0\nH+OH=O+H2 1 0 0"), expected);
    let lone = ["no other reaction equals 'H2+O=H+OH', which is marked DUPLICATE"];
    assert_eq!(messages("H2+O=H+OH 1 0 0\nDUP"), lone);
}

#[test]
fn an_explicit_reverse_rate_keeps_its_landau_teller_factor() {
    let reaction = reaction("H2+O=H+OH 1 0 0\nLT/1 2/ REV/5 0 0/ RLT/3 4/");
    assert!(matches!(reaction.rate, Rate::LandauTeller(_, factor) if (factor.b, factor.c) == (1.0, 2.0)));
    assert!(matches!(reaction.reverse, Reverse::Explicit(k, Some(f)) if (k.a, f.b, f.c) == (5e-3, 3.0, 4.0)));
}

#[test]
fn an_explicit_reverse_rate_of_zero_makes_a_reaction_irreversible() {
    let [none, some] = ["REV/0 0 0/", "REV/5 0 0/"].map(|line| reaction(&format!("H2+O=H+OH 1 0 0\n{line}")).reverse);
    assert_eq!(none, Reverse::Irreversible);
    assert!(matches!(some, Reverse::Explicit(k, None) if k.a == 5e-3), "{some:?}");
}

/// Columns 66-73 of old files hold what is no temperature.
#[test]
fn the_common_temperature_of_one_record_may_be_that_of_the_file() {
    let records = thermo().replace("1000.00", "  26.04");
    let outcome = |single_intermediate_temperature| {
        let mechanism = b"ELEMENTS H O END SPECIES H H2 O OH END\nREACTIONS\nH2+O=H+OH 1 0 0\nEND";
        let sources = Sources {
            thermo: Some(decode("therm.dat", format!("THERMO\n300. 1200. 5000.\n{records}END\n").as_bytes())),
            ..Sources::new("Old", decode("chem.inp", mechanism))
        };
        parse(&sources, Options { single_intermediate_temperature, ..Options::default() })
    };
    let diagnostics = outcome(false).expect_err("26.04 K is below the range");
    assert_eq!(diagnostics[0].id, "thermo::temperature-order");
    let (mechanism, _) = outcome(true).expect("the line below THERMO has it");
    for species in &mechanism.species {
        assert!(matches!(&species.thermo, Polynomials::Nasa7(n) if n.t_mid == 1200.0), "{species:?}");
    }
}

#[test]
fn companions_are_found_beside_the_mechanism_and_missing_ones_are_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let files = Files { mechanism: path("chem.inp"), ..Files::default() };
    let diagnostics = read(&files).expect_err("there is no file");
    assert_eq!(diagnostics[0].id, "mechanism::unreadable-file");
    std::fs::write(path("chem.inp"), "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n")
        .expect("written");
    std::fs::write(path("a.cti"), "ideal_gas(name='gas',\n  species='H H2')\n").expect("written");
    let inside = read(&Files { mechanism: folder.path().to_owned(), ..Files::default() }).expect_err("it is a folder");
    assert!(inside[0].help.as_ref().is_some_and(|help| help.ends_with("chem.inp")), "{:?}", inside[0]);
    let diagnostics = read(&files).expect_err("there is no thermo data");
    assert_eq!(diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(), ["thermo::missing-file"]);
    assert!(diagnostics[0].message.contains("therm.dat and thermo.dat"), "{}", diagnostics[0].message);
    std::fs::write(path("thermdat"), format!("! data\nTHERMO ALL\n{}END\n", thermo())).expect("written");
    let diagnostics = read(&files).expect_err("it has another name");
    assert!(diagnostics[0].help.as_ref().is_some_and(|help| help.ends_with("thermdat'")), "{:?}", diagnostics[0]);
    std::fs::write(path("thermo.dat"), format!("THERMO\n{}END\n", thermo())).expect("written");
    let (mechanism, _) = read(&files).expect("the data is there");
    assert!(mechanism.species.iter().all(|species| species.transport.is_none()));
    std::fs::write(path("tran.dat"), "H 0 145. 2.05 0 0 0\nH2 1 38. 2.92 0. .79 280.\n").expect("written");
    let (mechanism, _) = read(&files).expect("the data is there");
    assert!(mechanism.species.iter().all(|species| species.transport.is_some()));
    let diagnostics =
        read(&Files { transport: Companion::At(path("no.dat")), ..files }).expect_err("the file is named");
    assert_eq!(diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(), ["mechanism::unreadable-file"]);
}
