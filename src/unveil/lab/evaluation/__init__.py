"""How good a linkage is, judged by ground truth, which no role ever sees: quality, baselines, results, the report."""
