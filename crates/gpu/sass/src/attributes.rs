//! The attributes that ptxas leaves for the driver in `.nv.info` and `.nv.info.KERNEL`.
//!
//! Each attribute is a byte for the format, a byte for the attribute, and two bytes that hold the value or, for format 4, the
//! length of the value behind them.

/// An attribute about kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    /// Registers per thread of the function that the symbol names.
    Registers { symbol: u32, count: u32 },
    /// Bytes of local memory that a call of the function takes, with what it calls.
    Stack { symbol: u32, bytes: u32 },
    /// Offset of the parameters in bank 0, and their size in bytes.
    Parameters { offset: u32, bytes: u32 },
    /// One parameter, with its offset from the start of all.
    Parameter { ordinal: u32, offset: u32, bytes: u32 },
    /// The threads per CTA that `.reqntid` asks for.
    Threads([u32; 3]),
    /// The CTAs per cluster that `.reqnctapercluster` asks for.
    Cluster([u32; 3]),
}

/// Reads all known attributes; others are passed over.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<Attribute> {
    let mut found = Vec::new();
    while let [format, number, low, high, rest @ ..] = bytes {
        let length = if *format == 4 { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        let Some((value, rest)) = rest.split_at_checked(length) else { break };
        found.extend(attribute(*number, value));
        bytes = rest;
    }
    found
}

fn attribute(number: u8, value: &[u8]) -> Option<Attribute> {
    let word = |at: usize| Some(u32::from_le_bytes(value.get(4 * at..4 * at + 4)?.try_into().ok()?));
    let half = |at: usize| Some(u32::from(u16::from_le_bytes(value.get(2 * at..2 * at + 2)?.try_into().ok()?)));
    Some(match number {
        0x2f => Attribute::Registers { symbol: word(0)?, count: word(1)? },
        0x12 => Attribute::Stack { symbol: word(0)?, bytes: word(1)? },
        0x0a => Attribute::Parameters { offset: half(2)?, bytes: half(3)? },
        0x17 => Attribute::Parameter { ordinal: half(2)?, offset: half(3)?, bytes: word(2)? >> 18 },
        0x10 => Attribute::Threads([word(0)?, word(1)?, word(2)?]),
        0x3d => Attribute::Cluster([word(0)?, word(1)?, word(2)?]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_format_4_alone() {
        let bytes = [
            0x03, 0x1b, 0xff, 0x00, // a value of two bytes
            0x04, 0x17, 0x0c, 0x00, 0, 0, 0, 0, 5, 0, 0x24, 0, 0x00, 0xf0, 0x11, 0x00, // a parameter
            0x04, 0x0a, 0x08, 0x00, 11, 0, 0, 0, 0x10, 0x02, 0x28, 0x00, // where they lie
            0x04, 0x2f, 0x08, 0x00, 12, 0, 0, 0, 170, 0, 0, 0, // registers
            0x04, 0x2f, 0x08, 0x00, 12, // cut off
        ];
        let expected = [
            Attribute::Parameter { ordinal: 5, offset: 0x24, bytes: 4 },
            Attribute::Parameters { offset: 0x210, bytes: 0x28 },
            Attribute::Registers { symbol: 12, count: 170 },
        ];
        assert_eq!(read(&bytes), expected);
    }
}
