//! A code in Fortran calls CHEMKIN's routines as it would the library's own; the reference evaluator says what it must get.

use std::path::Path;
use std::process::Command;

use kinetics::constants::GAS_CONSTANT;
use kinetics::{Model, State};
use testkit::project::{run, there};
use testkit::shipped;

/// A caller with implicit interfaces, as old codes have it. `@...@` are sizes and the state.
const CALLER: &str = "
program caller
  implicit none
  integer, parameter :: kk = @species@, ii = @reactions@, mm = @elements@
  integer :: ickwrk(1), sizes(4), i, k, ki(8), nu(8), nspec, ncf(mm, kk), nuki(kk, ii)
  double precision :: rckwrk(1), p, t, x(kk), y(kk), c(kk), wt(kk), rho, ru, ruc, pa, value, rows(ii), other(ii)
  double precision :: wdot(kk), made(kk), lost(kk), two_y(2, kk), two_w(2, kk), h(kk)
  character(len=16) :: names(kk), cckwrk(1)
  character(len=2) :: elements(mm)
  logical :: error
  p = @pressure@
  t = @temperature@
  x = (/ @fractions@ /)
  call ckindx(ickwrk, rckwrk, sizes(1), sizes(2), sizes(3), sizes(4))
  if (sizes(1) /= mm .or. sizes(2) /= kk .or. sizes(3) /= ii) stop 1
  call cksyms(cckwrk, 6, names, error)
  if (error .or. names(1) /= 'H2' .or. names(kk) /= 'N2') stop 2
  call cksyms(cckwrk, 6, elements, error)
  if (.not. error) stop 3
  call cksyme(cckwrk, 6, elements, error)
  if (error .or. elements(1) /= 'O') stop 4
  call ckncf(mm, ickwrk, rckwrk, ncf)
  if (any(ncf(:, 6) /= (/ 1, 2, 0, 0 /))) stop 5
  call cknu(kk, ickwrk, rckwrk, nuki)
  call ckinu(0, 8, ickwrk, rckwrk, nspec, ki, nu)
  if (nspec /= 0) stop 6
  do i = 1, ii
    call ckinu(i, 8, ickwrk, rckwrk, nspec, ki, nu)
    do k = 1, kk
      if (sum(nu(1:nspec), mask=ki(1:nspec) == k) /= nuki(k, i)) stop 7
    end do
    if (any(matmul(ncf, nuki(:, i)) /= 0)) stop 8
  end do
  call ckrp(ickwrk, rckwrk, ru, ruc, pa)
  call ckwt(ickwrk, rckwrk, wt)
  call ckxty(x, ickwrk, rckwrk, y)
  call ckrhoy(p, t, y, ickwrk, rckwrk, rho)
  call ckytcr(rho, t, y, ickwrk, rckwrk, c)
  call put('weights', wt, kk)
  call put('mass', y, kk)
  call put('density', (/ rho /), 1)
  call put('concentrations', c, kk)
  call ckpy(rho, t, y, ickwrk, rckwrk, value)
  call put('pressure', (/ value /), 1)
  call ckmmwy(y, ickwrk, rckwrk, value)
  call put('mean', (/ value /), 1)
  call ckcpbs(t, y, ickwrk, rckwrk, value)
  call put('cp', (/ value /), 1)
  call ckubms(t, y, ickwrk, rckwrk, value)
  call put('u', (/ value /), 1)
  call ckhms(t, ickwrk, rckwrk, h)
  call put('h', (/ sum(y * h) /), 1)
  call cksbms(p, t, y, ickwrk, rckwrk, value)
  call put('entropy', (/ value /), 1)
  call ckgbms(p, t, y, ickwrk, rckwrk, value)
  call put('gibbs', (/ value /), 1)
  call ckabms(p, t, y, ickwrk, rckwrk, value)
  call put('helmholtz', (/ value /), 1)
  call ckrhoc(p, t, c, ickwrk, rckwrk, value)
  call put('density', (/ value /), 1)
  call cksor(t, ickwrk, rckwrk, made)
  call ckhort(t, ickwrk, rckwrk, lost)
  call cksmh(t, ickwrk, rckwrk, h)
  if (any(abs(h - (made - lost)) > 1d-13 * (abs(made) + abs(lost)))) stop 11
  call cksml(t, ickwrk, rckwrk, h)
  call put('s', h, kk)
  call ckwyp(p, t, y, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwxp(p, t, x, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwyr(rho, t, y, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwxr(rho, t, x, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwc(t, c, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call getrates(p, t, y, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  two_y(1, :) = y
  two_y(2, :) = y
  call vckwyp(2, (/ 2 * p, p /), (/ t, t /), two_y, ickwrk, rckwrk, two_w)
  call put('production', two_w(2, :), kk)
  if (all(two_w(1, :) == two_w(2, :))) stop 9
  call ckcdyp(p, t, y, ickwrk, rckwrk, made, lost)
  call put('production', made - lost, kk)
  call put('creation', made, kk)
  call ckqc(t, c, ickwrk, rckwrk, rows)
  call put('production', matmul(nuki, rows), kk)
  call ckcont(2, rows, ickwrk, rckwrk, other)
  if (abs(sum(other) - dot_product(nuki(2, :), rows)) > 1d-12 * sum(abs(other))) stop 10
  call ckctyp(p, t, y, ickwrk, rckwrk, made, other)
  call put('creation', made, kk)
  call put('concentrations', other(1:kk) * lost, kk)
  call ckkfkr(p, t, x, ickwrk, rckwrk, rows, other)
  call put('forward', rows, ii)
  call put('reverse', other, ii)
  call ckeqyp(p, t, y, ickwrk, rckwrk, rows)
  call put('equilibrium', rows, ii)
  call mcavis(t, x, rckwrk, value)
  call put('viscosity', (/ value /), 1)
  call mcacon(t, x, rckwrk, value)
  call put('conductivity', (/ value /), 1)
  call mcsvis(t, rckwrk, h)
  call put('viscosities', h, kk)
  call mcscon(t, rckwrk, h)
  call put('conductivities', h, kk)
  call mcadif(p, t, x, rckwrk, h)
  call put('diffusion', h, kk)
contains
  subroutine put(what, values, n)
    character(len=*), intent(in) :: what
    integer, intent(in) :: n
    double precision, intent(in) :: values(n)
    write (*, '(a, 1x, *(es25.17e3, 1x))') what, values
  end subroutine
end program
";

/// Returns the expected values under a name in CGS, the scale of their errors, and the tolerance.
fn expected(model: &Model, state: &State, name: &str) -> (Vec<f64>, Vec<f64>, f64) {
    let species = model.species();
    let exact =
        |values: Vec<f64>, tolerance: f64| (values.clone(), values.into_iter().map(f64::abs).collect(), tolerance);
    let properties = kinetics::properties::properties(model, state);
    let progress = kinetics::progress::progress(model, state);
    let weight = properties.mean_molar_mass;
    let values = |all: &[kinetics::properties::Judged], factor: f64| {
        let (values, scales) = all.iter().map(|judged| (judged.value * factor, judged.scale * factor)).unzip();
        (values, scales, 1e-10)
    };
    // 1 kmol/m3 is 1e-3 mol/cm3, 1 J/kg is 1e4 erg/g.
    match name {
        "weights" => exact(species.iter().map(|s| s.weight).collect(), 1e-15),
        "mass" => exact(species.iter().zip(&state.mole_fractions).map(|(s, x)| x * s.weight / weight).collect(), 1e-13),
        "density" => exact(vec![properties.density * 1e-3], 1e-13),
        "concentrations" => {
            let total = state.pressure / (GAS_CONSTANT * state.temperature);
            exact(state.mole_fractions.iter().map(|x| x * total * 1e-3).collect(), 1e-13)
        }
        "pressure" => exact(vec![state.pressure * 10.0], 1e-13),
        "mean" => exact(vec![weight], 1e-13),
        "cp" => values(&[properties.mixture.cp.per(weight)], 1e4),
        "u" => values(&[properties.mixture.u.per(weight)], 1e4),
        "h" => values(&[properties.mixture.h.per(weight)], 1e4),
        "s" => values(&properties.species.iter().map(|(of, _)| of.s).collect::<Vec<_>>(), 1e4),
        "entropy" => values(&[properties.mixture.s.per(weight)], 1e4),
        "gibbs" => values(&[properties.mixture.g.per(weight)], 1e4),
        "helmholtz" => {
            let gibbs = properties.mixture.g.per(weight);
            let work = state.pressure / properties.density;
            (vec![(gibbs.value - work) * 1e4], vec![(gibbs.scale + work) * 1e4], 1e-10)
        }
        "viscosities" | "conductivities" => {
            let pure = |k: usize| {
                let mole_fractions = (0..species.len()).map(|other| f64::from(u8::from(other == k))).collect();
                State { mole_fractions, ..state.clone() }
            };
            let each = |k: usize| match name {
                "viscosities" => kinetics::viscosity(model, &pure(k)) * 10.0,
                _ => kinetics::conductivity(model, &pure(k)) * 1e5,
            };
            exact((0..species.len()).map(each).collect(), 1e-4)
        }
        "production" => {
            let made = kinetics::production(model, state);
            let cgs = |rates: Vec<f64>| rates.into_iter().map(|rate| rate * 1e-3).collect();
            (cgs(made.net), cgs(made.gross), 1e-10)
        }
        "creation" => values(&progress.creation, 1e-3),
        "forward" => values(&progress.forward, 1e-3),
        "reverse" => values(&progress.reverse, 1e-3),
        "equilibrium" => values(&progress.equilibrium_constants(|power| 10f64.powf(3.0 * power)), 1.0),
        // The forms that are chosen by default have errors of at most 1e-4.
        "viscosity" => exact(vec![kinetics::viscosity(model, state) * 10.0], 1e-4),
        "conductivity" => exact(vec![kinetics::conductivity(model, state) * 1e5], 1e-4),
        "diffusion" => exact(kinetics::diffusion(model, state, 1e-20).into_iter().map(|d| d * 1e4).collect(), 1e-4),
        _ => panic!("the caller says {name}"),
    }
}

#[test]
fn a_code_in_fortran_gets_what_the_reference_says() {
    if !there("g++") || !there("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_library(folder.path(), "h2o2");
    let files = mechanism::Files { mechanism: shipped("h2o2"), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let state = testkit::uneven_state(&model);
    let number = |x: f64| format!("{x:e}").replace('e', "d");
    let fractions: Vec<String> = state.mole_fractions.iter().map(|&x| number(x)).collect();
    let text = CALLER
        .replace("@species@", &model.species().len().to_string())
        .replace("@reactions@", &model.mechanism.reactions.len().to_string())
        .replace("@elements@", &model.mechanism.elements.len().to_string())
        .replace("@pressure@", &number(state.pressure * 10.0))
        .replace("@temperature@", &number(state.temperature))
        .replace("@fractions@", &fractions.join(", &\n         "));
    std::fs::write(folder.path().join("caller.f90"), text).unwrap();
    let strict = ["-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "-c", "h2o2_chemkin.cpp"];
    run(Command::new("g++").current_dir(folder.path()).args(strict));
    // Functions called without an interface take whole arrays and sections alike.
    let link = ["-fallow-argument-mismatch", "caller.f90", "h2o2_chemkin.o", "-lstdc++", "-o", "caller"];
    run(Command::new("gfortran").current_dir(folder.path()).args(link));
    let said = String::from_utf8(run(&mut Command::new(folder.path().join("caller"))).stdout).unwrap();
    assert_eq!(said.lines().count(), 34, "{said}");
    for line in said.lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let found: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let (values, scales, tolerance) = expected(&model, &state, name);
        assert_eq!(found.len(), values.len(), "{name}");
        for (i, (found, (value, scale))) in found.iter().zip(values.iter().zip(&scales)).enumerate() {
            assert!((found - value).abs() <= tolerance * scale, "{name} {i}: {found:e}, {value:e}");
        }
    }
}

/// A program of the kind that came with the library: work arrays, link files and lines of input.
const LEGACY: &str = "
      PROGRAM LEGACY
      IMPLICIT DOUBLE PRECISION (A-H, O-Z), INTEGER (I-N)
      PARAMETER (LENIWK=100, LENRWK=100, LENCWK=100, KMAX=20)
      PARAMETER (LINKCK=25, LINKMC=35, LOUT=6)
      DIMENSION ICKWRK(LENIWK), RCKWRK(LENRWK), IMCWRK(LENIWK)
      DIMENSION RMCWRK(LENRWK), X(KMAX), Y(KMAX), W(KMAX), VALUE(5)
      DIMENSION NRAY(KMAX), KCHARG(KMAX)
      CHARACTER*16 CCKWRK(LENCWK), KSYM(KMAX), SUB(4)
      CHARACTER*80 LINE(3)
      LOGICAL KERR
      DATA LINE /'H2 2.0 ! fuel', 'O2 1.D0', 'N2   3.76'/
      CALL CKLEN (LINKCK, LOUT, LENI, LENR, LENC)
      CALL CKINIT (LENIWK, LENRWK, LENCWK, LINKCK, LOUT, ICKWRK,
     1             RCKWRK, CCKWRK)
      CALL CKINDX (ICKWRK, RCKWRK, MM, KK, II, NFIT)
      CALL MCLEN (LINKMC, LOUT, LMCI, LMCR)
      CALL MCINIT (LINKMC, LOUT, LENIWK, LENRWK, IMCWRK, RMCWRK)
      CALL CKSYMS (CCKWRK, LOUT, KSYM, KERR)
      IF (KERR) STOP 1
      DO 10 K = 1, KK
         X(K) = 0.0
   10 CONTINUE
      SUM = 0.0
      DO 20 I = 1, 3
         CALL CKSNUM (LINE(I), 1, LOUT, KSYM, KK, KSPEC, NVAL, VALUE,
     1                KERR)
         IF (KERR .OR. NVAL .NE. 1) STOP 2
         X(KSPEC) = VALUE(1)
         SUM = SUM + VALUE(1)
   20 CONTINUE
      DO 30 K = 1, KK
         X(K) = X(K) / SUM
   30 CONTINUE
      CALL CKSNUM ('XX 1.0', 1, LOUT, KSYM, KK, KSPEC, NVAL, VALUE,
     1             KERR)
      IF (.NOT. KERR .OR. KSPEC .NE. 0) STOP 3
      CALL CKXNUM ('1.5 2.E3', -5, LOUT, NVAL, VALUE, KERR)
      IF (KERR .OR. NVAL .NE. 2 .OR. VALUE(2) .NE. 2000.) STOP 4
      CALL CKXNUM ('1.5 X', 2, LOUT, NVAL, VALUE, KERR)
      IF (.NOT. KERR) STOP 5
      CALL CKCOMP ('O2  ', KSYM, KK, KSPEC)
      IF (KSYM(KSPEC) .NE. 'O2') STOP 6
      CALL CKSUBS ('A  BC ! D', LOUT, 4, SUB, NFOUND, KERR)
      IF (KERR .OR. NFOUND .NE. 2 .OR. SUB(2) .NE. 'BC') STOP 7
      CALL CKCRAY ('OH H2', KK, KSYM, LOUT, KMAX, NRAY, NF, KERR)
      IF (KERR .OR. NF .NE. 2 .OR. KSYM(NRAY(1)) .NE. 'OH') STOP 8
      CALL CKCHRG (ICKWRK, RCKWRK, KCHARG)
      IF (KCHARG(1) .NE. 0) STOP 9
      CALL CKXTY (X, ICKWRK, RCKWRK, Y)
      CALL CKWYP (1013250.D0, 1500.D0, Y, ICKWRK, RCKWRK, W)
      CALL MCAVIS (1500.D0, X, RMCWRK, VIS)
      WRITE (*, '(A, F6.3, L2)') 'HYDROGEN', X(1), VIS .GT. 0.0
      CALL CKABE (ICKWRK, RCKWRK, X, Y, W)
      END
";

#[test]
fn a_legacy_program_links_and_stops_at_what_cannot_be_had() {
    if !there("g++") || !there("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_library(folder.path(), "h2o2");
    std::fs::write(folder.path().join("legacy.f"), LEGACY).unwrap();
    run(Command::new("g++").current_dir(folder.path()).args(["-O1", "-c", "h2o2_chemkin.cpp"]));
    let link = ["-fallow-argument-mismatch", "legacy.f", "h2o2_chemkin.o", "-lstdc++", "-o", "legacy"];
    run(Command::new("gfortran").current_dir(folder.path()).args(link));
    let ran = Command::new(folder.path().join("legacy")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "HYDROGEN 0.296 T");
    assert_eq!(ran.status.code(), Some(1));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(
        said.trim(),
        "ckabe of CHEMKIN is not there: coefficients of species and reactions are code here, and no data"
    );
}

/// The page lists every routine that ends the program.
#[test]
fn routines_that_stop_are_on_the_page() {
    let page = include_str!("../docs/guide/chemkin.md");
    for routine in emit_c::cpu::MISSING {
        assert!(page.contains(&format!("`{}`", routine.name)), "{}", routine.name);
    }
}

/// The names that a code in C sees are declared in the header, which is valid C.
#[test]
fn the_header_is_valid_c() {
    if !there("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_library(folder.path(), "h2o2");
    std::fs::write(
        folder.path().join("main.c"),
        "#include \"h2o2_chemkin.h\"\nint main(void) { return ckwyp_ == 0; }\n",
    )
    .unwrap();
    let strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wno-address", "-Werror", "-c", "main.c"];
    run(Command::new("gcc").current_dir(folder.path()).args(strict));
}

/// Sums coefficients of the library's species over all reactions, then prints production rates.
const REDUCED: &str = r#"
#include "methane_chemkin.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  static int nuki[19 * 70 + 1];
  const int species = 19;
  const double p = 2.5e6, t = 1350.0;
  double x[19], y[19], wdot[19];
  nuki[19 * 70] = 7;
  cknu_(&species, 0, 0, nuki);
  if (nuki[19 * 70] != 7) return 1;
  for (int k = 0; k < 19; ++k) x[k] = 1.0 / 19.0;
  ckxty_(x, 0, 0, y);
  ckwyp_(&p, &t, y, 0, 0, wdot);
  for (int k = 0; k < 19; ++k) printf("%.17g\n", wdot[k]);
  return 0;
}
"#;

/// Quasi-steady species are none of the library's, and there are no functions of rates of reactions one by one.
#[test]
fn a_reduced_mechanism_has_the_species_that_are_not_quasi_steady() {
    if !there("gcc") || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write_library(folder.path(), "methane");
    assert!(!std::fs::read_to_string(path("methane_chemkin.h")).unwrap().contains("ckqyp_"));
    std::fs::write(path("main.c"), REDUCED).unwrap();
    let strict = ["-Wall", "-Wextra", "-Werror", "-O1", "-c"];
    run(Command::new("gcc").current_dir(folder.path()).args(strict).args(["-std=c99", "main.c"]));
    run(Command::new("g++").current_dir(folder.path()).args(strict).args(["-std=c++17", "methane_chemkin.cpp"]));
    run(Command::new("g++").current_dir(folder.path()).args(["main.o", "methane_chemkin.o", "-o", "main"]));
    let said = String::from_utf8(run(&mut Command::new(path("main"))).stdout).unwrap();
    let found: Vec<f64> = said.lines().map(|line| line.parse().unwrap()).collect();

    let files = mechanism::Files { mechanism: shipped("methane"), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let state = State { temperature: 1350.0, pressure: 2.5e5, mole_fractions: vec![1.0 / 19.0; 19] };
    let surroundings = kinetics::Surroundings { transport_source: Vec::new(), time_step: 0.0 };
    let made = kinetics::reduced(&model, &state, &surroundings, kinetics::Stiffness::Off).production;
    assert_eq!((found.len(), made.net.len()), (19, 19));
    // 1 kmol/m3 is 1e-3 mol/cm3.
    for (k, (found, (net, gross))) in found.iter().zip(made.net.iter().zip(&made.gross)).enumerate() {
        assert!((found - net * 1e-3).abs() <= 1e-10 * gross * 1e-3, "{k}: {found}, {net}");
    }
}

fn write_library(folder: &Path, name: &str) {
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(shipped(name))
        .args(["--target", "cpu", "--units", "cgs", "--emit", "chemkin", "--verify", "off", "--stiffness", "off", "-o"])
        .arg(folder)
        .assert()
        .success();
}
