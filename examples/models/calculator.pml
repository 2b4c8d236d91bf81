// expect: proved
// bound: toCalculator 3
// bound: toUser 2
// verdict: bounded
// maximum: toCalculator 3
// maximum: toUser 2
//
// After thesis, Example 10.2 and Fig. 10.2: a user says which calculation she wants, negations with one operand or conjunctions
// with two, and gives that many until the calculator lets her choose anew. The plain test takes conjunctions of the user together
// with negations of the calculator, which leaves an operand each time. What the two have agreed on is known from the way into the
// loops only, and each process runs one loop, so it does not help that what a process does hangs together. With messages in their order the
// two have few configurations, and these are a certificate.

mtype = { not, and, operand, result, restart };

chan toCalculator = [4] of { mtype };
chan toUser = [4] of { mtype };

active proctype User()
{
choose:
    if
    :: toCalculator!not -> goto negate
    :: toCalculator!and -> goto conjoin
    fi;
negate:
    if
    :: toCalculator!operand -> toUser?result; goto negate
    :: toUser?restart -> goto choose
    fi;
conjoin:
    if
    :: toCalculator!operand -> toCalculator!operand; toUser?result; goto conjoin
    :: toUser?restart -> goto choose
    fi
}

active proctype Calculator()
{
ready:
    if
    :: toCalculator?not -> goto one
    :: toCalculator?and -> goto two
    fi;
one:
    if
    :: toCalculator?operand -> toUser!result; goto one
    :: toUser!restart -> goto ready
    fi;
two:
    if
    :: toCalculator?operand -> toCalculator?operand; toUser!result; goto two
    :: toUser!restart -> goto ready
    fi
}
