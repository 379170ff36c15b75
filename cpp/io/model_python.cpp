// SPDX-License-Identifier: MIT
// The command is not linked with Python: the library of the `python3` that is first in PATH is
// opened, and functions become those of C by its ctypes.
#include "io/model_python.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace perp::io {

namespace {

// What Python and C hand each other.
struct exchange {
  void *function, *save, *restore;
  char message[1024];  // why not
  char thrown[1024];   // by the last call of a function that has thrown
};
exchange shared = {};

// %p: the exchange. Arguments of functions are views of C's arrays that cannot be written.
const char *const support = R"python(
import ctypes, importlib, importlib.machinery, math, os, sys, traceback
from ctypes import CFUNCTYPE, c_char, c_double, c_int32, c_size_t, c_uint32, c_void_p

class _Exchange(ctypes.Structure):
    _fields_ = [("function", c_void_p), ("save", c_void_p), ("restore", c_void_p),
                ("message", c_char * 1024), ("thrown", c_char * 1024)]

_perp = _Exchange.from_address(int("%p", 16))
_perp_kept = []
_perp_modules = {}
_perp_folders = set()

def _perp_say(error, function=None):
    """With the last line of the user's files; without one, where the function begins."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    places = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    if hasattr(function, "__code__"):
        places.insert(0, (function.__code__.co_filename, function.__code__.co_firstlineno))
    own = [p for p in places if any(p[0].startswith(os.path.join(f, "")) for f in _perp_folders)]
    if own and not isinstance(error, SyntaxError):
        text += f" ({os.path.basename(own[-1][0])}:{own[-1][1]})"
    return " ".join(text.split()).encode("utf-8", "replace")[:1000]

def _perp_c(type, function):
    made = type(function)
    _perp_kept.append(made)
    return ctypes.cast(made, c_void_p).value

def _perp_named(value):
    return "None" if value is None else type(value).__name__

def _perp_callable(name, function):
    f = getattr(_perp_modules[name], function)
    if not callable(f):
        raise TypeError(f"it is no function but {_perp_named(f)}")
    return f

class _PerpViews(dict):
    """What lies at addresses that C hands over, again and again the same few."""
    def __init__(self, count, writable):
        self.count, self.writable = count, writable

    def __missing__(self, address):
        if len(self) >= 64:
            self.clear()
        array = _perp_numpy.frombuffer((c_double * self.count).from_address(address))
        array.flags.writeable = self.writable
        self[address] = array
        return array

def _perp_import(name, folder):
    global _perp_numpy
    _perp.save = _perp.restore = None
    _perp.message = b""
    try:
        import numpy as _perp_numpy
        if importlib.machinery.PathFinder.find_spec(name.split(".")[0], [folder]) is None:
            raise ModuleNotFoundError("there is no such module beside the model")
        if folder not in sys.path:
            sys.path.insert(0, folder)
        _perp_folders.add(folder)
        module = _perp_modules[name] = importlib.import_module(name)
        save, restore = (getattr(module, "perp_plugin_" + f, None) for f in ("save", "restore"))
        if save is None or restore is None:
            return

        def write(to, room):
            try:
                data = save()
                if not isinstance(data, (bytes, bytearray)):
                    raise TypeError(f"perp_plugin_save returned {_perp_named(data)}, bytes are needed")
                data = bytes(data)
                if room >= len(data):
                    ctypes.memmove(to, data, len(data))
                return len(data)
            except BaseException as error:
                _perp.thrown = _perp_say(error, save)
                return c_size_t(-1).value  # PERP_PLUGIN_FAILED

        def read(data, count):
            try:
                restore(ctypes.string_at(data, count))
                return 0
            except BaseException as error:
                _perp.thrown = _perp_say(error, restore)
                return -1

        _perp.save = _perp_c(CFUNCTYPE(c_size_t, c_void_p, c_size_t), write)
        _perp.restore = _perp_c(CFUNCTYPE(c_int32, c_void_p, c_size_t), read)
    except BaseException as error:
        _perp.message = _perp_say(error)

def _perp_function(name, function, takes, passes, shape, outputs):
    """takes: name and size of each array between t and the output, -1: of one number, handed as such;
    passes: names of arguments."""
    _perp.function = None
    _perp.message = b""
    try:
        f = _perp_callable(name, function)
        places = {of: (k, size) for k, (of, size) in enumerate(takes)}
        views = {of: _PerpViews(abs(size), False) for of, (_, size) in places.items()}
        wanted = [None if of == "t" else (places[of][0], views[of], () if places[of][1] > 0 else 0) for of in passes]
        count = math.prod(shape)
        outs = _PerpViews(count, True)

        def put(result, address):
            result = _perp_numpy.asarray(result, dtype=float)
            if result.shape != shape and not (result.size == 1 and count == 1):
                raise ValueError(f"{function} returned shape {result.shape}, {shape} is needed")
            outs[address][:] = result.ravel(order="F")

        def call(t, *pointers):
            try:
                result = f(*[t if w is None else w[1][pointers[w[0]]][w[2]] for w in wanted])
                if result is None:
                    raise TypeError(f"{function} returned None")
                out = pointers[len(takes):-1]
                if outputs == 1:
                    put(result, out[0])
                else:
                    for one, address in zip(result, out, strict=True):
                        put(one, address)
                return 0
            except BaseException as error:
                _perp.thrown = _perp_say(error, f)
                return -1

        _perp.function = _perp_c(CFUNCTYPE(c_int32, c_double, *[c_void_p] * (len(takes) + outputs + 1)), call)
    except BaseException as error:
        _perp.message = _perp_say(error)

class _PerpContact(ctypes.Structure):
    _fields_ = [("systems", c_int32 * 2), ("law", c_int32), ("reserved", c_int32), ("identity", c_uint32 * 2),
                ("gap", c_double), ("normal", c_double * 3), ("tangent", c_double * 3), ("a", c_double * 3),
                ("b", c_double * 3), ("velocity", c_double * 3)]

class _PerpSearch:
    """What a function that finds contacts is handed: t, z, q(name), v(name), is_asleep(name), add(...)."""
    def __init__(self, systems, z, library):
        self._places = {name: (k, n_q, n_v) for k, (name, n_q, n_v) in enumerate(systems)}
        self.names, self.z = list(self._places), z
        vector = CFUNCTYPE(c_void_p, c_void_p, c_int32)
        self._q, self._v, self._asleep, self._add = (
            f(address) for f, address in zip((vector, vector, CFUNCTYPE(c_int32, c_void_p, c_int32),
                                              CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)), library))

    def _view(self, of, name, count):
        return _perp_numpy.frombuffer((c_double * count).from_address(of(self._sim, self._places[name][0]))).copy()

    def q(self, name):
        return self._view(self._q, name, self._places[name][1])

    def v(self, name):
        return self._view(self._v, name, self._places[name][2])

    def is_asleep(self, name):
        return self._asleep(self._sim, self._places[name][0]) != 0

    def add(self, a, b, *, gap, normal, at, at_b=None, tangent=(0, 0, 0), velocity=(0, 0, 0), law=0, identity=0):
        """A contact of a with b, None: the ground; the normal points to a. At one point, or with that of b."""
        c, kept = _PerpContact(), c_int32()
        c.systems[:] = self._places[a][0], -1 if b is None else self._places[b][0]
        c.law, c.gap = law, gap
        c.identity[:] = identity & 0xffffffff, identity >> 32
        for field, value in (("normal", normal), ("tangent", tangent), ("a", at), ("b", at if at_b is None else at_b),
                             ("velocity", velocity)):
            getattr(c, field)[:] = [*map(float, value), 0.0, 0.0, 0.0][:3]
        self._add(self._out, ctypes.byref(c), ctypes.byref(kept))  # what is refused ends the step
        return kept.value != 0

def _perp_find(name, function, systems, z, library):
    _perp.function = None
    _perp.message = b""
    try:
        f = _perp_callable(name, function)
        search = _PerpSearch(systems, _perp_numpy.array(z, dtype=float), library)
        search.z.flags.writeable = False

        def call(t, sim, out, _):
            try:
                search.t, search._sim, search._out = t, sim, out
                f(search)
                return 0
            except BaseException as error:
                _perp.thrown = _perp_say(error, f)
                return -1

        _perp.function = _perp_c(CFUNCTYPE(c_int32, c_double, c_void_p, c_void_p, c_void_p), call)
    except BaseException as error:
        _perp.message = _perp_say(error)
)python";

// What `python3` says of itself: its library, its home, where it looks for modules.
const char *const question =
    "python3 -c 'import sys\n"
    "sys.path[:] = [path for path in sys.path if path]\n"
    "import sysconfig\n"
    "of = sysconfig.get_config_var\n"
    "print((of(\"PYTHONFRAMEWORKPREFIX\") or of(\"LIBDIR\")) + \"/\" + of(\"INSTSONAME\"))\n"
    "print(sys.base_prefix)\n"
    "for path in sys.path: print(path)' 2>/dev/null";

struct interpreter {
  std::string missing;  // why there is none; empty: there is
  int (*run)(const char *) = nullptr;
  int (*ensure)() = nullptr;
  void (*release)(int) = nullptr;
};

template <class F>
bool load(void *library, const char *name, F *to) {
  *to = reinterpret_cast<F>(dlsym(library, name));
  return *to != nullptr;
}

std::vector<std::string> answers() {
  std::vector<std::string> lines;
  std::FILE *const pipe = popen(question, "r");
  if (pipe == nullptr) return lines;
  std::string all;
  std::array<char, 4096> some;
  for (std::size_t n; (n = std::fread(some.data(), 1, some.size(), pipe)) > 0;)
    all.append(some.data(), n);
  (void)pclose(pipe);
  for (std::size_t at = 0, end; (end = all.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(all.substr(at, end - at));
  return lines;
}

// A text of Python with any bytes.
std::string quoted(const std::string &text) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4], hex += digits[byte & 15];
  }
  return "bytes.fromhex('" + hex + "').decode('utf-8', 'surrogateescape')";
}

interpreter begin() {
  interpreter of;
  const std::vector<std::string> said = answers();
  if (said.size() < 2) {
    of.missing = "but there is no `python3`";
    return of;
  }
  void *const library = dlopen(said[0].c_str(), RTLD_NOW | RTLD_GLOBAL);
  void (*initialize)(int) = nullptr;
  void *(*save_thread)() = nullptr;
  if (library == nullptr || !load(library, "Py_InitializeEx", &initialize) ||
      !load(library, "PyRun_SimpleString", &of.run) ||
      !load(library, "PyEval_SaveThread", &save_thread) ||
      !load(library, "PyGILState_Ensure", &of.ensure) ||
      !load(library, "PyGILState_Release", &of.release)) {
    of.missing = "but the `python3` of this system has no shared library: no " + said[0];
    return of;
  }
  const bool home = std::getenv("PYTHONHOME") != nullptr;
  if (!home) (void)setenv("PYTHONHOME", said[1].c_str(), 1);
  initialize(0);
  if (!home) (void)unsetenv("PYTHONHOME");
  std::string text = support;
  std::array<char, 32> address;
  (void)std::snprintf(address.data(), address.size(), "%p", static_cast<void *>(&shared));
  text.replace(text.find("%p"), 2, address.data());
  text += "sys.path[:] = [";
  for (std::size_t k = 2; k < said.size(); k++) text += quoted(said[k]) + ", ";
  text += "]\n";
  if (of.run(text.c_str()) != 0) of.missing = "but `python3` cannot run what it needs";
  (void)save_thread();
  return of;
}

const interpreter &python() {
  static const interpreter one = begin();
  return one;
}

void run(const std::string &text) {
  const int held = python().ensure();
  (void)python().run(text.c_str());
  python().release(held);
}

// What its prints have left is written before the program ends.
void flush() { run("sys.stdout.flush()\n"); }

struct taken {
  const char *name;
  std::int32_t size;
};

constexpr std::int32_t one_number = -1;

// The arrays between t and the output.
std::vector<taken> arrays_of(signature called, const input_layout &at) {
  const taken q = {"q", at.n_q}, v = {"v", at.n_v}, x = {"x", at.n_x}, z = {"z", at.n_z};
  const taken lambda = {"lambda", at.n_lambda};
  if (at.n_y > 0)
    return {{"h", one_number}, x, {"y", at.n_y}, {"ydot", at.n_y}, lambda, {"s", at.n_s}, z};
  switch (called) {
    case signature::state:
    case signature::velocity:
      return {q, v, z};
    case signature::state_x:
      return {q, x, z};
    case signature::first_order:
      return {x, z};
    case signature::relation:
      return {x, lambda, z};
    case signature::gap:
      return {q, lambda, z};
    case signature::body:
      return {q, v};
    default:
      return {};
  }
}

// The function that a text of Python makes; nullptr: *why says it.
any_function made_by(const std::string &text, std::string *why) {
  run(text);
  if (shared.message[0] == 0) return reinterpret_cast<any_function>(shared.function);
  *why = std::string("but it cannot be called: ") + shared.message;
  return nullptr;
}

}  // namespace

bool python_import(const std::string &folder, plugin_library *module, std::string *why) {
  if (!python().missing.empty()) {
    *why = python().missing;
    return false;
  }
  static const bool flushed = std::atexit(flush) == 0;
  (void)flushed;
  run("_perp_import(" + quoted(module->name) + ", " + quoted(folder) + ")\n");
  if (shared.message[0] != 0) {
    *why = "but `" + module->name + "` cannot be imported: " + shared.message;
    return false;
  }
  module->save = reinterpret_cast<decltype(module->save)>(shared.save);
  module->restore = reinterpret_cast<decltype(module->restore)>(shared.restore);
  return true;
}

any_function python_function(const std::string &module, const std::string &function,
                             const wanted_function &wanted, std::string *why) {
  const std::vector<taken> arrays = arrays_of(wanted.called, wanted.layout);
  std::string text = "_perp_function(" + quoted(module) + ", " + quoted(function) + ", [";
  for (const taken &each : arrays)
    text += std::string("('") + each.name + "', " + std::to_string(each.size) + "), ";
  text += "], [";
  for (std::size_t at = 0, end; at < wanted.reads.size(); at = end + 1) {
    end = std::min(wanted.reads.find(' ', at), wanted.reads.size());
    const std::string name = wanted.reads.substr(at, end - at);
    const bool there = std::any_of(arrays.begin(), arrays.end(), [&](const taken &each) {
      return name == each.name && each.size != 0;
    });
    if (there || name == "t") text += "'" + name + "', ";
  }
  text += "], (" + std::to_string(wanted.rows) + ", ";
  if (wanted.cols > 0) text += std::to_string(wanted.cols);
  text += wanted.jacobian ? "), 2)\n" : "), 1)\n";
  return made_by(text, why);
}

any_function python_find(const std::string &module, const std::string &function,
                         const wanted_function &wanted, std::string *why) {
  const auto number = [](const char *form, auto value) {
    std::array<char, 40> one;
    (void)std::snprintf(one.data(), one.size(), form, value);
    return std::string(one.data());
  };
  const auto address = [&number](auto *f) {
    return "int('" + number("%p", reinterpret_cast<void *>(f)) + "', 16), ";
  };
  std::string text = "_perp_find(" + quoted(module) + ", " + quoted(function) + ", [";
  for (const wanted_function::system &each : wanted.systems)
    text += "(" + quoted(each.name) + ", " + std::to_string(each.n_q) + ", " +
            std::to_string(each.n_v) + "), ";
  text += "], [";
  for (const double z : wanted.z) text += "float.fromhex('" + number("%a", z) + "'), ";
  text += "], (" + address(&perp_simulation_q) + address(&perp_simulation_v) +
          address(&perp_simulation_is_asleep) + address(&perp_pool_add) + "))\n";
  return made_by(text, why);
}

std::string python_complaint() {
  const std::string said = shared.thrown;
  shared.thrown[0] = 0;
  return said.empty() ? said : ": " + said;
}

}  // namespace perp::io
