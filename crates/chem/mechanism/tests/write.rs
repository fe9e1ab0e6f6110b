//! The canonical form: reading what was written gives the same mechanism, and writing that gives the same text.

use std::path::PathBuf;

use mechanism::{
    Files, Mechanism, Nasa9, Options, Polynomials, Rate, Sources, Written, decode, parse, read_with, write_yaml,
};
use testkit::reference::own;
use testkit::skip;

fn write(mechanism: &Mechanism) -> Written {
    mechanism::write(mechanism).expect("a CHEMKIN form")
}

use proptest::prelude::*;
use proptest::sample::select;

/// Removes the places and files of reactions, which are no part of what they say.
fn without_spans(mut mechanism: Mechanism) -> Mechanism {
    let nowhere = decode("", b"");
    for reaction in &mut mechanism.reactions {
        reaction.span.source = nowhere.clone();
        (reaction.span.offset, reaction.span.len) = (0, 0);
    }
    mechanism.inputs.clear();
    mechanism
}

/// Nor is what equations are called: YAML has one way to write them.
fn without_labels(mechanism: Mechanism) -> Mechanism {
    let mut mechanism = without_spans(mechanism);
    mechanism.reactions.iter_mut().for_each(|reaction| reaction.equation.clear());
    mechanism
}

/// Nor are the last bits of a rate constant of fractional order that was given in molecules: it is written in mol, since other readers take
/// it for another unit.
fn without_last_bits(mut again: Mechanism, original: &Mechanism) -> Mechanism {
    let is_close = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b.abs();
    for (reaction, given) in again.reactions.iter_mut().zip(&original.reactions) {
        let sides = [&given.reactants, &given.products, &given.forward_orders, &given.reverse_orders];
        let is_fractional = sides.into_iter().flatten().any(|(_, order)| order.fract() != 0.0);
        if let (Rate::Arrhenius(rate), Rate::Arrhenius(wanted), true) = (&mut reaction.rate, &given.rate, is_fractional)
            && is_close(rate.a, wanted.a)
            && is_close(rate.e_over_r, wanted.e_over_r)
        {
            *rate = *wanted;
        }
    }
    again
}

fn reread(mechanism: &Mechanism) -> Mechanism {
    let written = write(mechanism);
    let sources = Sources {
        name: mechanism.name.clone(),
        mechanism: decode("chem.inp", written.mechanism.as_bytes()),
        thermo: Some(decode("therm.dat", written.thermo.as_bytes())),
        transport: written.transport.map(|text| decode("tran.dat", text.as_bytes())),
        reduction: written.reduction.map(|text| decode("reduction.txt", text.as_bytes())),
    };
    match parse(&sources, Options::default()) {
        Ok((mechanism, _)) => mechanism,
        Err(diagnostics) => panic!("{}: {:?}\n{}", mechanism.name, diagnostics, sources.mechanism.text),
    }
}

#[test]
fn every_form_of_a_rate_survives_the_round_trip() {
    survives(own("forms").mechanism);
}

#[test]
fn every_published_mechanism_survives_the_round_trip() {
    let Some(folder) = skip::shared("mechanisms") else { return };
    for folder in std::fs::read_dir(folder).expect("a folder") {
        survives(folder.expect("a readable folder").path().join("chem.inp"));
    }
}

fn survives(mechanism: PathBuf) {
    let (original, _) = read_with(&Files { mechanism, ..Files::default() }, Options::PERMISSIVE)
        .expect("published mechanisms are valid");
    let again = without_last_bits(reread(&original), &original);
    assert_eq!(write(&again), write(&original), "{}", original.name);
    // Debug prints floats with all digits and the sign of zero.
    let (again, original) = (without_spans(again), without_spans(original));
    for (again, original) in again.reactions.iter().zip(&original.reactions) {
        assert_eq!(format!("{again:?}"), format!("{original:?}"));
    }
    assert!(format!("{again:?}") == format!("{original:?}"), "{}", original.name);
}

#[test]
fn a_small_mechanism_is_written_as_its_author_would() {
    let text = H2O2[0].replacen("REACTIONS CAL/MOLE", "REACTIONS KCAL/MOLE", 1);
    assert!(text != H2O2[0]);
    let sources = Sources {
        thermo: Some(decode("therm.dat", H2O2[1].as_bytes())),
        ..Sources::new("small", decode("chem.inp", text.as_bytes()))
    };
    let (mechanism, _) = parse(&sources, Options::default()).expect("shipped, with larger energies");
    assert!(write(&mechanism).mechanism.contains("REACTIONS KCAL/MOLE\n"), "{}", write(&mechanism).mechanism);
}

/// Five fields of a NASA-9 record hold five elements; the others stand behind `&`, in both formats and in every order.
#[test]
fn nasa_9_records_of_many_elements_survive_the_round_trip() {
    let nasa9 = Polynomials::Nasa9(Nasa9 {
        temperatures: vec![200.0, 1000.0, 6000.0],
        ranges: vec![
            [1.5, -2.0, 2.5, 1e-3, -1e-7, 0.1, 1e-19, -745.375, 0.25],
            [0.0, 1.0, 2.5, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0],
        ],
    });
    let sources = Sources {
        thermo: Some(decode("therm.dat", H2O2[1].as_bytes())),
        transport: Some(decode("tran.dat", H2O2[2].as_bytes())),
        ..Sources::new("many", decode("chem.inp", H2O2[0].replacen("ELEMENTS", "ELEMENTS C S CL F", 1).as_bytes()))
    };
    let (mut mechanism, _) = parse(&sources, Options::default()).expect("shipped, with more elements");
    let elements = mechanism.elements.len();
    assert!(elements > 6, "{elements}");
    // Two species, of six and of all elements; the latter's number of atoms fits no column. No reaction needs their balance.
    mechanism.reactions.clear();
    mechanism.species[0].composition = (0..6).map(|element| (element, 1.0 + element as f64)).collect();
    mechanism.species[1].composition = (0..elements).rev().map(|element| (element, 0.123_456_789_012)).collect();
    for species in &mut mechanism.species[..2] {
        species.thermo = nasa9.clone();
        let weight = |&(element, atoms): &(usize, f64)| atoms * mechanism.elements[element].weight;
        species.weight = species.composition.iter().map(weight).sum();
    }
    let written = write(&mechanism);
    assert!(written.thermo.contains("THERMO NASA9") && written.thermo.contains('&'), "{}", written.thermo);
    let again = reread(&mechanism);
    assert_eq!(format!("{again:#?}"), format!("{mechanism:#?}"));
    assert_eq!(write(&again), written);
    let text = write_yaml(&mechanism);
    let yaml = Sources { mechanism: decode("chem.yaml", text.as_bytes()), thermo: None, transport: None, ..sources };
    let (from_yaml, _) = parse(&yaml, Options::default()).expect("the canonical form is valid");
    assert_eq!(format!("{from_yaml:#?}"), format!("{mechanism:#?}"));
}

/// A number as people write it.
fn number() -> impl Strategy<Value = String> {
    prop_oneof!["-?[1-9]\\.[0-9]{0,8}[eEdD][+-]?[0-9]{1,2}", "-?[0-9]{1,6}\\.[0-9]{0,6}", "[0-9]{1,7}"]
}

fn positive() -> impl Strategy<Value = String> {
    prop_oneof!["[1-9]\\.[0-9]{0,8}[eEdD][+-]?[0-9]", "[1-9][0-9]{0,3}\\.[0-9]{0,6}"]
}

/// `A b E`
fn rate() -> impl Strategy<Value = String> {
    (number(), number(), number()).prop_map(|(a, b, e)| format!("{a} {b} {e}"))
}

fn unit() -> impl Strategy<Value = &'static str> {
    select(&["CAL", "KCAL", "JOULES", "KJOULES", "KELVINS", "EVOLTS", "MOLECULES", "KCAL MOLECULES"][..])
}

/// A reaction of any form, marked as a duplicate so that any two may be equal.
fn reaction_lines() -> impl Strategy<Value = String> {
    let falloff =
        (select(&["LOW", "HIGH"][..]), rate(), rate(), proptest::option::of((number(), number(), number())), number())
            .prop_map(|(keyword, line, limit, troe, alpha)| {
                let troe = troe.map_or(String::new(), |(a, b, c)| format!("TROE/{a} {b} {c}/"));
                format!("H+O2(+M)=HO2(+M) {line}\n{keyword}/{limit}/ {troe} H2O/{alpha}/ AR/0/")
            });
    let sri = (rate(), rate(), [number(), number(), number(), number(), number()])
        .prop_map(|(line, limit, sri)| format!("2OH(+H2O)=H2O2(+H2O) {line}\nLOW/{limit}/ SRI/{}/", sri.join(" ")));
    let reverse = (rate(), rate(), [number(), number(), number(), number()])
        .prop_map(|(line, reverse, [a, b, c, d])| format!("2H+M=H2+M {line}\nREV/{reverse}/ LT/{a} {b}/ RLT/{c} {d}/"));
    let order = || "-?[0-2]\\.[0-9]{1,3}";
    let orders =
        (rate(), order(), order()).prop_map(|(line, f, r)| format!("O+H2=H+OH {line}\nFORD/H2 {f}/ RORD/OH {r}/"));
    let plog = proptest::collection::vec((positive(), rate()), 1..5).prop_map(|table| {
        let lines: String = table.iter().map(|(p, k)| format!("PLOG/{p} {k}/\n")).collect();
        format!("O+H2O2=>OH+HO2 1 0 0\n{lines}")
    });
    let chebyshev = proptest::collection::vec(number(), 6)
        .prop_map(|values| format!("H+O2+H2O=HO2+H2O 1 0 0\nCHEB/2 3 {}/ PCHEB/0.1 {}/", values.join(" "), 7.3));
    let coefficients = (rate(), "[1-9]\\.[0-9]{1,4}").prop_map(|(line, x)| format!("{x}H2=>{x}H2 {line}"));
    let form = prop_oneof![falloff, sri, reverse, orders, plog, chebyshev, coefficients];
    (form, proptest::option::of(unit())).prop_map(|(form, unit)| {
        let units = unit.map_or(String::new(), |unit| format!("UNITS/{unit}/"));
        format!("{form}\nDUP {units}\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_reaction_in_any_unit_survives_the_round_trip(
        unit in unit(),
        reactions in proptest::collection::vec(reaction_lines(), 1..6),
    ) {
        let (head, _) = H2O2[0].split_once("REACTIONS").expect("a section of reactions");
        let text = format!("{head}REACTIONS {unit}\n{}END\n", reactions.concat());
        let sources = Sources { thermo: Some(decode("therm.dat", H2O2[1].as_bytes())), transport: Some(decode("tran.dat", H2O2[2].as_bytes())), ..Sources::new("random", decode("chem.inp", text.as_bytes())) };
        match parse(&sources, Options::default()) {
            Ok((original, _)) => {
                let canonical = write_yaml(&original);
                let yaml = Sources { mechanism: decode("chem.yaml", canonical.as_bytes()), thermo: None, transport: None, ..sources };
                let (from_yaml, _) = parse(&yaml, Options::default()).expect("the canonical form is valid");
                prop_assert_eq!(&write_yaml(&from_yaml), &canonical);
                let [from_yaml, unlabelled] = [from_yaml, original.clone()].map(without_labels);
                prop_assert_eq!(format!("{from_yaml:#?}"), format!("{unlabelled:#?}"));
                let again = without_last_bits(without_spans(reread(&original)), &original);
                prop_assert_eq!(format!("{again:#?}"), format!("{:#?}", without_spans(original)));
            }
            // A number may leave the range of doubles in the conversion; nothing else may be wrong.
            Err(diagnostics) => {
                let others = diagnostics.iter().find(|d| d.is_error() && d.id != "mechanism::malformed-number");
                prop_assert!(others.is_none(), "{:?}\n{}", others, text);
            }
        }
    }
}

const H2O2: [&str; 3] = [
    include_str!("../../../../mechanisms/h2o2/chem.inp"),
    include_str!("../../../../mechanisms/h2o2/therm.dat"),
    include_str!("../../../../mechanisms/h2o2/tran.dat"),
];

/// Rate constants of fractional orders stay in mol, where other readers take molecules for another unit; numbers with many digits fill their
/// columns.
#[test]
fn other_readers_take_the_units_and_all_digits() {
    let species = |name: &str, atoms: u32, a: &str| {
        format!(
            "- {{name: {name}, composition: {{H: {atoms}}}, thermo: {{model: NASA7, temperature-ranges: [200, 1000, 3500], data: [[{a}, 0, 0, 0, 0, 1, 2], [2.5, 0, 0, 0, 0, 1, 2]]}}}}\n"
        )
    };
    let text = format!(
        "units: {{length: m, quantity: kmol, activation-energy: cal/mol}}\nphases:\n- {{name: gas, thermo: ideal-gas, elements: [H], species: [H, H2], kinetics: gas}}\nspecies:\n{}{}reactions:\n- equation: 2.5 H => 1.25 H2\n  rate-constant: {{A: 6.324555e+07, b: 0.0, Ea: 1.2e+04}}\n",
        species("H", 1, "2.512345678901"),
        species("H2", 2, "-1.2345678912345e-5")
    );
    let sources = Sources::new("units", decode("chem.yaml", text.as_bytes()));
    let (mechanism, _) = parse(&sources, Options::default()).expect("a valid mechanism");
    let written = write(&mechanism);
    let units: Vec<&str> = written.mechanism.lines().filter(|line| line.contains("UNITS")).collect();
    assert_eq!(units, [""; 0], "a fractional order stays in mol");
    assert!(written.thermo.contains("2.512345678901"), "{}", written.thermo);
    assert!(written.thermo.contains("-1.234567891E-5"), "{}", written.thermo);
    let message = &written.warnings.first().expect("one number is rounded").message;
    assert!(message.starts_with("thermo coefficients of 'H2' are rounded"), "{message}");
}
