/* Which bodies belong to one island: pairs that are near and joints connect them. */
#include "peg/step/island_graph.h"

#include "peg/base/union_find.h"

static int is_dynamic(const peg_stage *s, int body)
{
    return body >= 0 && s->scene->body[body].kind == PEG_DYNAMIC;
}

static void unite_joined(peg_stage *s)
{
    for (int i = 0; i < s->scene->njoint_row; i++) {
        const peg_joint_row *row = &s->scene->joint_row[i];
        if (is_dynamic(s, row->body_a) && is_dynamic(s, row->body_b))
            peg_unite(s->root, row->body_a, row->body_b);
    }
    for (int i = 0; i < s->scene->nb; i++) s->first_joint[i] = -1;
    for (int i = s->scene->njoint_row - 1; i >= 0; i--) {
        const peg_joint_row *row = &s->scene->joint_row[i];
        int body = is_dynamic(s, row->body_a) ? row->body_a : row->body_b;
        if (!is_dynamic(s, body)) continue;
        int root = peg_root(s->root, body);
        s->next_joint[i] = s->first_joint[root];
        s->first_joint[root] = i;
    }
}

int peg_link_islands(peg_stage *s)
{
    int nb = s->scene->nb;
    s->next_pair = PEG_NEW(&s->context->kept, int, s->candidates);
    if (!s->next_pair) return 0;
    for (int i = 0; i < nb; i++) s->root[i] = i, s->first_body[i] = s->first_pair[i] = -1;
    for (int i = 0; i < s->candidates; i++) {
        const peg_placed *a = &s->placed[s->candidate[i].a], *b = &s->placed[s->candidate[i].b];
        s->candidate[i].in_island = s->candidate[i].near;
        if (!s->candidate[i].near || !a->moves || !b->moves) continue;
        peg_unite(s->root, a->body, b->body);
    }
    unite_joined(s);
    for (int i = nb - 1; i >= 0; i--) {
        int root = peg_root(s->root, i);
        s->next_body[i] = s->first_body[root];
        s->first_body[root] = i;
    }
    for (int i = s->candidates - 1; i >= 0; i--) {
        const peg_candidate *c = &s->candidate[i];
        if (!c->near) continue;
        int body = s->placed[c->a].moves ? s->placed[c->a].body : s->placed[c->b].body;
        int root = peg_root(s->root, body);
        s->next_pair[i] = s->first_pair[root];
        s->first_pair[root] = i;
    }
    return 1;
}
