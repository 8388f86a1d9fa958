"""From the texts in ``language/data`` to the weights that the reader uses. Needs the extra ``reader``; loads torch.

``python -m askfirst.language.training`` trains, measures on the authors that are kept out, and writes the weights.
"""

from .dataset import HELD_OUT, Example, load_examples

__all__ = ["HELD_OUT", "Example", "load_examples"]
