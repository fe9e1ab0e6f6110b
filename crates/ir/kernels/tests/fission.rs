//! Kernels that are made as several: together they store what the whole one does.

use graph::{Graph, fission, interpret};
use kernels::{Form, Kernel, Options, StateVariables};

fn jacobian(form: Form) -> Graph {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let options = Options { state: StateVariables::MassFractions, form, ..Options::default() };
    kernels::build(Kernel::IsobaricSparseJacobian, &model, &options).unwrap()
}

fn size(graph: &Graph) -> usize {
    graph.steps().map(|at| graph.body(at).insts.len()).sum()
}

/// The output at one state, before which every row is `before`.
fn output(graph: &Graph, before: f64) -> Vec<f64> {
    let mut fields = vec![vec![1500.0], vec![101_325.0]];
    fields.push((0..graph.arrays[2].rows).map(|k| f64::from(k + 1) / 55.0).collect());
    fields.push(vec![before; graph.arrays[3].rows as usize]);
    interpret::run(graph, &mut fields);
    fields.pop().unwrap()
}

#[test]
fn parts_store_what_the_whole_does() {
    for form in [Form::Pairwise, Form::LogSpace] {
        let whole = jacobian(form);
        assert!(fission::plan(&whole, size(&whole)).is_empty());
        let expected = output(&whole, 0.0);
        for longest in [size(&whole) / 2, size(&whole) / 4] {
            let parts = fission::plan(&whole, longest);
            assert!(parts.len() > 1 && fission::faults(&whole, &parts).is_empty());
            let mut found = vec![f64::NAN; expected.len()];
            for rows in &parts {
                let part = fission::part(&whole, rows);
                assert!(size(&part) < size(&whole));
                for (row, value) in output(&part, f64::NAN).into_iter().enumerate() {
                    assert_eq!(value.is_nan(), !rows.contains(&(row as u32)), "row {row}");
                    if part.stores_row(row) {
                        found[row] = value;
                    }
                }
            }
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&expected));
        }
    }
}

/// A kernel for each row would be short, but all of them would compute the same anew.
#[test]
fn parts_share_what_they_can() {
    let whole = jacobian(Form::LogSpace);
    let together = |parts: &[Vec<u32>]| -> usize { parts.iter().map(|rows| size(&fission::part(&whole, rows))).sum() };
    let planned = |longest: usize| together(&fission::plan(&whole, longest));
    let (few, many) = (planned(size(&whole) / 2), planned(size(&whole) / 4));
    let rows: Vec<Vec<u32>> = (0..whole.arrays[3].rows).map(|row| vec![row]).collect();
    let apart = together(&rows);
    assert!(few < many && 4 * many < apart, "{few} {many} {apart}");
}

#[test]
fn lost_and_doubled_rows_are_faults() {
    let whole = jacobian(Form::LogSpace);
    let parts = fission::plan(&whole, size(&whole) / 4);
    let mut lost = parts.clone();
    let row = lost[0].remove(0);
    assert_eq!(fission::faults(&whole, &lost), [format!("row {row} is stored 0 times")]);
    let mut doubled = parts.clone();
    doubled[1].push(parts[0][0]);
    assert_eq!(fission::faults(&whole, &doubled), [format!("row {} is stored 2 times", parts[0][0])]);
}
