//! The bytes of an entry: a line with the key and the digest of what follows, then the texts as JSON, compressed by LZ4.

use super::hexadecimal;
use sha2::{Digest, Sha256};

pub const EXTENSION: &str = "singe";

const FORMAT: &str = "singe cache 2";

pub fn text(key: &str, texts: &[String]) -> Vec<u8> {
    let plain = serde_json::to_vec(texts).expect("texts are plain data");
    let body = lz4_flex::compress_prepend_size(&plain);
    let mut bytes = format!("{FORMAT} {key} {}\n", digest(&body)).into_bytes();
    bytes.extend(body);
    bytes
}

/// `None`: the bytes are no entry of this key, or not all of it.
pub fn read(bytes: &[u8], key: &str) -> Option<Vec<String>> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let (head, body) = (&bytes[..end], &bytes[end + 1..]);
    let is_own = head == format!("{FORMAT} {key} {}", digest(body)).as_bytes();
    let plain = is_own.then(|| lz4_flex::decompress_size_prepended(body).ok()).flatten()?;
    serde_json::from_slice(&plain).ok()
}

fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
