"""sin, cos, exp, log and atan2 as straight-line vector code.

A call to libm per lane would cost more than a whole forward dynamics, so these are written out in IR. Each reduces
its argument to a small interval and evaluates a polynomial there. Coefficients are those of Cephes (S. Moshier) and
FreeBSD's msun, or plain Taylor series; errors are about 1 ulp (tests/codegen/test_elementary.py measures them).

In single precision only sin and cos have code of their own, because only they are frequent; the others compute in
double precision and round.
"""

from __future__ import annotations

from math import factorial, inf, nan, pi

from .instruction_builder import Builder

# pi/2 in three parts of 33, 33 and 53 bits: times a whole number below 2^20 the first two products are exact, with
# or without a fused multiply-add, so the reduced angle is good up to |x| = 1.6e6.
HALF_PI_PARTS = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
# Adding 1.5 * 2^52 to a number below 2^51 rounds it to a whole number, left in the low bits of the sum.
ROUNDER = 1.5 * 2.0**52
ROUNDER_BITS = 0x4338000000000000
SIGN_BIT = {64: -(2**63), 32: -(2**31)}
# A hair above pi/4: beyond the reach of the reduction the angle is clamped here, so |sin|, |cos| <= 1 always.
LARGEST_REDUCED_ANGLE = pi / 4 + 1e-6

SIN_COEFFICIENTS = {
    "float64": (
        1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
        -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1,
    ),
    "float32": (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
}  # fmt: skip
COS_COEFFICIENTS = {
    "float64": (
        -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
        2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2,
    ),
    "float32": (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
}  # fmt: skip


def sincos(b: Builder, x: str) -> tuple[str, str]:
    """(sin x, cos x). NaN for infinities; inaccurate but bounded for |x| > 1e6."""
    angle, quadrant = _reduce_angle(b, x) if b.type.dtype == "float64" else _reduce_angle_single(b, x)
    number, whole, bits = b.constant, b.type.whole, b.type.bits
    z = b.mul(angle, angle)
    sine = b.fma(b.polynomial(z, SIN_COEFFICIENTS[b.type.dtype]), b.mul(angle, z), angle)
    tail = b.fma(z, number(-0.5), number(1.0))
    cosine = b.fma(b.polynomial(z, COS_COEFFICIENTS[b.type.dtype]), b.mul(z, z), tail)
    # Odd quadrants swap the two; bit 1 of the quadrant is the sign of sin, bit 1 of quadrant + 1 that of cos.
    odd = b.compare_whole("slt", b.whole("shl", quadrant, whole(bits - 1)), whole(0))
    next_quadrant = b.whole("add", quadrant, whole(1))
    sine, cosine = b.select(odd, cosine, sine), b.select(odd, sine, cosine)
    return _flip_sign(b, sine, quadrant), _flip_sign(b, cosine, next_quadrant)


def _flip_sign(b: Builder, x: str, quadrant: str) -> str:
    bits = b.type.bits
    sign = b.whole("and", b.whole("shl", quadrant, b.type.whole(bits - 2)), b.type.whole(SIGN_BIT[bits]))
    return b.as_number(b.whole("xor", b.as_bits(x), sign))


def _reduce_angle(b: Builder, x: str) -> tuple[str, str]:
    """(x - k pi/2 in [-pi/4, pi/4], bits whose low end is the whole number k)."""
    number = b.constant
    shifted = b.fma(x, number(2 / pi), number(ROUNDER))
    k = b.sub(shifted, number(ROUNDER))
    angle = x
    for part in HALF_PI_PARTS:
        angle = b.fma(k, number(-part), angle)
    return clamp(b, angle, -LARGEST_REDUCED_ANGLE, LARGEST_REDUCED_ANGLE), b.as_bits(shifted)


def _reduce_angle_single(b: Builder, x: str) -> tuple[str, str]:
    """As above; subtracting multiples of pi/2 needs more bits than a float has."""
    wide = b.widened()
    angle, quadrant = _reduce_angle(wide, wide.extended(b, x))
    return b.narrowed(wide, angle), b.low_bits(wide, quadrant)


def clamp(b: Builder, x: str, lowest: float, highest: float) -> str:
    """x limited to an interval; NaN stays NaN (the operand order makes each line one min or max instruction)."""
    low, high = b.constant(lowest), b.constant(highest)
    x = b.select(b.compare("olt", high, x), high, x)
    return b.select(b.compare("ogt", low, x), low, x)


def in_double(function):
    """Make a double-precision function serve single precision too."""

    def either(b: Builder, *operands: str) -> str:
        if b.type.dtype == "float64":
            return function(b, *operands)
        wide = b.widened()
        return b.narrowed(wide, function(wide, *(wide.extended(b, x) for x in operands)))

    return either


LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first has 21 trailing zero bits
LOG2_E = 1.4426950408889634
# exp overflows above 709.8 and is zero below -745.2; clamping there keeps the exponent arithmetic in range.
EXP_RANGE = (-746.0, 710.0)
EXP_COEFFICIENTS = tuple(1 / factorial(n) for n in range(13, 1, -1))  # of (e^r - 1 - r)/r^2; next term < 2^-57


@in_double
def exp(b: Builder, x: str) -> str:
    number, whole = b.constant, b.type.whole
    x = clamp(b, x, *EXP_RANGE)
    shifted = b.fma(x, number(LOG2_E), number(ROUNDER))
    k = b.sub(shifted, number(ROUNDER))
    r = b.fma(k, number(-LN2_LOW), b.fma(k, number(-LN2_HIGH), x))
    power = b.add(b.fma(b.polynomial(r, EXP_COEFFICIENTS), b.mul(r, r), r), number(1.0))
    # 2^k in two factors, because k itself may be outside the range of exponents. With the offset 2048 the shift by
    # one may be a logical one, which every processor has for 64 bits.
    offset_k = b.whole("add", b.as_bits(shifted), whole(2048 - ROUNDER_BITS))
    half = b.whole("lshr", offset_k, whole(1))
    for part in (half, b.whole("sub", offset_k, half)):
        scale = b.whole("shl", b.whole("sub", part, whole(1)), whole(52))  # part - 1024 + exponent bias 1023
        power = b.mul(power, b.as_number(scale))
    return power


LOG_COEFFICIENTS = (
    1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
    2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01,
)  # fmt: skip
# Added to the bits of x it carries into the exponent where the mantissa exceeds sqrt(2); msun's constant.
SQRT_HALF_OFFSET = (0x3FF00000 - 0x3FE6A09E) << 32
MANTISSA_BITS = 2**52 - 1
SMALLEST_NORMAL = 2.0**-1022


@in_double
def log(b: Builder, x: str) -> str:
    number, whole = b.constant, b.type.whole
    tiny = b.compare("olt", x, number(SMALLEST_NORMAL))
    scaled = b.select(tiny, b.mul(x, number(2.0**54)), x)
    carried = b.whole("add", b.as_bits(scaled), whole(SQRT_HALF_OFFSET))
    mantissa_bits = b.whole("and", carried, whole(MANTISSA_BITS))
    mantissa = b.as_number(b.whole("add", mantissa_bits, whole(0x3FE6A09E << 32)))  # in [sqrt(1/2), sqrt(2))
    # whole number to double: put it into the mantissa of 2^52
    biased = b.whole("or", b.whole("lshr", carried, whole(52)), whole(0x4330000000000000))
    k = b.sub(b.as_number(biased), b.select(tiny, number(2.0**52 + 1023 + 54), number(2.0**52 + 1023)))
    f = b.sub(mantissa, number(1.0))
    half_square = b.mul(number(0.5), b.mul(f, f))
    s = b.div(f, b.add(f, number(2.0)))
    z = b.mul(s, s)
    # fused here, not left to LLVM: C is written from this text too
    series = b.fma(z, b.polynomial(z, LOG_COEFFICIENTS), half_square)
    small = b.fma(k, number(LN2_LOW), b.mul(s, series))
    result = b.fma(k, number(LN2_HIGH), b.sub(f, b.sub(half_square, small)))
    result = b.select(b.compare("olt", x, number(inf)), result, x)  # inf and NaN are their own logarithms
    result = b.select(b.compare("oeq", x, number(0.0)), number(-inf), result)
    return b.select(b.compare("olt", x, number(0.0)), number(nan), result)


ATAN_NUMERATOR = (
    -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
    -1.228866684490136173410e2, -6.485021904942025371773e1,
)  # fmt: skip
ATAN_DENOMINATOR = (
    1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
    4.853903996359136964868e2, 1.945506571482613964425e2,
)  # fmt: skip
TAN_EIGHTH_PI = 0.41421356237309503
PI_LOW = 1.2246467991473532e-16  # pi minus the double nearest to it


@in_double
def atan2(b: Builder, y: str, x: str) -> str:
    number = b.constant
    zero, one = number(0.0), number(1.0)
    abs_x, abs_y = b.call("fabs", x), b.call("fabs", y)
    steep = b.compare("ogt", abs_y, abs_x)
    small, large = b.select(steep, abs_x, abs_y), b.select(steep, abs_y, abs_x)
    # the corners: inf/inf is the diagonal, finite/inf and 0/0 are the axis, and sums of huge numbers must not overflow
    large_is_infinite = b.compare("oeq", large, number(inf))
    diagonal = b.select(b.compare("oeq", small, number(inf)), one, zero)
    small, large = b.select(large_is_infinite, diagonal, small), b.select(large_is_infinite, one, large)
    large = b.select(b.compare("oeq", large, zero), one, large)
    scale = b.select(b.compare("ogt", large, number(2.0**1000)), number(2.0**-100), one)
    small, large = b.mul(small, scale), b.mul(large, scale)
    # angles above pi/8 are measured from pi/4: tan(a - pi/4) = (tan a - 1)/(tan a + 1)
    near_diagonal = b.compare("ogt", small, b.mul(large, number(TAN_EIGHTH_PI)))
    numerator = b.select(near_diagonal, b.sub(small, large), small)
    denominator = b.select(near_diagonal, b.add(small, large), large)
    t = b.div(numerator, denominator)
    z = b.mul(t, t)
    series = b.div(b.polynomial(z, ATAN_NUMERATOR), b.polynomial(z, ATAN_DENOMINATOR))
    angle = b.fma(b.mul(t, z), series, t)
    low_bits = b.select(near_diagonal, number(PI_LOW / 4), zero)
    angle = b.add(b.select(near_diagonal, number(pi / 4), zero), b.add(angle, low_bits))
    angle = b.select(steep, b.sub(number(pi / 2), b.sub(angle, number(PI_LOW / 2))), angle)
    whole = b.type.whole
    x_negative = b.compare_whole("slt", b.as_bits(x), whole(0))  # also for -0
    angle = b.select(x_negative, b.sub(number(pi), b.sub(angle, number(PI_LOW))), angle)
    sign = b.whole("and", b.as_bits(y), whole(SIGN_BIT[64]))
    angle = b.as_number(b.whole("or", b.as_bits(angle), sign))
    return b.select(b.compare("uno", x, y), b.add(x, y), angle)
