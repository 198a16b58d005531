// [output]: what a run writes. [diagnostics]: what it looks out for.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "src/scene/output_channels.h"
#include "src/scene/parse.h"

namespace firn::scene {
namespace {

// As in src/io/particle_formats.cpp, which has what writes them.
constexpr Word kFormats[] = {{"ply", "for viewers, renderers and Blender"},
                             {"npz", "for NumPy"},
                             {"vtp", "VTK: for ParaView, with a .pvd of all frames"},
                             {"vdb", "points of OpenVDB: for Houdini; needs a build with it"},
                             {"bgeo", "Houdini's classic format"}};
constexpr Unavailable kOtherFormats[] = {{"vtk", "use \"vtp\""}};
constexpr Word kVolumeFormats[] = {
    {"vdb",
     "grids density, velocity and, with heat, temperature: for Houdini and Blender; needs a "
     "build with OpenVDB"}};

// What all scenes may have; a scene takes those that it has.
std::vector<Word> channel_words() {
  std::vector<Word> words;
  for (const OutputChannel& c : output_channels()) words.push_back({c.name, c.about});
  return words;
}
std::vector<Word> color_words() {
  std::vector<Word> words;
  for (const OutputColor& c : output_colors()) words.push_back({c.name, c.about});
  return words;
}

constexpr Word kSurfaceFormats[] = {
    {"obj", "colours and normals"},
    {"ply", "also velocities, bodies, temperatures and the nearest particles"},
    {"vdb", "the level set"}};

constexpr Choice<Drawn> kLegend[] = {
    {"auto", Drawn::kAuto, "where colours tell several of them apart"},
    {"always", Drawn::kAlways},
    {"never", Drawn::kNever}};
constexpr Choice<Drawn> kOutline[] = {
    {"auto", Drawn::kAuto, "where the picture shows most of the domain"},
    {"always", Drawn::kAlways},
    {"never", Drawn::kNever}};
constexpr Choice<Drawn> kGlass[] = {
    {"auto", Drawn::kAuto, "where the outline would be shown and the domain holds a liquid"},
    {"always", Drawn::kAlways},
    {"never", Drawn::kNever}};
constexpr Choice<SurfaceKernel> kKernels[] = {
    {"isotropic", SurfaceKernel::kIsotropic, "spheres"},
    {"anisotropic", SurfaceKernel::kAnisotropic,
     "ellipsoids along the neighbours: flatter, with sharper edges; slower"}};

constexpr Choice<DiagnosticsLevel> kLevels[] = {
    {"off", DiagnosticsLevel::kOff},
    {"totals", DiagnosticsLevel::kTotals, "mass, momenta, energies, forces on bodies: ledger.csv"},
    {"stages", DiagnosticsLevel::kStages,
     "energies by stage of the step; integrator explicit only"}};
constexpr Key kOnOff = key("", "", {.kind = Kind::kBoolean});

constexpr Key kOutputKeys[] = {
    key<&OutputSettings::directory>("directory", "where a run writes; `-o` wins",
                                    {.otherwise = "out/NAME"}),
    key<&OutputSettings::particles>("particles", "files of the particles of every frame",
                                    {.kind = Kind::kChoice,
                                     .list = Count{0, std::size(kFormats)},
                                     .words = kFormats,
                                     .unavailable = kOtherFormats}),
    key<&OutputSettings::volumes>("volumes", "files of what the particles of every frame fill",
                                  {.kind = Kind::kChoice,
                                   .list = Count{0, std::size(kVolumeFormats)},
                                   .words = kVolumeFormats}),
    key<&OutputSettings::surface>("surface", "files of the materials' surfaces of every frame; 3D",
                                  {.kind = Kind::kChoice,
                                   .list = Count{0, std::size(kSurfaceFormats)},
                                   .words = kSurfaceFormats}),
    choice_key<&OutputSettings::surface_kernel, kKernels>(
        "surface_kernel", "what of a particle surfaces are found from"),
    key<&OutputSettings::surface_voxel>("surface_voxel",
                                        "of the level set, over the spacing of particles",
                                        {.range = Range::closed(0.25, 2)}),
    key<&OutputSettings::surface_smoothing>("surface_smoothing",
                                            "rounds that take ripples off surfaces",
                                            {.range = Range::closed(0, 100)}),
    choice_key<&OutputSettings::look, kLooks>("look", "how pictures in 3D show materials"),
    key<&OutputSettings::image>("image", "a picture of every frame"),
    key<&OutputSettings::alpha>(
        "alpha",
        "whether pictures in 3D have an alpha channel, and are transparent where nothing "
        "is before the background"),
    key<&OutputSettings::exr>("exr",
                              "beside each picture in 3D its linear light, half floats with alpha; "
                              "needs a build with OpenEXR"),
    key<&OutputSettings::video>("video",
                                "of the pictures, if ffmpeg is there; as fast as the scene, but 24 "
                                "per second where `simulation.fps` is below 1 or above 120"),
    key<&OutputSettings::color>(
        "color", "what the colours of pictures show",
        {.kind = Kind::kChoice, .more_words = color_words, .by_hand = true}),
    key<&OutputSettings::color_range>(
        "color_range",
        "least and greatest value that the colours of a scalar tell apart, in its unit",
        {.kind = Kind::kNumber,
         .list = Count{2, 2},
         .otherwise = "foretold from the scene, and widened to the first picture",
         .by_hand = true}),
    key<&OutputSettings::resolution>("resolution", "of pictures: width, height",
                                     {.kind = Kind::kInteger,
                                      .unit = "pixels",
                                      .range = Range::closed(1, 16384),
                                      .list = Count{2, 2},
                                      .by_hand = true}),
    key<&OutputSettings::follow>(
        "follow", "whether the automatic camera moves back where material leaves the picture"),
    key<&OutputSettings::motion_blur>(
        "motion_blur", "how long the shutter is open, over the duration of a frame; 0: not blurred",
        {.range = Range::closed(0, 1)}),
    key<&OutputSettings::captions>(
        "captions", "what is written in pictures: the time, the legend, the scale of colours"),
    choice_key<&OutputSettings::legend, kLegend>(
        "legend", "names of materials (of bodies, where colours show these) in pictures"),
    choice_key<&OutputSettings::outline, kOutline>("outline",
                                                   "edges of the domain in pictures in 3D"),
    choice_key<&OutputSettings::glass, kGlass>(
        "glass", "closed walls of the domain as panes of glass in pictures in 3D"),
    key<&OutputSettings::channels>(
        "channels", "what particle files hold beside positions",
        {.kind = Kind::kChoice, .list = Count{0}, .more_words = channel_words, .by_hand = true}),
    key<&OutputSettings::checkpoint_every>("checkpoint_every",
                                           "frames from checkpoint to checkpoint; 0: only the last",
                                           {.range = Range::closed(0, 1'000'000'000)}),
    key<&OutputSettings::keep_checkpoints>(
        "keep_checkpoints", "how many are kept, the newest; `resume --from` takes one",
        {.range = Range::closed(1, 1'000'000'000)}),
    choice_key<&OutputSettings::diagnostics, kLevels>(
        "diagnostics", "what is measured of each frame; true: totals, false: off",
        {.also = &kOnOff, .by_hand = true}),
    table_key("camera", kCamera, "of pictures in 3D", {.otherwise = "one that frames the scene"}),
};

constexpr Choice<OnGrowth> kOnGrowth[] = {
    {"warn", OnGrowth::kWarn, "a line on standard error, once"},
    {"stop", OnGrowth::kStop, "the run ends with exit code 5"}};
constexpr Key kDiagnosticsKeys[] = {
    key<&DiagnosticsSettings::energy_growth>(
        "energy_growth",
        "how far the energy may rise that nothing feeds, as a part of the largest energy in motion "
        "and strain so far, or of what lifts all particles by four cells where that is more",
        {.range = Range::positive()}),
    choice_key<&DiagnosticsSettings::on_energy_growth, kOnGrowth>(
        "on_energy_growth", "what happens where it rises further"),
    key<&DiagnosticsSettings::volume_loss>(
        "volume_loss", "what part of its volume an incompressible liquid may lose untold",
        {.range = Range::positive()}),
};

void parse_color(TableReader& table, const Scene& scene, std::string& color) {
  const Node* node = table.find("color");
  const std::vector<std::string_view> names = colors_of(scene);
  std::size_t index = 0;
  if (node != nullptr && read_choice(*node, "color", names, {}, index, table.context()))
    color = names[index];
}

void parse_color_range(TableReader& table, OutputSettings& output) {
  if (!table.read("color_range", output.color_range)) return;
  if (output.color == "material" || output.color == "body" || output.color == "glow")
    table.fail("color_range",
               fmt::format("'color_range' is of colours that show a scalar, not of color = \"{}\"",
                           output.color));
}

void parse_resolution(TableReader& table, std::array<int, 2>& resolution) {
  const Node* node = table.find("resolution");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "resolution", table.context())) return;
  const Range& range = table.row("resolution").range;
  bool valid = node->items.size() == 2;
  for (const Node& item : node->items) {
    valid = valid && item.is(NodeType::kInteger) && range.contains(item.number);
  }
  if (!valid) {
    table.fail(*node,
               fmt::format("'resolution' must be [width, height] in pixels, integers from 1 to {}",
                           range.high));
    return;
  }
  resolution = {static_cast<int>(node->items[0].integer), static_cast<int>(node->items[1].integer)};
}

void parse_level(TableReader& table, DiagnosticsLevel& level) {
  const Node* node = table.find("diagnostics");
  if (node != nullptr && node->is(NodeType::kBoolean)) {
    level = node->boolean ? DiagnosticsLevel::kTotals : DiagnosticsLevel::kOff;
  } else {
    table.read("diagnostics", level, kLevels);
  }
}

}  // namespace

constinit const Table kOutput = {"[output]", "What a run writes.", kOutputKeys};
constinit const Table kDiagnostics = {
    "[diagnostics]",
    "What a run looks out for at the end of every frame; `ledger.csv` has the figures. Needs "
    "output.diagnostics.",
    kDiagnosticsKeys};

void parse_diagnostics(const Node& root, Scene& scene, ReadContext& context) {
  parse_section(root, "diagnostics", context, [&](TableReader& table) {
    table.read_members(scene.diagnostics);
    if (scene.output.diagnostics == DiagnosticsLevel::kOff)
      table.fail(table.node(),
                 "[diagnostics] needs energies, and output.diagnostics is off; set it to "
                 "\"totals\" or remove the table");
  });
}

void parse_output(const Node& root, Scene& scene, ReadContext& context) {
  OutputSettings& s = scene.output;
  parse_section(root, "output", context, [&](TableReader& table) {
    table.read_members(s);
    if (!s.surface.empty() && context.is_2d())
      table.fail("surface", "surfaces need dimension = 3; write 'particles' instead");
    for (const auto& [asked, key] : {std::pair(s.alpha, "alpha"), {s.exr, "exr"}})
      if (asked && context.is_2d()) table.fail(key, "is for pictures of scenes with dimension = 3");
    parse_color(table, scene, s.color);
    parse_color_range(table, s);
    parse_resolution(table, s.resolution);
    table.read_words("channels", s.channels, channels_of(scene));
    parse_level(table, s.diagnostics);
    if (setting_of(scene) != Under::kExplicit && s.diagnostics == DiagnosticsLevel::kStages)
      table.fail("diagnostics", "\"stages\" needs integrator \"explicit\"; use \"totals\"");
    if (const Node* camera = table.find("camera"))
      s.camera = parse_camera(*camera, scene.simulation.gravity, context);
  });
}

}  // namespace firn::scene
