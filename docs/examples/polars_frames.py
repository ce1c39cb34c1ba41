import polars as pl

import unveil

a = pl.read_csv("people/a.csv", infer_schema=False)
b = pl.read_csv("people/b.csv", infer_schema=False)

result = unveil.link(a, b)
print(result.estimate)
clusters = pl.DataFrame(result.persons)
