"""Where the project lives on the net: the one place in which its maintainer writes that
down.

While a field is "", messages name the page that lies on the user's machine, and ``make
release`` asks for ``--without-address``. The build of a wheel reads this file by
itself, so it imports nothing of the package.
"""

from typing import NamedTuple


class Address(NamedTuple):
    """The places of the project, each an address without a slash at its end, or "".

    repository: the sources, as ``https://example.org/khiva-arena``.
    site: the pages that ``make site`` builds.
    reports: where people report a fault.
    """

    repository: str
    site: str
    reports: str


ADDRESS = Address(repository="", site="", reports="")
