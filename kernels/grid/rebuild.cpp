#include "kernels/grid/rebuild.inl"
#include "kernels/exec/host.h"

namespace firn {

template void rebuild_layout<Cpu, 2, float>(Cpu&, float, const SinkView<float>&,
                                            const ParticleView<float>&, const GridView<float>&,
                                            const RebuildView&, StepControl*);
template void rebuild_layout<Cpu, 2, double>(Cpu&, double, const SinkView<double>&,
                                             const ParticleView<double>&, const GridView<double>&,
                                             const RebuildView&, StepControl*);
template void rebuild_layout<Cpu, 3, float>(Cpu&, float, const SinkView<float>&,
                                            const ParticleView<float>&, const GridView<float>&,
                                            const RebuildView&, StepControl*);
template void rebuild_layout<Cpu, 3, double>(Cpu&, double, const SinkView<double>&,
                                             const ParticleView<double>&, const GridView<double>&,
                                             const RebuildView&, StepControl*);
template void permute_rows<Cpu, float>(Cpu&, const RebuildView&, const Chunk*,
                                       const RowMoves<float>&, const StepControl*,
                                       const std::uint32_t*);
template void permute_rows<Cpu, double>(Cpu&, const RebuildView&, const Chunk*,
                                        const RowMoves<double>&, const StepControl*,
                                        const std::uint32_t*);
template void clear_nodes<Cpu, float>(Cpu&, float*, int, std::uint32_t, const StepControl*);
template void clear_nodes<Cpu, double>(Cpu&, double*, int, std::uint32_t, const StepControl*);
template void copy_rows<Cpu, float>(Cpu&, const RebuildView&, const RowMove<float>&,
                                    const StepControl*, const std::uint32_t*);
template void copy_rows<Cpu, double>(Cpu&, const RebuildView&, const RowMove<double>&,
                                     const StepControl*, const std::uint32_t*);
template void copy_rows<Cpu, std::uint32_t>(Cpu&, const RebuildView&, const RowMove<std::uint32_t>&,
                                            const StepControl*, const std::uint32_t*);
template void save_nodes<Cpu, float>(Cpu&, const GridView<float>&, std::uint32_t, StepControl*);
template void save_nodes<Cpu, double>(Cpu&, const GridView<double>&, std::uint32_t, StepControl*);
template void carry_nodes<Cpu, float>(Cpu&, const GridView<float>&, std::uint32_t, StepControl*);
template void carry_nodes<Cpu, double>(Cpu&, const GridView<double>&, std::uint32_t, StepControl*);
template void restore_layout<Cpu, 2, float>(Cpu&, const ParticleView<float>&,
                                            const GridView<float>&, const RebuildView&,
                                            StepControl*);
template void restore_layout<Cpu, 2, double>(Cpu&, const ParticleView<double>&,
                                             const GridView<double>&, const RebuildView&,
                                             StepControl*);
template void restore_layout<Cpu, 3, float>(Cpu&, const ParticleView<float>&,
                                            const GridView<float>&, const RebuildView&,
                                            StepControl*);
template void restore_layout<Cpu, 3, double>(Cpu&, const ParticleView<double>&,
                                             const GridView<double>&, const RebuildView&,
                                             StepControl*);

}  // namespace firn
