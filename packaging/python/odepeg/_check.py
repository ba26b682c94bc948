"""Checks of arguments, before anything is changed.

ODE aborts the process for some values and misreads others. A wrong type raises TypeError, a wrong
value ArgumentError. Texts name the function, the argument and its value, and say what is taken.
"""
import operator
import reprlib
from collections.abc import Iterator, Mapping
from types import SimpleNamespace

import numpy as np

from ._odepeg import ffi as _ffi, lib as _lib

SMALLEST, LARGEST = 1e-60, float(np.nextafter(1e60, 0))  # m, kg ..: as in the library: fourth powers stay in range
LARGEST_SINGLE = 1e18  # m, of meshes, which ODE keeps in single precision: squares stay in range
UNIT = 1e-12  # rounding of the square of a unit quaternion's length that needs no normalisation
NEEDLE = 1e-14  # rounding of the least principal moment of inertia, relative to the largest
LARGEST_SPIN = 1e20  # rad/s: ODE inverts a matrix of angular momenta, whose cubes stay in range
LEAST_DETERMINANT = 1e-280  # (kg m^2)^3, of an inertia: below 1e-307 ODE's inverse overflows and its step aborts
HOLES = 0.01  # share of the surface that may be missing in a mesh of a body: small holes of scans
HOW = ("density", "mass", "position", "orientation", "velocity", "angular_velocity", "kinematic", "name")


class Error(RuntimeError):
    """A call failed; nothing was changed. status: the library's number."""

    __module__ = "odepeg"

    def __init__(self, status, text=None):
        super().__init__(text or _ffi.string(_lib.pegStatusMessage(status)).decode())
        self.status = status


class ArgumentError(Error, ValueError):
    """The value of an argument cannot be used; nothing was changed. A ValueError, too. status: the library's number."""

    __module__ = "odepeg"


_repr = reprlib.Repr()
_repr.maxlevel, _repr.maxlist, _repr.maxtuple = 2, 4, 4
_repr.maxother = _repr.maxstring = _repr.maxlong = 80


def _text(call, name, value, need):
    if isinstance(value, np.ndarray):
        value = f"an array of shape {value.shape}" if value.size > 12 else value.tolist()
        return f"{call}: {name} is {value}: {need}"
    return f"{call}: {name} is {_repr.repr(value)}: {need}"


def wrong_type(call, name, value, need, _=None):
    return TypeError(_text(call, name, value, need))


def wrong_value(call, name, value, need, status=_lib.PEG_ERROR_ARGUMENT):
    return ArgumentError(status, _text(call, name, value, need))


def shape_status(status, call, name, value):
    """Raises for a status of the library about the shape that an argument gives."""
    if status == _lib.PEG_ERROR_MEMORY:
        raise Error(status)
    if status != 0:
        text = _ffi.string(_lib.pegStatusMessage(status)).decode()
        raise wrong_value(call, name, value, f"too thin, small or large for exact contacts ({text})", status)


def _asks(what, low, high, unit, plural=""):
    """'give 3 finite numbers (m, up to 1e+60)' and the like."""
    unit = unit and f"{unit}, "
    if (low, high) == (-np.inf, np.inf):
        return f"give {what} number{plural}, inf allowed"
    if low == -high:
        return f"give {what} finite number{plural} ({unit}up to {high:g})"
    if low == SMALLEST:
        return f"give {what} number{plural} above 0 ({unit}{low:g} to {high:g})"
    if low == 0 and high >= LARGEST:
        return f"give {what} number{plural} of 0 or more ({unit}{'inf allowed' if high == np.inf else f'up to {high:g}'})"
    return f"give {what} number{plural} from {low:g} to {high:g}"


def number(call, name, value, unit="", low=-LARGEST, high=LARGEST, need=None, status=_lib.PEG_ERROR_ARGUMENT):
    """value as a float of low to high."""
    raises = wrong_value
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        x = float(value)
        if low <= x <= high:  # not NaN
            return x
    except TypeError:
        raises, status = wrong_type, None
    except (ValueError, OverflowError):
        pass
    need = need or _asks("a", low, high, unit)
    raise raises(call, name, value, need, status)


def count(call, name, value, low=0, high=2**53):
    """value as an int; numbers like 300.0 are taken."""
    need = f"give a whole number from {low} to {high}"
    x = number(call, name, value, low=low, high=high, need=need)
    if x != int(x):
        raise wrong_value(call, name, value, need)
    return int(x)


def length(call, name, value, low=SMALLEST):
    return number(call, name, value, "m", low)


def vector(call, name, value, unit="", n=3, low=-LARGEST, high=LARGEST):
    """value as a list of n floats of low to high."""
    raises = wrong_value
    try:
        if isinstance(value, (str, bytes, dict)):
            raise TypeError
        value = value if isinstance(value, (tuple, list, np.ndarray)) else list(value)
        for x in value:
            if isinstance(x, (str, bytes)):
                raise TypeError
        out = [float(x) for x in value]
        if len(out) == n and low <= min(out) and max(out) <= high and sum(out) == sum(out):  # none is NaN
            return out
    except TypeError:
        raises = wrong_type
    except (ValueError, OverflowError):
        pass
    raise raises(call, name, value, _asks(n, low, high, unit, "s"))


def velocity(call, name, value):
    return vector(call, name, value, "m/s")


def angular_velocity(call, name, value):
    return vector(call, name, value, "rad/s", 3, -LARGEST_SPIN, LARGEST_SPIN)


def direction(call, name, value):
    """A vector that has a direction; its length does not matter."""
    out = vector(call, name, value)
    if max(map(abs, out)) < SMALLEST:
        raise wrong_value(call, name, value, "a vector of length 0 has no direction: give another, as (0, 0, 1)")
    return out


def quaternion(call, name, value):
    """A unit quaternion: normalised, unless it is one but for rounding."""
    out = vector(call, name, value, n=4)
    if max(map(abs, out)) < SMALLEST:
        raise wrong_value(call, name, value, "a quaternion of length 0 is no orientation: give (w, x, y, z), "
                                             "(1, 0, 0, 0) for none")
    square = sum(x * x for x in out)
    return out if abs(square - 1) <= UNIT else [x / square**0.5 for x in out]


def points(call, name, value, high=LARGEST):
    """value as an array (n, 3), float64, n > 0."""
    need = f"give an array (n, 3) of finite numbers (m, up to {high:g})"
    try:
        out = np.array(list(value) if isinstance(value, Iterator) else value)
        if out.dtype.kind not in "biufO" or out.ndim == 0:
            raise TypeError
        if out.dtype.kind == "O":
            if any(isinstance(x, (str, bytes)) or x is None for x in out.flat):
                raise TypeError
        out = out.astype(float)
    except TypeError:
        raise wrong_type(call, name, value, need) from None
    except (ValueError, OverflowError):
        raise wrong_value(call, name, value, need) from None
    if out.ndim != 2 or out.shape[1] != 3 or not len(out):
        raise wrong_value(call, name, value, need + f", not of shape {out.shape}")
    bad = np.flatnonzero(~(np.abs(out) <= high).all(axis=1))
    if bad.size:
        raise wrong_value(call, f"{name}[{bad[0]}]", out[bad[0]], need)
    return out


def triangles(call, name, value, vertices):
    """value as an array (m, 3) of numbers of vertices, uint32, m > 0."""
    need = f"give an array (m, 3) of whole numbers from 0 to {vertices - 1}, one for each vertex"
    try:
        out = np.array(list(value) if isinstance(value, Iterator) else value)
    except ValueError:
        raise wrong_value(call, name, value, need) from None
    if out.ndim == 0 or out.dtype.kind not in "biuf":
        raise wrong_type(call, name, value, need)
    if out.ndim != 2 or out.shape[1] != 3 or not len(out):
        raise wrong_value(call, name, value, need + f", not of shape {out.shape}")
    bad = np.flatnonzero(~((out >= 0) & (out < vertices) & (out == np.floor(out))).all(axis=1))
    if bad.size:
        raise wrong_value(call, f"{name}[{bad[0]}]", out[bad[0]], need)
    return np.ascontiguousarray(out, np.uint32)


def is_inertia(inertia, least=0.0):
    """Whether the inertia (3, 3) is positive, by its leading minors, as ODE and the library ask for, not too
    small to be inverted, and the least principal moment more than this share of the largest."""
    (a, d, e), (_, b, f), (_, _, c) = rows = [[float(x) for x in row] for row in inertia]
    minor, det = a * b - d * d, a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)
    if not all(abs(x) <= LARGEST for row in rows for x in row) or not (a > 0 and minor > 0 and det > LEAST_DETERMINANT):
        return False
    moments = np.linalg.eigvalsh(inertia) if least else (1, 1, 1)
    return bool(moments[0] > least * moments[2])


def is_closed(vertices, corners):
    """Whether the areas of triangles, as vectors, add up to 0, as those of a closed surface do."""
    a, b, c = (vertices[corners[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    return bool(np.linalg.norm(area.sum(axis=0)) <= HOLES * np.linalg.norm(area, axis=1).sum())


def placement(call, volume, how):
    """What add_box and the others take beside the shape, checked: the names of HOW, and kg, is_static."""
    for name in how:
        if name not in HOW:
            raise TypeError(f"{call}: no argument '{name}': one of {', '.join(HOW)}")
    out = SimpleNamespace(density=None, mass=None, kinematic=bool(how.get("kinematic", False)), name=how.get("name"))
    density, mass = how.get("density"), how.get("mass")
    if density is not None and mass is not None:
        raise TypeError(f"{call}: density is {density!r} and mass is {mass!r}: "
                        "give the density (kg/m^3) or the mass (kg), not both")
    out.kg = None
    if density is not None:
        out.kg = number(call, "density", density, "kg/m^3", SMALLEST) * volume
        if not SMALLEST <= out.kg <= LARGEST:
            raise wrong_value(call, "density", density, f"the mass is {out.kg:g} kg, not from {SMALLEST:g} to "
                              f"{LARGEST:g}: choose other units", _lib.PEG_ERROR_MASS)
    elif mass is not None:
        out.kg = number(call, "mass", mass, "kg", SMALLEST)
    out.is_static = out.kg is None and not out.kinematic
    out.position = vector(call, "position", how.get("position", (0, 0, 0)), "m")
    out.orientation = quaternion(call, "orientation", how.get("orientation", (1, 0, 0, 0)))
    for name, check in (("velocity", velocity), ("angular_velocity", angular_velocity)):
        value = check(call, name, how.get(name, (0, 0, 0)))
        if out.is_static and any(value):
            raise wrong_value(call, name, how[name], "a static geom does not move: give density, mass or kinematic=True")
        setattr(out, name, value)
    return out


def callback(call, name, value):
    if value is not None and not callable(value):
        raise wrong_type(call, name, value, "give a function of two geoms that returns a Surface or None, or None")
    return value


def settings(call, values):
    """pegSettings with these values, of which each has the right type."""
    out = _ffi.new("pegSettings *")
    _lib.pegSettingsDefault(out)
    if values is not None and not isinstance(values, Mapping):
        raise wrong_type(call, "settings", values, "give a dict, as {'threads': 2}")
    for name, value in (values or {}).items():
        _set(call, out, name, value)
    return out


def _set(call, out, name, value):
    fields = dict(_ffi.typeof("pegSettings").fields)
    if name not in fields:
        raise TypeError(f"{call}: settings: no setting '{name}': one of {', '.join(fields)}")
    at = f"settings['{name}']"
    if fields[name].type is _ffi.typeof("double"):
        setattr(out, name, number(call, at, value, low=-np.inf, high=np.inf, status=_lib.PEG_ERROR_SETTINGS))
        return
    try:
        setattr(out, name, operator.index(value))
    except TypeError:
        raise wrong_type(call, at, value, "give a whole number") from None
    except OverflowError:
        raise _out_of_range(call, name, value) from None


def _out_of_range(call, name, value):
    default = _ffi.new("pegSettings *")
    _lib.pegSettingsDefault(default)
    return wrong_value(call, f"settings['{name}']", value, f"out of range, which ode-peg.h tells at pegSettings: give "
                       f"another, or leave it out ({getattr(default, name)})", _lib.PEG_ERROR_SETTINGS)


def blame_setting(call, values):
    """Raises for the first setting out of range: that with which alone no world can be made."""
    world, peg = _lib.dWorldCreate(), _ffi.new("pegWorldID *")
    try:
        for name, value in values.items():
            status = _lib.pegWorldCreateStatus(world, settings(call, {name: value}), peg)
            if status == _lib.PEG_ERROR_SETTINGS:
                raise _out_of_range(call, name, value)
            if status == 0:
                _lib.pegWorldDestroy(peg[0])
    finally:
        _lib.dWorldDestroy(world)
    raise Error(_lib.PEG_ERROR_SETTINGS)


def idle(call, handles):
    """Nothing changes a world from within its step: neither `near` nor another thread."""
    if handles.stepping:
        raise Error(_lib.PEG_ERROR_ARGUMENT, f"{call}: the world is in a step: call it before or after step, not from "
                    "near or another thread")


def matrix(call, out, n, width):
    """An array to be filled."""
    need = f"out must be a contiguous float64 array of shape ({n}, {width}) that can be written"
    if not isinstance(out, np.ndarray):
        raise wrong_type(call, "out", out, need)
    flags = out.flags
    if out.shape != (n, width) or out.dtype != np.float64 or not (flags.c_contiguous and flags.aligned and flags.writeable):
        faults = [text for text, good in (("with gaps", flags.c_contiguous), ("not aligned", flags.aligned),
                                          ("read-only", flags.writeable)) if not good]
        raise ArgumentError(_lib.PEG_ERROR_ARGUMENT, f"{call}: out is of shape {out.shape} and type {out.dtype.str}"
                            f"{''.join(', ' + text for text in faults)}: {need}")
    return out
