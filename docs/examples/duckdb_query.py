import duckdb

import unveil

a = duckdb.read_csv("people/a.csv", all_varchar=True)
b = duckdb.read_csv("people/b.csv", all_varchar=True)

persons = unveil.link(a, b).persons
in_both = "select person from persons group by person having count(distinct file) = 2"
print(duckdb.sql(f"select count(*) as people_in_both from ({in_both})"))
