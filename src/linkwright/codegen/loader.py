"""Object files -> callable machine code in this process."""

from __future__ import annotations

import ctypes
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from ..errors import CodegenError
from .target import Target

_lock = threading.Lock()


class Code(ABC):
    """Machine code in memory, and where its functions and tables are."""

    @abstractmethod
    def address(self, name: str) -> int:
        """Of a function."""

    @abstractmethod
    def table(self, name: str, length: int) -> ctypes.Array:
        """A global array of pointers, to be filled in."""

    def function(self, name: str, *argument_types) -> Callable[..., None]:
        """A ctypes function without result; the GIL is released while it runs."""
        return ctypes.CFUNCTYPE(None, *argument_types)(self.address(name))


class LoadedCode(Code):
    """Owns the memory the code lives in: keep it as long as an address from it may be called."""

    def __init__(self, objects: Sequence[bytes], target: Target):
        import llvmlite.binding as llvm  # what runs saved functions has none

        from .worker import initialize, target_machine

        with _lock:
            initialize()
            machine = target_machine(target.triple, target.cpu, target.features)
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
            try:
                for data in objects:
                    self._engine.add_object_file(llvm.ObjectFileRef.from_data(data))
                self._engine.finalize_object()
            except RuntimeError as error:
                raise CodegenError(f"the compiled code could not be loaded: {error}") from error

    def address(self, name: str) -> int:
        address = self._engine.get_function_address(name)
        if not address:
            raise CodegenError(f"the compiled code has no function {name}")
        return address

    def table(self, name: str, length: int) -> ctypes.Array:
        return (ctypes.c_void_p * length).from_address(self._engine.get_global_value_address(name))
