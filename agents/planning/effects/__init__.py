"""The Bayesian model of scores behind the search: main and pairwise effects of attributes. Loads numpy."""

from .domain_effects import DomainEffects
from .effects import BayesianEffects, Hypothesis, hypotheses
from .posterior import Array

__all__ = ["Array", "BayesianEffects", "DomainEffects", "Hypothesis", "hypotheses"]
