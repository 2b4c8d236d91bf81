//! Expressions in one form for both sides: what Spin prints is parsed into it, and what the front
//! end made is rendered in it.

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// A number; a symbolic constant is its number.
    Number(i64),
    /// An operator or a function, or a variable with its indices: of `a[i].b[j]` the name is `a.b`.
    Node(String, Vec<Self>),
}

impl Term {
    /// Something without parts.
    #[must_use]
    pub fn name(name: &str) -> Self {
        Self::Node(name.to_owned(), Vec::new())
    }

    /// An operator with its operands. Sums and products of numbers are numbers, and a constant that
    /// is compared with what is received need not be wrapped in `eval`.
    #[must_use]
    pub fn node(name: &str, parts: Vec<Self>) -> Self {
        match (name, parts.as_slice()) {
            ("negate", [Self::Number(value)]) => Self::Number(-value),
            ("eval", [Self::Number(value)]) => Self::Number(*value),
            ("+", [Self::Number(left), Self::Number(right)]) => Self::Number(left.wrapping_add(*right)),
            ("-", [Self::Number(left), Self::Number(right)]) => Self::Number(left.wrapping_sub(*right)),
            ("*", [Self::Number(left), Self::Number(right)]) => Self::Number(left.wrapping_mul(*right)),
            _ => Self::Node(name.to_owned(), parts),
        }
    }

    /// Whether this term of ours means what that one of Spin's does.
    #[must_use]
    pub fn fits(&self, spins: &Self) -> bool {
        let (Self::Node(ours, parts), Self::Node(name, indices)) = (self, spins) else {
            return self == spins;
        };
        let flat = || match parts.as_slice() {
            [index] => index.is_flat(indices),
            _ => false,
        };
        if ours == name && (name == "?[" || name == "??[") {
            return parts.len() == indices.len() && parts.iter().zip(indices).all(|(a, b)| a.asks(b));
        }
        ours == name && (all_fit(parts, indices) || indices.len() > 1 && flat())
    }

    /// Whether this part of a poll asks what that one of Spin's does. A variable there asks
    /// nothing.
    fn asks(&self, spins: &Self) -> bool {
        let free = *self == Self::name("_") && matches!(spins, Self::Node(name, _) if name != "eval");
        free || self.fits(spins)
    }

    /// Whether this index of ours, into one array of all elements of arrays in arrays, is what
    /// these indices lead to. How long the arrays are is taken from this index.
    fn is_flat(&self, indices: &[Self]) -> bool {
        let Some((last, before)) = indices.split_last() else { return false };
        if before.is_empty() {
            return self.fits(last);
        }
        let numbers = |terms: &[Self]| terms.iter().all(|term| matches!(term, Self::Number(_)));
        let zeros = |terms: &[Self]| terms.iter().all(|term| *term == Self::Number(0));
        match self {
            Self::Number(_) => numbers(indices),
            Self::Node(name, parts) => match (name.as_str(), parts.as_slice()) {
                // Indices out of range do not lead to another element.
                ("?:", [_, flat, Self::Number(-1)]) => flat.is_flat(indices),
                ("+", [outer, inner]) if inner.fits(last) => match outer {
                    Self::Number(_) => numbers(before),
                    Self::Node(name, parts) if name == "*" => {
                        parts.first().is_some_and(|outer| outer.is_flat(before))
                    }
                    // The inner array has one element.
                    Self::Node(..) => outer.is_flat(before),
                },
                ("*", [outer, Self::Number(_)]) if *last == Self::Number(0) => outer.is_flat(before),
                _ => zeros(before) && self.fits(last) || *last == Self::Number(0) && self.is_flat(before),
            },
        }
    }

    /// The process's own priority.
    #[must_use]
    pub fn priority() -> Self {
        Self::node("get_priority", vec![Self::name("_pid")])
    }

    /// `!x`
    #[must_use]
    pub fn negated(self) -> Self {
        Self::node("!", vec![self])
    }
}

/// Whether terms of ours mean what those of Spin's do, one by one.
#[must_use]
pub fn all_fit(ours: &[Term], spins: &[Term]) -> bool {
    ours.len() == spins.len() && ours.iter().zip(spins).all(|(a, b)| a.fits(b))
}

/// What names mean where a text comes from.
pub trait Meaning {
    /// The number of a symbolic constant.
    fn constant(&self, name: &str) -> Option<i64>;
    /// The control location of a label in a process type.
    fn location(&self, process_type: &str, label: &str) -> Option<i64>;
    /// Whether a process type has this name.
    fn is_process_type(&self, name: &str) -> bool;
}

/// Pieces of a text: words, numbers, operators.
fn pieces(text: &str) -> Vec<&str> {
    const LONG: &[&str] = &["==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "->", "??", "!!"];
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if in_word(first) {
            rest.find(|c| !in_word(c)).unwrap_or(rest.len())
        } else if LONG.iter().any(|long| rest.starts_with(long)) {
            2
        } else {
            first.len_utf8()
        };
        let (piece, behind) = rest.split_at(length);
        found.push(piece);
        rest = behind.trim_start();
    }
    found
}

/// A reader of what Spin prints.
pub struct Reader<'a> {
    pieces: Vec<&'a str>,
    at: usize,
    meaning: &'a dyn Meaning,
}

impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    #[must_use]
    pub fn new(text: &'a str, meaning: &'a dyn Meaning) -> Self {
        Self { pieces: pieces(text), at: 0, meaning }
    }

    /// The next piece, if there is one.
    #[must_use]
    pub fn peek(&self) -> Option<&'a str> {
        self.pieces.get(self.at).copied()
    }

    /// Takes the next piece if it is this one.
    pub fn take(&mut self, piece: &str) -> bool {
        let found = self.peek() == Some(piece);
        self.at += usize::from(found);
        found
    }

    /// Takes the next piece, which must be this one.
    pub fn expect(&mut self, piece: &str) -> Option<()> {
        self.take(piece).then_some(())
    }

    /// Takes the last piece, which must be this one.
    pub fn expect_last(&mut self, piece: &str) -> Option<()> {
        (self.pieces.pop() == Some(piece)).then_some(())
    }

    /// Whether all is read.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at == self.pieces.len()
    }

    /// Expressions between commas, up to a closing piece, which is taken.
    pub fn list(&mut self, close: &str) -> Option<Vec<Term>> {
        let mut found = Vec::new();
        while !self.take(close) {
            found.push(self.expression()?);
            self.take(",");
        }
        Some(found)
    }

    /// An expression.
    pub fn expression(&mut self) -> Option<Term> {
        self.binary(0)
    }

    fn binary(&mut self, least: usize) -> Option<Term> {
        let mut left = self.operand()?;
        while let Some((operator, level)) = self.peek().and_then(|piece| Some((piece, level(piece)?))) {
            if level < least {
                break;
            }
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = self.combined(operator, left, right);
        }
        Some(left)
    }

    /// A comparison of the control location of another process with a label is a condition of its
    /// own.
    fn combined(&self, operator: &str, left: Term, right: Term) -> Term {
        if let ("==", Term::Node(path, process), Term::Node(label, _)) = (operator, &left, &right)
            && let Some(process_type) = path.strip_suffix("._p")
        {
            let location = self.meaning.location(process_type, label);
            let parts = process.iter().cloned().chain(location.map(Term::Number)).collect();
            return Term::Node(format!("{process_type}@"), parts);
        }
        Term::node(operator, vec![left, right])
    }

    fn operand(&mut self) -> Option<Term> {
        let piece = self.peek()?;
        self.at += 1;
        match piece {
            "-" => Some(Term::node("negate", vec![self.operand()?])),
            "!" => Some(self.operand()?.negated()),
            "~" => Some(Term::node("~", vec![self.operand()?])),
            "(" => self.parenthesis(),
            _ if piece.starts_with(|c: char| c.is_ascii_digit()) => Some(Term::Number(piece.parse().ok()?)),
            "run" => {
                let name = self.peek()?;
                self.at += 1;
                self.expect("(")?;
                Some(Term::Node(format!("run {name}"), self.list(")")?))
            }
            _ if piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => self.word(piece),
            _ => None,
        }
    }

    fn parenthesis(&mut self) -> Option<Term> {
        if self.take("{") {
            // Code in C, of which Spin shows a number.
            while !self.take("}") {
                self.at += 1;
                self.peek()?;
            }
            self.expect(")")?;
            return Some(Term::name("c_expr"));
        }
        let first = self.expression()?;
        if self.take("->") {
            let then = self.expression()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            self.expect(")")?;
            return Some(Term::node("?:", vec![first, then, otherwise]));
        }
        self.expect(")")?;
        Some(first)
    }

    fn word(&mut self, word: &str) -> Option<Term> {
        if self.take("(") {
            let parts = self.list(")")?;
            return Some(match word {
                "nempty" => Term::node("empty", parts).negated(),
                "nfull" => Term::node("full", parts).negated(),
                _ => Term::node(word, parts),
            });
        }
        if let Some(number) = self.meaning.constant(word) {
            return Some(Term::Number(number));
        }
        if word == "_priority" {
            return Some(Term::priority());
        }
        let place = self.path(word)?;
        let random = self.peek() == Some("??");
        if (random || self.peek() == Some("?")) && self.pieces.get(self.at + 1) == Some(&"[") {
            self.at += 2;
            let mut parts = vec![place];
            parts.extend(self.list("]")?);
            return Some(Term::node(if random { "??[" } else { "?[" }, parts));
        }
        Some(place)
    }

    /// A variable, an element of one, or a field: its name, and all indices.
    pub fn path(&mut self, first: &str) -> Option<Term> {
        // The variables that Spin makes for `for (m in channel)`.
        let mut name = if first.starts_with("f0r_t3mp") { HIDDEN.to_owned() } else { first.to_owned() };
        let mut indices = Vec::new();
        loop {
            if self.take("[") {
                indices.push(self.expression()?);
                self.expect("]")?;
            } else if self.peek() == Some(".") {
                self.at += 1;
                let field = self.peek()?;
                self.at += 1;
                name = format!("{name}.{field}");
            } else {
                return Some(self.remote(name, indices));
            }
        }
    }

    /// A variable of another process looks like a field.
    fn remote(&self, name: String, indices: Vec<Term>) -> Term {
        let head = name.split('.').next().unwrap_or_default();
        let is_remote = name.contains('.') && self.meaning.is_process_type(head);
        let name = if is_remote && !name.ends_with("._p") { format!("remote {name}") } else { name };
        Term::Node(name, indices)
    }
}

/// What stands for the name of a variable that no user has declared.
pub const HIDDEN: &str = "(hidden)";

/// How tightly an operator binds.
fn level(operator: &str) -> Option<usize> {
    Some(match operator {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | ">" | "<=" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// `red` is 2; the type `P` has a label `L` at location 7.
    pub struct Sample;

    impl Meaning for Sample {
        fn constant(&self, name: &str) -> Option<i64> {
            (name == "red").then_some(2)
        }
        fn location(&self, process_type: &str, label: &str) -> Option<i64> {
            ((process_type, label) == ("P", "L")).then_some(7)
        }
        fn is_process_type(&self, name: &str) -> bool {
            name == "P"
        }
    }

    fn read(text: &str) -> Term {
        let mut reader = Reader::new(text, &Sample);
        let term = reader.expression().unwrap_or_else(|| panic!("{text}"));
        assert!(reader.is_done(), "{text}");
        term
    }

    #[test]
    fn what_spin_prints_is_read() {
        let x = || Term::name("x");
        assert_eq!(read("((x==red))"), Term::node("==", vec![x(), Term::Number(2)]));
        assert_eq!(read("-(1)"), Term::Number(-1));
        assert_eq!(read("(2--(3))"), Term::Number(5));
        assert_eq!(read("(nempty(x))"), Term::node("empty", vec![x()]).negated());
        assert_eq!(read("((P[x]._p==L))"), Term::Node("P@".into(), vec![x(), Term::Number(7)]));
        assert_eq!(read("P[x].y"), Term::Node("remote P.y".into(), vec![x()]));
        assert_eq!(read("(a[x].b??[red,_])").clone(), {
            let place = Term::Node("a.b".into(), vec![x()]);
            Term::node("??[", vec![place, Term::Number(2), Term::name("_")])
        });
        // An array of 3 in an array of 2.
        let inside = Term::node("<", vec![x(), Term::Number(2)]);
        let flat = Term::node("+", vec![Term::node("*", vec![x(), Term::Number(3)]), Term::Number(1)]);
        let guarded = Term::node("?:", vec![inside, flat.clone(), Term::Number(-1)]);
        for (index, expected) in [(flat, true), (guarded, true), (x(), false), (Term::Number(4), false)] {
            assert_eq!(Term::node("a.b", vec![index]).fits(&read("a[x].b[1]")), expected);
        }
        assert!(Term::node("a.b", vec![Term::Number(4)]).fits(&read("a[1].b[1]")));
        let poll = Term::node("?[", vec![Term::name("c"), Term::name("_"), Term::Number(2)]);
        assert!(poll.fits(&read("c?[x,red]")) && !poll.fits(&read("c?[x,x]")));
        assert!(!poll.fits(&read("c?[eval(x),red]")));
        let choice = Term::node("?:", vec![x(), Term::Number(1), Term::Number(0)]);
        assert_eq!(read("( (x) -> (1) : (0) )"), choice);
    }
}
