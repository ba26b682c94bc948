# A chain of boxes on ball joints falls on a step, in the style of PyODE's second tutorial.
import ode

world = ode.World()
world.setGravity((0, -9.81, 0))
space = ode.HashSpace()
step_ = ode.GeomBox(space, lengths=(1, 1, 1))
step_.setPosition((1.2, 0.5, 0))
floor = ode.GeomPlane(space, (0, 1, 0), 0)
contactgroup = ode.JointGroup()
bodies, geoms, joints = [], [], []


def near_callback(args, geom1, geom2):
    world, contactgroup = args
    if ode.areConnected(geom1.getBody(), geom2.getBody()):
        return
    for contact in ode.collide(geom1, geom2):
        contact.setMu(5000)
        joint = ode.ContactJoint(world, contactgroup, contact)
        joint.attach(geom1.getBody(), geom2.getBody())


for i in range(6):
    body = ode.Body(world)
    mass = ode.Mass()
    mass.setBox(800, 0.3, 0.1, 0.1)
    body.setMass(mass)
    body.setPosition((0.4 * i, 2, 0))
    geom = ode.GeomBox(space, lengths=(0.3, 0.1, 0.1))
    geom.setBody(body)
    bodies.append(body)
    geoms.append(geom)
    if i:
        joint = ode.BallJoint(world)
        joint.attach(bodies[i - 1], body)
        joint.setAnchor((0.4 * i - 0.2, 2, 0))
        joints.append(joint)

dt = 0.01
for i in range(300):
    space.collide((world, contactgroup), near_callback)
    world.step(dt)
    contactgroup.empty()
