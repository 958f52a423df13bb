"""The bots of an event together: their names, and which of them cannot play it."""

from collections.abc import Sequence

from msgspec.structs import replace

from khiva_arena.common import shipped
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.loading import AS_IT_IS, Loading
from khiva_arena.entrants.runtimes import USUAL_MAXIMUM
from khiva_arena.errors import ConfigError

MIB = 1 << 20


class SameBots(ConfigError):
    """A mistake of naming one bot twice. ``bots``: all that were named, with distinct
    names; () where nobody needs them.
    """

    def __init__(self, problems: str | Sequence[str], bots: "Sequence[Bot]" = ()) -> None:
        super().__init__(problems)
        self.bots = tuple(bots)


def load_all(
    words: Sequence[str], loading: Loading = AS_IT_IS, *, with_broken: bool = False
) -> list[Bot]:
    """Load all bots of an event, with distinct names.

    with_broken: bots that cannot be read are among them, marked as broken

    Raises ConfigError with every mistake in every bot.
    """
    problems: list[str] = []
    bots: list[Bot] = []
    for word in words:
        try:
            bots.append(load(word, loading=loading))
        except ConfigError as error:
            if not with_broken:
                problems += error.problems
                continue
            why = "; ".join(problem.removeprefix(f"--bot {word}: ") for problem in error.problems)
            bots.append(broken(word, why))
        except Exception as error:
            from khiva_arena.common.machine import why_left_out  # not above: such errors are rare

            if not with_broken:
                raise
            bots.append(broken(word, why_left_out(error)))
    if problems:
        raise ConfigError([*problems, *named_twice(bots)])
    return with_distinct_names(bots)


def broken(word: str, why: str, name: str | None = None) -> Bot:
    """Make the stand-in for a bot that cannot be read, until it is left out."""
    return Bot(name or word, "", (), (), (), f"broken {word}", False, (), word, broken=why)


def named_twice(bots: Sequence[Bot]) -> list[str]:
    """Return a line for each bot that is the same as one before it."""
    by_identity: dict[str, Bot] = {}
    problems: list[str] = []
    for bot in bots:
        if bot.identity in by_identity:
            first = by_identity[bot.identity].asked_as
            problems.append(
                f"--bot {bot.asked_as}: the same bot as {first}; leave one of them out, "
                "and let `run` seat copies with --copies"
            )
        by_identity[bot.identity] = bot
    return problems


def with_distinct_names(bots: Sequence[Bot]) -> list[Bot]:
    """Return the bots, each name once: a name that comes again for another bot gets a
    number.

    Raises SameBots if one bot comes twice, since ``--copies`` is the way to seat
    copies.
    """
    out: list[Bot] = []
    names: set[str] = set()
    for bot in bots:
        name, number = bot.name, 1
        while name in names:
            number += 1
            name = f"{bot.name}-{number}"
        names.add(name)
        out.append(replace(bot, name=name))
    if problems := named_twice(bots):
        raise SameBots(problems, out)
    return out


def of_another_game(bots: Sequence[Bot], game: str) -> list[str]:
    """Return a line for each bot whose bot.toml names games, but not ``game``."""
    return [
        (
            f"--bot {bot.asked_as}: its bot.toml lists {', '.join(bot.games)}, not {game}; it "
            f"plays with --game {bot.games[0]}"
        )
        for bot in bots
        if bot.games and game not in bot.games
    ]


def not_modules(bots: Sequence[Bot]) -> list[str]:
    """Return a line for each bot that is no module, and so cannot play in an event in
    ticks.
    """
    return [
        f"--bot {bot.asked_as}: {_why_no_module(bot)}"
        for bot in bots
        if not bot.in_ticks.module and not bot.broken
    ]


def beyond_memory(bots: Sequence[Bot], memory: int) -> list[str]:
    """Return a line for each bot whose interpreter asks for more than an event in ticks
    leaves a module.

    memory: the bytes that a bot of the event may have, some of which its runner takes
    """
    # not above: by the wall clock no bot needs it
    from khiva_arena.bots.modules.runner.line import OWN_MEMORY, PAGE, module_pages

    left = module_pages(memory) * PAGE // MIB
    asked = [(bot, bot.interpreted.memory) for bot in bots if bot.interpreted]
    return [
        f"--bot {bot.asked_as}: its interpreter has {mib} MiB of memory, and --limit "
        f"memory={memory // MIB}M leaves a module "
        f"{left} MiB: raise that limit to {mib + OWN_MEMORY // MIB}M"
        + (", or let its bot.toml ask for less" if mib > USUAL_MAXIMUM else "")
        for bot, mib in asked
        if mib > left
    ]


def _why_no_module(bot: Bot) -> str:
    if why := shipped.why_no_ticks(bot.asked_as):
        return (
            f"it plays only by the wall clock, since {why}: name another bot, or take --clock wall"
        )
    return (
        "with --clock ticks every bot is a WebAssembly module; name a bot.wasm, or a folder whose "
        "bot.toml has a module or an interpreter; or take --clock wall"
    )


def mark_kept(bots: list[Bot], names: object) -> list[Bot]:
    """Return the bots; a bot in ``names`` is marked so that one process of it may play
    many matches.

    names: remote bots without "remote:"; anything but a list or a tuple marks none

    Raises ConfigError for a name that belongs to no remote bot.
    """
    if not names or not isinstance(names, list | tuple):
        return bots
    remote = [bot.asked_as.partition(":")[2] if bot.is_remote else "" for bot in bots]
    if unknown := [name for name in names if name not in remote]:
        raise ConfigError([f"--kept {name}: there is no --bot remote:{name}" for name in unknown])
    return [
        replace(bot, kept=name in names) if name else bot
        for bot, name in zip(bots, remote, strict=True)
    ]
