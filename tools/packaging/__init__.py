"""
What is handed to whoever runs Unveil: `python -m tools.packaging`, or `make package`, `make sbom` and `make image`.

`distributions` builds wheel and source distribution, the same bytes each time; `bare` installs the wheel with its
pinned requirements outside the repository, on every Python that there is, and works with it; `sbom` lists the pinned
requirements; `containerfile` makes a script of the Containerfile's steps, and `image` has the image built, or runs that
script in a clean root where nothing builds images.
"""
