//! Grid point of each lane, as the CUDA text says it: its own, or the last one where there is no such point. The
//! expressions of the text are evaluated here; no compiler is needed.

use std::path::Path;

/// The files of all kernels of h2o2.
fn kernels(arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mechanism = Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms/h2o2/chem.inp");
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(mechanism)
        .args(["--verify", "off,no-compilers", "--emit", "cuda", "-o"])
        .arg(folder.path())
        .args(arguments)
        .assert()
        .success();
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let kernels =
        files.filter(|file| file.extension().is_some_and(|e| e == "cu") && !file.ends_with("h2o2_context.cu"));
    kernels.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// The values of [`NAMES`].
type Place = [i64; 5];
const NAMES: [&str; 5] = ["groups", "group", "warp_id", "lane", "points"];

/// Sums, differences and products of numbers and names, `min`, and `(unsigned)`, as nothing here is negative.
struct Reader<'a> {
    rest: &'a str,
    place: Place,
}

impl Reader<'_> {
    fn value(expression: &str, place: Place) -> i64 {
        let mut reader = Reader { rest: expression, place };
        let value = reader.sum();
        assert_eq!(reader.rest.trim(), "", "in {expression}");
        value
    }

    fn takes(&mut self, word: &str) -> bool {
        let taken = self.rest.trim_start().strip_prefix(word);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    fn sum(&mut self) -> i64 {
        let mut value = self.product();
        loop {
            if self.takes("+") {
                value += self.product();
            } else if self.takes("-") {
                value -= self.product();
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> i64 {
        let mut value = self.factor();
        while self.takes("*") {
            value *= self.factor();
        }
        value
    }

    fn factor(&mut self) -> i64 {
        if self.takes("min(") {
            let first = self.sum();
            assert!(self.takes(","));
            let second = self.sum();
            assert!(self.takes(")"));
            return first.min(second);
        }
        if self.takes("(unsigned)") {
            return self.factor();
        }
        if self.takes("(") {
            let value = self.sum();
            assert!(self.takes(")"));
            return value;
        }
        for (name, value) in NAMES.into_iter().zip(self.place) {
            if self.takes(name) {
                return value;
            }
        }
        let rest = self.rest.trim_start();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.rest = rest[digits..].trim_start_matches('u');
        rest[..digits].parse().unwrap_or_else(|_| panic!("not known: {rest}"))
    }
}

/// (number of the lane's point, expression) of all statements that set a variable of this name.
fn set<'a>(text: &'a str, name: &str) -> Vec<(i64, &'a str)> {
    let statements = text.split([';', '\n']).map(str::trim);
    let assigned = statements.filter_map(|statement| {
        let statement = statement.trim_start_matches("const ").trim_start_matches("int ").trim_start_matches("bool ");
        let (variable, expression) = statement.strip_prefix(name)?.split_once(" = ")?;
        let number = if variable.is_empty() { Some(0) } else { variable.strip_prefix('_')?.parse().ok() };
        Some((number?, expression))
    });
    assigned.collect()
}

#[test]
fn each_lane_works_on_its_own_point_or_on_the_last_one() {
    for (per_lane, arguments) in [
        (1, &["--target", "kepler"][..]),
        (1, &["--target", "hopper", "--codegen", "data-parallel"]),
        // Registers are so few that places are computed again.
        (
            2,
            &[
                "--target",
                "ampere",
                "--layout",
                "points-per-lane=2",
                "--warps",
                "32",
                "--codegen",
                "overlay,data-parallel",
            ],
        ),
    ] {
        let mut statements = 0;
        for text in kernels(arguments) {
            let (points, active) = (set(&text, "point"), set(&text, "active"));
            assert!(!points.is_empty() && !active.is_empty());
            for points_given in [1, 31, 32, 33, 64, 95, 96, 129] {
                let size = 32 * per_lane;
                let groups = (points_given + size - 1) / size;
                // Warps that wait for each other have a group each, the first of which the loop is over, or none.
                let warps = if text.contains("group + warp_id") { 8 } else { 1 };
                for (own_group, lane) in
                    (0..(groups + warps - 1) / warps * warps).flat_map(|g| (0..32).map(move |l| (g, l)))
                {
                    let place = [groups, own_group / warps * warps, own_group % warps, lane, points_given];
                    let own = |number: i64| own_group * size + 32 * number + lane;
                    let last = |number: i64| (groups - 1) * size + 32 * number + lane;
                    for (number, expression) in &points {
                        let found = Reader::value(expression, place);
                        let expected = own(*number).min(last(*number)).min(points_given - 1);
                        assert_eq!(found, expected, "{expression} at {place:?}");
                    }
                    for (number, condition) in &active {
                        let (left, right) = condition.split_once(" < ").unwrap();
                        let is_active = Reader::value(left, place) < Reader::value(right, place);
                        assert_eq!(is_active, own(*number) < points_given, "{condition} at {place:?}");
                    }
                }
            }
            statements += points.len();
        }
        assert!(statements >= 4 * per_lane as usize, "{arguments:?}");
    }
}
