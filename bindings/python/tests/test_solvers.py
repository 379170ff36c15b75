# SPDX-License-Identifier: MIT
"""Solutions judged from the definitions of the laws, by code that shares nothing with the solvers."""
import math
import unittest

import numpy as np

import perp
from perp import Status


def definite(n, seed, symmetric=True):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    M = A @ A.T / n + 0.5 * np.eye(n)
    if not symmetric:
        S = rng.standard_normal((n, n))
        M = M + S - S.T
    return M, rng.standard_normal(n)


def coulomb_defect(u, r, mu):
    """Largest violation of 0 ≤ u_n ⟂ r_n ≥ 0, ‖r_t‖ <= μ r_n, and sliding against friction."""
    n, t = u[0], u[1:]
    slide = np.linalg.norm(t)
    worst = max(-n, -r[0], abs(n * r[0]), np.linalg.norm(r[1:]) - mu * r[0])
    if slide > 1e-6:
        worst = max(worst, np.linalg.norm(r[1:] + mu * r[0] * t / slide))
    return worst


class Complementarity(unittest.TestCase):
    def test_another_q_is_that_of_the_next_solve(self):
        problem = perp.Problem(np.eye(300), -np.ones(300), perp.complementarity())
        for factor in (1, 2, 3):
            problem.q = -factor * np.ones(300)
            others = [np.full(300, -7.0) for _ in range(20)]
            self.assertTrue(np.all(perp.solve(problem).lambda_ == factor), len(others))
        with self.assertRaises(perp.ArgumentError):
            problem.q = np.ones(299)
        for name in ("M", "weight", "laws"):
            with self.assertRaisesRegex(AttributeError, name):
                setattr(problem, name, None)

    def test_an_lcp_is_solved_by_every_solver_that_takes_it(self):
        M, q = definite(12, 1)
        for name, info in perp.solvers().items():
            if "complementarity" not in info.laws or "dense" not in info.matrices:
                continue
            s = perp.solve_lcp(M, q, solver=name, tol=1e-9)
            self.assertEqual(s.status, Status.OK, name)
            y = M @ s.lambda_ + q
            np.testing.assert_allclose(s.y, y, atol=1e-12)
            self.assertLess(np.abs(np.minimum(s.lambda_, y)).max(), 1e-6, name)

    def test_options_begin_with_their_defaults(self):
        from perp.solvers import _find, default_options
        for name, info in perp.solvers().items():
            c = default_options(_find("test", name).contents)
            self.assertLessEqual({"max_iter", "tol", "observe"}, set(info.options), name)
            self.assertTrue(0 < c.tol <= 1e-6, name)
            self.assertGreaterEqual(c.struct_size, 32)
            perp.method(name, tol=1e-7, max_iter=7)

    def test_row_and_column_order_give_the_same(self):
        M, q = definite(7, 2, symmetric=False)
        a = perp.solve_lcp(np.ascontiguousarray(M), q, solver="lemke")
        b = perp.solve_lcp(np.asfortranarray(M), q, solver="lemke")
        np.testing.assert_array_equal(a.lambda_, b.lambda_)
        self.assertGreater(np.abs(perp.solve_lcp(M.T, q, solver="lemke").lambda_ - a.lambda_).max(), 1e-3)

    def test_no_solution_is_an_answer(self):
        s = perp.solve_lcp([[-1.0]], [-1.0], solver="lemke")
        self.assertEqual(s.status, Status.INFEASIBLE)
        self.assertFalse(s)
        M, q = definite(20, 7)
        s = perp.solve_lcp(M, q, solver="lemke", max_iter=2)
        self.assertEqual((s.status, str(s.status), s.text), (Status.MAX_ITER, "MAX_ITER", "iteration limit reached"))
        s = perp.solve_lcp([[0.0]], [-1.0], solver="lemke")
        self.assertEqual(s.status, Status.INFEASIBLE)
        self.assertIsNotNone(s.ray)

    def test_amplification_tells_how_far_lambda_went(self):
        s = perp.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
        np.testing.assert_allclose(s.lambda_, [4 / 3, 7 / 3], rtol=1e-14)
        self.assertAlmostEqual(s.amplification, 2.0, delta=1e-14)  # (4/3 + 14/3 + 6) / 6
        self.assertEqual(s.bound, 0.0)

    def test_bound_tells_what_a_proof_proves(self):
        self.assertEqual(perp.solve_lcp([[0.0]], [-1.0], solver="lemke").bound, math.inf)
        s = perp.solve_lcp([[1.0, -1.0], [-1.0, 1.0 + 2.0**-45]], [-1.0, -1.0], solver="lemke")
        self.assertEqual(s.status, Status.INFEASIBLE)
        self.assertTrue(2.0**40 < s.bound <= 2.0**47 + 1)  # the 1-norm of λ = (2^46 + 1, 2^46)

    def test_weight_multiplies_rows_and_floor_is_a_tolerance(self):
        def problem(**rows):
            return perp.Problem([[0.0]], [-1e-6], perp.complementarity(), **rows)
        plain, weighted = perp.solve(problem(), "lemke"), perp.solve(problem(weight=[4.0]), "lemke")
        self.assertEqual((plain.status, plain.residual), (Status.INFEASIBLE, 1e-6))
        self.assertEqual((weighted.status, weighted.residual), (Status.INFEASIBLE, 4e-6))
        s = perp.solve(problem(floor=2e-6), "lemke")
        self.assertEqual((s.status, s.residual, s.y[0]), (Status.OK, 0.0, -1e-6))
        self.assertFalse(perp.solve(problem(floor=0.5e-6), "lemke"))

    def test_box_and_equations(self):
        M, q = definite(9, 3, symmetric=False)
        low = np.r_[np.full(3, -np.inf), np.zeros(3), np.full(3, -1.0)]
        up = np.r_[np.full(6, np.inf), np.full(3, 1.0)]
        s = perp.solve_mlcp(M, q, low, up)
        self.assertTrue(s.solved)
        y = M @ s.lambda_ + q
        self.assertLess(np.abs(y[:3]).max(), 1e-9)
        middle = np.clip(s.lambda_ - y, low, up) - s.lambda_
        self.assertLess(np.abs(middle).max(), 1e-8)

    def test_relay(self):
        M, q = definite(6, 4)
        s = perp.solve_relay(M, 5 * q, limit=2.0)
        y = M @ s.lambda_ + 5 * q
        for z, w in zip(s.lambda_, y):
            self.assertTrue(abs(w) < 1e-9 and abs(z) <= 2 + 1e-9 or abs(z + 2 * np.sign(w)) < 1e-9)

    def test_mixed_is_equalities_then_complementarities(self):
        M, q = definite(5, 8)
        s = perp.solve(perp.Problem(M, q, perp.mixed(2, 3)))
        self.assertTrue(s.solved)
        y = M @ s.lambda_ + q
        self.assertLess(np.abs(y[:2]).max(), 1e-9)
        self.assertLess(np.abs(np.minimum(y[2:], s.lambda_[2:])).max(), 1e-9)
        self.assertEqual((perp.mixed(2, 0).size, perp.mixed(0, 3).size), (2, 3))

    def test_z_and_w_are_the_same_arrays(self):
        M, q = definite(4, 9)
        s = perp.solve_lcp(M, q)
        self.assertIs(s.z, s.lambda_)
        self.assertIs(s.w, s.y)

    def test_written_in_place(self):
        M, q = definite(5, 5)
        z, w = np.zeros(5), np.zeros(5)
        s = perp.solve_lcp(M, q, lambda_=z, y=w)
        self.assertIs(s.lambda_, z)
        self.assertIs(s.y, w)
        self.assertGreater(np.abs(z).max(), 0)

    def test_diagonal_sparse_and_polyhedron(self):
        s = perp.solve_lcp([2.0, 4.0], [-2.0, 1.0])
        np.testing.assert_allclose(s.lambda_, [1, 0])

        class Csr:
            """What SciPy has, as far as it is asked for."""
            shape, indptr, indices, data = (2, 2), np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([2.0, 0.0, 4.0])

            def tocsr(self):
                return self

            def sum_duplicates(self):
                pass
        s = perp.solve_lcp(Csr(), [-2.0, 1.0], solver="active-set")
        np.testing.assert_allclose(s.lambda_, [1, 0])
        # λ in [0, 1]² as a polyhedron, y = λ + q
        H, K = [[1, 0], [0, 1], [-1, 0], [0, -1]], [0, 0, -1, -1]
        s = perp.solve(perp.Problem(np.eye(2), [-3.0, 2.0], perp.polyhedron(H, K)), "avi-pivoting")
        np.testing.assert_allclose(s.lambda_, [1, 0], atol=1e-9)

    def test_a_solver_that_is_kept_starts_warm(self):
        M, q = definite(30, 6)
        s = perp.Solver("lemke", warm_start=True)
        first, second = s.lcp(M, q), s.lcp(M, q)
        self.assertTrue(first.solved and second.solved)
        self.assertLess(second.iterations, first.iterations)

    def test_an_observer_stops(self):
        M, q = definite(20, 7)
        seen = []
        s = perp.solve_lcp(M, q, solver="lemke", observe=lambda i: seen.append(i.iteration) or len(seen) < 3)
        self.assertEqual(s.status, Status.STOPPED)
        self.assertEqual(seen, [0, 1, 2])

    def test_what_an_observer_throws_comes_out(self):
        M, q = definite(20, 7)

        def bad(i):
            raise LookupError("observer")
        with self.assertRaisesRegex(LookupError, "observer"):
            perp.solve_lcp(M, q, solver="lemke", observe=bad)


class Friction(unittest.TestCase):
    def check(self, dim, seed, **options):
        contacts = 5
        M, q = definite(dim * contacts, seed)
        mu = np.linspace(0.1, 0.8, contacts)
        q[::dim] = -np.abs(q[::dim]) - 0.2
        s = perp.solve_friction(M, q, mu, dim, tol=1e-9, **options)
        self.assertEqual(s.status, Status.OK, options)
        u = M @ s.lambda_ + q
        for c in range(contacts):
            at = slice(dim * c, dim * (c + 1))
            self.assertLess(coulomb_defect(u[at], s.lambda_[at], mu[c]), 1e-6)
        self.assertTrue(s.dissipates)

    def test_friction_in_the_plane_and_in_space(self):
        for seed in range(5):
            self.check(3, seed)
            self.check(2, seed)
        self.check(3, 9, solver="nsgs", max_iter=100000)
        self.check(3, 9, solver="friction-newton")
        self.check(2, 9, solver="friction-lemke")

    def test_rolling(self):
        for dim in (3, 5):
            M, q = definite(dim, 3)
            q[0] = -2.0
            s = perp.solve_rolling(M, q, 0.4, 0.1, dim, solver="nsgs", tol=1e-10)
            self.assertTrue(s.solved)
            t = slice(1, 2 if dim == 3 else 3)
            roll = slice(2 if dim == 3 else 3, dim)
            self.assertLessEqual(np.linalg.norm(s.lambda_[t]), 0.4 * s.lambda_[0] + 1e-9)
            self.assertLessEqual(np.linalg.norm(s.lambda_[roll]), 0.1 * s.lambda_[0] + 1e-9)
            alone = perp.solve_contact(M, q, 0.4, 0.1)
            np.testing.assert_allclose(alone.lambda_, s.lambda_, atol=1e-6)

    def test_one_contact(self):
        M, q = definite(3, 11)
        q[0] = -1.0
        s = perp.solve_contact(M, q, 0.3)
        self.assertLess(coulomb_defect(M @ s.lambda_ + q, s.lambda_, 0.3), 1e-9)

    def test_laws_side_by_side(self):
        M, q = definite(6, 12)
        p = perp.Problem(M, q, [(perp.friction_3d(0.5), 1), (perp.equality(), 2), (perp.box(-1, 1), 1)])
        s = perp.solve(p)
        self.assertTrue(s.solved)
        u = M @ s.lambda_ + q
        self.assertLess(coulomb_defect(u[:3], s.lambda_[:3], 0.5), 1e-7)
        self.assertLess(np.abs(u[3:5]).max(), 1e-9)

    def test_laws_that_are_added_are_those_of_a_list(self):
        M, q = definite(6, 12)
        laws = [(perp.friction_3d(0.5), 1), (perp.equality(), 2), (perp.box(-1, 1), 1)]
        p = perp.Problem(M, q)
        kept = perp.Solver()
        with self.assertRaisesRegex(perp.ArgumentError, "solve: the laws cover 0 of 6"):
            kept.solve(p)
        self.assertIs(p.add(perp.friction_3d(0.5)), p)
        p.add(perp.equality(), 2)
        with self.assertRaisesRegex(perp.ArgumentError, "solve: the laws cover 5 of 6"):
            perp.solve(p)
        for law, copies, field in ((perp.equality(), 2, "laws"), (perp.equality(), -1, "copies"), ("law", 1, "laws"),
                                   (perp.equality(), 2**40, "copies"), (perp.relay_dead_zone(1.0), 1, "laws")):
            with self.assertRaises(perp.Error) as caught:
                p.add(law, copies)
            self.assertEqual((str(caught.exception)[:4], caught.exception.field), ("add:", field))
        p.add(perp.equality(), 0).add(perp.box(-1, 1))
        np.testing.assert_array_equal(kept.solve(p).lambda_, perp.solve(perp.Problem(M, q, laws)).lambda_)
        self.assertTrue(perp.solve(perp.Problem(np.zeros((0, 0)), [])).solved)


class UserLaw(unittest.TestCase):
    def test_a_ball_by_its_projection(self):
        law = perp.user_law(2, project=lambda state, x: x / max(1.0, np.linalg.norm(x)))
        q = np.array([-3.0, -4.0])
        s = perp.solve(perp.Problem(np.eye(2), q, law), "fixed-point")
        self.assertTrue(s.solved)
        np.testing.assert_allclose(s.lambda_, [0.6, 0.8], atol=1e-9)

    def test_of_a_bounded_set_lambda_is_what_the_terms_are_measured_by(self):
        q = np.array([-3.0, -4.0])
        for bounded, amplification in ((True, 1.0), (False, 4.8 / 4.0)):
            law = perp.user_law(2, project=lambda state, x: x / max(1.0, np.linalg.norm(x)), bounded=bounded)
            s = perp.solve(perp.Problem(np.eye(2), q, law), "fixed-point")
            self.assertAlmostEqual(s.amplification, amplification, delta=1e-9)

    def test_what_a_projection_throws_comes_out(self):
        def bad(state, x):
            raise ZeroDivisionError("projection")
        with self.assertRaisesRegex(ZeroDivisionError, "projection"):
            perp.solve(perp.Problem(np.eye(2), [1.0, 2.0], perp.user_law(2, project=bad)), "fixed-point")

    def test_verify_and_distance(self):
        self.assertEqual(perp.verify(perp.friction_3d(0.5), [0, 0, 0], [1, 0.2, 0]).state, "stick")
        self.assertGreater(perp.verify(perp.friction_3d(0.5), [0, 1, 0], [1, 0.5, 0]).relative, 0.1)
        self.assertEqual(perp.distance(perp.relay_dead_zone(1.0), 0.0, 0.0), 0.0)
        self.assertAlmostEqual(perp.distance(perp.relay_dead_zone(1.0), 0.0, 0.5), 0.5)


class Programs(unittest.TestCase):
    def test_a_quadratic_program_satisfies_its_optimality_conditions(self):
        rng = np.random.default_rng(5)
        for solver in ("auto", "dual", "interior-point"):
            P, c = definite(6, 21)
            A, low = rng.standard_normal((3, 6)), np.array([-0.1, -np.inf, 0.2])
            up = np.array([np.inf, 0.1, 0.2])
            s = perp.solve_qp(P, c, A, low, up, lower=-1.0, upper=1.0, solver=solver)
            self.assertTrue(s.solved, solver)
            np.testing.assert_allclose(P @ s.x + c, A.T @ s.nu + s.zeta, atol=1e-7)
            self.assertTrue(np.all(A @ s.x >= low - 1e-8) and np.all(A @ s.x <= up + 1e-8))
            self.assertLess(np.abs(s.x).max(), 1 + 1e-8)
            for k, row in enumerate(A @ s.x):
                self.assertTrue(abs(s.nu[k]) < 1e-7 or (s.nu[k] > 0 and abs(row - low[k]) < 1e-6) or
                                (s.nu[k] < 0 and abs(row - up[k]) < 1e-6))

    def test_infeasible_and_unbounded_come_with_a_proof(self):
        s = perp.solve_qp(np.eye(1), [0.0], [[1.0], [1.0]], [2.0, -np.inf], [np.inf, 1.0], solver="dual")
        self.assertEqual(s.status, Status.INFEASIBLE)
        self.assertIsNotNone(s.ray)
        self.assertEqual(s.bound, math.inf)
        s = perp.solve_qp([[0.0]], [-1.0], lower=0.0, solver="lemke")
        self.assertEqual((s.status, s.bound), (Status.UNBOUNDED, math.inf))

    def test_nonlinear_complementarity(self):
        s = perp.solve_mcp([1.0, 1.0], 0.0, np.inf, lambda z: [z[0] ** 2 - 2, z[1] + 3])
        self.assertTrue(s.solved)
        np.testing.assert_allclose(s.x, [math.sqrt(2), 0], atol=1e-9)
        s = perp.solve_mcp([1.0, 1.0], 0.0, np.inf, lambda z: [z[0] ** 2 - 2, z[1] + 3],
                           lambda z: [[2 * z[0], 0], [0, 1]], mode="josephy-newton")
        np.testing.assert_allclose(s.x, [math.sqrt(2), 0], atol=1e-9)

    def test_variational_inequality(self):
        for method in ("extragradient", "fixed-point"):
            s = perp.solve_vi([0.0, 0.0], lambda x: x - np.array([3.0, 4.0]),
                              lambda x: x / max(1.0, np.linalg.norm(x)), method)
            self.assertTrue(s.solved)
            np.testing.assert_allclose(s.x, [0.6, 0.8], atol=1e-8)

    def test_what_f_throws_comes_out_and_retry_is_an_answer(self):
        def bad(z):
            raise OSError("F")
        with self.assertRaisesRegex(OSError, "F"):
            perp.solve_mcp([1.0], 0, np.inf, bad)

        def not_here(z):
            raise perp.Retry
        self.assertEqual(perp.solve_mcp([1.0], 0, np.inf, not_here).status, Status.RETRY)


if __name__ == "__main__":
    unittest.main()
