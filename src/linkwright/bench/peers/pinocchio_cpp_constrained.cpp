// Pinocchio's C++ algorithms for mechanisms with constraints: a library beside pinocchio_cpp.cpp's, built on request.
//
// It works on models made there, so both are compiled with the same flags. Compiled once per part, with one of
// LW_PART_{PROX_LTL,DERIVATIVES,LCABA,CABA,DELASSUS,PROBLEM} defined. To add an algorithm: add a part here and to
// CONSTRAINED_PARTS in pinocchio_cpp.py, and a line to `algorithms()`.

#include "pinocchio_cpp.hpp"

#include <pinocchio/algorithm/proximal.hpp>
#include <pinocchio/constraints.hpp>
#ifdef LW_PART_PROX_LTL
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#endif
#ifdef LW_PART_DERIVATIVES
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#endif
#ifdef LW_PART_LCABA
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#endif
#ifdef LW_PART_CABA
#include <pinocchio/algorithm/pv.hpp>
#endif
#ifdef LW_PART_DELASSUS
#include <pinocchio/algorithm/constraint-cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/delassus.hpp>
#endif

namespace linkwright_peer {

template <class Model>
struct Constraints {
  std::vector<Model> models;
  std::vector<typename Model::ConstraintData> datas;

  void add(const Model& model) { models.push_back(model), datas.emplace_back(model); }
};

// One algorithm's constraints and memory. Not shared between algorithms: each initialises Data its own way.
struct Problem {
  Problem(const pin::Model& model, const double* rows, long count, double mu, long iterations);
  const pin::Model& model;
  pin::Data data;
  Constraints<pin::RigidConstraintModel> rigid;
  // The same constraints again: pv.hpp compiles only with these types, and takes one of them at a time.
  Constraints<pin::FrameAnchorConstraintModel> frames;
  Constraints<pin::PointAnchorConstraintModel> points;
  bool to_ground = true;
  pin::ProximalSettings settings;
  MatrixXd delassus;
};

// ---- algorithms -------------------------------------------------------------------------------------------

void prepare_prox_ltl(Problem&);
void prox_ltl(Problem&, const State&);
void prox_ltl_derivatives(Problem&, const State&);
void prepare_lcaba(Problem&);
void lcaba(Problem&, const State&);
void prepare_caba(Problem&);
void caba(Problem&, const State&);
void pv(Problem&, const State&);
void prepare_delassus_cholesky(Problem&);
void delassus_cholesky(Problem&, const State&);
void delassus_efpa(Problem&, const State&);
void prepare_delassus_pv_osimr(Problem&);
void delassus_pv_osimr(Problem&, const State&);
void delassus_damped(Problem&, const State&);

#ifdef LW_PART_PROX_LTL
void prepare_prox_ltl(Problem& p) {
  pin::initConstraintDynamics(p.model, p.data, p.rigid.models, p.rigid.datas);
}
void prox_ltl(Problem& p, const State& s) {
  pin::constraintDynamics(p.model, p.data, s.q, s.v, s.x, p.rigid.models, p.rigid.datas, p.settings);
}
#endif

#ifdef LW_PART_DERIVATIVES
void prox_ltl_derivatives(Problem& p, const State& s) {
  prox_ltl(p, s);
  pin::computeConstraintDynamicsDerivatives(p.model, p.data, p.rigid.models, p.rigid.datas, p.settings);
}
#endif

#ifdef LW_PART_LCABA
void prepare_lcaba(Problem& p) { pin::computeJointMinimalOrdering(p.model, p.data, p.rigid.models); }
void lcaba(Problem& p, const State& s) {
  // Pinocchio 4.1 takes these for the bias of a 6d constraint, and they are the last call's: wrong unless zero.
  for (const auto& model : p.rigid.models)
    p.data.oa[model.joint1_id].setZero(), p.data.oa[model.joint2_id].setZero();
  pin::lcaba(p.model, p.data, s.q, s.v, s.x, p.rigid.models, p.rigid.datas, p.settings);
}
#endif

#ifdef LW_PART_CABA
void prepare_caba(Problem& p) {
  if (!p.frames.models.empty() && !p.points.models.empty())
    throw std::runtime_error("Pinocchio's caba and pv take all constraints 3d or all 6d, not both");
  if (p.points.models.empty())
    pin::initPvSolver(p.model, p.data, p.frames.models);
  else
    pin::initPvSolver(p.model, p.data, p.points.models);
}
void caba(Problem& p, const State& s) {
  if (p.points.models.empty())
    pin::constrainedABA(p.model, p.data, s.q, s.v, s.x, p.frames.models, p.frames.datas, p.settings);
  else
    pin::constrainedABA(p.model, p.data, s.q, s.v, s.x, p.points.models, p.points.datas, p.settings);
}
void pv(Problem& p, const State& s) {
  if (p.points.models.empty())
    pin::pv(p.model, p.data, s.q, s.v, s.x, p.frames.models, p.frames.datas, p.settings);
  else
    pin::pv(p.model, p.data, s.q, s.v, s.x, p.points.models, p.points.datas, p.settings);
}
#endif

#ifdef LW_PART_DELASSUS
void prepare_delassus_cholesky(Problem& p) {
  p.data.constraint_chol.rebuild(p.model, p.data, p.rigid.models, p.rigid.datas);
}
void delassus_cholesky(Problem& p, const State& s) {
  pin::crba(p.model, p.data, s.q, pin::Convention::WORLD);  // WORLD: it fills the Jacobians, too
  pin::calc(p.model, p.data, p.rigid.models, p.rigid.datas);
  auto& cholesky = p.data.constraint_chol;
  cholesky.compute(p.model, p.data, p.rigid.models, p.rigid.datas, 0.0);
  cholesky.getDelassusOperatorCholeskyExpression().matrix(p.delassus);  // multiplies its factors: no shorter way
}
void delassus_efpa(Problem& p, const State& s) {
  pin::computeDelassusMatrix(p.model, p.data, s.q, p.rigid.models, p.rigid.datas, p.delassus);
}
void prepare_delassus_pv_osimr(Problem& p) { pin::initPvDelassus(p.model, p.data, p.rigid.models); }
void delassus_pv_osimr(Problem& p, const State& s) {
  pin::computePvDelassusMatrix(p.model, p.data, s.q, p.rigid.models, p.rigid.datas, p.delassus, 0.0);
}
void delassus_damped(Problem& p, const State& s) {
  pin::computeDampedDelassusMatrixInverse(p.model, p.data, s.q, p.rigid.models, p.rigid.datas, p.delassus,
                                          p.settings.mu);
}
#endif

#ifdef LW_PART_PROBLEM
namespace {

MatrixXd acceleration(const Problem& p) { return p.data.ddq; }
MatrixXd slopes(const Problem& p) {
  MatrixXd all(p.model.nv, 3 * p.model.nv);
  all << p.data.ddq_dq, p.data.ddq_dv, p.data.ddq_dtau;
  return all;
}
MatrixXd delassus(const Problem& p) { return p.delassus.selfadjointView<Eigen::Upper>(); }  // all that some fill

void nothing(Problem&) {}

struct ConstrainedAlgorithm {
  bool joint_to_joint;
  void (*prepare)(Problem&);  // once, not timed
  Algorithm<Problem> timed;
};

const std::map<std::string, ConstrainedAlgorithm>& algorithms() {
  static const std::map<std::string, ConstrainedAlgorithm> table = {
      {"prox_ltl", {true, prepare_prox_ltl, {true, prox_ltl, acceleration}}},
      {"prox_ltl_derivatives", {true, prepare_prox_ltl, {true, prox_ltl_derivatives, slopes}}},
      {"lcaba", {true, prepare_lcaba, {true, lcaba, acceleration}}},
      {"caba", {false, prepare_caba, {true, caba, acceleration}}},
      {"pv", {false, prepare_caba, {true, pv, acceleration}}},
      {"delassus_cholesky", {true, prepare_delassus_cholesky, {false, delassus_cholesky, delassus}}},
      {"delassus_efpa", {false, nothing, {false, delassus_efpa, delassus}}},
      {"delassus_pv_osimr", {false, prepare_delassus_pv_osimr, {false, delassus_pv_osimr, delassus}}},
      {"delassus_damped", {false, prepare_delassus_pv_osimr, {false, delassus_damped, delassus}}},
  };
  return table;
}

// A row: joint 1, joint 2, rows (3 or 6), then rotation (row by row) and translation on joint 1 and on joint 2.
constexpr int row_size = 27;

pin::JointIndex read_joint(const pin::Model& model, double number, int lowest) {
  if (number < lowest || number >= model.njoints)
    throw std::runtime_error("constraint on joint " + std::to_string(int(number)) + " of " +
                             std::to_string(model.njoints));
  return static_cast<pin::JointIndex>(number);
}

pin::SE3 read_placement(const double* numbers) {
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  return {Eigen::Map<const RowMajor>(numbers), Vector3d(numbers + 9)};
}

}  // namespace

Problem::Problem(const pin::Model& model, const double* rows, long count, double mu, long iterations)
    : model(model), data(model), settings(0.0, mu, static_cast<int>(iterations)) {
  settings.absolute_accuracy = settings.relative_accuracy = -1.0;  // never reached: all iterations are done
  for (const double* row = rows; row != rows + count * row_size; row += row_size) {
    const auto joint1 = read_joint(model, row[0], 1), joint2 = read_joint(model, row[1], 0);
    const pin::SE3 placement1 = read_placement(row + 3), placement2 = read_placement(row + 15);
    const bool is_point = row[2] == 3;
    const auto type = is_point ? pin::CONTACT_3D : pin::CONTACT_6D;
    rigid.add({type, model, joint1, placement1, joint2, placement2, pin::LOCAL});
    if (is_point)
      points.add({model, joint1, placement1, joint2, placement2});
    else
      frames.add({model, joint1, placement1, joint2, placement2});
    to_ground = to_ground && joint2 == 0;
  }
  const Eigen::Index size = 3 * points.models.size() + 6 * frames.models.size();
  delassus = MatrixXd::Zero(size, size);
}

LW_EXPORT const char* lw_constrained_last_error() { return last_error.c_str(); }

// Seconds per call (see time_algorithm); -1 on error. `mu` is Pinocchio's: small is stiff. `out` takes `out_size`
// numbers per state.
LW_EXPORT double lw_time_constrained(void* peer, const double* rows, long count, double mu, long iterations,
                                     const char* name, const double* q, const double* v, const double* x,
                                     long samples, long repeats, double* out, long out_size) {
  return guarded(-1.0, [&] {
    const pin::Model& model = static_cast<Peer*>(peer)->model;
    const auto& chosen = look_up(algorithms(), name, "algorithm");
    if (!(mu > 0) || iterations < 1 || count < 1)
      throw std::runtime_error("mu must be positive, and iterations and constraints at least 1");
    Problem problem(model, rows, count, mu, iterations);
    if (!problem.to_ground && !chosen.joint_to_joint)
      throw std::runtime_error(std::string(name) + " takes constraints to the ground only");
    if (chosen.timed.result(problem).size() != out_size)
      throw std::runtime_error("the memory for the result has the wrong size");
    chosen.prepare(problem);
    return time_algorithm(problem, model, chosen.timed, name, {q, v, x, samples, repeats}, out);
  });
}

#endif  // LW_PART_PROBLEM

}  // namespace linkwright_peer
