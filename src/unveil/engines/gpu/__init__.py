"""One GPU: `engine` is the port's functions, `kernels` what runs on the device."""
