//! Where the `d_step` blocks of a text stand: a program says of its last statements only that
//! control leaves them.

use cfsm_core::source::{FileId, Sources, Span};

/// The outermost `d_step` blocks of all files, in order.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    found: Vec<Span>,
}

impl Regions {
    /// Looks for the word and the braces behind it, outside comments and strings. Time linear in
    /// the text.
    #[must_use]
    pub fn of(sources: &Sources) -> Self {
        let mut found = Vec::new();
        for (file, source) in sources.files.iter() {
            scan(file, &source.text, &mut found);
        }
        Self { found }
    }

    /// The block that a place lies in.
    #[must_use]
    pub fn around(&self, place: Span) -> Option<Span> {
        let holds =
            |block: &Span| block.file == place.file && block.start <= place.start && place.end <= block.end;
        self.found.iter().copied().find(holds)
    }
}

fn scan(file: FileId, text: &str, found: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut at = 0;
    // Where the block began that is open, and how many braces are open in it.
    let mut open: Option<(usize, usize)> = None;
    while at < bytes.len() {
        if let Some(length) = passed_over(&bytes[at..]) {
            at += length;
            continue;
        }
        let rest = &bytes[at..];
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        match (bytes[at], &mut open) {
            (b'{', Some((_, depth))) => *depth += 1,
            (b'}', Some((start, depth))) => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    found.push(Span { file, start: position(*start), end: position(at + 1) });
                    open = None;
                }
            }
            (b'd', None) if rest.starts_with(b"d_step") && (at == 0 || !in_word(bytes[at - 1])) => {
                let behind = &rest[b"d_step".len()..];
                if behind.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{') {
                    open = Some((at, 0));
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The length of a comment or string that begins here.
fn passed_over(bytes: &[u8]) -> Option<usize> {
    let until = |end: &[u8], from: usize| {
        let found = bytes.get(from..)?.windows(end.len()).position(|window| window == end)?;
        Some(from + found + end.len())
    };
    if bytes.starts_with(b"/*") {
        Some(until(b"*/", 2).unwrap_or(bytes.len()))
    } else if bytes.starts_with(b"//") {
        Some(until(b"\n", 2).unwrap_or(bytes.len()))
    } else if bytes.starts_with(b"\"") {
        Some(until(b"\"", 1).unwrap_or(bytes.len()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_outside_comments() {
        let mut sources = Sources::default();
        let text = "/* d_step { */ d_step { x; { y } } z \"d_step {\" my_d_step {}";
        let file = sources.add("m.pml", text);
        let regions = Regions::of(&sources);
        assert_eq!(regions.found.len(), 1);
        assert_eq!(sources.text(regions.found[0]), "d_step { x; { y } }");
        let y = u32::try_from(text.find('y').expect("it is there")).expect("it is near");
        assert!(regions.around(Span { file, start: y, end: y + 1 }).is_some());
        assert!(regions.around(Span { file, start: 0, end: 1 }).is_none());
    }
}
