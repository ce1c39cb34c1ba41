import unveil

profile = unveil.profile("people/a.csv")
for column in profile.columns:
    print(f"{column.name}: {column.role}, {column.missing:.0%} missing, mostly {column.format}")

run = unveil.simulate("people/a.csv", "people/b.csv", "people/truth.csv", budget=40, error=0.1)
print(f"F1 {run.f1:.3f}")
