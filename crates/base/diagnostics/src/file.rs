//! Reads files that may be pipes or devices: none may make a command wait for ever, or take all memory.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Bytes of the largest file of code or settings that is read.
pub const LARGEST_FILE: u64 = 1 << 30;

/// Reads a file, or a pipe to its end.
///
/// # Errors
/// It cannot be read, nobody writes to the pipe, or it is larger than 1 GiB.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = read_beginning(path, LARGEST_FILE)?;
    if bytes.len() as u64 <= LARGEST_FILE {
        return Ok(bytes);
    }
    let text = format!("it is larger than {} MB", LARGEST_FILE >> 20);
    Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
}

/// Reads a file, or a pipe. Of one that has more than `most` bytes, more than that are read, and not all.
///
/// # Errors
/// It cannot be read, or nobody writes to the pipe.
pub fn read_beginning(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Devices and pipes have no size, so that only reading tells.
    if is_pipe(path) { piped(path, most, PATIENCE) } else { whole(path, most) }
}

fn whole(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a pipe. One that nobody writes to would block for ever; a slow writer does not.
fn piped(path: &Path, most: u64, [to_open, to_write]: [Duration; 2]) -> io::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    // The thread that waits in vain ends with the process.
    thread::spawn(move || {
        let told = File::open(path).and_then(|mut file| {
            let mut part = vec![0; 1 << 16];
            // Nobody hears any more where it took too long.
            while sender.send(Ok(Vec::new())).is_ok() {
                match file.read(&mut part)? {
                    0 => break,
                    n if sender.send(Ok(part[..n].to_vec())).is_err() => break,
                    _ => {}
                }
            }
            Ok(())
        });
        told.or_else(|error| sender.send(Err(error)).map_err(drop))
    });
    let silent = |what: &str| io::Error::new(io::ErrorKind::TimedOut, format!("it is a pipe, and {what}"));
    let mut bytes: Vec<u8> = receiver.recv_timeout(to_open).map_err(|_| silent("nobody writes to it"))??;
    while bytes.len() as u64 <= most {
        match receiver.recv_timeout(to_write) {
            Ok(part) => bytes.extend(part?),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(silent("its writer says nothing")),
        }
    }
    Ok(bytes)
}

/// How long a writer may take to open its end of a pipe, and from one part of the text to the next.
const PATIENCE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|file| file.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::process::Command;

    #[test]
    fn a_pipe_is_read_to_its_end_and_a_silent_one_is_left() {
        let path = std::env::temp_dir().join(format!("singe-pipe-{}", std::process::id()));
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo is part of every Unix");
        let patience = [Duration::from_secs(10), Duration::from_millis(300)];
        let writer = |stays: Duration| {
            let path = path.clone();
            thread::spawn(move || {
                let mut file = File::options().write(true).open(path)?;
                file.write_all(b"ELEMENTS H END")?;
                thread::sleep(stays);
                io::Result::Ok(())
            })
        };
        let short = writer(Duration::ZERO);
        assert_eq!(piped(&path, 100, patience).ok(), Some(b"ELEMENTS H END".to_vec()));
        let long = writer(Duration::from_secs(1));
        let error = piped(&path, 100, patience).expect_err("the writer says nothing more");
        assert_eq!(error.to_string(), "it is a pipe, and its writer says nothing");
        assert!([short, long].map(|writer| writer.join().is_ok()) == [true; 2]);
        assert!(std::fs::remove_file(&path).is_ok());
    }
}
