//! SHA-256 digests of texts and systems, by which a file identifies the files that it refers to.
//!
//! A digest is neither a proof nor a signature: it detects files that were mixed up or changed.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::source::{SourceFile, Sources};
use crate::system::System;

/// The digest of a source text of a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SourceDigest {
    /// The name of the file, without directories; in angle brackets if it is not a file, as
    /// `<stdin>`.
    pub file: String,
    /// [`sha256`] of its text, in UTF-8.
    pub sha256: String,
}

/// The SHA-256 of some bytes in 64 hexadecimal digits, lower case, as `sha256sum` prints it. Time
/// linear in the bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(64);
    for byte in hmac_sha256::Hash::hash(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The part of a path behind its last `/`.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Sources {
    /// The digests of all texts that have names, in the order in which they were read. Time linear
    /// in the texts.
    #[must_use]
    pub fn digests(&self) -> Vec<SourceDigest> {
        let named = self.files.values().filter(|file| !file.name.is_empty());
        let digest = |file: &SourceFile| SourceDigest {
            file: file_name(&file.name).to_owned(),
            sha256: sha256(file.text.as_bytes()),
        };
        named.map(digest).collect()
    }
}

impl System {
    /// The SHA-256 of the system: of its JSON without white space, with keys in declaration order,
    /// without defaults, and with file names reduced to the part behind the last `/`. So the path
    /// of a model does not influence it. Time linear in the system.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut plain = self.clone();
        plain.name = file_name(&plain.name).to_owned();
        for (_, transition) in plain.transitions.iter_mut() {
            if let Some(origin) = &mut transition.origin {
                origin.file = file_name(&origin.file).to_owned();
            }
        }
        // All keys are strings, and no part of a system can fail to be serialised.
        sha256(&serde_json::to_vec(&plain).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Origin;
    use crate::system::SystemBuilder;

    fn pair(name: &str, file: &str) -> System {
        let mut b = SystemBuilder::new(name);
        let m = b.message("q", "m");
        b.class("P", 1).send("0", m, "1");
        b.class("Q", 1).receive("0", m, "1");
        let mut system = b.build().unwrap();
        let origin = Origin { file: file.into(), line: 1, text: "q!m".into() };
        system.transitions.iter_mut().for_each(|(_, step)| step.origin = Some(origin.clone()));
        system
    }

    /// The test vector of FIPS 180-2, appendix B.1.
    #[test]
    fn a_digest_is_that_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }

    #[test]
    fn directories_make_no_difference_and_all_else_does() {
        let system = pair("a.pml", "a.pml");
        assert_eq!(system.digest(), pair("b/a.pml", "/c/a.pml").digest());
        assert_ne!(system.digest(), pair("b.pml", "a.pml").digest());
        assert_ne!(system.digest(), pair("a.pml", "b.pml").digest());
        let mut other = system.clone();
        other.order = None;
        assert_ne!(system.digest(), other.digest());
        let source = vec![SourceDigest { file: "a.pml".into(), sha256: sha256(b"") }];
        assert_ne!(system.digest(), System { source, ..system.clone() }.digest());
    }

    #[test]
    fn texts_without_names_have_no_digest() {
        let mut sources = Sources::default();
        sources.add("x/a.pml", "abc");
        sources.add("", "made up");
        let expected = SourceDigest { file: "a.pml".into(), sha256: sha256(b"abc") };
        assert_eq!(sources.digests(), [expected]);
    }
}
