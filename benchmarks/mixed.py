"""People alone, and people after a model: how many human votes an F1 takes.

The model errs on 15% of the questions, and not by chance: some entities are confused again and again. Another knows how
sure it is (shared/soft_model.py), and says so or not. People err on 10%, each for themselves. People alone give three
votes to each question. Beside a model, which answers two questions for each record first, they give one vote, in turns
where the model leaves doubt and to new questions.
"""

import sys

from shared.mixed_crowds import LEVELS, WAYS, mean_scores


def main(seeds: int = 4) -> None:
    found = mean_scores(seeds)
    for name, means in zip(WAYS, found, strict=True):
        print(f"{name}: " + ", ".join(f"{value:.3f} with {votes}" for votes, value in means.items()))
    for level in LEVELS:
        needed = [next((votes for votes, value in means.items() if value >= level), None) for means in found]
        print(
            f"votes of people to a mean F1 of {level}: "
            + ", ".join(f"{n} {name}" for n, name in zip(needed, WAYS, strict=True))
        )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
