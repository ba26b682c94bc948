"""Exact contacts for the Open Dynamics Engine.

World: a world of this package's own. wrap: exact contacts for a world of PyODE. Units are SI;
quaternions are (w, x, y, z); arrays are float64.

Arguments are checked before anything is changed: a wrong type raises TypeError, a wrong value
ArgumentError, which is a ValueError and an Error. Other statuses of the library raise Error; its
messages become warnings. Numbers must be finite and lie within 1e60, lengths and masses from 1e-60 on.
"""
import gc
import operator
import sys
import warnings

import numpy as np

from . import _check
from ._check import ArgumentError, Error
from ._odepeg import ffi as _ffi, lib as _lib
from ._shapes import hull as _hull, mass_of_triangles as _mass_of_triangles

from .lab import LabError, compare, read_trace, report, run, scenes

__all__ = ["World", "Body", "Static", "Joint", "Peg", "Surface", "Error", "ArgumentError",
           "CONTACT", "wrap", "version", "compare", "run", "report", "scenes", "read_trace", "LabError"]

_lib.dInitODE2(0)

#: One contact: geoms by address, bodies by index (-1: static, or not of this package's worlds),
#: position m, normal (into the first body), gap m, impulse N s, friction N s (on the first body).
CONTACT = np.dtype([("geom1", "u8"), ("geom2", "u8"), ("body1", "i8"), ("body2", "i8"), ("position", "f8", 3),
                    ("normal", "f8", 3), ("gap", "f8"), ("impulse", "f8"), ("friction", "f8", 3)])


def version():
    """Version of the loaded library."""
    return _ffi.string(_lib.pegVersion()).decode()


def _ok(status):
    if status != 0:
        raise Error(status)


class Surface:
    """mu: coefficient of friction, 0 or more (inf: no sliding); bounce: of restitution, 0 or more (above
    1 counts as 1); bounce_velocity, m/s; mu2 as mu; soft_erp (0 to 1), soft_cfm (0 or more): spring."""

    def __init__(self, mu=0.0, bounce=0.0, bounce_velocity=0.0, mu2=None, soft_erp=None, soft_cfm=None):
        self._set("Surface", mu, bounce, bounce_velocity, mu2, soft_erp, soft_cfm)

    @classmethod
    def _of(cls, call, mu, bounce):
        self = cls.__new__(cls)
        self._set(call, mu, bounce)
        return self

    def _set(self, call, mu, bounce, bounce_velocity=0.0, mu2=None, soft_erp=None, soft_cfm=None):
        def number(name, value, low, high):
            return _check.number(call, name, value, low=low, high=high, status=_lib.PEG_ERROR_SURFACE)

        largest = _check.LARGEST
        mu, bounce = number("mu", mu, 0, np.inf), number("bounce", bounce, 0, largest)
        bounce_velocity = number("bounce_velocity", bounce_velocity, -largest, largest)
        mu2 = None if mu2 is None else number("mu2", mu2, 0, np.inf)
        soft_erp = None if soft_erp is None else number("soft_erp", soft_erp, 0, 1)
        soft_cfm = None if soft_cfm is None else number("soft_cfm", soft_cfm, 0, largest)
        self._c = _ffi.new("dSurfaceParameters *")
        self._c.mode = _lib.dContactApprox1 | (_lib.dContactBounce if bounce else 0)
        self._c.mu, self._c.bounce, self._c.bounce_vel = mu, bounce, bounce_velocity
        for name, value, bit in (("mu2", mu2, _lib.dContactMu2), ("soft_erp", soft_erp, _lib.dContactSoftERP),
                                 ("soft_cfm", soft_cfm, _lib.dContactSoftCFM)):
            if value is not None:
                setattr(self._c, name, value)
                self._c.mode |= bit


@_ffi.def_extern()
def odepeg_near(data, a, b):
    peg = _ffi.from_handle(data)
    if peg._exception is not None:
        return
    try:
        surface = peg._near(peg._geom(a), peg._geom(b))
        if surface is not None:
            if not isinstance(surface, Surface):
                raise TypeError(f"near returned {surface!r}: it must return a Surface, or None for no contact")
            _ok(_lib.pegWorldAddPair(peg._peg, a, b, surface._c))
    except BaseException as exception:  # pylint: disable=broad-except
        peg._exception = exception


@_ffi.def_extern()
def odepeg_message(data, status, text):
    _ffi.from_handle(data)._messages.append(_ffi.string(text).decode())


def _stats(function, peg):
    out = _ffi.new("pegStats *")
    function(peg, out)
    return {name: getattr(out, name) for name, _ in _ffi.typeof("pegStats").fields}


class Peg:
    """Exact contacts of an ODE world. Made by wrap; World has all of it, too."""

    def __init__(self, call, handles, world, spaces, surface, near, settings):
        self._handles, self._spaces = handles, list(spaces)
        self._near, self._exception, self._messages = _check.callback(call, "near", near), None, []
        c, out = _check.settings(call, settings), _ffi.new("pegWorldID *")
        status = _lib.pegWorldCreateStatus(world, c, out)
        if status == _lib.PEG_ERROR_SETTINGS:
            _check.blame_setting(call, settings)
        _ok(status)
        self._peg = _ffi.gc(out[0], _lib.pegWorldDestroy)
        try:
            self._prepare(surface)
        except BaseException:
            _ffi.release(self._peg)
            raise

    def _prepare(self, surface):
        self._handle = _ffi.new_handle(self)
        self._geoms = {}
        for space in self._spaces:
            _ok(_lib.pegWorldAddSpace(self._peg, space))
        _ok(_lib.pegWorldSetDefaultSurface(self._peg, surface._c))
        _lib.pegWorldSetMessageCallback(self._peg, self._handle, _lib.odepeg_message)
        if self._near is not None:
            _lib.pegWorldSetNearCallback(self._peg, self._handle, _lib.odepeg_near)

    def _geom(self, geom):
        address = int(_ffi.cast("uintptr_t", geom))
        return self._geoms.get(address, address)

    def step(self, h, steps=1, quick=False):
        """Makes steps of h seconds (1e-20 to 1e10). quick: ODE's part with dWorldQuickStep.

        Raises Error, or what `near` raised once the step has ended. Returns nothing.
        """
        _check.idle("step", self._handles)
        h = _check.number("step", "h", h, "s", 1e-20, 1e10, "the step size must lie in 1e-20 to 1e10 s",
                          _lib.PEG_ERROR_STEP_SIZE)
        steps = 1 if steps is None else _check.count("step", "steps", steps)
        done = _ffi.new("long *")
        while steps > 0:
            # with a callback one at a time, so that an exception ends them
            self._handles.stepping = True
            try:
                status = _lib.odepeg_steps(self._peg, h, 1 if self._near else steps, bool(quick), done)
            finally:
                self._handles.stepping = False
            steps -= max(1, done[0])
            if self._messages:
                self._warn()
            if self._exception is not None:
                exception, self._exception = self._exception, None
                raise exception
            _ok(status)

    def _warn(self):
        messages, self._messages = self._messages, []
        for text in messages:
            warnings.warn(text, RuntimeWarning, stacklevel=3)

    def contacts(self):
        """The contacts that carried an impulse in the last step: an array of CONTACT."""
        out = np.empty(_lib.pegWorldGetContactCount(self._peg), CONTACT)
        if out.size:
            _lib.odepeg_contacts(self._peg, self._numbered(), _ffi.cast("char *", _ffi.from_buffer(out)), len(out))
        return out

    def _numbered(self):
        return False

    def _bodies(self):
        bodies, room = [], 0
        for space in self._spaces:
            room += _lib.odepeg_bodies(space, _ffi.NULL, 0, 0)
        out, n = _ffi.new("dBodyID[]", room), 0
        for space in self._spaces:
            n = _lib.odepeg_bodies(space, out, n, room)
        for i in range(n):
            if out[i] not in bodies:
                bodies.append(out[i])
        return _ffi.new("dBodyID[]", bodies)

    def _fill(self, call, function, width, out):
        bodies = self._bodies()
        if out is None:
            out = np.empty((len(bodies), width))
        else:
            _check.matrix(call, out, len(bodies), width)
        if len(bodies):
            function(bodies, len(bodies), _ffi.cast("double *", _ffi.from_buffer(out)))
        return out

    def read_poses(self, out=None):
        """(n, 7): x, y, z (m), qw, qx, qy, qz of every body; into out if given."""
        return self._fill("read_poses", _lib.odepeg_poses, 7, out)

    def read_velocities(self, out=None):
        """(n, 6): linear (m/s) and angular (rad/s) velocity of every body, world frame."""
        return self._fill("read_velocities", _lib.odepeg_velocities, 6, out)

    poses = property(read_poses)
    velocities = property(read_velocities)

    @property
    def stats(self):
        """pegStats of the last step, as a dict."""
        return _stats(_lib.pegWorldGetStats, self._peg)

    @property
    def totals(self):
        """pegStats since the start or the last reset_totals: sums, and maxima of maxima."""
        return _stats(_lib.pegWorldGetTotals, self._peg)

    def reset_totals(self):
        """Sets totals to 0."""
        _check.idle("reset_totals", self._handles)
        _lib.pegWorldResetTotals(self._peg)


class _Handles:
    """ODE's objects of a World: they live as long as anything that refers to them."""

    def __init__(self):
        self.world, self.space = _lib.dWorldCreate(), _lib.dHashSpaceCreate(_ffi.NULL)
        self.meshes, self.arrays = [], []
        self.stepping = False
        self.floor = _lib.dCreatePlane(_ffi.NULL, 0, 0, 1, 0)  # shapes are tried against it

    def __del__(self):
        _lib.dGeomDestroy(self.floor)
        _lib.dSpaceDestroy(self.space)
        _lib.dWorldDestroy(self.world)
        for mesh in self.meshes:
            _lib.dGeomTriMeshDataDestroy(mesh)


class Static:
    """A geom without body. name: whatever the program gave it."""

    def __init__(self, geom, name):
        self._geom, self.name = geom, name

    def __repr__(self):
        return f"<Static {self.name!r}>"


def _vector(name, check, get, put, text):
    def read(self):
        pointer = _ffi.gc(_ffi.cast("double *", get(self._body)), lambda _, keep=self._handles: None)
        view = np.frombuffer(_ffi.buffer(pointer, 4 * 8 if get is _lib.dBodyGetQuaternion else 3 * 8))
        view.flags.writeable = False
        return view

    def write(self, value):
        value = check("Body", name, value)
        _check.idle(f"Body: {name}", self._handles)
        put(self._body, value)

    return property(read, write, doc=text + "\n\nA view of ODE's memory that follows the body; assign to set it.")


class Body(Static):
    """A rigid body with one geom. index: its row in poses and velocities."""

    def __init__(self, handles, body, geom, name, index):
        super().__init__(geom, name)
        self._handles, self._body, self.index = handles, body, index

    def __repr__(self):
        return f"<Body {self.index} {self.name!r}>"

    position = _vector("position", lambda *a: _check.vector(*a, "m"), _lib.dBodyGetPosition,
                       lambda b, v: _lib.dBodySetPosition(b, *v), "Centre of mass (3,), m, world frame.")
    orientation = _vector("orientation", _check.quaternion, _lib.dBodyGetQuaternion,
                          lambda b, v: _lib.dBodySetQuaternion(b, _ffi.new("double[4]", v)),
                          "Quaternion (4,): w, x, y, z, body to world; normalised when set.")
    velocity = _vector("velocity", _check.velocity, _lib.dBodyGetLinearVel,
                       lambda b, v: _lib.dBodySetLinearVel(b, *v), "Linear velocity (3,), m/s, world frame.")
    angular_velocity = _vector("angular_velocity", _check.angular_velocity, _lib.dBodyGetAngularVel,
                               lambda b, v: _lib.dBodySetAngularVel(b, *v),
                               "Angular velocity (3,), rad/s, world frame.")

    def add_force(self, force):
        """force (3,), N, world frame, at the centre of mass, for the next step."""
        force = _check.vector("add_force", "force", force, "N")
        _check.idle("add_force", self._handles)
        _lib.dBodyAddForce(self._body, *force)

    def add_torque(self, torque):
        """torque (3,), N m, world frame, for the next step."""
        torque = _check.vector("add_torque", "torque", torque, "N m")
        _check.idle("add_torque", self._handles)
        _lib.dBodyAddTorque(self._body, *torque)


class Joint:
    """A joint of a World. kind: hinge, slider, ball or fixed."""

    def __init__(self, handles, joint, kind):
        self._handles, self._joint, self.kind = handles, joint, kind

    def __repr__(self):
        return f"<Joint {self.kind!r}>"

    def _set(self, call, *values):
        if self.kind not in ("hinge", "slider"):
            raise TypeError(f"{call}: a {self.kind} joint has no motor and no stops: only hinges and sliders have")
        _check.idle(call, self._handles)
        put = _lib.dJointSetHingeParam if self.kind == "hinge" else _lib.dJointSetSliderParam
        for parameter, value in values:
            put(self._joint, parameter, value)

    def set_motor(self, velocity, force):
        """Drives a hinge (rad/s, N m) or slider (m/s, N) at a velocity with at most that force, 0 or more
        (0: no motor; inf: any)."""
        velocity = _check.number("set_motor", "velocity", velocity)
        force = _check.number("set_motor", "force", force, low=0, high=np.inf)
        self._set("set_motor", (_lib.dParamVel, velocity), (_lib.dParamFMax, force))

    def set_stops(self, low, high):
        """Limits of the position (rad or m), from where the joint was made; low <= high, -inf and inf: none."""
        low = _check.number("set_stops", "low", low, low=-np.inf, high=np.inf)
        high = _check.number("set_stops", "high", high, low=-np.inf, high=np.inf)
        if low > high:
            raise _check.wrong_value("set_stops", "low", low, f"it is above high, {high}: exchange them; for no stops "
                                     "give -inf and inf")
        self._set("set_stops", *((_lib.dParamHiStop, high), (_lib.dParamLoStop, low), (_lib.dParamHiStop, high)))

    @property
    def position(self):
        """Angle (rad) of a hinge or position (m) of a slider, from where it was made."""
        if self.kind == "hinge":
            return _lib.dJointGetHingeAngle(self._joint)
        if self.kind == "slider":
            return _lib.dJointGetSliderPosition(self._joint)
        raise TypeError(f"a {self.kind} joint has no position")

    @property
    def rate(self):
        """rad/s or m/s."""
        if self.kind == "hinge":
            return _lib.dJointGetHingeAngleRate(self._joint)
        if self.kind == "slider":
            return _lib.dJointGetSliderPositionRate(self._joint)
        raise TypeError(f"a {self.kind} joint has no rate")


class World(Peg):
    """A world with exact contacts.

    gravity (3,), m/s^2; mu, bounce: of all contacts, as of Surface, unless near(a, b), called with the
    Body or Static of a pair that could touch, returns a Surface of its own, or None for no contact.
    settings: fields of pegSettings, as {"threads": 2}. near must not change the world.
    """

    def __init__(self, gravity=(0, 0, -9.81), mu=0.0, bounce=0.0, near=None, settings=None):
        gravity = _check.vector("World", "gravity", gravity, "m/s^2")
        surface, handles = Surface._of("World", mu, bounce), _Handles()
        super().__init__("World", handles, handles.world, [handles.space], surface, near, settings)
        _lib.dWorldSetGravity(handles.world, *gravity)
        self.bodies, self._body_ids = [], _ffi.new("dBodyID[]", 0)

    def _numbered(self):
        return True

    def _bodies(self):
        if len(self._body_ids) != len(self.bodies):
            self._body_ids = _ffi.new("dBodyID[]", [body._body for body in self.bodies])
        return self._body_ids

    def _add(self, call, shape, create, fill, volume, how):
        """shape: name and value of the argument that gives it, for errors."""
        how = _check.placement(call, volume, how)
        _check.idle(call, self._handles)
        c = _ffi.new("dMass *")
        if not how.is_static:
            fill(c, 1.0 if how.kg is None else how.kg)
            if not _check.is_inertia([c.I[0:3], c.I[4:7], c.I[8:11]]):
                raise _check.wrong_value(call, *shape, f"with {c.mass:g} kg its inertia is too small or too large to "
                                         "compute with: choose other units", _lib.PEG_ERROR_MASS)
        geom = create()
        status = _lib.pegSeparation(geom, self._handles.floor, _lib.PEG_SEPARATION_EXACT,
                                    _ffi.new("pegSeparationResult *"))
        if status != _lib.PEG_ERROR_GEOM_CLASS and status != 0:
            _lib.dGeomDestroy(geom)
            _check.shape_status(status, call, *shape)
        item = self._static(geom, how) if how.is_static else self._body(geom, c, how)
        return self._known(item)

    def _known(self, item):
        self._geoms[int(_ffi.cast("uintptr_t", item._geom))] = item
        return item

    @staticmethod
    def _static(geom, how):
        _lib.dGeomSetPosition(geom, *how.position)
        _lib.dGeomSetQuaternion(geom, _ffi.new("double[4]", how.orientation))
        return Static(geom, how.name)

    def _body(self, geom, mass, how):
        body = _lib.dBodyCreate(self._handles.world)
        _lib.dBodySetMass(body, mass)
        _lib.dGeomSetBody(geom, body)
        item = Body(self._handles, body, geom, how.name, len(self.bodies))
        self.bodies.append(item)
        _lib.dBodySetData(body, _ffi.cast("void *", len(self.bodies)))
        item.position, item.orientation = how.position, how.orientation
        item.velocity, item.angular_velocity = how.velocity, how.angular_velocity
        if how.kinematic:
            _lib.dBodySetKinematic(body)
        return item

    def add_box(self, size, **how):
        """size (3,), m, each above 0; of a box that is too thin for exact contacts ArgumentError tells.

        how: density (kg/m^3) or mass (kg), above 0; position (3,), m; orientation (4,): w, x, y, z, of
        any length but 0, normalised; velocity (3,), m/s; angular_velocity (3,), rad/s; all in the world
        frame, kinematic, name. Without density, mass or kinematic it is a Static, else a Body.
        """
        x, y, z = size = _check.vector("add_box", "size", size, "m", low=_check.SMALLEST)
        return self._add("add_box", ("size", size), lambda: _lib.dCreateBox(self._handles.space, x, y, z),
                         lambda m, kg: _lib.dMassSetBoxTotal(m, kg, x, y, z), x * y * z, how)

    def add_sphere(self, radius, **how):
        """radius, m, above 0; how: as of add_box."""
        radius = _check.length("add_sphere", "radius", radius)
        return self._add("add_sphere", ("radius", radius), lambda: _lib.dCreateSphere(self._handles.space, radius),
                         lambda m, kg: _lib.dMassSetSphereTotal(m, kg, radius), 4 / 3 * np.pi * radius**3, how)

    def add_capsule(self, radius, length, **how):
        """Along z; radius, m, above 0; length of its straight part, m, 0 or more; how: as of add_box."""
        radius = _check.length("add_capsule", "radius", radius)
        length = _check.length("add_capsule", "length", length, 0)
        return self._add("add_capsule", ("(radius, length)", (radius, length)),
                         lambda: _lib.dCreateCapsule(self._handles.space, radius, length),
                         lambda m, kg: _lib.dMassSetCapsuleTotal(m, kg, 3, radius, length),
                         np.pi * radius**2 * (length + 4 / 3 * radius), how)

    def add_cylinder(self, radius, length, **how):
        """Along z; radius and length, m, above 0; how: as of add_box."""
        radius = _check.length("add_cylinder", "radius", radius)
        length = _check.length("add_cylinder", "length", length)
        return self._add("add_cylinder", ("(radius, length)", (radius, length)),
                         lambda: _lib.dCreateCylinder(self._handles.space, radius, length),
                         lambda m, kg: _lib.dMassSetCylinderTotal(m, kg, 3, radius, length),
                         np.pi * radius**2 * length, how)

    def add_plane(self, normal, offset, name=None):
        """Static: all points x (m, world frame) with normal . x < offset are inside. normal (3,), of any
        length but 0; both are divided by that length."""
        direction = np.array(_check.direction("add_plane", "normal", normal))
        offset = _check.number("add_plane", "offset", offset)
        normal, offset = direction / np.linalg.norm(direction), offset / np.linalg.norm(direction)
        _check.number("add_plane", "offset / |normal|", offset, "m")
        _check.idle("add_plane", self._handles)
        return self._known(Static(_lib.dCreatePlane(self._handles.space, *normal, offset), name))

    def add_convex(self, points, **how):
        """The convex hull of points (n, 3), m, of which 4 to 200 differ and not all lie in a plane. The
        body's frame has its centre of mass at the origin, so points are moved by that; how: as of add_box."""
        given = _check.points("add_convex", "points", points)
        try:
            points, faces, planes = _hull(given)
        except ValueError as error:
            raise _check.wrong_value("add_convex", "points", given, str(error)) from None
        triangles = [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)]
        volume, centre, _ = _mass_of_triangles(points, triangles)
        points, planes = points - centre, planes - np.outer(planes[:, :3] @ centre, (0, 0, 0, 1))
        _, _, inertia = _mass_of_triangles(points, triangles)
        polygons = np.array([i for f in faces for i in (len(f), *f)], np.uint32)
        planes, points = np.ascontiguousarray(planes), np.ascontiguousarray(points)

        def create():
            status = _ffi.new("pegStatus *")
            geom = _lib.pegCreateConvex(self._handles.space, _ffi.from_buffer("double[]", planes), len(planes),
                                        _ffi.from_buffer("double[]", points), len(points),
                                        _ffi.from_buffer("unsigned[]", polygons), status)
            _check.shape_status(status[0], "add_convex", "points", given)
            self._handles.arrays += [points, planes, polygons]  # ODE refers to them
            return geom

        return self._add("add_convex", ("points", given), create,
                         lambda m, kg: _set_mass(m, kg, inertia / volume), volume, how)

    def add_mesh(self, vertices, triangles, **how):
        """A triangle mesh, two-sided, kept in single precision by ODE: vertices (n, 3), m, within 1e18;
        triangles (m, 3), numbers of vertices from 0 on, at least one of them with an area. A body with
        density or mass needs a closed mesh, outward counter-clockwise; how: as of add_box."""
        vertices = _check.points("add_mesh", "vertices", vertices, _check.LARGEST_SINGLE)
        triangles = _check.triangles("add_mesh", "triangles", triangles, len(vertices))
        volume, inertia = 1.0, np.eye(3)
        if how.get("density") is not None or how.get("mass") is not None:
            volume, centre, _ = _mass_of_triangles(vertices, triangles)
            vertices = vertices - centre
            total, _, inertia = _mass_of_triangles(vertices, triangles)
            if not (volume > 0 and total > 0 and _check.is_closed(vertices, triangles) and
                    _check.is_inertia(inertia / volume, _check.NEEDLE)):
                raise _check.wrong_value("add_mesh", "triangles", triangles, "the mesh of a body must be closed, with "
                                         "its faces outward (corners counter-clockwise seen from outside)",
                                         _lib.PEG_ERROR_MASS)
        single = np.ascontiguousarray(vertices, np.float32)
        a, b, c = (single.astype(float)[triangles[:, k]] for k in range(3))
        if not np.cross(b - a, c - a).any():
            raise _check.wrong_value("add_mesh", "triangles", triangles, "none has an area: give three vertices of each "
                                     "that do not lie on a line")

        def create():
            data = _lib.dGeomTriMeshDataCreate()
            self._handles.meshes.append(data)
            self._handles.arrays += [single, triangles]
            _lib.dGeomTriMeshDataBuildSingle(data, _ffi.from_buffer(single), 12, len(single),
                                             _ffi.from_buffer(triangles), triangles.size, 12)
            return _lib.dCreateTriMesh(self._handles.space, data, _ffi.NULL, _ffi.NULL, _ffi.NULL)

        return self._add("add_mesh", ("vertices", vertices), create,
                         lambda m, kg: _set_mass(m, kg, inertia / volume), volume, how)

    def _joint(self, kind, create, a, b, *puts):
        """puts: functions of ODE that set the joint, each with its checked argument."""
        call = f"add_{kind}"
        for name, body in (("a", a), ("b", b)):
            if name == "b" and body is None:
                continue
            if not isinstance(body, Body):
                raise _check.wrong_type(call, name, body, "give a Body of this world" + (
                    " (made with density, mass or kinematic)" if name == "a" else ", or None for the world"))
            if body._handles is not self._handles:
                raise _check.wrong_value(call, name, body, "it belongs to another world: give a Body of this one")
        if a is b:
            raise _check.wrong_value(call, "b", b, "a and b are one body: give another one, or None for the world")
        _check.idle(call, self._handles)
        joint = create(self._handles.world, _ffi.NULL)
        _lib.dJointAttach(joint, a._body, b._body if b is not None else _ffi.NULL)
        for put, value in puts:
            put(joint, *value)
        status = _lib.pegJointSetReferencePose(self._peg, joint)
        if status != 0:
            _lib.dJointDestroy(joint)
            raise Error(status)
        return Joint(self._handles, joint, kind)

    def add_hinge(self, a, b, anchor, axis):
        """a, b: two Body of this world; b None: to the world. anchor (3,), m; axis (3,), of any length
        but 0; world frame, in the present pose."""
        return self._joint("hinge", _lib.dJointCreateHinge, a, b,
                           (_lib.dJointSetHingeAnchor, _check.vector("add_hinge", "anchor", anchor, "m")),
                           (_lib.dJointSetHingeAxis, _check.direction("add_hinge", "axis", axis)))

    def add_slider(self, a, b, axis):
        """a, b: as of add_hinge. axis (3,), of any length but 0, world frame."""
        return self._joint("slider", _lib.dJointCreateSlider, a, b,
                           (_lib.dJointSetSliderAxis, _check.direction("add_slider", "axis", axis)))

    def add_ball(self, a, b, anchor):
        """a, b: as of add_hinge. anchor (3,), m, world frame."""
        return self._joint("ball", _lib.dJointCreateBall, a, b,
                           (_lib.dJointSetBallAnchor, _check.vector("add_ball", "anchor", anchor, "m")))

    def add_fixed(self, a, b):
        """Keeps the present relative pose. a, b: as of add_hinge."""
        return self._joint("fixed", _lib.dJointCreateFixed, a, b, (_lib.dJointSetFixed, ()))


def _set_mass(c, kg, inertia):
    i = kg * np.asarray(inertia)
    _lib.dMassSetParameters(c, kg, 0, 0, 0, i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])


class _Wrapped:
    """What must live as long as the Peg of a world of PyODE."""

    def __init__(self, keep):
        self.keep, self.stepping = keep, False


def _pyode(name):
    """PyODE's, if the program uses it."""
    return getattr(sys.modules.get("ode"), name, None)


def _space_id(space, n):
    name, need = f"spaces[{n}]", "give a space of PyODE, as ode.HashSpace(), or its address, space._id()"
    space_class, ask = _pyode("SpaceBase"), getattr(space, "_id", None)
    if isinstance(space, bool) or (isinstance(space, World)):
        raise _check.wrong_type("wrap", name, space, need)
    if space_class and not isinstance(space, space_class) and type(space).__module__ == "ode":
        raise _check.wrong_type("wrap", name, space, need)
    try:
        address = operator.index(ask() if callable(ask) else space)
    except TypeError:
        raise _check.wrong_type("wrap", name, space, need) from None
    if not 0 < address < 2**64 or not _lib.odepeg_is_space(address):
        raise _check.wrong_value("wrap", name, space, f"no space is there: {need}")
    return _ffi.cast("dSpaceID", address)


def _geom_with_body(space):
    """The first geom with a body, or None."""
    for i in range(_lib.dSpaceGetNumGeoms(space)):
        geom = _lib.dSpaceGetGeom(space, i)
        if _lib.dGeomIsSpace(geom):
            geom = _geom_with_body(_ffi.cast("dSpaceID", geom))
        if geom and _lib.dGeomGetBody(geom):
            return geom
    return None


def _pyode_world(geom):
    """PyODE's world of a geom with a body, to be kept, or None. Only its bodies refer to it; they are not
    to be kept, since PyODE's objects do not survive to be freed by the garbage collector with their world."""
    known = (_pyode("_geom_c2py_lut") or {}).get(int(_ffi.cast("uintptr_t", geom)))
    world_class = _pyode("World") or ()
    return next((item for item in gc.get_referents(known and known.getBody()) if isinstance(item, world_class)), None)


def wrap(*spaces, mu=0.0, bounce=0.0, near=None, settings=None):
    """Exact contacts for a world of PyODE: the one of the bodies whose geoms lie in the spaces.

    spaces: one or more, of PyODE, or their addresses. mu, bounce, settings: as of World. near(a, b) gets
    the addresses of two geoms (geom._id()). Then step with the returned Peg instead of space.collide and
    world.step. A second Peg of a world raises Error while the first one exists.
    """
    ids, surface = [_space_id(space, n) for n, space in enumerate(spaces)], Surface._of("wrap", mu, bounce)
    geom = next(filter(None, map(_geom_with_body, ids)), None)
    if geom is None:
        raise ArgumentError(_lib.PEG_ERROR_ARGUMENT, f"wrap: spaces are {spaces!r}: no geom of the spaces has a body: "
                            "call wrap after the first geom.setBody")
    handles = _Wrapped((spaces, _pyode_world(geom)))
    return Peg("wrap", handles, _lib.dBodyGetWorld(_lib.dGeomGetBody(geom)), ids, surface, near, settings)
