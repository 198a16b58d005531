// The sensors of a scene: gauges that read numbers off the material while it moves.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

// A number that a sensor reads. A vector has a column for each component, a tensor for each entry.
struct SensorColumn {
  std::string name{}, unit{};
};

struct SensorReading {
  std::size_t sensor = 0;        // index in Scene::sensors
  double time = 0;               // s, simulated
  std::vector<double> values{};  // one per column; NaN where there is nothing to read
};

// What the columns of a sensor are:
//
//  point     density, and means of its channels, of the particles around it, weighted by the
//            quadratic B-spline of one grid spacing: what lies further away than 1.5 dx along an
//            axis does not count. NaN where nothing does.
//  region    particles, mass and volume (at rest) in the shape, and means of its channels
//  plane     mass_flux, volume_flux (of volume at rest), the area that is wetted and the mean
//            velocity across it, from particles within dx of the plane, which count the less the
//            further away they are
//  height    of the material above the sensor's position along its direction: where, from above,
//            the part of a cell that it fills first reaches one half; 0 where it nowhere does
//  collider  force and torque about the world origin that the material exerts, mean values since
//            the last reading by advance_frame or by read_on; of read(), since the last frame's end
//  contact   the same that others exert on its bodies or materials where they touch; what these
//            exert on each other cancels
//  motion    of a collider: position (m; of its centre of mass if material moves it, else of where
//            its pivot is) and rotation since the start (the vector along its axis, up to half a
//            turn), velocity there and angular velocity; of bodies or materials: mass, position and
//            velocity of their centre of mass, the angular velocity that a rigid body of their
//            angular momentum and inertia would have, and the kinetic energy of their particles'
//            velocities. NaN where no particle is
//
// All that look at particles count those of their bodies or materials alone, if they have any.
// Means of velocity and speed are weighted by mass, those of all other channels by volume.
class Sensors {
 public:
  // Throws Error{kScene} if a channel or collider of a sensor is not there.
  explicit Sensors(const Scene& scene);
  ~Sensors();
  // As a simulation that has been moved from, see there.
  Sensors(Sensors&&) noexcept;
  Sensors& operator=(Sensors&&) noexcept;

  std::size_t size() const;
  const std::string& name(std::size_t sensor) const;
  const std::vector<SensorColumn>& columns(std::size_t sensor) const;

  // All of them now, in their order; what colliders are given is the mean since the last frame's
  // end. Between two frames a simulation has velocities where advance_until or advance_steps has
  // ended, see Simulation::snapshot.
  std::vector<SensorReading> read(const Simulation& simulation) const;

  // The same, but what colliders are given is the mean since this was last called, however the
  // simulation was advanced in between, as long as no more than one frame, or one call of
  // advance_steps, has ended since; else, and at first, as read() has it.
  std::vector<SensorReading> read_on(const Simulation& simulation);

  // As Simulation::advance_frame, but that steps end at every multiple of 1 / rate of a sensor too,
  // where `take` gets what it reads; at the end of the frame it gets those without a rate. A
  // simulation whose sensors have no rates, or such that frames end at, takes the same steps as
  // without them.
  bool advance_frame(Simulation& simulation, const std::function<void(const SensorReading&)>& take,
                     const Observer& observer = {});

  // What further readings of advance_frame depend on beside the simulation's state, as numbers for
  // another object of the same scene.
  std::vector<double> state() const;
  // Throws Error{kFile} if there are too few or too many.
  void set_state(const std::vector<double>& state);

 private:
  class Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn
