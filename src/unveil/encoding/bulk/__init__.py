"""The same encodings for whole columns, compiled: `columns` is the door, the files beside it the kernels."""
