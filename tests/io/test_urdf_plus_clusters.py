"""Robots with rotors written as URDF+ give the same clusters as those built in code."""

import numpy as np

import linkwright as lw
from linkwright.robots import geared_chain


def urdf_plus(n: int) -> str:
    """`geared_chain(n)` as a file: rotors coupled to links, links independent."""
    parts = ['<robot name="geared"><link name="ground"/>']
    for k in range(1, n + 1):
        parent, at = (f"link_{k - 1}", "1 0 0") if k > 1 else ("ground", "0 0 0")
        for name, com, mass, moments, independent in (
            (f"link_{k}", "0.5 0 0", 1.0, (0, 1, 1), "true"),
            (f"rotor_{k}", "0 0 0", 0.05, (5e-5, 5e-5, 1e-4), "false"),
        ):
            x, y, z = moments
            parts.append(
                f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
                f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                f'<joint name="{name}_joint" type="continuous" independent="{independent}"><parent link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{at}"/><axis xyz="0 0 1"/></joint>'
            )
        parts.append(
            f'<coupling name="gear_{k}"><predecessor link="link_{k}"/><successor link="rotor_{k}"/><ratio value="2"/>'
            f"</coupling>"
        )
    return "".join([*parts, "</robot>"])


def test_a_geared_chain_from_a_file(tmp_path, rng):
    path = tmp_path / "geared.urdf"
    path.write_text(urdf_plus(3))
    model = lw.load(path, floating_base=False)
    assert set(model.independent) == {"link_1_joint", "link_2_joint", "link_3_joint"}
    y, yd, tau = rng.normal(size=(3, 3))
    found = lw.reference(model, "cluster_aba", parameters="gravity")(y, yd, tau, [0.0, -9.81, 0.0])
    np.testing.assert_allclose(found, lw.reference(geared_chain(3), "cluster_aba")(y, yd, tau), rtol=1e-10)
    G = lw.reference(model, "loop_jacobians", outputs="G")(y, yd)
    assert sorted(G[G != 0].tolist()) == [1.0] * 3 + [2.0] * 3


FOUR_BAR = """<robot name="bars"><link name="ground"/>{links}
<joint name="crank_joint" type="continuous" independent="true"><parent link="ground"/><child link="crank"/>
  <axis xyz="0 0 1"/></joint>
<joint name="coupler_joint" type="continuous" independent="false"><parent link="crank"/><child link="coupler"/>
  <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="rocker_joint" type="continuous" independent="false"><parent link="ground"/><child link="rocker"/>
  <origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<loop name="pin" type="continuous"><predecessor link="rocker"><origin xyz="0.7 0 0"/></predecessor>
  <successor link="coupler"><origin xyz="0.9 0 0"/></successor><axis xyz="0 0 1"/></loop></robot>"""


def test_a_four_bar_from_a_file(tmp_path, rng):
    """A loop of the file is embedded, its independent joint the file's; the dense referee agrees."""
    link = (
        '<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="1"/>'
        '<inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    links = "".join(link.format(name, at) for name, at in (("crank", 0.15), ("coupler", 0.45), ("rocker", 0.35)))
    path = tmp_path / "bars.urdf"
    path.write_text(FOUR_BAR.format(links=links))
    model = lw.load(path, floating_base=False)
    assert model.independent == ("crank_joint",)
    y, yd, tau = np.array([0.8]), rng.normal(size=1), rng.normal(size=1)
    result = lw.reference(model, "cluster_aba", outputs=("ydd", "a", "q", "residual", "status"))(y, yd, tau)
    assert result.residual < 1e-12 and result.status == 0
    v = lw.reference(model, "spanning_velocity")(y, yd)
    full = np.zeros(3)
    full[model.iv[model.joint_index("crank_joint")].start] = tau[0]
    expected = lw.solve_kkt(model, result.q, v, full).a
    np.testing.assert_allclose(result.a, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
