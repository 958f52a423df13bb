"""The findings of an audit of a league's chain, and the lines that say them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.errors import ArenaError
from khiva_arena.extensions.league.chain.links import Final
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.deals import DealtLines
from khiva_arena.words import count, ranges


@dataclass(slots=True)
class ChainAudit:
    """The findings about a chain.

    links: how many links follow from each other.
    drawn_again: the batches that were drawn again, and came out equal.
    not_here: the batches whose events are not here, so that later ones cannot be drawn
        again.
    deals: by whose chance they are.
    finals: those that links decide on, each with the chain before its link.
    of_finals: what is noteworthy about them.
    times: what is noteworthy about the times of links.
    seen: the newest link that a receipt names; None for none.
    unfit: how many receipts name links that are not here.
    secrets: those of events, and whose each is.
    problems: a line each.
    """

    links: int = 0
    drawn_again: list[int] = field(default_factory=list)
    not_here: list[int] = field(default_factory=list)
    deals: DealtLines = field(default_factory=DealtLines)
    finals: list[tuple[Chain, Final]] = field(default_factory=list)
    of_finals: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    seen: int | None = None
    unfit: int = 0
    secrets: dict[bytes, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def says(self) -> str:
        """The proof that the chain gives, in words."""
        head = f"{count(self.links, 'link follows', 'links follow')} from each other"
        drawn = f"batches drawn again and equal: {ranges(self.drawn_again)}"
        missing = (
            f"; not here, so later ones were not drawn again: {ranges(self.not_here)}"
            if self.not_here
            else ""
        )
        if self.seen is None and self.unfit:
            word = "no receipt that was given fits, so only the organiser's word holds"
        elif self.seen is None:
            word = (
                "no receipt was given (--seen), so only the organiser's word says that no end "
                "of it was thrown away"
            )
        elif self.seen + 1 >= self.links:
            word = "a receipt names its newest link"
        else:
            word = (
                f"receipts reach to link {self.seen}; from link {self.seen + 1} on only the "
                "organiser's word holds"
            )
        return "; ".join(
            [f"{head}; {drawn}{missing}; {word}", self.deals.says, *self.of_finals, *self.times]
        )

    def take_secret(self, name: str, secret: bytes) -> None:
        """Note the secret of a batch or final, and that it is that of an earlier
        one. ``secret``: empty if it is not known.
        """
        if secret and (first := self.secrets.setdefault(secret, name)) != name:
            self.problems.append(
                f"{name}: it has the secret of {first}, so its deals could be known beforehand"
            )

    def passes(self, name: str, check: Callable[[], None]) -> bool:
        """Tell whether a check passes; if not, note why."""
        try:
            check()
        except ArenaError as error:
            self.problems.append(harmless(f"{name}: {error}" if name else str(error), LONGEST))
            return False
        return True
