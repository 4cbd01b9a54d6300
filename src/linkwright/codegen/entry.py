"""The function Python calls, in compiled code: checks the arguments, allocates the results, runs the kernels.

It serves calls whose arguments, by position or name, are exactly NumPy arrays of the right type and shape, aligned and
C-contiguous, unbatched or batched; and `out=`, an array or, for several outputs, a tuple of them, that overlap neither
an input nor one another. Everything else goes, with the same arguments, to the Python implementation
(general_call.py), which handles every case and explains what is wrong.
"""

from __future__ import annotations

from .arguments import READABLE
from .context import Slot, context_definition, load_context
from .inspection import BIND, EXAMINE, OVERLAP, REFUSED, UNBATCHED, field, inspection_functions
from .kernel import KERNEL, chunk_calls, single_workspace_bytes, workspace_bytes
from .machine import ALIGNMENT
from .plan import Plan
from .python_abi import (
    DATA_OFFSET,
    TUPLE_ITEMS_OFFSET,
    TUPLE_SIZE_OFFSET,
    TYPE_OFFSET,
    WRITEABLE,
)
from .spare_results import keep, kept_definition, look_for_kept, worth_keeping
from .vector_type import VectorType

ENTRY = "lw_entry"
LARGEST_STACK_WORKSPACE = 256 * 1024  # bytes for a single sample; more belongs on the heap, as the Python path has it
GIL_OPERATIONS = 100_000  # calls longer than this (some 25 us) let other Python threads run meanwhile


def has_entry(plan: Plan, scalar: VectorType) -> bool:
    return single_workspace_bytes(plan, scalar) <= LARGEST_STACK_WORKSPACE


class EntryFunction:
    """PyObject *entry(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)"""

    def __init__(self, plan: Plan, vector: VectorType, operations: int):
        self.plan, self.vector, self.operations = plan, vector, operations
        self.inputs, self.outputs = plan.program.inputs, plan.program.outputs

    def text(self) -> list[str]:
        return [
            *context_definition(len(self.inputs)),
            *kept_definition(len(self.outputs)),
            *(_shape_constant(f"in{k}", array.shape) for k, array in enumerate(self.inputs)),
            *(_shape_constant(f"out{k}", array.shape) for k, array in enumerate(self.outputs)),
            *inspection_functions(len(self.inputs)),
            f"define ptr @{ENTRY}(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {{",
            "entry:",
            *self._stack(),
            "%unnamed = icmp eq ptr %names, null",
            "br i1 %unnamed, label %positional, label %named",
            "positional:",
            f"%counted = icmp eq i64 %nargs, {len(self.inputs)}",
            "br i1 %counted, label %check, label %slow",
            "named:",
            f"%fitting = call i1 @{BIND}(ptr %args, i64 %nargs, ptr %names, ptr %bound)",
            f"%out_at = getelementptr ptr, ptr %bound, i64 {len(self.inputs)}",
            "%out_named = load ptr, ptr %out_at, align 8",
            "br i1 %fitting, label %check, label %slow",
            "check:",
            "%values = phi ptr [ %args, %positional ], [ %bound, %named ]",
            "%given = phi ptr [ null, %positional ], [ %out_named, %named ]",
            *self._check_inputs(),
            "%no_out = icmp eq ptr %given, null",
            "br i1 %no_out, label %look, label %check_out",
            *self._check_out(),
            *look_for_kept([len(x.shape) for x in self.outputs], "given0", "allocate0"),
            *(line for k in range(len(self.outputs)) for line in self._allocate(k)),
            *self._run(),
            *self._return_results(),
            "slow:",
            load_context(Slot.VECTORCALL, "%vectorcall"),
            load_context(Slot.SLOW_PATH, "%implementation"),
            "%answer = tail call ptr %vectorcall(ptr %implementation, ptr %args, i64 %nargs, ptr %names)",
            "ret ptr %answer",
            "}",
        ]

    def _stack(self) -> list[str]:
        scalar = self.vector.one
        inputs, outputs = len(self.inputs), len(self.outputs)
        return [
            f"%workspace = alloca [{max(1, single_workspace_bytes(self.plan, scalar))} x i8], align {ALIGNMENT}",
            f"%bound = alloca [{inputs + 1} x ptr], align 8",
            f"%sources = alloca [{max(1, inputs)} x ptr], align 8",
            f"%strides = alloca [{max(1, inputs)} x i64], align 8",
            f"%targets = alloca [{outputs} x ptr], align 8",
            *(f"%dims{k} = alloca [{len(x.shape) + 1} x i64], align 8" for k, x in enumerate(self.outputs)),
            "%tuple_slot = alloca ptr, align 8",
        ]

    def _check_inputs(self) -> list[str]:
        """Leaves data pointers in %in<k>, samples in %samples<k>, the batch size (or UNBATCHED) in %batch."""
        lines, batch = [], str(UNBATCHED)
        for k, array in enumerate(self.inputs):
            lines += [
                f"%arg{k}_at = getelementptr ptr, ptr %values, i64 {k}",
                f"%arg{k} = load ptr, ptr %arg{k}_at, align 8",
                f"%samples{k} = call i64 @{EXAMINE}(ptr %arg{k}, i32 {len(array.shape)}, ptr @lw_shape_in{k}, "
                f"i32 {READABLE})",
                f"%refused{k} = icmp eq i64 %samples{k}, {REFUSED}",
                f"br i1 %refused{k}, label %slow, label %batch_of{k}",
                f"batch_of{k}:",
                f"%single{k} = icmp eq i64 %samples{k}, {UNBATCHED}",
                f"%first{k} = icmp eq i64 {batch}, {UNBATCHED}",
                f"%agrees{k} = icmp eq i64 %samples{k}, {batch}",
                f"%fits{k}_a = or i1 %single{k}, %first{k}",
                f"%fits{k} = or i1 %fits{k}_a, %agrees{k}",
                f"br i1 %fits{k}, label %use{k}, label %slow",
                f"use{k}:",
                f"%batch{k} = select i1 %single{k}, i64 {batch}, i64 %samples{k}",
                *field(f"%arg{k}", DATA_OFFSET, "ptr", f"%in{k}"),
                f"%stride{k} = select i1 %single{k}, i64 0, i64 {array.size}",
                f"%source{k} = getelementptr ptr, ptr %sources, i64 {k}",
                f"store ptr %in{k}, ptr %source{k}, align 8",
                f"%step{k} = getelementptr i64, ptr %strides, i64 {k}",
                f"store i64 %stride{k}, ptr %step{k}, align 8",
            ]
            batch = f"%batch{k}"
        return [
            *lines,
            f"%batch = add i64 {batch}, 0",
            load_context(Slot.LARGEST_BATCH, "%largest_bits"),
            "%largest = ptrtoint ptr %largest_bits to i64",
            "%too_large = icmp sgt i64 %batch, %largest",
            "%empty = icmp eq i64 %batch, 0",
            "%unusual = or i1 %too_large, %empty",
            "br i1 %unusual, label %slow, label %shapes",
            "shapes:",
            f"%is_single = icmp eq i64 %batch, {UNBATCHED}",
            "%axes = select i1 %is_single, i32 0, i32 1",
            *worth_keeping(sum(x.size for x in self.outputs) * self.vector.in_arrays.scalar_bytes),
        ]

    def _check_out(self) -> list[str]:
        """What is in `out` must be arrays that fit and overlap neither an input nor one another."""
        lines = ["check_out:"]
        if len(self.outputs) > 1:
            lines += [
                *field("%given", TYPE_OFFSET, "ptr", "%given_type"),
                load_context(Slot.TUPLE_TYPE, "%tuple_type"),
                "%is_tuple = icmp eq ptr %given_type, %tuple_type",
                "br i1 %is_tuple, label %check_size, label %slow",
                "check_size:",
                *field("%given", TUPLE_SIZE_OFFSET, "i64", "%given_size"),
                f"%complete = icmp eq i64 %given_size, {len(self.outputs)}",
                "br i1 %complete, label %check_out0, label %slow",
            ]
        else:
            lines.append("br label %check_out0")
        scalar = self.vector.in_arrays.scalar_bytes
        inputs = [(f"%arg{k}", f"%samples{k}", array.size * scalar) for k, array in enumerate(self.inputs)]
        for k, output in enumerate(self.outputs):
            lines += [
                f"check_out{k}:",
                *self._given("%given", k, f"%checked{k}"),
                f"%given_samples{k} = call i64 @{EXAMINE}(ptr %checked{k}, i32 {len(output.shape)}, "
                f"ptr @lw_shape_out{k}, i32 {READABLE | WRITEABLE})",
                f"%given_fits{k} = icmp eq i64 %given_samples{k}, %batch",
                f"br i1 %given_fits{k}, label %apart{k}_0, label %slow",
            ]
            others = [*inputs, *((f"%checked{j}", "%batch", self.outputs[j].size * scalar) for j in range(k))]
            for j, (other, samples, size) in enumerate(others):
                lines += [
                    f"apart{k}_{j}:",
                    f"%overlap{k}_{j} = call i1 @{OVERLAP}(ptr %checked{k}, i64 %batch, i64 {output.size * scalar}, "
                    f"ptr {other}, i64 {samples}, i64 {size})",
                    f"br i1 %overlap{k}_{j}, label %slow, label %apart{k}_{j + 1}",
                ]
            after = f"check_out{k + 1}" if k + 1 < len(self.outputs) else "given0"
            lines += [f"apart{k}_{len(others)}:", f"br label %{after}"]
        return lines

    @property
    def _last_check(self) -> str:
        """The block from which `out` is taken."""
        last = len(self.outputs) - 1
        return f"apart{last}_{len(self.inputs) + last}"

    def _given(self, given: str, k: int, name: str) -> list[str]:
        """Array k of what was given as `out`, or kept (spare_results.py), as `name`."""
        if len(self.outputs) == 1:
            return [f"{name} = getelementptr i8, ptr {given}, i64 0"]
        return field(given, TUPLE_ITEMS_OFFSET + 8 * k, "ptr", name)

    def _allocate(self, k: int) -> list[str]:
        """The array %result<k>, new, given or kept, with data at %out<k>.

        If there is no memory, drop the earlier ones and return NULL.
        """
        ndim = len(self.outputs[k].shape)
        lines = [f"allocate{k}:", f"store i64 %batch, ptr %dims{k}, align 8"]
        for axis, length in enumerate(self.outputs[k].shape):
            lines += [
                f"%axis{k}_{axis} = getelementptr i64, ptr %dims{k}, i64 {axis + 1}",
                f"store i64 {length}, ptr %axis{k}_{axis}, align 8",
            ]
        lines += [
            f"%inner{k} = getelementptr i64, ptr %dims{k}, i64 1",
            f"%shape{k} = select i1 %is_single, ptr %inner{k}, ptr %dims{k}",
            f"%ndim{k} = add i32 %axes, {ndim}",
            load_context(Slot.DESCR, f"%new_descr{k}"),
            load_context(Slot.ARRAY_TYPE, f"%new_type{k}"),
            load_context(Slot.INCREF, f"%incref{k}"),
            load_context(Slot.NEW_FROM_DESCR, f"%new{k}"),
            f"call void %incref{k}(ptr %new_descr{k})",  # the next call takes the reference over
            f"%fresh{k} = call ptr %new{k}(ptr %new_type{k}, ptr %new_descr{k}, i32 %ndim{k}, ptr %shape{k}, "
            "ptr null, ptr null, i32 0, ptr null)",
            f"%failed{k} = icmp eq ptr %fresh{k}, null",
            f"br i1 %failed{k}, label %release{k}, label %got{k}",
            f"release{k}:",
            load_context(Slot.DECREF, f"%decref{k}"),
            *(f"call void %decref{k}(ptr %result{j})" for j in range(k)),
            "ret ptr null",
            f"given{k}:",
            *([f"%chosen = phi ptr [ %given, %{self._last_check} ], [ %kept_results, %take_kept ]"] if k == 0 else []),
            *self._given("%chosen" if k == 0 else "%chosen_too", k, f"%taken{k}"),
            load_context(Slot.INCREF, f"%keep{k}"),
            f"call void %keep{k}(ptr %taken{k})",
            f"br label %got{k}",
            f"got{k}:",
            f"%result{k} = phi ptr [ %fresh{k}, %allocate{k} ], [ %taken{k}, %given{k} ]",
            *([
                "%allocating = phi i1 [ true, %allocate0 ], [ false, %given0 ]",
                "%chosen_too = phi ptr [ null, %allocate0 ], [ %chosen, %given0 ]",
            ] if k == 0 else []),
        ]
        last = k + 1 == len(self.outputs)
        return [
            *lines,
            *field(f"%result{k}", DATA_OFFSET, "ptr", f"%out{k}"),
            f"%target{k} = getelementptr ptr, ptr %targets, i64 {k}",
            f"store ptr %out{k}, ptr %target{k}, align 8",
            "br label %run" if last else f"br i1 %allocating, label %allocate{k + 1}, label %given{k + 1}",
        ]

    def _run(self) -> list[str]:
        size = workspace_bytes(self.plan, self.vector) + ALIGNMENT
        single = chunk_calls(self.plan, self.vector.one, "%in", "%out")
        if self.operations > GIL_OPERATIONS:
            single = ["%state = call ptr %save()", *single, "call void %restore(ptr %state)"]
        return [
            "run:",
            load_context(Slot.SAVE_THREAD, "%save"),
            load_context(Slot.RESTORE_THREAD, "%restore"),
            "br i1 %is_single, label %run_single, label %run_batch",
            "run_single:",
            *single,
            "br label %return",
            "run_batch:",
            load_context(Slot.ALLOCATE, "%allocate"),
            f"%memory = call ptr %allocate(i64 {size})",
            "%no_memory = icmp eq ptr %memory, null",
            "br i1 %no_memory, label %give_up, label %run_kernel",
            "give_up:",  # the Python path will find out, and raise, unless there is memory again
            load_context(Slot.DECREF, "%discard"),
            *(f"call void %discard(ptr %result{k})" for k in range(len(self.outputs))),
            "br label %slow",
            "run_kernel:",
            f"%after_memory = getelementptr i8, ptr %memory, i64 {ALIGNMENT - 1}",
            f"%aligned = call ptr @llvm.ptrmask.p0.i64(ptr %after_memory, i64 {-ALIGNMENT})",
            "%batch_state = call ptr %save()",
            f"call void @{KERNEL}(ptr %sources, ptr %strides, ptr %targets, i64 0, i64 %batch, ptr %aligned)",
            "call void %restore(ptr %batch_state)",
            load_context(Slot.FREE, "%free"),
            "call void %free(ptr %memory)",
            "br label %keep",
            *keep(len(self.outputs), "return"),
        ]

    def _return_results(self) -> list[str]:
        count = len(self.outputs)
        if count == 1:
            return ["return:", "ret ptr %result0"]
        lines = [
            "return:",
            load_context(Slot.TUPLE_NEW, "%tuple_new"),
            load_context(Slot.TUPLE_SET_ITEM, "%tuple_set"),
            load_context(Slot.DECREF, "%drop"),
            load_context(Slot.RESULT_CLASS, "%result_class"),
            load_context(Slot.VECTORCALL, "%construct"),
            f"%tuple = call ptr %tuple_new(i64 {count})",
            "%no_tuple = icmp eq ptr %tuple, null",
            "br i1 %no_tuple, label %drop_all, label %fill",
            "drop_all:",
            *(f"call void %drop(ptr %result{k})" for k in range(count)),
            "ret ptr null",
            "fill:",
        ]
        for k in range(count):  # takes the references over
            lines.append(f"%set{k} = call i32 %tuple_set(ptr %tuple, i64 {k}, ptr %result{k})")
        return [
            *lines,
            "store ptr %tuple, ptr %tuple_slot, align 8",
            "%named_tuple = call ptr %construct(ptr %result_class, ptr %tuple_slot, i64 1, ptr null)",
            "call void %drop(ptr %tuple)",
            "ret ptr %named_tuple",
        ]


def _shape_constant(tag: str, shape: tuple[int, ...]) -> str:
    lengths = ", ".join(f"i64 {n}" for n in shape)
    return f"@lw_shape_{tag} = internal constant [{len(shape)} x i64] [{lengths}]"
