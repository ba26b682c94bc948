/* Line plots as PNG files, linear or logarithmic, with bands: what the figures of the papers need.
 */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#define PLOT_SERIES 40

typedef struct plot_series {
    const char *label;                /* null: not in the legend */
    const double *x, *y, *low, *high; /* low, high: a band, may be null; NaN breaks the line */
    int n;
    int colour; /* 0 is black */
    int marks, dashed;
    int over; /* drawn upon those that are not */
    double
        width; /* pixels; 0: usual. Wide ones first, so that curves upon each other can be seen */
} plot_series;

typedef struct plot {
    const char *title, *x_label, *y_label;
    int log_x, log_y;
    int equal;                     /* one metre is as long in x as in y */
    double floor;                  /* log_y: what is less is drawn here, and said so */
    double x_range[2], y_range[2]; /* equal bounds: from the data */
    plot_series series[PLOT_SERIES];
    int count;
} plot;

/* 0, or 1 if it could not be written. */
int plot_write(const plot *p, const char *path);

#endif
