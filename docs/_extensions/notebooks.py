"""Notebooks as pages of the site: texts as they are, cells and what they print as code."""

import json


def as_markdown(text):
    """Of the text of an .ipynb file."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        printed = "".join("".join(output.get("text", ())) for output in cell["outputs"]).rstrip()
        if printed:
            parts.append(f"```text\n{printed}\n```")
    return "\n\n".join(parts) + "\n"


def _read(app, name, source):
    if str(app.env.doc2path(name)).endswith(".ipynb"):
        source[0] = as_markdown(source[0])


def setup(app):
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
