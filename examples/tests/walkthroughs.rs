//! The walk-throughs of the library do what they say.

// Their `main` is not called here.
#[allow(dead_code)]
#[path = "../examples/builder.rs"]
mod builder;
#[allow(dead_code)]
#[path = "../examples/custom_property.rs"]
mod custom_property;
#[allow(dead_code)]
#[path = "../examples/from_file.rs"]
mod from_file;

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
                 BOUNDED: every buffer is proved bounded (certificate checked)\n";
    assert!(report.starts_with(start), "{report}");
}

#[test]
fn a_file_that_is_not_there() {
    assert!(from_file::report("no such file".as_ref()).is_err());
}
