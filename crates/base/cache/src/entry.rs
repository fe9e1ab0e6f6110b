//! The bytes of an entry: a line with the key and the digest of what follows, then the texts as JSON.

use super::hexadecimal;
use sha2::{Digest, Sha256};

pub const EXTENSION: &str = "singe";

const FORMAT: &str = "singe cache 1";

pub fn text(key: &str, texts: &[String]) -> Vec<u8> {
    let body = serde_json::to_vec(texts).expect("texts are plain data");
    let mut bytes = format!("{FORMAT} {key} {}\n", digest(&body)).into_bytes();
    bytes.extend(body);
    bytes
}

/// `None`: the bytes are no entry of this key, or not all of it.
pub fn read(bytes: &[u8], key: &str) -> Option<Vec<String>> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let (head, body) = (&bytes[..end], &bytes[end + 1..]);
    let is_own = head == format!("{FORMAT} {key} {}", digest(body)).as_bytes();
    is_own.then(|| serde_json::from_slice(body).ok()).flatten()
}

fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
