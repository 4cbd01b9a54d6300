"""`linkwright.export_c`: a compiled function as plain C99, which gives the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..atomic_file import replacing
from ..call_errors import names_arguments
from ..codegen import ArraySpec, CompiledFunction
from ..errors import InputError, UnsupportedError
from .c_builder import CALLED
from .c_names import comment, identifier, identifiers
from .c_source import CSource


class CFiles(NamedTuple):
    """What was written, and the name of the function."""

    header: Path
    source: Path
    name: str


@names_arguments
def export_c(function: CompiledFunction, folder: str | Path, *, name: str | None = None) -> CFiles:
    """Write a compiled function as C99 to folder/name.h and folder/name.c; the header says how to call it.

    Plain functions of arrays of one sample, without memory of their own, libraries (but for sqrt and fma of the C
    library) or anything allocated. Compiled with -ffp-contract=off they give the bits that `function` gives on a
    processor with fused multiply-add.

    name   of files and function; by default the function's
    """
    if not isinstance(function, CompiledFunction):
        raise InputError(
            f"cannot export {type(function).__name__} {function!r}; expected what compile, jacobian, vjp or jvp "
            "returned"
        )
    origin = function.origin
    if origin is None:
        raise UnsupportedError(f"{function.name!r} was loaded from a file and has no program; export what was compiled")
    if name is not None and (not isinstance(name, str) or identifier(name) != name):
        raise InputError(f"name is {name!r}; expected an identifier of C, such as {identifier(str(name))!r}")
    called = name or identifier(function.name)
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be used as a folder: {error.strerror}") from None
    source = CSource(function.program, called, str(function.dtype), origin.arithmetic)
    files = CFiles(folder / f"{called}.h", folder / f"{called}.c", called)
    with replacing(files.header) as header, replacing(files.source) as text:  # both or neither
        header.write_text(_header(function, source, called), encoding="utf-8")
        text.write_text(_source(function, source, called), encoding="utf-8")
    return files


_APART = """\
/* Inlined into one another, functions would take too long to compile; and GCC 12, when it packs statements into
 * vectors, does not keep to the roundings that are written here. */
#if defined(__clang__)
#define LW_APART __attribute__((noinline))
#elif defined(__GNUC__)
#define LW_APART __attribute__((noinline, optimize("no-tree-slp-vectorize")))
#else
#define LW_APART
#endif
"""


def _prototype(function: CompiledFunction, source: CSource, called: str) -> str:
    names = identifiers([*(f"{x.name}" for x in function.inputs), *(_written(x, function) for x in function.outputs)])
    kind, arrays = source.array.text, []
    for k, spec in enumerate((*function.inputs, *function.outputs)):
        const = "const " if k < len(function.inputs) else ""
        arrays.append(f"{const}{kind} {names[k]}[{max(1, spec.size)}]")
    arrays.append(f"{source.kind.text} workspace[{called.upper()}_WORKSPACE]")
    return f"void {called}({', '.join(arrays)})"


def _written(spec: ArraySpec, function: CompiledFunction) -> str:
    """Outputs with the name of an input, such as the state after a step, are told apart."""
    return f"next_{spec.name}" if spec.name in {x.name for x in function.inputs} else spec.name


def _listed(specs, names: list[str]) -> str:
    lines = []
    for spec, name in zip(specs, names, strict=True):
        shape = " x ".join(map(str, spec.shape)) or "one number"
        rows = f"; rows: {', '.join(spec.labels)}" if spec.labels else ""
        lines.append(comment(f"   {name}: {shape}{rows}"))
    return "\n".join(f" *{line}" for line in lines)


def _header(function: CompiledFunction, source: CSource, called: str) -> str:
    inputs, outputs = function.inputs, function.outputs
    names = identifiers([*(x.name for x in inputs), *(_written(x, function) for x in outputs)])
    guard = f"LINKWRIGHT_{called.upper()}_H"
    return f"""\
/* {comment(function.name)}, written by linkwright's export_c: {function.operations.total} operations.
 *
 * Inputs, matrices row by row:
{_listed(inputs, names[: len(inputs)])}
 * Outputs:
{_listed(outputs, names[len(inputs) :])}
 *
 * How to call it, with arrays that do not overlap:
 *
 *   static {source.kind.text} workspace[{called.upper()}_WORKSPACE];  (one for every thread; with anything in it)
 *   {called}({", ".join(names)}, workspace);
 *
 * How to compile it:
 *
 *   cc -std=c99 -O2 -ffp-contract=off -c {called}.c
 *
 * and link with -lm. Add -mfma, or -march=native, on x86: fma() is slow where the processor's own is not used.
 * Nothing is allocated, nothing is kept from call to call, and NaN in gives NaN out.
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

#define {called.upper()}_WORKSPACE {source.workspace}

{_prototype(function, source, called)};

#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(function: CompiledFunction, source: CSource, called: str) -> str:
    names = identifiers([*(x.name for x in function.inputs), *(_written(x, function) for x in function.outputs)])
    arguments = ", ".join(["workspace", *names])
    functions = list(source.functions())
    called_too = [f"static inline {x}\n" for name, x in CALLED.items() if any(name in text for text in functions)]
    calls = "\n".join(f"  {call.replace(source.arguments, arguments)}" for call in source.calls())
    return "\n".join([
        f'/* See {called}.h. Compile with -ffp-contract=off: products and sums are fused here where they should be. */',
        f'#include "{called}.h"', "", "#include <math.h>", "#include <stdint.h>", "#include <string.h>", "",
        _APART,
        *called_too, *functions,
        f"{_prototype(function, source, called)}\n{{\n{calls}\n}}\n",
    ])  # fmt: skip
