"""The algorithms, one file each, written once for numbers and for symbols."""
