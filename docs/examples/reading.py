import unveil

reading = unveil.Reading(encoding="utf-8", delimiter=",", dates="day")
profile = unveil.profile("people/a.csv", reading=reading)
result = unveil.link("people/a.csv", "people/b.csv", schema="person", reading_a=reading)
print(profile.notes, result.chosen)
