//! A launch in a TOML file: shape, arguments, buffers.
//!
//! ```toml
//! kernel = "name"         # may be left out when the text has one kernel
//! ctas = 2                # one, two or three numbers, as [2, 2] or [2, 2, 1]; default 1
//! threads = [16, 16]      # likewise
//! shared = 1024           # bytes that the launch adds to shared memory; default 0
//! seed = 7                # random interleaving of the warps; default: each runs until it comes to a barrier
//!
//! [[arguments]]           # one per parameter, in order; each a number or a buffer
//! u32 = 64                # a number: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64
//! [[arguments]]
//! type = "f32"            # of a buffer's elements: as for numbers; default f64
//! values = [1.0, 2.0]     # a buffer with these values
//! [[arguments]]
//! integers = [1, 2, 3]    # a buffer of whole numbers; the default type is s32
//! [[arguments]]
//! fill = 0.5              # `length` equal elements
//! length = 64
//! [[arguments]]
//! ramp = [0.0, 0.25]      # first value and step of `length` elements
//! length = 64
//! [[arguments]]
//! file = "input.txt"      # numbers between blanks; the path is relative to the launch file
//! output = true           # the kernel may write it, and it is printed
//! [[arguments]]
//! length = 64             # without values: `length` elements that must be written before they are read
//! output = true
//! ```

use super::{Argument, Buffer, Launch, Schedule};
use ptx::inst::Type;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A launch that is ready to run.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Name of the kernel, if it is given.
    pub kernel: Option<String>,
    pub launch: Launch,
    pub buffers: Vec<Buffer>,
    /// Outputs of the kernel: the number of the argument, of the buffer, and the type of an element.
    pub outputs: Vec<(usize, usize, Type)>,
    pub schedule: Schedule,
}

/// Reads a launch file; `folder` is the folder of the files of values.
///
/// # Errors
/// The text is no launch, or a file of values cannot be read.
pub fn read(text: &str, folder: &Path) -> Result<Setup, String> {
    let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
    let mut setup = Setup {
        kernel: file.kernel,
        launch: Launch {
            ctas: file.ctas.map_or(Ok([1; 3]), |ctas| ctas.three("ctas"))?,
            threads: file.threads.three("threads")?,
            cluster: None,
            shared: file.shared,
            arguments: Vec::new(),
        },
        buffers: Vec::new(),
        outputs: Vec::new(),
        schedule: file.seed.map_or(Schedule::RoundRobin, |seed| Schedule::Random { seed }),
    };
    for (number, entry) in file.arguments.iter().enumerate() {
        let made = entry.make(folder).map_err(|e| format!("argument {number}: {e}"))?;
        setup.launch.arguments.push(match made {
            EntryValue::Number(argument) => argument,
            EntryValue::Buffer(buffer, ty) => {
                if entry.output {
                    setup.outputs.push((number, setup.buffers.len(), ty));
                }
                setup.buffers.push(buffer);
                Argument::Buffer(setup.buffers.len() - 1)
            }
        });
    }
    Ok(setup)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kernel: Option<String>,
    ctas: Option<Extent>,
    threads: Extent,
    #[serde(default)]
    shared: u64,
    seed: Option<u64>,
    #[serde(default)]
    arguments: Vec<Entry>,
}

/// A number, or a list of numbers from x on.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Extent {
    One(i64),
    List(Vec<i64>),
    Other(toml::Value),
}

impl Extent {
    /// Returns the numbers in x, y and z; missing ones are 1.
    pub(super) fn three(self, name: &str) -> Result<[u32; 3], String> {
        let list = match self {
            Self::One(x) => vec![x],
            Self::List(list) => list,
            Self::Other(value) => return Err(format!("{name} = {value}: give one, two or three whole numbers")),
        };
        if !(1..=3).contains(&list.len()) {
            return Err(format!("{name} has {} numbers: give one, two or three", list.len()));
        }
        let mut all = [1; 3];
        for (one, (given, axis)) in all.iter_mut().zip(list.into_iter().zip(["x", "y", "z"])) {
            let fits = u32::try_from(given).ok().filter(|n| *n > 0);
            *one = fits.ok_or_else(|| format!("{name} has {given} in {axis}: give 1 or more"))?;
        }
        Ok(all)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    u8: Option<u8>,
    s8: Option<i8>,
    u16: Option<u16>,
    s16: Option<i16>,
    u32: Option<u32>,
    s32: Option<i32>,
    u64: Option<u64>,
    s64: Option<i64>,
    f32: Option<f32>,
    f64: Option<f64>,
    #[serde(rename = "type")]
    ty: Option<String>,
    values: Option<Vec<f64>>,
    integers: Option<Vec<i64>>,
    fill: Option<f64>,
    ramp: Option<[f64; 2]>,
    file: Option<PathBuf>,
    length: Option<usize>,
    #[serde(default)]
    output: bool,
}

enum EntryValue {
    Number(Argument),
    Buffer(Buffer, Type),
}

/// Elements of one buffer.
const MOST_ELEMENTS: usize = 1 << 28;

impl Entry {
    fn make(&self, folder: &Path) -> Result<EntryValue, String> {
        let number = self.number();
        let given = [
            number.is_some(),
            self.values.is_some(),
            self.integers.is_some(),
            self.fill.is_some(),
            self.ramp.is_some(),
            self.file.is_some(),
        ];
        if given.into_iter().filter(|g| *g).count() > 1 {
            return Err("give one of a number, values, integers, fill, ramp, file".into());
        }
        if let Some(bytes) = number {
            return Ok(EntryValue::Number(Argument::Bytes(bytes)));
        }
        let ty = match (&self.ty, &self.integers) {
            (Some(name), _) => element(name).ok_or_else(|| format!("{name} is no type of elements"))?,
            (None, Some(_)) => Type::S32,
            (None, None) => Type::F64,
        };
        let length = match self.length {
            Some(n) if n > MOST_ELEMENTS => Err("its length is too large"),
            Some(n) => Ok(n),
            None => Err("give its length"),
        };
        let values: Vec<u64> = match (&self.values, &self.integers, self.fill, self.ramp, &self.file) {
            (Some(values), ..) => values.iter().map(|value| bits(*value, ty)).collect(),
            (_, Some(values), ..) => values.iter().map(|value| whole(*value, ty)).collect(),
            (_, _, Some(value), ..) => vec![bits(value, ty); length?],
            (.., Some([first, step]), _) => (0..length?).map(|i| bits(first + step * i as f64, ty)).collect(),
            (.., Some(file)) => {
                let path = folder.join(file);
                let bytes = diagnostics::read_file(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                let text = String::from_utf8_lossy(&bytes);
                let number = |word: &str| {
                    let value = word.parse().map_err(|_| format!("{}: \"{word}\" is no number", path.display()));
                    value.map(|value: f64| bits(value, ty))
                };
                text.split_whitespace().map(number).collect::<Result<_, String>>()?
            }
            _ if self.output => return Ok(EntryValue::Buffer(Buffer::unwritten(ty, length?), ty)),
            _ => return Err("give a number, values, integers, fill, ramp, file, or output with a length".into()),
        };
        let buffer = Buffer::words(ty, values);
        Ok(EntryValue::Buffer(if self.output { buffer } else { buffer.read_only() }, ty))
    }

    /// Returns the bytes of a number.
    fn number(&self) -> Option<Vec<u8>> {
        let all = [
            self.u8.map(|x| x.to_le_bytes().to_vec()),
            self.s8.map(|x| x.to_le_bytes().to_vec()),
            self.u16.map(|x| x.to_le_bytes().to_vec()),
            self.s16.map(|x| x.to_le_bytes().to_vec()),
            self.u32.map(|x| x.to_le_bytes().to_vec()),
            self.s32.map(|x| x.to_le_bytes().to_vec()),
            self.u64.map(|x| x.to_le_bytes().to_vec()),
            self.s64.map(|x| x.to_le_bytes().to_vec()),
            self.f32.map(|x| x.to_le_bytes().to_vec()),
            self.f64.map(|x| x.to_le_bytes().to_vec()),
        ];
        all.into_iter().flatten().next()
    }
}

/// Returns the type of a buffer's elements by its name.
fn element(name: &str) -> Option<Type> {
    Some(match name {
        "u8" => Type::U8,
        "s8" => Type::S8,
        "u16" => Type::U16,
        "s16" => Type::S16,
        "u32" => Type::U32,
        "s32" => Type::S32,
        "u64" => Type::U64,
        "s64" => Type::S64,
        "f32" => Type::F32,
        "f64" => Type::F64,
        _ => return None,
    })
}

/// Returns the bits of a number in that type.
fn bits(value: f64, ty: Type) -> u64 {
    match ty {
        Type::F64 => value.to_bits(),
        Type::F32 => (value as f32).to_bits().into(),
        Type::U64 => value as u64,
        _ => whole(value as i64, ty),
    }
}

fn whole(value: i64, ty: Type) -> u64 {
    match ty {
        Type::F32 | Type::F64 => bits(value as f64, ty),
        _ => value as u64 & ty.mask(),
    }
}

/// Returns the number that an element's bits stand for.
pub fn number(bits: u64, ty: Type) -> serde_json::Value {
    let narrow = 64 - 8 * ty.bytes().clamp(1, 8);
    match ty {
        Type::F64 => serde_json::json!(f64::from_bits(bits)),
        Type::F32 => serde_json::json!(f32::from_bits(bits as u32)),
        _ if ty.is_signed() => serde_json::json!((bits << narrow) as i64 >> narrow),
        _ => serde_json::json!(bits),
    }
}
