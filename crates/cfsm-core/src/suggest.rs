//! Suggestions for misspelt names, by edit distance.

/// The closest of some names, if at most a third of the letters differ, ignoring case; the first
/// one among equals. Time proportional to the product of the lengths, for each name.
#[must_use]
pub fn closest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = wrong.chars().count() / 3;
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = distance(wrong, name);
        if distance <= limit && name != wrong && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Damerau-Levenshtein distance: number of letters that must be changed, added, left out, or
/// swapped with their neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = rows[i][j] + usize::from(!a[i].eq_ignore_ascii_case(&b[j]));
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(closest("chanel", ["count", "channel"]), Some("channel"));
        assert_eq!(closest("x", ["y", "total", "X"]), Some("X"));
        assert_eq!(closest("x", ["y", "total"]), None);
        assert_eq!(closest("agian", ["again"]), Some("again"));
        assert_eq!(closest("request", ["y", "total"]), None);
    }
}
