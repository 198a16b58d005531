// What `firn view` sends: quantised pictures in the order of detail, what is kept of them, and
// which requests are answered at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/view/picture_store.h"
#include "src/view/requests.h"
#include "src/view/session.h"
#include "src/view/solids.h"
#include "src/view/traced_bodies.h"
#include "src/view/view_channels.h"

namespace firn::view {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::uint32_t> counted(std::size_t n, std::uint32_t first = 0) {
  std::vector<std::uint32_t> list(n);
  std::iota(list.begin(), list.end(), first);
  return list;
}

TEST(DetailOrder, EveryBeginningIsThatOfTheWhole) {
  const std::vector<std::uint32_t> ids = counted(5000, 77);
  DetailOrder all, some;
  const std::vector<std::uint32_t> whole = all.of(ids, ids.size());
  EXPECT_EQ(std::set(whole.begin(), whole.end()).size(), ids.size());
  for (const std::size_t most : {0, 1, 17, 4999, 5000, 6000}) {
    const auto& part = some.of(ids, most);
    ASSERT_EQ(part.size(), std::min(most, ids.size()));
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << most;
  }
}

TEST(DetailOrder, AParticleKeepsItsPlaceWhenOthersGo) {
  std::vector<std::uint32_t> ids = counted(3000);
  DetailOrder order;
  std::vector<std::uint32_t> before;
  for (const std::uint32_t i : order.of(ids, ids.size()))
    if (ids[i] % 3 != 0) before.push_back(ids[i]);
  std::erase_if(ids, [](std::uint32_t id) { return id % 3 == 0; });
  std::vector<std::uint32_t> after;
  for (const std::uint32_t i : order.of(ids, ids.size())) after.push_back(ids[i]);
  EXPECT_EQ(before, after);
  EXPECT_EQ(order.changes(), 2u);
  order.of(ids, ids.size());
  EXPECT_EQ(order.changes(), 2u);
}

// Of n of N numbers 0 to N - 1 the mean has a standard deviation of less than N / sqrt(12 n).
TEST(DetailOrder, BeginningsAreFairSamples) {
  constexpr std::size_t kAll = 100000;
  DetailOrder order;
  const auto& list = order.of(counted(kAll), kAll);
  for (const std::size_t n : {100u, 1000u, 10000u}) {
    const double mean =
        std::accumulate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n), 0.0) /
        static_cast<double>(n);
    EXPECT_NEAR(mean, (kAll - 1) / 2.0, 4 * kAll / std::sqrt(12.0 * static_cast<double>(n))) << n;
  }
}

TEST(Picture, LevelsAreWithinHalfALevelOfTheirValues) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(-3, 40);
  std::vector<double> values(2000);
  for (double& value : values) value = normal(random);
  values[7] = kNaN;
  values[8] = std::numeric_limits<double>::infinity();
  const std::vector<std::uint32_t> order = counted(values.size());
  const Levels levels = quantised(values, order);
  const double half = (levels.high - levels.low) / kLargestLevel / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      EXPECT_EQ(levels.level[i], kMissing);
      continue;
    }
    const double read = levels.low + levels.level[i] * (levels.high - levels.low) / kLargestLevel;
    EXPECT_NEAR(read, values[i], half * (1 + 1e-9)) << i;
  }
  EXPECT_LT(levels.low, levels.begin);
  EXPECT_LT(levels.begin, levels.end);
  EXPECT_LT(levels.end, levels.high);
}

TEST(Picture, ValuesThatAreAllTheSameOrNoneHaveALevel) {
  const std::vector<std::uint32_t> order = counted(3);
  EXPECT_EQ(quantised({2, 2, 2}, order).level, std::vector<std::uint16_t>(3, 0));
  EXPECT_EQ(quantised({kNaN, kNaN, kNaN}, order).level, std::vector<std::uint16_t>(3, kMissing));
  EXPECT_EQ(quantised({}, order).level, std::vector<std::uint16_t>(3, kMissing));
  EXPECT_TRUE(quantised({}, {}).level.empty());
}

Snapshot snapshot_of(int dimension, std::vector<float> position) {
  Snapshot snapshot;
  snapshot.dimension = dimension;
  snapshot.position = std::move(position);
  snapshot.id = counted(snapshot.position.size() / static_cast<std::size_t>(dimension));
  return snapshot;
}

TEST(Picture, PlacesFillTheirBoxAndHaveNoThirdAxisInThePlane) {
  const Snapshot snapshot = snapshot_of(2, {1, 5, 3, 5, 2, 5, std::nanf(""), 5});
  const Places places = quantised_places(snapshot, counted(4));
  EXPECT_EQ(places.origin, (Vec3{1, 5, 0}));
  EXPECT_EQ(places.extent, (Vec3{2, 0, 0}));
  EXPECT_EQ(places.level, (std::vector<std::uint16_t>{0, 0, 0, 65535, 0, 0, 32768, 0, 0, 0, 0, 0}));
}

TEST(Picture, PackedPointsAreEightBytesEach) {
  Places places;
  places.level = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  Levels levels;
  levels.level = {10, 20, 30};
  const std::string bytes = packed_points(places, &levels, 1, 5);
  ASSERT_EQ(bytes.size(), 16u);
  std::array<std::uint16_t, 8> numbers;
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  EXPECT_EQ(numbers, (std::array<std::uint16_t, 8>{4, 5, 6, 20, 7, 8, 9, 30}));
  EXPECT_EQ(packed_points(places, nullptr, 0, 1)[6], '\xff');
  EXPECT_TRUE(packed_points(places, &levels, 3, 1).empty());
  EXPECT_TRUE(packed_points(places, &levels, std::size_t(-1), std::size_t(-1)).empty());
}

Picture picture_of(int frame, bool passing = false) {
  Picture picture;
  picture.frame = frame;
  picture.passing = passing;
  picture.places.level.resize(3000);
  return picture;
}

TEST(PictureStore, APassingPictureGivesItsPlaceToTheNext) {
  PictureStore store(1 << 20);
  store.add(picture_of(0));
  const std::uint64_t passing = store.add(picture_of(0, true));
  EXPECT_EQ(store.all().size(), 2u);
  EXPECT_NE(store.find(passing), nullptr);
  store.add(picture_of(0, true));
  store.add(picture_of(1));
  EXPECT_EQ(store.all().size(), 2u);
  EXPECT_EQ(store.find(passing), nullptr);
}

TEST(PictureStore, StaysWithinItsBoundAndSpansTheRun) {
  const std::size_t bound = 10 * picture_of(0).bytes();
  PictureStore store(bound);
  for (int frame = 0; frame < 1000; ++frame) {
    store.add(picture_of(frame));
    ASSERT_LE(store.bytes(), bound);
    ASSERT_EQ(store.all().front()->frame, 0);
    ASSERT_EQ(store.all().back()->frame, frame);
  }
  EXPECT_GE(store.all().size(), 5u);
  EXPECT_GT(store.thinned(), 0);
  PictureStore tight(1);
  for (int frame = 0; frame < 10; ++frame) tight.add(picture_of(frame));
  EXPECT_EQ(tight.all().size(), 2u);
}

TEST(PictureMaker, ValuesThatLieOnTheGridAreThoseOfTheLastPicture) {
  const Scene scene = load_scene(std::string(FIRN_SOURCE_DIR) + "/scenes/jello-drop.toml");
  PictureMaker maker(scene, 100);
  Snapshot snapshot = snapshot_of(3, std::vector<float>(30, 1.0f));
  snapshot.velocity.assign(30, 2.0f);
  snapshot.material.assign(10, 0);
  const Picture first = maker.make(snapshot, 4, "");
  snapshot.velocity.clear();
  const Picture second = maker.make(snapshot, 4, "");
  EXPECT_EQ(second.find("speed")->levels, first.find("speed")->levels);
  EXPECT_TRUE(second.find("speed")->earlier);
  EXPECT_FALSE(second.find("material")->earlier);
  EXPECT_EQ(second.find("vorticity"), nullptr);
  EXPECT_NE(maker.make(snapshot, 4, "vorticity").find("vorticity"), nullptr);
  snapshot.id.back() = 99;  // others: nothing is known of them
  EXPECT_EQ(maker.make(snapshot, 5, "").find("speed")->levels->level[0], kMissing);
}

TEST(PictureMaker, TracersShareTheirBodiesWhileTheyStayTheSame) {
  const Scene scene = load_scene(std::string(FIRN_SOURCE_DIR) + "/scenes/dust-column.toml");
  PictureMaker maker(scene, 4);
  Snapshot tracers = snapshot_of(3, std::vector<float>(18, 1.0f));
  tracers.body = {0, 1, 0, 1, 1, 1};
  const PictureTracers first = maker.tracers(tracers), second = maker.tracers(tracers);
  EXPECT_EQ(first.all, 6);
  EXPECT_EQ(first.places.points(), 4u);
  EXPECT_EQ(first.body->level.size(), 4u);
  EXPECT_EQ(first.body, second.body);
  Picture picture;
  const std::size_t without = picture.bytes();
  picture.tracers = first;
  EXPECT_EQ(picture.bytes(), without + 4 * 4 * sizeof(std::uint16_t));
  EXPECT_EQ(maker.tracers(snapshot_of(3, {})).body, nullptr);
}

TEST(TracedBodies, TracersStandForTheParticlesOfTheirBodiesOrForAll) {
  Scene scene;
  scene.bodies.resize(2);
  scene.tracers.per_cell = 8;
  scene.tracers.bodies = {1};
  Levels bodies;
  bodies.level = {0, 1, 2, kMissing};  // two bodies, a source, and what is not known
  Picture picture;
  picture.places.level.resize(12);
  picture.channels.push_back({"body", std::make_shared<Levels>(bodies), 0, false});
  EXPECT_TRUE(TracedBodies(scene).stood_for(picture).empty());  // it has no tracers
  picture.tracers.places.level.resize(3);
  using Bits = std::vector<bool>;
  EXPECT_EQ(TracedBodies(scene).stood_for(picture), (Bits{false, true, false, false}));
  scene.tracers.bodies = {};  // all of them
  EXPECT_EQ(TracedBodies(scene).stood_for(picture), (Bits{true, true, false, false}));
  scene.tracers.alone = true;
  EXPECT_EQ(TracedBodies(scene).stood_for(picture), Bits(4, true));
}

TEST(Picture, BitsAreEightToAByte) {
  std::vector<bool> bits(10);
  bits[1] = bits[8] = true;
  EXPECT_EQ(packed_bits(bits), std::string("\x02\x01"));
  EXPECT_TRUE(packed_bits({}).empty());
}

TEST(Solids, ABoxHasTwelveEdgesAndABallNone) {
  Scene scene;
  scene.grid.dx = 0.1;
  Collider box, ball, floor;
  box.shape.type = ShapeType::kBox;
  box.shape.max = {1, 2, 3};
  ball.shape.radius = 1;
  floor.shape.type = ShapeType::kHalfSpace;
  scene.colliders = {box, ball, floor};
  const Solids solids = solids_of(scene);
  EXPECT_EQ(solids.collider, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(solids.solids[0].lines.size(), 12u * 6);
  EXPECT_TRUE(solids.solids[1].lines.empty());
  EXPECT_GT(solids.solids[1].triangles.size(), 0u);
  EXPECT_TRUE(solids.solids[2].plane);
}

// ---- requests ----------------------------------------------------------------------------------
class Requests : public testing::Test {
 protected:
  Request get(std::string_view path = "/api/state") const {
    Request request;
    request.method = "GET";
    request.path = path;
    request.host = "127.0.0.1:8080";
    request.token = access_.token();
    return request;
  }
  Request post() const {
    Request request = get("/api/play");
    request.method = "POST";
    request.content_type = "application/json";
    request.content_length = "2";
    return request;
  }
  int status(const Request& request) const {
    const auto refusal = access_.refusal(request);
    return refusal ? refusal->status : 200;
  }
  const Access access_{8080, new_token()};
};

TEST_F(Requests, OfThePageItselfAreAnswered) {
  EXPECT_EQ(status(get()), 200);
  EXPECT_EQ(status(post()), 200);
  Request named = post();
  named.host = "localhost:8080";
  named.origin = "http://localhost:8080";
  named.fetch_site = "same-origin";
  EXPECT_EQ(status(named), 200);
  Request page = get("/");
  page.token = "";
  page.fetch_site = "none";
  EXPECT_EQ(status(page), 200);
}

TEST_F(Requests, LeaveThePortOfHttpOut) {
  const Access access(80, access_.token());
  Request request = post();
  for (const char* host : {"127.0.0.1", "localhost", "127.0.0.1:80"}) {
    const std::string origin = std::string("http://") + host;
    request.host = host;
    request.origin = origin;
    EXPECT_FALSE(access.refusal(request)) << host;
  }
  request.host = "127.0.0.1:8080";
  EXPECT_TRUE(access.refusal(request));
}

TEST_F(Requests, WithAnotherNameOfTheServerAreRefused) {
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "localhost", "evil.example:8080",
                           "127.0.0.1:8080.evil.example", "localhost:8080 ", "[::1]:8080"}) {
    Request request = get();
    request.host = host;
    EXPECT_EQ(status(request), 403) << host;
    request.path = "/";
    EXPECT_EQ(status(request), 403) << host;
  }
}

TEST_F(Requests, OfOtherOriginsAreRefused) {
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8080",
                             "http://127.0.0.1:8081", "http://127.0.0.1:8080/", "file://"}) {
    Request request = get();
    request.origin = origin;
    EXPECT_EQ(status(request), 403) << origin;
  }
  for (const char* site : {"cross-site", "same-site"}) {
    Request request = get();
    request.fetch_site = site;
    EXPECT_EQ(status(request), 403) << site;
  }
}

TEST_F(Requests, WithoutTheTokenAreRefused) {
  std::string almost = access_.token();
  almost.back() = almost.back() == '0' ? '1' : '0';
  const std::string longer = access_.token() + "0";
  for (const std::string& token : {std::string(), almost, longer, almost.substr(1)}) {
    Request request = get();
    request.token = token;
    EXPECT_EQ(status(request), 401) << token;
  }
  EXPECT_NE(new_token(), new_token());
  EXPECT_EQ(new_token().size(), 32u);
}

TEST_F(Requests, OfAnotherFormAreRefused) {
  Request request = get();
  request.method = "DELETE";
  EXPECT_EQ(status(request), 405);
  request = get();
  request.repeated = true;
  EXPECT_EQ(status(request), 400);
  request = post();
  request.encoded = true;
  EXPECT_EQ(status(request), 415);
  for (const char* length : {"", "-1", "8193", "99999999999999999999", "1e3", "0x10", "+2"}) {
    request = post();
    request.content_length = length;
    EXPECT_EQ(status(request), 413) << length;
  }
  request = post();
  request.content_type = "text/plain";
  EXPECT_EQ(status(request), 415);
  request = post();
  request.path = "/";
  EXPECT_EQ(status(request), 405);
  request = get();
  request.content_length = "5";
  EXPECT_EQ(status(request), 400);
}

TEST(ViewSession, WhoWaitsIsWokenByAChangeAndByTheEnd) {
  Session session(true, 1 << 20);
  const Json now = session.state(0, 0, std::chrono::milliseconds(0));
  EXPECT_EQ(now.at("phase"), "filling");
  session.set_phase(Phase::kRunning);
  const Json next = session.state(now.at("version"), 0, std::chrono::minutes(10));
  EXPECT_EQ(next.at("phase"), "running");
  session.close();
  session.state(next.at("version"), 0, std::chrono::minutes(10));  // returns
}

TEST(ViewSession, PackedHeadersLeaveWhatFollowsAligned) {
  for (const char* text : {"", "a", "abcdefg", "abcdefghijk"}) {
    const std::string bytes = packed({{"x", text}}, "body");
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data(), 4);
    EXPECT_EQ((4 + length) % 8, 0u);
    EXPECT_EQ(bytes.substr(4 + length), "body");
    EXPECT_EQ(Json::parse(bytes.substr(4, length)).at("x"), text);
  }
}

}  // namespace
}  // namespace firn::view
