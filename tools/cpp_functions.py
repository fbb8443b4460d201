"""Where the functions of a C++ source begin and end, by counting braces in its text."""

import re
from typing import NamedTuple

# What is not code, in the order in which it must be tried.
NOT_CODE = re.compile(
    r'(?P<raw>\bu?8?[LuU]?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')"
    r"|(?P<directive>^[ \t]*#(?:\\\n|[^\n])*)",
    re.DOTALL | re.MULTILINE)

SCOPE = re.compile(r"(?:inline\s+)?namespace\b|extern\s*$|(?:export\s+)?(?:class|struct|union|enum)\b(?!.*\)\s*$)", re.DOTALL)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", re.DOTALL)
CONSTRUCTOR_LIST = re.compile(r"\)\s*(?:noexcept\b\s*)?:(?!:)")
MACRO_NAME = re.compile(r"[A-Z][A-Z0-9_]+\s*\([^()]*\)")
NAME = re.compile(r"(?:operator\s*(?:\(\s*\)|[^\s\w(]+|[\w\s:*&<>]+)|~?[A-Za-z_]\w*(?:<[^()]*>)?)$")


class Function(NamedTuple):
    name: str
    line: int
    lines: int


def blank_out(source):
    """The source with comments, literals and directives as blanks; every line stays where it is."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def without_template(head):
    """The head of a declaration without the template<...>, requires and attributes before it."""
    head = ATTRIBUTE.sub(" ", head).strip()
    while head.startswith("template"):
        depth, at = 0, head.find("<")
        while at < len(head):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
            if depth == 0:
                break
        head = head[at:].strip()
    return head


def flat(head):
    """The head with what stands in parentheses left out."""
    kept, depth = [], 0
    for letter in head:
        depth -= letter == ")"
        if depth == 0:
            kept.append(letter)
        depth += letter == "("
    return "".join(kept)


def is_function(head):
    """Whether the braces after this head hold a function's body (or a lambda's that is given a name)."""
    outer = re.sub(r"\boperator\s*[^\s\w(]+", "operator_", flat(head))
    if "=" in outer:
        return re.search(r"=\s*\[", outer) is not None
    return ")" in outer


def name_of(head):
    """What a function's head calls it."""
    if "=" in flat(head) and (lambda_name := re.search(r"(\w+)\s*=\s*\[", head)):
        return lambda_name[1]
    if MACRO_NAME.match(head):
        return re.sub(r"\s+", " ", MACRO_NAME.match(head)[0])
    call_operator = re.search(r"operator\s*\(\s*\)", head)
    before = head[: call_operator.end()] if call_operator else head[: head.index("(")].rstrip()
    found = NAME.search(before)
    return re.sub(r"\s+", " ", found[0]).strip() if found else before[-40:]


def end_of_braces(code, at):
    """The index after the brace that closes the one at `at`, or None."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(code, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return None


def functions_of(source):
    """Every function outside of other functions. Raises ValueError naming the line where braces do not balance."""
    code = blank_out(source)
    found, at, start, parentheses, depth = [], 0, 0, 0, 0
    while at < len(code):
        letter = code[at]
        parentheses = max(0, parentheses + (letter == "(") - (letter == ")"))
        if letter == "{":
            head = without_template(code[start:at])
            if parentheses == 0 and SCOPE.match(head):
                depth, start = depth + 1, at + 1
            else:
                end = end_of_braces(code, at)
                if end is None:
                    raise ValueError(f"{line_of(code, at)}: a brace that nothing closes")
                value = parentheses > 0 or (CONSTRUCTOR_LIST.search(head) and re.search(r"[\w>]\s*$", head))
                if not value and is_function(head):
                    first = start + len(code[start:at]) - len(code[start:at].lstrip())
                    found.append(Function(name_of(head), line_of(code, first), code.count("\n", first, end) + 1))
                    start = end
                at = end
                continue
        elif letter == "}":
            depth, start = depth - 1, at + 1
            if depth < 0:
                raise ValueError(f"{line_of(code, at)}: a brace too many")
        elif letter == ";" and parentheses == 0:
            start = at + 1
        at += 1
    if depth:
        raise ValueError(f"{line_of(code, at)}: a brace that nothing closes")
    return found


def line_of(code, at):
    return code.count("\n", 0, at) + 1
