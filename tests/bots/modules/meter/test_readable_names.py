"""Names of functions as people read them: mangled ones made plain, long ones cut where
it shows.
"""

import pytest

from khiva_arena.bots.modules.meter.bounds import NAME
from khiva_arena.bots.modules.meter.function_names import readable

HASH = "17h0123456789abcdefE"
TRAIT = "_$LT$$RF$mut$u20$rmp_serde..Deserializer$u20$as$u20$serde..de..Deserializer$GT$"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("kit_find", "kit_find"),
        (f"_ZN3bot4main{HASH}", "bot::main"),
        (f"_ZN4core3ptr13drop_in_place{HASH}", "ptr::drop_in_place"),
        (
            f"_ZN{len(TRAIT)}{TRAIT}15deserialize_any{HASH}",
            "<&mut rmp_serde::Deserializer as serde::de::Deserializer>::deserialize_any",
        ),
        (f"_ZN3bot28_$u7b$$u7b$closure$u7d$$u7d${HASH}", "bot::{{closure}}"),
        (f"_ZN99{HASH}", f"_ZN99{HASH}"),
        ("khiva::get(msgpack::v1::object const&, char const*)", "khiva::get"),
        ("std::__2::map<int, std::__2::less<int>>::find(int const&) const", "std::map::find"),
        ("(anonymous)", "(anonymous)"),
        ("runtime.mallocgc", "runtime.mallocgc"),
    ],
)
def test_a_name_is_readable(name: str, shown: str) -> None:
    assert readable(name) == shown


def test_a_long_name_keeps_its_end() -> None:
    shown = readable("a" * 200 + "end")
    assert (len(shown), shown[:3], shown[-4:]) == (NAME, "...", "aend")
    assert len(readable("<" * 10**6 + ">" * 10**6)) <= NAME
