"""Declares the extension odepeg._odepeg for cffi (API mode).

    python3 _build.py HEADER OUT.c     writes its C source

The fields of pegStats and pegSettings are taken from the header, so that they cannot differ from it;
whatever else is declared here the compiler compares with the headers.
"""
import os
import re
import subprocess
import sys

from cffi import FFI

DECLARATIONS = """
typedef ... *dWorldID; typedef ... *dSpaceID; typedef ... *dGeomID; typedef ... *dBodyID;
typedef ... *dJointID; typedef ... *dJointGroupID; typedef ... *dTriMeshDataID;
typedef ... *pegWorldID;
typedef int... pegStatus;
typedef double dReal; typedef double dVector3[4]; typedef uint32_t dTriIndex;
typedef struct { double mass; double I[12]; ...; } dMass;
typedef struct { int mode; double mu, mu2, bounce, bounce_vel, soft_erp, soft_cfm; ...; } dSurfaceParameters;

int dInitODE2(unsigned int flags);
dWorldID dWorldCreate(void); void dWorldDestroy(dWorldID);
void dWorldSetGravity(dWorldID, double, double, double);
void dWorldSetERP(dWorldID, double); void dWorldSetCFM(dWorldID, double);
dSpaceID dHashSpaceCreate(dSpaceID); void dSpaceDestroy(dSpaceID);
int dSpaceGetNumGeoms(dSpaceID); dGeomID dSpaceGetGeom(dSpaceID, int);
int dGeomIsSpace(dGeomID); dBodyID dGeomGetBody(dGeomID); dWorldID dBodyGetWorld(dBodyID);
dGeomID dCreateBox(dSpaceID, double, double, double); dGeomID dCreateSphere(dSpaceID, double);
dGeomID dCreateCapsule(dSpaceID, double, double); dGeomID dCreateCylinder(dSpaceID, double, double);
dGeomID dCreatePlane(dSpaceID, double, double, double, double);
dGeomID dCreateTriMesh(dSpaceID, dTriMeshDataID, void *, void *, void *);
dTriMeshDataID dGeomTriMeshDataCreate(void); void dGeomTriMeshDataDestroy(dTriMeshDataID);
void dGeomTriMeshDataBuildSingle(dTriMeshDataID, void *, int, int, void *, int, int);
void dGeomSetBody(dGeomID, dBodyID); void dGeomSetPosition(dGeomID, double, double, double);
void dGeomSetQuaternion(dGeomID, const double *);
void dGeomDestroy(dGeomID); void dJointDestroy(dJointID);
dBodyID dBodyCreate(dWorldID); void dBodySetMass(dBodyID, dMass *); void dBodySetKinematic(dBodyID);
void dBodySetData(dBodyID, void *);
void dBodySetPosition(dBodyID, double, double, double); void dBodySetQuaternion(dBodyID, const double *);
void dBodySetLinearVel(dBodyID, double, double, double);
void dBodySetAngularVel(dBodyID, double, double, double);
void dBodyAddForce(dBodyID, double, double, double); void dBodyAddTorque(dBodyID, double, double, double);
const double *dBodyGetPosition(dBodyID); const double *dBodyGetQuaternion(dBodyID);
const double *dBodyGetLinearVel(dBodyID); const double *dBodyGetAngularVel(dBodyID);
void dMassSetBoxTotal(dMass *, double, double, double, double);
void dMassSetSphereTotal(dMass *, double, double);
void dMassSetCapsuleTotal(dMass *, double, int, double, double);
void dMassSetCylinderTotal(dMass *, double, int, double, double);
void dMassSetParameters(dMass *, double, double, double, double, double, double, double, double,
                        double, double);
dJointID dJointCreateHinge(dWorldID, dJointGroupID); dJointID dJointCreateSlider(dWorldID, dJointGroupID);
dJointID dJointCreateBall(dWorldID, dJointGroupID); dJointID dJointCreateFixed(dWorldID, dJointGroupID);
void dJointAttach(dJointID, dBodyID, dBodyID);
void dJointSetHingeAnchor(dJointID, double, double, double);
void dJointSetHingeAxis(dJointID, double, double, double);
void dJointSetHingeParam(dJointID, int, double); double dJointGetHingeAngle(dJointID);
double dJointGetHingeAngleRate(dJointID);
void dJointSetSliderAxis(dJointID, double, double, double);
void dJointSetSliderParam(dJointID, int, double); double dJointGetSliderPosition(dJointID);
double dJointGetSliderPositionRate(dJointID);
void dJointSetBallAnchor(dJointID, double, double, double);
void dJointSetFixed(dJointID);
typedef struct { double value; ...; } pegSeparationResult;
static const int PEG_ERROR_ARGUMENT, PEG_ERROR_SETTINGS, PEG_ERROR_STEP_SIZE, PEG_ERROR_GEOM_CLASS,
                 PEG_ERROR_MASS, PEG_ERROR_MEMORY, PEG_ERROR_SURFACE, PEG_SEPARATION_EXACT;
#define dContactApprox1 ...
#define dContactBounce ...
#define dContactMu2 ...
#define dContactSoftERP ...
#define dContactSoftCFM ...
#define dParamLoStop ...
#define dParamHiStop ...
#define dParamVel ...
#define dParamFMax ...

@SETTINGS
@STATS
typedef void dNearCallback(void *, dGeomID, dGeomID);
typedef void pegMessageFunction(void *, pegStatus, const char *);
const char *pegVersion(void); const char *pegStatusMessage(pegStatus);
void pegSettingsDefault(pegSettings *);
pegStatus pegWorldCreateStatus(dWorldID, const pegSettings *, pegWorldID *);
void pegWorldDestroy(pegWorldID);
pegStatus pegWorldAddSpace(pegWorldID, dSpaceID);
pegStatus pegWorldSetDefaultSurface(pegWorldID, const dSurfaceParameters *);
void pegWorldSetNearCallback(pegWorldID, void *, dNearCallback *);
void pegWorldSetMessageCallback(pegWorldID, void *, pegMessageFunction *);
pegStatus pegWorldAddPair(pegWorldID, dGeomID, dGeomID, const dSurfaceParameters *);
pegStatus pegJointSetReferencePose(pegWorldID, dJointID);
dGeomID pegCreateConvex(dSpaceID, const double *, unsigned, const double *, unsigned,
                        const unsigned *, pegStatus *);
void pegWorldGetStats(pegWorldID, pegStats *); void pegWorldGetTotals(pegWorldID, pegStats *);
void pegWorldResetTotals(pegWorldID);
int pegWorldGetContactCount(pegWorldID);
int pegSeparation(dGeomID, dGeomID, int, pegSeparationResult *);

extern "Python" void odepeg_near(void *, dGeomID, dGeomID);
extern "Python" void odepeg_message(void *, pegStatus, const char *);
int odepeg_steps(pegWorldID, double, long, int, long *);
void odepeg_poses(dBodyID *, int, double *);
void odepeg_velocities(dBodyID *, int, double *);
void odepeg_contacts(pegWorldID, int, char *, int);
int odepeg_is_space(uintptr_t);
int odepeg_bodies(dSpaceID, dBodyID *, int, int);
"""

SOURCE = """
#include <ode/ode.h>
#include <ode-peg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Steps until one fails; *done counts. */
static int odepeg_steps(pegWorldID peg, double h, long steps, int quick, long *done)
{
    pegStatus status = PEG_OK;
    for (*done = 0; *done < steps; ++*done) {
        status = quick ? pegWorldQuickStep(peg, h) : pegWorldStep(peg, h);
        if (status != PEG_OK) break;
    }
    return status;
}

static void odepeg_poses(dBodyID *body, int n, double *out)
{
    for (int i = 0; i < n; i++, out += 7) {
        memcpy(out, dBodyGetPosition(body[i]), 3 * sizeof *out);
        memcpy(out + 3, dBodyGetQuaternion(body[i]), 4 * sizeof *out);
    }
}

static void odepeg_velocities(dBodyID *body, int n, double *out)
{
    for (int i = 0; i < n; i++, out += 6) {
        memcpy(out, dBodyGetLinearVel(body[i]), 3 * sizeof *out);
        memcpy(out + 3, dBodyGetAngularVel(body[i]), 3 * sizeof *out);
    }
}

/* As the dtype of odepeg.CONTACT. */
typedef struct odepeg_contact {
    uint64_t geom1, geom2;
    int64_t body1, body2;
    double position[3], normal[3], gap, impulse, friction[3];
} odepeg_contact;

/* Worlds of this package number their bodies from 1 in their data. */
static int64_t number_of(dGeomID geom, int numbered)
{
    dBodyID body = numbered ? dGeomGetBody(geom) : NULL; /* of other worlds it may not exist any more */
    return body ? (int64_t)(intptr_t)dBodyGetData(body) - 1 : -1;
}

static void odepeg_contacts(pegWorldID peg, int numbered, char *out, int n)
{
    for (int i = 0; i < n; i++, out += sizeof(odepeg_contact)) {
        odepeg_contact to;
        pegContact c;
        if (pegWorldGetContact(peg, i, &c) != PEG_OK) break;
        to.geom1 = (uintptr_t)c.g1, to.geom2 = (uintptr_t)c.g2;
        to.body1 = number_of(c.g1, numbered), to.body2 = number_of(c.g2, numbered);
        memcpy(to.position, c.pos, sizeof to.position);
        memcpy(to.normal, c.normal, sizeof to.normal);
        memcpy(to.friction, c.friction, sizeof to.friction);
        to.gap = c.gap, to.impulse = c.impulse;
        memcpy(out, &to, sizeof to);
    }
}

/* The bodies of a space's geoms, each once as long as its geoms follow each other. */
static int odepeg_bodies(dSpaceID space, dBodyID *out, int n, int room)
{
    for (int i = 0; i < dSpaceGetNumGeoms(space); i++) {
        dGeomID geom = dSpaceGetGeom(space, i);
        if (dGeomIsSpace(geom)) {
            n = odepeg_bodies((dSpaceID)geom, out, n, room);
            continue;
        }
        dBodyID body = dGeomGetBody(geom);
        if (!body || (n > 0 && n <= room && out[n - 1] == body)) continue;
        if (n < room) out[n] = body;
        n++;
    }
    return n;
}

/* The kernel reads for us: it refuses addresses that are not mapped. */
static int is_readable(const void *at, size_t size)
{
    int end[2];
    if (pipe(end)) return 0;
    int done = write(end[1], at, size) == (ssize_t)size;
    close(end[0]), close(end[1]);
    return done;
}

/* Whether a space of ODE is at the address: what begins with the same pointer, to the functions of
 * its class, as a new space of that class. A destroyed one does so no more. */
static int odepeg_is_space(uintptr_t address)
{
    const dVector3 centre = {0, 0, 0, 0}, extents = {1, 1, 1, 0};
    if (!address || address % sizeof(void *) || !is_readable((void *)address, 32 * sizeof(void *))) return 0;
    dSpaceID like[] = {dSimpleSpaceCreate(NULL), dHashSpaceCreate(NULL),
                       dQuadTreeSpaceCreate(NULL, centre, extents, 1), dSweepAndPruneSpaceCreate(NULL, 0)};
    int found = 0, was_free = 0;
    for (int i = 0; i < 4; i++) {
        was_free |= (uintptr_t)like[i] == address;
        found |= !memcmp(like[i], (void *)address, sizeof(void *)) &&
                 dGeomGetClass((dGeomID)like[i]) == dGeomGetClass((dGeomID)address);
    }
    for (int i = 0; i < 4; i++) dSpaceDestroy(like[i]);
    return found && !was_free;
}
"""


def struct(header, name):
    """The declaration of a struct of the header: its fields, of unions the first name."""
    body = header.split(f"typedef struct {name} {{")[1].split(f"}} {name};")[0]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    body = re.sub(r"union \{\s*([^;]+;)[^}]*\};", r"\1", body)
    body = re.sub(r"\bpeg[A-Z]\w*", "int", body)  # enums
    return f"typedef struct {name} {{ {' '.join(body.split())} ...; }} {name};"


def make(header_path):
    with open(header_path, encoding="utf-8") as file:
        header = file.read()
    ffi = FFI()
    text = DECLARATIONS.replace("@SETTINGS", struct(header, "pegSettings"))
    ffi.cdef(text.replace("@STATS", struct(header, "pegStats")))
    flags = pkg_config() if os.environ.get("ODEPEG_PKG_CONFIG", "1") == "1" else {"libraries": ["ode-peg", "ode"]}
    ffi.set_source("odepeg._odepeg", SOURCE, **flags)
    return ffi


def pkg_config():
    def ask(*options):
        return subprocess.run(["pkg-config", *options, "ode-peg"], capture_output=True, text=True, check=True).stdout.split()

    return {"extra_compile_args": ask("--cflags"), "extra_link_args": ask("--libs")}


def installed_header():
    result = subprocess.run(["pkg-config", "--variable=includedir", "ode-peg"], capture_output=True, text=True, check=True)
    return os.path.join(result.stdout.strip(), "ode-peg.h")


def ffibuilder():
    """For setuptools: against the installed library."""
    return make(installed_header())


if __name__ == "__main__":
    os.environ["ODEPEG_PKG_CONFIG"] = "0"
    make(sys.argv[1]).emit_c_code(sys.argv[2])
