//! What people see, and that they see the same every time.

use crate::harness::{freeboard, freeboard_reads};

#[test]
fn a_bounded_model() {
    insta::assert_snapshot!(freeboard(&["check", "two_processes.pml"]).timeless());
}

#[test]
fn a_model_whose_buffers_can_grow() {
    insta::assert_snapshot!(freeboard(&["check", "alternating_bit.pml"]).timeless());
}

#[test]
fn a_model_that_may_block() {
    insta::assert_snapshot!(freeboard(&["check", "client_server.pml"]).timeless());
}

#[test]
fn errors() {
    let text = b"mtype = { ask };\nchan request = [1] of { mtype };\nactive proctype P() {\n  do\n  :: requst!ask\n  :: request!answer\n  od\n}\n";
    insta::assert_snapshot!(freeboard_reads(&["check", "-"], text).stderr);
}

#[test]
fn same_input_same_output() {
    for model in ["two_processes.pml", "alternating_bit.pml", "channel_arguments.pml"] {
        for encoding in ["flow", "cycles"] {
            let run = || freeboard(&["check", "--encoding", encoding, model]).timeless();
            assert_eq!(run(), run(), "{model}");
            let json = || {
                let mut view =
                    freeboard(&["check", "--format", "json", "--encoding", encoding, model]).json();
                view["statistics"]["seconds"].take();
                view.to_string()
            };
            assert_eq!(json(), json(), "{model}");
        }
    }
}
