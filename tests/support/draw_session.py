"""Draws the state diagram of a session from the arbiter's own transitions, as an SVG
that GitHub and the site show.
"""

from xml.sax.saxutils import escape

from khiva_arena.bots.protocol.session import TRANSITIONS

PLACES = {
    "NEW": (70, 150),
    "GREETING": (215, 150),
    "IDLE": (400, 150),
    "ASKED": (640, 150),
    "ENDED": (400, 40),
    "BROKEN": (400, 260),
}
"""The middle of the box of each phase."""
WIDTH, HEIGHT = 94, 34
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 296" role="img" \
font-family="sans-serif" font-size="13">
<title>{0}</title>
<style>
rect {{ fill: #fff; stroke: #57606a; }} path {{ fill: none; stroke: #57606a; }} text {{ fill: \
#1f2328; text-anchor: middle; }}
.card {{ stroke: none; }} .step {{ font-size: 11px; paint-order: stroke; stroke: #fff; \
stroke-width: 4px; }}
.tip {{ fill: #57606a; }}
@media (prefers-color-scheme: dark) {{
rect {{ fill: #1c2128; stroke: #9198a1; }} path {{ stroke: #9198a1; }} text {{ fill: #e6edf3; }}
.step {{ stroke: #1c2128; }} .tip {{ fill: #9198a1; }} }}
</style>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path class="tip" d="M0 0 8 4 0 8z"/></marker>
<rect class="card" width="760" height="296" rx="8"/>"""


def drawing() -> str:
    """Return the SVG: a box a phase, an arrow a pair of phases with its steps
    beside.
    """
    arrows: dict[tuple[str, str], list[str]] = {}
    for phase, steps in TRANSITIONS.items():
        for step, after in steps.items():
            arrows.setdefault((phase.name, after.name), []).append(step.name)
    spoken = "; ".join(
        f"{start} to {end} by {' or '.join(steps)}" for (start, end), steps in arrows.items()
    )
    lines = [HEAD.format(escape(f"The phases of a session. {spoken}."))]
    for (start, end), steps in arrows.items():
        lines += _arrow(start, end, (end, start) in arrows, ", ".join(steps))
    for name, (x, y) in PLACES.items():
        lines.append(
            f'<rect x="{x - WIDTH // 2}" y="{y - HEIGHT // 2}" width="{WIDTH}" '
            f'height="{HEIGHT}" rx="6"/>'
        )
        lines.append(f'<text x="{x}" y="{y + 5}">{name}</text>')
    return "\n".join([*lines, "</svg>\n"])


def _arrow(start: str, end: str, is_back: bool, words: str) -> list[str]:
    """Return the path and the words of an arrow; one of a pair that leads back is bent,
    so that both are seen.
    """
    (x, y), (to_x, to_y) = PLACES[start], PLACES[end]
    if start == end:
        side = 1 if x > PLACES["IDLE"][0] else -1  # away from the arrows
        near, bottom = x + side * 14, y + HEIGHT // 2
        far = near + side * 22
        path = (
            f"M{near} {bottom}C{near - side * 4} {bottom + 34} {far + side * 18} {bottom + 34} "
            f"{far} {bottom}"
        )
        return [_path(path), _words(far + side * 22, bottom + 36, words)]
    if y == to_y:
        side = 1 if to_x > x else -1
        bend = -26 * side if is_back else 0
        at = y - (8 * side if is_back else 0)
        first, last, middle = x + side * WIDTH // 2, to_x - side * WIDTH // 2, (x + to_x) // 2
        return [
            _path(f"M{first} {at}Q{middle} {at + bend} {last} {at}"),
            _words(middle, at + bend // 2 - 5 + 14 * (bend > 0), words),
        ]
    down = 1 if to_y > y else -1
    first, last = y + down * HEIGHT // 2, to_y - down * HEIGHT // 2
    aim = to_x if x == to_x else to_x + (WIDTH // 2 if x > to_x else -WIDTH // 2)
    last = last if x == to_x else to_y
    return [
        _path(f"M{x} {first}L{aim} {last}"),
        _words((x + aim) // 2, (first + last) // 2 + 4, words),
    ]


def _path(line: str) -> str:
    return f'<path d="{line}" marker-end="url(#tip)"/>'


def _words(x: int, y: int, words: str) -> str:
    return f'<text class="step" x="{x}" y="{y}">{words}</text>'
