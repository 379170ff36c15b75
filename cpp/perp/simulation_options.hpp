// SPDX-License-Identifier: MIT
/** @file simulation_options.hpp
 * Options of a simulation, schemes by name, and what is chosen where nothing is said. */
#ifndef PERP_CXX_SIMULATION_OPTIONS_HPP
#define PERP_CXX_SIMULATION_OPTIONS_HPP

#include <cstdint>
#include <vector>

#include "perp/model.hpp"
#include "perp/simulation.h"
#include "perp/solver.hpp"

namespace perp {

/** What a step does when its one-step problem is not solved, or a callback asks for a retry. */
enum class failure : std::int32_t {
  by_model = -1, /**< accept where contacts come and go (docs/running.md), else stop */
  stop = PERP_FAILURE_STOP,
  retry = PERP_FAILURE_RETRY,
  accept = PERP_FAILURE_ACCEPT
};

/** When Newton's iteration of a step ends. */
enum class newton_stop : std::int32_t {
  residual = PERP_NEWTON_RESIDUAL, /**< all equations hold, evaluated anew, to newton_tol   */
  dynamics = PERP_NEWTON_DYNAMICS, /**< ‖R(v) − Hᵀλ‖₂ <= newton_tol (N s)                    */
  fixed = PERP_NEWTON_FIXED        /**< after newton_max iterations                         */
};

/** In which form one-step problems are solved. */
enum class formulation : std::int32_t {
  reduced = PERP_FORMULATION_REDUCED, /**< velocities eliminated                       */
  global = PERP_FORMULATION_GLOBAL,   /**< W stays                                     */
  automatic = PERP_FORMULATION_AUTO,  /**< island by island, as perp_global_form() says */
  by_model = -1                       /**< reduced; automatic with a pool and no solver named */
};

/** Where Newton's iteration starts. */
enum class newton_start : std::int32_t {
  current = PERP_NEWTON_FROM_CURRENT,  /**< positions that the velocities lead to */
  position = PERP_NEWTON_FROM_POSITION /**< positions of the begin                */
};

/** What a step does about constraints that velocities leave violated. */
enum class projection : std::int32_t {
  none = PERP_PROJECT_NONE,
  positions = PERP_PROJECT_POSITIONS,
  combined = PERP_PROJECT_COMBINED
};

/** Schemes by name, see perp/simulation.h. */
/**@{*/
inline const perp_integrator *moreau_jean() { return perp_integrator_moreau_jean(); }
inline const perp_integrator *schatzman_paoli() { return perp_integrator_schatzman_paoli(); }
inline const perp_integrator *theta_scheme() { return perp_integrator_theta(); }
inline const perp_integrator *theta_gamma() { return perp_integrator_theta_gamma(); }
inline const perp_integrator *theta_gamma_full() { return perp_integrator_theta_gamma_full(); }
/**@}*/

/** Value of simulation_options::gap_tol where none was given. */
constexpr double gap_by_model = -1;
/** Values of simulation_options::speed_tol: none given; 0.1 g h, for heaps of grains; 0.01 g h, for
 * stacks and masonry. */
/**@{*/
constexpr double speed_by_model = -3;
constexpr double speed_for_piles = PERP_SPEED_PILE;
constexpr double speed_for_stacks = PERP_SPEED_STACK;
/**@}*/

/** Options of a simulation, with the defaults of C where they have one. */
struct simulation_options {
  double h = 1e-3;        /**< step length (s): t_k = t0 + k h                           */
  std::int32_t steps = 0; /**< steps of the grid; 0: no end                              */
  double t0 = 0;          /**< first time (s)                                            */
  array grid;             /**< increasing times instead of t0, h and steps               */
  double theta = 0.5;     /**< weight of the end of the step                             */
  array thetas;           /**< theta of each system; none: theta for all                 */
  double gamma = PERP_GAMMA_DEFAULT; /**< prediction of the gap, y + γ h ẏ; none given: 1/2     */
  double gap_tol = gap_by_model;     /**< acts where y + γ h ẏ <= gap_tol, >= 0; by the model:
                                          perp_pool_gap_tol_of_step(), 0 without a pool        */
  double equality_tol = 1e-3;        /**< by how much contradicting equalities may be missed    */
  double min_gap = -1e-3; /**< smallest accepted initial gap, unit of y                  */
  method solver;          /**< none: by the model, see docs/start-cpp.md                 */
  const perp_integrator *integrator = nullptr; /**< in a model of both orders for the systems of
                                                  its own; null: moreau_jean(), theta_scheme() */
  std::vector<const perp_integrator *> integrators; /**< per system, null: integrator; none: all
                                                       so                                */
  const perp_backend *backend = nullptr;            /**< for large dense systems                  */
  const perp_sparse *sparse = nullptr; /**< for sparse systems; null: LDL, and KLU where that
                                          refuses a matrix (not symmetric, not positive definite) */
  perp::formulation formulation = perp::formulation::by_model; /**< else global must be there */
  const perp_step_solver *global = nullptr; /**< for one-step problems in global form, such as
                                               perp_global_step()                        */
  failure on_failure = failure::by_model;   /**< when a one-step problem is not solved    */
  std::int32_t max_halvings = 4;            /**< for failure::retry                       */
  double accept_tol = 1e-2;                 /**< for failure::accept: largest relative residual */
  double speed_tol = speed_by_model; /**< residual (unit of ẏ) that ends the sweeps of a pool in
                                        global form; by the model: speed_for_piles where no solver
                                        is named, else 0, its tolerance                    */
  double sleep_energy = 0;   /**< J/kg: islands whose systems have less for sleep_time (s) sleep,
                                where contacts of a pool are swept; 0: none do                 */
  double sleep_time = 0.5;   /**< see sleep_energy                                        */
  bool switchable = false;   /**< set_active() is allowed                  */
  double reaction_gamma = 1; /**< γ of theta_gamma() and theta_gamma_full() */

  /** Newton's iteration of models that are not linear. */
  /**@{*/
  perp::newton_stop newton_stop = perp::newton_stop::residual;   /**< when it ends         */
  perp::newton_start newton_start = perp::newton_start::current; /**< where it starts      */
  std::int32_t newton_max = 50;                                  /**< iterations of a step */
  std::int32_t newton_halvings = 8;                              /**< of the line search   */
  double newton_tol = 1e-10;                                     /**< see newton_stop      */
  /**@}*/
  /** Constraints at position level. */
  /**@{*/
  perp::projection projection = perp::projection::none; /**< at the end of each step         */
  std::int32_t projection_max = 20;                     /**< passes of a step                */
  double projection_tol = 1e-8;                         /**< largest |y| of an equality      */
  double projection_tol_unilateral = 1e-8;              /**< largest −y of a contact         */
  /**@}*/
};

namespace detail {

/** Options in C's form and what they point to; stays where it is. */
class c_options {
 public:
  c_options(const simulation_options &from, const parts &model, const perp_model *form)
      : from_(from) {
    perp_simulation_options_init(&options_, sizeof options_);
    perp_pool_defaults(form, from_.grid.size() > 1 ? from_.grid[1] - from_.grid[0] : from_.h,
                       from_.solver.solver != nullptr, &options_);
    options_.h = from_.h;
    options_.steps = from_.steps;
    options_.t0 = from_.t0;
    options_.theta = from_.theta;
    options_.gamma = from_.gamma;
    options_.min_gap = from_.min_gap;
    options_.backend = from_.backend;
    options_.global = from_.global;
    if (from_.on_failure != failure::by_model)
      options_.on_failure = static_cast<std::int32_t>(from_.on_failure);
    options_.max_halvings = from_.max_halvings;
    options_.accept_tol = from_.accept_tol;
    if (from_.gap_tol != gap_by_model) options_.gap_tol = from_.gap_tol;
    if (from_.speed_tol != speed_by_model) options_.speed_tol = from_.speed_tol;
    if (from_.formulation != perp::formulation::by_model)
      options_.formulation = static_cast<std::int32_t>(from_.formulation);
    options_.equality_tol = from_.equality_tol;
    options_.sleep_energy = from_.sleep_energy;
    options_.sleep_time = from_.sleep_time;
    options_.switchable = from_.switchable ? 1 : 0;
    options_.reaction_gamma = from_.reaction_gamma;
    options_.newton_stop = static_cast<std::int32_t>(from_.newton_stop);
    options_.newton_start = static_cast<std::int32_t>(from_.newton_start);
    options_.newton_max = from_.newton_max;
    options_.newton_halvings = from_.newton_halvings;
    options_.newton_tol = from_.newton_tol;
    options_.projection = static_cast<std::int32_t>(from_.projection);
    options_.projection_max = from_.projection_max;
    options_.projection_tol = from_.projection_tol;
    options_.projection_tol_unilateral = from_.projection_tol_unilateral;
    if (!from_.grid.empty()) {
      options_.grid = from_.grid.data();
      options_.steps = static_cast<std::int32_t>(from_.grid.size() - 1);
    }
    require_size("simulation_options", "thetas", from_.thetas, model.systems.size());
    options_.thetas = from_.thetas.pointer();
    choose_integrators(model);
    choose_solver(model);
    options_.sparse = from_.sparse != nullptr ? from_.sparse : sparse_back_end(true);
  }
  c_options(const c_options &) = delete;
  c_options &operator=(const c_options &) = delete;
  const perp_simulation_options *get() const { return &options_; }
  /** Take the other sparse back end after a refusal, if it was not named and there is one. */
  bool other_back_end(perp_status refusal) {
    if (from_.sparse != nullptr || options_.sparse != sparse_back_end(true) ||
        (refusal != PERP_EINVAL && refusal != PERP_EUNSUPPORTED))
      return false;
    options_.sparse = sparse_back_end(false);
    return options_.sparse != nullptr;
  }

 private:
  /** Order of a scheme of the library, 0 of another. */
  static std::int32_t order_of(const perp_integrator *i) {
    if (i == moreau_jean() || i == schatzman_paoli()) return 2;
    return i == theta_scheme() || i == theta_gamma() || i == theta_gamma_full() ? 1 : 0;
  }

  void choose_integrators(const parts &model) {
    const std::size_t n = model.systems.size();
    if (!from_.integrators.empty() && from_.integrators.size() != n) {
      wrong_size("simulation_options", "integrators", from_.integrators.size(), n);
    }
    bool both = false;
    for (std::size_t i = 1; i < n; i++) {
      both = both || model.kind_of_system(i).order != model.kind_of_system(0).order;
    }
    const perp_integrator *const by_order[] = {theta_scheme(), moreau_jean()};
    bool mixed = false;
    for (std::size_t i = 0; i < n; i++) {
      const std::int32_t order = model.kind_of_system(i).order;
      const perp_integrator *one = from_.integrators.empty() ? nullptr : from_.integrators[i];
      if (one == nullptr) one = from_.integrator;
      const bool other_order = both && order_of(one) != 0 && order_of(one) != order;
      if (one == nullptr || (other_order && one == from_.integrator)) one = by_order[order - 1];
      integrators_.push_back(one);
      mixed = mixed || one != integrators_[0];
    }
    options_.integrator = integrators_.empty() ? by_order[1] : integrators_[0];
    if (mixed) options_.integrators = integrators_.data();
  }

  void choose_solver(const parts &model) {
    if (from_.solver.solver == nullptr) {
      const bool intervals = model.by_component && model.pool.by_component;
      from_.solver = !intervals        ? detail::contact_step_method(model.pool.capacity)
                     : model.symmetric ? active_set()
                                       : detail::step_method();
    }
    options_.solver = from_.solver.solver;
    options_.solver_options = from_.solver.options.get();
  }

  simulation_options from_;
  list<const perp_integrator *> integrators_;
  perp_simulation_options options_;
};

}  // namespace detail

}  // namespace perp

#endif
