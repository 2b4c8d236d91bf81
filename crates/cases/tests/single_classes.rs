//! Classes of which one instance at most is created.

use cases::single_classes;
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, SystemBuilder};

/// Which classes of a family have one instance at most; `Child` is the first, with no instance at
/// the start.
fn singles(build: impl Fn(&mut SystemBuilder)) -> Vec<bool> {
    let mut b = SystemBuilder::new("family");
    b.class("Child", 0).state("1");
    build(&mut b);
    let system = b.build().expect("names are given once");
    single_classes(&system).values().copied().collect()
}

/// The class `Child` of [`singles`].
fn child() -> ClassId {
    ClassId::new(0)
}

fn begetter(b: &mut SystemBuilder, instances: u32) -> ClassId {
    b.class("Parent", instances).create("1", child(), "2").id()
}

/// Who is created by one parent, and how often.
#[test]
fn who_exists_once() {
    let of_parent = |instances| {
        singles(|b| {
            begetter(b, instances);
        })
    };
    assert_eq!(of_parent(1), [true, true]);
    assert_eq!(of_parent(2), [false, false]);
    // Another one from behind the first; the same one again; one or the other; without moving.
    let twice = singles(|b| {
        b.class("P", 1).create("1", child(), "2").create("2", child(), "3");
    });
    assert_eq!(twice, [false, true]);
    let again = singles(|b| {
        b.class("P", 1).create("1", child(), "2").step("2", &[], "1");
    });
    assert_eq!(again, [false, true]);
    let either = singles(|b| {
        b.class("P", 1).create("1", child(), "2").create("1", child(), "3");
    });
    assert_eq!(either, [true, true]);
    let in_place = singles(|b| {
        b.class("P", 1).create("1", child(), "1");
    });
    assert_eq!(in_place, [false, true]);
}

/// Who is created by several, by itself, by one that is created, or by nobody.
#[test]
fn who_exists_once_in_a_family() {
    let two = |b: &mut SystemBuilder| {
        begetter(b, 1);
        b.class("Other", 1).create("1", child(), "2");
    };
    assert_eq!(singles(two), [false, true, true]);
    let itself = singles(|b| {
        b.class_again(child()).create("1", child(), "2");
    });
    assert_eq!(itself, [false]);
    let grandparent = |b: &mut SystemBuilder| {
        let parent = begetter(b, 0);
        b.class("Grandparent", 1).create("1", parent, "2");
    };
    assert_eq!(singles(grandparent), [true, true, true]);
    assert_eq!(singles(|_| ()), [true]);
}
