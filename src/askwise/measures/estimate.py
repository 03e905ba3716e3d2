"""A number that says how it was found."""

from __future__ import annotations

FLOOR = 1e-10
"""The paper's "very small positive fraction", in place of a probability that is 0 because there is no evidence."""


class Estimate(float):
    """A float that says how it was found.

    Attributes
    ----------
    standard_error : float
        0 if nothing was sampled.
    assumed : int
        For how many clusters, or pairs of clusters, the tiny constant 1e-10 stands in because there is no evidence.
    exact : bool
        Whether nothing was sampled and nothing assumed.

    Examples
    --------
    >>> from askwise import Estimate
    >>> Estimate(0.5, standard_error=0.01)
    0.5 (± 0.01)
    """

    standard_error: float
    assumed: int

    def __new__(cls, value: float, standard_error: float = 0.0, assumed: int = 0) -> Estimate:
        """An estimate; exact if its standard error is 0 and nothing is assumed."""
        self = super().__new__(cls, value)
        self.standard_error = standard_error
        self.assumed = assumed
        return self

    def __getnewargs__(self) -> tuple[float, float, int]:  # type: ignore[override]
        return float(self), self.standard_error, self.assumed

    @property
    def value(self) -> float:
        """The number as a plain float."""
        return float(self)

    @property
    def exact(self) -> bool:
        """Whether nothing was sampled and nothing assumed."""
        return self.standard_error == 0.0 and self.assumed == 0

    def __repr__(self) -> str:
        if self.exact:
            return f"{float(self)!r} (exact)"
        notes = [f"± {self.standard_error:.2g}"] if self.standard_error else []
        notes += [f"{self.assumed} assumed"] if self.assumed else []
        return f"{float(self)!r} ({', '.join(notes)})"
