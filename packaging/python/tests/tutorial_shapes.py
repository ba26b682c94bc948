# Spheres, capsules and cylinders in a bin of boxes.
import ode

world = ode.World()
world.setGravity((0, 0, -9.81))
space = ode.SimpleSpace()
floor = ode.GeomPlane(space, (0, 0, 1), 0)
walls = []
for k in range(4):
    wall = ode.GeomBox(space, lengths=(0.1, 2, 0.6))
    wall.setPosition(((-0.5, 0, 0.2), (0.5, 0, 0.2), (0, -0.5, 0.2), (0, 0.5, 0.2))[k])
    if k > 1:
        wall.setRotation((0, -1, 0, 1, 0, 0, 0, 0, 1))
    walls.append(wall)
contactgroup = ode.JointGroup()
bodies, geoms = [], []


def near_callback(args, geom1, geom2):
    world, contactgroup = args
    for contact in ode.collide(geom1, geom2):
        contact.setMu(0.5)
        joint = ode.ContactJoint(world, contactgroup, contact)
        joint.attach(geom1.getBody(), geom2.getBody())


makers = [lambda: ode.GeomSphere(space, 0.1), lambda: ode.GeomCapsule(space, 0.06, 0.2),
          lambda: ode.GeomCylinder(space, 0.1, 0.15)]
for i in range(9):
    body = ode.Body(world)
    mass = ode.Mass()
    mass.setSphere(1000, 0.1)
    body.setMass(mass)
    body.setPosition((0.05 * (i % 3 - 1), 0.05 * (i % 2), 0.5 + 0.3 * i))
    geom = makers[i % 3]()
    geom.setBody(body)
    bodies.append(body)
    geoms.append(geom)

dt = 0.01
for i in range(400):
    space.collide((world, contactgroup), near_callback)
    world.step(dt)
    contactgroup.empty()
