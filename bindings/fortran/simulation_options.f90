! SPDX-License-Identifier: MIT
!> Options of time-stepping, with the defaults of C; see include/perp/simulation.h.
module perp_stepping_options
  use perp_outcome
  use perp_solve
  use perp_model_values
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_model => perp_model, &
    c_law => perp_law
  implicit none
  private
  public :: simulation_options, held_options

  type :: simulation_options
    real(dp) :: h = 1e-3_dp              !< step length (s)
    integer :: steps = 0                 !< 0: no end
    real(dp) :: t0 = 0
    real(dp), allocatable :: grid(:)     !< increasing times in place of t0, h and steps
    real(dp) :: theta = 0.5_dp           !< weight of the end of a step
    real(dp), allocatable :: thetas(:)   !< one for each system
    real(dp) :: gamma = -1               !< prediction of the gap, y + gamma h dy/dt; -1: none given, 1/2
    real(dp) :: min_gap = -1e-3_dp       !< smallest accepted initial gap
    real(dp) :: gap_tol = 0
    real(dp) :: equality_tol = 1e-3_dp
    character(24) :: integrator = "automatic" !< "moreau-jean", "schatzman-paoli", "theta",
                                              !! "theta-gamma", "theta-gamma-full": for systems of
                                              !! its order
    type(method) :: solver = method()    !< of one-step problems
    integer :: on_failure = PERP_FAILURE_STOP
    integer :: max_halvings = 4
    real(dp) :: accept_tol = 1e-2_dp
    integer :: newton_stop = PERP_NEWTON_RESIDUAL
    integer :: newton_start = PERP_NEWTON_FROM_CURRENT
    integer :: newton_max = 50
    integer :: newton_halvings = 8
    real(dp) :: newton_tol = 1e-10_dp
    real(dp) :: reaction_gamma = 1
    integer :: projection = PERP_PROJECT_NONE
    integer :: projection_max = 20
    real(dp) :: projection_tol = 1e-8_dp
    real(dp) :: projection_tol_unilateral = 1e-8_dp
    logical :: switchable = .false.
    integer :: formulation = PERP_FORMULATION_REDUCED
  end type

  !> The options of C and what they point to; it does not move.
  type :: held_options
    type(perp_simulation_options) :: c
    type(perp_solver_options) :: solver
    real(dp), allocatable :: grid(:), thetas(:)
    type(c_ptr), allocatable :: integrators(:)
  contains
    procedure :: fill
  end type

contains

  subroutine fill(self, from, of, fault)
    class(held_options), intent(inout), target :: self
    type(simulation_options), intent(in) :: from
    type(instance), intent(in) :: of
    type(outcome), intent(inout) :: fault
    type(perp_solver), pointer :: solver
    call perp_simulation_options_init(self%c, c_sizeof(self%c))
    self%c%h = from%h
    self%c%steps = from%steps
    self%c%t0 = from%t0
    self%c%theta = from%theta
    self%c%gamma = from%gamma
    self%c%min_gap = from%min_gap
    self%c%gap_tol = from%gap_tol
    self%c%equality_tol = from%equality_tol
    self%c%on_failure = from%on_failure
    self%c%max_halvings = from%max_halvings
    self%c%accept_tol = from%accept_tol
    self%c%newton_stop = from%newton_stop
    self%c%newton_start = from%newton_start
    self%c%newton_max = from%newton_max
    self%c%newton_halvings = from%newton_halvings
    self%c%newton_tol = from%newton_tol
    self%c%reaction_gamma = from%reaction_gamma
    self%c%projection = from%projection
    self%c%projection_max = from%projection_max
    self%c%projection_tol = from%projection_tol
    self%c%projection_tol_unilateral = from%projection_tol_unilateral
    self%c%switchable = merge(1, 0, from%switchable)
    self%c%formulation = from%formulation
    if (from%formulation /= PERP_FORMULATION_REDUCED) self%c%global = perp_global_step()
    if (allocated(from%grid)) then
      self%grid = from%grid
      self%c%grid = c_loc(self%grid)
      self%c%steps = size(self%grid) - 1
    end if
    if (allocated(from%thetas)) then
      self%thetas = from%thetas
      call blame_size(fault, "thetas", shape(self%thetas), [of%c%n_systems])
      self%c%thetas = c_loc(self%thetas)
    end if
    call find_method(from%solver, solver, self%c%solver_options, self%solver, fault)
    if (associated(solver)) self%c%solver = c_loc(solver)
    call choose(self, from%integrator, of, fault)
  end subroutine

  subroutine choose(self, name, of, fault)
    class(held_options), intent(inout), target :: self
    character(*), intent(in) :: name
    type(instance), intent(in) :: of
    type(outcome), intent(inout) :: fault
    type(c_ptr) :: by_order(2)
    integer :: order(size(of%systems)), i
    order = [(merge(1, 2, size(of%systems(i)%at%x) > 0), i=1, size(order))]
    by_order = [perp_integrator_theta(), perp_integrator_moreau_jean()]
    select case (name)
    case ("automatic", "moreau-jean", "theta")
    case ("schatzman-paoli")
      by_order(2) = perp_integrator_schatzman_paoli()
    case ("theta-gamma")
      by_order(1) = perp_integrator_theta_gamma()
    case ("theta-gamma-full")
      by_order(1) = perp_integrator_theta_gamma_full()
    case default
      call blame(fault, "integrator", "is not known: " // trim(name))
    end select
    if (size(order) == 0) return
    self%integrators = [(by_order(order(i)), i=1, size(order))]
    self%c%integrator = self%integrators(1)
    if (any(order /= order(1))) self%c%integrators = c_loc(self%integrators)
  end subroutine

end module perp_stepping_options
