//! Trust: the list of what is not checked, and the digest of the system, each tampered with.

use certify::{
    BoundedClaim, Certificate, Claim, Delivery, Departure, Fairness, LivelockFreeClaim, Proof, Ranking,
    Rejection, Trusted, TrustedPart, check, trusted,
};
use cfsm_core::digest::SourceDigest;
use cfsm_core::system::{Order, System, SystemBuilder};

/// A system whose sends use up one of two data places each.
fn waiter() -> System {
    let mut b = SystemBuilder::new("tables/waiter");
    let (soup, cake) = (b.message("soups", ""), b.message("cakes", ""));
    let (soups, cakes) = (b.data("3 - soups", 3), b.data("2 - cakes", 2));
    b.class("Waiter", 1).send("idle", soup, "idle");
    b.changes(soups, -1);
    b.class("Baker", 1).send("idle", cake, "idle");
    b.changes(cakes, -1);
    let source = vec![SourceDigest { file: "waiter.pml".into(), sha256: "00".repeat(32) }];
    System { order: None, source, ..b.build().expect("names are given once") }
}

fn claim(buffer: &str, bound: u32, place: &str) -> Claim {
    Claim::Bounded(BoundedClaim {
        buffers: vec![buffer.into()],
        bound: bound.into(),
        denominator: 1.into(),
        messages: [(buffer.to_owned(), 1.into())].into(),
        data: [(place.to_owned(), 1.into())].into(),
        states: [].into(),
    })
}

fn certificate(system: &System) -> Certificate {
    let claims = [claim("soups", 3, "3 - soups"), claim("cakes", 2, "2 - cakes")];
    let search = Trusted { part: "exhaustion".into(), why: "a search".into(), about: vec!["drinks".into()] };
    Certificate::new(system, claims).bound_to(system, [search])
}

/// The certificate with another list.
fn trusting(edit: impl FnOnce(&mut Vec<Trusted>)) -> Certificate {
    let mut certificate = certificate(&waiter());
    edit(certificate.trust.as_mut().expect("it is bound"));
    certificate
}

fn rejected(certificate: Certificate) -> Rejection {
    check(&waiter(), certificate).expect_err("it is tampered with")
}

fn parts(trust: &[Trusted]) -> Vec<(&str, Vec<&str>)> {
    trust.iter().map(|part| (part.part.as_str(), part.about.iter().map(String::as_str).collect())).collect()
}

#[test]
fn what_is_bound_to_a_system_is_accepted_and_says_what_it_trusts() {
    let bound = certificate(&waiter());
    let read = Certificate::from_json(&bound.to_json()).expect("it has just been written");
    assert_eq!(read, bound);
    let checked = check(&waiter(), read).expect("nothing is wrong with it");
    let expected = [
        ("abstraction", vec![]),
        ("data-places", vec!["2 - cakes", "3 - soups"]),
        ("exhaustion", vec!["drinks"]),
    ];
    assert_eq!(parts(&checked.all_trusted(&waiter())), expected);
}

#[test]
fn a_certificate_for_another_system_of_the_name_is_rejected() {
    let system = waiter();
    let mut other = system.clone();
    // Another number of cakes, and the claims would still hold.
    let cakes = other.data.ids().last().expect("there are two");
    other.data[cakes].initial = 1;
    let rejection = check(&other, certificate(&system)).expect_err("it is another system");
    let (found, expected) = (system.digest(), other.digest());
    assert_eq!(rejection, Rejection::OtherDigest { found, expected });
    let without = Certificate { system_sha256: None, ..certificate(&system) };
    assert!(check(&other, without).is_ok(), "the claims hold for it, too");

    let mut text = system.clone();
    text.source[0].sha256 = "11".repeat(32);
    assert!(matches!(check(&text, certificate(&system)), Err(Rejection::OtherDigest { .. })));
    let moved = System { name: "elsewhere/waiter".into(), ..system.clone() };
    assert!(check(&moved, certificate(&system)).is_ok(), "directories make no difference");
}

#[test]
fn a_digest_that_is_changed_is_rejected() {
    let digest = waiter().digest();
    for wrong in [String::new(), digest.replace(&digest[..1], "g"), digest[..63].to_owned()] {
        let tampered = Certificate { system_sha256: Some(wrong), ..certificate(&waiter()) };
        assert!(matches!(rejected(tampered), Rejection::OtherDigest { .. }));
    }
    let upper = Certificate { system_sha256: Some(digest.to_uppercase()), ..certificate(&waiter()) };
    assert!(check(&waiter(), upper).is_ok(), "hexadecimal digits have no case");
}

#[test]
fn a_part_that_is_taken_out_of_the_list_is_missed() {
    for part in [TrustedPart::Abstraction, TrustedPart::DataPlaces] {
        let tampered = trusting(|trust| trust.retain(|told| told.part != part.name()));
        let name = (part == TrustedPart::DataPlaces).then(|| "2 - cakes".to_owned());
        assert_eq!(rejected(tampered), Rejection::Untold { part: part.name().into(), name });
    }
    let one = trusting(|trust| trust[1].about.retain(|name| name != "3 - soups"));
    assert_eq!(
        rejected(one).to_string(),
        "the certificate rests on data-places (`3 - soups`), which is not checked, but `trust` does not say so"
    );
    let none = Certificate { trust: None, ..certificate(&waiter()) };
    assert_eq!(rejected(none), Rejection::NoTrust);
    let further = trusting(|trust| trust[1].about.push("what nobody uses".into()));
    assert!(check(&waiter(), further).is_ok(), "to trust more is no harm");
}

/// What a search has shown is in no claim: without the line about it, nothing is said of its
/// buffers.
#[test]
fn a_search_that_is_taken_out_of_the_list_leaves_no_claim_behind() {
    let tampered = trusting(|trust| trust.retain(|told| told.part != "exhaustion"));
    let checked = check(&waiter(), tampered).expect("the claims need no search");
    assert_eq!(checked.bounds().map(|(name, _)| name).collect::<Vec<_>>(), ["cakes", "soups"]);
}

#[test]
fn an_older_certificate_is_accepted_and_what_it_trusts_is_known_all_the_same() {
    let older = Certificate { system_sha256: None, trust: None, ..certificate(&waiter()) };
    assert!(!older.to_json().contains("sha256") && !older.to_json().contains("trust"));
    let checked = check(&waiter(), older).expect("its claims hold");
    let expected = [("abstraction", vec![]), ("data-places", vec!["2 - cakes", "3 - soups"])];
    assert_eq!(parts(&checked.all_trusted(&waiter())), expected);
}

#[test]
fn the_reason_of_a_part_is_not_taken_from_the_file() {
    let lied = trusting(|trust| trust[1].why = "all is well".into());
    let checked = check(&waiter(), lied).expect("the list is complete");
    assert!(checked.all_trusted(&waiter()).iter().all(|part| part.why != "all is well"));
}

fn ranking() -> Proof {
    let [messages, data, states] = Default::default();
    Proof::Ranking(Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        falls_in_part: None,
        messages,
        data,
        states,
    })
}

/// A certificate that uses marks of order and of readiness, whether its claim holds or not.
fn marked(system: &System) -> Certificate {
    let [messages, data, states] = Default::default();
    let left = vec!["Waiter@idle".into()];
    let departure =
        Departure { silent: Vec::new(), left, messages, data, states, rest: Some(Box::new(ranking())) };
    let [unread, unsent] = [ranking(), ranking()].map(Box::new);
    let delivered = Box::new(Proof::Departure(departure));
    let delivery = Delivery {
        silent: Vec::new(),
        buffer: "soups".into(),
        messages: Vec::new(),
        unread,
        unsent,
        delivered,
    };
    let proof = Proof::Delivery(delivery);
    Certificate::new(system, [Claim::LivelockFree(LivelockFreeClaim::new(Fairness::Weak, proof))])
}

/// A limit is part of the question, and the room that it leaves is checked with the system: it is
/// no data place of which an analysis says something.
#[test]
fn the_room_in_a_limited_buffer_is_a_limit() {
    let mut system = waiter();
    let soups = system.buffers.ids().next().expect("there are two");
    system.limit(soups, 2);
    let certificate = Certificate::new(&system, [claim("soups", 2, "room in soups")]);
    let expected = [("abstraction", vec![]), ("limits", vec!["room in soups"])];
    assert_eq!(parts(&trusted(&system, &certificate)), expected);
    let mut bound = certificate.bound_to(&system, []);
    assert!(check(&system, bound.clone()).is_ok());
    bound.trust.as_mut().expect("it is bound").pop();
    let name = Some("room in soups".to_owned());
    assert_eq!(check(&system, bound), Err(Rejection::Untold { part: "limits".into(), name }));
}

#[test]
fn marks_that_claims_use_are_named() {
    let system = waiter();
    let order = ("order", vec!["soups"]);
    let ready = ("always-ready", vec!["Waiter@idle"]);
    let expected = [("abstraction", vec![]), order, ready.clone()];
    assert_eq!(parts(&trusted(&system, &marked(&system))), expected);
    // Where order is the meaning of the system, it is not taken from anybody.
    let meant = System { order: Some(Order::Fifo), ..system.clone() };
    assert_eq!(parts(&trusted(&meant, &marked(&meant))), [ready]);
    assert_eq!(parts(&trusted(&system, &Certificate::new(&system, []))), []);
}
