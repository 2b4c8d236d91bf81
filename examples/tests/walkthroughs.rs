//! The walk-throughs of the library do what they say.

// Their `main` is not called here.
#[allow(dead_code)]
#[path = "../examples/actors.rs"]
mod actors;
#[allow(dead_code)]
#[path = "../examples/builder.rs"]
mod builder;
#[allow(dead_code)]
#[path = "../examples/custom_property.rs"]
mod custom_property;
#[allow(dead_code)]
#[path = "../examples/custom_renderer.rs"]
mod custom_renderer;
#[allow(dead_code)]
#[path = "../examples/from_file.rs"]
mod from_file;
#[allow(dead_code)]
#[path = "../examples/in_a_test_suite.rs"]
mod in_a_test_suite;
#[allow(dead_code)]
#[path = "../examples/own_engine.rs"]
mod own_engine;
#[allow(dead_code)]
#[path = "../examples/own_front_end.rs"]
mod own_front_end;

use freeboard::assert_bounded;

#[test]
fn actors_whose_queues_stay_short() {
    assert_eq!(actors::run(10), 385);
    assert_bounded!(actors::described().unwrap(), at most 6);
}

#[test]
#[should_panic(expected = "UNBOUNDED: ")]
fn actors_that_do_not_wait() {
    assert_bounded!(actors::impatient().unwrap());
}

#[test]
fn a_test_suite() {
    in_a_test_suite::the_protocol_is_bounded();
    in_a_test_suite::the_switch_never_hangs();
    in_a_test_suite::every_proof_can_be_checked_again();
}

#[test]
fn a_front_end_of_ones_own() {
    let report = own_front_end::report(own_front_end::TEXT).unwrap();
    assert!(
        report.starts_with(
            "BOUNDED: every buffer is proved bounded (certificate of the abstraction checked)\n"
        ),
        "{report}"
    );
    let report = own_front_end::report("Client: ask!1\nServer: ask?y\n").unwrap();
    assert!(
        report.starts_with("UNBOUNDED: 1 buffer grows for ever") && report.contains("own.txt:4  ask!1"),
        "{report}"
    );
    assert!(
        own_front_end::report("Client ask!1").is_err() && own_front_end::report("Client: ask!x").is_err()
    );
}

#[test]
fn a_renderer_of_ones_own() {
    let report = custom_renderer::report(&custom_renderer::default_machines()).unwrap();
    assert_eq!(
        report,
        "TAP version 14\n1..2\nnot ok 1 - A->B grows for ever\nnot ok 2 - B->A grows for ever\n"
    );
    let bounded = custom_renderer::default_machines().with_file_name("lights.kmc");
    assert!(custom_renderer::report(&bounded).unwrap().contains("ok 1 - SWITCH->LAMP holds at most 1\n"));
}

#[test]
fn a_system_built_by_hand() {
    assert_eq!(
        builder::report().unwrap(),
        "jobs: at most 1\nresults: at most 1\nlog: can grow, by 2 pieces of behaviour together\n"
    );
}

#[test]
fn a_property_of_ones_own() {
    let patient = custom_property::check("patient.pml", custom_property::PATIENT).unwrap();
    assert!(patient.growing.is_empty());
    let endless = custom_property::PATIENT.replace("{ c!1; c!1 }", "{ do :: c!1 od }");
    let endless = custom_property::check("endless.pml", &endless).unwrap();
    assert_eq!(endless.growing, [freeboard::ilp_encode::Row::Gain]);
    assert_eq!(endless.combinations[0].parts.len(), 2);
}

#[test]
fn a_model_from_a_file() {
    let report = from_file::report(&from_file::default_model()).unwrap();
    let start = "AB never holds more than 13 messages\n\
                 BA never holds more than 4 messages\n\
                 certificate with 2 claims accepted\n\n\
                 BOUNDED: every buffer is proved bounded (certificate of the abstraction checked)\n";
    assert!(report.starts_with(start), "{report}");
}

#[test]
fn a_file_that_is_not_there() {
    assert!(from_file::report("no such file".as_ref()).is_err());
}

#[test]
fn an_engine_of_ones_own_has_its_turn_and_decides() {
    let report = own_engine::report(own_engine::TEXT).unwrap();
    assert!(report.starts_with("BOUNDED"), "{report}");
    assert!(report.contains("pairs of processes and data places were asked for at once"), "{report}");
}
