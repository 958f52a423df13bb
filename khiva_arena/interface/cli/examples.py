"""The example lines that help shows: ``-h`` the first two."""

from click import HelpFormatter

EXAMPLES = {
    "": (
        "khiva-arena new python my-bot",
        "khiva-arena match --bot my-bot --bot shipped:python/greedy",
        "khiva-arena run --bot my-bot --shipped --seeds 20 -j 2 --out results/mine",
    ),
    "run": (
        "khiva-arena run --bot my-bot --shipped --seeds 20 -j 2 --out results/mine",
        "khiva-arena run competition.toml",
        (
            "khiva-arena run --shipped --game silk_road --seats 4 --rule "
            "tied_decline=original_tie --turn 500ms"
        ),
    ),
    "init": ("khiva-arena init", "khiva-arena init spring-cup.toml"),
    "match": (
        "khiva-arena match --bot my-bot --bot shipped:python/greedy --seed demo",
        "khiva-arena match --from results/mine 1/0 --notes",
        "khiva-arena match --bot my-bot --bot shipped:python/random --trace --capture raw",
        "khiva-arena match --from results/mine 1/0 --step 7 --seat 0 --choice G5/B1",
        "khiva-arena match --from results/mine 1/0 --step 7 --seat 0 --try all",
    ),
    "play": (
        "khiva-arena play",
        "khiva-arena play --bot person:ann --bot person:bob --bot shipped:python/search",
        "khiva-arena play --game emira --bot shipped:python/greedy_emira --bot person --turn 1m",
        "khiva-arena play --from results/mine 1/0 --step 7 --seat 0",
    ),
    "relay": (
        "khiva-arena relay 127.0.0.1:7421 ann -- ./my-bot",
        "khiva-arena relay --copy relay.py",
        (
            "khiva-arena relay arena.example.org:7421 ann --token ann.token --ca arena.pem -- "
            "python3 my_bot.py --fast"
        ),
    ),
    "compare": (
        "khiva-arena compare my-bot my-bot@HEAD~1",
        "khiva-arena compare my-bot my-old-bot --seats 2,3 --for 10m -j 2",
        "khiva-arena compare my-bot my-old-bot --seats 3 --against shipped:python/greedy --json",
    ),
    "sprt": (
        "khiva-arena sprt my-bot shipped:python/greedy -j 2 --out results/test",
        "khiva-arena sprt my-bot my-old-bot --elo0 0 --elo1 10 --out results/test",
    ),
    "grade": (
        "khiva-arena grade course-1 --bot my-bot -j 2",
        "khiva-arena grade course-1 --bot ann --seed-file seed --results results.json",
    ),
    "league": (
        "khiva-arena league new spring --game khiva --seats 3",
        "khiva-arena league enter spring my-bot --author ann",
        "khiva-arena league play spring",
    ),
    "league new": (
        "khiva-arena league new spring --game khiva --seats 3",
        "khiva-arena league new summer --clock ticks",
    ),
    "league enter": (
        "khiva-arena league enter spring my-bot --author ann",
        "khiva-arena league enter spring my-bot --author ann --name quick",
    ),
    "league play": (
        "khiva-arena league play spring -j 2",
        "khiva-arena league play spring --until 7:00",
    ),
    "league plan": (
        "khiva-arena league plan spring batch.json",
        "khiva-arena run --from-plan batch.json --shard 1/4 --out shard-1",
        "khiva-arena merge shard-1 shard-2 --out spring",
    ),
    "league serve": (
        "khiva-arena league serve spring --listen 127.0.0.1:8080",
        "khiva-arena league serve spring --listen inherit",
        (
            "khiva-arena league serve spring --listen 0.0.0.0:8443 --tls-cert cert.pem "
            "--tls-key key.pem"
        ),
    ),
    "league status": (
        "khiva-arena league status spring",
        "khiva-arena league status spring --json",
    ),
    "league cancel": (
        "khiva-arena league cancel spring entry-7",
        "khiva-arena league cancel spring my-bot",
    ),
    "league season": ("khiva-arena league season spring 'second half'",),
    "league receipt": (
        "khiva-arena league receipt https://arena.example",
        "khiva-arena league receipt https://arena.example --ca arena.pem",
    ),
    "league final": (
        "khiva-arena league final spring",
        "khiva-arena league final spring --top 8 --seeds 200 -j 2",
    ),
    "league retire": ("khiva-arena league retire spring 'my-bot v1'",),
    "league suspend": ("khiva-arena league suspend spring 'my-bot v2' --why 'it is too slow'",),
    "league reinstate": ("khiva-arena league reinstate spring 'my-bot v2'",),
    "league author": ("khiva-arena league author add spring ann",),
    "league author add": ("khiva-arena league author add spring ann",),
    "league author rotate": ("khiva-arena league author rotate spring ann",),
    "league author revoke": ("khiva-arena league author revoke spring ann --forget",),
    "league author list": ("khiva-arena league author list spring --json",),
    "submit": (
        "khiva-arena submit my-bot --to https://arena.example --token-file ~/ann.token",
        "khiva-arena submit my-bot --to https://arena.example --wait",
        "khiva-arena submit --status --to https://arena.example",
    ),
    "watch": ("khiva-arena watch events.jsonl", "khiva-arena watch results/mine/events.jsonl"),
    "standings": (
        "khiva-arena standings results/mine --section crosstable",
        "khiva-arena standings results/mine 1 --json",
        "khiva-arena standings results/mine --exclude greedy",
    ),
    "report": (
        "khiva-arena report results/mine --out mine.html",
        "khiva-arena report mine.bundle --out mine.html --title 'Spring cup'",
    ),
    "plan": (
        "khiva-arena plan results/mine --error 20",
        "khiva-arena plan results/mine --gap 30 --power 0.9",
    ),
    "verify": (
        "khiva-arena verify results/mine",
        "khiva-arena verify mine.bundle",
        "khiva-arena verify cup --rerun-bots",
    ),
    "merge": (
        "khiva-arena merge shard-1 shard-2 shard-3 --out results/cup -j 2",
        "khiva-arena merge results/shards/* --out results/cup --rerun-bots 5%",
    ),
    "bundle": (
        "khiva-arena bundle results/mine mine.bundle",
        "khiva-arena bundle cup cup.bundle --with-modules",
    ),
    "page": (
        "khiva-arena page --runtime page-runtime.tar --out khiva-arena.html",
        "khiva-arena page --check khiva-arena.html",
    ),
    "close": ("khiva-arena close results/mine 2", "khiva-arena close results/mine 2 --yes"),
    "export": (
        "khiva-arena export results/mine --format csv --out mine.csv",
        "khiva-arena export results/mine 1 --format pgn",
    ),
    "show": ("khiva-arena show results/mine", "khiva-arena show results/mine 1/0 --notes"),
    "replay": (
        "khiva-arena replay results/mine 1/0 --bot my-bot",
        "khiva-arena replay results/mine --lost my-bot --bot shipped:python/search",
        "khiva-arena replay results/mine 1/0 --seat 0 --until 12 --wait --isolation trusted",
    ),
    "decode": (
        "khiva-arena decode raw/seat-0.to-bot raw/seat-0.from-bot",
        "khiva-arena decode --json raw/seat-0.from-bot",
    ),
    "new": (
        "khiva-arena new python my-bot",
        "khiva-arena new python my-bot --search",
        "khiva-arena new",
        "khiva-arena new c my-bot --game silk_road",
        "khiva-arena new game my-game",
        "khiva-arena new repository my-bot --language rust",
    ),
    "check": (
        "khiva-arena check my-bot",
        "khiva-arena check my-bot --game khiva --quick",
        "khiva-arena check --game my_game.py",
        "khiva-arena check --game my_game.py --rule cards=5",
    ),
    "games": ("khiva-arena games", "khiva-arena games khiva"),
    "bots": ("khiva-arena bots", "khiva-arena bots --game emira"),
    "doctor": ("khiva-arena doctor", "khiva-arena doctor --json"),
}
"""Lines to type, by command, "" for none. Flags of extensions have lines of their
own.
"""


def examples_of(name: str) -> tuple[str, ...]:
    """Return the lines of a command, and those of the flags that installed extensions
    add to it.
    """
    from khiva_arena.common import hooks  # not above: only help shows them

    return (
        *EXAMPLES.get(name, ()),
        *(flag.example for flag in hooks.flags(name) if flag.example and name in flag.commands),
    )


def write_examples(name: str, formatter: HelpFormatter, limit: int | None = None) -> None:
    """Write the first examples of a command, or all of them, unbroken, so that they can
    be copied.
    """
    lines = examples_of(name)[:limit]
    if lines:
        with formatter.section("Example" if len(lines) == 1 else "Examples"):
            for line in lines:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")
