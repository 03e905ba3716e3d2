"""Numbers with their nouns, for messages and pages."""


def plural(number: int, one: str, many: str | None = None) -> str:
    """1 vote, 2 votes."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
