#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/conjugate.inl"

namespace firn {

template void begin_solve<Cuda>(Cuda&, const SolveOptions&, const std::uint32_t*, std::uint32_t,
                                SolveControl*);
template void adopt_rhs<Cuda>(Cuda&, SolveControl*);
template void judge_residual<Cuda>(Cuda&, SolveControl*, bool);
template void prepare_guess<Cuda, 2, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void compute_residual<Cuda, 2, float>(Cuda&, const ConjugateView<float>&, bool,
                                               std::uint32_t);
template void update_direction<Cuda, 2, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void apply_operator<Cuda, 2, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void update_solution<Cuda, 2, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void prepare_guess<Cuda, 2, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void compute_residual<Cuda, 2, double>(Cuda&, const ConjugateView<double>&, bool,
                                                std::uint32_t);
template void update_direction<Cuda, 2, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void apply_operator<Cuda, 2, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void update_solution<Cuda, 2, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void prepare_guess<Cuda, 3, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void compute_residual<Cuda, 3, float>(Cuda&, const ConjugateView<float>&, bool,
                                               std::uint32_t);
template void update_direction<Cuda, 3, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void apply_operator<Cuda, 3, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void update_solution<Cuda, 3, float>(Cuda&, const ConjugateView<float>&, std::uint32_t);
template void prepare_guess<Cuda, 3, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void compute_residual<Cuda, 3, double>(Cuda&, const ConjugateView<double>&, bool,
                                                std::uint32_t);
template void update_direction<Cuda, 3, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void apply_operator<Cuda, 3, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);
template void update_solution<Cuda, 3, double>(Cuda&, const ConjugateView<double>&, std::uint32_t);

}  // namespace firn
