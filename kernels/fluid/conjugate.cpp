#include "kernels/fluid/conjugate.inl"
#include "kernels/exec/host.h"

namespace firn {

template void begin_solve<Cpu>(Cpu&, const SolveOptions&, const std::uint32_t*, std::uint32_t,
                               SolveControl*);
template void adopt_rhs<Cpu>(Cpu&, SolveControl*);
template void judge_residual<Cpu>(Cpu&, SolveControl*, bool);
template void prepare_guess<Cpu, 2, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void compute_residual<Cpu, 2, float>(Cpu&, const ConjugateView<float>&, bool,
                                              std::uint32_t);
template void update_direction<Cpu, 2, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void apply_operator<Cpu, 2, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void update_solution<Cpu, 2, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void prepare_guess<Cpu, 2, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void compute_residual<Cpu, 2, double>(Cpu&, const ConjugateView<double>&, bool,
                                               std::uint32_t);
template void update_direction<Cpu, 2, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void apply_operator<Cpu, 2, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void update_solution<Cpu, 2, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void prepare_guess<Cpu, 3, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void compute_residual<Cpu, 3, float>(Cpu&, const ConjugateView<float>&, bool,
                                              std::uint32_t);
template void update_direction<Cpu, 3, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void apply_operator<Cpu, 3, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void update_solution<Cpu, 3, float>(Cpu&, const ConjugateView<float>&, std::uint32_t);
template void prepare_guess<Cpu, 3, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void compute_residual<Cpu, 3, double>(Cpu&, const ConjugateView<double>&, bool,
                                               std::uint32_t);
template void update_direction<Cpu, 3, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void apply_operator<Cpu, 3, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);
template void update_solution<Cpu, 3, double>(Cpu&, const ConjugateView<double>&, std::uint32_t);

}  // namespace firn
