//! The graphs of Spin's verifier: what `pan -d` prints.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::graph::{Edge, Graph, Label, Marks};
use super::term::{Meaning, Reader, Term};
use super::verdict::LIMIT;
use crate::compiler::{Haste, compile};
use crate::program::limited;

/// Compiles the verifier in a directory and lets it print its graphs. `include` is where C code of
/// the model finds its files.
///
/// # Errors
/// If the compiler cannot be started, or what is wrong as text: the verifier does not compile, or
/// it refuses the model.
pub fn print_graphs(directory: &Path, include: &Path) -> io::Result<Result<String, String>> {
    let include = format!("-I{}", include.display());
    if let Err(complaint) = compile(directory, Haste::Compile, &[&include])? {
        return Ok(Err(complaint));
    }
    let printed = limited(directory, &directory.join("pan"), &[String::from("-d")], LIMIT)?;
    let table = fs::read_to_string(directory.join("pan.t")).unwrap_or_default();
    Ok(match printed.status {
        Some(_) => Ok(printed.text() + &lines_of_statements(&table)),
        None => Err(String::from("the verifier does not come to an end")),
    })
}

/// What is printed has one line number for each state, that of its first option. The numbers of
/// single statements stand in the verifier's source: `tr_2_src(statement, "file", line)`.
fn lines_of_statements(table: &str) -> String {
    let calls = table.lines().filter_map(|line| line.trim().strip_prefix("tr_2_src("));
    let numbers = calls.filter_map(|call| {
        let (statement, rest) = call.split_once(',')?;
        let line = rest.rsplit_once(',')?.1.trim().strip_suffix(");")?;
        Some(format!("line {statement} {line}\n"))
    });
    numbers.collect()
}

/// The lines of statements by their numbers, as [`print_graphs`] adds them to what is printed.
fn read_lines(printed: &str) -> BTreeMap<usize, u32> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix("line ")?.split_once(' '));
    lines.filter_map(|(statement, line)| Some((statement.parse().ok()?, line.parse().ok()?))).collect()
}

/// The graphs in what was printed, in that order.
#[must_use]
pub fn read_graphs(printed: &str, meaning: &dyn Meaning) -> Vec<Graph> {
    let mut graphs: Vec<Graph> = Vec::new();
    let lines = read_lines(printed);
    for line in printed.lines() {
        if let Some(name) = heading(line) {
            graphs.push(Graph { name, ..Graph::default() });
        } else if line.trim_start().starts_with("state ")
            && let Some(graph) = graphs.last_mut()
            && let Some(row) = Row::read(line)
        {
            add(graph, &row, lines.get(&row.statement).copied(), meaning);
        }
    }
    for graph in &mut graphs {
        rank(graph);
    }
    graphs
}

/// The name of the process type or claim whose graph begins here.
fn heading(line: &str) -> Option<String> {
    let named = ["proctype ", "claim "].iter().find_map(|word| line.strip_prefix(word));
    match line {
        "init" => Some(String::from("init")),
        // The verifier calls a `trace` a `notrace`, and the other way round.
        "notrace assertion" => Some(String::from("trace")),
        "trace assertion" => Some(String::from("notrace")),
        _ => named.map(str::to_owned),
    }
}

/// One line of the output.
struct Row<'a> {
    source: usize,
    target: usize,
    /// The number of what is done; all that do the same nothing share one.
    statement: usize,
    /// The state whose edge this is a copy of, if it is an escape.
    escape: usize,
    flags: &'a str,
    text: &'a str,
}

impl<'a> Row<'a> {
    /// `state S -(tr N)-> state T [id I tp P org E] [flags] file:line => text`
    fn read(line: &'a str) -> Option<Self> {
        let (head, rest) = line.split_once("  [id ")?;
        let (identity, rest) = rest.split_once("] [")?;
        let (flags, rest) = rest.split_once("] ")?;
        let (_, text) = rest.split_once(" => ")?;
        let numbers: Vec<usize> =
            head.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        let escape = identity.split_once(" org ").and_then(|(_, number)| number.trim().parse().ok());
        Some(Self {
            source: *numbers.first()?,
            target: *numbers.last()?,
            statement: *numbers.get(1)?,
            escape: escape.unwrap_or(0),
            flags,
            text: text.trim(),
        })
    }
}

fn add(graph: &mut Graph, row: &Row, line: Option<u32>, meaning: &dyn Meaning) {
    if graph.states.is_empty() {
        graph.entry = row.source;
    }
    let state = graph.states.entry(row.source).or_default();
    let has = |flag| row.flags.contains(flag);
    state.marks = Marks { accept: has('a'), end: has('e'), progress: has('p') };
    if row.text == "-end-" {
        state.is_exit = true;
        return;
    }
    state.edges.push(Edge {
        target: row.target,
        label: label(row.text, meaning),
        atomic: has('A'),
        rank: row.escape,
        line: line.unwrap_or(0),
        last_line: line.unwrap_or(0),
        text: row.text.to_owned(),
    });
}

/// Escapes come before what they are escapes from, each with the state it is copied from; that
/// becomes a number that is greater the earlier they come.
fn rank(graph: &mut Graph) {
    for state in graph.states.values_mut() {
        let mut rank = 0;
        let mut behind = 0;
        for edge in state.edges.iter_mut().rev() {
            let escape = edge.rank;
            rank += usize::from(escape != behind);
            behind = escape;
            edge.rank = rank;
        }
    }
}

/// What a statement that Spin prints does.
#[must_use]
pub fn label(text: &str, meaning: &dyn Meaning) -> Label {
    let starts = |word: &str| text.starts_with(word);
    match text {
        "" => Label::skip(),
        "else" => Label::Else,
        "break" | ".(goto)" => Label::Jump,
        _ if starts("goto ") => Label::Jump,
        _ if starts("D_STEP") => Label::DStep,
        _ if starts("printf(") || starts("printm(") => Label::Print,
        _ if starts("{c_code") => Label::Code(false),
        _ if starts("({c_code") => Label::Code(true),
        _ => statement(text, meaning).unwrap_or_else(|| Label::Unknown(text.to_owned())),
    }
}

fn statement(text: &str, meaning: &dyn Meaning) -> Option<Label> {
    let mut reader = Reader::new(text, meaning);
    let first = reader.expression()?;
    if let Term::Node(name, parts) = &first {
        match (name.as_str(), parts.as_slice()) {
            ("assert", [value]) => return reader.is_done().then(|| Label::Assert(value.clone())),
            ("set_priority", [process, priority]) => {
                return Some(Label::Priority(process.clone(), priority.clone()));
            }
            _ => {}
        }
    }
    if reader.is_done() {
        return Some(Label::Condition(first));
    }
    let piece = reader.peek()?;
    reader.take(piece);
    let found = match piece {
        "=" if first == Term::priority() => Label::Priority(Term::name("_pid"), reader.expression()?),
        "=" => Label::Assign(first, reader.expression()?),
        "!" | "!!" => Label::Send(first, piece == "!!", fields(&mut reader)?),
        "?" | "??" => {
            let stays = reader.take("<");
            if stays {
                reader.expect_last(">")?;
            }
            Label::Receive(first, piece == "??", stays, fields(&mut reader)?)
        }
        _ => return None,
    };
    reader.is_done().then_some(found)
}

/// Expressions between commas.
fn fields(reader: &mut Reader) -> Option<Vec<Term>> {
    let mut found = vec![reader.expression()?];
    while reader.take(",") {
        found.push(reader.expression()?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::term::tests::Sample;
    use super::*;

    /// Part of what is printed for `active proctype P() { x = 1; { x = 2; d_step { x = 3; x = 4 } }
    /// unless { x == 5 -> x = 6 } }`, with lines of its own.
    const PRINTED: &str = "\
proctype P
	state   1 -(tr   3)-> state   2  [id   0 tp   2] [----G] m.pml:3 => x = 1
	state   2 -(tr   5)-> state   9  [id   8 tp   2 org   8] [----G] m.pml:4 => ((x==5))
	state   2 -(tr   4)-> state   6  [id   1 tp   2] [A-epG] m.pml:4 => x = red
	state   6 -(tr   6)-> state  12  [id   5 tp   2] [D---G] m.pml:4 => D_STEP4
	state  12 -(tr   9)-> state   0  [id  11 tp 3500] [--e-L] m.pml:6 => -end-

Transition Type: A=atomic; D=d_step; L=local; G=global
line 3 7
line 4 8
";

    #[test]
    fn what_the_verifier_prints_is_read() {
        let graphs = read_graphs(PRINTED, &Sample);
        let [graph] = graphs.as_slice() else { panic!("one graph") };
        assert_eq!((graph.name.as_str(), graph.entry), ("P", 1));
        let state = graph.state(2);
        assert_eq!(state.marks, Marks { accept: false, end: true, progress: true });
        let shown: Vec<_> = state.edges.iter().map(|edge| (edge.target, edge.rank, edge.atomic)).collect();
        assert_eq!(shown, [(9, 1, false), (6, 0, true)]);
        assert_eq!(state.edges[1].label, Label::Assign(Term::name("x"), Term::Number(2)));
        assert_eq!((graph.state(1).edges[0].line, graph.state(6).edges[0].line), (7, 0));
        assert_eq!(graph.state(6).edges[0].label, Label::DStep);
        assert!(graph.state(12).is_exit && graph.state(12).edges.is_empty());
    }

    #[test]
    fn statements_are_understood() {
        let x = || Term::name("x");
        for (text, expected) in [
            ("c!red,x", Label::Send(Term::name("c"), false, vec![Term::Number(2), x()])),
            ("c!!4", Label::Send(Term::name("c"), true, vec![Term::Number(4)])),
            ("c??<x,eval(x)>", {
                let patterns = vec![x(), Term::node("eval", vec![x()])];
                Label::Receive(Term::name("c"), true, true, patterns)
            }),
            ("(run Q(x))", Label::Condition(Term::node("run Q", vec![x()]))),
            ("assert((x>1))", Label::Assert(Term::node(">", vec![x(), Term::Number(1)]))),
            ("_priority = 4", Label::Priority(Term::name("_pid"), Term::Number(4))),
            ("({c_code4})", Label::Code(true)),
            ("goto :b1", Label::Jump),
            ("", Label::skip()),
            ("x = = 2", Label::Unknown("x = = 2".into())),
        ] {
            assert_eq!(label(text, &Sample), expected, "{text}");
        }
    }

    #[test]
    fn lines_stand_in_the_source() {
        assert_eq!(lines_of_statements("x\n\t\ttr_2_src(3, \"a,b.pml\", 31);\n"), "line 3 31\n");
    }
}
