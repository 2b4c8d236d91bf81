// expect: proved
// bound: tickets 2
// verdict: bounded
// maximum: tickets 2
// maximum: flour 4
// maximum: dough 5
// maximum: bread 1
// maximum: coins 4
//
// After thesis, Fig. 12.5: two ways between two loops, each of which leads over two more loops. Those of the mill and the
// kitchen hang together, and so do those of the shop and the market; each of the four takes what the one before gives, and the
// market gives two for one. So a counterexample has all four, and it is spurious: no loop leads from the mill or the
// kitchen to the shop or the market without a ticket, and there are two. That the loops next to the first and next to the last
// one take part, as thesis (12.72)-(12.75) demand, does not exclude it.

chan flour = [8] of { bit };
chan dough = [8] of { bit };
chan bread = [8] of { bit };
chan coins = [8] of { bit };
chan tickets = [2] of { bit };

active proctype Office()
{
    coins!0;
    tickets!0;
    tickets!0
}

active proctype Baker()
{
    bit piece;
mill:
    if
    :: coins?piece -> flour!piece; goto mill
    :: flour?piece -> goto kitchen
    :: tickets?piece -> goto market
    fi;
kitchen:
    if
    :: dough!piece -> goto mill
    :: tickets?piece -> goto shop
    fi;
shop:
    if
    :: dough?piece -> bread!piece; goto shop
    :: bread?piece -> goto market
    :: tickets?piece -> goto kitchen
    fi;
market:
    if
    :: coins!piece; coins!piece; goto shop
    :: tickets?piece -> goto mill
    fi
}
