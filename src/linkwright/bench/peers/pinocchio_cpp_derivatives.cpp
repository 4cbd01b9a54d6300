// Pinocchio's C++ derivatives of inverse and forward dynamics: a library beside pinocchio_cpp.cpp's, built on request.
//
// It works on models made there, so both are compiled with the same flags. Compiled once per part, with one of
// LW_PART_{RNEA_DERIVATIVES,ABA_DERIVATIVES,TABLE} defined. To add an algorithm: add a part here and to
// DERIVATIVE_PARTS in pinocchio_cpp.py, and a line to `algorithms()`.

#include "pinocchio_cpp.hpp"

#ifdef LW_PART_RNEA_DERIVATIVES
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#endif
#ifdef LW_PART_ABA_DERIVATIVES
#include <pinocchio/algorithm/aba-derivatives.hpp>
#endif

namespace linkwright_peer {

void rnea_derivatives(Peer&, const State&);
void aba_derivatives(Peer&, const State&);

#ifdef LW_PART_RNEA_DERIVATIVES
void rnea_derivatives(Peer& p, const State& s) { pin::computeRNEADerivatives(p.model, p.data, s.q, s.v, s.x); }
#endif

#ifdef LW_PART_ABA_DERIVATIVES
void aba_derivatives(Peer& p, const State& s) { pin::computeABADerivatives(p.model, p.data, s.q, s.v, s.x); }
#endif

#ifdef LW_PART_TABLE
namespace {

// With respect to q, v, and a or tau, side by side. Of symmetric matrices Pinocchio fills the upper half.
MatrixXd beside(const MatrixXd& dq, const MatrixXd& dv, const MatrixXd& upper) {
  MatrixXd all(dq.rows(), 3 * dq.cols());
  all << dq, dv, MatrixXd(upper.selfadjointView<Eigen::Upper>());
  return all;
}
MatrixXd of_torque(const Peer& p) { return beside(p.data.dtau_dq, p.data.dtau_dv, p.data.M); }
MatrixXd of_acceleration(const Peer& p) { return beside(p.data.ddq_dq, p.data.ddq_dv, p.data.Minv); }

const std::map<std::string, Algorithm<Peer>>& algorithms() {
  static const std::map<std::string, Algorithm<Peer>> table = {
      {"rnea", {true, rnea_derivatives, of_torque}},
      {"aba", {true, aba_derivatives, of_acceleration}},
  };
  return table;
}

}  // namespace

LW_EXPORT const char* lw_derivatives_last_error() { return last_error.c_str(); }

// Seconds per call (see time_algorithm); -1 on error.
LW_EXPORT double lw_time_derivatives(void* handle, const char* algorithm, const double* q, const double* v,
                                     const double* x, long samples, long repeats, double* out) {
  return guarded(-1.0, [&] {
    Peer& peer = *static_cast<Peer*>(handle);
    const auto& chosen = look_up(algorithms(), algorithm, "algorithm");
    return time_algorithm(peer, peer.model, chosen, algorithm, {q, v, x, samples, repeats}, out);
  });
}
#endif  // LW_PART_TABLE

}  // namespace linkwright_peer
