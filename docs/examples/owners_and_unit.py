import unveil

# At each owner: the same key, which nobody else has.
key = unveil.Key.new()
hospital = unveil.encode("people/a.csv", key=key, project="trial")
registry = unveil.encode("people/b.csv", key=key, project="trial")
assert hospital.fingerprint == registry.fingerprint
hospital.write("hospital.parquet")

# At a trusted unit, which holds encodings and no record.
result = unveil.link("hospital.parquet", registry)
print(result)
