//! Names of classes, buffers, message types and states, as a user would write them.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Initializer, LocationId, ProcessType, ProcessTypeId, Program, Type};
use cfsm_core::source::Lines;
use cfsm_core::system::ClassId;

use crate::channels::{ObjectId, Objects};
use crate::contexts::Key;
use crate::grouping::{Group, Grouping};
use crate::numbers::ValueSet;
use crate::unfolding::{Unfolded, named};
use crate::values::Value;

/// Largest number of alternatives in a name; further ones become `…`.
const ALTERNATIVES: usize = 3;

/// Names of classes and of the representative channel objects.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The name of each class.
    pub(crate) classes: IdMap<ClassId, String>,
    /// The name of each object.
    pub(crate) buffers: BTreeMap<ObjectId, String>,
}

/// Names all classes and the given channel objects.
pub(crate) fn name_all(
    program: &Program,
    objects: &Objects,
    grouping: &Grouping,
    buffers: &[ObjectId],
) -> Names {
    let short: BTreeMap<ObjectId, String> = buffers
        .iter()
        .map(|&object| (object, buffer_name(program, objects, grouping, object, None)))
        .collect();
    let mut taken = BTreeSet::new();
    let classes: IdMap<ClassId, String> = grouping
        .groups
        .values()
        .map(|group| unique(class_name(program, grouping, group, &short), &mut taken))
        .collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for name in short.values() {
        *count.entry(name).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let buffers = short.iter().map(|(&object, name)| {
        let class = (count[name.as_str()] > 1)
            .then(|| objects[object].owner)
            .flatten()
            .map(|context| classes[grouping.class_of[context]].as_str());
        let name = buffer_name(program, objects, grouping, object, class);
        (object, unique(name, &mut taken))
    });
    Names { buffers: buffers.collect(), classes }
}

/// Makes a name unique: appends a number if the name has been taken before.
pub(crate) fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut candidate = name.clone();
    let mut number = 1;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{name}#{number}");
    }
    candidate
}

/// `AB`, `AB[2]`, `Client[3].reply[1]`, `Client[*].reply`; with another name for the class if
/// given.
fn buffer_name(
    program: &Program,
    objects: &Objects,
    grouping: &Grouping,
    object: ObjectId,
    class: Option<&str>,
) -> String {
    let object = &objects[object];
    let element = object.element.unwrap_or_default() as usize;
    let Some(context) = object.owner else {
        return program.globals[object.variable].element_name(element);
    };
    let group = &grouping.groups[grouping.class_of[context]];
    let process = &program.types[group.process_type];
    let variable = process.locals[object.variable].element_name(element);
    let number = group.number.map_or_else(|| "*".into(), |n| n.to_string());
    let class = class.unwrap_or(&process.name);
    format!("{class}[{number}].{variable}")
}

/// The type's name; with arguments if the type has several classes.
fn class_name(
    program: &Program,
    grouping: &Grouping,
    group: &Group,
    buffers: &BTreeMap<ObjectId, String>,
) -> String {
    let process = &program.types[group.process_type];
    let same_type = |other: &&Group| other.process_type == group.process_type;
    if grouping.groups.values().filter(same_type).take(2).count() == 1 {
        return process.name.clone();
    }
    let pid = group.pid.as_ref().and_then(|pid| pid.numbers.single());
    let pid = pid.map(|pid| format!("[{pid}]")).unwrap_or_default();
    let types = process.locals.values().map(|parameter| parameter.ty);
    let arguments: Vec<String> = group
        .arguments
        .iter()
        .zip(types)
        .map(|(argument, ty)| value_name(program, ty, argument, buffers))
        .collect();
    // The process number identifies the class; empty parentheses are omitted then.
    let arguments = match (pid.is_empty(), arguments.is_empty()) {
        (false, true) => String::new(),
        _ => format!("({})", arguments.join(",")),
    };
    format!("{}{pid}{arguments}", process.name)
}

fn value_name(program: &Program, ty: Type, value: &Value, buffers: &BTreeMap<ObjectId, String>) -> String {
    let ValueSet::Only(numbers) = &value.numbers else {
        return "_".into();
    };
    let channels = value.channels.iter().filter_map(|object| buffers.get(object).cloned());
    let numbers = numbers.iter().map(|&number| constant_name(program, ty, number));
    alternatives(channels.chain(numbers))
}

/// A symbolic constant's name, or the number.
pub(crate) fn constant_name(program: &Program, ty: Type, value: i64) -> String {
    program.constant_name(ty, value)
}

/// `a|b|c|…`
pub(crate) fn alternatives(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.take(ALTERNATIVES + 1).collect();
    if names.len() > ALTERNATIVES {
        names[ALTERNATIVES] = "…".into();
    }
    names.join("|")
}

/// Names of a class's states: the line, with a number if several locations are on the same line,
/// and the values of the unfolded variables.
pub(crate) fn state_names(
    program: &Program,
    lines: &Lines<'_>,
    process_type: ProcessTypeId,
    unfolded: &[Unfolded],
    reachable: &BTreeSet<(LocationId, Key)>,
) -> BTreeMap<(LocationId, Key), String> {
    let locations: BTreeSet<LocationId> = reachable.iter().map(|(location, _)| *location).collect();
    let names = location_names(lines, &program.types[process_type], &locations);
    let values = |key: &Key| {
        let values = named(unfolded, key).into_iter().map(|(tracked, value)| {
            let variable = program.variable(process_type, tracked.variable);
            let name = &variable.name;
            match (&variable.init, tracked.element.or(tracked.selected)) {
                (Initializer::NewChannel(_), None) => format!("len({name})={value}"),
                (Initializer::NewChannel(shape), Some(field)) => {
                    let ty = shape.fields.get(field as usize).copied().unwrap_or(Type::Int);
                    format!("{name}.{}={}", field + 1, constant_name(program, ty, value))
                }
                (_, None) => format!("{name}={}", constant_name(program, variable.ty, value)),
                (_, Some(number)) if tracked.selected.is_some() => {
                    format!("{name}[?{number}]={}", constant_name(program, variable.ty, value))
                }
                (_, Some(element)) => {
                    let name = variable.element_name(element as usize);
                    format!("{name}={}", constant_name(program, variable.ty, value))
                }
            }
        });
        let values: Vec<String> = values.collect();
        if values.is_empty() { String::new() } else { format!(" [{}]", values.join(",")) }
    };
    let name = |(location, key): &(LocationId, Key)| format!("{}{}", names[location], values(key));
    reachable.iter().map(|state| (state.clone(), name(state))).collect()
}

fn location_names(
    lines: &Lines<'_>,
    process: &ProcessType,
    reachable: &BTreeSet<LocationId>,
) -> BTreeMap<LocationId, String> {
    let mut on_line: BTreeMap<u32, Vec<LocationId>> = BTreeMap::new();
    for &location in reachable {
        if location != process.exit {
            let line = lines.line(process.locations[location].span);
            on_line.entry(line).or_default().push(location);
        }
    }
    let mut names = BTreeMap::from([(process.exit, "end".to_owned())]);
    for (line, locations) in on_line {
        for (position, &location) in locations.iter().enumerate() {
            let name = match locations.len() {
                1 => line.to_string(),
                _ => format!("{line}.{}", position + 1),
            };
            names.insert(location, name);
        }
    }
    names
}

/// The channel objects that become buffers: the representatives, global ones first, then those of
/// each class, in declaration order.
pub(crate) fn buffers_in_order(objects: &Objects, grouping: &Grouping) -> Vec<ObjectId> {
    let standing = |object: &ObjectId| grouping.representative[object.index()] == *object;
    let mut buffers: Vec<ObjectId> = objects.ids().filter(standing).collect();
    let class = |object: ObjectId| objects[object].owner.map(|context| grouping.class_of[context]);
    buffers.sort_by_key(|&object| (class(object), object));
    buffers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_given_before_gets_a_number() {
        let mut taken = BTreeSet::new();
        let names = ["a", "a", "b", "a#2", "a"].map(|name| unique(name.into(), &mut taken));
        assert_eq!(names, ["a", "a#2", "b", "a#2#2", "a#3"]);
    }

    #[test]
    fn many_alternatives_are_cut_short() {
        let numbers = |n: i32| alternatives((0..n).map(|number| number.to_string()));
        assert_eq!(numbers(3), "0|1|2");
        assert_eq!(numbers(9), "0|1|2|…");
    }
}
