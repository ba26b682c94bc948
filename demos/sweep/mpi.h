/* A sweep over the ranks of MPI: rank 0 coordinates, every rank has workers. The processes that
 * talk sleep while nothing happens; the workers are others, started before MPI. */
#ifndef LAB_SWEEP_MPI_H
#define LAB_SWEEP_MPI_H

#include "demos/sweep/coordinator.h"

/* Whether mpirun has started this process (0 also if it was built without MPI). */
int sweep_mpi_is_launched(void);
/* Returns the rank; ends with sweep_mpi_end. */
int sweep_mpi_begin(void);
void sweep_mpi_end(void);
/* As sweep_run_all. */
int sweep_mpi_coordinate(sweep_coordinator *c, sweep_pool *pool);
/* Of the other ranks: runs what rank 0 hands out. */
int sweep_mpi_serve(sweep_pool *pool);

#endif
