// SPDX-License-Identifier: MIT
// perp export: bodies as points of VTK's PolyData, a file for each sample, and a .pvd that tells
// their times.
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "io/file.hpp"
#include "tool/export.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

constexpr std::int64_t most_frames = 100000;

std::string base64(const std::string &bytes) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; k++)
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; k++)
      out += i + k > bytes.size() ? '=' : letters[group >> (18U - 6U * k) & 63U];
  }
  return out;
}

std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

// An array of the file: its length in bytes as UInt64, and the bytes, both in base64.
template <class T>
std::string array(const char *type, const char *name, int components,
                  const std::vector<T> &values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  const std::uint64_t n = bytes.size();
  std::string head(sizeof n, '\0');
  std::memcpy(head.data(), &n, sizeof n);
  return std::string("<DataArray type=\"") + type + "\" Name=\"" + name +
         "\" NumberOfComponents=\"" + std::to_string(components) + "\" format=\"binary\">" +
         base64(head + bytes) + "</DataArray>\n";
}

std::string reals(const char *name, int components, const std::vector<double> &values,
                  bool float32) {
  if (!float32) return array("Float64", name, components, values);
  return array("Float32", name, components, std::vector<float>(values.begin(), values.end()));
}

// The bodies of a kind: where in a row of columns their q and v begin.
struct bodies {
  std::size_t q = 0;
  std::size_t v = 0;
  std::size_t count = 0;
  bool moving = false;  // there is v
  std::int32_t kind = 0;
  std::vector<std::int32_t> objects;
};

bool names_are(const perp_log_quantity &q, std::int32_t components, const char *first,
               const char *last) {
  return q.components == components && q.component_names != nullptr &&
         std::strcmp(q.component_names[0], first) == 0 &&
         std::strcmp(q.component_names[components - 1], last) == 0;
}

// Kinds with q = (x, y, z, p0 ... p3), and their v = (vx ... wz), as perp_log_simulation_create()
// names them.
std::vector<bodies> bodies_of(const exported &e, std::vector<column> *columns,
                              std::vector<std::string> *kinds) {
  std::vector<bodies> all;
  const perp_log_schema &of = e.log->schema();
  for (const slice &s : e.slices) {
    const perp_log_quantity &q = of.quantities[s.quantity];
    if (!names_are(q, 7, "x", "p3") || s.components.size() != 7) continue;
    bodies b;
    b.q = columns->size(), b.count = s.members.size(),
    b.kind = static_cast<std::int32_t>(kinds->size());
    kinds->emplace_back(q.kind);
    for (const std::int32_t k : s.members)
      b.objects.push_back(q.objects == nullptr ? k : q.objects[k]);
    columns->insert(columns->end(), s.columns.begin(), s.columns.end());
    for (const slice &w : e.slices) {
      const perp_log_quantity &v = of.quantities[w.quantity];
      if (std::strcmp(v.kind, q.kind) != 0 || !names_are(v, 6, "vx", "wz") ||
          w.components.size() != 6 || w.members != s.members)
        continue;
      b.moving = true, b.v = columns->size();
      columns->insert(columns->end(), w.columns.begin(), w.columns.end());
    }
    all.push_back(b);
  }
  return all;
}

std::string frame(const std::vector<bodies> &all, double t, const double *row, bool float32) {
  std::vector<double> places, orientations, velocities, rotations;
  std::vector<std::int32_t> kinds, objects;
  std::vector<std::int64_t> connectivity, offsets;
  bool moving = true;
  for (const bodies &b : all) {
    moving = moving && b.moving;
    for (std::size_t k = 0; k < b.count; k++) {
      const double *const q = row + b.q + 7 * k, *const v = row + b.v + 6 * k;
      places.insert(places.end(), q, q + 3);
      orientations.insert(orientations.end(), q + 3, q + 7);
      if (b.moving)
        velocities.insert(velocities.end(), v, v + 3),
            rotations.insert(rotations.end(), v + 3, v + 6);
      kinds.push_back(b.kind), objects.push_back(b.objects[k]);
      connectivity.push_back(static_cast<std::int64_t>(connectivity.size()));
      offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    }
  }
  const std::string n = std::to_string(kinds.size());
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" "
      "Name=\"TimeValue\" "
      "NumberOfTuples=\"1\" format=\"binary\">";
  std::string time(sizeof(std::uint64_t) + sizeof t, '\0');
  const std::uint64_t bytes = sizeof t;
  std::memcpy(time.data(), &bytes, sizeof bytes);
  std::memcpy(time.data() + sizeof bytes, &t, sizeof t);
  text += base64(time) + "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"" + n +
          "\" NumberOfVerts=\"" + n +
          "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n" +
          reals("quaternion", 4, orientations, float32);
  if (moving)
    text += reals("velocity", 3, velocities, float32) +
            reals("angular_velocity", 3, rotations, float32);
  text += array("Int32", "kind", 1, kinds) + array("Int32", "system", 1, objects) +
          "</PointData>\n<Points>\n" + reals("Points", 3, places, float32) +
          "</Points>\n<Verts>\n" + array("Int64", "connectivity", 1, connectivity) +
          array("Int64", "offsets", 1, offsets) + "</Verts>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  return text;
}

std::string number(double x) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
}

// Remove a folder of frames, which has nothing else in it.
void remove_frames(const std::filesystem::path &folder) {
  std::error_code none;
  if (!std::filesystem::exists(folder, none)) return;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() != ".vtp")
      throw usage_error(folder.string() + ": expected frames alone, found " +
                        entry.path().filename().string());
  (void)std::filesystem::remove_all(folder, none);
  if (none) throw run_error(folder.string() + ": " + none.message());
}

// Frames that are being written, gone again unless they are wanted.
class new_folder {
 public:
  explicit new_folder(std::filesystem::path path) : path_(std::move(path)) {
    remove_frames(path_); /* of a program that was killed */
    std::error_code code;
    (void)std::filesystem::create_directory(path_, code);
    if (code) throw run_error(path_.string() + ": " + code.message());
  }
  ~new_folder() {
    std::error_code none;
    (void)std::filesystem::remove_all(path_, none);
  }
  new_folder(const new_folder &) = delete;
  new_folder &operator=(const new_folder &) = delete;
  const std::filesystem::path &path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

void write_vtp(const std::string &path, const exported &e) {
  std::vector<column> columns;
  std::vector<std::string> kinds;
  const std::vector<bodies> all = bodies_of(e, &columns, &kinds);
  if (all.empty())
    throw usage_error(e.log->path() +
                      ": no bodies with places and orientations are in it or selected");
  if (e.samples > most_frames)
    throw usage_error(path + ": " + std::to_string(e.samples) + " frames; --every " +
                      std::to_string((e.samples - 1) / 1000 + 1) + " makes about a thousand");
  std::filesystem::path folder(path);
  folder.replace_extension();
  const std::string stem = folder.filename().string();
  folder += "_frames";
  const new_folder part(folder.string() + ".part");
  std::string list =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<!-- kinds:";
  for (const std::string &kind : kinds)
    list += " " + (kind.find("--") == std::string::npos ? escaped(kind) : "?");
  list += " -->\n<Collection>\n";
  std::int64_t done = 0;
  e.log->each(
      columns,
      [&](std::int64_t count, const double *times, const double *values) {
        for (std::int64_t k = 0; k < count; k++, done++, values += columns.size()) {
          std::string digits = std::to_string(done);
          const std::string name = stem + "_" +
                                   std::string(6 - std::min<std::size_t>(6, digits.size()), '0') +
                                   digits + ".vtp";
          io::write_new((part.path() / name).string(), frame(all, times[k], values, e.float32));
          list += "<DataSet timestep=\"" + number(times[k]) + "\" part=\"0\" file=\"" +
                  escaped(folder.filename().string() + "/" + name) + "\"/>\n";
        }
      },
      e.stride);
  list += "</Collection>\n</VTKFile>\n";
  remove_frames(folder);
  std::error_code code;
  std::filesystem::rename(part.path(), folder, code);
  if (code) throw run_error(folder.string() + ": " + code.message());
  io::save(path, list);
}

}  // namespace perp::tool
