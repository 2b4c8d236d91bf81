// expect: proved
// bound: tickets 3
// verdict: bounded
// maximum: tickets 3
// maximum: orders 4
// maximum: goods 4
//
// After thesis, Fig. 12.4 and Example 12.5: two loops of one process that do not meet, with two ways from one to the other, a
// short one and a long one. At the works an order becomes goods, at the shop goods become two orders; so both loops
// together make orders grow, and the plain test cannot know that they do not run together. To get from one to the other
// takes a ticket, and there are three. Begun at the shop with one lot of goods: 1 lot, 2 orders; with a ticket to the works,
// 2 lots; a ticket to the shop, 4 orders; a ticket to the works, 4 lots, and there it ends.
// The long way needs a second ticket for the way on, so that it only wastes some.

chan orders = [16] of { bit };
chan goods = [16] of { bit };
chan tickets = [3] of { bit };

active proctype Office()
{
    goods!0;
    tickets!0;
    tickets!0;
    tickets!0
}

active proctype Trader()
{
    bit paper;
    goto shop;
works:
    if
    :: orders?paper -> goods!paper; goto works
    :: tickets?paper -> goto shop
    :: tickets?paper -> goto inn
    fi;
inn:
    if
    :: tickets?paper -> goto works
    :: tickets?paper -> goto shop
    fi;
shop:
    if
    :: goods?paper -> orders!paper; orders!paper; goto shop
    :: tickets?paper -> goto works
    :: tickets?paper -> goto inn
    fi
}
