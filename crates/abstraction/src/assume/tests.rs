use super::*;
use crate::channels::ObjectId;
use crate::layout::{Frame, Layout, lay_out, uses};
use crate::testing::{ProgramBuilder, assign, constant, element, global, plus, process};
use cfsm_core::ids::Id;
use cfsm_core::program::{Program, VariableRef};
use proptest::prelude::*;

/// Two bytes, an int, an array of two bytes and a channel; all of them written, so that they have
/// cells.
fn program() -> (Program, [VariableRef; 5]) {
    let mut b = ProgramBuilder::new();
    let [x, y] = ["x", "y"].map(|name| b.global(name, Type::Byte));
    let (n, a) = (b.global("n", Type::Int), b.global_array("a", Type::Byte, 2));
    let c = b.global("c", Type::Channel);
    let mut p = process("P");
    for variable in [x, y, n, c] {
        p.edge(1, assign(variable, constant(0)), 1);
    }
    let place = element(a, constant(0));
    p.edge(1, cfsm_core::program::Action::Assign { target: place, value: constant(0) }, 1);
    b.active(p, 1);
    (b.finish(), [x, y, n, a, c])
}

fn with_view<R>(cells: &Cells, check: impl FnOnce(&View<'_>) -> R) -> R {
    let (program, _) = program();
    let layout: Layout = lay_out(
        &program,
        &uses(&program),
        &cfsm_core::ids::IdMap::new(),
        &crate::Options { array_elements: 8, ..crate::Options::default() },
    );
    let frame: &Frame = layout.frames.values().next().expect("one type");
    let (pid, start) = (Value::zero(), Vec::new());
    let (frame, observers, limit) = (Some(frame), 0, 3);
    check(&View { layout: &layout, start: &start, frame, cells, pid: &pid, observers, limit })
}

/// The number of processes, x, y, n, a[0], a[1], c.
fn cells(values: [Value; 6]) -> Cells {
    [Value::zero()].into_iter().chain(values).map(Rc::new).collect()
}

fn numbers(values: &[i64]) -> Value {
    ValueSet::collect(values.iter().copied(), 9).into()
}

fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

/// The values of `x` and `y` in the part of the state in which `expression` holds, or does not.
fn left(x: Value, y: Value, expression: &Expression, truth: bool) -> Option<[ValueSet; 2]> {
    let zero = Value::zero;
    let state = cells([x, y, zero(), zero(), zero(), zero()]);
    with_view(&state, |view| {
        assume(expression, truth, view).map(|cells| [cells[1].numbers.clone(), cells[2].numbers.clone()])
    })
}

#[test]
fn comparisons_cut_both_sides() {
    let (_, [x, y, ..]) = program();
    let less = binary(Binary::Less, global(x), global(y));
    let (low, high) = (numbers(&[1, 5, 9]), numbers(&[2, 6]));
    let of = |values: &[i64]| ValueSet::Only(values.iter().copied().collect());
    assert_eq!(left(low.clone(), high.clone(), &less, true), Some([of(&[1, 5]), of(&[2, 6])]));
    assert_eq!(left(low.clone(), high.clone(), &less, false), Some([of(&[5, 9]), of(&[2, 6])]));
    assert_eq!(left(numbers(&[7]), high.clone(), &less, true), None);
    let range: Value = ValueSet::between(0, 255, 1).into();
    let bound = binary(Binary::LessEqual, plus(global(x), 1), constant(4));
    assert_eq!(left(range.clone(), high, &bound, true).unwrap()[0], ValueSet::between(0, 3, 1));
    assert_eq!(left(range, low, &bound, false).unwrap()[0], ValueSet::between(4, 255, 1));
}

/// An addend may be one of several numbers, so a sum that is 2 or 6 leaves more than every fourth
/// number.
#[test]
fn sums_of_two_variables_are_looked_through() {
    let (_, [x, y, n, ..]) = program();
    let sum = binary(Binary::Add, global(x), global(y));
    let (many, zero): (Value, _) = (ValueSet::between(0, 9, 1).into(), Value::zero);
    let state = cells([many.clone(), numbers(&[0, 1]), numbers(&[2, 6]), zero(), zero(), zero()]);
    let of_x = |expression: &Expression, truth| {
        with_view(&state, |view| assume(expression, truth, view).unwrap()[1].numbers.clone())
    };
    assert_eq!(of_x(&binary(Binary::Equal, sum.clone(), global(n)), true), ValueSet::between(1, 6, 1));
    assert_eq!(of_x(&binary(Binary::LessEqual, sum.clone(), constant(4)), true), ValueSet::between(0, 4, 1));
    assert_eq!(of_x(&binary(Binary::LessEqual, sum, constant(4)), false), ValueSet::between(4, 9, 1));
    let difference = binary(Binary::Subtract, global(x), global(y));
    assert_eq!(of_x(&binary(Binary::Greater, difference, constant(4)), true), ValueSet::between(5, 9, 1));
}

#[test]
fn connectives_are_looked_into() {
    let (_, [x, y, ..]) = program();
    let equals = |variable, value| binary(Binary::Equal, global(variable), constant(value));
    let any = || numbers(&[1, 2, 3]);
    let of = |values: &[i64]| ValueSet::Only(values.iter().copied().collect());
    let either = binary(Binary::Or, equals(x, 1), equals(x, 2));
    assert_eq!(left(any(), any(), &either, true).unwrap()[0], of(&[1, 2]));
    assert_eq!(left(any(), any(), &either, false).unwrap()[0], of(&[3]));
    let both = binary(Binary::And, equals(x, 1), equals(y, 2));
    assert_eq!(left(any(), any(), &both, true), Some([of(&[1]), of(&[2])]));
    assert_eq!(left(any(), any(), &both, false), Some([of(&[1, 2, 3]), of(&[1, 2, 3])]));
}

#[test]
fn channels_are_compared_as_what_they_are() {
    let (_, [_, _, _, _, c]) = program();
    let [one, two] = [0, 1].map(|n| Value::channel(ObjectId::new(n)));
    let both = one.join(&two, 9).join(&Value::zero(), 9);
    let zero = Value::zero;
    let state = cells([zero(), zero(), zero(), zero(), zero(), both.clone()]);
    with_view(&state, |view| {
        let set = binary(Binary::NotEqual, global(c), constant(0));
        assert_eq!(*assume(&set, true, view).unwrap()[6], one.join(&two, 9));
        assert_eq!(*assume(&set, false, view).unwrap()[6], Value::zero());
        // Its number may be 3.
        let third = binary(Binary::Equal, global(c), constant(3));
        assert_eq!(*assume(&third, true, view).unwrap()[6], both);
    });
}

fn expression() -> impl Strategy<Value = Expression> {
    let (_, [x, y, n, a, _]) = program();
    let at = |index| Expression::Read(element(a, index));
    let leaf = prop_oneof![
        (-3_i64..8).prop_map(constant),
        prop::sample::select(vec![
            global(x),
            global(y),
            global(n),
            at(constant(0)),
            at(constant(1)),
            at(global(x))
        ]),
    ];
    let operators = [
        Binary::Add,
        Binary::Subtract,
        Binary::Multiply,
        Binary::Equal,
        Binary::NotEqual,
        Binary::Less,
        Binary::LessEqual,
        Binary::Greater,
        Binary::GreaterEqual,
        Binary::And,
        Binary::Or,
    ];
    leaf.prop_recursive(4, 24, 2, move |inner| {
        prop_oneof![
            6 => (prop::sample::select(operators.to_vec()), inner.clone(), inner.clone())
                .prop_map(|(operator, left, right)| binary(operator, left, right)),
            1 => inner.prop_map(|operand| Expression::Unary(Unary::Not, Box::new(operand))),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::collection::vec(0_i64..9, 1..4).prop_map(|values| numbers(&values)),
        (0_i64..5, 0_i64..8).prop_map(|(low, more)| ValueSet::between(low, low + more, 1).into()),
    ]
}

proptest! {
    /// A concrete state that satisfies the assumption is contained in the refined abstract state.
    #[test]
    fn no_state_in_which_it_holds_is_lost(
        expression in expression(),
        values in prop::collection::vec(value(), 5),
        choice in prop::collection::vec(any::<prop::sample::Index>(), 5),
    ) {
        let concrete: Vec<i64> = values.iter().zip(&choice).map(|(value, choice)| {
            let all: Vec<i64> = (-1..20).filter(|v| value.numbers.contains(*v)).collect();
            all[choice.index(all.len())]
        }).collect();
        let to_cells = |values: Vec<Value>| {
            let mut values = values;
            values.push(Value::zero());
            cells(values.try_into().expect("six"))
        };
        let point = to_cells(concrete.iter().map(|&value| numbers(&[value])).collect());
        let exact = with_view(&point, |view| evaluate(&expression, view)).numbers;
        let state = to_cells(values);
        // An index outside the array has no value; without one the run ends.
        if let Some(result) = exact.single() {
            let kept = with_view(&state, |view| assume(&expression, result != 0, view));
            let kept = kept.expect("the concrete state is there");
            for (value, cell) in concrete.iter().zip(&kept[1..]) {
                prop_assert!(cell.numbers.contains(*value), "{expression:?} is {result} at {concrete:?}: {kept:?}");
            }
        }
    }
}
