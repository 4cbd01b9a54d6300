"""What loops are weighed by when there is a choice, in multiply-adds that are executed once.

An operation in a straight line is executed and written down: read by the processor, compiled, kept. In a loop it is
written down once for all passes. In batches only what is executed counts; in a single call, where a straight line waits
for its code and passes go in the lanes of one vector, hardly anything but what is written down. So both count alike. A
loop costs something of itself: a call, and a wait for what has just been written to its tables.
"""

WRITTEN_DOWN = 1.0
LOOP = 300.0
