"""Headers and a library with the names of generalized_rbda that grbda_cpp.cpp uses, and nothing behind them.

They hold what the real headers declare, as far as it is called; all of it written here.
"""

import subprocess
from pathlib import Path

MODELS = """#pragma once
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>
namespace grbda {
template <typename T> struct DVec {
  std::vector<T> entries;
  explicit DVec(int n = 0) : entries(n) {}
  static DVec Random(int n) { return DVec(n); }
  int size() const { return static_cast<int>(entries.size()); }
  T &operator[](int i) { return entries[i]; }
  const T &operator[](int i) const { return entries[i]; }
};
template <typename T> struct DMat {
  int rows() const { return 1; }
  int cols() const { return 2; }
  T operator()(int, int j) const { return j == 0; }
};
template <typename T = double> struct JointCoordinate : DVec<T> {
  bool spanning = false;
  JointCoordinate(int n, bool is) : DVec<T>(n), spanning(is) {}
  bool isSpanning() const { return spanning; }
};
template <typename T = double> struct JointState { JointCoordinate<T> position, velocity; };
template <typename T = double> using ModelState = std::vector<JointState<T>>;
struct Joint {
  DMat<int> choice;
  JointState<double> randomJointState() const { return {{2, true}, {1, false}}; }
  JointState<double> toSpanningTreeState(const JointState<double> &) { return {{2, true}, {2, true}}; }
  const DMat<int> &spanningTreeToIndependentCoordsConversion() const { return choice; }
};
struct Node { std::shared_ptr<Joint> joint_ = std::make_shared<Joint>(); };
int answers();  // in the library
template <typename T = double> struct TreeModel {
  int getNumDegreesOfFreedom() const { return 1; }
  DVec<T> forwardDynamics(const DVec<T> &tau) { return DVec<T>(answers()); }
  DVec<T> inverseDynamics(const DVec<T> &ydd) { return DVec<T>(answers()); }
  DMat<T> inverseOperationalSpaceInertiaMatrix() { return {}; }
};
template <typename T = double> struct ClusterTreeModel : TreeModel<T> {
  std::vector<std::shared_ptr<Node>> nodes{std::make_shared<Node>()};
  bool is_linkage = false;
  const std::vector<std::shared_ptr<Node>> &clusters() const { return nodes; }
  void setState(const ModelState<T> &) {}
};
enum class FwdDynMethod { Projection, LagrangeMultiplierCustom, LagrangeMultiplierEigen };
template <typename T = double> struct RigidBodyTreeModel : TreeModel<T> {
  RigidBodyTreeModel(const ClusterTreeModel<T> &, FwdDynMethod = FwdDynMethod::Projection) {
    std::cout << "a line of its own" << std::endl;
  }
  void setState(const DVec<T> &q, const DVec<T> &v) {
    if (q.size() != 2 || v.size() != 2) throw std::runtime_error("not of the spanning tree");
  }
};
enum class RotorInertiaApproximation { NONE, DIAGONAL, BLOCK_DIAGONAL };
template <typename T = double> struct ReflectedInertiaTreeModel : TreeModel<T> {
  ReflectedInertiaTreeModel(const ClusterTreeModel<T> &model, RotorInertiaApproximation) {
    if (model.is_linkage) throw std::runtime_error("Reflected Inertia not setup");
  }
  void setIndependentStates(const DVec<T> &y, const DVec<T> &dy) {
    if (y.size() != 1 || dy.size() != 1) throw std::runtime_error("not independent");
  }
};
}
"""
ROBOTS = """#pragma once
#include "grbda/Dynamics/ClusterTreeModel.h"
namespace grbda {
struct Robot { ClusterTreeModel<double> buildClusterTreeModel() const { return {}; } };
template <int n, typename T = double> struct RevoluteChainWithRotor : Robot {};
template <int n, typename T = double> struct RevolutePairChainWithRotor : Robot {};
template <typename T = double> struct MiniCheetah : Robot {};
template <typename T = double> struct MIT_Humanoid : Robot {};
struct JVRC1_Humanoid : Robot {};
}
#include "grbda/Robots/TelloWithArms.hpp"
"""
TELLO = """#pragma once
namespace grbda {
%s
class TelloWithArms {
 public:
  ClusterTreeModel<double> buildClusterTreeModel() const { ClusterTreeModel<double> m; m.is_linkage = true; return m; }
};
}
"""
LIBRARY = "namespace grbda { int answers() { return 1; } }"


def write_headers(folder: Path, *, tello: str = "") -> None:
    """`tello`: what stands before that class."""
    files = {
        "Dynamics/ClusterTreeModel.h": MODELS,
        "Dynamics/RigidBodyTreeModel.h": "",
        "Dynamics/ReflectedInertiaTreeModel.h": "",
        "Robots/RobotTypes.h": ROBOTS,
        "Robots/TelloWithArms.hpp": TELLO % tello,
    }
    for name, text in files.items():
        path = folder / "include" / "grbda" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def build_library(folder: Path, compiler: str) -> None:
    """`folder/build/lib/libgrbda.so`, and a library of CasADi's name beside it."""
    lib = folder / "build" / "lib"
    lib.mkdir(parents=True)
    for name, text in (("grbda", LIBRARY), ("casadi", "")):
        source = lib / f"{name}.cpp"
        source.write_text(text)
        subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(lib / f"lib{name}.so")], check=True)
