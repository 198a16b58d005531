# The operators: function templates that are declared in a header and defined in an .inl. The build writes what
# instantiates them for every backend, dimension and precision; no other file names a case.
#
#   firn_operators(FILE [SPLIT DIMENSION|CASE] OPERATOR...)
#
# FILE is the .inl in kernels/ without its ending. OPERATOR stands for OPERATOR<Exec, D, Real>; one with other parameters
# is written with them. There is one source per backend, or more where a compiler would take long over it.
function(firn_operators file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" SPLIT "")
  firn_instantiate(firn_kernels "kernels/${file}" Cpu kernels/exec/host.h cpp "${arg_SPLIT}" "${arg_UNPARSED_ARGUMENTS}")
  if(FIRN_WITH_CUDA)
    firn_instantiate(firn_kernels "kernels/${file}" Cuda kernels/exec/cuda.cuh cu "${arg_SPLIT}"
                     "${arg_UNPARSED_ARGUMENTS}")
  endif()
endfunction()

# Function templates of the host that are instantiated like operators.
function(firn_host_templates target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" SPLIT "")
  foreach(exec IN ITEMS Cpu Cuda)
    if(exec STREQUAL Cpu OR FIRN_WITH_CUDA)
      firn_instantiate(${target} ${file} ${exec} kernels/exec/backend.h cpp "${arg_SPLIT}" "${arg_UNPARSED_ARGUMENTS}")
    endif()
  endforeach()
endfunction()

# A pointer that must be kept makes the compiler emit the function that it points at.
function(firn_instantiate target file exec backend ending split templates)
  set(cases "2d float;2d double;3d float;3d double")
  if(NOT FIRN_WITH_DOUBLE)
    list(FILTER cases EXCLUDE REGEX double)
  endif()
  set(parts ".*")
  if(split STREQUAL DIMENSION)
    set(parts "^2d" "^3d")
  elseif(split STREQUAL CASE)
    set(parts ${cases})
  endif()
  string(TOLOWER "${exec}" suffix)
  foreach(part IN LISTS parts)
    string(REGEX REPLACE "[^a-z0-9]+" "_" name "${file}_${suffix}_${part}")
    string(REGEX REPLACE "_+$" "" name "${name}")
    set(chosen ${cases})
    list(FILTER chosen INCLUDE REGEX "${part}")
    set(instances "")
    foreach(template IN LISTS templates)
      if(NOT template MATCHES "<")
        string(APPEND template "<Exec,D,Real>")
      endif()
      foreach(case IN LISTS chosen)
        string(SUBSTRING "${case}" 0 1 dimension)
        string(SUBSTRING "${case}" 3 -1 real)
        string(REGEX REPLACE "([<,])Exec([,>])" "\\1${exec}\\2" instance "${template}")
        string(REGEX REPLACE "([<,])D([,>])" "\\1${dimension}\\2" instance "${instance}")
        string(REGEX REPLACE ",Real>" ",${real}>" instance "${instance}")
        list(APPEND instances "${instance}")
      endforeach()
    endforeach()
    list(REMOVE_DUPLICATES instances)
    set(kept "")
    set(number 0)
    foreach(instance IN LISTS instances)
      string(APPEND kept "[[maybe_unused, gnu::used]] constexpr auto* kInstance${number} = &${instance};\n")
      math(EXPR number "${number} + 1")
    endforeach()
    set(source "${PROJECT_BINARY_DIR}/instances/${name}.${ending}")
    file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "// Written by kernels/operators.cmake.
#include \"${backend}\"
#include \"${file}.inl\"

namespace firn {
namespace {
${kept}}
}  // namespace firn
")
    target_sources(${target} PRIVATE "${source}")
  endforeach()
endfunction()

firn_operators(exec/multiply_add multiply_add<Exec,Real>)
firn_operators(step/step open_step<Exec> begin_step<Exec> end_step<Exec>)

firn_operators(grid/rebuild rebuild_layout restore_layout permute_rows<Exec,Real> copy_rows<Exec,Real>
  clear_nodes<Exec,Real> save_keys<Exec,Real> save_nodes<Exec,Real> carry_nodes<Exec,Real>)
firn_operators(grid/update grid_update add_columns<Exec>)
firn_operators(grid/surfaces find_surfaces)
firn_operators(grid/meet_materials SPLIT DIMENSION meet_materials)
firn_operators(grid/add_given add_given<Exec,Real>)
firn_operators(grid/mirror fold_images mirror_velocities)
firn_operators(grid/find_dependents SPLIT DIMENSION find_dependents)
firn_operators(grid/dependents SPLIT DIMENSION fold_dependents mirror_dependents)
firn_operators(grid/exchange give_nodes take_nodes)
firn_operators(grid/bodies update_with_bodies take_impulses move_bodies)
firn_operators(grid/solid_contact resolve_solids add_contact_reactions)

firn_operators(transfer/p2g SPLIT CASE p2g)
firn_operators(transfer/g2p SPLIT CASE g2p)
firn_operators(transfer/g2p2g SPLIT CASE g2p2g)
firn_operators(transfer/scatter_impulses SPLIT DIMENSION scatter_impulses)
firn_operators(transfer/mac_p2g SPLIT CASE mac_p2g)
firn_operators(transfer/mac_g2p SPLIT CASE mac_g2p)
firn_operators(materials/constitutive SPLIT DIMENSION constitutive_step packs_per_chunk<Exec,Real>)
firn_operators(implicit/particles SPLIT CASE evaluate_particles add_blocks apply_stiffness)
firn_operators(implicit/positions SPLIT DIMENSION settle_positions)
firn_operators(implicit/damping SPLIT DIMENSION begin_damping)
firn_operators(implicit/points SPLIT DIMENSION add_points)
firn_operators(implicit/node_levels SPLIT DIMENSION find_coarser link_levels count_rows place_rows begin_points coarsen_points assemble_nodes)
firn_operators(implicit/node_cycle SPLIT DIMENSION find_damping subtract_nodes smooth_nodes restrict_nodes prolong_nodes prolong_to_grid
  next_conjugate<Exec,NodeSpace<D,Real>,CorrectedInverse<D,Real>>
  advance_minres<Exec,NodeSpace<D,Real>,CorrectedInverse<D,Real>>)
firn_operators(implicit/images SPLIT DIMENSION mirror_nodes fold_nodes turn_weights)
firn_operators(implicit/contacts close_contacts end_implicit)
firn_operators(implicit/ways SPLIT DIMENSION follow_nodes follow_particles)
firn_operators(implicit/nodes SPLIT DIMENSION begin_implicit guess_velocity try_velocity evaluate_nodes
  invert_blocks sum_demand finish_stiffness begin_gradients<Exec,NodeSpace<D,Real>>
  subtract_product<Exec,NodeSpace<D,Real>,NoProduct<D,Real>>
  step_along<Exec,NodeSpace<D,Real>,StoredProduct<D,Real>> begin_minres<Exec,NodeSpace<D,Real>>
  multiply_minres<Exec,NodeSpace<D,Real>,StoredProduct<D,Real>>)
firn_operators(particles/totals particle_totals)
firn_operators(particles/accelerate plan_kick<Exec> accelerate bound_kick<Exec>)
firn_operators(particles/force_fields evaluate_forces)

firn_operators(solve/levels build_levels)
firn_operators(solve/components find_components number_components remove_means untie_components<Exec>)
firn_operators(solve/multigrid smooth first_sweep restrict_residual coarse_cycle)
firn_operators(solve/elliptic_gradients begin_solve<Exec,SolveControl> adopt_rhs<Exec> judge_residual<Exec> prepare_guess
  compute_residual update_direction apply_operator update_solution)

firn_operators(mac/prepare classify_cells measure_faces accelerate_faces)
firn_operators(mac/flood_cells flood_cells)
firn_operators(mac/project assemble_projection apply_pressure apply_correction extrapolate_faces complete_faces)
firn_operators(mac/particle_pressure particle_pressure)
firn_operators(mac/inflow feed_cells inflow_work)
firn_operators(mac/boundaries release_sliding_faces constrain_faces pressure_reactions stress_reactions
               clinging_reactions)
firn_operators(mac/swelling subtract_swelling)
firn_operators(liquid/moved_bodies free_bodies push_bodies weigh_bodies hit_bodies)
firn_operators(liquid/body_term add_body_product subtract_body_product tie_components)
firn_operators(mac/face_layers find_layers)
firn_operators(mac/extrapolation transpose_faces transpose_channel extrapolate_channel extrapolate_velocities)

firn_operators(liquid/position_correction fill_cells measure_excess assemble_correction)
firn_operators(liquid/separating_walls switch_walls close_walls)
firn_operators(liquid/tracers advance_tracers)

firn_operators(heat/conduction heat_p2g power_p2g settle_cells assemble_heat apply_fluxes)
firn_operators(heat/heat_g2p heat_g2p)
firn_operators(stress/volumetric volume_p2g settle_volume compress_cells volume_g2p deform_particles)
firn_operators(stress/energy material_energies)
firn_operators(stress/deviatoric measure_stretch measure_viscosity begin_deviatoric apply_deviatoric deviatoric_reactions project_residual end_deviatoric
  advance_minres<Exec,DeviatoricSpace<D,Real>,DeviatoricInverse<D,Real>>
  multiply_minres<Exec,DeviatoricSpace<D,Real>,DeviatoricProduct<D,Real>>)
