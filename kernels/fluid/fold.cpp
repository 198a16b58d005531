#include "kernels/fluid/fold.inl"
#include "kernels/exec/host.h"

namespace firn {

template void find_layers<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&, const FaceLayers&,
                                         const GridView<float>&, const MacView<float>&,
                                         const LaunchRange&);
template void fold_faces<Cpu, 2, float>(Cpu&, const FaceLayers&, const MacView<float>&,
                                        const LaunchRange&);
template void fold_channel<Cpu, 2, float>(Cpu&, const FaceLayers&, const MacView<float>&, float*,
                                          const LaunchRange&);
template void extend_channel<Cpu, 2, float>(Cpu&, const FaceLayers&, const MacView<float>&, float*,
                                            const LaunchRange&);
template void find_layers<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                          const FaceLayers&, const GridView<double>&,
                                          const MacView<double>&, const LaunchRange&);
template void fold_faces<Cpu, 2, double>(Cpu&, const FaceLayers&, const MacView<double>&,
                                         const LaunchRange&);
template void fold_channel<Cpu, 2, double>(Cpu&, const FaceLayers&, const MacView<double>&, double*,
                                           const LaunchRange&);
template void extend_channel<Cpu, 2, double>(Cpu&, const FaceLayers&, const MacView<double>&,
                                             double*, const LaunchRange&);
template void find_layers<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&, const FaceLayers&,
                                         const GridView<float>&, const MacView<float>&,
                                         const LaunchRange&);
template void fold_faces<Cpu, 3, float>(Cpu&, const FaceLayers&, const MacView<float>&,
                                        const LaunchRange&);
template void fold_channel<Cpu, 3, float>(Cpu&, const FaceLayers&, const MacView<float>&, float*,
                                          const LaunchRange&);
template void extend_channel<Cpu, 3, float>(Cpu&, const FaceLayers&, const MacView<float>&, float*,
                                            const LaunchRange&);
template void find_layers<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                          const FaceLayers&, const GridView<double>&,
                                          const MacView<double>&, const LaunchRange&);
template void fold_faces<Cpu, 3, double>(Cpu&, const FaceLayers&, const MacView<double>&,
                                         const LaunchRange&);
template void fold_channel<Cpu, 3, double>(Cpu&, const FaceLayers&, const MacView<double>&, double*,
                                           const LaunchRange&);
template void extend_channel<Cpu, 3, double>(Cpu&, const FaceLayers&, const MacView<double>&,
                                             double*, const LaunchRange&);

template void extend_velocities<Cpu, 2, float>(Cpu&, const FaceLayers&, const MacView<float>&,
                                               const LaunchRange&);
template void extend_velocities<Cpu, 2, double>(Cpu&, const FaceLayers&, const MacView<double>&,
                                                const LaunchRange&);
template void extend_velocities<Cpu, 3, float>(Cpu&, const FaceLayers&, const MacView<float>&,
                                               const LaunchRange&);
template void extend_velocities<Cpu, 3, double>(Cpu&, const FaceLayers&, const MacView<double>&,
                                                const LaunchRange&);

}  // namespace firn
