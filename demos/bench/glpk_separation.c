#include "demos/bench/glpk_separation.h"

#include <math.h>

#ifdef HAVE_GLPK
#include <glpk.h>

#include "demos/world/world.h"

int lab_has_glpk(void)
{
    return 1;
}

static glp_prob *make_program(const gap_pair *pair, const double d[3])
{
    const peg_view *A = &pair->view[0], *B = &pair->view[1];
    int rows = A->shape->nv + B->shape->nv, index[] = {0, 1, 2, 3, 0};
    glp_prob *lp = glp_create_prob();
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, 5);
    for (int k = 1; k <= 5; k++) glp_set_col_bnds(lp, k, GLP_FR, 0, 0);
    glp_set_obj_coef(lp, 4, 1);
    glp_set_obj_coef(lp, 5, -1);
    glp_add_rows(lp, rows + 1);
    for (int i = 0; i < rows; i++) {
        int of_a = i < A->shape->nv;
        const double *v = of_a ? A->vertex[i] : B->vertex[i - A->shape->nv];
        double row[] = {0, v[0] - A->centre[0], v[1] - A->centre[1], v[2] - A->centre[2], -1};
        index[4] = of_a ? 4 : 5;
        glp_set_row_bnds(lp, i + 1, of_a ? GLP_LO : GLP_UP, 0, 0);
        glp_set_mat_row(lp, i + 1, 4, index, row);
    }
    double last[] = {0, d[0], d[1], d[2]};
    glp_set_row_bnds(lp, rows + 1, GLP_FX, 1, 1);
    glp_set_mat_row(lp, rows + 1, 3, index, last);
    glp_scale_prob(lp, GLP_SF_AUTO);
    return lp;
}

double lab_glpk_separation(const gap_pair *pair, const double d[3], double *simplex)
{
    glp_smcp options;
    glp_term_out(GLP_OFF);
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    glp_prob *lp = make_program(pair, d);
    double then = lab_now();
    int solved = glp_simplex(lp, &options) == 0 && glp_get_status(lp) == GLP_OPT;
    if (simplex) *simplex = lab_now() - then;
    double value = solved ? glp_get_obj_val(lp) : NAN;
    glp_delete_prob(lp);
    return value;
}
#else
int lab_has_glpk(void)
{
    return 0;
}

double lab_glpk_separation(const gap_pair *pair, const double d[3], double *simplex)
{
    (void)pair, (void)d, (void)simplex;
    return NAN;
}
#endif
