//! Pictures of the predicted time: what each warp did when, and what its clocks went to.

mod bars;
mod occupancy;
pub mod svg;
mod timeline;

pub use bars::{Bar, bars};
pub use occupancy::{levels_picture, occupancy_picture};
pub use timeline::{Phase, timeline};

use svg::{INK, Svg};
use warpsim::machine_code::Cause;

/// One colour for each cause, in all pictures.
fn color(cause: Cause) -> &'static str {
    match cause {
        Cause::Issued => "#2e7d32",
        Cause::FixedLatency => "#aed581",
        Cause::Shared => "#1e88e5",
        Cause::Shuffles => "#5e35b1",
        Cause::Local => "#e53935",
        Cause::Global => "#fb8c00",
        Cause::Constants => "#8d6e63",
        Cause::Special => "#00acc1",
        Cause::Pipe => "#fdd835",
        Cause::Barrier => "#9e9e9e",
        Cause::Fetch => "#ec407a",
        Cause::NotSelected => "#e3e3de",
    }
}

/// The causes with their colours, in rows of six.
fn legend(svg: &mut Svg, left: f64, top: f64) {
    for (at, cause) in Cause::ALL.into_iter().enumerate() {
        let (x, y) = (left + 150.0 * (at % 6) as f64, top + 20.0 * (at / 6) as f64);
        svg.rectangle((x, y), (13.0, 13.0), color(cause), None);
        svg.text((x + 19.0, y + 11.0), 12, "start", cause.name());
    }
}

/// An axis below a picture.
pub fn axis(svg: &mut Svg, (left, top): (f64, f64), width: f64, (length, unit): (u64, &str)) {
    svg.line((left, top), (left + width, top), INK, None);
    let step = tick(length);
    for clock in (0..=length / step).map(|n| n * step) {
        let x = left + width * clock as f64 / length.max(1) as f64;
        svg.line((x, top), (x, top + 5.0), INK, None);
        svg.text((x, top + 18.0), 11, "middle", &clock.to_string());
    }
    svg.text((left + width, top + 34.0), 12, "end", unit);
}

/// About ten to a picture: 1, 2 or 5 times a power of ten.
fn tick(clocks: u64) -> u64 {
    let mut power = 1;
    loop {
        if let Some(step) = [1, 2, 5].map(|n| n * power).into_iter().find(|step| clocks / step <= 12) {
            return step;
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!([1, 12, 13, 100, 130, 9_999].map(tick), [1, 1, 2, 10, 20, 1000]);
    }

    #[test]
    fn no_two_causes_look_alike() {
        let mut colors = Cause::ALL.map(color).to_vec();
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), Cause::ALL.len());
    }
}
