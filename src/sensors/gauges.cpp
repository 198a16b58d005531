#include "src/sensors/gauges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/collide/rigid_motion.h"
#include "kernels/math/mat.h"
#include "src/scene/boundary_types.h"

namespace firn {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double quadratic(double x) {
  x = std::fabs(x);
  if (x >= 1.5) return 0;
  return x < 0.5 ? 0.75 - x * x : 0.5 * (1.5 - x) * (1.5 - x);
}
// Its integral up to x.
double quadratic_up_to(double x) {
  if (x > 0) return 1 - quadratic_up_to(-x);
  if (x <= -1.5) return 0;
  if (x <= -0.5) return std::pow(1.5 + x, 3) / 6;
  return 0.5 + 0.75 * x - x * x * x / 3;
}
// The spline of a grid whose spacing is that of the particles', at `d` from its node.
double weight(const Vec3& d, const GaugedParticles& particles) {
  double w = 1;
  for (int i = 0; i < particles.dimension() && w > 0; ++i) w *= quadratic(d[i] / particles.dx());
  return w;
}
double cell_volume(const GaugedParticles& particles) {
  return std::pow(particles.dx(), particles.dimension());
}

double value(const ChannelArray& channel, std::size_t at) {
  return std::visit([&](const auto& v) { return static_cast<double>(v[at]); }, channel.values);
}

bool weighs_by_mass(std::string_view channel) {
  return channel == "velocity" || channel == "speed";
}

// Whether a particle counts for a sensor.
class Counted {
 public:
  Counted(const Sensor& sensor, const GaugedParticles& particles)
      : particles_(particles),
        by_body_(!sensor.bodies.empty()),
        listed_(by_body_ ? sensor.bodies : sensor.materials) {
    std::ranges::sort(listed_);
  }
  bool operator()(std::size_t p) const {
    return listed_.empty() || std::ranges::binary_search(
                                  listed_, by_body_ ? particles_.body(p) : particles_.material(p));
  }

 private:
  const GaugedParticles& particles_;
  bool by_body_;
  std::vector<int> listed_;
};

// Sums over particles that end in means of a sensor's channels.
class Means {
 public:
  Means(const Sensor& sensor, const GaugedParticles& particles) : particles_(particles) {
    for (const std::string& name : sensor.channels) {
      const ChannelArray& channel = particles.channel(name);
      const auto n = static_cast<std::size_t>(component_count(channel.rank, particles.dimension()));
      channels_.push_back({&channel, weighs_by_mass(name), std::vector<double>(n, 0.0)});
    }
  }
  void add(std::size_t p, double w) {
    mass_ += w * particles_.mass(p);
    volume_ += w * particles_.volume(p);
    for (OfChannel& c : channels_) {
      const double share = w * (c.by_mass ? particles_.mass(p) : particles_.volume(p));
      for (std::size_t k = 0; k < c.sums.size(); ++k)
        c.sums[k] += share * value(*c.channel, c.sums.size() * p + k);
    }
  }
  double mass() const { return mass_; }
  double volume() const { return volume_; }
  void append_to(std::vector<double>& values) const {
    for (const OfChannel& c : channels_) {
      const double whole = c.by_mass ? mass_ : volume_;
      for (const double sum : c.sums) values.push_back(whole > 0 ? sum / whole : kNothing);
    }
  }

 private:
  struct OfChannel {
    const ChannelArray* channel;
    bool by_mass;
    std::vector<double> sums;
  };
  const GaugedParticles& particles_;
  std::vector<OfChannel> channels_;
  double mass_ = 0, volume_ = 0;
};

}  // namespace

GaugedParticles::GaugedParticles(const Snapshot& snapshot, const std::vector<std::string>& channels,
                                 std::vector<double> places)
    : snapshot_(snapshot),
      channels_(gather_channels(snapshot, channels)),
      places_(std::move(places)) {}

// Of the images on periodic axes that which the snapshot has.
Vec3 GaugedParticles::position(std::size_t p) const {
  Vec3 x = vector(snapshot_.position, p);
  const auto d = static_cast<std::size_t>(dimension());
  for (std::size_t i = 0; i < d && !places_.empty(); ++i) {
    const double place = places_[d * p + i], period = snapshot_.period[i];
    x[i] = period > 0 ? place - period * std::round((place - x[i]) / period) : place;
  }
  return x;
}

Vec3 GaugedParticles::vector(const std::vector<float>& values, std::size_t p) const {
  const auto d = static_cast<std::size_t>(dimension());
  Vec3 v{};
  for (std::size_t i = 0; i < d; ++i) v[i] = values[d * p + i];
  return v;
}
Vec3 GaugedParticles::from(const Vec3& origin, std::size_t p) const {
  Vec3 d = position(p);
  for (std::size_t i = 0; i < 3; ++i) {
    d[i] -= origin[i];
    if (const double period = snapshot_.period[i]; period > 0)
      d[i] -= period * std::round(d[i] / period);
  }
  return d;
}
const ChannelArray& GaugedParticles::channel(std::string_view name) const {
  return *std::find_if(channels_.begin(), channels_.end(),
                       [&](const ChannelArray& c) { return c.name == name; });
}

std::vector<double> read_point(const Sensor& sensor, const GaugedParticles& particles) {
  Means means(sensor, particles);
  const Counted counts(sensor, particles);
  for (std::size_t p = 0; p < particles.size(); ++p)
    if (const double w = weight(particles.from(sensor.position, p), particles); w > 0 && counts(p))
      means.add(p, w);
  std::vector<double> values{means.mass() / cell_volume(particles)};
  means.append_to(values);
  return values;
}

std::vector<double> read_region(const Sensor& sensor, const GaugedParticles& particles,
                                const std::function<double(const Vec3&)>& distance) {
  Means means(sensor, particles);
  const Counted counts(sensor, particles);
  double inside = 0;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    if (!counts(p) || !(distance(particles.position(p)) < 0)) continue;
    means.add(p, 1);
    ++inside;
  }
  std::vector<double> values{inside, means.mass(), means.volume()};
  means.append_to(values);
  return values;
}

// A particle counts by a hat as wide as two cells, whose integral across the plane is 1: what flows
// steadily is then seen whole, wherever its particles are.
std::vector<double> read_plane(const Sensor& sensor, const GaugedParticles& particles) {
  const double h = particles.dx();
  double mass = 0, mass_flux = 0, volume_flux = 0, area = 0;
  const Counted counts(sensor, particles);
  for (std::size_t p = 0; p < particles.size(); ++p) {
    if (!counts(p)) continue;
    const Vec3 d = particles.from(sensor.position, p);
    const double across = dot(d, sensor.direction);
    const double hat = (1 - std::fabs(across) / h) / h;
    if (!(hat > 0)) continue;
    if (sensor.radius && dot(d, d) - across * across > *sensor.radius * *sensor.radius) continue;
    const double speed = dot(particles.velocity(p), sensor.direction);
    mass += hat * particles.mass(p);
    mass_flux += hat * particles.mass(p) * speed;
    volume_flux += hat * particles.volume(p) * speed;
    area += hat * particles.volume(p);
  }
  return {mass_flux, volume_flux, area, mass > 0 ? mass_flux / mass : kNothing};
}

double share_within(const Domain& domain, int dimension, double dx, const Vec3& x) {
  double share = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a) {
    const double low =
        is_wall(domain.boundary[2 * a]) ? quadratic_up_to((domain.min[a] - x[a]) / dx) : 0;
    const double high =
        is_wall(domain.boundary[2 * a + 1]) ? quadratic_up_to((domain.max[a] - x[a]) / dx) : 1;
    share *= std::max(high - low, 0.0);
  }
  return share;
}

// Cells are asked every eighth of one, and between two the part filled is taken to change evenly.
std::vector<double> read_height(const Sensor& sensor, const GaugedParticles& particles,
                                const Vec3& up, const std::function<double(const Vec3&)>& room) {
  constexpr double kPerCell = 8, kFull = 0.5, kReach = 1.5;
  const double spacing = particles.dx() / kPerCell;
  const double reach = kReach * particles.dx() * std::sqrt(particles.dimension());
  std::vector<double> filled;
  const Counted counts(sensor, particles);
  for (std::size_t p = 0; p < particles.size(); ++p) {
    if (!counts(p)) continue;
    const Vec3 d = particles.from(sensor.position, p);
    const double along = dot(d, up);
    if (dot(d, d) - along * along > reach * reach || along < -reach) continue;
    const auto first = static_cast<std::int64_t>(std::max(0.0, (along - reach) / spacing));
    const auto last = static_cast<std::int64_t>((along + reach) / spacing);
    for (std::int64_t i = first; i <= last; ++i) {
      Vec3 from_point = d;
      for (std::size_t a = 0; a < 3; ++a) from_point[a] -= static_cast<double>(i) * spacing * up[a];
      const double w = weight(from_point, particles);
      if (!(w > 0)) continue;
      if (filled.size() <= static_cast<std::size_t>(i)) filled.resize(std::size_t(i) + 1);
      filled[static_cast<std::size_t>(i)] += w * particles.volume(p) / cell_volume(particles);
    }
  }
  constexpr double kLeastRoom = 0.05;  // a point within a wall has none
  for (std::size_t i = 0; i < filled.size(); ++i) {
    Vec3 x = sensor.position;
    for (std::size_t a = 0; a < 3; ++a) x[a] += static_cast<double>(i) * spacing * up[a];
    filled[i] /= std::max(room(x), kLeastRoom);
  }
  filled.push_back(0);
  for (std::size_t i = filled.size() - 1; i-- > 0;)
    if (filled[i] >= kFull) {
      const double part = (filled[i] - kFull) / (filled[i] - filled[i + 1]);
      return {(static_cast<double>(i) + part) * spacing};
    }
  return {0};
}

namespace {

using Vector = Vec<double, 3>;

void add(const Vector& v, int dimension, std::vector<double>& values) {
  for (int a = 0; a < dimension; ++a) values.push_back(v[a]);
}
void add_axial(const Vector& v, int dimension, std::vector<double>& values) {
  if (dimension == 2) return values.push_back(v[2]);
  add(v, 3, values);
}
Vector vec(const Vec3& v) { return {v[0], v[1], v[2]}; }

// The angular velocity of a rigid body of that angular momentum and inertia; of what is no wider
// than a line, of which that is not known, NaN.
Vector spin(const Vector& momentum, const Mat<double, 3>& inertia, int dimension) {
  const double size = inertia(0, 0) + inertia(1, 1) + inertia(2, 2);
  constexpr double kLeast = 1e-12;
  if (dimension == 2) return {0, 0, inertia(2, 2) > 0 ? momentum[2] / inertia(2, 2) : kNothing};
  if (!(determinant(inertia) > kLeast * size * size * size)) return {kNothing, kNothing, kNothing};
  return inverse(inertia) * momentum;
}

}  // namespace

// From an image of each particle next to the first one's: a body may lie across a periodic face.
std::vector<double> read_motion(const Sensor& sensor, const GaugedParticles& particles) {
  const Counted counts(sensor, particles);
  std::vector<std::size_t> of;
  for (std::size_t p = 0; p < particles.size(); ++p)
    if (counts(p)) of.push_back(p);
  double mass = 0, kinetic = 0;
  Vector centre = Vector::zero(), velocity = Vector::zero();
  const Vec3 first = of.empty() ? Vec3{} : particles.position(of.front());
  for (const std::size_t p : of) {
    const double m = particles.mass(p);
    const Vector v = vec(particles.velocity(p));
    mass += m;
    centre += m * vec(particles.from(first, p));
    velocity += m * v;
    kinetic += 0.5 * m * dot(v, v);
  }
  const double share = mass > 0 ? 1 / mass : kNothing;
  centre = share * centre;
  velocity = share * velocity;
  Vector momentum = Vector::zero();
  auto inertia = Mat<double, 3>::zero();
  for (const std::size_t p : of) {
    const double m = particles.mass(p);
    const Vector arm = vec(particles.from(first, p)) - centre;
    momentum += m * cross(arm, vec(particles.velocity(p)) - velocity);
    inertia += m * (dot(arm, arm) * Mat<double, 3>::identity() - outer(arm, arm));
  }
  const int d = particles.dimension();
  std::vector<double> values{mass};
  add(vec(first) + centre, d, values);
  add(velocity, d, values);
  add_axial(spin(momentum, inertia, d), d, values);
  values.push_back(kinetic);
  return values;
}

std::vector<double> read_motion(const ColliderState& state, int dimension) {
  Mat<double, 3> rotation;
  for (int i = 0; i < 9; ++i) rotation(i / 3, i % 3) = state.rotation[static_cast<std::size_t>(i)];
  std::vector<double> values;
  add(vec(state.pivot) + vec(state.translation), dimension, values);
  add_axial(vector_from_rotation(rotation), dimension, values);
  add(vec(state.velocity), dimension, values);
  add_axial(vec(state.angular_velocity), dimension, values);
  return values;
}

}  // namespace firn
