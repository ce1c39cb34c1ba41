"""Spark: tasks of bounded size on a cluster, each compared by the processor's kernels."""
