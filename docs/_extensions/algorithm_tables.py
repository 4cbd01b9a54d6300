"""Directives `{algorithms}` and `{algorithm-details}`: tables of what `linkwright.compile` knows, made from the recipes
themselves when the site is built."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from linkwright import physics, programs
from linkwright.physics import RECIPES
from linkwright.programs import Recipe
from linkwright.programs.meanings import input_meaning, option_meaning, output_meaning

# Headings of the groups in which `programs` and `physics` list their recipes.
GROUPS = {
    "DYNAMICS": "Trees", "CONSTRAINED": "Constrained dynamics", "CONTACT": "Contact",
    "CONSTRAINT_PROGRAMS": "Constraints at a state", "CLOSING": "Closed poses",
    "ACTUATION": "Closed-loop inverse dynamics", "DELASSUS": "Delassus matrices",
    "CLUSTERS": "Clusters: dynamics in independent coordinates",
    "CLUSTER_COORDINATES": "Clusters: between independent and spanning coordinates",
    "KINEMATICS": "Kinematics", "STEP": "Simulation", "ACTUATORS": "Actuators",
    "WHOLE_BODY": "Identification and whole-body control",
}  # fmt: skip


def grouped() -> list[tuple[str, tuple[Recipe, ...]]]:
    """All recipes by group; one that is in no group here stops the build."""
    found = [(heading, getattr(programs, name, None) or getattr(physics, name)) for name, heading in GROUPS.items()]
    missing = set(RECIPES) - {recipe.name for _, group in found for recipe in group}
    if missing:
        raise ValueError(f"docs/_extensions/algorithm_tables.py: no group for {sorted(missing)}")
    return found


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [row(heading), row("---" for _ in heading), *map(row, rows), ""]


def code(text: object) -> str:
    return f"`{text}`"


def overview() -> list[str]:
    lines: list[str] = []
    for heading, group in grouped():
        rows = (
            (f"[{code(recipe.name)}](#{anchor(recipe)})", recipe.summary, ", ".join(recipe.inputs), constraints(recipe))
            for recipe in group
        )
        lines += [f"**{heading}**", "", *table(("name", "computes", "takes", "constraints"), rows)]
    return lines


def constraints(recipe: Recipe) -> str:
    said = {"irrelevant": "make no difference", "none": "refused", "ground": "to the ground only", "any": "any"}
    return said[recipe.constraints]


def anchor(recipe: Recipe) -> str:
    return f"algorithm-{recipe.name.replace('_', '-')}"


def details(recipe: Recipe) -> list[str]:
    defaults = recipe.default_outputs or recipe.outputs
    inputs = [(code(name), code(meaning.shape), meaning.text) for name, meaning in _meanings(recipe, "inputs")]
    optional = [
        (code(name), code(meaning.shape), f"{meaning.text} (if asked for)")
        for name, meaning in _meanings(recipe, "optional_inputs")
    ]
    outputs = [
        (code(name), code(meaning.shape), meaning.text + ("" if name in defaults else " (if asked for)"))
        for name, meaning in _meanings(recipe, "outputs")
    ]
    sentence = f"{recipe.summary[:1].upper()}{recipe.summary[1:]}."
    lines = [f"({anchor(recipe)})=", f"### `{recipe.name}`", "", sentence, ""]
    lines += table(("input", "shape", "what"), [*inputs, *optional])
    lines += table(("output", "shape", "what"), outputs)
    if recipe.options:
        rows = [
            (code(name), code(repr(default)), code(meaning.shape), meaning.text)
            for (name, default), meaning in (
                (option, option_meaning(recipe, option[0])) for option in recipe.options.items()
            )
        ]
        lines += table(("option", "default", "values", "what"), rows)
    return lines


def _meanings(recipe: Recipe, kind: str):
    meaning = output_meaning if kind == "outputs" else input_meaning
    return [(name, meaning(recipe, name)) for name in getattr(recipe, kind)]


class AlgorithmOverview(SphinxDirective):
    """All algorithms with what they compute."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(overview()))


class AlgorithmDetails(SphinxDirective):
    """A section for every group, and in it one for every algorithm."""

    def run(self) -> list[nodes.Node]:
        lines: list[str] = []
        for heading, group in grouped():
            lines += [f"## {heading}", ""]
            for recipe in group:
                lines += details(recipe)
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app) -> dict[str, bool]:
    app.add_directive("algorithms", AlgorithmOverview)
    app.add_directive("algorithm-details", AlgorithmDetails)
    return {"parallel_read_safe": True}
