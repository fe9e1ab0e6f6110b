//! Procedures of one point in Fortran: called in loops of OpenACC and of OpenMP, which gfortran runs on the host, and compared with the
//! reference; a wrong module is refused.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use kernels::{Kernel, StateVariables};
use kinetics::Model;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::{Emit, Set};
use singe::verify::{self, Points, Subject};
use testkit::project::{run, there};
use testkit::shipped;

const KERNELS: [Kernel; 5] =
    [Kernel::Chemistry, Kernel::Thermodynamics, Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];
const POINTS: usize = 23;

/// Temperatures of energies and of enthalpies are kernels of sets.
const SETS: [(&str, StateVariables); 2] = [("energy", StateVariables::Energy), ("enthalpy", StateVariables::Enthalpy)];

fn request(output: &Path) -> Request {
    let sets = SETS.map(|(name, state)| Set {
        name: name.to_owned(),
        kernels: vec![Kernel::Temperature],
        state: Some(state),
        outputs: None,
    });
    Request {
        files: mechanism::Files { mechanism: shipped("h2o2"), ..Default::default() },
        kernels: KERNELS.to_vec(),
        sets: sets.into(),
        verify: None,
        emit: vec![Emit::FortranDevice],
        output: Some(output.to_owned()),
        ..Request::default()
    }
    .for_cpu()
}

/// Writes the module, and returns the model and the kernels that it is printed from, each with the name of its procedure.
fn written(folder: &Path) -> (Model, Vec<(String, Unit)>) {
    let request = request(folder);
    testkit::request::report(&request);
    let model = testkit::request::model(&request);
    let mut units = Vec::new();
    for part in request.parts() {
        for &kernel in &part.kernels {
            let unit = driver::compile_kernel(kernel, &model, &part, &mut Observer::silent());
            let name = part.set.as_ref().map_or(String::new(), |set| format!("{set}_"));
            units.push((format!("h2o2_{name}{}", kernel.name()), unit.map_err(|f| f.diagnostics).unwrap()));
        }
    }
    (model, units)
}

/// A program that calls each procedure at all points in a loop of OpenACC and in one of OpenMP, and writes what both give.
fn program(units: &[(String, Unit)]) -> String {
    let mut text = String::from(
        "program loops\n  use, intrinsic :: iso_fortran_env, only: dp => real64\n  use h2o2_device\n  implicit none\n  integer :: from, to\n  \
         open (newunit=from, file='/dev/stdin', access='stream', form='unformatted', action='read')\n  \
         open (newunit=to, file='/dev/stdout', access='stream', form='unformatted', action='write')\n",
    );
    (0..units.len()).for_each(|at| text += &format!("  call loop_{at}()\n"));
    text += "contains\n";
    for (at, (name, unit)) in units.iter().enumerate() {
        let arrays = &unit.graph.arrays;
        let [a, b, c, out] = [0, 1, 2, 3].map(|array| arrays[array].rows);
        assert_eq!([a, b, arrays.len() as u32], [1, 1, 4], "{name}");
        let result = if out == 1 { "made(1)" } else { "made" };
        let _ = write!(
            text,
            "  subroutine loop_{at}()\n    integer, parameter :: n = {POINTS}\n    \
             real(dp) :: a(n), b(n), c(n, {c}), out(n, {out}), own({c}), made({out})\n    integer :: p\n    \
             read (from) a, b, c\n    \
             !$acc parallel loop copyin(a, b, c) copyout(out) private(own, made)\n    \
             do p = 1, n\n      own = c(p, :)\n      call {name}(a(p), b(p), own, {result})\n      out(p, :) = made\n    end do\n    \
             write (to) out\n    out = 0\n    \
             !$omp target teams distribute parallel do map(to: a, b, c) map(from: out) private(own, made)\n    \
             do p = 1, n\n      own = c(p, :)\n      call {name}(a(p), b(p), own, {result})\n      out(p, :) = made\n    end do\n    \
             write (to) out\n  end subroutine\n"
        );
    }
    text + "end program\n"
}

#[test]
fn loops_of_both_kinds_give_the_numbers_of_the_reference() {
    if !there("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (model, units) = written(folder.path());
    let states = kinetics::verification_states(&model, POINTS);
    let mut inputs = Vec::new();
    for (_, unit) in &units {
        let fields: Vec<_> = states.iter().map(|state| verify::inputs(&model, &unit.graph, state)).collect();
        for array in 0..3 {
            let rows = unit.graph.arrays[array].rows as usize;
            inputs.extend((0..rows).flat_map(|row| fields.iter().map(move |fields| fields[array][row])));
        }
    }
    std::fs::write(folder.path().join("loops.f90"), program(&units)).unwrap();
    for directives in [&[][..], &["-fopenacc"], &["-fopenmp"], &["-march=native", "-fopenacc", "-fopenmp"]] {
        let strict = ["-std=f2018", "-O2", "-Wall", "-Werror", "h2o2_device.f90", "loops.f90", "-o", "loops"];
        run(Command::new("gfortran").current_dir(folder.path()).args(strict).args(directives));
        let found = answers(folder.path(), &inputs);
        let mut found = found.iter();
        for (name, unit) in &units {
            let stiffness = Request::default().common.stiffness;
            let reference = |state| verify::reference(unit.kernel, &model, &unit.graph, stiffness, state);
            let expected: Vec<_> = states.iter().map(reference).collect();
            let allowed = verify::tolerance(unit.kernel, &unit.graph);
            for row in (0..2).flat_map(|_| 0..unit.graph.arrays[3].rows as usize) {
                for (values, scales) in &expected {
                    let error = ((found.next().unwrap() - values[row]) / scales[row]).abs();
                    assert!(error <= allowed || scales[row] == 0.0, "{directives:?} {name}, row {row}: {error:e}");
                }
            }
        }
        assert!(found.next().is_none());
    }
}

/// The numbers that the program writes for these.
fn answers(folder: &Path, inputs: &[f64]) -> Vec<f64> {
    let bytes: Vec<u8> = inputs.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join("inputs"), bytes).unwrap();
    let given = std::fs::File::open(folder.join("inputs")).unwrap();
    let bytes = run(Command::new(folder.join("loops")).stdin(given)).stdout;
    bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

#[test]
fn a_number_far_from_the_reference_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (model, units) = written(folder.path());
    let Unit { kernel, graph, mapping, proven, program, ptx, .. } = &units[2].1;
    let stiffness = Request::default().common.stiffness;
    let subject = Subject { kernel: *kernel, model: &model, stiffness, graph, mapping, proven, program, module: ptx };
    let points = Points::new(&subject, POINTS, &|_, _| ());
    let mut outputs = points.outputs.clone();
    assert!(points.judge(&subject, "the module", "a compiler", &outputs, false).is_ok());
    // Other last bits pass, and no more.
    outputs[0] *= 1.0 + 4.0 * f64::EPSILON;
    assert!(points.judge(&subject, "the module", "a compiler", &outputs, false).is_ok());
    outputs[0] *= 1.0 + 1e-7;
    let refused = points.judge(&subject, "the module", "a compiler", &outputs, false).unwrap_err();
    assert!(refused.iter().any(|told| told.id == "verify::not-the-reference"), "{refused:?}");
}

#[test]
fn the_report_says_that_the_module_was_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_singe"));
    command.arg(shipped("h2o2")).args(["--kernel", "viscosity", "--target", "cpu", "--emit", "fortran-device", "-o"]);
    let told = String::from_utf8(run(command.arg(folder.path().join("out"))).stdout).unwrap();
    let expected = if there("gfortran") { "verified, as gfortran" } else { "not run, no Fortran compiler" };
    assert!(told.contains(&format!("text of h2o2_device.f90: {expected}")), "{told}");
    let text = std::fs::read_to_string(folder.path().join("out/h2o2_device.f90")).unwrap();
    let procedures = text.matches("\n  pure ").count();
    assert!(procedures > 9 && !text.contains("save") && !text.contains("\n  real(dp) ::"), "{procedures}");
    for directive in ["!$acc routine seq", "!$omp declare target"] {
        assert_eq!(text.matches(directive).count(), procedures, "{directive}");
    }
}
