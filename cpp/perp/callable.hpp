// SPDX-License-Identifier: MIT
/** @file callable.hpp
 * Callables in descriptions: any function object with the arguments that a field names, and how C
 * calls it back. */
#ifndef PERP_CXX_CALLABLE_HPP
#define PERP_CXX_CALLABLE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "perp/builder.h"
#include "perp/memory.hpp"
#include "perp/newton_euler.h"
#include "perp/view.hpp"

namespace perp {

/** What callables are handed: views whose type says what they hold. Take them as perp::view. */
/**@{*/
struct positions : view {
  /** @cond */
  using view::view;
  /** @endcond */
};
struct velocities : view {
  /** @cond */
  using view::view;
  /** @endcond */
};
struct states : view {
  /** @cond */
  using view::view;
  /** @endcond */
};
struct multipliers : view {
  /** @cond */
  using view::view;
  /** @endcond */
};
struct parameters : view {
  /** @cond */
  using view::view;
  /** @endcond */
};
/**@}*/
/** The second of two results. */
struct second_span : span {
  /** @cond */
  using span::span;
  /** @endcond */
};
/** Where and how two bodies touch, see perp_contact_place. */
using contact_place = perp_contact_place;

namespace detail {

/** What C hands over in a call, and how long it is: its first array a (positions, or states), its
 * second one b (velocities, multipliers). */
struct call_of_c {
  double t = 0;
  const double *a = nullptr, *b = nullptr, *z = nullptr;
  double *out = nullptr, *other = nullptr;
  contact_place *place = nullptr;
  std::size_t n_a = 0, n_b = 0, n_z = 0, n_out = 0;
};

template <class T>
struct kind {};

/** An argument of a callable from what C hands over. */
/**@{*/
inline double argument(kind<double>, const call_of_c &c) { return c.t; }
inline positions argument(kind<positions>, const call_of_c &c) {
  return {c.a, c.a == nullptr ? 0 : c.n_a};
}
inline velocities argument(kind<velocities>, const call_of_c &c) {
  return {c.b, c.b == nullptr ? 0 : c.n_b};
}
inline states argument(kind<states>, const call_of_c &c) {
  return c.a != nullptr ? states(c.a, c.n_a) : states(c.b, c.n_b);
}
inline multipliers argument(kind<multipliers>, const call_of_c &c) {
  return {c.b, c.b == nullptr ? 0 : c.n_b};
}
inline parameters argument(kind<parameters>, const call_of_c &c) {
  return {c.z, c.z == nullptr ? 0 : c.n_z};
}
inline span argument(kind<span>, const call_of_c &c) { return {c.out, c.n_out}; }
inline second_span argument(kind<second_span>, const call_of_c &c) { return {c.other, c.n_out}; }
inline contact_place &argument(kind<contact_place &>, const call_of_c &c) { return *c.place; }
/**@}*/
/** What C hands over in no call. */
template <class Arg>
void argument(kind<Arg>, const call_of_c &);

/** A list of types, and the first list with the types of the others. */
/**@{*/
template <class... T>
struct types {};
template <class... Lists>
struct joined;
template <class... A>
struct joined<types<A...>> {
  using type = types<A...>;
};
template <class... A, class... B, class... Rest>
struct joined<types<A...>, types<B...>, Rest...> : joined<types<A..., B...>, Rest...> {};
/**@}*/

/** Argument number I of a callable. */
template <std::size_t I, class Arg>
struct numbered {};

/** That, or nothing where it is the time or the parameters and left out. */
template <bool time, bool z, std::size_t I, class Arg>
using kept = std::conditional_t<(time || !std::is_same_v<Arg, double>)&&(
                                    z || !std::is_same_v<Arg, parameters>),
                                types<numbered<I, Arg>>, types<>>;

template <bool time, bool z, class Numbers, class... Args>
struct arguments_of;
template <bool time, bool z, std::size_t... I, class... Args>
struct arguments_of<time, z, std::index_sequence<I...>, Args...>
    : joined<types<>, kept<time, z, I, Args>...> {};
template <bool time, bool z, class... Args>
using arguments = typename arguments_of<time, z, std::index_sequence_for<Args...>, Args...>::type;

/** How an F is called with some of the arguments, whose addresses are in a list. */
template <class F, class List>
struct caller;
template <class F, std::size_t... I, class... Args>
struct caller<F, types<numbered<I, Args>...>> {
  static constexpr bool exists = std::is_invocable_v<F &, Args...>;

  static std::int32_t call(void *self, [[maybe_unused]] void *const *list) {
    using result = std::invoke_result_t<F &, Args...>;
    static_assert(std::is_void_v<result> || std::is_integral_v<result>,
                  "a callable returns nothing, or 0: done, > 0: a smaller step, < 0: give up");
    F &f = *static_cast<F *>(self);
    if constexpr (std::is_void_v<result>) {
      f(static_cast<Args>(*static_cast<std::remove_reference_t<Args> *>(list[I]))...);
      return 0;
    } else {
      return static_cast<std::int32_t>(
          f(static_cast<Args>(*static_cast<std::remove_reference_t<Args> *>(list[I]))...));
    }
  }
};

/** Whether F takes Args, with and without time and parameters. */
template <class F, class... Args>
struct accepts {
  static constexpr bool all = caller<F, arguments<true, true, Args...>>::exists;
  static constexpr bool no_z = caller<F, arguments<true, false, Args...>>::exists;
  static constexpr bool no_time = caller<F, arguments<false, true, Args...>>::exists;
  static constexpr bool neither = caller<F, arguments<false, false, Args...>>::exists;
  static constexpr bool value = all || no_z || no_time || neither;
  static constexpr bool time = all || no_z;
  static constexpr bool z = all || (!no_z && no_time);
};

/** A function object of any type, shared by copies, how it is called with arguments whose addresses
 * are in a list, and how from what C hands over. */
struct erased {
  shared_object object;
  std::int32_t (*call)(void *self, void *const *list) = nullptr;
  std::int32_t (*by_c)(const erased &f, const call_of_c &made) = nullptr;

  void *self() const noexcept { return const_cast<void *>(object.get()); }
};

template <class... Args>
std::int32_t call(const erased &f, Args... args) {
  void *const list[] = {const_cast<void *>(static_cast<const void *>(&args))...};
  return f.call(f.self(), list);
}

/** As C calls it. */
template <class... Args>
std::int32_t call_by_c(const erased &f, const call_of_c &made) {
  return call<Args...>(f, argument(kind<Args>(), made)...);
}
template <class... Args>
constexpr bool from_c =
    !(std::is_void_v<decltype(argument(kind<Args>(), std::declval<const call_of_c &>()))> || ...);

}  // namespace detail

/**
 * A callable of Args that returns nothing, or 0 for done, > 0 to ask for a smaller step, < 0 to
 * give up. The time and the parameters z may be left out of its arguments. Kept on the heap and
 * shared by copies, so that what holds it may be moved. It must be pure; what it throws comes out
 * of step().
 */
template <class... Args>
class callable {
 public:
  using signature = std::int32_t(Args...); /**< what it is called as */
  /** None, or a copy of a function object. */
  /**@{*/
  callable() = default;
  callable(std::nullptr_t) {}
  template <class F, class = std::enable_if_t<std::conjunction_v<
                         std::negation<std::is_same<F, callable>>, detail::accepts<F, Args...>>>>
  callable(F f) {
    if constexpr (std::is_constructible_v<F, std::nullptr_t> &&
                  std::is_constructible_v<bool, const F &>) { /* a pointer, std::function */
      if (!static_cast<bool>(f)) return;
    }
    using take = detail::accepts<F, Args...>;
    what_.call = detail::caller<F, detail::arguments<take::time, take::z, Args...>>::call;
    if constexpr (detail::from_c<Args...>) what_.by_c = detail::call_by_c<Args...>;
    what_.object = detail::share(new F(std::move(f)));
  }
  /**@}*/
  /** Whether there is one. */
  explicit operator bool() const noexcept { return what_.object != nullptr; }
  /** Call it. */
  std::int32_t operator()(Args... args) const {
    return detail::call<Args...>(what_, std::forward<Args>(args)...);
  }
  /** Where the function object lives: equal for copies, nullptr if there is none. */
  const void *address() const noexcept { return what_.object.get(); }
  /** @cond */
  const detail::erased &what() const noexcept { return what_; }
  /** @endcond */

 private:
  detail::erased what_;
};

/** A function of time: writes what the field says. */
using time_function = callable<double, span>;

/** A Jacobian: a callable that writes what is not 0 of it, by columns (see rows()), or a constant
 * array of as many entries. None: by differences. */
template <class... Args>
class jacobian {
 public:
  /** None, a function object, or a constant. */
  /**@{*/
  jacobian() = default;
  jacobian(std::nullptr_t) {}
  jacobian(double value) : constant_(value) {}
  jacobian(std::initializer_list<double> list) : constant_(list) {}
  template <class T, class = std::enable_if_t<std::conjunction_v<
                         std::negation<std::is_same<T, jacobian>>,
                         std::disjunction<std::is_convertible<T, array>,
                                          std::is_constructible<callable<Args...>, T>>>>>
  jacobian(T t) {
    if constexpr (std::is_constructible_v<callable<Args...>, T>) {
      function_ = std::move(t);
    } else {
      constant_ = std::move(t);
    }
  }
  /**@}*/
  /** Its two kinds; at most one is not empty. */
  /**@{*/
  const callable<Args...> &function() const noexcept { return function_; }
  const array &constant() const noexcept { return constant_; }
  /**@}*/

 private:
  callable<Args...> function_;
  array constant_;
};

namespace detail {

/** a holds need entries, or none. */
inline void require_size(const char *what, const char *field, const array &a, std::size_t need) {
  if (!a.empty() && a.size() != need) wrong_size(what, field, a.size(), need);
}

/** Where what callables throw is left, on this thread and while this is there. Nothing without
 * exceptions: many processors have no memory of a thread's own. */
class catching {
 public:
  explicit catching([[maybe_unused]] std::exception_ptr &to) {
    if constexpr (exceptions) to_ = &to, outer_ = innermost(), innermost() = this;
  }
  catching(const catching &) = delete;
  catching &operator=(const catching &) = delete;
  ~catching() {
    if constexpr (exceptions) innermost() = outer_;
  }
  /** From within a handler. Whether somebody is there. */
  static bool leave() noexcept {
    if (innermost() != nullptr) *innermost()->to_ = std::current_exception();
    return innermost() != nullptr;
  }

 private:
  static catching *&innermost() noexcept {
    static thread_local catching *one = nullptr;
    return one;
  }
  std::exception_ptr *to_ = nullptr;
  catching *outer_ = nullptr;
};

/** What f answers C; −1 where it throws, which is left for who called C. */
template <class F>
std::int32_t caught(F &&f) noexcept {
#ifdef __cpp_exceptions
  try {
    return f();
  } catch (...) {
    catching::leave();
    return -1;
  }
#else
  return f();
#endif
}

/**
 * Where C calls back: the callables of one description, by number. Their common `user` is the
 * address of this. C's first array of a call is a (positions, or
 * states), its second one b (velocities, multipliers).
 */
class callbacks {
 public:
  /** Lengths of what C hands over. */
  struct lengths {
    std::size_t a = 0, b = 0, z = 0;
  };

  callbacks() = default;
  callbacks(const callbacks &) = delete;
  callbacks &operator=(const callbacks &) = delete;

  /** Of the calls that are bound from now on. */
  lengths of;

  /** Let pointer call f, of `size` results, as number I; nothing where f is none. */
  template <std::size_t I, class Pointer, class... Args>
  void bind(Pointer &pointer, const callable<Args...> &f, std::size_t size) {
    static_assert(from_c<Args...>, "C hands over other arguments");
    if (!f) return;
    put(I, f.what(), size);
    pointer = &callbacks::call<I>;
  }

  /** Binds a Jacobian, whose constant is copied; its shape is refused in words. */
  template <std::size_t I, class Pointer, class... Args>
  void bind(Pointer &pointer, const jacobian<Args...> &f, std::size_t size, const char *what,
            const char *field) {
    bind<I>(pointer, f.function(), size);
    if (f.constant().empty()) return;
    put_constant(I, f.constant(), size, what, field);
    pointer = &callbacks::call<I>;
  }

  /** Equal of callbacks that do the same. */
  const std::string &key() const noexcept { return key_; }
  /** For C, once it owns this. */
  static void destroy(void *self) noexcept { delete static_cast<callbacks *>(self); }

 private:
  /** One of the callables, and the lengths of its calls. */
  struct slot {
    erased f;
    lengths n;
    std::size_t size = 0;
  };

  void note_bytes(const void *from, std::size_t size) {
    key_.append(static_cast<const char *>(from), size);
  }
  void note(std::size_t number, const void *callable, std::size_t size) {
    const std::size_t all[] = {number, size, of.a, of.b, of.z};
    note_bytes(all, sizeof all), note_bytes(&callable, sizeof callable);
  }

  void set(std::size_t number, slot at) {
    while (slots_.size() <= number) slots_.push_back(slot());
    slots_[number] = std::move(at);
  }
  void put(std::size_t number, const erased &f, std::size_t size) {
    note(number, f.object.get(), size);
    set(number, {f, of, size});
  }
  void put_constant(std::size_t number, const array &values, std::size_t size, const char *what,
                    const char *field) {
    require_size(what, field, values, size);
    note(number, nullptr, size);
    note_bytes(values.data(), size * sizeof(double));
    set(number, {{share(new array(values)), nullptr, copy_constant}, of, size});
  }
  static std::int32_t copy_constant(const erased &f, const call_of_c &made) {
    const auto &values = *static_cast<const array *>(f.object.get());
    std::memcpy(made.out, values.data(), values.size() * sizeof(double));
    return 0;
  }

  std::int32_t run(std::size_t number, call_of_c made) noexcept {
    const slot &at = slots_[number];
    made.n_a = at.n.a, made.n_b = at.n.b, made.n_z = at.n.z, made.n_out = at.size;
    return caught([&] { return at.f.by_c(at.f, made); });
  }
  static callbacks &of_user(void *self) { return *static_cast<callbacks *>(self); }

  /* One for each type of callback of C. The second array of (t, array, array, out) is b or z, never
   * both. */
  template <std::size_t I>
  static std::int32_t call(double t, double *out, void *self) noexcept {
    return of_user(self).run(I, {t, nullptr, nullptr, nullptr, out, nullptr, nullptr});
  }
  template <std::size_t I>
  static std::int32_t call(double t, const double *a, const double *b, double *out,
                           void *self) noexcept {
    return of_user(self).run(I, {t, a, b, b, out, nullptr, nullptr});
  }
  template <std::size_t I>
  static std::int32_t call(double t, const double *a, const double *b, const double *z, double *out,
                           void *self) noexcept {
    return of_user(self).run(I, {t, a, b, z, out, nullptr, nullptr});
  }
  template <std::size_t I>
  static std::int32_t call(double t, const double *a, const double *b, double *out, double *other,
                           void *self) noexcept {
    return of_user(self).run(I, {t, a, b, nullptr, out, other, nullptr});
  }
  template <std::size_t I>
  static std::int32_t call(double t, const double *a, contact_place *place, void *self) noexcept {
    return of_user(self).run(I, {t, a, nullptr, nullptr, nullptr, nullptr, place});
  }

  list<slot> slots_;
  std::string key_ = "callbacks";
};

/** The C description that a value becomes on its way to a builder, and its callables. It points
 * into the value. */
template <class Head>
struct c_form {
  c_form() = default;
  c_form(const c_form &) = delete;
  c_form &operator=(const c_form &) = delete;
  const Head *head = nullptr;
  const char *what = ""; /**< the kind, for messages */
  owned<callbacks> back{new callbacks()};
  bool symmetric = true; /**< what it adds to a one-step matrix of order 2 is */

  /** Whom C shall own; given up once it does. */
  perp_owner owner() const {
    perp_owner o = PERP_OWNER_INIT;
    o.flags = copies_parameters_ ? std::uint32_t{PERP_COPY_PARAMETERS} : 0u;
    o.user = back.get();
    o.destroy = callbacks::destroy;
    o.key = back->key().data();
    o.key_bytes = back->key().size();
    o.kept = kept_.data();
    o.n_kept = kept_.size();
    return o;
  }

 protected:
  /** The entries of a, nullptr where there are none: what C calls absent. Those that are borrowed
   * stay where they are. */
  const double *at_home(const array &a) {
    if (a.is_borrowed() && !a.empty()) kept_.push_back(a.data());
    return a.pointer();
  }
  /** Those of an array that has need of them. */
  const double *sized(const char *field, const array &a, std::size_t need) {
    require_size(what, field, a, need);
    return at_home(a);
  }
  /** Those of parameters, which C reads where they are unless it is told to copy them. */
  const double *parameters(const array &z) {
    copies_parameters_ = !z.is_borrowed();
    return z.pointer();
  }

 private:
  list<const void *> kept_;
  bool copies_parameters_ = false;
};

/** The C description that a value becomes; specialised for each kind, derived from c_form. Its
 * fill() is a template of the value, so that only the kinds in use are compiled. */
template <class Value>
struct form;

}  // namespace detail

}  // namespace perp

#endif
