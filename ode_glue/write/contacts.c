#include "ode_glue/write/contacts.h"
#include "ode_glue/write/least_norm.h"

int peg_glue_contacts(peg_glue *glue, const peg_contact **contact)
{
    int n = glue->scene.np ? peg_contacts(glue->core, contact) : 0;
    if (n == 0) return 0;
    if (!glue->told_now) {
        peg_contact *told = peg_grow(glue->told, (size_t)n, &glue->told_room, sizeof *told);
        if (!told) return n;
        glue->told = told;
        memcpy(told, *contact, (size_t)n * sizeof *told);
        peg_least_norm(&glue->scene, told, n, &glue->arena);
        glue->told_now = 1;
    }
    *contact = glue->told;
    return n;
}
