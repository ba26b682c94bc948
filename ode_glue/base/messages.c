#include "ode_glue/base/messages.h"
#include "peg/peg.h"

#include <stdio.h>
#include <string.h>

static const char *class_name(dGeomID geom)
{
    static const char *const name[] = {
        [dSphereClass] = "sphere",   [dBoxClass] = "box",
        [dCapsuleClass] = "capsule", [dCylinderClass] = "cylinder",
        [dPlaneClass] = "plane",     [dRayClass] = "ray",
        [dConvexClass] = "convex",   [dGeomTransformClass] = "transform",
        [dTriMeshClass] = "mesh",    [dHeightfieldClass] = "heightfield",
    };
    int class = dGeomGetClass(geom);
    if (dGeomIsSpace(geom)) return "space";
    return class >= 0 && class <= dHeightfieldClass && name[class] ? name[class] : "user class";
}

static const char *type_name(dJointID joint)
{
    static const char *const name[] = {
        [dJointTypeBall] = "ball",
        [dJointTypeHinge] = "hinge",
        [dJointTypeSlider] = "slider",
        [dJointTypeContact] = "contact",
        [dJointTypeUniversal] = "universal",
        [dJointTypeHinge2] = "hinge-2",
        [dJointTypeFixed] = "fixed",
        [dJointTypeNull] = "null",
        [dJointTypeAMotor] = "angular motor",
        [dJointTypeLMotor] = "linear motor",
        [dJointTypePlane2D] = "plane-2d",
        [dJointTypePR] = "PR",
        [dJointTypePU] = "PU",
        [dJointTypePiston] = "piston",
        [dJointTypeDBall] = "double ball",
        [dJointTypeDHinge] = "double hinge",
        [dJointTypeTransmission] = "transmission",
    };
    int type = (int)dJointGetType(joint);
    return type > 0 && type <= (int)dJointTypeTransmission && name[type] ? name[type] : "unknown";
}

/* "geom 0x1 (box) and geom 0x2 (plane): ", or nothing. */
static void name_subject(const peg_subject *about, char *out, size_t size)
{
    int n = 0;
    *out = 0;
    if (!about) return;
    if (about->geom)
        n = snprintf(out, size, "geom %p (%s)", (void *)about->geom, class_name(about->geom));
    else if (about->joint)
        n = snprintf(out, size, "joint %p (%s)", (void *)about->joint, type_name(about->joint));
    else if (about->body)
        n = snprintf(out, size, "body %p", (void *)about->body);
    if (about->geom && about->other)
        n += snprintf(out + n, size - (size_t)n, " and geom %p (%s)", (void *)about->other,
                      class_name(about->other));
    if (n) snprintf(out + n, size - (size_t)n, ": ");
}

static void send(const peg_report *report, pegSeverity severity, pegStatus status,
                 const peg_subject *about, const char *text)
{
    static const peg_subject nothing;
    char subject[128], whole[512];
    name_subject(about, subject, sizeof subject);
    snprintf(whole, sizeof whole, "%s%s", subject, text);
    report->callback(report->data, severity, status, whole, about ? about : &nothing);
}

void peg_say(peg_report *report, peg_cause cause, pegSeverity severity, pegStatus status,
             const peg_subject *about, const char *text)
{
    uint64_t bit = UINT64_C(1) << cause;
    if (!report->callback || report->said & bit) return;
    report->said |= bit;
    send(report, severity, status, about, text);
}

void peg_say_class(peg_report *report, int class, pegStatus status, const peg_subject *about,
                   const char *text)
{
    uint32_t bit = UINT32_C(1) << (class & 31);
    if (!report->callback || report->said_class & bit) return;
    report->said_class |= bit;
    send(report, PEG_SEVERITY_WARNING, status, about, text);
}

pegStatus peg_fail(peg_report *report, pegStatus status)
{
    uint32_t bit = UINT32_C(1) << (int)status;
    int is_new = memcmp(&report->culprit, &report->told, sizeof report->told) != 0;
    if (report->callback && (is_new || !(report->said_status & bit))) {
        report->said_status |= bit;
        report->told = report->culprit;
        send(report, PEG_SEVERITY_ERROR, status, &report->culprit, peg_status_message(status));
    }
    return status;
}
