#include "kernels/exec/cuda.cuh"
#include "kernels/grid/rebuild.inl"

namespace firn {

template void rebuild_layout<Cuda, 2, float>(Cuda&, float, const SinkView<float>&,
                                             const ParticleView<float>&, const GridView<float>&,
                                             const RebuildView&, StepControl*);
template void rebuild_layout<Cuda, 2, double>(Cuda&, double, const SinkView<double>&,
                                              const ParticleView<double>&, const GridView<double>&,
                                              const RebuildView&, StepControl*);
template void rebuild_layout<Cuda, 3, float>(Cuda&, float, const SinkView<float>&,
                                             const ParticleView<float>&, const GridView<float>&,
                                             const RebuildView&, StepControl*);
template void rebuild_layout<Cuda, 3, double>(Cuda&, double, const SinkView<double>&,
                                              const ParticleView<double>&, const GridView<double>&,
                                              const RebuildView&, StepControl*);
template void permute_rows<Cuda, float>(Cuda&, const RebuildView&, const Chunk*,
                                        const RowMoves<float>&, const StepControl*,
                                        const std::uint32_t*);
template void permute_rows<Cuda, double>(Cuda&, const RebuildView&, const Chunk*,
                                         const RowMoves<double>&, const StepControl*,
                                         const std::uint32_t*);
template void clear_nodes<Cuda, float>(Cuda&, float*, int, std::uint32_t, const StepControl*);
template void clear_nodes<Cuda, double>(Cuda&, double*, int, std::uint32_t, const StepControl*);
template void copy_rows<Cuda, float>(Cuda&, const RebuildView&, const RowMove<float>&,
                                     const StepControl*, const std::uint32_t*);
template void copy_rows<Cuda, double>(Cuda&, const RebuildView&, const RowMove<double>&,
                                      const StepControl*, const std::uint32_t*);
template void copy_rows<Cuda, std::uint32_t>(Cuda&, const RebuildView&,
                                             const RowMove<std::uint32_t>&, const StepControl*,
                                             const std::uint32_t*);
template void save_nodes<Cuda, float>(Cuda&, const GridView<float>&, std::uint32_t, StepControl*);
template void save_nodes<Cuda, double>(Cuda&, const GridView<double>&, std::uint32_t, StepControl*);
template void carry_nodes<Cuda, float>(Cuda&, const GridView<float>&, std::uint32_t, StepControl*);
template void carry_nodes<Cuda, double>(Cuda&, const GridView<double>&, std::uint32_t,
                                        StepControl*);
template void restore_layout<Cuda, 2, float>(Cuda&, const ParticleView<float>&,
                                             const GridView<float>&, const RebuildView&,
                                             StepControl*);
template void restore_layout<Cuda, 2, double>(Cuda&, const ParticleView<double>&,
                                              const GridView<double>&, const RebuildView&,
                                              StepControl*);
template void restore_layout<Cuda, 3, float>(Cuda&, const ParticleView<float>&,
                                             const GridView<float>&, const RebuildView&,
                                             StepControl*);
template void restore_layout<Cuda, 3, double>(Cuda&, const ParticleView<double>&,
                                              const GridView<double>&, const RebuildView&,
                                              StepControl*);

}  // namespace firn
