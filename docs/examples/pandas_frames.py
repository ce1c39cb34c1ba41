import pandas as pd

import unveil

a = pd.read_csv("people/a.csv", dtype=str, keep_default_na=False)
b = pd.read_csv("people/b.csv", dtype=str, keep_default_na=False)

result = unveil.link(a, b, schema="person")
links = pd.DataFrame.from_arrow(result.links)
unsure = links[links.probability < 0.9]
print(f"{len(links)} links, of which {len(unsure)} are less than 90 % sure")
result.plot("similarity").save("similarity.svg")
result.save_report("report.html")
