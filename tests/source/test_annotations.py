"""Which annotations say that a value may be None."""

from __future__ import annotations

import ast

import pytest

from grader.source.annotations import allows_none


@pytest.mark.parametrize(
    "text",
    [
        "None",
        "Cache | None",
        "None | Cache",
        "int | Cache | None",
        "Optional[Cache]",
        "typing.Optional[Cache]",
        "Union[Cache, None]",
        "t.Union[int, Optional[Cache]]",
        "'Cache | None'",
        "Cache | 'None'",
        "Annotated[Cache | None, 'keys and values']",
        "ClassVar[Cache | None]",
        "Final[Optional[Cache]]",
        "types.NoneType",
        "tuple[Tensor, Tensor] | None",
    ],
)
def test_it_names_none(text: str) -> None:
    assert allows_none(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text",
    [
        "Cache",
        "'Cache'",
        "'no | type ('",
        "Any",
        "list[Cache | None]",
        "dict[str, Optional[Cache]]",
        "Callable[[Cache], None]",
        "Literal['None']",
        "Annotated[Cache, None]",
        "NoneLike",
        "3",
    ],
)
def test_it_does_not(text: str) -> None:
    assert not allows_none(ast.parse(text, mode="eval").body)


def test_no_annotation_says_nothing() -> None:
    assert not allows_none(None)
