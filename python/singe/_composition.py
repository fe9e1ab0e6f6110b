"""Species and compositions by name."""

from difflib import get_close_matches


def by_name(species, name):
    """The place of a species; a name that is in no other letters' case is found as well."""
    if name in species:
        return species.index(name)
    alike = [known for known in species if known.upper() == str(name).upper()]
    if len(alike) == 1:
        return species.index(alike[0])
    near = get_close_matches(str(name), species, n=3)
    raise KeyError(f"there is no species {name}" + (f"; similar: {', '.join(near)}" if near else ""))


def fractions(species, composition, axis):
    """An array by species whose entries add up to 1."""
    import numpy as np

    if isinstance(composition, str):
        composition = _parsed(composition)
    if not hasattr(composition, "items"):
        return np.asarray(composition, dtype=np.float64)
    amounts = {by_name(species, name): np.asarray(amount, dtype=np.float64) for name, amount in composition.items()}
    if len(amounts) < len(composition):
        raise ValueError("a species is named twice")
    if not amounts:
        raise ValueError("a composition names one species at least")
    shape = np.broadcast_shapes(*(amount.shape for amount in amounts.values()))
    whole = np.zeros((len(species), *shape))
    for row, amount in amounts.items():
        whole[row] = amount
    total = whole.sum(axis=0)
    if not np.all(total > 0) or np.any(whole < 0):
        raise ValueError("amounts are not negative, and their sum is not 0")
    return np.moveaxis(whole / total, 0, axis)


def _parsed(text):
    """Such as "H2:2, O2:1"."""
    amounts = {}
    for part in text.replace(";", ",").split(","):
        name, colon, amount = part.rpartition(":")
        try:
            value = float(amount)
        except ValueError:
            colon = ""
            value = 0.0
        if not (colon and name.strip()):
            raise ValueError(f"{part.strip()!r} is no NAME:AMOUNT, such as O2:1")
        if name.strip() in amounts:
            raise ValueError(f"{name.strip()} is named twice")
        amounts[name.strip()] = value
    return amounts
