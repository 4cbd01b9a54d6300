// The library of [Chignoli2023], generalized_rbda, on its own robots: a process that is asked by lines on its standard
// input, "robot algorithm states", and answers each with a line "answer seconds ...", the mean of one call, or with
// "answer error ..." and why. The library writes lines of its own in between.
// States are set before the clock starts, so a call includes kinematics, as in the library's own benchmarks.
//
// Written against the library's headers. LW_TELLO names its class of the Tello humanoid, which became a template.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/Dynamics/ClusterTreeModel.h"
#include "grbda/Dynamics/ReflectedInertiaTreeModel.h"
#include "grbda/Dynamics/RigidBodyTreeModel.h"
#include "grbda/Robots/RobotTypes.h"

#ifndef LW_TELLO
#define LW_TELLO grbda::TelloWithArms
#endif

namespace {

using Vector = grbda::DVec<double>;
using ClusterModel = grbda::ClusterTreeModel<double>;
using SpanningModel = grbda::RigidBodyTreeModel<double>;
using ApproximateModel = grbda::ReflectedInertiaTreeModel<double>;

constexpr int kMostTries = 1000;  // of random states: differentials cannot reach all of them

Vector joined(const Vector &a, const Vector &b) {
  Vector both(a.size() + b.size());
  for (int i = 0; i < a.size(); ++i) both[i] = a[i];
  for (int i = 0; i < b.size(); ++i) both[a.size() + i] = b[i];
  return both;
}

bool finite(const Vector &x) {
  for (int i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return false;
  return true;
}

// One state in the coordinates of each kind of model: by cluster, of the spanning tree, independent.
struct State {
  grbda::ModelState<double> clusters;
  Vector q = Vector(0), v = Vector(0);
  Vector y = Vector(0), dy = Vector(0);
};

Vector independent(const Vector &spanning, const grbda::DMat<int> &choice) {
  Vector y(choice.rows());
  for (int i = 0; i < choice.rows(); ++i) {
    y[i] = 0;
    for (int j = 0; j < choice.cols(); ++j) y[i] += choice(i, j) * spanning[j];
  }
  return y;
}

State random_state(const ClusterModel &model) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    State state;
    for (const auto &cluster : model.clusters()) {
      const auto own = cluster->joint_->randomJointState();
      const auto spanning = cluster->joint_->toSpanningTreeState(own);
      const auto &choice = cluster->joint_->spanningTreeToIndependentCoordsConversion();
      state.clusters.push_back(own);
      state.q = joined(state.q, spanning.position);
      state.v = joined(state.v, spanning.velocity);
      state.y = joined(state.y, own.position.isSpanning() ? independent(own.position, choice) : Vector(own.position));
      state.dy = joined(state.dy, own.velocity.isSpanning() ? independent(own.velocity, choice) : Vector(own.velocity));
    }
    if (finite(state.q) && finite(state.v)) return state;
  }
  throw std::runtime_error("no random state satisfies its loops");
}

// What is timed: a model, already in a state, asked for one thing.
struct Algorithm {
  std::function<void(const State &)> set;
  std::function<void(const Vector &)> run;
};

class Subject {
 public:
  explicit Subject(ClusterModel model)
      : cluster_(std::move(model)),
        projection_(cluster_, grbda::FwdDynMethod::Projection),
        lagrange_(cluster_, grbda::FwdDynMethod::LagrangeMultiplierCustom) {}

  double seconds(const std::string &name, int states) {
    const Algorithm algorithm = named(name);
    double total = 0;
    for (int k = 0; k < states; ++k) {
      const State state = random_state(cluster_);
      const Vector given = Vector::Random(cluster_.getNumDegreesOfFreedom());
      algorithm.set(state);
      const auto begin = std::chrono::steady_clock::now();
      algorithm.run(given);
      total += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return total / states;
  }

 private:
  template <typename Model>
  static std::function<void(const Vector &)> asked(Model &model, const std::string &what) {
    if (what == "aba") return [&model](const Vector &tau) { model.forwardDynamics(tau); };
    if (what == "rnea") return [&model](const Vector &ydd) { model.inverseDynamics(ydd); };
    if (what == "efpa") return [&model](const Vector &) { model.inverseOperationalSpaceInertiaMatrix(); };
    throw std::runtime_error("no algorithm " + what);
  }

  Algorithm named(const std::string &name) {
    if (name == "projection") return of_spanning_tree(projection_, "aba");
    if (name == "lagrange") return of_spanning_tree(lagrange_, "aba");
    const auto bar = name.find('_');
    const std::string kind = name.substr(0, bar), what = bar == std::string::npos ? "" : name.substr(bar + 1);
    if (kind == "cluster")
      return {[this](const State &state) { cluster_.setState(state.clusters); }, asked(cluster_, what)};
    if (kind == "projected") return of_spanning_tree(projection_, what);
    if (kind == "approximate") {
      if (!approximate_)  // not every cluster of the library knows its reflected inertia
        approximate_ = std::make_unique<ApproximateModel>(cluster_, grbda::RotorInertiaApproximation::DIAGONAL);
      return {[this](const State &state) { approximate_->setIndependentStates(state.y, state.dy); },
              asked(*approximate_, what)};
    }
    throw std::runtime_error("no algorithm " + name);
  }

  Algorithm of_spanning_tree(SpanningModel &model, const std::string &what) {
    return {[&model](const State &state) { model.setState(state.q, state.v); }, asked(model, what)};
  }

  ClusterModel cluster_;
  SpanningModel projection_, lagrange_;
  std::unique_ptr<ApproximateModel> approximate_;
};

template <typename Robot>
std::unique_ptr<Subject> subject() {
  return std::make_unique<Subject>(Robot().buildClusterTreeModel());
}

const std::map<std::string, std::function<std::unique_ptr<Subject>()>> kRobots = {
    {"geared_chain", subject<grbda::RevoluteChainWithRotor<12>>},
    {"belt_chain", subject<grbda::RevolutePairChainWithRotor<12>>},
    {"mini_cheetah", subject<grbda::MiniCheetah<>>},
    {"mit_humanoid", subject<grbda::MIT_Humanoid<>>},
    {"tello", subject<LW_TELLO>},
    {"jvrc1", subject<grbda::JVRC1_Humanoid>},
};

}  // namespace

int main() {
  std::srand(0);  // Eigen's random numbers
  std::cout.precision(9);
  std::map<std::string, std::unique_ptr<Subject>> known;
  std::string robot, algorithm;
  int states;
  while (std::cin >> robot >> algorithm >> states) {
    try {
      if (!kRobots.count(robot)) throw std::runtime_error("no robot " + robot);
      if (!known.count(robot)) known[robot] = kRobots.at(robot)();
      const double seconds = known[robot]->seconds(algorithm, states);
      std::cout << "answer seconds " << seconds << std::endl;
    } catch (const std::exception &error) {
      std::cout << "answer error " << error.what() << std::endl;
    }
  }
}
