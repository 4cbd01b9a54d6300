"""Draw docs/learning-curves.svg from the curves beside this file: python docs/curves/draw.py"""

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
curves = [json.loads(path.read_text()) for path in sorted(HERE.glob("*.json"))]
tasks = list(dict.fromkeys(curve["task"] for curve in curves))
plt.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "linkwright", "font.size": 9}
figure, axes = plt.subplots(1, len(tasks), figsize=(3.6 * len(tasks), 2.8), sharey=True, layout="constrained")
for axis, task in zip(axes, tasks, strict=True):
    for curve in (c for c in curves if c["task"] == task):
        actions = [(k + 1) * curve["environments"] * 32 / 1e6 for k in range(len(curve["reward"]))]
        minutes, falls = curve["seconds"][-1] / 60, 100 * curve["fell"]
        label = f"seed {curve['seed']}: return {curve['return']:.0f}, {falls:.1f} % fall, {minutes:.0f} min"
        axis.plot(actions, curve["reward"], lw=1.2, label=label)
    axis.axhline(1.5, color="0.6", lw=0.8, ls=":")
    axis.set(title=task.replace("_", " "), xlabel="actions, millions", ylim=(0, 1.6))
    axis.legend(loc="lower right", fontsize=7, frameon=False)
axes[0].set_ylabel("reward per action (1.5 at most)")
figure.savefig(HERE.parent / "learning-curves.svg", metadata={"Date": None})
