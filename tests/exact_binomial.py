"""The binomial distribution in whole numbers."""

import math
from fractions import Fraction


def exact_cdf(k, n, p):
    """Sum of the binomial probabilities, in whole numbers."""
    p = Fraction(p)
    a, b = p.numerator, p.denominator - p.numerator
    return Fraction(sum(math.comb(n, j) * a**j * b ** (n - j) for j in range(k + 1)), p.denominator**n)
