# Boxes fall on a plane, in the style of PyODE's third tutorial.
import random

import ode

random.seed(3)
world = ode.World()
world.setGravity((0, -9.81, 0))
space = ode.Space()
floor = ode.GeomPlane(space, (0, 1, 0), 0)
contactgroup = ode.JointGroup()
bodies, geoms = [], []


def near_callback(args, geom1, geom2):
    world, contactgroup = args
    for contact in ode.collide(geom1, geom2):
        contact.setBounce(0.0)
        contact.setMu(5000)
        joint = ode.ContactJoint(world, contactgroup, contact)
        joint.attach(geom1.getBody(), geom2.getBody())


for i in range(12):
    body = ode.Body(world)
    mass = ode.Mass()
    mass.setBox(1000, 1, 0.2, 0.5)
    body.setMass(mass)
    body.setPosition((random.gauss(0, 0.1), 1 + 0.5 * i, random.gauss(0, 0.1)))
    geom = ode.GeomBox(space, lengths=(1, 0.2, 0.5))
    geom.setBody(body)
    bodies.append(body)
    geoms.append(geom)

dt = 0.01
for i in range(400):
    space.collide((world, contactgroup), near_callback)
    world.step(dt)
    contactgroup.empty()
