"""Promela models of any size, whose states are too many to look at soon."""

# Family, size, property.
MODELS = [
    *[("registrars", size, prop) for size in (3, 5, 7, 9, 50) for prop in ("livelock", "boundedness")],
    *[("clients", size, "boundedness") for size in (4, 6, 8, 100)],
]


def processes(family, size):
    return 2 * size + 1 if family == "registrars" else size + 1


def text(family, size):
    return registrars(size) if family == "registrars" else clients(size)


def registrars(size):
    """An applicant and a registrar for each participant, and the medium that tells all registrars who has joined."""
    lines = ["mtype = { join, leave, joined, left, news, heard };", ""]
    for number in range(size):
        lines += [f"chan ask{number} = [1] of {{ mtype }};", f"chan answer{number} = [1] of {{ mtype }};", f"chan tell{number} = [2] of {{ mtype }};"]
    lines += [f"chan medium = [{size}] of {{ mtype, byte }};", ""]
    for number in range(size):
        lines += [f"active proctype Applicant{number}() {{",
                  "    do",
                  f"    :: ask{number}!join; answer{number}?joined;",
                  f"progress_member:",
                  f"       ask{number}!leave; answer{number}?left",
                  "    od", "}",
                  f"active proctype Registrar{number}() {{",
                  "    do",
                  f"    :: ask{number}?join -> medium!join({number}); tell{number}?heard; answer{number}!joined",
                  f"    :: ask{number}?leave -> medium!leave({number}); tell{number}?heard; answer{number}!left",
                  "    od", "}", ""]
    lines += ["active proctype Medium() {", "    do"]
    for number in range(size):
        lines += [f"    :: medium?join({number}) -> tell{number}!heard", f"    :: medium?leave({number}) -> tell{number}!heard"]
    return "\n".join([*lines, "    od", "}"]) + "\n"


def clients(size):
    """Clients that ask one server for one thing or two, each over a channel of its own."""
    lines = ["mtype = { one, two, thing, thanks };", ""]
    for number in range(size):
        lines += [f"chan to{number} = [2] of {{ mtype }};", f"chan from{number} = [2] of {{ mtype }};"]
    for number in range(size):
        lines += [f"active proctype Client{number}() {{", "    do",
                  f"    :: to{number}!one; from{number}?thing; to{number}!thanks",
                  f"    :: to{number}!two; from{number}?thing; from{number}?thing; to{number}!thanks",
                  "    od", "}"]
    lines += ["active proctype Server() {", "    do"]
    for number in range(size):
        lines += [f"    :: to{number}?one -> from{number}!thing", f"    :: to{number}?two -> from{number}!thing; from{number}!thing",
                  f"    :: to{number}?thanks"]
    return "\n".join([*lines, "    od", "}"]) + "\n"


def fifty_lines():
    """A model of 50 lines, of the kind that people write."""
    lines = ["mtype = { request, grant, release, data, ack };", "chan toServer = [4] of { mtype, byte };",
             "chan toFirst = [2] of { mtype };", "chan toSecond = [2] of { mtype };", "chan line = [3] of { mtype, bit };",
             "chan back = [3] of { mtype, bit };", ""]
    for number, name in enumerate(("First", "Second")):
        lines += [f"active proctype {name}() {{", "    do", f"    :: toServer!request({number}) ->",
                  f"       to{name}?grant;", f"       toServer!release({number})", "    od", "}", ""]
    lines += ["active proctype Server() {", "    byte who;", "    do", "    :: toServer?request(who) ->", "       if",
              "       :: who == 0 -> toFirst!grant", "       :: who == 1 -> toSecond!grant", "       fi;",
              "       toServer?release(eval(who))", "    od", "}", "",
              "active proctype Sender() {", "    bit turn;", "    do", "    :: line!data(turn) ->", "       back?ack(eval(turn));",
              "       turn = 1 - turn", "    od", "}", "", "active proctype Receiver() {", "    bit got;", "    do",
              "    :: line?data(got) -> back!ack(got)", "    od", "}"]
    return "\n".join(lines) + "\n"
