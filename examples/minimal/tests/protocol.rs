//! The machines of the shop, as a test.

use freeboard::assert_bounded;

#[test]
fn the_queues_of_the_shop_stay_short() {
    assert_bounded!(path "tests/shop.fsa", at most 1);
}
