// What the compiled parts of the Pinocchio peer share: a model, a state, tables of algorithms, and how they are timed.

#pragma once

#include <pinocchio/multibody.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define LW_EXPORT extern "C" __attribute__((visibility("default")))

namespace linkwright_peer {

namespace pin = pinocchio;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Peer {
  explicit Peer(const std::string& text);
  pin::Model model;
  pin::Data data;
};

struct State {
  VectorXd q, v, x;  // x: torque for forward dynamics, acceleration for RNEA
};

template <class Target>
struct Algorithm {
  bool needs_v_and_x;
  void (*run)(Target&, const State&);  // timed
  MatrixXd (*result)(const Target&);   // not timed
};

template <class Table>
const auto& look_up(const Table& table, const std::string& name, const std::string& kind) {
  const auto found = table.find(name);
  if (found != table.end()) return found->second;
  std::string known;
  for (const auto& entry : table) known += " " + entry.first;
  throw std::runtime_error("unknown " + kind + " '" + name + "'; known:" + known);
}

// States given as rows; v and x may be null if the algorithm does not need them.
struct States {
  const double *q, *v, *x;
  long samples, repeats;
};

// Seconds per call: the best over `repeats` of the mean over `samples` states.
// `out` receives one row-major result per state, from a first, untimed pass that also warms the caches.
template <class Target>
double time_algorithm(Target& target, const pin::Model& model, const Algorithm<Target>& chosen,
                      const std::string& name, const States& given, double* out) {
  if (!given.q || (chosen.needs_v_and_x && !(given.v && given.x)))
    throw std::runtime_error(name + (chosen.needs_v_and_x ? " needs q, v, x" : " needs q"));
  if (given.samples < 1 || given.repeats < 1)
    throw std::runtime_error("samples and repeats must be at least 1");

  // Owned vectors, as in Pinocchio's own benchmarks: aligned, and what its templates are usually given.
  const Eigen::Index nq = model.nq, nv = model.nv;
  std::vector<State> states(given.samples);
  for (long i = 0; i < given.samples; ++i) {
    states[i].q = Eigen::Map<const VectorXd>(given.q + i * nq, nq);
    if (given.v) states[i].v = Eigen::Map<const VectorXd>(given.v + i * nv, nv);
    if (given.x) states[i].x = Eigen::Map<const VectorXd>(given.x + i * nv, nv);
    chosen.run(target, states[i]);
    const MatrixXd result = chosen.result(target).transpose();  // column-major transposed is row-major
    out = std::copy(result.data(), result.data() + result.size(), out);
  }

  double best = std::numeric_limits<double>::infinity();
  for (long repeat = 0; repeat < given.repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (const State& state : states) chosen.run(target, state);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / given.samples);
  }
  return best;
}

inline thread_local std::string last_error;

// No exception may cross into ctypes: it would end the Python process.
template <class Result, class Function>
Result guarded(Result on_error, const Function& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "unknown C++ exception";
  }
  return on_error;
}

}  // namespace linkwright_peer
