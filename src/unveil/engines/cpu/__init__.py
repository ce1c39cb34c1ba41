"""All cores of a processor: `engine` is the port's functions, the files beside it the kernels and their layout."""
