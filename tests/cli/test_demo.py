"""`linkwright demo`, run as a user runs it."""

import re

import pytest
from test_commands import run


@pytest.fixture(scope="module")
def beast(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "made for it"
    return folder, run("demo", "--robot", "jansen_beast:2", "--output", str(folder))


def test_numbers(beast):
    _, result = beast
    assert result.returncode == 0, result.stderr + result.stdout
    text = result.stdout
    assert "13 bodies" in text and "6 constraints (12 rows)" in text
    assert "a servo turns the crank" in text and "walks" not in text
    rows = {m[1].strip(): [float(x.replace(",", "")) for x in m.groups()[1:]]
            for m in re.finditer(r"│ ([\w ]+) │\s+([\d,]+) │\s+([\d.]+) │\s+([\d,]+) x │", text)}  # fmt: skip
    assert set(rows) == {"one mechanism", "256 at once"}
    for rate, microseconds, real in rows.values():
        assert rate > 0 and microseconds == pytest.approx(1e6 / rate, abs=6e-3)
        assert real == pytest.approx(rate * 1e-3, abs=0.51)
    assert float(re.search(r"drift +([\d.e+-]+) m", text)[1]) < 1e-5
    unaccounted, exchanged = map(float, re.search(r"unaccounted ([\d.e+-]+) J, beside ([\d.e+-]+) J", text).groups())
    assert unaccounted < 0.05 * exchanged
    assert "): ok" in text


def test_files_need_nothing_else(beast):
    folder, result = beast
    assert sorted(p.name for p in folder.iterdir()) == ["linkwright-demo.html", "linkwright-demo.svg"]
    for path in folder.iterdir():
        assert str(path) in result.stdout
    page = (folder / "linkwright-demo.html").read_text()
    assert page.lower().startswith("<!doctype html") and "</html>" in page
    assert "http:" not in page and "https:" not in page and " src=" not in page and " href=" not in page
    assert "jansen_beast_2" in page and "leg1_foot" in page
    picture = (folder / "linkwright-demo.svg").read_text()
    assert picture.startswith("<svg") and picture.rstrip().endswith("</svg>")
    assert set(re.findall(r"https?://[^\"']+", picture)) == {"http://www.w3.org/2000/svg"}


def test_only_its_own_files_are_overwritten(beast, tmp_path):
    folder, _ = beast
    again = ("demo", "--robot", "jansen_beast:2", "--output")
    before = (folder / "linkwright-demo.html").stat().st_mtime_ns
    assert run(*again, str(folder)).returncode == 0
    assert (folder / "linkwright-demo.html").stat().st_mtime_ns > before
    mine = tmp_path / "linkwright-demo.svg"
    mine.write_text("<svg>mine</svg>")
    result = run(*again, str(tmp_path))
    assert result.returncode == 1 and "was not drawn by Linkwright" in result.stderr
    assert mine.read_text() == "<svg>mine</svg>" and len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    for folder in (blocked, blocked / "below"):
        result = run("demo", "--robot", "jansen_beast:2", "--output", str(folder))
        assert result.returncode == 1 and "Traceback" not in result.stderr
        assert f"cannot write into {folder}" in result.stderr and "--output" in result.stderr
        assert "compiling" not in result.stdout


def test_a_robot_that_floats_is_held(tmp_path):
    result = run("demo", "--robot", "quadruped", "--output", str(tmp_path))
    assert result.returncode == 0, result.stderr + result.stdout
    assert "held by its base (root_joint)" in result.stdout and "no constraints" in result.stdout


def test_a_beast_walks(tmp_path):
    result = run("demo", "--robot", "walking_beast", "--output", str(tmp_path))
    assert result.returncode == 0, result.stderr + result.stdout
    assert "it walks on its feet" in result.stdout and "m deep at most" in result.stdout and "): ok" in result.stdout
    assert re.search(r'"arrows":12,"forces":"', (tmp_path / "linkwright-demo.html").read_text())


_HOPPER = """<mujoco model="hopper"><option timestep="0.002" integrator="implicitfast"/><worldbody>
<geom type="plane" size="5 5 0.1"/>
<body name="base" pos="0 0 0.5"><freejoint/><geom type="box" size="0.2 0.1 0.02" mass="2"/>
<body name="left" pos="0.1 0 0"><joint name="left" axis="0 1 0" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3"/></body>
<body name="right" pos="-0.1 0 0"><joint name="right" axis="0 1 0" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3"/></body>
</body></worldbody></mujoco>"""


def test_a_robot_of_the_users_folder_stands_on_its_floor(tmp_path, monkeypatch):
    """By its own name where the folder of scenes is named, as by its file."""
    pytest.importorskip("mujoco")
    (tmp_path / "my_hopper").mkdir()
    (tmp_path / "my_hopper" / "scene.xml").write_text(_HOPPER)
    monkeypatch.setenv("LINKWRIGHT_MENAGERIE", str(tmp_path))
    result = run("demo", "--robot", "my_hopper", "--output", str(tmp_path / "drawn"))
    assert result.returncode == 0, result.stderr + result.stdout
    assert "it stands on the ground" in result.stdout and "contact_dynamics): ok" in result.stdout
    monkeypatch.delenv("LINKWRIGHT_MENAGERIE")
    result = run("demo", "--robot", "my_hopper", "--output", str(tmp_path / "drawn"))
    assert result.returncode == 1 and "neither a file nor a known robot" in result.stderr


def test_shapes_that_are_there_for_listed_pairs_alone_are_not_stood_on():
    """Then a robot is held by its base, as one without shapes is."""
    pytest.importorskip("mujoco")
    from linkwright.cli.demo import _standing

    text = """<mujoco><worldbody><body><freejoint/><geom name="one" type="box" size="0.1 0.1 0.1"{masks}/>
    <body pos="0 0 0.5"><joint/><geom name="two" type="box" size="0.1 0.1 0.1"{masks}/></body></body></worldbody>
    <contact><pair geom1="one" geom2="two"/></contact></mujoco>"""
    assert len(_standing(text.format(masks="")).pairs) == 2
    alone = _standing(text.format(masks=' contype="0" conaffinity="0"'))
    assert len(alone.shapes) == 2 and not alone.pairs
