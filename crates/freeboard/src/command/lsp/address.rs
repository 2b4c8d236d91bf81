//! Addresses of documents, and paths of files.

use std::fmt::Write as _;
use std::path::Path;

use lsp_types::Uri;

/// The path that an address stands for; for one that is no file, its text.
pub fn path(uri: &Uri) -> String {
    if uri.scheme().is_none_or(|scheme| !scheme.as_str().eq_ignore_ascii_case("file")) {
        return uri.as_str().into();
    }
    let path = uri.path().as_estr().decode().into_string_lossy().into_owned();
    // `/c:/models/a.pml`
    match path.as_bytes() {
        [b'/', letter, b':', ..] if letter.is_ascii_alphabetic() => path[1..].into(),
        _ => path,
    }
}

/// The address of a file; `None` if its path is not absolute.
pub fn of_path(path: &str) -> Option<Uri> {
    if !Path::new(path).is_absolute() {
        return None;
    }
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => text.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(byte.into())
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_belong_together() {
        let uri = of_path("/models/ä b%.pml").unwrap();
        assert_eq!(uri.as_str(), "file:///models/%C3%A4%20b%25.pml");
        assert_eq!(path(&uri), "/models/ä b%.pml");
        assert_eq!(of_path("b.pml"), None);
        assert_eq!(path(&"file:///c%3A/b.pml".parse().unwrap()), "c:/b.pml");
        assert_eq!(path(&"untitled:one".parse().unwrap()), "untitled:one");
    }
}
