/* The functions of ODE that the launcher takes over: V(name, parameters, arguments) for those
 * without a result, R(type, name, parameters, arguments) for the others.
 *
 * libode calls some of these through its own PLT, so they are entered from inside of ODE, too. */
#ifndef PEG_LAUNCH_CALLS_H
#define PEG_LAUNCH_CALLS_H

#include <ode/ode.h>

#define PEG_WORLD_CALLS(V, R)                                                                      \
    R(dWorldID, dWorldCreate, (void), ())                                                          \
    V(dWorldDestroy, (dWorldID world), (world))                                                    \
    R(int, dWorldStep, (dWorldID world, dReal h), (world, h))                                      \
    R(int, dWorldQuickStep, (dWorldID world, dReal h), (world, h))                                 \
    V(dCloseODE, (void), ())                                                                       \
    R(dBodyID, dBodyCreate, (dWorldID world), (world))                                             \
    V(dBodyDestroy, (dBodyID body), (body))

#define PEG_COLLISION_CALLS(V, R)                                                                  \
    V(dSpaceCollide, (dSpaceID space, void *data, dNearCallback *near), (space, data, near))       \
    V(dSpaceCollide2, (dGeomID a, dGeomID b, void *data, dNearCallback *near), (a, b, data, near)) \
    R(int, dCollide, (dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip),           \
      (a, b, flags, contact, skip))                                                                \
    V(dSpaceRemove, (dSpaceID space, dGeomID geom), (space, geom))                                 \
    V(dGeomSetBody, (dGeomID geom, dBodyID body), (geom, body))                                    \
    V(dSpaceDestroy, (dSpaceID space), (space))                                                    \
    V(dGeomDestroy, (dGeomID geom), (geom))                                                        \
    R(dGeomID, dCreateConvex,                                                                      \
      (dSpaceID space, const dReal *planes, unsigned planecount, const dReal *points,              \
       unsigned pointcount, const unsigned *polygons),                                             \
      (space, planes, planecount, points, pointcount, polygons))                                   \
    V(dGeomSetConvex,                                                                              \
      (dGeomID geom, const dReal *planes, unsigned planecount, const dReal *points,                \
       unsigned pointcount, const unsigned *polygons),                                             \
      (geom, planes, planecount, points, pointcount, polygons))

/* What moves a geom, or where it lies on its body; what changes its size. */
#define PEG_GEOM_XYZ(V, name)         V(name, (dGeomID geom, dReal x, dReal y, dReal z), (geom, x, y, z))
#define PEG_GEOM_ARRAY(V, name, type) V(name, (dGeomID geom, const type array), (geom, array))
#define PEG_GEOM_MOVERS(V)                                                                         \
    PEG_GEOM_XYZ(V, dGeomSetPosition)                                                              \
    PEG_GEOM_ARRAY(V, dGeomSetRotation, dMatrix3)                                                  \
    PEG_GEOM_ARRAY(V, dGeomSetQuaternion, dQuaternion)                                             \
    PEG_GEOM_XYZ(V, dGeomSetOffsetPosition)                                                        \
    PEG_GEOM_ARRAY(V, dGeomSetOffsetRotation, dMatrix3)                                            \
    PEG_GEOM_ARRAY(V, dGeomSetOffsetQuaternion, dQuaternion)                                       \
    PEG_GEOM_XYZ(V, dGeomSetOffsetWorldPosition)                                                   \
    PEG_GEOM_ARRAY(V, dGeomSetOffsetWorldRotation, dMatrix3)                                       \
    PEG_GEOM_ARRAY(V, dGeomSetOffsetWorldQuaternion, dQuaternion)                                  \
    V(dGeomClearOffset, (dGeomID geom), (geom))
#define PEG_GEOM_SIZERS(V)                                                                         \
    V(dGeomSphereSetRadius, (dGeomID geom, dReal radius), (geom, radius))                          \
    PEG_GEOM_XYZ(V, dGeomBoxSetLengths)                                                            \
    V(dGeomPlaneSetParams, (dGeomID geom, dReal a, dReal b, dReal c, dReal d), (geom, a, b, c, d)) \
    V(dGeomCapsuleSetParams, (dGeomID geom, dReal radius, dReal length), (geom, radius, length))   \
    V(dGeomCylinderSetParams, (dGeomID geom, dReal radius, dReal length), (geom, radius, length))

#define PEG_HEIGHTS(V, name, sample)                                                               \
    V(name,                                                                                        \
      (dHeightfieldDataID data, const sample *heights, int copy, dReal width, dReal depth,         \
       int columns, int rows, dReal scale, dReal offset, dReal thickness, int wrap),               \
      (data, heights, copy, width, depth, columns, rows, scale, offset, thickness, wrap))
#define PEG_HEIGHTFIELD_CALLS(V)                                                                   \
    PEG_HEIGHTS(V, dGeomHeightfieldDataBuildByte, unsigned char)                                   \
    PEG_HEIGHTS(V, dGeomHeightfieldDataBuildShort, short)                                          \
    PEG_HEIGHTS(V, dGeomHeightfieldDataBuildSingle, float)                                         \
    PEG_HEIGHTS(V, dGeomHeightfieldDataBuildDouble, double)                                        \
    V(dGeomHeightfieldDataBuildCallback,                                                           \
      (dHeightfieldDataID data, void *user_data, dHeightfieldGetHeight *callback, dReal width,     \
       dReal depth, int columns, int rows, dReal scale, dReal offset, dReal thickness, int wrap),  \
      (data, user_data, callback, width, depth, columns, rows, scale, offset, thickness, wrap))    \
    V(dGeomHeightfieldDataDestroy, (dHeightfieldDataID data), (data))

#define PEG_CONTACT_CALLS(V, R)                                                                    \
    R(dJointID, dJointCreateContact,                                                               \
      (dWorldID world, dJointGroupID group, const dContact *contact), (world, group, contact))     \
    V(dJointDestroy, (dJointID joint), (joint))                                                    \
    V(dJointGroupEmpty, (dJointGroupID group), (group))                                            \
    V(dJointGroupDestroy, (dJointGroupID group), (group))

/* After each of these a joint's bodies lie as it was set: V(name, parameters, arguments) with a
 * parameter `joint`. Joints without need of it (ball, universal) are not here. */
#define PEG_XYZ(V, name) V(name, (dJointID joint, dReal x, dReal y, dReal z), (joint, x, y, z))
#define PEG_XYZ_DELTA(V, name)                                                                     \
    V(name, (dJointID joint, dReal x, dReal y, dReal z, dReal u, dReal v, dReal w),                \
      (joint, x, y, z, u, v, w))
#define PEG_JOINT_SETTERS(V)                                                                       \
    V(dJointAttach, (dJointID joint, dBodyID body1, dBodyID body2), (joint, body1, body2))         \
    V(dJointSetFixed, (dJointID joint), (joint))                                                   \
    PEG_XYZ(V, dJointSetHingeAnchor)                                                               \
    PEG_XYZ_DELTA(V, dJointSetHingeAnchorDelta)                                                    \
    PEG_XYZ(V, dJointSetHingeAxis)                                                                 \
    V(dJointSetHingeAxisOffset, (dJointID joint, dReal x, dReal y, dReal z, dReal angle),          \
      (joint, x, y, z, angle))                                                                     \
    PEG_XYZ(V, dJointSetSliderAxis)                                                                \
    PEG_XYZ_DELTA(V, dJointSetSliderAxisDelta)                                                     \
    PEG_XYZ(V, dJointSetHinge2Anchor)                                                              \
    V(dJointSetHinge2Axes, (dJointID joint, const dReal *axis1, const dReal *axis2),               \
      (joint, axis1, axis2))                                                                       \
    PEG_XYZ(V, dJointSetHinge2Axis1)                                                               \
    PEG_XYZ(V, dJointSetHinge2Axis2)                                                               \
    PEG_XYZ(V, dJointSetPistonAnchor)                                                              \
    PEG_XYZ_DELTA(V, dJointSetPistonAnchorOffset)                                                  \
    PEG_XYZ(V, dJointSetPistonAxis)                                                                \
    PEG_XYZ_DELTA(V, dJointSetPistonAxisDelta)                                                     \
    PEG_XYZ(V, dJointSetDHingeAnchor1)                                                             \
    PEG_XYZ(V, dJointSetDHingeAnchor2)                                                             \
    PEG_XYZ(V, dJointSetDHingeAxis)                                                                \
    PEG_XYZ(V, dJointSetPRAnchor)                                                                  \
    PEG_XYZ(V, dJointSetPRAxis1)                                                                   \
    PEG_XYZ(V, dJointSetPRAxis2)                                                                   \
    PEG_XYZ(V, dJointSetPUAnchor)                                                                  \
    PEG_XYZ_DELTA(V, dJointSetPUAnchorDelta)                                                       \
    PEG_XYZ_DELTA(V, dJointSetPUAnchorOffset)                                                      \
    PEG_XYZ(V, dJointSetPUAxis1)                                                                   \
    PEG_XYZ(V, dJointSetPUAxis2)                                                                   \
    PEG_XYZ(V, dJointSetPUAxis3)                                                                   \
    PEG_XYZ(V, dJointSetPUAxisP)                                                                   \
    PEG_XYZ(V, dJointSetTransmissionAnchor1)                                                       \
    PEG_XYZ(V, dJointSetTransmissionAnchor2)                                                       \
    PEG_XYZ(V, dJointSetTransmissionAxis)                                                          \
    PEG_XYZ(V, dJointSetTransmissionAxis1)                                                         \
    PEG_XYZ(V, dJointSetTransmissionAxis2)                                                         \
    V(dJointSetAMotorMode, (dJointID joint, int mode), (joint, mode))                              \
    V(dJointSetAMotorAxis, (dJointID joint, int axis, int rel, dReal x, dReal y, dReal z),         \
      (joint, axis, rel, x, y, z))

/* What has no getter. */
#define PEG_JOINT_TELLERS(V)                                                                       \
    V(dJointSetLMotorAxis, (dJointID joint, int axis, int rel, dReal x, dReal y, dReal z),         \
      (joint, axis, rel, x, y, z))                                                                 \
    V(dJointSetPlane2DXParam, (dJointID joint, int parameter, dReal value),                        \
      (joint, parameter, value))                                                                   \
    V(dJointSetPlane2DYParam, (dJointID joint, int parameter, dReal value),                        \
      (joint, parameter, value))                                                                   \
    V(dJointSetPlane2DAngleParam, (dJointID joint, int parameter, dReal value),                    \
      (joint, parameter, value))

#define PEG_CALLS(V, R)                                                                            \
    PEG_WORLD_CALLS(V, R)                                                                          \
    PEG_COLLISION_CALLS(V, R)                                                                      \
    PEG_GEOM_MOVERS(V)                                                                             \
    PEG_GEOM_SIZERS(V)                                                                             \
    PEG_HEIGHTFIELD_CALLS(V)                                                                       \
    PEG_CONTACT_CALLS(V, R)                                                                        \
    PEG_JOINT_SETTERS(V)                                                                           \
    PEG_JOINT_TELLERS(V)

/* One pointer to each. */
#define PEG_VOID_MEMBER(name, parameters, arguments)         void(*name) parameters;
#define PEG_RESULT_MEMBER(type, name, parameters, arguments) type(*name) parameters;
typedef struct peg_calls {
    PEG_CALLS(PEG_VOID_MEMBER, PEG_RESULT_MEMBER)
} peg_calls;

/* The one function of libode-peg-launch: given ODE's own functions, the ones to call instead of
 * them. Both live as long as the process. Null if `size`, of a peg_calls, is another one there. */
typedef const peg_calls *peg_launch_function(const peg_calls *ode, size_t size);

#endif
