"""Exact contacts for the Open Dynamics Engine.

World: a world of this package's own. wrap: exact contacts for a world of PyODE. Units are SI;
quaternions are (w, x, y, z); arrays are float64. Statuses of the library raise Error; its messages
become warnings.
"""
import warnings

import numpy as np

from ._odepeg import ffi as _ffi, lib as _lib
from ._shapes import hull as _hull, mass_of_triangles as _mass_of_triangles

from .lab import LabError, compare, read_trace, report, run, scenes

__all__ = ["World", "Body", "Static", "Joint", "Peg", "Surface", "Error", "CONTACT", "wrap", "version",
           "compare", "run", "report", "scenes", "read_trace", "LabError"]

_lib.dInitODE2(0)

#: One contact: geoms by address, bodies by index (-1: static, or not of this package's worlds),
#: position m, normal (into the first body), gap m, impulse N s, friction N s (on the first body).
CONTACT = np.dtype([("geom1", "u8"), ("geom2", "u8"), ("body1", "i8"), ("body2", "i8"), ("position", "f8", 3),
                    ("normal", "f8", 3), ("gap", "f8"), ("impulse", "f8"), ("friction", "f8", 3)])


def version():
    """Version of the loaded library."""
    return _ffi.string(_lib.pegVersion()).decode()


class Error(RuntimeError):
    """A call failed; nothing was changed. status: the library's number."""

    def __init__(self, status, text=None):
        super().__init__(text or _ffi.string(_lib.pegStatusMessage(status)).decode())
        self.status = status


def _check(status):
    if status != 0:
        raise Error(status)


class Surface:
    """mu: coefficient of friction (inf: no sliding); bounce: of restitution; soft_erp, soft_cfm: spring."""

    def __init__(self, mu=0.0, bounce=0.0, bounce_velocity=0.0, mu2=None, soft_erp=None, soft_cfm=None):
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
                raise TypeError("near must return a Surface, or None for no contact")
            _check(_lib.pegWorldAddPair(peg._peg, a, b, surface._c))
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

    def __init__(self, world, spaces, surface, near, settings, keep=None):
        c = _ffi.new("pegSettings *")
        _lib.pegSettingsDefault(c)
        fields = dict(_ffi.typeof("pegSettings").fields)
        for name, value in (settings or {}).items():
            if name not in fields:
                raise TypeError(f"no setting '{name}': one of {', '.join(fields)}")
            setattr(c, name, value)
        out = _ffi.new("pegWorldID *")
        _check(_lib.pegWorldCreateStatus(world, c, out))
        self._peg = _ffi.gc(out[0], _lib.pegWorldDestroy)
        self._keep, self._spaces = keep, list(spaces)
        self._near, self._exception, self._messages = near, None, []
        self._handle = _ffi.new_handle(self)
        self._geoms = {}
        for space in self._spaces:
            _check(_lib.pegWorldAddSpace(self._peg, space))
        _check(_lib.pegWorldSetDefaultSurface(self._peg, surface._c))
        _lib.pegWorldSetMessageCallback(self._peg, self._handle, _lib.odepeg_message)
        if near is not None:
            _lib.pegWorldSetNearCallback(self._peg, self._handle, _lib.odepeg_near)

    def _geom(self, geom):
        address = int(_ffi.cast("uintptr_t", geom))
        return self._geoms.get(address, address)

    def step(self, h, steps=1, quick=False):
        """Makes steps of h seconds. quick: ODE's part with dWorldQuickStep.

        Raises Error, or what `near` raised once the step has ended. Returns nothing.
        """
        done = _ffi.new("long *")
        steps = 1 if steps is None else int(steps)
        while steps > 0:
            # with a callback one at a time, so that an exception ends them
            status = _lib.odepeg_steps(self._peg, h, 1 if self._near else steps, quick, done)
            steps -= max(1, done[0])
            if self._messages:
                self._warn()
            if self._exception is not None:
                exception, self._exception = self._exception, None
                raise exception
            _check(status)

    def _warn(self):
        messages, self._messages = self._messages, []
        for text in messages:
            warnings.warn(text, RuntimeWarning, stacklevel=3)

    def contacts(self):
        """The contacts that carried an impulse in the last step: an array of CONTACT."""
        out = np.empty(_lib.pegWorldGetContactCount(self._peg), CONTACT)
        if out.size:
            _lib.odepeg_contacts(self._peg, self._numbered(), _ffi.cast("char *", _ffi.from_buffer(out)))
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

    def _fill(self, function, width, out):
        bodies = self._bodies()
        if out is None:
            out = np.empty((len(bodies), width))
        if out.shape != (len(bodies), width) or out.dtype != np.float64 or not out.flags.c_contiguous:
            raise ValueError(f"out must be a contiguous float64 array of shape ({len(bodies)}, {width})")
        if len(bodies):
            function(bodies, len(bodies), _ffi.cast("double *", _ffi.from_buffer(out)))
        return out

    def read_poses(self, out=None):
        """(n, 7): x, y, z (m), qw, qx, qy, qz of every body; into out if given."""
        return self._fill(_lib.odepeg_poses, 7, out)

    def read_velocities(self, out=None):
        """(n, 6): linear (m/s) and angular (rad/s) velocity of every body, world frame."""
        return self._fill(_lib.odepeg_velocities, 6, out)

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
        _lib.pegWorldResetTotals(self._peg)


class _Handles:
    """ODE's objects of a World: they live as long as anything that refers to them."""

    def __init__(self):
        self.world, self.space = _lib.dWorldCreate(), _lib.dHashSpaceCreate(_ffi.NULL)
        self.meshes, self.arrays = [], []

    def __del__(self):
        _lib.dSpaceDestroy(self.space)
        _lib.dWorldDestroy(self.world)
        for mesh in self.meshes:
            _lib.dGeomTriMeshDataDestroy(mesh)


class Static:
    """A geom without body. name: whatever the program gave it."""

    def __init__(self, geom, name):
        self._geom, self.name = geom, name


def _vector(get, put, text):
    def read(self):
        pointer = _ffi.gc(_ffi.cast("double *", get(self._body)), lambda _, keep=self._handles: None)
        view = np.frombuffer(_ffi.buffer(pointer, 4 * 8 if get is _lib.dBodyGetQuaternion else 3 * 8))
        view.flags.writeable = False
        return view

    def write(self, value):
        put(self._body, value)

    return property(read, write, doc=text + "\n\nA view of ODE's memory that follows the body; assign to set it.")


class Body(Static):
    """A rigid body with one geom. index: its row in poses and velocities."""

    def __init__(self, handles, body, geom, name, index):
        super().__init__(geom, name)
        self._handles, self._body, self.index = handles, body, index

    position = _vector(_lib.dBodyGetPosition, lambda b, v: _lib.dBodySetPosition(b, *v), "Centre of mass (3,), m.")
    orientation = _vector(_lib.dBodyGetQuaternion, lambda b, v: _lib.dBodySetQuaternion(b, _ffi.new("double[4]", list(v))),
                          "Quaternion (4,): w, x, y, z.")
    velocity = _vector(_lib.dBodyGetLinearVel, lambda b, v: _lib.dBodySetLinearVel(b, *v), "Linear velocity (3,), m/s.")
    angular_velocity = _vector(_lib.dBodyGetAngularVel, lambda b, v: _lib.dBodySetAngularVel(b, *v),
                               "Angular velocity (3,), rad/s, world frame.")

    def add_force(self, force):
        """N, at the centre of mass, for the next step."""
        _lib.dBodyAddForce(self._body, *force)

    def add_torque(self, torque):
        """N m, for the next step."""
        _lib.dBodyAddTorque(self._body, *torque)


class Joint:
    """A joint of a World. kind: hinge, slider, ball or fixed."""

    def __init__(self, handles, joint, kind):
        self._handles, self._joint, self.kind = handles, joint, kind

    def _set(self, parameter, value):
        if self.kind == "hinge":
            _lib.dJointSetHingeParam(self._joint, parameter, value)
        elif self.kind == "slider":
            _lib.dJointSetSliderParam(self._joint, parameter, value)
        else:
            raise TypeError(f"a {self.kind} joint has no motor and no stops")

    def set_motor(self, velocity, force):
        """Drives a hinge (rad/s, N m) or slider (m/s, N) at a velocity with at most that force."""
        self._set(_lib.dParamVel, velocity)
        self._set(_lib.dParamFMax, force)

    def set_stops(self, low, high):
        """Limits of the position (rad or m), from where the joint was made."""
        for parameter, value in ((_lib.dParamHiStop, high), (_lib.dParamLoStop, low), (_lib.dParamHiStop, high)):
            self._set(parameter, value)

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

    gravity (3,), m/s^2; mu, bounce: of all contacts unless near(a, b), called with the Body or Static
    of a pair that could touch, returns a Surface of its own, or None for no contact. settings: fields
    of pegSettings, as {"threads": 2}.
    """

    def __init__(self, gravity=(0, 0, -9.81), mu=0.0, bounce=0.0, near=None, settings=None):
        self._handles = _Handles()
        super().__init__(self._handles.world, [self._handles.space], Surface(mu, bounce), near, settings)
        _lib.dWorldSetGravity(self._handles.world, *gravity)
        self.bodies, self._body_ids = [], _ffi.new("dBodyID[]", 0)

    def _numbered(self):
        return True

    def _bodies(self):
        if len(self._body_ids) != len(self.bodies):
            self._body_ids = _ffi.new("dBodyID[]", [body._body for body in self.bodies])
        return self._body_ids

    def _place(self, geom, fill, volume, density, mass, position, orientation, velocity, angular_velocity, kinematic, name):
        if density is not None and mass is not None:
            raise TypeError("give the density (kg/m^3) or the mass (kg), not both")
        kg = mass if density is None else density * volume
        if kg is None and not kinematic:
            item = Static(geom, name)
            _lib.dGeomSetPosition(geom, *position)
            _lib.dGeomSetQuaternion(geom, _ffi.new("double[4]", list(orientation)))
        else:
            c = _ffi.new("dMass *")
            fill(c, 1.0 if kg is None else kg)
            body = _lib.dBodyCreate(self._handles.world)
            _lib.dBodySetMass(body, c)
            _lib.dGeomSetBody(geom, body)
            item = Body(self._handles, body, geom, name, len(self.bodies))
            self.bodies.append(item)
            _lib.dBodySetData(body, _ffi.cast("void *", len(self.bodies)))
            item.position, item.orientation = position, orientation
            item.velocity, item.angular_velocity = velocity, angular_velocity
            if kinematic:
                _lib.dBodySetKinematic(body)
        self._geoms[int(_ffi.cast("uintptr_t", geom))] = item
        return item

    def _add(self, geom, fill, volume, density=None, mass=None, position=(0, 0, 0), orientation=(1, 0, 0, 0),
             velocity=(0, 0, 0), angular_velocity=(0, 0, 0), kinematic=False, name=None):
        return self._place(geom, fill, volume, density, mass, position, orientation, velocity, angular_velocity,
                           kinematic, name)

    def add_box(self, size, **how):
        """size (3,), m. how: density or mass, position, orientation, velocity, angular_velocity,
        kinematic, name. Without density, mass or kinematic it is a Static, else a Body."""
        x, y, z = size
        return self._add(_lib.dCreateBox(self._handles.space, x, y, z),
                         lambda m, kg: _lib.dMassSetBoxTotal(m, kg, x, y, z), x * y * z, **how)

    def add_sphere(self, radius, **how):
        """radius, m; how: as of add_box."""
        return self._add(_lib.dCreateSphere(self._handles.space, radius),
                         lambda m, kg: _lib.dMassSetSphereTotal(m, kg, radius), 4 / 3 * np.pi * radius**3, **how)

    def add_capsule(self, radius, length, **how):
        """Along z; length of its straight part, m; how: as of add_box."""
        return self._add(_lib.dCreateCapsule(self._handles.space, radius, length),
                         lambda m, kg: _lib.dMassSetCapsuleTotal(m, kg, 3, radius, length),
                         np.pi * radius**2 * (length + 4 / 3 * radius), **how)

    def add_cylinder(self, radius, length, **how):
        """Along z, m; how: as of add_box."""
        return self._add(_lib.dCreateCylinder(self._handles.space, radius, length),
                         lambda m, kg: _lib.dMassSetCylinderTotal(m, kg, 3, radius, length),
                         np.pi * radius**2 * length, **how)

    def add_plane(self, normal, offset, name=None):
        """Static: all points with normal . x < offset are inside."""
        normal = np.asarray(normal, float)
        normal, offset = normal / np.linalg.norm(normal), offset / np.linalg.norm(normal)
        item = Static(_lib.dCreatePlane(self._handles.space, *normal, offset), name)
        self._geoms[int(_ffi.cast("uintptr_t", item._geom))] = item
        return item

    def add_convex(self, points, **how):
        """The convex hull of points (n, 3), m, at most 200. The body's frame has its centre of mass at
        the origin, so points are moved by that; how: as of add_box."""
        points, faces, planes = _hull(points)
        triangles = [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)]
        volume, centre, _ = _mass_of_triangles(points, triangles)
        points, planes = points - centre, planes - np.outer(planes[:, :3] @ centre, (0, 0, 0, 1))
        _, _, inertia = _mass_of_triangles(points, triangles)
        polygons = np.array([i for f in faces for i in (len(f), *f)], np.uint32)
        planes, points = np.ascontiguousarray(planes), np.ascontiguousarray(points)
        self._handles.arrays += [points, planes, polygons]  # ODE refers to them
        status = _ffi.new("pegStatus *")
        geom = _lib.pegCreateConvex(self._handles.space, _ffi.from_buffer("double[]", planes), len(planes),
                                    _ffi.from_buffer("double[]", points), len(points),
                                    _ffi.from_buffer("unsigned[]", polygons), status)
        _check(status[0])
        return self._add(geom, lambda m, kg: _set_mass(m, kg, inertia / volume), volume, **how)

    def add_mesh(self, vertices, triangles, **how):
        """A triangle mesh, two-sided, kept in single precision by ODE: vertices (n, 3), m, triangles
        (m, 3). A body needs a closed mesh, outward counter-clockwise; how: as of add_box."""
        vertices = np.array(vertices, float)
        triangles = np.ascontiguousarray(triangles, np.uint32)
        if triangles.size and triangles.max() >= len(vertices):
            raise ValueError("a triangle names a vertex that does not exist")
        volume, inertia = 1.0, np.eye(3)
        if how.get("density") is not None or how.get("mass") is not None:
            volume, centre, _ = _mass_of_triangles(vertices, triangles)
            if not volume > 0:
                raise ValueError("the mesh of a body must be closed, with its faces outward")
            vertices = vertices - centre
            _, _, inertia = _mass_of_triangles(vertices, triangles)
        single = np.ascontiguousarray(vertices, np.float32)
        data = _lib.dGeomTriMeshDataCreate()
        self._handles.meshes.append(data)
        self._handles.arrays += [single, triangles]
        _lib.dGeomTriMeshDataBuildSingle(data, _ffi.from_buffer(single), 12, len(single), _ffi.from_buffer(triangles),
                                         triangles.size, 12)
        geom = _lib.dCreateTriMesh(self._handles.space, data, _ffi.NULL, _ffi.NULL, _ffi.NULL)
        return self._add(geom, lambda m, kg: _set_mass(m, kg, inertia / volume), volume, **how)

    def _joint(self, kind, create, a, b):
        joint = create(self._handles.world, _ffi.NULL)
        _lib.dJointAttach(joint, a._body, b._body if b else _ffi.NULL)
        return Joint(self._handles, joint, kind)

    def _refer(self, joint):
        _check(_lib.pegJointSetReferencePose(self._peg, joint._joint))
        return joint

    def add_hinge(self, a, b, anchor, axis):
        """b None: to the world. anchor (3,), m; axis (3,); world frame, in the present pose."""
        joint = self._joint("hinge", _lib.dJointCreateHinge, a, b)
        _lib.dJointSetHingeAnchor(joint._joint, *anchor)
        _lib.dJointSetHingeAxis(joint._joint, *axis)
        return self._refer(joint)

    def add_slider(self, a, b, axis):
        """b None: to the world. axis (3,), world frame."""
        joint = self._joint("slider", _lib.dJointCreateSlider, a, b)
        _lib.dJointSetSliderAxis(joint._joint, *axis)
        return self._refer(joint)

    def add_ball(self, a, b, anchor):
        """b None: to the world. anchor (3,), m, world frame."""
        joint = self._joint("ball", _lib.dJointCreateBall, a, b)
        _lib.dJointSetBallAnchor(joint._joint, *anchor)
        return self._refer(joint)

    def add_fixed(self, a, b):
        """Keeps the present relative pose. b None: to the world."""
        joint = self._joint("fixed", _lib.dJointCreateFixed, a, b)
        _lib.dJointSetFixed(joint._joint)
        return self._refer(joint)


def _set_mass(c, kg, inertia):
    i = kg * np.asarray(inertia)
    _lib.dMassSetParameters(c, kg, 0, 0, 0, i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])


def _space_id(space):
    address = space if isinstance(space, int) else space._id()
    return _ffi.cast("dSpaceID", address)


def wrap(*spaces, mu=0.0, bounce=0.0, near=None, settings=None):
    """Exact contacts for a world of PyODE: the one of the bodies whose geoms lie in the spaces.

    spaces: of PyODE, or their addresses. near(a, b) gets the addresses of two geoms (geom._id()).
    Then step with the returned Peg instead of space.collide and world.step.
    """
    ids = [_space_id(space) for space in spaces]
    for space in ids:
        room = _lib.odepeg_bodies(space, _ffi.NULL, 0, 0)
        out = _ffi.new("dBodyID[]", room)
        if room and _lib.odepeg_bodies(space, out, 0, room):
            return Peg(_lib.dBodyGetWorld(out[0]), ids, Surface(mu, bounce), near, settings, keep=spaces)
    raise ValueError("no geom of the spaces has a body: call wrap after the first geom.setBody")
