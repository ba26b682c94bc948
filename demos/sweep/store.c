#include "demos/sweep/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demos/report/output.h"
#include "demos/sweep/row.h"
#include "demos/world/files.h"

#define NAME "results.sqlite"

static int columns(void)
{
    int n = 0;
    while (sweep_columns[n].name) n++;
    return n;
}

static int run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int make_tables(sqlite3 *db)
{
    char sql[8192] = "CREATE TABLE results (";
    size_t used = strlen(sql);
    for (int i = 0; i < columns(); i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s %s", i ? ", " : "",
                                 sweep_columns[i].name, sweep_columns[i].type);
    snprintf(sql + used, sizeof sql - used, ")");
    return run(db, sql) || run(db, "CREATE TABLE columns (name TEXT PRIMARY KEY, about TEXT)") ||
           run(db, "CREATE TABLE plan (name TEXT, text TEXT)");
}

/* The value of column i, after the number of the case. */
static void bind(sqlite3_stmt *insert, int column, const json_t *value)
{
    int i = column + 2;
    if (json_is_integer(value))
        sqlite3_bind_int64(insert, i, json_integer_value(value));
    else if (json_is_real(value))
        sqlite3_bind_double(insert, i, json_real_value(value));
    else if (json_is_string(value) && !strcmp(sweep_columns[column].type, "REAL"))
        sqlite3_bind_double(insert, i, strtod(json_string_value(value), NULL)); /* inf */
    else if (json_is_string(value))
        sqlite3_bind_text(insert, i, json_string_value(value), -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(insert, i);
}

static int step(sqlite3_stmt *statement)
{
    int bad = sqlite3_step(statement) != SQLITE_DONE;
    sqlite3_reset(statement);
    return bad;
}

/* Rows stand in the order of their numbers, those of the cases. */
static int prepare(sweep_store *s)
{
    char sql[4096] = "INSERT OR REPLACE INTO results (rowid", values[1024] = ") VALUES (?";
    for (int i = 0; i < columns(); i++) {
        size_t used = strlen(sql);
        snprintf(sql + used, sizeof sql - used, ", %s", sweep_columns[i].name);
        strcat(values, ", ?");
    }
    strcat(strcat(sql, values), ")");
    return sqlite3_prepare_v2(s->db, sql, -1, &s->insert, NULL) != SQLITE_OK;
}

void sweep_store_begin(sweep_store *s, const char *dir)
{
    *s = (sweep_store){.path = lab_path(dir, NAME), .part = lab_path(dir, NAME ".part")};
    s->bad = !s->path || !s->part;
    if (s->bad) return;
    unlink(s->part);
    s->bad = sqlite3_open(s->part, &s->db) != SQLITE_OK || run(s->db, "BEGIN") ||
             make_tables(s->db) || prepare(s);
}

void sweep_store_add(sweep_store *s, int index, const json_t *row)
{
    if (s->bad) return;
    sqlite3_bind_int64(s->insert, 1, index + 1);
    for (int i = 0; i < columns(); i++)
        bind(s->insert, i, json_object_get(row, sweep_columns[i].name));
    s->bad = step(s->insert);
}

static int insert_pairs(sqlite3 *db, const sweep_plan *plan)
{
    sqlite3_stmt *insert;
    int bad = 0;
    if (sqlite3_prepare_v2(db, "INSERT INTO columns VALUES (?, ?)", -1, &insert, NULL) != SQLITE_OK)
        return 1;
    for (int i = 0; i < columns() && !bad; i++) {
        sqlite3_bind_text(insert, 1, sweep_columns[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, sweep_columns[i].about, -1, SQLITE_STATIC);
        bad = step(insert);
    }
    sqlite3_finalize(insert);
    if (bad ||
        sqlite3_prepare_v2(db, "INSERT INTO plan VALUES (?, ?)", -1, &insert, NULL) != SQLITE_OK)
        return 1;
    sqlite3_bind_text(insert, 1, plan->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, plan->text, -1, SQLITE_STATIC);
    bad = step(insert);
    sqlite3_finalize(insert);
    return bad;
}

int sweep_store_end(sweep_store *s, const sweep_plan *plan, char text[LAB_TEXT])
{
    int bad = s->bad || insert_pairs(s->db, plan);
    sqlite3_finalize(s->insert);
    bad = bad || run(s->db, "COMMIT");
    if (bad)
        snprintf(text, LAB_TEXT, "%.200s: %.200s", s->part ? s->part : "",
                 s->db ? sqlite3_errmsg(s->db) : "it cannot be made");
    if (sqlite3_close(s->db) != SQLITE_OK) bad = 1;
    if (!bad && rename(s->part, s->path) != 0) {
        snprintf(text, LAB_TEXT, "cannot put '%.300s' in place", s->path);
        bad = 1;
    }
    if (bad && s->part) unlink(s->part);
    free(s->path);
    free(s->part);
    return bad;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* SQLite knows no checksums: what its own check refuses is not read. */
static int is_whole(sqlite3 *db)
{
    sqlite3_stmt *check = NULL;
    int whole = sqlite3_prepare_v2(db, "PRAGMA quick_check", -1, &check, NULL) == SQLITE_OK &&
                sqlite3_step(check) == SQLITE_ROW &&
                !strcmp((const char *)sqlite3_column_text(check, 0), "ok");
    sqlite3_finalize(check);
    return whole;
}

static sqlite3 *open_results(const char *dir)
{
    char *path = lab_path(dir, NAME);
    sqlite3 *db = NULL;
    if (path &&
        (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK || !is_whole(db))) {
        sqlite3_close(db);
        db = NULL;
    }
    free(path);
    return db;
}

static json_t *row_of(sqlite3_stmt *select)
{
    json_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(select); i++) {
        const char *name = sqlite3_column_name(select, i);
        switch (sqlite3_column_type(select, i)) {
        case SQLITE_INTEGER:
            json_object_set_new(row, name, json_integer(sqlite3_column_int64(select, i)));
            break;
        case SQLITE_FLOAT:
            json_object_set_new(row, name, sweep_number(sqlite3_column_double(select, i)));
            break;
        case SQLITE_TEXT:
            json_object_set_new(row, name,
                                json_string((const char *)sqlite3_column_text(select, i)));
            break;
        default:
            json_object_set_new(row, name, json_null());
        }
    }
    return row;
}

void sweep_store_read(const char *dir, void (*row)(void *data, json_t *row), void *data)
{
    sqlite3 *db = open_results(dir);
    sqlite3_stmt *select = NULL;
    if (db && sqlite3_prepare_v2(db, "SELECT * FROM results", -1, &select, NULL) == SQLITE_OK)
        while (sqlite3_step(select) == SQLITE_ROW) {
            json_t *json = row_of(select);
            row(data, json);
            json_decref(json);
        }
    sqlite3_finalize(select);
    sqlite3_close(db);
}
