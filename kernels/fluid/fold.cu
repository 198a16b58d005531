#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/fold.inl"

namespace firn {

template void find_layers<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                          const FaceLayers&, const GridView<float>&,
                                          const MacView<float>&, const LaunchRange&);
template void fold_faces<Cuda, 2, float>(Cuda&, const FaceLayers&, const MacView<float>&,
                                         const LaunchRange&);
template void fold_channel<Cuda, 2, float>(Cuda&, const FaceLayers&, const MacView<float>&, float*,
                                           const LaunchRange&);
template void extend_channel<Cuda, 2, float>(Cuda&, const FaceLayers&, const MacView<float>&,
                                             float*, const LaunchRange&);
template void find_layers<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                           const FaceLayers&, const GridView<double>&,
                                           const MacView<double>&, const LaunchRange&);
template void fold_faces<Cuda, 2, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                          const LaunchRange&);
template void fold_channel<Cuda, 2, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                            double*, const LaunchRange&);
template void extend_channel<Cuda, 2, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                              double*, const LaunchRange&);
template void find_layers<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                          const FaceLayers&, const GridView<float>&,
                                          const MacView<float>&, const LaunchRange&);
template void fold_faces<Cuda, 3, float>(Cuda&, const FaceLayers&, const MacView<float>&,
                                         const LaunchRange&);
template void fold_channel<Cuda, 3, float>(Cuda&, const FaceLayers&, const MacView<float>&, float*,
                                           const LaunchRange&);
template void extend_channel<Cuda, 3, float>(Cuda&, const FaceLayers&, const MacView<float>&,
                                             float*, const LaunchRange&);
template void find_layers<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                           const FaceLayers&, const GridView<double>&,
                                           const MacView<double>&, const LaunchRange&);
template void fold_faces<Cuda, 3, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                          const LaunchRange&);
template void fold_channel<Cuda, 3, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                            double*, const LaunchRange&);
template void extend_channel<Cuda, 3, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                              double*, const LaunchRange&);

template void extend_velocities<Cuda, 2, float>(Cuda&, const FaceLayers&, const MacView<float>&,
                                                const LaunchRange&);
template void extend_velocities<Cuda, 2, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                                 const LaunchRange&);
template void extend_velocities<Cuda, 3, float>(Cuda&, const FaceLayers&, const MacView<float>&,
                                                const LaunchRange&);
template void extend_velocities<Cuda, 3, double>(Cuda&, const FaceLayers&, const MacView<double>&,
                                                 const LaunchRange&);

}  // namespace firn
