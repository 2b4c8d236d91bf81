// expect: refuted
// grows: letters
// verdict: unbounded
// maximum: letters unbounded
//
// After thesis, Example 12.2 and Fig. 12.2: stamps are bought in one loop without end, and each letter uses one up in another; a
// third loop leads from one to the other. Letters are sent for ever only if stamps are bought for ever. To take that for a
// proof would be wrong: any number of stamps can be saved up first. How long the queue gets need not show in a loop that is
// repeated for ever.

chan letters = [2] of { bit };

active proctype Writer()
{
    int stamps;
shop:
    if
    :: stamps++ -> goto shop
    :: goto desk
    fi;
desk:
    if
    :: stamps > 0 -> letters!0; stamps--; goto desk
    :: goto shop
    fi
}
