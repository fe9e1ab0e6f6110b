//! PTX texts inside fat binaries, which nvcc writes with `-fatbin` and puts into objects, libraries and programs.
//!
//! A fat binary has a header and entries:
//!
//! - The header has the magic number, a version, its own size and the size of the rest.
//! - An entry has a header and data. Its header has the kind, the version, its own size, the size of the data, the size
//!   of the compressed data, the architecture, flags, and the size before compression.
//!
//! NVIDIA documents `cuobjdump` and not the layout. The layout was read off files that nvcc 13.0 and `fatbinary` wrote
//! with each `--compress-mode`. The tests compare with the text that was put in.

use crate::elf::Elf;
use std::io::Read;

/// A PTX text of a fat binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Architecture that the text is for, such as 90; `None` where the file does not say.
    pub sm: Option<u32>,
    pub text: String,
}

const MAGIC: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
/// Kind of an entry with PTX.
const PTX: u16 = 1;
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
/// Bytes of one text.
const MOST_BYTES: usize = 1 << 30;

/// Whether the bytes are a binary file and no text.
pub fn is_binary(bytes: &[u8]) -> bool {
    [&MAGIC[..], b"\x7fELF", b"!<arch>\n", b"MZ"].iter().any(|start| bytes.starts_with(start))
}

/// Returns the PTX texts of a fat binary, or of an object, a library or a program that carries some; of a cubin the text that
/// `ptxas -g` puts in.
///
/// # Errors
/// A fat binary is cut off, or its data cannot be decompressed.
pub fn texts(bytes: &[u8]) -> Result<Vec<Image>, String> {
    let mut images = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(4).position(|word| word == MAGIC)) {
        at += found;
        at += match binary(&bytes[at..], &mut images)? {
            0 => MAGIC.len(),
            size => size,
        };
    }
    if images.is_empty()
        && let Ok(elf) = Elf::read(bytes)
        && let Some((_, section)) = elf.section(".nv_debug_ptx_txt")
    {
        let text = String::from_utf8_lossy(section.bytes).replace('\0', "\n");
        images.push(Image { sm: None, text });
    }
    Ok(images)
}

/// Reads the fat binary at the beginning; returns its size, or 0 if it is none.
fn binary(bytes: &[u8], images: &mut Vec<Image>) -> Result<usize, String> {
    let (version, header) = (number(bytes, 4, 2), number(bytes, 6, 2));
    let (Some(1), Some(header), Some(size)) = (version, header, number(bytes, 8, 8)) else { return Ok(0) };
    let end = usize::try_from(size).ok().and_then(|size| size.checked_add(header as usize));
    let end = end.filter(|end| *end <= bytes.len()).ok_or("its fat binary is cut off")?;
    let mut at = header as usize;
    while at < end {
        let entry = &bytes[at..end];
        let cut = "an entry of its fat binary is cut off";
        let header = number(entry, 4, 4).ok_or(cut)? as usize;
        let size = usize::try_from(number(entry, 8, 8).ok_or(cut)?).map_err(|_| cut)?;
        let next = header.checked_add(size).filter(|next| *next > 0).ok_or(cut)?;
        let data = entry.get(header..next).ok_or(cut)?;
        if number(entry, 0, 2) == Some(PTX.into()) {
            let sm = number(entry, 28, 4).map(|sm| sm as u32);
            let text = String::from_utf8_lossy(&unpacked(entry, data)?).trim_matches('\0').to_owned();
            images.push(Image { sm, text });
        }
        at += next;
    }
    Ok(end)
}

/// Returns the data of an entry as they were before compression.
fn unpacked(entry: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
    let flags = number(entry, 40, 8).unwrap_or(0);
    if flags & (LZ4 | ZSTD) == 0 {
        return Ok(data.to_vec());
    }
    let packed = number(entry, 16, 4).and_then(|size| data.get(..size as usize));
    let size = number(entry, 56, 8).and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= MOST_BYTES);
    let (Some(packed), Some(size)) = (packed, size) else {
        return Err("the sizes of its compressed PTX do not fit".to_owned());
    };
    // no sequence of LZ4 makes more of a byte
    if flags & LZ4 != 0 && size / 256 > packed.len() {
        return Err("the sizes of its compressed PTX do not fit".to_owned());
    }
    let failed = |error: &dyn std::fmt::Display| format!("its compressed PTX cannot be read: {error}");
    if flags & LZ4 != 0 {
        return lz4_flex::block::decompress(packed, size).map_err(|error| failed(&error));
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| failed(&error))?;
    let mut text = Vec::new();
    decoder.take(size as u64).read_to_end(&mut text).map_err(|error| failed(&error))?;
    Ok(text)
}

/// Reads a number of up to eight bytes.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    Some(bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fat binary with one entry.
    fn fat(kind: u16, flags: u64, data: &[u8], size: u64) -> Vec<u8> {
        let mut entry = Vec::new();
        entry.extend(kind.to_le_bytes());
        entry.extend(0x101u16.to_le_bytes());
        entry.extend(64u32.to_le_bytes());
        entry.extend((data.len() as u64).to_le_bytes());
        entry.extend((data.len() as u32).to_le_bytes());
        entry.extend([0; 8]);
        entry.extend(90u32.to_le_bytes());
        entry.extend([0; 8]);
        entry.extend(flags.to_le_bytes());
        entry.extend([0; 8]);
        entry.extend(size.to_le_bytes());
        entry.extend(data);
        let mut all = MAGIC.to_vec();
        all.extend([1, 0, 16, 0]);
        all.extend((entry.len() as u64).to_le_bytes());
        all.extend(entry);
        all
    }

    const TEXT: &str = ".version 8.0\n.target sm_90\n";

    #[test]
    fn plain_and_compressed_texts_come_out() {
        // One sequence of LZ4 with literals alone: a token, more of the length, the bytes.
        let mut lz4 = vec![0xf0, TEXT.len() as u8 - 15];
        lz4.extend(TEXT.bytes());
        // A frame of Zstandard with one raw block: magic, descriptor of a single segment, size, header of the last block.
        let mut zstd = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, TEXT.len() as u8];
        zstd.extend(&((TEXT.len() as u32) << 3 | 1).to_le_bytes()[..3]);
        zstd.extend(TEXT.bytes());
        let size = TEXT.len() as u64;
        for (flags, data) in [(0x11, TEXT.as_bytes()), (0x11 | LZ4, &lz4), (0x11 | ZSTD, &zstd)] {
            let mut file = b"\x7fELF other sections ".to_vec();
            file.extend(fat(2, 0x11, b"machine code", 0));
            file.extend(fat(PTX, flags, data, size));
            let image = Image { sm: Some(90), text: TEXT.to_owned() };
            assert_eq!(texts(&file).unwrap(), [image], "{flags:#x}");
        }
    }

    #[test]
    fn no_bytes_make_it_fail() {
        let whole = fat(PTX, 0x11 | LZ4, b"\xf0\x05abc", 9);
        assert!(texts(&whole).is_err());
        for end in 0..whole.len() {
            let _ = texts(&whole[..end]);
        }
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] = 0xff;
            let _ = texts(&broken);
        }
    }
}
