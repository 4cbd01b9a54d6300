"""LLVM IR -> object files, in this process or as a process of its own.

Our code comes in the order in which it should run, so LLVM's instruction schedulers only cost time: without them it
compiles more than twice as fast. The options that switch them off are process-wide and would change what a user's
numba compiles; hence a worker process. It also survives LLVM's crashes, which end the process, and runs in parallel.

Run as a script this file must import nothing but the standard library and llvmlite.
Protocol, both ways: messages of an 8-byte little-endian length and that many bytes. The worker begins with a greeting.
The first message to it is the target (triple, cpu, features, separated by newlines), the others are modules; each is
answered by a status byte and the object file (`o`) or the text of an error (`e`).
"""

from __future__ import annotations

import os
import struct
import sys
import threading
from typing import BinaryIO

import llvmlite.binding as llvm

SCHEDULER_OPTIONS = ("-pre-RA-sched=source", "-enable-misched=false")
GREETING = b"linkwright worker"
IDLE_SECONDS = 60.0  # a worker nobody has asked anything for this long ends itself, giving its memory back
LARGEST_MESSAGE = 2**32  # bytes; more is the output of something that is no worker
OPTIMIZATION = 1


def target_machine(triple: str, cpu: str, features: str):
    if triple != llvm.get_process_triple():  # another kind of processor than the one this runs on
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    # The small code model with position-independent code addresses constants relative to the instruction pointer;
    # LLVM's default for JIT compilers, the large one, spends an instruction and ten bytes on each address.
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=OPTIMIZATION, reloc="pic", codemodel="small", jit=True
    )


def initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def generate_object(machine, ir: str) -> bytes:
    """Raises RuntimeError if the IR is wrong."""
    context = llvm.create_context()
    module = llvm.parse_assembly(ir, context=context)
    module.verify()
    return machine.emit_object(module)


def read_message(stream: BinaryIO) -> bytes | None:
    """The next message, or None at the end of the stream."""
    header = stream.read(8)
    if len(header) < 8:
        return None
    (size,) = struct.unpack("<Q", header)
    if size > LARGEST_MESSAGE:
        return None
    data = stream.read(size)
    return data if len(data) == size else None


def write_message(stream: BinaryIO, *parts: bytes) -> None:
    stream.write(struct.pack("<Q", sum(map(len, parts))))
    for part in parts:
        stream.write(part)
    stream.flush()


def framed(message: bytes) -> bytes:
    """A message as it is written."""
    return struct.pack("<Q", len(message)) + message


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    initialize()
    for option in SCHEDULER_OPTIONS:
        llvm.set_option("linkwright", option)
    write_message(replies, GREETING)
    machine = None
    while True:
        alarm = threading.Timer(IDLE_SECONDS, os._exit, (0,))
        alarm.daemon = True
        alarm.start()
        message = read_message(requests)
        alarm.cancel()
        if message is None:
            return
        if machine is None:
            machine = target_machine(*message.decode().split("\n"))
            continue
        try:
            write_message(replies, b"o", generate_object(machine, message.decode()))
        except Exception as error:  # whatever LLVM objects to is the caller's to report
            write_message(replies, b"e", str(error).encode())


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
