//! The candidates of a kernel as pictures: every one of them is seen, and tells what it is where a pointer rests on it.

mod flags;
mod heat;
mod pareto;
mod point;
mod scale;
mod svg;

use crate::measure::Trial;
use point::Point;

/// An SVG document.
pub struct Picture {
    /// Name that its file is called after.
    pub name: &'static str,
    pub caption: &'static str,
    pub svg: String,
}

/// All pictures of a kernel's candidates on the last level; those that need more than was varied, or registers that a CPU does not tell, are
/// left out.
pub fn all(trials: &[Trial], best: &Trial, is_cpu: bool) -> Vec<Picture> {
    let shown = trials.iter().filter(|trial| trial.level == best.level);
    let points: Vec<Point> = shown
        .filter_map(|trial| {
            let cost = trial.cost()?;
            let (time, _) = cost.time();
            (time > 0.0).then(|| Point { trial, cost, time, is_best: trial == best })
        })
        .collect();
    let axes = varied(&points);
    let mut pictures = vec![Picture {
        name: "flags",
        caption: "Every candidate over the values of each flag, those of a value side by side by their time; lines join the best of \
                      each layout, and one tells the time of auto.",
        svg: flags::picture(&points, &axes),
    }];
    if !is_cpu {
        let caption = "Time over registers per thread; the line joins candidates that none beats in both.";
        pictures.push(Picture { name: "pareto", caption, svg: pareto::picture(&points) });
    }
    if let Some(svg) = heat::picture(&points, &axes) {
        let caption = "The best time for each pair of values of the two flags that change it most.";
        pictures.insert(1, Picture { name: "heat", caption, svg });
    }
    pictures
}

/// Flags with the values that candidates have, in the order of their numbers or else as they come; those with one value are left out.
fn varied(points: &[Point]) -> Vec<(String, Vec<String>)> {
    let mut axes: Vec<(String, Vec<String>)> = Vec::new();
    for (flag, value) in points.iter().flat_map(|point| &point.trial.candidate.settings) {
        match axes.iter_mut().find(|(known, _)| known == flag) {
            Some((_, values)) if values.contains(value) => {}
            Some((_, values)) => values.push(value.clone()),
            None => axes.push((flag.clone(), vec![value.clone()])),
        }
    }
    axes.retain(|(_, values)| values.len() > 1);
    for (_, values) in &mut axes {
        values.sort_by_key(|value| value.parse::<u32>().unwrap_or(0));
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::measure::Outcome;
    use crate::space::{self, Axis};
    use kernels::Kernel;
    use singe::driver::Request;

    /// All candidates of a small space, some of which take equally long.
    fn trials() -> Vec<Trial> {
        let axes = [
            Axis::new("codegen", &["overlay", "data-parallel"]),
            Axis::new("warps", &[4, 8, 16]),
            Axis::new("ctas-per-sm", &[1, 2]),
        ];
        let trial = |candidate: space::Candidate| {
            let layout = candidate.value("codegen").unwrap_or_default();
            let warps: f64 = candidate.value("warps").unwrap().parse().unwrap();
            let time = if layout == "overlay" { 8.0 / warps } else { 1.0 };
            let text = format!(
                r#"{{"form":"low-rank","layout":"{layout}","constants":"striped","estimated_ns":{time},"predicted_ns":{time},
                "measured_ns":null,"slots":1.0,"shuffles":0.0,"shared_passes":0.0,"barrier_waits_per_group":0.0,
                "registers":{},"spilled_bytes":0,"ctas_per_sm":1,"occupancy":0.5}}"#,
                40 + warps as u32
            );
            let cost = serde_json::from_str(&text).unwrap();
            let kernel = "viscosity".to_owned();
            Trial { kernel, candidate, level: Level::Compiled, outcome: Outcome::Cost(cost) }
        };
        space::candidates(Kernel::Viscosity, &Request::default(), &axes).into_iter().map(trial).collect()
    }

    fn pictures() -> Vec<Picture> {
        let trials = trials();
        all(&trials, &trials[4], false)
    }

    /// Numbers of an attribute of all elements of a class.
    fn places(svg: &str, class: &str) -> Vec<(String, String)> {
        let of = |element: &str, name: &str| {
            let rest = element.split_once(&format!(" {name}=\""))?.1;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let elements = svg.split('<').filter(|element| element.contains(&format!("class=\"{class}\"")));
        elements.filter_map(|element| Some((of(element, "cx")?, of(element, "cy")?))).collect()
    }

    #[test]
    fn no_candidate_hides_another() {
        let svg = &pictures()[0].svg;
        let mut all = places(svg, "candidate");
        // Twelve candidates in each of three panels.
        assert_eq!(all.len(), 36);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 36);
    }

    #[test]
    fn every_candidate_tells_what_it_is() {
        for picture in pictures() {
            let tips = picture.svg.matches("<title>").count();
            assert!(tips >= 5, "{}: {tips}", picture.name);
            assert!(picture.svg.contains("data-parallel") || picture.name == "heat");
        }
        assert!(pictures()[0].svg.contains("<title>codegen=overlay warps=16 ctas-per-sm=1: 0.5000 ns predicted"));
    }

    #[test]
    fn the_heat_map_has_the_flags_that_matter() {
        let heat = &pictures()[1];
        assert_eq!(heat.name, "heat");
        assert!(heat.svg.contains(">warps<") && heat.svg.contains(">codegen<") && !heat.svg.contains("ctas-per-sm<"));
        assert_eq!(heat.svg.matches("class=\"cell\"").count(), 6);
        assert!(heat.svg.contains(">0.500 ★<") && heat.svg.contains(">1.000<"));
    }

    #[test]
    fn points_in_one_place_are_told_together() {
        let pareto = &pictures()[2];
        // Each number of warps has overlay and data-parallel code; CTAs per SM change nothing here, and eight warps are equal.
        assert_eq!(places(&pareto.svg, "candidate").len(), 5);
        assert!(pareto.svg.contains("\ncodegen=overlay warps=8 ctas-per-sm=2"));
    }

    #[test]
    fn one_candidate_is_a_picture_too() {
        let trials = &trials()[..1];
        let pictures = all(trials, &trials[0], false);
        assert_eq!(pictures.iter().map(|picture| picture.name).collect::<Vec<_>>(), ["flags", "pareto"]);
        assert!(pictures.iter().all(|picture| picture.svg.ends_with("</svg>\n") && !picture.svg.contains("NaN")));
    }
}
