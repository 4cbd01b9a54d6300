// Pinocchio's C++ algorithms behind a C interface, so that Python times them in the process that times ours.
//
// Built header-only and linked to none of Pinocchio's libraries: those are compiled without -march=native, so
// their Eigen members are aligned differently, and a Model made by them crashes code compiled here. The model
// therefore arrives as text (written by pinocchio_cpp.py) and is rebuilt joint by joint.
//
// Pinocchio's templates take minutes to compile, so this file is compiled once per part, in parallel, with
// one of LW_PART_{MODEL,ABA,CRBA,RNEA} defined. To add an algorithm: add a part here and to PARTS in
// pinocchio_cpp.py, and a line to `algorithms()`. Algorithms with constraints: pinocchio_cpp_constrained.cpp.

#include "pinocchio_cpp.hpp"

#ifdef LW_PART_ABA
#include <pinocchio/algorithm/aba.hpp>
#endif
#ifdef LW_PART_CRBA
#include <pinocchio/algorithm/crba.hpp>
#endif
#ifdef LW_PART_RNEA
#include <pinocchio/algorithm/rnea.hpp>
#endif

#include <locale>
#include <sstream>

namespace linkwright_peer {

// ---- algorithms -------------------------------------------------------------------------------------------

void aba_local(Peer&, const State&);
void aba_world(Peer&, const State&);
void crba_local(Peer&, const State&);
void crba_world(Peer&, const State&);
void rnea(Peer&, const State&);

#ifdef LW_PART_ABA
void aba_local(Peer& p, const State& s) { pin::aba(p.model, p.data, s.q, s.v, s.x, pin::Convention::LOCAL); }
void aba_world(Peer& p, const State& s) { pin::aba(p.model, p.data, s.q, s.v, s.x, pin::Convention::WORLD); }
#endif

#ifdef LW_PART_CRBA
void crba_local(Peer& p, const State& s) { pin::crba(p.model, p.data, s.q, pin::Convention::LOCAL); }
void crba_world(Peer& p, const State& s) { pin::crba(p.model, p.data, s.q, pin::Convention::WORLD); }
#endif

#ifdef LW_PART_RNEA
void rnea(Peer& p, const State& s) { pin::rnea(p.model, p.data, s.q, s.v, s.x); }
#endif

#ifdef LW_PART_MODEL
namespace {

MatrixXd acceleration(const Peer& p) { return p.data.ddq; }
MatrixXd torque(const Peer& p) { return p.data.tau; }
MatrixXd mass_matrix(const Peer& p) { return p.data.M.selfadjointView<Eigen::Upper>(); }  // all crba fills

const std::map<std::string, Algorithm<Peer>>& algorithms() {
  static const std::map<std::string, Algorithm<Peer>> table = {
      {"aba_local", {true, aba_local, acceleration}},
      {"aba_world", {true, aba_world, acceleration}},
      {"crba_local", {false, crba_local, mass_matrix}},
      {"crba_world", {false, crba_world, mass_matrix}},
      {"rnea", {true, rnea, torque}},
  };
  return table;
}

// ---- reading a model --------------------------------------------------------------------------------------

// Axes are passed as vectors: the constructors from three scalars normalise again, changing the last bit.
template <class Joint>
pin::JointModel plain(const double*) { return Joint(); }
template <class Joint>
pin::JointModel axis(const double* p) { return Joint(Vector3d(p)); }
template <class Joint>
pin::JointModel pitch(const double* p) { return Joint(p[0]); }
template <class Joint>
pin::JointModel axis_pitch(const double* p) { return Joint(Vector3d(p), p[3]); }
template <class Joint>
pin::JointModel two_axes(const double* p) { return Joint(Vector3d(p), Vector3d(p + 3)); }

struct JointType {
  int parameters;
  pin::JointModel (*make)(const double* parameters);
};

const std::map<std::string, JointType>& joint_types() {
  static const std::map<std::string, JointType> table = {
      {"JointModelRX", {0, plain<pin::JointModelRX>}},
      {"JointModelRY", {0, plain<pin::JointModelRY>}},
      {"JointModelRZ", {0, plain<pin::JointModelRZ>}},
      {"JointModelRevoluteUnaligned", {3, axis<pin::JointModelRevoluteUnaligned>}},
      {"JointModelRUBX", {0, plain<pin::JointModelRUBX>}},
      {"JointModelRUBY", {0, plain<pin::JointModelRUBY>}},
      {"JointModelRUBZ", {0, plain<pin::JointModelRUBZ>}},
      {"JointModelRevoluteUnboundedUnaligned", {3, axis<pin::JointModelRevoluteUnboundedUnaligned>}},
      {"JointModelPX", {0, plain<pin::JointModelPX>}},
      {"JointModelPY", {0, plain<pin::JointModelPY>}},
      {"JointModelPZ", {0, plain<pin::JointModelPZ>}},
      {"JointModelPrismaticUnaligned", {3, axis<pin::JointModelPrismaticUnaligned>}},
      {"JointModelHX", {1, pitch<pin::JointModelHX>}},
      {"JointModelHY", {1, pitch<pin::JointModelHY>}},
      {"JointModelHZ", {1, pitch<pin::JointModelHZ>}},
      {"JointModelHelicalUnaligned", {4, axis_pitch<pin::JointModelHelicalUnaligned>}},
      {"JointModelUniversal", {6, two_axes<pin::JointModelUniversal>}},
      {"JointModelSpherical", {0, plain<pin::JointModelSpherical>}},
      {"JointModelSphericalZYX", {0, plain<pin::JointModelSphericalZYX>}},
      {"JointModelTranslation", {0, plain<pin::JointModelTranslation>}},
      {"JointModelPlanar", {0, plain<pin::JointModelPlanar>}},
      {"JointModelFreeFlyer", {0, plain<pin::JointModelFreeFlyer>}},
  };
  return table;
}

class Reader {
public:
  explicit Reader(const std::string& text) : in_(text) { in_.imbue(std::locale::classic()); }

  template <class T>
  T next(const std::string& what) {
    T value;
    if (!(in_ >> value)) throw std::runtime_error("model text: expected " + what);
    return value;
  }

  void expect(const std::string& word) {
    const auto got = next<std::string>("'" + word + "'");
    if (got != word) throw std::runtime_error("model text: expected '" + word + "', got '" + got + "'");
  }

  MatrixXd matrix(Eigen::Index rows, Eigen::Index columns, const std::string& what) {  // row by row
    MatrixXd values(rows, columns);
    for (Eigen::Index i = 0; i < values.size(); ++i) values(i / columns, i % columns) = next<double>(what);
    return values;
  }

private:
  std::istringstream in_;
};

pin::Model read_model(const std::string& text) {
  Reader in(text);
  pin::Model model;
  in.expect("gravity");
  model.gravity = pin::Motion(pin::Motion::Vector6(in.matrix(6, 1, "gravity")));
  in.expect("joints");
  const int joints = in.next<int>("the number of joints");
  for (int i = 1; i <= joints; ++i) {
    const std::string name = "joint " + std::to_string(i);
    const int parent = in.next<int>(name + "'s parent");
    if (parent < 0 || parent >= i)
      throw std::runtime_error(name + ": parent " + std::to_string(parent) + " is not an earlier joint");
    const JointType& type = look_up(joint_types(), in.next<std::string>(name + "'s type"), "joint type");
    const MatrixXd parameters = in.matrix(type.parameters, 1, name + "'s parameters");
    const Eigen::Matrix3d rotation = in.matrix(3, 3, name + "'s rotation");
    const Vector3d translation = in.matrix(3, 1, name + "'s translation");
    model.addJoint(parent, type.make(parameters.data()), pin::SE3(rotation, translation), name);
    const double mass = in.next<double>(name + "'s mass");
    const Vector3d lever = in.matrix(3, 1, name + "'s lever");
    const Eigen::Matrix3d inertia = in.matrix(3, 3, name + "'s inertia");
    model.inertias[i] = pin::Inertia(mass, lever, inertia);
  }
  in.expect("armature");
  model.armature = in.matrix(model.nv, 1, "armature");
  in.expect("end");
  return model;
}

}  // namespace

Peer::Peer(const std::string& text) : model(read_model(text)), data(model) {}

// ---- the C interface --------------------------------------------------------------------------------------

LW_EXPORT const char* lw_last_error() { return last_error.c_str(); }

LW_EXPORT void* lw_model_from_text(const char* text) {
  return guarded<void*>(nullptr, [&] { return new Peer(text); });
}

LW_EXPORT void lw_model_free(void* peer) { delete static_cast<Peer*>(peer); }

// Rows and columns of one result; -1 on error.
LW_EXPORT int lw_output_shape(void* peer, const char* algorithm, long shape[2]) {
  return guarded(-1, [&] {
    const MatrixXd result = look_up(algorithms(), algorithm, "algorithm").result(*static_cast<Peer*>(peer));
    shape[0] = result.rows(), shape[1] = result.cols();
    return 0;
  });
}

// Seconds per call (see time_algorithm); -1 on error.
LW_EXPORT double lw_time(void* handle, const char* algorithm, const double* q, const double* v,
                         const double* x, long samples, long repeats, double* out) {
  return guarded(-1.0, [&] {
    Peer& peer = *static_cast<Peer*>(handle);
    const auto& chosen = look_up(algorithms(), algorithm, "algorithm");
    return time_algorithm(peer, peer.model, chosen, algorithm, {q, v, x, samples, repeats}, out);
  });
}

#endif  // LW_PART_MODEL

}  // namespace linkwright_peer
