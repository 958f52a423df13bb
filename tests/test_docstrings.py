"""The prose of the package: a function's docstring begins with a verb, and stands
alone.
"""

import ast
import re
from functools import cache

from count_code import PACKAGE, modules
from parsed import IN_ONE_PROCESS, nodes_of

pytestmark = IN_ONE_PROCESS

HELP = "interface/cli"
"""The room whose docstrings of commands are help texts, for users."""
NOT_A_VERB = re.compile(
    r"(What|Of|Those|By|As|In|The|That|Whether|How|Where|Who|Which|Why|When|If|Likewise|For|To|So|One|It|With|From|At|On|Whose|"
    r"These|Each|All|A|An|This|There|Nothing|Everything|Whatever|Whoever|Not|Also)\b"
)


@cache
def docstrings() -> list[tuple[str, ast.AST, str]]:
    """Return each docstring of the package with its place and what it is on."""
    found: list[tuple[str, ast.AST, str]] = []
    for path in modules():
        if "template" in path.parts:
            continue
        for node in nodes_of(path):
            documented = isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            )
            if documented and (text := ast.get_docstring(node)):
                found.append(
                    (
                        f"khiva_arena/{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 1)}",
                        node,
                        text,
                    )
                )
    return found


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function is read as an attribute."""
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def test_a_function_s_docstring_begins_with_a_verb() -> None:
    wrong = [
        f"{place} {node.name}: {text.splitlines()[0]}"
        for place, node, text in docstrings()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not is_property(node)
        and not place.startswith(f"khiva_arena/{HELP}/")
        and NOT_A_VERB.match(text)
    ]
    assert not wrong, (
        'begin with a verb, as "Return the decision times of each bot.":\n' + "\n".join(wrong)
    )


def test_a_file_of_tests_that_is_named_is_there() -> None:
    named = {
        (place, file)
        for place, _, text in docstrings()
        for file in re.findall(r"\btests/[\w/]+\.py\b", text)
    }
    assert not [
        f"{place}: {file}" for place, file in sorted(named) if not (PACKAGE.parent / file).is_file()
    ]
