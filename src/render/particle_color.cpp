#include "src/render/particle_color.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "firn/error.h"
#include "kernels/math/mat.h"
#include "src/analysis/vorticity.h"
#include "src/scene/expression.h"
#include "src/scene/output_channels.h"
#include "src/scene/shapes.h"

namespace firn {

using Values = std::vector<double>;

// A scalar per particle and the range of its colours.
struct ScalarChannel {
  std::string_view name, alias, label;
  Values (*values)(const Snapshot&);  // NaN if the snapshot lacks it
  ColorRange (*range)(const Scene&, const Stage&, Values&& first);
  bool has_sign = false;  // colours diverge from zero where the range reaches below it
};

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

ColorF to_color(const Vec3& color) {
  return {static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2])};
}

template <double (*value)(const Snapshot&, std::size_t)>
Values each(const Snapshot& s) {
  Values values(s.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(s, i);
  return values;
}

double speed(const Snapshot& s, std::size_t i) {
  const auto d = static_cast<std::size_t>(s.dimension);
  if (s.velocity.size() < (i + 1) * d) return kMissing;
  double sum = 0;
  for (std::size_t c = 0; c < d; ++c) sum += double{s.velocity[i * d + c]} * s.velocity[i * d + c];
  return std::sqrt(sum);
}

template <std::vector<float> Snapshot::*list>
double listed(const Snapshot& s, std::size_t i) {
  return i < (s.*list).size() ? (s.*list)[i] : kMissing;
}

double phase(const Snapshot& s, std::size_t i) {
  return i < s.phase.size() ? s.phase[i] : kMissing;
}

template <int N>
double determinant_of(const float* entries) {
  Mat<double, N> F;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) F(i, j) = entries[i * N + j];
  return determinant(F);
}

double volume_ratio(const Snapshot& s, std::size_t i) {
  const auto d = static_cast<std::size_t>(s.dimension);
  if (s.deformation_gradient.size() < (i + 1) * d * d) return kMissing;
  const float* F = s.deformation_gradient.data() + i * d * d;
  return d == 2 ? determinant_of<2>(F) : determinant_of<3>(F);
}

Values vorticity_values(const Snapshot& s) {
  const std::vector<float> omega = vorticity(s);
  if (omega.empty()) return Values(s.size(), kMissing);
  if (s.dimension == 2) return {omega.begin(), omega.end()};
  Values values(s.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::hypot(omega[3 * i], omega[3 * i + 1], omega[3 * i + 2]);
  return values;
}

ColorRange expected_speed(const Scene&, const Stage& stage) { return {0, stage.speed}; }

// Hydrostatic and stagnation pressure of the densest material; without weight, where it is more,
// that of an impact on the stiffest, rho c v, or what strains of some hundredths make in it.
ColorRange expected_pressure(const Scene& scene, const Stage& stage) {
  constexpr double kStrain = 0.05;
  double density = 0, stiffness = 0;
  for (const Material& material : scene.materials) {
    density = std::max(density, material.density);
    stiffness = std::max(stiffness, material.youngs_modulus);
  }
  const double g = norm(to_vec(scene.simulation.gravity));
  const double height =
      dot(stage.focus.extent(),
          V3d{{std::abs(stage.up[0]), std::abs(stage.up[1]), std::abs(stage.up[2])}});
  const double by_motion = density * (g * height + 0.5 * stage.speed * stage.speed);
  if (g == 0) {
    const double by_impact = std::sqrt(density * stiffness) * stage.speed;
    const double most = kStrain * stiffness;
    const double end = by_impact > 0 ? std::min(by_impact, most) : most;
    if (end > by_motion) return {-end, end};
  }
  return {0, by_motion};
}

// J_P starts at one; J - 1, plastic strain and logarithms at zero.
ColorRange expected_plastic_state(const Scene& scene, const Stage&) {
  bool ratio = false, strain = false;
  for (const Material& m : scene.materials) {
    ratio = ratio || m.model == MaterialModel::kSnow || m.model == MaterialModel::kSandClamp;
    strain = strain || m.model == MaterialModel::kVonMises ||
             m.model == MaterialModel::kDruckerPrager ||
             m.model == MaterialModel::kHerschelBulkley || m.model == MaterialModel::kViscoelastic;
  }
  return ratio ? ColorRange{0.9, 1.1} : strain ? ColorRange{0, 0.5} : ColorRange{-0.1, 0.1};
}

ColorRange expected_volume_ratio(const Scene&, const Stage&) { return {0.9, 1.1}; }

// The next of 1, 2, 2.5, 5, 10, ... times a power of ten.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (x <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

// To two digits, so that the ends of a colour bar are short and close to the values.
double round_up_to_two_digits(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)) - 1);
  return unit * std::ceil(x / unit * (1 - 1e-9));
}

// The value below which this fraction of `values` lies; changes their order.
double quantile(Values& values, double fraction) {
  const auto nth = values.begin() +
                   static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

// The expected range, widened to hold all but the outermost hundredth of the first snapshot.
template <ColorRange (*expected)(const Scene&, const Stage&)>
ColorRange widened(const Scene& scene, const Stage& stage, Values&& first) {
  ColorRange range = expected(scene, stage);
  std::erase_if(first, [](double value) { return !std::isfinite(value); });
  if (!first.empty()) {
    range.low = std::min(range.low, quantile(first, 0.01));
    range.high = std::max(range.high, quantile(first, 0.99));
  }
  if (range.low >= 0 && range.low < 0.5 * range.high) range = {0, round_up(range.high)};
  if (!(range.high > range.low)) range.high = range.low + 1;
  return range;
}

// What starts with vortices only loses them: all but the strongest fiftieth of the first snapshot
// fits. What starts without is expected to make eddies of a fifth of the picture's diagonal, which
// turn at the largest speed: 2 v / r.
ColorRange vorticity_range(const Scene& scene, const Stage& stage, Values&& first) {
  const double turnover = stage.speed / std::max(stage.focus.diagonal(), 1e-300);
  std::erase_if(first, [](double value) { return !std::isfinite(value); });
  for (double& value : first) value = std::abs(value);
  double high = first.empty() ? 0 : quantile(first, 0.98);
  if (!(high > turnover)) high = 20 * turnover;
  high = high > 0 ? round_up_to_two_digits(high) : 1;
  return {scene.simulation.dimension == 2 ? -high : 0, high};
}

// What a field says at places between two corners and at times of the run, at the ends too.
void sample_field(const ScalarField& field, const Vec3& low, const Vec3& high, const Scene& scene,
                  std::vector<double>& values) {
  constexpr int kAcross = 5;
  const FieldEvaluator evaluator(field);
  const double end = scene.simulation.frames / scene.simulation.fps;
  const int deep = scene.simulation.dimension == 3 ? kAcross : 1;
  for (int t = 0; t < kAcross; ++t)
    for (int k = 0; k < deep; ++k)
      for (int j = 0; j < kAcross; ++j)
        for (int i = 0; i < kAcross; ++i) {
          const int at[] = {i, j, k};
          Vec3 x{};
          for (std::size_t a = 0; a < 3; ++a)
            x[a] = low[a] + at[a] * (high[a] - low[a]) / (kAcross - 1);
          values.push_back(evaluator.scalar(x, end * t / (kAcross - 1)));
        }
}

// Every temperature that the scene gives beside those of bodies, which the first picture shows.
std::vector<double> given_temperatures(const Scene& scene) {
  std::vector<double> given;
  const auto add = [&](const std::optional<ScalarField>& field, const Shape* shape = nullptr) {
    if (!field) return;
    if (field->expression.empty()) {
      given.push_back(field->constant);
      return;
    }
    if (shape != nullptr) {
      const CompiledShape outline =
          outline_shape(*shape, scene.simulation.dimension, scene.grid.dx);
      if (outline.bounded()) return sample_field(*field, outline.min, outline.max, scene, given);
    }
    if (const auto& domain = scene.grid.domain)
      sample_field(*field, domain->min, domain->max, scene, given);
  };
  for (const Body& body : scene.bodies)
    if (body.temperature.expression.empty()) add(body.temperature);
  for (const Source& source : scene.sources) add(source.temperature, &source.shape);
  for (const Collider& collider : scene.colliders) add(collider.temperature, &collider.shape);
  add(scene.thermal.ambient);
  if (scene.grid.domain)
    for (const auto& face : scene.grid.domain->temperature) add(face);
  std::erase_if(given, [](double value) { return !(value > 0); });
  return given;
}

// Conduction mixes what is there at the start and at the boundaries.
ColorRange temperature_range(const Scene& scene, const Stage&, Values&& first) {
  for (const double given : given_temperatures(scene)) first.push_back(given);
  std::erase_if(first, [](double value) { return !std::isfinite(value); });
  if (first.empty()) return {};
  const auto [low, high] = std::minmax_element(first.begin(), first.end());
  return {*low, *high > *low ? *high : *low + 1};
}

ColorRange phase_range(const Scene&, const Stage&, Values&&) { return {0, 1}; }

constexpr ScalarChannel kChannels[] = {
    {"speed", "velocity", "speed, m/s", each<speed>, widened<expected_speed>},
    {"pressure", "pressure", "pressure, Pa", each<listed<&Snapshot::pressure>>,
     widened<expected_pressure>},
    {"plastic_state", "plastic_state", "plastic state", each<listed<&Snapshot::plastic_state>>,
     widened<expected_plastic_state>},
    {"temperature", "temperature", "temperature, K", each<listed<&Snapshot::temperature>>,
     temperature_range},
    {"phase", "phase", "0 solid, 1 liquid", each<phase>, phase_range},
    {"volume_ratio", "deformation_gradient", "volume ratio", each<volume_ratio>,
     widened<expected_volume_ratio>},
    {"vorticity", "vorticity", "vorticity, 1/s", vorticity_values, vorticity_range, true},
};

const ScalarChannel* find_channel(const std::string& name) {
  for (const ScalarChannel& channel : kChannels)
    if (name == channel.name || name == channel.alias) return &channel;
  return nullptr;
}

const ScalarChannel& scalar_channel(const std::string& name) {
  if (const ScalarChannel* channel = find_channel(name)) return *channel;
  throw Error(ErrorCategory::kScene, fmt::format("'{}' is no scalar that colours show", name));
}

const ScalarChannel* channel_of(const Scene& scene, const std::string& name) {
  if (const ScalarChannel* channel = find_channel(name)) return channel;
  throw Error(ErrorCategory::kScene,
              fmt::format("output.color = \"{}\": pictures can be coloured by {}", name,
                          fmt::join(colors_of(scene), ", ")));
}

}  // namespace

std::vector<double> scalar_values(const std::string& color, const Snapshot& snapshot) {
  return scalar_channel(color).values(snapshot);
}

std::string scalar_label(const std::string& color) {
  return std::string(scalar_channel(color).label);
}

std::vector<LegendEntry> legend_of(const Scene& scene) {
  std::vector<LegendEntry> entries;
  const auto add = [&](const std::string& name, const ColorF& color) {
    const bool known = std::any_of(entries.begin(), entries.end(), [&](const LegendEntry& entry) {
      return entry.name == name && entry.color == color;
    });
    if (!name.empty() && !known) entries.push_back({name, color});
  };
  const auto add_material = [&](int material) {
    const auto m = static_cast<std::size_t>(material);
    if (m < scene.materials.size())
      add(scene.materials[m].name, to_color(scene.materials[m].color));
  };
  const bool by_body = scene.output.color == "body";
  if (!by_body && find_channel(scene.output.color)) return entries;
  int number = 0;
  for (const Body& body : scene.bodies) {
    if (by_body)
      add(body.name, category_color(number++));
    else if (body.color)
      add(body.name, to_color(*body.color));
    else
      add_material(body.material);
  }
  for (const Source& source : scene.sources) {
    if (by_body)
      add(source.name, category_color(number++));
    else
      add_material(source.material);
  }
  return entries;
}

ParticleColors::ParticleColors(const Scene& scene, const Snapshot& first, const Stage& stage) {
  for (const Material& material : scene.materials)
    material_colors_.push_back(to_color(material.color));
  for (const Body& body : scene.bodies)
    body_colors_.emplace_back(body.color.has_value(), to_color(body.color.value_or(Vec3{})));
  const std::string& name = scene.output.color;
  by_body_ = name == "body";
  if (name == "glow") {
    const ColorRange kelvin =
        temperature_range(scene, stage, each<listed<&Snapshot::temperature>>(first));
    glow_.emplace(kelvin.high);
  }
  if (by_body_ || glow_ || name == "material") return;
  channel_ = channel_of(scene, name);
  if (const auto& given = scene.output.color_range)
    range = {(*given)[0], (*given)[1]};
  else
    range = channel_->range(scene, stage, channel_->values(first));
  diverging_ = channel_->has_sign && range.low < 0;
}

std::string ParticleColors::label() const { return std::string(channel_ ? channel_->label : ""); }

ColorF ParticleColors::color_at(double fraction) const {
  return diverging_ ? diverging_color_map(fraction) : color_map(fraction);
}

std::vector<ColorF> ParticleColors::operator()(const Snapshot& snapshot) const {
  std::vector<ColorF> colors(snapshot.size(), ColorF{0.7f, 0.7f, 0.7f});
  const Values values = channel_ ? channel_->values(snapshot) : Values();
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const std::size_t body = i < snapshot.body.size() ? snapshot.body[i] : body_colors_.size();
    const std::size_t material = i < snapshot.material.size() ? snapshot.material[i] : 0;
    if (channel_)
      colors[i] = color_at((values[i] - range.low) / (range.high - range.low));
    else if (by_body_)
      colors[i] = category_color(static_cast<int>(body));
    else if (body < body_colors_.size() && body_colors_[body].first)
      colors[i] = body_colors_[body].second;
    else if (material < material_colors_.size())
      colors[i] = material_colors_[material];
  }
  return colors;
}

std::vector<ColorF> ParticleColors::glow(const Snapshot& snapshot) const {
  std::vector<ColorF> light;
  if (!glow_ || snapshot.temperature.empty()) return light;
  light.reserve(snapshot.size());
  for (std::size_t i = 0; i < snapshot.size(); ++i)
    light.push_back((*glow_)(snapshot.temperature[i]));
  return light;
}

}  // namespace firn
