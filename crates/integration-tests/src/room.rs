//! Models with other capacities than they declare.

use std::fmt::Write as _;

/// The text with other capacities wherever a channel is declared with one, but for rendezvous.
/// `change` is given the capacity if it is written as a number; where it gives none, nothing
/// changes.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn with_capacities(text: &str, change: impl Fn(Option<u32>) -> Option<u32>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('[') {
        out.push_str(before);
        out.push('[');
        let declared = behind.split_once(']').filter(|(_, after)| after.trim_start().starts_with("of"));
        let declared = declared.filter(|_| before.trim_end().ends_with('='));
        let changed = declared.and_then(|(capacity, after)| {
            let number = capacity.trim().parse().ok();
            Some((change(number).filter(|_| number != Some(0))?, after))
        });
        rest = match changed {
            Some((capacity, after)) => {
                write!(out, "{capacity}]").expect("a string takes all");
                after
            }
            None => behind,
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_change_and_nothing_else() {
        let text = "chan a = [2] of { bit }, b[3] = [ 1 ] of {byte}; chan c = [0] of { bit }; int d[2] = [N] of e; d[0] = 1";
        let raised = "chan a = [5] of { bit }, b[3] = [4] of {byte}; chan c = [0] of { bit }; int d[2] = [N] of e; d[0] = 1";
        assert_eq!(with_capacities(text, |declared| Some(declared? + 3)), raised);
        let all = with_capacities(text, |_| Some(7));
        assert!(all.contains("[0] of") && all.contains("d[2] = [7] of e") && !all.contains("[1]"), "{all}");
    }
}
