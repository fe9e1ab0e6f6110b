//! NVRTC by its C interface: the one place of the crate with unsafe code.
//!
//! Soundness: the library is loaded once and never unloaded, so the function pointers stay valid; the signatures are those of
//! `nvrtc.h` 11.8; every pointer that goes in belongs to a live Rust value with a terminating zero; every buffer that NVRTC fills
//! has the size that NVRTC asked for; a program handle is destroyed once, by [`Program::drop`].

use super::Ptx;
use cache::tool;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr;

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int;
type GetSize = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type GetText = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Handle) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// The loaded library. NVRTC's functions may be called from several threads at once, each on its own program.
#[derive(Debug)]
pub struct Nvrtc {
    create: Create,
    compile: Compile,
    log_size: GetSize,
    log: GetText,
    ptx_size: GetSize,
    ptx: GetText,
    destroy: Destroy,
    version: Version,
    error_string: ErrorString,
    identity: String,
    /// Keeps the code in memory; NVRTC leaves thread-local state behind that must not outlive it.
    _library: ManuallyDrop<Library>,
}

impl Nvrtc {
    /// Loads the library at this path.
    pub fn load(path: &Path) -> Result<Self, String> {
        let failed = |e: libloading::Error| format!("{} cannot be loaded: {e}", path.display());
        // SAFETY: the initialisers of libnvrtc have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: each type is the signature that nvrtc.h declares for that name.
        unsafe {
            Ok(Self {
                create: *library.get(b"nvrtcCreateProgram\0").map_err(failed)?,
                compile: *library.get(b"nvrtcCompileProgram\0").map_err(failed)?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0").map_err(failed)?,
                log: *library.get(b"nvrtcGetProgramLog\0").map_err(failed)?,
                ptx_size: *library.get(b"nvrtcGetPTXSize\0").map_err(failed)?,
                ptx: *library.get(b"nvrtcGetPTX\0").map_err(failed)?,
                destroy: *library.get(b"nvrtcDestroyProgram\0").map_err(failed)?,
                version: *library.get(b"nvrtcVersion\0").map_err(failed)?,
                error_string: *library.get(b"nvrtcGetErrorString\0").map_err(failed)?,
                identity: tool::identity(path),
                _library: ManuallyDrop::new(library),
            })
        }
    }

    /// Compiles one source text; the error is NVRTC's log.
    pub fn compile(&self, name: &str, source: &str, options: &[String]) -> Result<Ptx, String> {
        let fixed = [&self.identity, "NVRTC", name, tool::code(source)];
        let parts: Vec<&str> = fixed.into_iter().chain(options.iter().map(String::as_str)).collect();
        let made = tool::output(&parts, || self.run(name, source, options).map(|Ptx { text, log }| vec![text, log]))?;
        let [text, log] = made.try_into().expect("a text and a log are kept");
        Ok(Ptx { text, log })
    }

    fn run(&self, name: &str, source: &str, options: &[String]) -> Result<Ptx, String> {
        let program = Program::new(self, &c_string(name)?, &c_string(source)?)?;
        let options = options.iter().map(|o| c_string(o)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| "too many options".to_owned())?;
        // SAFETY: the handle is live; `pointers` has `count` strings that `options` keeps alive.
        let code = unsafe { (self.compile)(program.handle, count, pointers.as_ptr()) };
        let log = program.text(self.log_size, self.log)?;
        match code {
            0 => Ok(Ptx { text: program.text(self.ptx_size, self.ptx)?, log }),
            _ if log.trim().is_empty() => Err(self.message(code)),
            _ => Err(log),
        }
    }

    /// Major and minor number.
    pub fn version(&self) -> Option<[c_int; 2]> {
        let [mut major, mut minor] = [0, 0];
        // SAFETY: both numbers can be written.
        let code = unsafe { (self.version)(&raw mut major, &raw mut minor) };
        (code == 0).then_some([major, minor])
    }

    fn message(&self, code: c_int) -> String {
        // SAFETY: NVRTC answers every code with a static string.
        let text = unsafe { CStr::from_ptr((self.error_string)(code)) };
        text.to_string_lossy().into_owned()
    }
}

struct Program<'a> {
    nvrtc: &'a Nvrtc,
    handle: Handle,
}

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, name: &CStr, source: &CStr) -> Result<Self, String> {
        let mut handle = ptr::null_mut();
        // SAFETY: both texts end with a zero; no headers are given, so both lists may be null.
        let code =
            unsafe { (nvrtc.create)(&raw mut handle, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        if code == 0 { Ok(Self { nvrtc, handle }) } else { Err(nvrtc.message(code)) }
    }

    fn text(&self, size: GetSize, get: GetText) -> Result<String, String> {
        let mut bytes = 0;
        // SAFETY: the handle is live and `bytes` can be written.
        let code = unsafe { size(self.handle, &raw mut bytes) };
        if code != 0 {
            return Err(self.nvrtc.message(code));
        }
        let mut buffer = vec![0u8; bytes];
        // SAFETY: the buffer has the size that NVRTC asked for.
        let code = unsafe { get(self.handle, buffer.as_mut_ptr().cast()) };
        if code != 0 {
            return Err(self.nvrtc.message(code));
        }
        let end = buffer.iter().position(|&b| b == 0).unwrap_or(buffer.len());
        Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from nvrtcCreateProgram and is destroyed here only.
        unsafe { (self.nvrtc.destroy)(&raw mut self.handle) };
    }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|e| format!("the text has a zero byte at offset {}", e.nul_position()))
}
