// Embree 3 or 4, whichever the build has found: of what is called here they differ in how packets
// are asked about.
#pragma once

#if FIRN_WITH_EMBREE
#if FIRN_EMBREE_VERSION >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

namespace firn {

// `valid`: -1 for rays of the packet that are asked about, or 0.
inline void find_nearest(const int* valid, RTCScene scene, RTCRayHit16& packet) {
#if FIRN_EMBREE_VERSION >= 4
  RTCIntersectArguments how;
  rtcInitIntersectArguments(&how);
  how.flags = RTC_RAY_QUERY_FLAG_COHERENT;
  rtcIntersect16(valid, scene, &packet, &how);
#else
  RTCIntersectContext how;
  rtcInitIntersectContext(&how);
  how.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcIntersect16(valid, scene, &how, &packet);
#endif
}

// Sets tfar of rays that something blocks to -infinity.
inline void find_any(const int* valid, RTCScene scene, RTCRay16& packet) {
#if FIRN_EMBREE_VERSION >= 4
  RTCOccludedArguments how;
  rtcInitOccludedArguments(&how);
  rtcOccluded16(valid, scene, &packet, &how);
#else
  RTCIntersectContext how;
  rtcInitIntersectContext(&how);
  rtcOccluded16(valid, scene, &how, &packet);
#endif
}

}  // namespace firn
#endif
