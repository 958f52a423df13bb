"""Durations in words."""


def in_time(seconds: float) -> str:
    """Return a duration in words: "40 s", "2 min 30 s", "12 min", "3 h 20 min", "2 d 5
    h".
    """
    if seconds < 59.5:
        return f"{seconds:.2g} s" if seconds < 9.5 else f"{seconds:.0f} s"
    if seconds < 595:
        rounded = round(seconds)
        return f"{rounded // 60} min" + (f" {rounded % 60} s" if rounded % 60 else "")
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")
    return f"{minutes // 1440} d {minutes % 1440 // 60} h"
