// The pressure solver beside hypre's conjugate gradients with PFMG and with BoomerAMG, on the
// system of `firn bench pressure` and to the same residual: hypre may stop at the first iteration
// after which the largest residual, recomputed outside both, meets the tolerance. Run under MPI,
// one process per core; Firn takes as many threads.
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <functional>
#include <thread>

#include "src/measure/pressure_bench.h"

namespace firn {
namespace {

constexpr int kMaxIterations = 100, kRounds = 7;

struct Outcome {
  double setup = 0, solve = 0;  // s
  int iterations = 0;
  RelativeResidual residual;
  double total() const { return setup + solve; }
};

// The slab of layers in z that belongs to this process. Rows are numbered along x, then y, then z,
// which is the order of hypre's boxes too.
struct Slab {
  const PressureCube<double>& cube;
  double tolerance;  // of the largest residual, relative to the largest right-hand side
  int rank = 0, ranks = 1, first = 0, last = 0;  // layers

  Slab(const PressureCube<double>& c, double to) : cube(c), tolerance(to) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    first = layer_of(rank);
    last = layer_of(rank + 1) - 1;
  }
  int layer_of(int r) const { return static_cast<int>(std::int64_t{cube.side} * r / ranks); }
  int layer() const { return cube.side * cube.side; }
  int begin() const { return first * layer(); }
  int rows() const { return (last + 1 - first) * layer(); }
  Vec<int, 3> cell(int row) const {
    return {{row % cube.side, row / cube.side % cube.side, row / layer()}};
  }
  std::vector<double> rhs() const {
    std::vector<double> b(static_cast<std::size_t>(rows()));
    for (int i = 0; i < rows(); ++i)
      b[static_cast<std::size_t>(i)] = cube.rhs[cube.index(cell(begin() + i))];
    return b;
  }

  // Of the solution whose rows of each process are `mine`, on every process.
  RelativeResidual residual(const std::vector<double>& mine) const {
    std::vector<int> count, offset;
    for (int r = 0; r < ranks; ++r) {
      offset.push_back(layer_of(r) * layer());
      count.push_back((layer_of(r + 1) - layer_of(r)) * layer());
    }
    std::vector<double> rows(cube.rhs.size()), x(cube.rhs.size());
    MPI_Allgatherv(mine.data(), count[static_cast<std::size_t>(rank)], MPI_DOUBLE, rows.data(),
                   count.data(), offset.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t row = 0; row < rows.size(); ++row)
      x[cube.index(cell(static_cast<int>(row)))] = rows[row];
    return cube.residual(x);
  }
};

// One preconditioned solver on one system.
class Method {
 public:
  virtual ~Method() = default;
  virtual void setup() = 0;
  // From 0. A tolerance of 0 makes exactly `most` iterations.
  virtual int solve(double tolerance, int most) = 0;
  virtual std::vector<double> solution() const = 0;
};

struct PfmgSettings {
  int rap, relax, skip;
};
class Pfmg final : public Method {
 public:
  Pfmg(const Slab& slab, const PfmgSettings& s) : slab_(slab) {
    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
    HYPRE_StructGridSetExtents(grid_, lower_, upper_);
    HYPRE_StructGridAssemble(grid_);
    make_matrix();
    for (HYPRE_StructVector* v : {&b_, &x_}) {
      HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, v);
      HYPRE_StructVectorInitialize(*v);
    }
    std::vector<double> rhs = slab.rhs();
    HYPRE_StructVectorSetBoxValues(b_, lower_, upper_, rhs.data());
    for (HYPRE_StructVector v : {b_, x_}) HYPRE_StructVectorAssemble(v);
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg_);
    HYPRE_StructPFMGSetMaxIter(pfmg_, 1);
    HYPRE_StructPFMGSetTol(pfmg_, 0);
    HYPRE_StructPFMGSetZeroGuess(pfmg_);
    HYPRE_StructPFMGSetRAPType(pfmg_, s.rap);
    HYPRE_StructPFMGSetRelaxType(pfmg_, s.relax);
    HYPRE_StructPFMGSetSkipRelax(pfmg_, s.skip);
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &pcg_);
    HYPRE_StructPCGSetPrecond(pcg_, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg_);
  }
  ~Pfmg() override {
    HYPRE_StructPCGDestroy(pcg_);
    HYPRE_StructPFMGDestroy(pfmg_);
    HYPRE_StructVectorDestroy(x_);
    HYPRE_StructVectorDestroy(b_);
    HYPRE_StructMatrixDestroy(A_);
    HYPRE_StructStencilDestroy(stencil_);
    HYPRE_StructGridDestroy(grid_);
  }
  void setup() override { HYPRE_StructPCGSetup(pcg_, A_, b_, x_); }
  int solve(double tolerance, int most) override {
    HYPRE_StructVectorSetConstantValues(x_, 0);
    HYPRE_StructPCGSetTol(pcg_, tolerance);
    HYPRE_StructPCGSetMaxIter(pcg_, most);
    HYPRE_StructPCGSolve(pcg_, A_, b_, x_);
    HYPRE_Int iterations = 0;
    HYPRE_StructPCGGetNumIterations(pcg_, &iterations);
    HYPRE_ClearAllErrors();  // that the tolerance was not met
    return iterations;
  }
  std::vector<double> solution() const override {
    std::vector<double> x(static_cast<std::size_t>(slab_.rows()));
    HYPRE_StructVectorGetBoxValues(x_, const_cast<HYPRE_Int*>(lower_),
                                   const_cast<HYPRE_Int*>(upper_), x.data());
    return x;
  }

 private:
  // The diagonal and the faces below: the matrix is symmetric.
  void make_matrix() {
    HYPRE_Int offsets[4][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, entries[4];
    HYPRE_StructStencilCreate(3, 4, &stencil_);
    for (int e = 0; e < 4; ++e) {
      HYPRE_StructStencilSetElement(stencil_, e, offsets[e]);
      entries[e] = e;
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &A_);
    HYPRE_StructMatrixSetSymmetric(A_, 1);
    HYPRE_StructMatrixInitialize(A_);
    std::vector<double> values;
    for (int i = 0; i < slab_.rows(); ++i) {
      const Vec<int, 3> at = slab_.cell(slab_.begin() + i);
      values.push_back(slab_.cube.diagonal(at));
      for (int a = 0; a < 3; ++a) values.push_back(at[a] > 0 ? -1 : 0);
    }
    HYPRE_StructMatrixSetBoxValues(A_, lower_, upper_, 4, entries, values.data());
    HYPRE_StructMatrixAssemble(A_);
  }

  const Slab& slab_;
  HYPRE_Int lower_[3] = {0, 0, slab_.first},
            upper_[3] = {slab_.cube.side - 1, slab_.cube.side - 1, slab_.last};
  HYPRE_StructGrid grid_ = nullptr;
  HYPRE_StructStencil stencil_ = nullptr;
  HYPRE_StructMatrix A_ = nullptr;
  HYPRE_StructVector b_ = nullptr, x_ = nullptr;
  HYPRE_StructSolver pfmg_ = nullptr, pcg_ = nullptr;
};

struct AmgSettings {
  int coarsening, relax, aggressive;
  double strong;
};
class BoomerAmg final : public Method {
 public:
  BoomerAmg(const Slab& slab, const AmgSettings& s) : slab_(slab) {
    const int first = slab.begin(), last = first + slab.rows() - 1;
    for (int i = first; i <= last; ++i) rows_.push_back(i);
    make_matrix(first, last);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &b_);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &x_);
    for (HYPRE_IJVector v : {b_, x_}) {
      HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize(v);
    }
    HYPRE_IJVectorSetValues(b_, slab.rows(), rows_.data(), slab.rhs().data());
    for (HYPRE_IJVector v : {b_, x_}) HYPRE_IJVectorAssemble(v);
    HYPRE_IJMatrixGetObject(matrix_, reinterpret_cast<void**>(&A_));
    HYPRE_IJVectorGetObject(b_, reinterpret_cast<void**>(&par_b_));
    HYPRE_IJVectorGetObject(x_, reinterpret_cast<void**>(&par_x_));
    HYPRE_BoomerAMGCreate(&amg_);
    HYPRE_BoomerAMGSetMaxIter(amg_, 1);
    HYPRE_BoomerAMGSetTol(amg_, 0);
    HYPRE_BoomerAMGSetCoarsenType(amg_, s.coarsening);
    HYPRE_BoomerAMGSetInterpType(amg_, 6);  // extended + i
    HYPRE_BoomerAMGSetPMaxElmts(amg_, 4);
    HYPRE_BoomerAMGSetAggNumLevels(amg_, s.aggressive);
    HYPRE_BoomerAMGSetStrongThreshold(amg_, s.strong);
    HYPRE_BoomerAMGSetRelaxType(amg_, s.relax);
    HYPRE_BoomerAMGSetRelaxOrder(amg_, 0);
    HYPRE_BoomerAMGSetNumSweeps(amg_, 1);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg_);
    HYPRE_ParCSRPCGSetPrecond(pcg_, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, amg_);
  }
  ~BoomerAmg() override {
    HYPRE_ParCSRPCGDestroy(pcg_);
    HYPRE_BoomerAMGDestroy(amg_);
    HYPRE_IJVectorDestroy(x_);
    HYPRE_IJVectorDestroy(b_);
    HYPRE_IJMatrixDestroy(matrix_);
  }
  void setup() override { HYPRE_ParCSRPCGSetup(pcg_, A_, par_b_, par_x_); }
  int solve(double tolerance, int most) override {
    HYPRE_ParVectorSetConstantValues(par_x_, 0);
    HYPRE_PCGSetTol(pcg_, tolerance);
    HYPRE_PCGSetMaxIter(pcg_, most);
    HYPRE_ParCSRPCGSolve(pcg_, A_, par_b_, par_x_);
    HYPRE_Int iterations = 0;
    HYPRE_PCGGetNumIterations(pcg_, &iterations);
    HYPRE_ClearAllErrors();  // that the tolerance was not met
    return iterations;
  }
  std::vector<double> solution() const override {
    std::vector<double> x(rows_.size());
    HYPRE_IJVectorGetValues(x_, slab_.rows(), rows_.data(), x.data());
    return x;
  }

 private:
  void make_matrix(int first, int last) {
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &matrix_);
    HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
    const std::vector<HYPRE_Int> sizes(rows_.size(), 7);
    HYPRE_IJMatrixSetRowSizes(matrix_, sizes.data());
    HYPRE_IJMatrixInitialize(matrix_);
    const int side = slab_.cube.side, stride[3] = {1, side, side * side};
    for (HYPRE_Int row : rows_) {
      const Vec<int, 3> at = slab_.cell(row);
      HYPRE_Int columns[7] = {row}, n = 1;
      double values[7] = {slab_.cube.diagonal(at)};
      for (int a = 0; a < 3; ++a)
        for (const int by : {-1, 1}) {
          if (at[a] + by < 0 || at[a] + by >= side) continue;
          columns[n] = row + by * stride[a];
          values[n++] = -1;
        }
      HYPRE_IJMatrixSetValues(matrix_, 1, &n, &row, columns, values);
    }
    HYPRE_IJMatrixAssemble(matrix_);
  }

  const Slab& slab_;
  mutable std::vector<HYPRE_Int> rows_;
  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_IJVector b_ = nullptr, x_ = nullptr;
  HYPRE_ParCSRMatrix A_ = nullptr;
  HYPRE_ParVector par_b_ = nullptr, par_x_ = nullptr;
  HYPRE_Solver amg_ = nullptr, pcg_ = nullptr;
};

// Wall time of f on the slowest process.
template <class F>
double seconds_of(F&& f) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  f();
  double mine = MPI_Wtime() - start, slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

using MakeMethod = std::function<std::unique_ptr<Method>()>;

// The fewest iterations that meet the tolerance in the largest residual.
int fewest_iterations(const Slab& slab, Method& method, RelativeResidual& residual) {
  const auto residual_after = [&](int iterations) {
    method.solve(0, iterations);
    return slab.residual(method.solution());
  };
  int n = method.solve(slab.tolerance, kMaxIterations);
  residual = residual_after(n);
  while (residual.largest > slab.tolerance && n < kMaxIterations) residual = residual_after(++n);
  while (n > 1) {
    const RelativeResidual fewer = residual_after(n - 1);
    if (fewer.largest > slab.tolerance) break;
    residual = fewer;
    --n;
  }
  return n;
}

// One of the compared solvers with the fastest set-up and the fastest solve so far, whichever
// rounds they belong to.
struct Contender {
  std::string name;
  std::function<Outcome(const Contender&)> run;
  Outcome best;
};

Contender contender(const Slab& slab, const std::string& name, const MakeMethod& make) {
  const auto run = [&slab, make](const Contender& c) {
    const auto method = make();
    Outcome now = c.best;
    now.setup = seconds_of([&] { method->setup(); });
    if (now.iterations == 0) now.iterations = fewest_iterations(slab, *method, now.residual);
    now.solve = seconds_of([&] { method->solve(0, now.iterations); });
    return now;
  };
  return {name, run, {}};
}

// On the first process; the others sleep, so that its threads have the machine.
Contender firn_contender(const Slab& slab, const std::string& name, Precision precision) {
  const auto run = [&slab, precision](const Contender&) {
    Outcome now;
    if (slab.rank == 0) {
      const PressureBench b =
          bench_pressure(slab.cube.side, slab.tolerance, precision, {Device::kCpu, slab.ranks});
      now = {0, b.seconds, static_cast<int>(b.iterations), b.residual};
    }
    MPI_Request all_here;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
    for (int done = 0; done == 0;) {
      MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return now;
  };
  return {name, run, {}};
}

std::vector<Contender> contenders(const Slab& slab) {
  std::vector<Contender> all = {firn_contender(slab, "firn, single precision", Precision::kSingle),
                                firn_contender(slab, "firn, double precision", Precision::kDouble)};
  constexpr PfmgSettings kPfmg[] = {{1, 2, 1}, {1, 2, 0}, {0, 2, 0}, {1, 1, 1}, {1, 1, 0}};
  for (const PfmgSettings& s : kPfmg)
    all.push_back(contender(slab,
                            fmt::format("PFMG, rap {}, relax {}, skip {}", s.rap, s.relax, s.skip),
                            [&slab, s] { return std::make_unique<Pfmg>(slab, s); }));
  constexpr AmgSettings kAmg[] = {{10, 6, 1, 0.25}, {10, 8, 1, 0.25}, {8, 6, 1, 0.25}};
  for (const AmgSettings& s : kAmg)
    all.push_back(contender(
        slab,
        fmt::format("BoomerAMG, {}, relax {}, {} aggressive, strong {}",
                    s.coarsening == 10 ? "HMIS" : "PMIS", s.relax, s.aggressive, s.strong),
        [&slab, s] { return std::make_unique<BoomerAmg>(slab, s); }));
  return all;
}

void print_table(const Slab& slab, const std::vector<Contender>& all) {
  fmt::print(
      "{0}^3 cells, open above, to {1:g} in the largest residual; {2} processes of hypre, {2} "
      "threads of firn\n\n| method | set-up, s | solve, s | sum, s | iterations | largest residual "
      "| Euclidean | sum over firn's, single | double |\n|---|---|---|---|---|---|---|---|---|\n",
      slab.cube.side, slab.tolerance, slab.ranks);
  for (const Contender& c : all) {
    const Outcome& o = c.best;
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {} | {:.1e} | {:.1e} | {:.1f} | {:.1f} |\n", c.name,
               o.setup > 0 ? fmt::format("{:.3f}", o.setup) : "within", o.solve, o.total(),
               o.iterations, o.residual.largest, o.residual.euclidean,
               o.total() / all[0].best.total(), o.total() / all[1].best.total());
  }
}

// Round after round, so that a busy spell of the machine meets all of them.
void compare(int side, double tolerance) {
  const PressureCube<double> cube(side);
  const Slab slab(cube, tolerance);
  std::vector<Contender> all = contenders(slab);
  for (int round = 0; round < kRounds; ++round)
    for (Contender& c : all) {
      Outcome now = c.run(c);
      if (round > 0) {
        now.setup = std::min(now.setup, c.best.setup);
        now.solve = std::min(now.solve, c.best.solve);
      }
      c.best = now;
    }
  if (slab.rank == 0) print_table(slab, all);
}

}  // namespace
}  // namespace firn

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  const int side = argc > 1 ? std::atoi(argv[1]) : 128;
  const double tolerance = argc > 2 ? std::atof(argv[2]) : 1e-6;
  const bool good = side >= 16 && side % 16 == 0 && tolerance > 0;
  if (good)
    firn::compare(side, tolerance);
  else
    fmt::print(stderr,
               "usage: mpirun -n PROCESSES pressure-hypre [SIDE [TOLERANCE]], sides a multiple of "
               "16\n");
  HYPRE_Finalize();
  MPI_Finalize();
  return good ? 0 : 2;
}
