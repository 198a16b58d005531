// [[contact]]: materials, or bodies, that touch each other.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/scene/contact_limits.h"
#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr Key kContactKeys[] = {
    key("materials", "names of those that touch: every two of them",
        {.kind = Kind::kString, .list = Count{2}, .otherwise = "`bodies` do"}),
    key("bodies",
        "names of those that touch, also of one material: each then has a material of its own",
        {.kind = Kind::kString, .list = Count{2}, .otherwise = "`materials` do"}),
    key<&MaterialContact::friction>("friction",
                                    "Coulomb coefficient of what is pressed together and slides",
                                    {.range = Range::non_negative()}),
};

class Contacts {
 public:
  Contacts(const Node& root, Scene& scene, const ReadContext& context)
      : root_(root), context_(context), scene_(scene), bodies_(names_of(scene.bodies)) {
    for (const Material& material : scene.materials) materials_.push_back(material.name);
  }

  void read(TableReader& table) {
    if (setting_of(scene_) != Under::kExplicit)
      table.fail(table.node(),
                 "[[contact]] is there under integrator \"explicit\" alone; remove it or set "
                 "simulation.integrator");
    MaterialContact contact;
    table.read_members(contact);
    const bool by_body = table.find("bodies") != nullptr;
    if (by_body == table.has("materials"))
      table.fail(table.node(), "a [[contact]] needs either 'materials' or 'bodies'");
    if (by_body && lacks_instances(root_, context_)) return;
    const std::string_view list = by_body ? "bodies" : "materials";
    const std::vector<std::string_view> known =
        by_body ? bodies_ : std::vector<std::string_view>(materials_.begin(), materials_.end());
    contact.materials = table.read_indices(list, known, "those that touch are two or more");
    if (contact.materials.size() == 1)
      table.fail(list, fmt::format("'{}' must name two or more", list));
    if (by_body && scene_.materials.empty()) return;  // a finding of each body
    std::size_t touching = touching_.size();
    for (const int index : contact.materials)
      touching += by_body ? !own_.contains(index) : !touching_.contains(index);
    if (touching > kMostTouching)
      return table.fail(list,
                        fmt::format("at most {} materials and bodies may touch others, found {}",
                                    kMostTouching, touching));
    if (by_body)
      for (int& index : contact.materials) index = own_material(index);
    for (const int a : contact.materials)
      for (const int b : contact.materials)
        if (a < b && !pairs_.emplace(a, b).second)
          table.fail(list, fmt::format("'{}' and '{}' touch in another [[contact]] already",
                                       name_of(a), name_of(b)));
    touching_.insert(contact.materials.begin(), contact.materials.end());
    scene_.contacts.push_back(std::move(contact));
  }
  // What touches a material also touches bodies that have one of their own instead.
  OwnMaterials finish() {
    const std::size_t read = scene_.contacts.size();
    for (std::size_t c = 0; c < read; ++c) {
      const MaterialContact contact = scene_.contacts[c];
      for (const int a : contact.materials)
        for (const int b : contact.materials)
          if (a < b) add_owners(a, b, contact.friction);
    }
    return std::move(owners_);
  }

 private:
  int own_material(int body) {
    const auto [own, is_new] = own_.emplace(body, static_cast<int>(scene_.materials.size()));
    if (!is_new) return own->second;
    Body& owner = scene_.bodies[static_cast<std::size_t>(body)];
    Material material = scene_.materials[static_cast<std::size_t>(owner.material)];
    material.name = fmt::format("{} ({})", material.name, owner.name);
    const auto has_name = [&](const Material& other) { return other.name == material.name; };
    while (std::ranges::any_of(scene_.materials, has_name)) material.name += '\'';
    for (ForceField& force : scene_.forces)
      if (!force.materials.empty() && force.acts_on(owner.material))
        force.materials.push_back(own->second);
    owners_.emplace(owner.material, own->second);
    owner.material = own->second;
    scene_.materials.push_back(std::move(material));
    return own->second;
  }
  std::vector<int> with_owners(int material) const {
    std::vector<int> all = {material};
    const auto [begin, end] = owners_.equal_range(material);
    for (auto own = begin; own != end; ++own) all.push_back(own->second);
    return all;
  }
  void add_owners(int a, int b, double friction) {
    for (const int of_a : with_owners(a))
      for (const int of_b : with_owners(b))
        if (pairs_.emplace(std::min(of_a, of_b), std::max(of_a, of_b)).second)
          scene_.contacts.push_back({{of_a, of_b}, friction});
  }
  const std::string& name_of(int material) const {
    return scene_.materials[static_cast<std::size_t>(material)].name;
  }

  const Node& root_;
  const ReadContext& context_;
  Scene& scene_;
  std::vector<std::string> materials_;  // before bodies get their own
  std::vector<std::string_view> bodies_;
  std::map<int, int> own_;  // of bodies
  OwnMaterials owners_;
  std::set<std::pair<int, int>> pairs_;
  std::set<int> touching_;
};

}  // namespace

constinit const Table kContact = {
    "[[contact]]",
    "Materials or bodies that touch each other: they push and rub where they meet and let go of "
    "each other. Others hold together where they are closer than about a cell.",
    kContactKeys};

OwnMaterials parse_contacts(const Node& root, Scene& scene, ReadContext& context) {
  Contacts contacts(root, scene, context);
  parse_sections(root, "contact", context,
                 [&](TableReader& table, std::size_t) { contacts.read(table); });
  return contacts.finish();
}

}  // namespace firn::scene
