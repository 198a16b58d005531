// What sensors read off the particles of a snapshot, as include/firn/sensors.h tells.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/sensors.h"
#include "firn/simulation.h"
#include "src/io/particle_channels.h"

namespace firn {

// The particles that gauges look at, with the channels that they read.
class GaugedParticles {
 public:
  // Of `channels` each that is not empty is gathered. The snapshot must outlive it. `places`: its
  // positions without rounding, of each particle `dimension` numbers; none where it has them so.
  GaugedParticles(const Snapshot& snapshot, const std::vector<std::string>& channels,
                  std::vector<double> places);

  std::size_t size() const { return snapshot_.size(); }
  int dimension() const { return snapshot_.dimension; }
  double dx() const { return snapshot_.dx; }
  double mass(std::size_t p) const { return snapshot_.mass[p]; }
  double volume(std::size_t p) const { return snapshot_.volume[p]; }
  int body(std::size_t p) const { return snapshot_.body[p]; }
  int material(std::size_t p) const { return snapshot_.material[p]; }
  Vec3 position(std::size_t p) const;
  Vec3 velocity(std::size_t p) const { return vector(snapshot_.velocity, p); }
  // From `origin` to the particle, or to its nearest image where an axis is periodic.
  Vec3 from(const Vec3& origin, std::size_t p) const;
  const ChannelArray& channel(std::string_view name) const;

 private:
  Vec3 vector(const std::vector<float>& values, std::size_t p) const;
  const Snapshot& snapshot_;
  std::vector<ChannelArray> channels_;
  std::vector<double> places_;
};

// Each returns the values of the sensor's columns, from the particles that count for it.
std::vector<double> read_point(const Sensor& sensor, const GaugedParticles& particles);
// `distance`: signed, of the sensor's shape.
std::vector<double> read_region(const Sensor& sensor, const GaugedParticles& particles,
                                const std::function<double(const Vec3&)>& distance);
std::vector<double> read_plane(const Sensor& sensor, const GaugedParticles& particles);
// `room`: the share of a cell about a point that material can fill.
std::vector<double> read_height(const Sensor& sensor, const GaugedParticles& particles,
                                const Vec3& up, const std::function<double(const Vec3&)>& room);

// Of SensorKind::kMotion.
std::vector<double> read_motion(const Sensor& sensor, const GaugedParticles& particles);
std::vector<double> read_motion(const ColliderState& state, int dimension);

// The share of the quadratic B-spline of a cell at x that lies within the walls of a domain.
double share_within(const Domain& domain, int dimension, double dx, const Vec3& x);

}  // namespace firn
