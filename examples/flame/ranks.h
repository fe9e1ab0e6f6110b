// Cells dealt out among the ranks of MPI, or all on one where the program is compiled without it.

#ifndef FLAME_RANKS_H
#define FLAME_RANKS_H

#include <vector>

#ifdef FLAME_MPI
#include <mpi.h>
#endif

#ifdef FLAME_MPI
inline int rank()
{
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int rank_count()
{
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}
inline double reduced(double value, MPI_Op operation)
{
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  return value;
}
inline double total(double value) { return reduced(value, MPI_SUM); }
inline double smallest(double value) { return reduced(value, MPI_MIN); }
#else
inline int rank() { return 0; }
inline int rank_count() { return 1; }
inline double total(double value) { return value; }
inline double smallest(double value) { return value; }
#endif

struct Ranks {
#ifdef FLAME_MPI
  Ranks(int *count, char ***arguments) { MPI_Init(count, arguments); }
  ~Ranks() { MPI_Finalize(); }
#else
  Ranks(int *, char ***) {}
#endif
};

// The first cell of a rank: equal shares.
inline int first_cell(int cells, int of = rank()) { return (int)((long)cells * of / rank_count()); }

// The sum of a value over all ranks before this one.
inline double sum_before(double value)
{
  double sum = 0.0;
#ifdef FLAME_MPI
  MPI_Exscan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
  (void)value;
#endif
  return rank() == 0 ? 0.0 : sum;
}

// Lets each rank work after the one before it; the work is told whether it is the first.
template <typename Work> void in_turn(Work work)
{
  for (int turn = 0; turn < rank_count(); ++turn) {
    if (turn == rank()) work(turn == 0);
#ifdef FLAME_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
  }
}

// Fills the cells beside this rank's: with those of its neighbours, or at the ends of the domain with its own.
inline void exchange(double *temperature, double *y, int species, int cells, int stride)
{
  const auto field = [&](int k) { return k < species ? y + (size_t)k * stride : temperature; };
  for (int k = 0; k <= species; ++k) {
    field(k)[0] = field(k)[1];
    field(k)[cells + 1] = field(k)[cells];
  }
#ifdef FLAME_MPI
  const int left = rank() > 0 ? rank() - 1 : MPI_PROC_NULL, right = rank() + 1 < rank_count() ? rank() + 1 : MPI_PROC_NULL;
  const auto pass = [&](int from, int to, int source, int destination) {
    std::vector<double> sent(species + 1), received(species + 1);
    for (int k = 0; k <= species; ++k) sent[k] = field(k)[from];
    MPI_Sendrecv(sent.data(), species + 1, MPI_DOUBLE, destination, 0, received.data(), species + 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD,
      MPI_STATUS_IGNORE);
    if (source == MPI_PROC_NULL) return;
    for (int k = 0; k <= species; ++k) field(k)[to] = received[k];
  };
  pass(cells, 0, left, right);
  pass(1, cells + 1, right, left);
#endif
}

#endif
