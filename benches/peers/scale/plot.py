"""A picture of curves with logarithmic axes, as SVG."""

import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 900, 420, 60, 40, 20, 50
COLOURS = ["#1b6ca8", "#c0392b", "#27813b", "#8e44ad", "#b9770e", "#444444"]
TITLES = {"verdict": "verdict with a checked certificate", "bounds": "all bounds"}


def picture(curves):
    """One panel for each first half of the keys, one line for each second half; points are transitions and seconds."""
    panels = list(dict.fromkeys(panel for panel, _ in curves))
    names = list(dict.fromkeys(name for _, name in curves))
    width = WIDTH / len(panels)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for number, panel in enumerate(panels):
        lines = {name: curves[(panel, name)] for name in names if curves.get((panel, name))}
        parts += axes(TITLES.get(panel, panel), number * width, width)
        for name, points in lines.items():
            parts += curve(points, COLOURS[names.index(name) % len(COLOURS)], number * width, width)
    for number, name in enumerate(names):
        x = LEFT + 110 * number
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<rect x="{x}" y="{HEIGHT - 16}" width="14" height="4" fill="{colour}"/><text x="{x + 20}" y="{HEIGHT - 10}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def place(transitions, seconds, left, width):
    """From 10^3 to 10^6 transitions, and from a millisecond to 100 s."""
    across = (math.log10(transitions) - 3) / 3
    up = (math.log10(max(seconds, 0.001)) + 3) / 5
    return left + LEFT + across * (width - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)


def axes(title, left, width):
    parts = [f'<text x="{left + LEFT}" y="20" font-weight="bold">{title}</text>']
    for power in range(3, 7):
        x, low = place(10**power, 0.001, left, width)
        _, high = place(10**power, 100, left, width)
        parts.append(f'<path d="M{x:.1f} {low:.1f} V{high:.1f}" stroke="#dddddd"/><text x="{x - 10:.1f}" y="{low + 16:.1f}">10^{power}</text>')
    for power in range(-3, 3):
        x, y = place(1000, 10.0**power, left, width)
        end, _ = place(1_000_000, 10.0**power, left, width)
        label = f"{10.0**power:g} s"
        parts.append(f'<path d="M{x:.1f} {y:.1f} H{end:.1f}" stroke="#dddddd"/><text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    return parts


def curve(points, colour, left, width):
    places = [place(transitions, seconds, left, width) for transitions, seconds in points]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    return [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>', *dots]
