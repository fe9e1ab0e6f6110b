//! The control bits of an instruction of 16 bytes (Volta and later).

/// Scheduling information of an encoding. The compiler has put in everything that issue needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// Cycles until the warp may issue its next instruction.
    pub stall: u8,
    /// Whether the scheduler should go on with another warp.
    pub yields: bool,
    /// The scoreboard that is released when the result has been written.
    pub write: Option<u8>,
    /// The scoreboard that is released when the operands have been read.
    pub read: Option<u8>,
    /// The scoreboards to wait for, one bit each.
    pub wait: u8,
    /// Source operands that stay in the reuse cache, one bit each.
    pub reuse: u8,
}

impl Control {
    /// Reads the control bits of a little-endian encoding.
    pub fn decode(encoding: u128) -> Self {
        let bits = |from: u32, count: u32| (encoding >> from) as u8 & ((1u16 << count) - 1) as u8;
        let scoreboard = |number: u8| (number < 6).then_some(number);
        Self {
            stall: bits(105, 4),
            // the bit is set where the warp should be kept
            yields: bits(109, 1) == 0,
            write: scoreboard(bits(110, 3)),
            read: scoreboard(bits(113, 3)),
            wait: bits(116, 6),
            reuse: bits(122, 4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_encodings_that_ptxas_made() {
        // LDC R1, c[0x0][0x28], to be waited for with scoreboard 0
        let load = Control::decode(0x000e_2400_0000_0800_0000_0a00_ff01_7b82);
        assert_eq!(load, Control { stall: 2, yields: false, write: Some(0), read: None, wait: 0, reuse: 0 });
        // UMOV UR6, 32@lo(...)
        let moved = Control::decode(0x000f_c600_0000_0000_0000_0000_0006_7882);
        assert_eq!(moved, Control { stall: 3, yields: true, write: None, read: None, wait: 0, reuse: 0 });
        // FSEL that waits for scoreboard 0
        assert_eq!(Control::decode(0x001f_c800_0000_0000_0000_0000_0000_0000).wait, 1);
    }
}
