"""How messages travel: `memory` within one process. Every transport uses the same codec and the same table of flows."""
