//! `McScM`'s `.scm`.

use cfsm_core::formats::{Format, write};

use super::{lines, system, told};

const PROTOCOL: &str = "/* opens and closes */
scm door :
nb_channels = 2 ;
parameters :
real o ;
int c, d ;

automaton sender :
initial : 0
state 0 :
to 1 : when true , 0 ! o ;
state 1 :
to 0 : when true , 0 ! c ;   // or
to 0 : when true, 1?d;
to 2 : when true ;
state 2 :

automaton receiver :
initial : 0
state 0 : to 1 : when true , 0 ? o ;
state 1 : to 0 : when true , 0 ? c ; to 0 : when true , 1 ! d ;

bad_states:
(automaton receiver: in 0 : true with c.(o|c)^*.#.d^*)
";

#[test]
fn a_protocol() {
    let expected =
        ["sender: 0; 0 0!o 1, 1 0!c 0, 1 1?d 0, 1 tau 2", "receiver: 0; 0 0?o 1, 1 0?c 0, 1 1!d 0"];
    assert_eq!(told(&system(Format::Scm, PROTOCOL)), expected);
    assert_eq!(lines(Format::Scm, PROTOCOL), [""; 0]);
    let headless = &PROTOCOL[PROTOCOL.find("automaton").unwrap()..];
    assert_eq!(told(&system(Format::Scm, headless)), expected);
}

#[test]
fn lossy_channels_lose() {
    let text = PROTOCOL.replace("parameters", "lossy : 0 ;\nparameters");
    let machines = told(&system(Format::Scm, &text));
    assert_eq!(machines[2], "loss of 0: loses; loses 0?c loses, loses 0?o loses");
}

#[test]
fn all_errors_are_found() {
    let text = "scm :\nnb_channels = two ;\nnb_channels = 2 ;\nparameters : real a ;\nstate 0 :\nautomaton A :\nstate 0 :
to 1 : when x = 1 , 0 ! a ;\nto 1 : when true , 2 ! a ;\nto 1 : when true , 0 ! b ;\nto 1 : when true , 0 a ;\nto 0 : when true , z ! a ;
automaton B :\ninitial : 0\ninitial : 1\nstate 0 :\nstate 0 :\nto 9 : when true , 1 ? a with x ;\nfoo";
    insta::assert_snapshot!(lines(Format::Scm, text).join("\n"));
    insta::assert_snapshot!([lines(Format::Scm, ""), lines(Format::Scm, "automaton")].concat().join("\n"));
}

#[test]
fn what_is_written_is_read_again() {
    let first = system(Format::Scm, PROTOCOL);
    let text = write(Format::Scm, &first).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(told(&system(Format::Scm, &text)), told(&first));
}

#[test]
fn channels_that_lose_messages_are_looked_up() {
    let text = PROTOCOL.replace("parameters", "lossy : 1, 2 ;\nparameters");
    let told = lines(Format::Scm, &text);
    assert_eq!(
        told,
        [
            "m:4:12: error[M0301]: there is no channel 2\n    m:3:15: channels are counted from 0, and there are 2"
        ]
    );
}

#[test]
fn channels_that_are_left_out_are_told() {
    let many = PROTOCOL.replace("nb_channels = 2", "nb_channels = 4000000000").replace("1 ! d", "2000 ! d");
    let many = many.replace("1?d", "2000?d");
    let told = lines(Format::Scm, &many);
    assert_eq!(
        told,
        [
            "m:3:15: warning[M0307]: of 4000000000 channels 1001 are kept (behind the first 1000 those that are used)"
        ]
    );
    assert_eq!(system(Format::Scm, &many).buffers.len(), 1001);
    let few = PROTOCOL.replace("nb_channels = 2", "nb_channels = 1000");
    assert_eq!(lines(Format::Scm, &few), [""; 0]);
}

#[test]
fn misspelt_names_are_warned_of() {
    let text = PROTOCOL.replace("1?d", "1?o").replace("state 1 : to 0", "state 3 : to 0");
    insta::assert_snapshot!(lines(Format::Scm, &text).join("\n"));
}
